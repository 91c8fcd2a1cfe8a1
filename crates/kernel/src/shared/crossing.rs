//! The loop of one crossing: takes requests off a message, has each call served, packs answers.
//!
//! Tools and programs share it, so the caps on a crossing exist once.

use cofferdam_abi::Value;
use cofferdam_abi::call::Call;
use cofferdam_abi::frame::{self, ANSWER_HEADER, MAX_BATCH, REQUEST_HEADER, Status};
use cofferdam_abi::value;
use cofferdam_abi::wire::{Malformed, Reader, Writer};

use crate::shared::call_error::{CallError, pack_refusal};

/// Most bytes of a call of a program, and of its answer.
pub(crate) const CALL_BYTES: usize = 16 << 20;

/// Room for short answers of the same crossing beside an answer of the longest size.
const BESIDE: usize = 1 << 20;

/// Result of a call that was served. The payload of the answer is appended already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The payload is the answer.
    Done,
    /// The answer comes later, under this ticket.
    Pending(u32),
    /// The answer comes later, under this ticket, because a person is asked.
    Asked(u32),
}

/// Reason why a call has no answer.
pub(crate) enum Failure<E> {
    /// The fields break the rules of the gate: the guest is stopped.
    Malformed(Malformed),
    /// The guest receives an error.
    Refused(CallError),
    /// The crossing stops here, for a reason that this side of the kernel knows.
    Stopped(E),
}

impl<E> From<Malformed> for Failure<E> {
    fn from(malformed: Malformed) -> Self {
        Failure::Malformed(malformed)
    }
}

impl<E> From<CallError> for Failure<E> {
    fn from(error: CallError) -> Self {
        Failure::Refused(error)
    }
}

/// A message that breaks the rules of the gate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Breach(pub(crate) String);

/// Fields of a call, and the buffer that its answer is appended to.
pub(crate) struct CallIo<'a, 'm> {
    pub(crate) fields: &'a mut Reader<'m>,
    pub(crate) answer: &'a mut Vec<u8>,
}

impl CallIo<'_, '_> {
    /// Appends a packed value to the answer.
    pub(crate) fn give(&mut self, given: &Value) {
        let mut w = Writer::onto(std::mem::take(self.answer));
        value::encode(given, &mut w);
        *self.answer = w.finish();
    }
}

/// Progress of a crossing that had to wait; the default is its beginning.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Progress {
    bytes: usize,
    calls: usize,
}

/// Serves the calls of one crossing in order, and appends as many answers. `most` is the limit of
/// one call and of its answer: both are host memory until the guest has taken the answer.
///
/// When `serve` stops the crossing, `progress` says how far it came: the same message can be
/// continued there.
// T-CELL-006: malformed host call. T-CELL-008: oversized answers and batches.
pub(crate) fn cross<C: Call, E: From<Breach>>(
    message: &[u8],
    most: usize,
    answer: &mut Vec<u8>,
    progress: &mut Progress,
    mut serve: impl FnMut(C, CallIo<'_, '_>) -> Result<Reply, Failure<E>>,
) -> Result<(), E> {
    loop {
        if progress.calls >= MAX_BATCH {
            return Err(breach(format!("more than {MAX_BATCH} calls in one crossing")));
        }
        let mut requests = Reader::new(message.get(progress.bytes..).unwrap_or_default());
        let request = frame::next_request::<C>(&mut requests).map_err(|e| breach(e.to_string()))?;
        let header = answer.len();
        answer.extend_from_slice(&[0; ANSWER_HEADER]);
        let mut fields = Reader::new(request.payload);
        let served = match request.payload.len() > most {
            true => Err(too_long(request.call, request.payload.len(), most).into()),
            false => serve(request.call, CallIo { fields: &mut fields, answer })
                .and_then(|reply| Ok(fields.end().map(|()| reply)?)),
        };
        let status = match served {
            Ok(Reply::Done) => Status::Done,
            Ok(Reply::Pending(ticket)) => {
                answer.extend_from_slice(&ticket.to_le_bytes());
                Status::Pending
            }
            Ok(Reply::Asked(ticket)) => {
                answer.extend_from_slice(&ticket.to_le_bytes());
                answer.push(1);
                Status::Pending
            }
            Err(Failure::Refused(error)) => {
                answer.truncate(header + ANSWER_HEADER);
                answer.extend_from_slice(&pack_refusal(&error));
                Status::Refused
            }
            Err(Failure::Malformed(malformed)) => {
                return Err(breach(format!("{}: {malformed}", request.call.name())));
            }
            Err(Failure::Stopped(stop)) => {
                answer.truncate(header);
                return Err(stop);
            }
        };
        if answer.len() > most.saturating_add(BESIDE) {
            return Err(breach(format!("answers of more than {most} bytes asked for")));
        }
        let len = answer.len() - header - ANSWER_HEADER;
        answer[header] = status as u8;
        answer[header + 1..header + ANSWER_HEADER].copy_from_slice(&(len as u32).to_le_bytes());
        progress.bytes += REQUEST_HEADER + request.payload.len();
        progress.calls += 1;
        if requests.is_empty() {
            *progress = Progress::default();
            return Ok(());
        }
    }
}

