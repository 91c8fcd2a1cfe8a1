//! Messages that enter a cell ([`Entry`]) and leave it ([`Leave`]).

use alloc::string::String;
use alloc::vec::Vec;

use crate::frame::{Answer, Status};
use crate::wire::{Reader, Result, Writer};

/// The syntactic form of a tool's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    /// A function body, or a module if the source only parses as one.
    Detect = 0,
    /// The body of an async function of `(btcp, args)`.
    Body = 1,
    /// An ES module with a default export.
    Module = 2,
    /// A script whose top-level names persist for the next run of a kept cell.
    Kept = 3,
}

impl Form {
    const fn from_number(number: u8) -> Option<Form> {
        match number {
            0 => Some(Form::Detect),
            1 => Some(Form::Body),
            2 => Some(Form::Module),
            3 => Some(Form::Kept),
            _ => None,
        }
    }
}

/// Longest compiled code of a tool that the host keeps, in bytes.
pub const MAX_CODE: usize = 4 << 20;

/// The compiled code of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code<'a> {
    /// The tool is compiled, and the code is not kept.
    Unkept,
    /// The tool is compiled, and the code is sent with [`crate::Call::CodeKeep`] before it runs.
    ToKeep,
    /// Code that an earlier run has sent. It replaces the source, which is then empty.
    Kept(&'a [u8]),
}

impl<'a> Code<'a> {
    fn write(self, w: &mut Writer) {
        match self {
            Code::Unkept => w.u8(0),
            Code::ToKeep => w.u8(1),
            Code::Kept(code) => w.u8(2).bytes(code),
        };
    }

    fn read(r: &mut Reader<'a>) -> Result<Self> {
        Ok(match r.u8()? {
            0 => Code::Unkept,
            1 => Code::ToKeep,
            2 => Code::Kept(r.bytes()?),
            _ => return Err(r.malformed("unknown code")),
        })
    }
}

/// The data that a guest needs to start a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start<'a> {
    /// Form of the source.
    pub form: Form,
    /// Name shown in stack traces.
    pub file: &'a str,
    /// The tool in JavaScript.
    pub source: &'a str,
    /// Compiled code of the tool; only used for a function body.
    pub code: Code<'a>,
    /// The arguments, as packed by [`crate::value`].
    pub args: &'a [u8],
    /// Longest packed result that the host accepts, in bytes.
    pub result_bytes: u32,
    /// Members of `btcp` that are visible to the tool, such as `fs` or `functions.search`.
    pub members: Vec<&'a str>,
}

/// A message from host to guest, sent each time a cell is entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry<'a> {
    /// The first entry.
    Start(Start<'a>),
    /// A later entry: answers to pending calls, in order of arrival.
    Resume(Vec<(u32, Answer<'a>)>),
}

impl<'a> Entry<'a> {
    /// Packs the entry.
    pub fn write(&self, w: &mut Writer) {
        match self {
            Entry::Start(start) => {
                w.u8(0).u8(start.form as u8).u32(start.result_bytes);
                w.str(start.file).str(start.source);
                start.code.write(w);
                w.bytes(start.args);
                w.length(start.members.len());
                for member in &start.members {
                    w.str(member);
                }
            }
            Entry::Resume(answers) => {
                w.u8(1).length(answers.len());
                for (ticket, answer) in answers {
                    w.u32(*ticket).u8(answer.status as u8).bytes(answer.payload);
                }
            }
        }
    }

    /// Unpacks an entry; used by the guest.
    pub fn read(message: &'a [u8]) -> Result<Self> {
        let mut r = Reader::new(message);
        let entry = match r.u8()? {
            0 => {
                let form = Form::from_number(r.u8()?).ok_or(r.malformed("unknown form"))?;
                let result_bytes = r.u32()?;
                let (file, source) = (r.str()?, r.str()?);
                let (code, args) = (Code::read(&mut r)?, r.bytes()?);
                let count = r.count(1)?;
                let members = (0..count).map(|_| r.str()).collect::<Result<_>>()?;
                Entry::Start(Start { form, file, source, code, args, result_bytes, members })
            }
            1 => {
                let count = r.count(6)?;
                let mut answers = Vec::with_capacity(count);
                for _ in 0..count {
                    let ticket = r.u32()?;
                    let status = Status::from_number(r.u8()?);
                    let status = status.ok_or(r.malformed("unknown status"))?;
                    answers.push((ticket, Answer { status, payload: r.bytes()? }));
                }
                Entry::Resume(answers)
            }
            _ => return Err(r.malformed("unknown entry")),
        };
        r.end()?;
        Ok(entry)
    }
}

/// An exception that the tool did not catch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thrown {
    /// `error.name`; empty if the thrown value is not an Error.
    pub name: String,
    /// `error.message`, or the thrown value as text.
    pub message: String,
    /// `error.stack`, or empty.
    pub stack: String,
    /// Line and column of a syntax error, counted from 1.
    pub position: Option<(u32, u32)>,
    /// `error.requestId` of a `PermissionError`, or empty. A guest can write anything here, so the
    /// id only counts if the host knows the denial.
    pub request_id: String,
}

impl Thrown {
    fn write(&self, w: &mut Writer) {
        w.str(&self.name).str(&self.message).str(&self.stack).str(&self.request_id);
        let (line, column) = self.position.unwrap_or((0, 0));
        w.u32(line).u32(column);
    }

    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let (name, message, stack) = (r.string()?, r.string()?, r.string()?);
        let request_id = r.string()?;
        let (line, column) = (r.u32()?, r.u32()?);
        let position = (line > 0).then_some((line, column));
        Ok(Thrown { name, message, stack, position, request_id })
    }
}

