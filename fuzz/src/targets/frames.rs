//! Frames that cross the gate: requests and answers, entries and leaves, descriptions of processes.

use cofferdam_abi::call::{Call, ProgramCall, ToolCall};
use cofferdam_abi::entry::{Entry, Leave};
use cofferdam_abi::frame::{Refusal, next_answer, next_request, write_answer, write_request};
use cofferdam_abi::process::{Environment, FileStatus, Myself, Spawn};
use cofferdam_abi::{Reader, Writer};

use super::Target;
use crate::cost;

pub const TARGET: Target = Target {
    name: "frames",
    run,
    words: &["\0\0", "\u{1}\0\0\0\0\0", "\0\u{20}", "\u{7f}", "fs", "PermissionError"],
    repeats: &["\0\0\0\0\0\0\0", "\u{2}\0\0\0\0\0", "\u{1}\u{1}\0\0"],
};

/// Asserts that a value that was read, written and read again is unchanged.
macro_rules! again {
    ($data:ident, $read:expr) => {
        if let Ok(first) = ($read)($data) {
            let mut writer = Writer::new();
            first.write(&mut writer);
            assert_eq!(($read)(writer.as_bytes()), Ok(first));
        }
    };
}

pub fn run(data: &[u8]) {
    requests::<ToolCall>(data);
    requests::<ProgramCall>(data);
    answers(data);
    cost::within(data.len(), 64, 1 << 16, || {
        again!(data, Entry::read);
        again!(data, Leave::read);
        again!(data, Refusal::read);
        again!(data, |data| whole(data, Spawn::read));
        again!(data, |data| whole(data, Myself::read));
        again!(data, |data| whole(data, FileStatus::read));
        again!(data, |data| whole(data, Environment::read));
    });
}

/// Takes requests one by one, as the host does, and asserts that packing them gives the same bytes.
fn requests<C: Call>(data: &[u8]) {
    let (mut reader, mut writer) = (Reader::new(data), Writer::new());
    while let Ok(request) = next_request::<C>(&mut reader) {
        write_request(&mut writer, request.call, request.payload);
        assert_eq!(writer.as_bytes(), &data[..data.len() - reader.remaining()]);
    }
}

fn answers(data: &[u8]) {
    let (mut reader, mut writer) = (Reader::new(data), Writer::new());
    while let Ok(answer) = next_answer(&mut reader) {
        write_answer(&mut writer, answer.status, answer.payload);
        assert_eq!(writer.as_bytes(), &data[..data.len() - reader.remaining()]);
    }
}

fn whole<'a, T>(
    data: &'a [u8],
    read: impl FnOnce(&mut Reader<'a>) -> cofferdam_abi::wire::Result<T>,
) -> cofferdam_abi::wire::Result<T> {
    let mut reader = Reader::new(data);
    let read = read(&mut reader)?;
    reader.end()?;
    Ok(read)
}
