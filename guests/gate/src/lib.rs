//! What every guest has at the gate.
//!
//! The exports that are the same everywhere are made here: `cofferdam_inbox`,
//! `cofferdam_interrupt` and `cofferdam_reserve`. Each guest adds `cofferdam_init` and
//! `cofferdam_enter`, the latter with [`enter`].

use std::cell::{RefCell, UnsafeCell};
use std::sync::atomic::{AtomicU32, Ordering};

use cofferdam_abi::INBOX_LEN;
use cofferdam_abi::entry::{Entry, Leave};
use cofferdam_abi::wire::Writer;

thread_local! {
    static LONG_INBOX: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Written by the host only, between two stays of the guest on the stack.
#[repr(transparent)]
pub struct Inbox(UnsafeCell<[u8; INBOX_LEN]>);

// SAFETY: a cell has one thread.
unsafe impl Sync for Inbox {}

/// Short messages from the host.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static cofferdam_inbox: Inbox = Inbox(UnsafeCell::new([0; INBOX_LEN]));

/// Set by the host when the guest has to end.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static cofferdam_interrupt: AtomicU32 = AtomicU32::new(0);

/// Whether the host wants an end.
pub fn interrupted() -> bool {
    cofferdam_interrupt.load(Ordering::Relaxed) != 0
}

/// Makes room for a long message. Answers 0 where there is none.
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

/// What a guest says when it leaves, owning whatever [`Leave`] borrows.
pub trait Reply {
    /// Packs it for the host.
    fn pack(&self, w: &mut Writer);
}

impl Reply for Leave<'_> {
    fn pack(&self, w: &mut Writer) {
        self.write(w);
    }
}

/// The body of `cofferdam_enter`: unpacks the message, lets the guest compute, answers
/// `address << 32 | length` of the packed reply.
///
/// # Safety
///
/// `message` and `len` must describe memory that the host has filled.
pub unsafe fn enter<R: Reply>(
    message: *const u8,
    len: u32,
    compute: impl FnOnce(Entry<'_>) -> R,
) -> u64 {
    // SAFETY: the host filled it, and nothing writes to it until the guest leaves.
    let message = unsafe { std::slice::from_raw_parts(message, len as usize) };
    let left = Entry::read(message).map(compute);
    // The message is done with before room is needed for the reply.
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

/// Panics unless the stack lies below all data, where running over its end is a trap and not a
/// write into the data. Called while the image is made, so a wrong linker fails the build.
pub fn assert_stack_first() {
    let here = 0u8;
    assert!((&raw const here).addr() < (&raw const cofferdam_inbox).addr(), "stack above data");
}

/// Runs the constructors of the C library, where a guest is linked with one.
///
/// Naming them also keeps the linker from wrapping every export in a call of them, so a guest
/// with C code must call this first in its `cofferdam_init`. Pure Rust has no constructors.
///
/// # Safety
///
/// Once, before anything else.
#[cfg(target_arch = "wasm32")]
pub unsafe fn call_constructors() {
    unsafe extern "C" {
        fn __wasm_call_ctors();
    }
    // SAFETY: passed on to the caller.
    unsafe { __wasm_call_ctors() }
}
