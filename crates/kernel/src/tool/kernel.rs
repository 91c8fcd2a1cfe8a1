//! The [`Kernel`]: serves one cell, and keeps pending calls, timers and output.

use std::collections::{BTreeSet, HashMap};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use cofferdam_abi::ANY_TICKET;
use cofferdam_abi::frame;
use cofferdam_abi::wire::Writer;
use cofferdam_broker::{Desk, PlaceSlot};
use cofferdam_cell::{Host, Stop};
use cofferdam_vfs::Time;

use crate::permitted::{Network, Permitted};
use crate::program::tools::Console;
use crate::shared::allowance::Allowance;
use crate::shared::call_error::{CallError, Done, Working, pack_done};
use crate::shared::clock::{self, Clock};
use crate::shared::crossing::{self, Breach, Failure, Progress, Reply};
use crate::shared::denials::Denials;
use crate::shared::output::{Output, Stream, Watcher};
use crate::shared::random::{self, Random};
use crate::shared::run_clock::RunClock;
use crate::shared::streams::Streams;
use crate::tool::calls;
use crate::tool::children::Children;
use crate::tool::commands::Commands;
use crate::tool::settled::Settled;
use crate::tool::types::TypesStripper;
use crate::tool::uploads::Uploads;

/// Most timers that may run at once.
// T-CELL-009: pending calls without end.
const MAX_TIMERS: usize = 10_000;

/// Most calls that may be under way at once. All are polled when one of them is woken.
const MAX_WORKING: usize = 1000;

/// Slot for the compiled code of a tool; filled once.
pub type KeptCode = Arc<OnceLock<Box<[u8]>>>;

/// Everything that a run is set up with.
#[derive(Clone)]
pub struct Settings {
    /// Resources of the sandbox, behind permits.
    pub resources: Permitted,
    /// Checks the run's actions.
    pub desk: Desk,
    /// The network, behind permits.
    pub network: Network,
    /// Runs commands, if the sandbox has any.
    pub commands: Option<Arc<dyn Commands>>,
    /// Source of the guest's time.
    pub clock: Clock,
    /// Source of randomness.
    pub random: Random,
    /// Bytes of standard output to keep.
    pub stdout_bytes: usize,
    /// Bytes of standard error to keep.
    pub stderr_bytes: usize,
    /// Most bytes of one call of a tool, and of its answer.
    pub call_bytes: usize,
    /// Most bytes of the body of a request, and of a response.
    pub fetch_bytes: usize,
    /// Receives output while the run goes on.
    pub watcher: Option<Arc<dyn Watcher>>,
    /// Kill switch, deadline and pauses; shared with everything that the run starts.
    pub run_clock: RunClock,
    /// Host memory and processes; shared with everything that the run starts.
    pub allowance: Allowance,
    /// Standard input of a tool started by a program (the `js` command).
    pub console: Option<Console>,
    /// Slot for the compiled code of the tool.
    pub code: Option<KeptCode>,
    /// Strips the types of files that it imports.
    pub types: Option<Arc<dyn TypesStripper>>,
}

#[cfg(test)]
impl Settings {
    /// Returns settings of an empty sandbox in which nothing is granted.
    pub(crate) fn for_tests() -> Self {
        use cofferdam_broker::{Broker, Discard, InMemory};
        let memory = Arc::new(InMemory::new().expect("random numbers"));
        let broker = Broker::setup(memory, Arc::new(Discard)).open().expect("an empty ledger");
        let permissions = broker.permissions("test", &Default::default());
        let tree = cofferdam_vfs::Tree::new(Default::default(), Time(0));
        Settings {
            resources: Permitted::new(Arc::new(crate::shared::resources::Resources::new(tree))),
            desk: permissions.desk("run", "tool"),
            network: Network::default(),
            commands: None,
            clock: Clock::default(),
            random: Random::default(),
            stdout_bytes: 1 << 20,
            stderr_bytes: 1 << 20,
            call_bytes: crossing::CALL_BYTES,
            fetch_bytes: 10 << 20,
            watcher: None,
            run_clock: crate::shared::run_clock::tests::an_hour(),
            allowance: Allowance::new(64 << 20, 8),
            console: None,
            code: None,
            types: None,
        }
    }
}

