//! The exports: initialise the image, and enter a cell with a message.

use std::ffi::{CStr, c_char};

use cofferdam_abi::entry::{Code, Entry, Form, Leave, Start, Thrown};
use cofferdam_abi::frame::Answer;
use cofferdam_abi::value::Tag;
use cofferdam_abi::wire::Writer;
use cofferdam_guest_gate as gate;

use crate::python::{Owned, Result, caught, print_error, value_error};
use crate::values::{Unpacked, pack};
use crate::{host, library, module};

unsafe extern "C" {
    fn cofferdam_start_python() -> *const c_char;
    fn cofferdam_settle_python();
}

/// Starts the interpreter and loads the modules that most tools use.
#[unsafe(no_mangle)]
pub extern "C" fn cofferdam_init() {
    // SAFETY: the host calls this once, and this is its first statement.
    unsafe { gate::call_constructors() };
    gate::assert_stack_first();
    library::install();
    // SAFETY: the C part starts the interpreter once and returns null or a C string.
    unsafe {
        let failed = cofferdam_start_python();
        if !failed.is_null() {
            panic!("{}", CStr::from_ptr(failed).to_string_lossy());
        }
    }
    let boot = Owned::import(c"cofferdam.library").and_then(|_| Owned::import(c"cofferdam.boot"));
    let Ok(boot) = boot else { failed_to_load() };
    module::keep_boot(boot);
    if module::helper(c"warm", []).is_err() {
        failed_to_load();
    }
    // SAFETY: the interpreter has started, and no Python code runs.
    unsafe { cofferdam_settle_python() };
    host::go_live();
}

fn failed_to_load() -> ! {
    let error = caught();
    let text = error.and_then(|error| {
        let described = Owned::import(c"traceback")
            .and_then(|traceback| traceback.attribute(c"format_exception"))
            .and_then(|format| format.call([error]))
            .and_then(|lines| lines.items());
        let lines = described.ok()?;
        Some(lines.iter().filter_map(|line| line.to_text().ok()).collect::<String>())
    });
    let text = text.unwrap_or_else(|| {
        print_error();
        "unknown".to_owned()
    });
    host::write(2, text.as_bytes());
    panic!("the Python modules do not load: {text}");
}

/// Enters a cell with a message, and returns `address << 32 | length` of the reply.
///
/// # Safety
///
/// `message` must point to `len` bytes that the host has initialised and does not write until this
/// function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cofferdam_enter(message: *const u8, len: u32) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { gate::enter(message, len, enter) }
}

/// A reply that owns its value.
enum Left {
    Finished(Vec<u8>),
    Other(Leave<'static>),
}

impl gate::Reply for Left {
    fn pack(&self, w: &mut Writer) {
        match self {
            Left::Finished(value) => Leave::Finished(value).write(w),
            Left::Other(leave) => leave.write(w),
        }
    }
}

thread_local! {
    /// Longest packed result that the host accepts.
    static RESULT_BYTES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn enter(entry: Entry<'_>) -> Left {
    let left = match entry {
        Entry::Start(started) => {
            RESULT_BYTES.set(started.result_bytes as usize);
            start(&started)
        }
        Entry::Resume(answers) => resume(&answers),
    };
    left.and_then(|left| leave(&left)).unwrap_or_else(|_| lost())
}

/// Describes an exception that the Python part should have handled.
fn lost() -> Left {
    let text = caught().and_then(|error| error.attribute(c"args").ok()?.items().ok());
    let text = text.and_then(|args| args.first().and_then(|arg| arg.to_text().ok()));
    Left::Other(Leave::Threw(Thrown {
        name: "SystemError".into(),
        message: text.unwrap_or_else(|| "the interpreter failed".into()),
        ..Thrown::default()
    }))
}

fn start(start: &Start<'_>) -> Result<Owned> {
    let texts = |texts: &[&str]| -> Result<Owned> {
        let list = Owned::list()?;
        for text in texts {
            list.append(&Owned::text(text)?)?;
        }
        Ok(list)
    };
    let form = match start.form {
        Form::Detect | Form::Body => "tool",
        Form::Module => "module",
        Form::Kept => "kept",
    };
    let (code, keep) = match start.code {
        Code::Unkept => (Owned::none(), false),
        Code::ToKeep => (Owned::none(), true),
        Code::Kept(code) => (Owned::bytes(code)?, false),
    };
    let script = &start.script;
    module::helper(
        c"start",
        [
            Owned::text(form)?,
            Owned::text(start.file)?,
            Owned::text(start.source)?,
            code,
            Owned::bool(keep),
            module::args_of(start.args)?,
            texts(&start.members)?,
            Owned::text(script.path)?,
            Owned::text(script.root)?,
            Owned::text(script.cwd)?,
            texts(&script.arguments)?,
        ],
    )
}

fn resume(answers: &[(u32, Answer<'_>)]) -> Result<Owned> {
    let list = Owned::list()?;
    for (ticket, answer) in answers {
        list.append(&module::resumed(*ticket, answer.status, answer.payload)?)?;
    }
    module::helper(c"resume", [list])
}

/// Turns the tuple that the Python part returns into a reply.
fn leave(left: &Owned) -> Result<Left> {
    let parts = left.items()?;
    let text = |at: usize| -> Result<String> {
        parts.get(at).ok_or_else(|| value_error("a part of the reply is missing"))?.to_text()
    };
    let number = |at: usize| -> Result<u32> {
        let n = parts.get(at).map(Owned::as_i64).transpose()?.flatten();
        Ok(n.and_then(|n| u32::try_from(n).ok()).unwrap_or(0))
    };
    Ok(match text(0)?.as_str() {
        "finished" => finished(parts.get(1))?,
        "waiting" => Left::Other(Leave::Waiting),
        "stuck" => Left::Other(Leave::Stuck),
        "exited" => Left::Other(Leave::Exited(number(1)? as u8)),
        "memory" => Left::Other(Leave::OutOfMemory),
        _ => {
            let line = number(4)?;
            Left::Other(Leave::Threw(Thrown {
                name: text(1)?,
                message: text(2)?,
                stack: text(3)?,
                position: (line > 0).then_some((line, number(5)?.max(1))),
                request_id: text(6)?,
            }))
        }
    })
}

/// Packs the result. `None` is no result.
fn finished(value: Option<&Owned>) -> Result<Left> {
    let mut w = Writer::new();
    match value {
        Some(value) if !value.is_none() => match pack(value, RESULT_BYTES.get(), &mut w) {
            Ok(()) => {}
            Err(Unpacked::TooLong) => return Ok(Left::Other(Leave::ResultTooLong)),
            Err(Unpacked::Raised) => {
                let error = caught().unwrap_or_else(Owned::none);
                return leave(&module::helper(c"threw", [error])?);
            }
        },
        Some(_) | None => {
            w.u8(Tag::Undefined as u8);
        }
    }
    Ok(Left::Finished(w.finish()))
}
