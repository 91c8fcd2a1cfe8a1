//! Prepares WASI modules from outside for a browser, as WebAssembly itself.
//!
//! A file of its own, because most pages never run such a module. The glue instantiates it for one
//! module and drops it.
#![allow(unsafe_code)]

use std::cell::RefCell;

use cofferdam_cell::browser::prepare;

thread_local! {
    /// The prepared module, or the reason why there is none.
    static RESULT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns memory for a module.
#[unsafe(no_mangle)]
extern "C" fn pacer_alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0; len].into_boxed_slice()).cast()
}

/// Prepares a module, in memory from `pacer_alloc`, which is used up. Returns the number of pages
/// that the module begins with, or −1 if it cannot run. The module or the reason is the result.
///
/// # Safety
///
/// `module` and `len` must be those of one call of `pacer_alloc`.
#[unsafe(no_mangle)]
unsafe extern "C" fn pacer_prepare(module: *mut u8, len: usize) -> i32 {
    // SAFETY: the caller promises that this is a box made by `pacer_alloc`.
    let module = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(module, len)) };
    let (result, pages) = match prepare(&module) {
        Ok(prepared) => (prepared.module, i32::try_from(prepared.pages).unwrap_or(i32::MAX)),
        Err(unfit) => (unfit.to_string().into_bytes(), -1),
    };
    RESULT.set(result);
    pages
}

/// Returns the address of the result.
#[unsafe(no_mangle)]
extern "C" fn pacer_result() -> *const u8 {
    RESULT.with_borrow(|result| result.as_ptr())
}

/// Returns the length of the result.
#[unsafe(no_mangle)]
extern "C" fn pacer_result_len() -> usize {
    RESULT.with_borrow(Vec::len)
}
