//! The exports through which the host hands over a tool.

use cofferdam_abi::entry::{Entry, Form, Leave, Start};
use cofferdam_abi::wire::Writer;
use cofferdam_guest_gate as gate;

use crate::strip::{self, Stripped};

/// Sources that are erased, transformed and refused once, so that lazily built tables are in the
/// image.
const SAMPLES: [&str; 3] = [
    "interface A<T> { a?: T }\nconst f = async (a: A<string>, b = `${1}`) => a!.a ?? b as const;",
    "enum E { A = 1, B = 'b'.length }\nclass C { constructor(private a: E) {} }",
    "return <b/>",
];

/// Builds the tables that every cell starts with.
#[unsafe(no_mangle)]
pub extern "C" fn cofferdam_init() {
    gate::assert_stack_first();
    for sample in SAMPLES {
        let _ = strip::strip(Form::Detect, "", sample);
    }
}

/// Takes a tool and returns its JavaScript.
///
/// # Safety
///
/// `message` must point to `len` bytes that the host has initialised and does not write until this
/// function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cofferdam_enter(message: *const u8, len: u32) -> u64 {
    let compute = |entry: Entry<'_>| match entry {
        Entry::Start(start) => answer(&start),
        Entry::Resume(_) => Left::Other(Leave::Stuck),
    };
    // SAFETY: the caller keeps the contract of this function, which is that of `gate::enter`.
    unsafe { gate::enter(message, len, compute) }
}

/// The message of the guest when it leaves.
enum Left {
    Finished(Stripped),
    Other(Leave<'static>),
}

fn answer(start: &Start<'_>) -> Left {
    match strip::strip(start.form, start.file, start.source) {
        Ok(done) if 1 + done.text.len() > start.result_bytes as usize => {
            Left::Other(Leave::ResultTooLong)
        }
        Ok(done) => Left::Finished(done),
        Err(thrown) => Left::Other(Leave::Threw(thrown)),
    }
}

impl gate::Reply for Left {
    fn pack(&self, w: &mut Writer) {
        match self {
            Left::Finished(done) => Leave::Finished(&done.to_bytes()).write(w),
            Left::Other(leave) => leave.write(w),
        }
    }
}
