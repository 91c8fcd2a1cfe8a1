//! Refusals of the host as Python's exceptions.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

use cofferdam_abi::frame::Refusal;

use crate::errno::Errno;
use crate::module;
use crate::python::{self, Owned, PyObject, Raised, Result, raise_object, value_error};

/// Name of the error of a denial.
const DENIAL: &str = "PermissionError";

thread_local! {
    /// The last denial of a call that CPython's C code made, until it raises an error.
    static DENIED: RefCell<Option<Denied>> = const { RefCell::new(None) };
    /// Text of that error, while it is made.
    static TEXT: RefCell<Option<CString>> = const { RefCell::new(None) };
}

struct Denied {
    message: String,
    members: Vec<(String, String)>,
}

/// Raises the exception for a refusal, which a helper in Python makes.
pub(crate) fn raise(payload: &[u8]) -> Raised {
    match exception(payload) {
        Ok(error) => raise_object(&error),
        Err(raised) => raised,
    }
}

fn exception(payload: &[u8]) -> Result<Owned> {
    let refusal = Refusal::read(payload).map_err(|error| value_error(&error.to_string()))?;
    let members = Owned::dict()?;
    for (name, value) in &refusal.members {
        members.set_item(&Owned::text(name)?, &Owned::text(value)?)?;
    }
    module::helper(c"refusal", [Owned::text(refusal.name)?, Owned::text(refusal.message)?, members])
}

/// Returns true if a refusal is a denial by the broker.
pub(crate) fn is_denial(payload: &[u8]) -> bool {
    Refusal::read(payload).is_ok_and(|refusal| refusal.name == DENIAL)
}

/// Returns the error number of a refusal, for C code, and keeps a denial for the exception that
/// this code raises.
pub(crate) fn errno(payload: &[u8]) -> Errno {
    let Ok(refusal) = Refusal::read(payload) else { return Errno::EIO };
    if refusal.name == DENIAL {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let members = refusal.members.iter().map(own).collect();
        DENIED.set(Some(Denied { message: refusal.message.to_owned(), members }));
        return Errno::EACCES;
    }
    let code = refusal.members.iter().find(|(name, _)| *name == "code");
    code.and_then(|(_, code)| Errno::named(code)).unwrap_or(match refusal.name {
        "TypeError" => Errno::EINVAL,
        _ => Errno::EIO,
    })
}

/// Forgets a denial that nothing has raised.
pub(crate) fn forget() {
    DENIED.take();
}

unsafe extern "C" {
    fn strerror(number: i32) -> *const c_char;
}

/// Returns the text of an error of WASI; a denial names what is missing. For CPython's C code.
#[unsafe(no_mangle)]
extern "C" fn cofferdam_error_text(number: i32) -> *const c_char {
    let denied = DENIED.with_borrow(|denied| {
        let denied = denied.as_ref().filter(|_| number == i32::from(Errno::EACCES.0))?;
        CString::new(denied.message.replace('\0', "")).ok()
    });
    match denied {
        Some(text) => TEXT.with_borrow_mut(|kept| kept.insert(text).as_ptr()),
        // SAFETY: returns a C string for every number.
        None => unsafe { strerror(number) },
    }
}

/// Gives an exception the attributes of the last denial. For CPython's C code.
#[unsafe(no_mangle)]
unsafe extern "C" fn cofferdam_describe_denial(error: *mut PyObject) {
    let Some(denied) = DENIED.take() else { return };
    let error = Owned::copied(error);
    let describe = || -> Result<()> {
        let members = Owned::dict()?;
        for (name, value) in &denied.members {
            members.set_item(&Owned::text(name)?, &Owned::text(value)?)?;
        }
        module::helper(c"describe", [error, members]).map(drop)
    };
    if describe().is_err() {
        // The error itself is more important than its attributes.
        drop(python::caught());
    }
}
