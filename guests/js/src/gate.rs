//! What the guest asks of the host; here a deterministic double of it.

use std::cell::{Cell, RefCell};

/// Where console output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

thread_local! {
    static OUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ERR: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static CLOCK: Cell<f64> = const { Cell::new(0.0) };
    static NEXT: Cell<u8> = const { Cell::new(0) };
}

/// Unix time in milliseconds.
pub fn wall_now_ms() -> f64 {
    1_700_000_000_000.0 + monotonic_now_ms()
}

/// Milliseconds since the run began.
pub fn monotonic_now_ms() -> f64 {
    CLOCK.get()
}

/// Fills the buffer with random bytes.
pub fn random(buf: &mut [u8]) {
    for byte in buf {
        *byte = NEXT.get();
        NEXT.set(byte.wrapping_add(1));
    }
}

/// Writes console output.
pub fn write(stream: Stream, bytes: &[u8]) {
    match stream {
        Stream::Out => OUT.with_borrow_mut(|out| out.extend_from_slice(bytes)),
        Stream::Err => ERR.with_borrow_mut(|err| err.extend_from_slice(bytes)),
    }
}

/// Moves the double's clock.
pub fn advance(ms: f64) {
    CLOCK.set(CLOCK.get() + ms);
}

/// Back to the beginning: no output, clock and random bytes at zero.
pub fn reset() {
    take_output();
    CLOCK.set(0.0);
    NEXT.set(0);
}

/// Takes what was written so far: standard output, standard error.
pub fn take_output() -> (Vec<u8>, Vec<u8>) {
    (OUT.take(), ERR.take())
}
