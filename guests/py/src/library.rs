//! The standard library, compiled when the guest is built.
//!
//! A few modules are a table that CPython itself reads when it starts. All others are packed, and
//! `cofferdam/library.py` unpacks one when it is imported.

use crate::python::{FrozenModule, PyImport_FrozenModules};

/// The table for CPython; its last entry has no name.
#[repr(transparent)]
struct Table<const N: usize>([FrozenModule; N]);

// SAFETY: the cell has a single thread, and nothing writes to the table.
unsafe impl<const N: usize> Sync for Table<N> {}

const fn module(
    name: &'static std::ffi::CStr,
    code: &'static [u8],
    is_package: bool,
) -> FrozenModule {
    FrozenModule {
        name: name.as_ptr(),
        code: code.as_ptr(),
        size: code.len() as i32,
        is_package: is_package as i32,
    }
}

const END: FrozenModule =
    FrozenModule { name: std::ptr::null(), code: std::ptr::null(), size: 0, is_package: 0 };

/// A module whose code is packed.
struct Packed {
    name: &'static str,
    is_package: bool,
    from: usize,
    to: usize,
}

include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Hands the table to CPython; must be called before it starts.
pub(crate) fn install() {
    // SAFETY: the interpreter has not started, so nothing reads the pointer.
    unsafe { PyImport_FrozenModules = FIRST.0.as_ptr() }
}

/// Returns the packed code of a module, and true if it is a package.
pub(crate) fn find(name: &str) -> Option<(&'static [u8], bool)> {
    let at = LATER.binary_search_by(|module| module.name.cmp(name)).ok()?;
    let Packed { is_package, from, to, .. } = LATER[at];
    Some((&CODE[from..to], is_package))
}
