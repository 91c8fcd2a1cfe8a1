//! Framing of requests and answers. A crossing carries one or more request frames and returns the
//! same number of answer frames in order; a single call is a batch of one.
//!
//! Meets T-CELL-006.

use alloc::vec::Vec;

use crate::call::Call;
use crate::wire::{Reader, Result, Writer};

/// Most requests in one crossing.
// T-CELL-008: oversized answers and batches.
pub const MAX_BATCH: usize = 4096;

/// Longest message of requests in bytes; the host parses it without allocating. The kernel has a
/// lower limit for each call.
pub const MAX_REQUEST: usize = 256 * 1024 * 1024;

/// Bytes before a request's payload: number and length.
pub const REQUEST_HEADER: usize = 6;

/// Bytes before an answer's payload: status and length.
pub const ANSWER_HEADER: usize = 5;

/// A request as received by the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a, C> {
    /// The call.
    pub call: C,
    /// The fields of the call, not decoded yet.
    pub payload: &'a [u8],
}

/// Reads the next request of a message.
pub fn next_request<'a, C: Call>(reader: &mut Reader<'a>) -> Result<Request<'a, C>> {
    let number = reader.u16()?;
    let call = C::from_number(number).ok_or(reader.malformed("unknown call number"))?;
    let len = reader.u32()? as usize;
    let payload = reader.take(len)?;
    Ok(Request { call, payload })
}

/// Packs a request.
pub fn write_request(writer: &mut Writer, call: impl Call, payload: &[u8]) {
    writer.u16(call.number()).u32(payload.len() as u32).raw(payload);
}

/// Begins a request; its fields are written next, and [`end_request`] completes it.
pub fn begin_request(writer: &mut Writer, call: impl Call) {
    write_request(writer, call, &[]);
}

/// Completes the only request in `frame` by filling in its length.
pub fn end_request(frame: &mut [u8]) {
    let len = frame.len() - REQUEST_HEADER;
    frame[2..REQUEST_HEADER].copy_from_slice(&(len as u32).to_le_bytes());
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// The call succeeded; the payload is the answer.
    Done = 0,
    /// The payload is a ticket (`u32`). The answer follows when the host enters again, or when the
    /// guest waits for it. One more byte follows if a person is asked about the call.
    Pending = 1,
    /// The call was refused; the payload is a [`Refusal`].
    Refused = 2,
}

impl Status {
    /// Returns the status with this number.
    pub const fn from_number(number: u8) -> Option<Status> {
        match number {
            0 => Some(Status::Done),
            1 => Some(Status::Pending),
            2 => Some(Status::Refused),
            _ => None,
        }
    }
}

/// The reason why a well-formed call was not performed. The guest throws it as an exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// Name of the error class in the guest, such as `RangeError`.
    pub name: &'a str,
    /// Message for a person.
    pub message: &'a str,
    /// Further members of the error, such as its `code`.
    pub members: Vec<(&'a str, &'a str)>,
}

impl<'a> Refusal<'a> {
    /// Packs the refusal as the payload of an answer.
    pub fn write(&self, writer: &mut Writer) {
        writer.str(self.name).str(self.message).length(self.members.len());
        for (name, value) in &self.members {
            writer.str(name).str(value);
        }
    }

    /// Unpacks a refusal from the payload of an answer.
    pub fn read(payload: &'a [u8]) -> Result<Self> {
        let mut r = Reader::new(payload);
        let (name, message) = (r.str()?, r.str()?);
        let count = r.count(2)?;
        let members = (0..count).map(|_| Ok((r.str()?, r.str()?))).collect::<Result<_>>()?;
        Ok(Refusal { name, message, members })
    }
}

/// An answer as received by the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Outcome of the call.
    pub status: Status,
    /// The answer, ticket or refusal, depending on the status.
    pub payload: &'a [u8],
}

/// Reads the next answer of a message.
pub fn next_answer<'a>(reader: &mut Reader<'a>) -> Result<Answer<'a>> {
    let number = reader.u8()?;
    let status = Status::from_number(number).ok_or(reader.malformed("unknown status"))?;
    let len = reader.u32()? as usize;
    Ok(Answer { status, payload: reader.take(len)? })
}

/// Packs an answer.
pub fn write_answer(writer: &mut Writer, status: Status, payload: &[u8]) {
    writer.u8(status as u8).u32(payload.len() as u32).raw(payload);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolCall;

    #[test]
    fn a_batch_comes_back_in_order() {
        let mut w = Writer::new();
        write_request(&mut w, ToolCall::ClockWall, b"");
        write_request(&mut w, ToolCall::RandomBytes, b"\x04\0\0\0");
        let message = w.finish();
        let mut r = Reader::new(&message);
        assert_eq!(next_request(&mut r), Ok(Request { call: ToolCall::ClockWall, payload: b"" }));
        let second = Request { call: ToolCall::RandomBytes, payload: b"\x04\0\0\0" };
        assert_eq!(next_request(&mut r), Ok(second));
        assert_eq!(r.end(), Ok(()));
    }

    #[test]
    fn a_request_may_be_written_in_place() {
        let mut whole = Writer::new();
        write_request(&mut whole, ToolCall::RandomBytes, b"\x04\0\0\0");
        let mut parts = Writer::new();
        begin_request(&mut parts, ToolCall::RandomBytes);
        parts.u32(4);
        let mut parts = parts.finish();
        end_request(&mut parts);
        assert_eq!(parts, whole.finish());
    }

    /// T-CELL-006.
    #[test]
    fn an_unknown_number_is_refused() {
        assert!(next_request::<ToolCall>(&mut Reader::new(&[0xff, 0xff, 0, 0, 0, 0])).is_err());
    }

    /// T-CELL-006.
    #[test]
    fn a_payload_past_the_end_is_refused() {
        assert!(next_request::<ToolCall>(&mut Reader::new(&[1, 0, 9, 0, 0, 0, b'x'])).is_err());
    }
}
