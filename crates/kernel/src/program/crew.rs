//! Runs the processes of a run concurrently, on the thread that polls the run.
//!
//! Every process is a future, and a run is one future over all of them. It holds no thread while
//! they wait. Dropping it ends them all.
//!
//! Meets T-PROC-009.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use cofferdam_cell::{
    Error, Finish, ProgramImage, ProgramLimits, Ring, Sleep, Stop, TrapKind, execute,
};

use crate::program::descriptor::{Description, Object};
use crate::program::process::Process;
use crate::program::spawn::NotStarted;
use crate::program::system::{Errand, System};
use crate::program::table::KILLED;
use crate::shared::lock::lock;

/// Longest time that a run keeps its thread before it lets other tasks continue.
const SLICE: Duration = Duration::from_millis(5);

/// A process that has not run yet.
pub(crate) struct Newborn {
    pub(crate) pid: u32,
    pub(crate) image: ProgramImage<Process>,
    pub(crate) process: Process,
    pub(crate) name: Vec<u8>,
    pub(crate) complaints: Option<Weak<Description>>,
}

type Ended = Result<Finish, Halt>;

/// A process under way.
struct Member {
    future: Pin<Box<dyn Future<Output = Ended> + Send>>,
    waker: Waker,
    call: Arc<Call>,
    name: Vec<u8>,
    complaints: Option<Weak<Description>>,
}

/// Wakes one process: queues it, and has the run polled.
struct Call {
    pid: u32,
    is_queued: AtomicBool,
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue {
    ready: Mutex<VecDeque<u32>>,
    run: Mutex<Option<Waker>>,
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_queued.swap(true, Ordering::AcqRel) {
            return;
        }
        lock(&self.queue.ready).push_back(self.pid);
        let run = lock(&self.queue.run).take();
        if let Some(run) = run {
            run.wake();
        }
    }
}

/// Bit that marks the number of an errand; the rest is the number of its process.
const ERRAND: u32 = 1 << 31;

/// An errand under way.
struct UnderWay {
    future: Errand,
    waker: Waker,
    call: Arc<Call>,
}

/// The processes of a run. Ready when the first one has ended and no other can print.
pub(crate) struct Crew {
    system: Arc<System>,
    members: HashMap<u32, Member>,
    errands: HashMap<u32, UnderWay>,
    queue: Arc<Queue>,
    sleep: Option<(u64, Sleep)>,
    first: u32,
    /// Ending of the first process.
    finish: Option<Finish>,
    _ring: Ring,
}

impl Crew {
    pub(crate) fn new(system: Arc<System>, first: u32, ring: Ring) -> Self {
        Crew {
            system,
            members: HashMap::new(),
            errands: HashMap::new(),
            queue: Arc::default(),
            sleep: None,
            first,
            finish: None,
            _ring: ring,
        }
    }

    /// Adopts the processes that were made since the last poll.
    fn adopt(&mut self) {
        let newborn = std::mem::take(&mut *lock(&self.system.newborn));
        for Newborn { pid, image, process, name, complaints } in newborn {
            let call =
                Arc::new(Call { pid, is_queued: AtomicBool::new(true), queue: self.queue.clone() });
            lock(&self.queue.ready).push_back(pid);
            let waker = Waker::from(call.clone());
            lock(&self.system.table).set_task(pid, waker.clone());
            let limits = ProgramLimits {
                memory_bytes: self.system.setup.limits.memory_bytes,
                budget: self.system.budget.clone(),
            };
            let future = Box::pin(async move { Ok(execute(&image, process, limits).await??) });
            self.members.insert(pid, Member { future, waker, call, name, complaints });
        }
    }

    /// Adopts errands; drops those of processes that have ended.
    fn adopt_errands(&mut self) {
        let errands = std::mem::take(&mut *lock(&self.system.errands));
        for (pid, future) in errands.into_iter().filter(|(pid, _)| self.members.contains_key(pid)) {
            let id = pid | ERRAND;
            let (is_queued, queue) = (AtomicBool::new(true), self.queue.clone());
            let call = Arc::new(Call { pid: id, is_queued, queue });
            lock(&self.queue.ready).push_back(id);
            let waker = Waker::from(call.clone());
            self.errands.insert(id, UnderWay { future, waker, call });
        }
    }