/// A message from guest to host, sent each time the guest leaves a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leave<'a> {
    /// The tool returned this value, as packed by [`crate::value`].
    Finished(&'a [u8]),
    /// The tool threw an exception.
    Threw(Thrown),
    /// The tool waits for a pending call.
    Waiting,
    /// The tool waits for a promise that nothing can settle.
    Stuck,
    /// The guest noticed the interrupt flag; the text is the tool's stack trace.
    Interrupted(String),
    /// The packed result is longer than the host accepts.
    ResultTooLong,
    /// An allocation failed and the tool did not catch the error.
    OutOfMemory,
}

impl<'a> Leave<'a> {
    /// Packs the message; used by the guest.
    pub fn write(&self, w: &mut Writer) {
        match self {
            Leave::Finished(value) => w.u8(0).raw(value),
            Leave::Threw(thrown) => {
                w.u8(1);
                thrown.write(w);
                w
            }
            Leave::Waiting => w.u8(2),
            Leave::Stuck => w.u8(3),
            Leave::Interrupted(stack) => w.u8(4).str(stack),
            Leave::ResultTooLong => w.u8(5),
            Leave::OutOfMemory => w.u8(6),
        };
    }

    /// Unpacks a message; used by the host.
    pub fn read(message: &'a [u8]) -> Result<Self> {
        let mut r = Reader::new(message);
        let leave = match r.u8()? {
            0 => Leave::Finished(r.take(r.remaining())?),
            1 => Leave::Threw(Thrown::read(&mut r)?),
            2 => Leave::Waiting,
            3 => Leave::Stuck,
            4 => Leave::Interrupted(r.string()?),
            5 => Leave::ResultTooLong,
            6 => Leave::OutOfMemory,
            _ => return Err(r.malformed("unknown reply")),
        };
        r.end()?;
        Ok(leave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[track_caller]
    fn check_entry(entry: Entry<'_>) {
        let mut w = Writer::new();
        entry.write(&mut w);
        assert_eq!(Entry::read(w.as_bytes()), Ok(entry));
    }

    #[track_caller]
    fn check_leave(leave: Leave<'_>) {
        let mut w = Writer::new();
        leave.write(&mut w);
        assert_eq!(Leave::read(w.as_bytes()), Ok(leave.clone()));
        for cut in 0..w.len() {
            // A truncated message is refused or decodes to another one, but never panics.
            let _ = Leave::read(&w.as_bytes()[..cut]);
        }
    }

    #[test]
    fn entries_come_back_whole() {
        for code in [Code::Unkept, Code::ToKeep, Code::Kept(b"code")] {
            check_entry(Entry::Start(Start {
                form: Form::Detect,
                file: "tool.js",
                source: "return 1",
                code,
                args: &[0],
                result_bytes: 7,
                members: vec!["fs", "functions.search"],
            }));
        }
        let answer = Answer { status: Status::Refused, payload: b"why" };
        check_entry(Entry::Resume(vec![(3, answer)]));
    }

    #[test]
    fn replies_come_back_whole() {
        check_leave(Leave::Finished(b"xyz"));
        check_leave(Leave::Waiting);
        check_leave(Leave::Stuck);
        check_leave(Leave::ResultTooLong);
        check_leave(Leave::OutOfMemory);
        check_leave(Leave::Interrupted("at f".into()));
        check_leave(Leave::Threw(Thrown {
            name: "TypeError".into(),
            message: "no".into(),
            stack: "at f".into(),
            position: Some((3, 4)),
            request_id: "req_1".into(),
        }));
    }
}