fn too_long(call: impl Call, len: usize, most: usize) -> CallError {
    let name = call.name();
    let message = format!("{name}: a call of {len} bytes; the limit callBytes is {most}");
    CallError::new("RangeError", message)
}

fn breach<E: From<Breach>>(what: String) -> E {
    Breach(what).into()
}

#[cfg(test)]
mod tests {
    use cofferdam_abi::call::ToolCall;

    use super::*;

    #[derive(Debug, PartialEq, Eq)]
    enum Stop {
        Waits,
        Breach(String),
    }

    impl From<Breach> for Stop {
        fn from(breach: Breach) -> Self {
            Stop::Breach(breach.0)
        }
    }

    fn message(calls: usize) -> Vec<u8> {
        let mut w = Writer::new();
        (0..calls).for_each(|_| frame::write_request(&mut w, ToolCall::ClockWall, &[]));
        w.finish()
    }

    #[test]
    fn a_crossing_that_waits_goes_on_where_it_stopped() {
        let (mut answer, mut progress, mut served) = (Vec::new(), Progress::default(), 0);
        let mut turns = 0;
        let crossed = loop {
            turns += 1;
            let mut left = 2;
            let crossed =
                cross(&message(3), CALL_BYTES, &mut answer, &mut progress, |_: ToolCall, io| {
                    if left == 0 {
                        return Err(Failure::Stopped(Stop::Waits));
                    }
                    left -= 1;
                    served += 1;
                    io.answer.push(served);
                    Ok(Reply::Done)
                });
            if crossed != Err(Stop::Waits) {
                break crossed;
            }
        };
        assert_eq!((crossed, turns, served), (Ok(()), 2, 3));
        let mut r = Reader::new(&answer);
        for payload in 1..=3 {
            assert_eq!(frame::next_answer(&mut r).map(|a| a.payload), Ok(&[payload][..]));
        }
        assert!(r.is_empty());
    }

    #[test]
    fn calls_are_counted_across_waits() {
        let (mut answer, mut progress, mut waited) = (Vec::new(), Progress::default(), false);
        let crossed = loop {
            let crossed = cross(
                &message(MAX_BATCH + 1),
                CALL_BYTES,
                &mut answer,
                &mut progress,
                |_: ToolCall, _| match std::mem::replace(&mut waited, true) {
                    true => Ok(Reply::Done),
                    false => Err(Failure::Stopped(Stop::Waits)),
                },
            );
            if crossed != Err(Stop::Waits) {
                break crossed;
            }
        };
        let says = format!("more than {MAX_BATCH} calls in one crossing");
        assert_eq!(crossed, Err(Stop::Breach(says)));
    }

    #[test]
    fn fields_that_are_left_over_name_their_call() {
        let mut w = Writer::new();
        frame::write_request(&mut w, ToolCall::ClockWall, &[1]);
        let crossed = cross(
            w.as_bytes(),
            CALL_BYTES,
            &mut Vec::new(),
            &mut Progress::default(),
            |_: ToolCall, _| Ok::<_, Failure<Stop>>(Reply::Done),
        );
        assert!(matches!(crossed, Err(Stop::Breach(says)) if says.starts_with("clock.wall: ")));
    }
}
