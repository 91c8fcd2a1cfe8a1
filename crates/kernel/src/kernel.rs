//! Takes crossings apart, dispatches calls, keeps what is pending.

use std::collections::{BTreeSet, HashMap};
use std::future::pending;
use std::time::Instant;

use cofferdam_abi::call::Call;
use cofferdam_abi::entry::Entry;
use cofferdam_abi::frame::{self, ANSWER_HEADER, Answer, MAX_BATCH, Refusal, Status};
use cofferdam_abi::wire::{Malformed, Reader, Writer};
use cofferdam_cell::{Breach, Host, KillSwitch, Stop};

use crate::calls;
use crate::clock::{self, Clock};
use crate::output::{Output, Stream, Watcher};
use crate::random::{self, Random};

/// Longest answer to one crossing; it is host memory until the guest has taken it.
const MAX_ANSWER: usize = 16 << 20;

/// Most calls that may be pending at once.
const MAX_PENDING: usize = 10_000;

/// How a run sees the world.
#[derive(Clone, Default)]
pub struct Settings {
    /// Its time.
    pub clock: Clock,
    /// Its chance.
    pub random: Random,
    /// Bytes of standard output that are kept.
    pub stdout_bytes: usize,
    /// Bytes of standard error that are kept.
    pub stderr_bytes: usize,
    /// Sees output while the run goes on.
    pub watcher: Option<Watcher>,
}

/// What answers one cell.
pub struct Kernel {
    pub(crate) clock: clock::Running,
    pub(crate) random: random::Source,
    stdout: Output,
    stderr: Output,
    settings: Settings,
    /// Timers by when they are due on the guest's monotonic clock, then by ticket.
    timers: BTreeSet<(u64, u32)>,
    /// When each timer is due, by ticket.
    due: HashMap<u32, u64>,
    next_ticket: u32,
}

/// What a call comes to. The payload was appended to the answer.
pub(crate) enum Reply {
    Done,
    Pending(u32),
    Refused { name: &'static str, message: String },
}

impl Kernel {
    /// A kernel for a run that begins now.
    pub fn new(settings: Settings) -> Self {
        Kernel {
            clock: clock::Running::start(settings.clock),
            random: random::Source::new(settings.random),
            stdout: Output::default(),
            stderr: Output::default(),
            settings,
            timers: BTreeSet::new(),
            due: HashMap::new(),
            next_ticket: 1,
        }
    }

    /// Prepares the kernel of a kept cell for the next run. Timers ended with the last one.
    pub fn restart(&mut self, settings: Settings) {
        let next_ticket = self.next_ticket;
        *self = Kernel { next_ticket, ..Kernel::new(settings) };
    }

    /// What was printed: standard output, standard error.
    pub fn take_output(&mut self) -> (Output, Output) {
        (std::mem::take(&mut self.stdout), std::mem::take(&mut self.stderr))
    }

    pub(crate) fn print(&mut self, stream: Stream, bytes: &[u8]) {
        let kept = match stream {
            Stream::Out => self.stdout.write(bytes, self.settings.stdout_bytes),
            Stream::Err => self.stderr.write(bytes, self.settings.stderr_bytes),
        };
        if let Some(watcher) = &self.settings.watcher
            && !kept.is_empty()
        {
            watcher(stream, kept);
        }
    }

    pub(crate) fn start_timer(&mut self, delay_ms: f64) -> Reply {
        if self.timers.len() >= MAX_PENDING {
            let message = format!("more than {MAX_PENDING} timers at once");
            return Reply::Refused { name: "RangeError", message };
        }
        let ticket = self.next_ticket;
        self.next_ticket = self.next_ticket.wrapping_add(1).max(1);
        let delay_ms = if delay_ms.is_finite() { delay_ms.max(0.0) } else { 0.0 };
        let due = order(self.clock.monotonic_ms() + delay_ms);
        self.timers.insert((due, ticket));
        self.due.insert(ticket, due);
        Reply::Pending(ticket)
    }

    pub(crate) fn cancel(&mut self, ticket: u32) {
        if let Some(due) = self.due.remove(&ticket) {
            self.timers.remove(&(due, ticket));
        }
    }

    /// Waits until something pending is answered, the run is killed, or its time is over. Holds
    /// no thread and no guest stack.
    pub async fn answers(
        &mut self,
        switch: &KillSwitch,
        deadline: Instant,
    ) -> Result<Answers, Stop> {
        match self.timers.first().map(|(due, _)| f64::from_bits(*due)) {
            // A fixed clock jumps there, and there is nothing to wait for.
            Some(due) => {
                if let Some(at) = self.clock.reach(due) {
                    switch.unless_stopped(deadline, switch.sleep_until(at)).await?;
                }
            }
            None => switch.unless_stopped(deadline, pending::<()>()).await?,
        }
        Ok(Answers { tickets: self.take_due() })
    }

    /// Timers whose time has come, in order.
    fn take_due(&mut self) -> Vec<u32> {
        let now = self.clock.monotonic_ms();
        let mut tickets = Vec::new();
        while let Some((due, ticket)) = self.timers.first().copied() {
            if f64::from_bits(due) > now {
                break;
            }
            self.cancel(ticket);
            tickets.push(ticket);
        }
        tickets
    }

