//! The gate between the host and a guest that the host enters repeatedly.
//!
//! This crate defines the exports that all such guests share: `cofferdam_inbox`,
//! `cofferdam_interrupt` and `cofferdam_reserve`. Each guest adds `cofferdam_init` and
//! `cofferdam_enter`, the latter by calling [`enter`].

use std::cell::{RefCell, UnsafeCell};
use std::sync::atomic::{AtomicU32, Ordering};

use cofferdam_abi::INBOX_LEN;
use cofferdam_abi::entry::{Entry, Leave};
use cofferdam_abi::wire::Writer;

thread_local! {
    static LONG_INBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A buffer that only the host writes, and only while no guest code is running.
#[repr(transparent)]
pub struct Inbox(UnsafeCell<[u8; INBOX_LEN]>);

// SAFETY: the cell that contains the guest has a single thread.
unsafe impl Sync for Inbox {}

/// Buffer for short messages from the host.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static cofferdam_inbox: Inbox = Inbox(UnsafeCell::new([0; INBOX_LEN]));

/// Set to nonzero by the host when the guest must end.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static cofferdam_interrupt: AtomicU32 = AtomicU32::new(0);

/// Returns true if the host has asked the guest to end.
pub fn interrupted() -> bool {
    cofferdam_interrupt.load(Ordering::Relaxed) != 0
}

/// Reserves `len` bytes for a long message. Returns null if memory is exhausted.
#[unsafe(no_mangle)]
pub extern "C" fn cofferdam_reserve(len: u32) -> *mut u8 {
    LONG_INBOX.with_borrow_mut(|inbox| {
        inbox.clear();
        if inbox.try_reserve_exact(len as usize).is_err() {
            return std::ptr::null_mut();
        }
        inbox.resize(len as usize, 0);
        inbox.as_mut_ptr()
    })
}

/// The message of a guest that leaves; owns the data that [`Leave`] borrows.
pub trait Reply {
    /// Packs the message for the host.
    fn pack(&self, w: &mut Writer);
}

impl Reply for Leave<'_> {
    fn pack(&self, w: &mut Writer) {
        self.write(w);
    }
}

/// The body of `cofferdam_enter`: unpacks the message, calls `compute`, and returns `address << 32
/// | length` of the packed reply.
///
/// # Safety
///
/// `message` must point to `len` bytes that the host has initialised and does not write until this
/// function returns.
pub unsafe fn enter<R: Reply>(
    message: *const u8,
    len: u32,
    compute: impl FnOnce(Entry<'_>) -> R,
) -> u64 {
    // SAFETY: the caller promises `len` initialised bytes that are not written before the return.
    let message = unsafe { std::slice::from_raw_parts(message, len as usize) };
    let left = Entry::read(message).map(compute);
    // Frees the message before the reply needs memory.
    LONG_INBOX.take();
    REPLY.with_borrow_mut(|reply| {
        reply.clear();
        let mut w = Writer::onto(std::mem::take(reply));
        match left {
            Ok(left) => left.pack(&mut w),
            Err(_) => Leave::Stuck.write(&mut w),
        }
        *reply = w.finish();
        (reply.as_ptr() as u64) << 32 | reply.len() as u64
    })
}

/// Panics unless the stack lies below all data, where a stack overflow traps instead of overwriting
/// data. Called while the image is made, so a wrong linker layout fails the build.
pub fn assert_stack_first() {
    let here = 0u8;
    assert!((&raw const here).addr() < (&raw const cofferdam_inbox).addr(), "stack above data");
}

/// Runs the constructors of the C library that a guest is linked with.
///
/// Referring to `__wasm_call_ctors` also keeps the linker from wrapping every export in a call of
/// it, so a guest with C code must call this function first in its `cofferdam_init`. A guest of
/// pure Rust has no constructors.
///
/// # Safety
///
/// Must be called only once, before any C code runs.
#[cfg(target_arch = "wasm32")]
pub unsafe fn call_constructors() {
    unsafe extern "C" {
        fn __wasm_call_ctors();
    }
    // SAFETY: the caller promises that this is the only call and that no C code ran before.
    unsafe { __wasm_call_ctors() }
}
