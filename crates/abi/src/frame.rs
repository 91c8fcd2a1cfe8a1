//! How requests and answers are packed. A crossing carries one or more request frames and brings
//! back as many answer frames, in order; a single call is a batch of one.

use alloc::vec::Vec;

use crate::call::Call;
use crate::wire::{Reader, Result, Writer};

/// Most requests in one crossing.
pub const MAX_BATCH: usize = 4096;

/// Longest message of requests; the host walks it without allocating.
pub const MAX_REQUEST: usize = 16 * 1024 * 1024;

/// Bytes in front of a request's payload: number and length.
pub const REQUEST_HEADER: usize = 6;

/// Bytes in front of an answer's payload: status and length.
pub const ANSWER_HEADER: usize = 5;

/// One request as the host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a, C> {
    /// The call.
    pub call: C,
    /// Its fields, not decoded yet.
    pub payload: &'a [u8],
}

/// Takes the next request off a message.
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

/// Begins a request whose fields are written behind this; [`end_request`] completes it.
pub fn begin_request(writer: &mut Writer, call: impl Call) {
    write_request(writer, call, &[]);
}

/// Completes the request that `frame` begins with and holds nothing behind.
pub fn end_request(frame: &mut [u8]) {
    let len = frame.len() - REQUEST_HEADER;
    frame[2..REQUEST_HEADER].copy_from_slice(&(len as u32).to_le_bytes());
}

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// The payload is the answer.
    Done = 0,
    /// The payload is a ticket (`u32`); the answer comes when the host enters again, or when the
    /// guest waits for it.
    Pending = 1,
    /// The payload says why not: a [`Refusal`].
    Refused = 2,
}

impl Status {
    /// The status of this number.
    pub const fn from_number(number: u8) -> Option<Status> {
        match number {
            0 => Some(Status::Done),
            1 => Some(Status::Pending),
            2 => Some(Status::Refused),
            _ => None,
        }
    }
}

/// Why a well-formed call was not carried out: the guest throws it as an error of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// Name of the error class in the guest, such as `RangeError`.
    pub name: &'a str,
    /// What a person reads.
    pub message: &'a str,
    /// Further members of the error, such as its `code`.
    pub members: Vec<(&'a str, &'a str)>,
}

impl<'a> Refusal<'a> {
    /// Packs it as the payload of an answer.
    pub fn write(&self, writer: &mut Writer) {
        writer.str(self.name).str(self.message).length(self.members.len());
        for (name, value) in &self.members {
            writer.str(name).str(value);
        }
    }

    /// Reads it from the payload of an answer.
    pub fn read(payload: &'a [u8]) -> Result<Self> {
        let mut r = Reader::new(payload);
        let (name, message) = (r.str()?, r.str()?);
        let count = r.count(2)?;
        let members = (0..count).map(|_| Ok((r.str()?, r.str()?))).collect::<Result<_>>()?;
        Ok(Refusal { name, message, members })
    }
}

/// One answer as the guest sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    /// How it went.
    pub status: Status,
    /// What came back.
    pub payload: &'a [u8],
}

/// Takes the next answer off a message.
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

    #[test]
    fn an_unknown_number_is_refused() {
        assert!(next_request::<ToolCall>(&mut Reader::new(&[0xff, 0xff, 0, 0, 0, 0])).is_err());
    }

    #[test]
    fn a_payload_past_the_end_is_refused() {
        assert!(next_request::<ToolCall>(&mut Reader::new(&[1, 0, 9, 0, 0, 0, b'x'])).is_err());
    }
}