/// The host side of one cell.
pub struct Kernel {
    pub(crate) clock: clock::Running,
    pub(crate) random: random::Source,
    stdout: Output,
    stderr: Output,
    pub(crate) settings: Settings,
    /// Timers by due time on the guest's monotonic clock, then by ticket.
    timers: BTreeSet<(u64, u32)>,
    /// Due time of each timer, by ticket.
    due: HashMap<u32, u64>,
    /// Calls under way, by ticket.
    working: Vec<(u32, Working)>,
    next_ticket: u32,
    /// Length of the request that is being served.
    request_bytes: usize,
    pub(crate) denials: Denials,
    /// Ticket of the last question and the slot for its place, until the guest tells it.
    pub(crate) last_question: Option<(u32, PlaceSlot)>,
    /// Request id of the last denial, until the guest tells its place.
    pub(crate) last_denial: Option<String>,
    pub(crate) streams: Streams,
    pub(crate) uploads: Uploads,
    pub(crate) children: Children,
    pub(crate) page: calls::dom::PageUse,
}

/// Result of serving one call.
pub(crate) type Served = Result<Reply, Failure<Stop>>;

impl Kernel {
    /// Creates the kernel of a run that begins now.
    pub fn new(mut settings: Settings) -> Self {
        settings.resources = settings.resources.until(&settings.run_clock);
        Kernel {
            clock: clock::Running::start(settings.clock),
            random: random::Source::new(settings.random),
            stdout: Output::default(),
            stderr: Output::default(),
            timers: BTreeSet::new(),
            due: HashMap::new(),
            working: Vec::new(),
            next_ticket: 1,
            request_bytes: 0,
            denials: Denials::default(),
            last_question: None,
            last_denial: None,
            streams: Streams::default(),
            uploads: Uploads::default(),
            children: Children::default(),
            page: Default::default(),
            settings,
        }
    }

    /// Returns the denials of the run.
    pub fn denials(&self) -> &Denials {
        &self.denials
    }

    /// Returns the time that files are marked with.
    pub(crate) fn file_time(&mut self) -> Time {
        Time((self.clock.wall_ms() * 1e6).max(0.0) as u64)
    }

    /// Makes a call pending, and continues `work` while the guest does something else.
    pub(crate) fn pend(&mut self, work: Working) -> Served {
        if self.working.len() >= MAX_WORKING {
            let message = format!("more than {MAX_WORKING} calls under way at once");
            return Err(CallError::new("RangeError", message).into());
        }
        let held = self.settings.allowance.hold_pending(self.request_bytes);
        let held = held.map_err(Failure::Stopped)?;
        let work = async move {
            // Held until the call is done, and with it the request.
            let _held = held;
            work.await
        };
        let ticket = self.new_ticket();
        self.working.push((ticket, Box::pin(work)));
        Ok(Reply::Pending(ticket))
    }

    fn new_ticket(&mut self) -> u32 {
        let ticket = self.next_ticket;
        self.next_ticket = self.next_ticket.wrapping_add(1).max(1);
        ticket
    }

    /// Prepares the kernel of a kept cell for the next run. Timers end with the previous run.
    pub fn restart(&mut self, settings: Settings) {
        let next_ticket = self.next_ticket;
        *self = Kernel { next_ticket, ..Kernel::new(settings) };
    }

    /// Takes the output: standard output and standard error.
    pub fn take_output(&mut self) -> (Output, Output) {
        (std::mem::take(&mut self.stdout), std::mem::take(&mut self.stderr))
    }

    /// Prints text on behalf of the run.
    pub fn say(&mut self, stream: Stream, text: &str) {
        self.print(stream, text.as_bytes());
    }

    pub(crate) fn print(&mut self, stream: Stream, bytes: &[u8]) {
        let Settings { stdout_bytes, stderr_bytes, watcher, .. } = &self.settings;
        match stream {
            Stream::Out => self.stdout.print(stream, bytes, *stdout_bytes, watcher.as_deref()),
            Stream::Err => self.stderr.print(stream, bytes, *stderr_bytes, watcher.as_deref()),
        }
    }