    /// Takes over a deadline that moved, and has everything that waits for it polled.
    pub(crate) fn time_moved(&mut self, ring: Ring) {
        self._ring = ring;
        self.errands.values().for_each(|errand| errand.waker.wake_by_ref());
    }

    fn advance_errand(&mut self, id: u32) {
        let Some(errand) = self.errands.get_mut(&id) else { return };
        errand.call.is_queued.store(false, Ordering::Release);
        let polled = errand.future.as_mut().poll(&mut Context::from_waker(&errand.waker));
        if polled.is_ready() {
            self.errands.remove(&id);
        }
    }

    /// Polls one process; an error ends the run.
    fn advance(&mut self, pid: u32) -> Result<(), Halt> {
        let Some(member) = self.members.get_mut(&pid) else { return Ok(()) };
        member.call.is_queued.store(false, Ordering::Release);
        let killed = lock(&self.system.table).killed(pid);
        if let Some(signal) = killed {
            self.end(pid, Finish::Signalled(signal));
            return Ok(());
        }
        let Poll::Ready(ended) =
            member.future.as_mut().poll(&mut Context::from_waker(&member.waker))
        else {
            return Ok(());
        };
        match ended {
            Ok(finish) => {
                if let Finish::Trapped(TrapKind::OutOfMemory | TrapKind::Stack) = finish
                    && let Finish::Trapped(kind) = finish
                {
                    self.complain(pid, kind.text());
                }
                self.end(pid, finish);
                Ok(())
            }
            Err(Halt::Stopped(stop @ (Stop::Killed | Stop::Deadline | Stop::HostFailed(_)))) => {
                Err(Halt::Stopped(stop))
            }
            Err(halt) if pid == self.first => Err(halt),
            Err(Halt::Stopped(stop)) => {
                self.complain(pid, &stop.to_string());
                // SIGSYS: the process called something that does not exist.
                self.end(pid, Finish::Signalled(31));
                Ok(())
            }
            Err(Halt::Failed(error)) => {
                self.complain(pid, &error.to_string());
                self.end(pid, Finish::Exited(126));
                Ok(())
            }
            Err(Halt::NotStarted(NotStarted { message, .. })) => {
                self.complain(pid, &message);
                self.end(pid, Finish::Exited(126));
                Ok(())
            }
        }
    }

    fn end(&mut self, pid: u32, finish: Finish) {
        // Descriptors are closed before the parent learns of the end.
        self.members.remove(&pid);
        self.errands.remove(&(pid | ERRAND));
        lock(&self.system.table).end(pid, status(finish));
        if pid == self.first {
            self.finish = Some(finish);
        }
    }

    /// Prints on the standard error of a process why it ended, since the process cannot.
    fn complain(&self, pid: u32, what: &str) {
        let Some(member) = self.members.get(&pid) else { return };
        let complaints = member.complaints.as_ref().and_then(Weak::upgrade);
        let Some(complaints) = complaints else { return };
        let line = format!("{}: {what}\n", String::from_utf8_lossy(&member.name));
        match &complaints.object {
            Object::Output(stream) => self.system.print(*stream, line.as_bytes()),
            Object::File(file) => drop(file.write(line.as_bytes(), self.system.now())),
            Object::PipeWrite(writer) | Object::PipeBoth(_, writer) => {
                let cx = Context::from_waker(Waker::noop());
                let _ = writer.poll_write(&cx, line.as_bytes());
            }
            Object::Directory(_) | Object::Device(..) => {}
            Object::PipeRead(_) | Object::Input(_) => {}
        }
    }