    fn answer(&mut self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), Breach> {
        let mut requests = Reader::new(request);
        for count in 1.. {
            if count > MAX_BATCH {
                return Err(Breach::new(format!("more than {MAX_BATCH} calls in one crossing")));
            }
            let request =
                frame::next_request(&mut requests).map_err(|e| Breach::new(e.to_string()))?;
            let header = answer.len();
            answer.extend_from_slice(&[0; ANSWER_HEADER]);
            let reply = calls::dispatch(self, request.call, request.payload, answer)
                .map_err(|e| breach_of(request.call, e))?;
            let status = match reply {
                Reply::Done => Status::Done,
                Reply::Pending(ticket) => {
                    answer.extend_from_slice(&ticket.to_le_bytes());
                    Status::Pending
                }
                Reply::Refused { name, message } => {
                    let mut w = Writer::new();
                    Refusal { name, message: &message }.write(&mut w);
                    answer.extend_from_slice(w.as_bytes());
                    Status::Refused
                }
            };
            let len = answer.len() - header - ANSWER_HEADER;
            if answer.len() > MAX_ANSWER {
                return Err(Breach::new(format!(
                    "answers of more than {MAX_ANSWER} bytes asked for"
                )));
            }
            answer[header] = status as u8;
            answer[header + 1..header + ANSWER_HEADER].copy_from_slice(&(len as u32).to_le_bytes());
            if requests.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

impl Host for Kernel {
    fn call(&mut self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), Breach> {
        self.answer(request, answer)
    }
}

/// Answers to pending calls, for the next entry into the cell.
#[derive(Debug, PartialEq, Eq)]
pub struct Answers {
    tickets: Vec<u32>,
}

impl Answers {
    /// Packs them as an [`Entry`].
    pub fn write(&self, w: &mut Writer) {
        let done = |ticket: &u32| (*ticket, Answer { status: Status::Done, payload: &[] });
        Entry::Resume(self.tickets.iter().map(done).collect()).write(w);
    }
}

/// The bits of a number that is not negative sort as the number does.
fn order(ms: f64) -> u64 {
    ms.max(0.0).to_bits()
}

fn breach_of(call: Call, error: Malformed) -> Breach {
    Breach::new(format!("{}: {error}", call.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Kernel {
        Kernel::new(Settings {
            clock: Clock::Fixed(0.0),
            random: Random::Seeded(1),
            stdout_bytes: 100,
            stderr_bytes: 100,
            watcher: None,
        })
    }

    fn request(call: Call, payload: &[u8]) -> Vec<u8> {
        let mut w = Writer::new();
        frame::write_request(&mut w, call, payload);
        w.finish()
    }

    #[track_caller]
    fn check_breach(message: &[u8], says: &str) {
        let error = kernel().call(message, &mut Vec::new()).expect_err("refused");
        assert!(error.to_string().contains(says), "{error}");
    }

    #[test]
    fn answers_come_in_order() {
        let message =
            [request(Call::RandomBytes, &[3, 0, 0, 0]), request(Call::ClockWall, &[])].concat();
        let mut answer = Vec::new();
        assert_eq!(kernel().call(&message, &mut answer), Ok(()));
        let mut r = Reader::new(&answer);
        assert_eq!(frame::next_answer(&mut r).map(|a| a.payload.len()), Ok(3));
        assert_eq!(frame::next_answer(&mut r).map(|a| a.payload.len()), Ok(8));
        assert!(r.is_empty());
    }

    #[test]
    fn what_is_malformed_is_named() {
        check_breach(&[], "length past the end");
        check_breach(&[0xff, 0xff, 0, 0, 0, 0], "unknown call number");
        check_breach(&request(Call::RandomBytes, &[1]), "random.bytes");
        check_breach(&request(Call::ClockWall, &[1]), "clock.wall");
        check_breach(&request(Call::ConsoleWrite, &[9]), "console.write");
        check_breach(&request(Call::Take, &[]), "gate.take");
    }

    #[test]
    fn a_batch_is_bounded_in_count_and_in_answer() {
        let one = request(Call::ClockWall, &[]);
        check_breach(&one.repeat(MAX_BATCH + 1), "calls in one crossing");
        let random = request(Call::RandomBytes, &65536u32.to_le_bytes());
        check_breach(&random.repeat(300), "bytes asked for");
    }

    #[test]
    fn more_random_bytes_than_allowed_are_refused() {
        check_breach(&request(Call::RandomBytes, &u32::MAX.to_le_bytes()), "random.bytes");
    }

    #[test]
    fn timers_fire_by_time_and_then_by_age() {
        let mut kernel = kernel();
        for delay in [5.0, 1.0, 5.0, f64::NAN] {
            assert!(matches!(kernel.start_timer(delay), Reply::Pending(_)));
        }
        kernel.clock.reach(5.0);
        assert_eq!(kernel.take_due(), [4, 2, 1, 3]);
    }

    #[test]
    fn timers_are_bounded() {
        let mut kernel = kernel();
        for _ in 0..MAX_PENDING {
            assert!(matches!(kernel.start_timer(1.0), Reply::Pending(_)));
        }
        assert!(matches!(kernel.start_timer(1.0), Reply::Refused { .. }));
    }

    #[test]
    fn a_cancelled_timer_does_not_fire() {
        let mut kernel = kernel();
        kernel.start_timer(1.0);
        kernel.cancel(1);
        kernel.cancel(77);
        kernel.clock.reach(5.0);
        assert_eq!(kernel.take_due(), []);
    }
}