    // T-CELL-025: odd times: NaN, infinite, negative or far delays.
    pub(crate) fn start_timer(&mut self, delay_ms: f64) -> Served {
        if self.timers.len() >= MAX_TIMERS {
            let message = format!("more than {MAX_TIMERS} timers at once");
            return Err(CallError::new("RangeError", message).into());
        }
        let ticket = self.new_ticket();
        let delay_ms = if delay_ms.is_finite() { delay_ms.max(0.0) } else { 0.0 };
        let due = order(self.clock.monotonic_ms() + delay_ms);
        self.timers.insert((due, ticket));
        self.due.insert(ticket, due);
        Ok(Reply::Pending(ticket))
    }

    pub(crate) fn cancel(&mut self, ticket: u32) {
        if let Some(due) = self.due.remove(&ticket) {
            self.timers.remove(&(due, ticket));
        }
        self.working.retain(|(working, _)| *working != ticket);
    }

    /// Waits until pending calls or timers are settled, or the run is over. Holds no thread and no
    /// guest stack.
    // T-CELL-002: a tool that waits for ever.
    pub async fn settle_next(&mut self) -> Result<Settled, Stop> {
        // Work begins when it is first polled, and may be done at once.
        let done = poll_fn(|cx| Poll::Ready(poll_working(&mut self.working, cx))).await;
        if !done.is_empty() {
            return Ok(Settled { timers: self.take_due(), done });
        }
        let timer = match self.timers.first().map(|(due, _)| f64::from_bits(*due)) {
            // A fixed clock jumps to a later timer, unless a call under way could be settled first.
            Some(due)
                if !self.working.is_empty()
                    && self.clock.is_fixed()
                    && due > self.clock.monotonic_ms() =>
            {
                None
            }
            Some(due) => match self.clock.reach(due) {
                Some(at) => Some(at),
                None => return Ok(Settled { timers: self.take_due(), done }),
            },
            None => None,
        };
        let clock = &self.settings.run_clock;
        let mut sleep = timer.map(|at| clock.switch().sleep_until(at));
        let working = &mut self.working;
        let moved = poll_fn(|cx| {
            let done = poll_working(working, cx);
            let slept = sleep.as_mut().is_some_and(|sleep| Pin::new(sleep).poll(cx).is_ready());
            if slept || !done.is_empty() { Poll::Ready(done) } else { Poll::Pending }
        });
        let done = clock.wait(moved).await?;
        Ok(Settled { timers: self.take_due(), done })
    }

    /// Waits for one call or timer that is under way, while the guest does nothing else.
    async fn wait_for_ticket(&mut self, ticket: u32) -> Result<Done, Stop> {
        if let Some(due) = self.due.remove(&ticket) {
            self.timers.remove(&(due, ticket));
            if let Some(at) = self.clock.reach(f64::from_bits(due)) {
                let clock = &self.settings.run_clock;
                clock.wait(clock.switch().sleep_until(at)).await?;
            }
            return Ok(Ok(Vec::new()));
        }
        let found = self.working.iter().position(|(working, _)| *working == ticket);
        let Some(at) = found else {
            return Err(Stop::Breach(format!("wait for {ticket}: no such call is under way")));
        };
        let (_, work) = self.working.swap_remove(at);
        self.settings.run_clock.wait(work).await
    }

    /// Waits for the first calls and timers that are settled, while the guest does nothing else.
    async fn wait_for_any(&mut self) -> Result<Done, Stop> {
        if self.working.is_empty() && self.timers.is_empty() {
            return Err(Stop::Breach("wait: nothing is under way".into()));
        }
        let mut settled = Writer::new();
        self.settle_next().await?.write(&mut settled);
        Ok(Ok(settled.finish()))
    }

    /// Removes and returns the timers that are due, in order.
    fn take_due(&mut self) -> Vec<u32> {
        let now = self.clock.monotonic_ms();
        let mut tickets = Vec::new();
        while let Some((due, ticket)) = self.timers.first().copied() {
            if f64::from_bits(due) > now {
                break;
            }
            self.timers.pop_first();
            self.due.remove(&ticket);
            tickets.push(ticket);
        }
        tickets
    }
}