    /// Returns true if a process other than the first could still print.
    fn may_print(&self) -> bool {
        let mut printers = lock(&self.system.printers);
        printers.retain(|printer| printer.strong_count() > 0);
        !printers.is_empty() && !self.members.is_empty()
    }

    /// Wakes the processes whose timers are due, and arranges to be polled at the next timer.
    /// Returns true if a process was woken.
    fn look_at_timers(&mut self, cx: &mut Context<'_>) -> bool {
        loop {
            let (first, now) = {
                let timers = lock(&self.system.timers);
                let first = timers.first_key_value().map(|((due, _), _)| *due);
                (first, lock(&self.system.clock).monotonic_ns())
            };
            let Some(due) = first else {
                self.sleep = None;
                return false;
            };
            if due <= now.saturating_add(1000) {
                self.sleep = None;
                let mut timers = lock(&self.system.timers);
                let later = timers.split_off(&(now.saturating_add(1001), 0));
                let ready = std::mem::replace(&mut *timers, later);
                drop(timers);
                ready.into_values().for_each(Waker::wake);
                return true;
            }
            let Some(at) = lock(&self.system.clock).reach_ns(due) else { continue };
            if self.sleep.as_ref().is_none_or(|(of, _)| *of != due) {
                self.sleep = Some((due, self.system.run_clock.switch().sleep_until(at)));
            }
            let Some((_, sleep)) = &mut self.sleep else { return false };
            match Pin::new(sleep).poll(cx) {
                Poll::Ready(()) => continue,
                Poll::Pending => return false,
            }
        }
    }
}

/// Reason why a run ended before its first process did.
pub(crate) enum Halt {
    /// The run was stopped from outside, or broke the rules.
    Stopped(Stop),
    /// The first process could not be started.
    NotStarted(NotStarted),
    /// The host failed.
    Failed(Error),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Halt::Stopped(stop)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Halt::Failed(error)
    }
}

impl From<NotStarted> for Halt {
    fn from(not_started: NotStarted) -> Self {
        Halt::NotStarted(not_started)
    }
}

impl Future for Crew {
    type Output = Result<Finish, Halt>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let (began, system) = (Instant::now(), this.system.clone());
        *lock(&this.queue.run) = Some(cx.waker().clone());
        loop {
            this.adopt();
            this.adopt_errands();
            if let Some(finish) = this.finish
                && !this.may_print()
            {
                return Poll::Ready(Ok(finish));
            }
            let next = lock(&this.queue.ready).pop_front();
            let Some(pid) = next else {
                if this.look_at_timers(cx) {
                    continue;
                }
                // A process woken by another thread finds the waker of this poll; look once more.
                if lock(&this.queue.ready).is_empty() {
                    return Poll::Pending;
                }
                continue;
            };
            // A process yields the thread when its run is over, and is not polled again.
            if let Some(stop) = this.system.run_clock.over() {
                return Poll::Ready(Err(Halt::Stopped(stop)));
            }
            let computing = system.run_clock.computing();
            match pid & ERRAND {
                0 => {
                    if let Err(halt) = this.advance(pid) {
                        return Poll::Ready(Err(halt));
                    }
                }
                _ => this.advance_errand(pid),
            }
            drop(computing);
            if began.elapsed() >= SLICE {
                // A process that computes is always ready, and must not keep those that sleep asleep.
                this.look_at_timers(cx);
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }
}

/// Returns the exit status that a parent sees.
pub(crate) fn status(finish: Finish) -> u32 {
    match finish {
        Finish::Exited(code) => code & 0xff,
        Finish::Signalled(signal) => KILLED + u32::from(signal),
        Finish::Trapped(kind) => KILLED + u32::from(signal_of(kind)),
    }
}

/// Returns the signal that would have killed a native program.
pub(crate) fn signal_of(kind: TrapKind) -> u8 {
    match kind {
        TrapKind::Abort => 6,
        TrapKind::Memory | TrapKind::Stack => 11,
        TrapKind::Arithmetic => 8,
        TrapKind::OutOfMemory => 9,
    }
}
