//! Runs the processes of a run side by side, on whatever thread polls the run.
//!
//! Every process is a future; a run is one future over all of them. It holds no thread while they
//! wait, and dropping it ends them all.

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

/// How long a run keeps its thread before it lets other tasks go on.
const SLICE: Duration = Duration::from_millis(5);

/// A process that has not run yet.
pub(crate) struct Newborn {
    pub(crate) pid: u32,
    pub(crate) image: ProgramImage<Process>,
    pub(crate) process: Process,
    pub(crate) name: Vec<u8>,
    pub(crate) complaints: Option<Weak<Description>>,
}

type Ended = Result<Result<Finish, Stop>, Error>;

/// A process under way.
struct Member {
    future: Pin<Box<dyn Future<Output = Ended> + Send>>,
    waker: Waker,
    call: Arc<Call>,
    name: Vec<u8>,
    complaints: Option<Weak<Description>>,
}

/// Wakes one process: puts it in the queue, and has the run polled.
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

/// Marks the number of an errand; the rest is the process that it belongs to.
const ERRAND: u32 = 1 << 31;

/// An errand under way.
struct UnderWay {
    future: Errand,
    waker: Waker,
    call: Arc<Call>,
}

/// The processes of a run. Ready when the first has ended and nobody else can print any more.
pub(crate) struct Crew {
    system: Arc<System>,
    members: HashMap<u32, Member>,
    errands: HashMap<u32, UnderWay>,
    queue: Arc<Queue>,
    sleep: Option<(u64, Sleep)>,
    first: u32,
    /// How the first process ended.
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

    /// Takes in the processes that were made since the last look.
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
            let future = Box::pin(async move { execute(&image, process, limits).await });
            self.members.insert(pid, Member { future, waker, call, name, complaints });
        }
    }

    /// Takes in errands; one whose process has ended meanwhile is not wanted.
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

    /// The deadline moved: whoever waits for it has to look again.
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

    /// Lets one process go on; an error ends the run.
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
            Ok(Ok(finish)) => {
                if let Finish::Trapped(TrapKind::OutOfMemory | TrapKind::Stack) = finish
                    && let Finish::Trapped(kind) = finish
                {
                    self.complain(pid, kind.text());
                }
                self.end(pid, finish);
                Ok(())
            }
            Ok(Err(stop @ (Stop::Killed | Stop::Deadline | Stop::HostFailed(_)))) => {
                Err(Halt::Stopped(stop))
            }
            Ok(Err(stop)) if pid == self.first => Err(Halt::Stopped(stop)),
            Ok(Err(stop)) => {
                self.complain(pid, &stop.to_string());
                // SIGSYS: it asked for what there is not.
                self.end(pid, Finish::Signalled(31));
                Ok(())
            }
            Err(error) if pid == self.first => Err(Halt::Failed(error)),
            Err(error) => {
                self.complain(pid, &error.to_string());
                self.end(pid, Finish::Exited(126));
                Ok(())
            }
        }
    }

    fn end(&mut self, pid: u32, finish: Finish) {
        // Its descriptors are closed before anybody hears that it has ended.
        self.members.remove(&pid);
        self.errands.remove(&(pid | ERRAND));
        lock(&self.system.table).end(pid, status(finish));
        if pid == self.first {
            self.finish = Some(finish);
        }
    }

    /// Says on a process's own standard error why it ended, since it cannot.
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

    /// Whether anybody but the first process could still print.
    fn may_print(&self) -> bool {
        let mut printers = lock(&self.system.printers);
        printers.retain(|printer| printer.strong_count() > 0);
        !printers.is_empty() && !self.members.is_empty()
    }

    /// Wakes whose time has come, and arranges to be polled when the next one's comes. True if
    /// somebody was woken.
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
                // Whoever is woken from another thread finds our waker; look once more.
                if lock(&this.queue.ready).is_empty() {
                    return Poll::Pending;
                }
                continue;
            };
            // A process gives the thread back when its run is ended, and is not polled again.
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
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }
}

/// A finish as a parent sees it.
pub(crate) fn status(finish: Finish) -> u32 {
    match finish {
        Finish::Exited(code) => code & 0xff,
        Finish::Signalled(signal) => KILLED + u32::from(signal),
        Finish::Trapped(kind) => KILLED + u32::from(signal_of(kind)),
    }
}

/// The signal that a native program would have died of.
pub(crate) fn signal_of(kind: TrapKind) -> u8 {
    match kind {
        TrapKind::Abort => 6,
        TrapKind::Memory | TrapKind::Stack => 11,
        TrapKind::Arithmetic => 8,
        TrapKind::OutOfMemory => 9,
    }
}