impl Host for Kernel {
    fn cross(&mut self, requests: &[u8], answer: &mut Vec<u8>) -> Result<(), Stop> {
        let most = self.settings.call_bytes;
        crossing::cross(requests, most, answer, &mut Progress::default(), |call, mut io| {
            self.request_bytes = io.fields.remaining();
            let served = calls::serve(self, call, &mut io);
            // A refusal caused by the end of the run ends the run.
            if let Err(Failure::Refused(_)) = &served
                && let Some(stop) = self.settings.run_clock.over()
            {
                return Err(Failure::Stopped(stop));
            }
            served
        })
    }

    fn wait<'a>(
        &'a mut self,
        ticket: u32,
        answer: &'a mut Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<Instant, Stop>> + Send + 'a>> {
        Box::pin(async move {
            let done = match ticket {
                ANY_TICKET => self.wait_for_any().await?,
                _ => self.wait_for_ticket(ticket).await?,
            };
            let (status, payload) = pack_done(&done);
            let mut w = Writer::onto(std::mem::take(answer));
            frame::write_answer(&mut w, status, &payload);
            *answer = w.finish();
            Ok(self.settings.run_clock.deadline())
        })
    }
}

/// Bytes of results after which further calls are settled in the next entry: results are host
/// memory until the guest has taken them.
// T-CELL-031: memory of the host held for a run.
const MAX_SETTLED: usize = 16 << 20;

/// Looks at the calls under way until enough results are there; answers those that are done.
fn poll_working(working: &mut Vec<(u32, Working)>, cx: &mut Context<'_>) -> Vec<(u32, Done)> {
    let (mut done, mut bytes) = (Vec::new(), 0);
    working.retain_mut(|(ticket, work)| {
        if bytes > MAX_SETTLED {
            // Polled before the run waits again, so no wake-up is lost.
            return true;
        }
        match work.as_mut().poll(cx) {
            Poll::Ready(answer) => {
                bytes += answer.as_ref().map_or(0, Vec::len);
                done.push((*ticket, answer));
                false
            }
            Poll::Pending => true,
        }
    });
    done
}

/// Returns the bits of a time; for numbers that are not negative they sort like the numbers.
fn order(ms: f64) -> u64 {
    ms.max(0.0).to_bits()
}

impl From<Breach> for Stop {
    fn from(breach: Breach) -> Self {
        Stop::Breach(breach.0)
    }
}

#[cfg(test)]
mod tests {
    use cofferdam_abi::call::ToolCall;
    use cofferdam_abi::frame::MAX_BATCH;
    use cofferdam_abi::wire::Reader;

    use super::*;

    fn kernel() -> Kernel {
        Kernel::new(Settings {
            clock: Clock::Fixed(0.0),
            random: Random::Seeded(1),
            stdout_bytes: 100,
            stderr_bytes: 100,
            ..Settings::for_tests()
        })
    }

    fn request(call: ToolCall, payload: &[u8]) -> Vec<u8> {
        let mut w = Writer::new();
        frame::write_request(&mut w, call, payload);
        w.finish()
    }

    #[track_caller]
    fn check_breach(message: &[u8], says: &str) {
        let error = kernel().cross(message, &mut Vec::new()).expect_err("refused");
        assert!(error.to_string().contains(says), "{error}");
    }

    #[test]
    fn answers_come_in_order() {
        let message =
            [request(ToolCall::RandomBytes, &[3, 0, 0, 0]), request(ToolCall::ClockWall, &[])]
                .concat();
        let mut answer = Vec::new();
        assert_eq!(kernel().cross(&message, &mut answer), Ok(()));
        let mut r = Reader::new(&answer);
        assert_eq!(frame::next_answer(&mut r).map(|a| a.payload.len()), Ok(3));
        assert_eq!(frame::next_answer(&mut r).map(|a| a.payload.len()), Ok(8));
        assert!(r.is_empty());
    }

    /// T-CELL-006, T-CELL-027.
    #[test]
    fn what_is_malformed_is_named() {
        check_breach(&[], "length past the end");
        check_breach(&[0xff, 0xff, 0, 0, 0, 0], "unknown call number");
        check_breach(&request(ToolCall::RandomBytes, &[1]), "random.bytes");
        check_breach(&request(ToolCall::ClockWall, &[1]), "clock.wall");
        check_breach(&request(ToolCall::ConsoleWrite, &[9]), "console.write");
        check_breach(&[0, 0, 0, 0, 0, 0], "unknown call number");
        check_breach(&request(ToolCall::DomCall, &[99]), "dom.call");
        check_breach(&request(ToolCall::CodeKeep, &[1]), "code that nobody asked for");
    }

    /// T-CELL-008.
    #[test]
    fn a_batch_is_bounded_in_count_and_in_answer() {
        let one = request(ToolCall::ClockWall, &[]);
        check_breach(&one.repeat(MAX_BATCH + 1), "calls in one crossing");
        let random = request(ToolCall::RandomBytes, &65536u32.to_le_bytes());
        check_breach(&random.repeat(300), "bytes asked for");
    }

    /// T-CELL-008.
    #[test]
    fn more_random_bytes_than_allowed_are_refused() {
        check_breach(&request(ToolCall::RandomBytes, &u32::MAX.to_le_bytes()), "random.bytes");
    }

    /// T-CELL-025.
    #[test]
    fn timers_fire_by_time_and_then_by_age() {
        let mut kernel = kernel();
        for delay in [5.0, 1.0, 5.0, f64::NAN] {
            assert!(matches!(kernel.start_timer(delay), Ok(Reply::Pending(_))));
        }
        kernel.clock.reach(5.0);
        assert_eq!(kernel.take_due(), [4, 2, 1, 3]);
    }

    /// T-CELL-009.
    #[test]
    fn timers_are_bounded() {
        let mut kernel = kernel();
        for _ in 0..MAX_TIMERS {
            assert!(matches!(kernel.start_timer(1.0), Ok(Reply::Pending(_))));
        }
        assert!(matches!(kernel.start_timer(1.0), Err(Failure::Refused(_))));
    }

    fn waited(kernel: &mut Kernel, ticket: u32) -> Result<Vec<u8>, Stop> {
        let mut answer = Vec::new();
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let polled = kernel.wait(ticket, &mut answer).as_mut().poll(&mut cx);
        match polled {
            Poll::Ready(waited) => waited.map(|_| answer),
            Poll::Pending => panic!("a fixed clock never waits"),
        }
    }

    /// T-CELL-028.
    #[test]
    fn a_guest_may_wait_for_a_timer_or_for_whatever_comes_first() {
        let mut kernel = kernel();
        for delay in [5.0, 1.0, 9.0] {
            assert!(matches!(kernel.start_timer(delay), Ok(Reply::Pending(_))));
        }
        assert_eq!(waited(&mut kernel, 1), Ok(vec![0, 0, 0, 0, 0]));
        // The second timer is due by now; the third is not.
        let answer = waited(&mut kernel, ANY_TICKET).expect("an answer");
        let payload = frame::next_answer(&mut Reader::new(&answer)).expect("a frame").payload;
        let done = frame::Answer { status: frame::Status::Done, payload: &[][..] };
        let entry = cofferdam_abi::entry::Entry::read(payload);
        assert_eq!(entry, Ok(cofferdam_abi::entry::Entry::Resume(vec![(2, done)])));
    }

    /// T-CELL-028.
    #[test]
    fn a_wait_for_nothing_is_a_breach() {
        for ticket in [ANY_TICKET, 7] {
            assert!(matches!(waited(&mut kernel(), ticket), Err(Stop::Breach(_))));
        }
    }

    #[test]
    fn a_cancelled_timer_does_not_fire() {
        let mut kernel = kernel();
        assert!(matches!(kernel.start_timer(1.0), Ok(Reply::Pending(1))));
        kernel.cancel(1);
        kernel.cancel(77);
        kernel.clock.reach(5.0);
        assert!(kernel.take_due().is_empty());
    }
}
