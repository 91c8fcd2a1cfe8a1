//! Calls to the host.
//!
//! On targets other than WebAssembly there is no host: a deterministic double answers, for tests.

#[cfg(target_arch = "wasm32")]
mod crossing;
#[cfg(not(target_arch = "wasm32"))]
mod double;

#[cfg(target_arch = "wasm32")]
pub(crate) use crossing::{cross, make_room, wait};
#[cfg(not(target_arch = "wasm32"))]
pub use double::files::{add_file, serve_machine};
#[cfg(not(target_arch = "wasm32"))]
pub use double::{advance, cross, fire_next, next_ticket, reset, set_input, take_output, wait};

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::frame::{self, Status};
use cofferdam_abi::wire::{Reader, Writer};
use std::cell::Cell;

/// Stream that console output goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stream {
    /// Standard output.
    Out = 1,
    /// Standard error.
    Err = 2,
}

thread_local! {
    /// False while the image is built: then there is no host, and the clock reads zero.
    static LIVE: Cell<bool> = const { Cell::new(cfg!(not(target_arch = "wasm32"))) };
}

/// Marks the image as built: calls reach the host from now on.
pub fn go_live() {
    LIVE.set(true);
}

/// Returns false while the image is built.
pub(crate) fn is_live() -> bool {
    LIVE.get()
}

/// Makes one call and hands its answer to `f`.
pub fn call<T>(call: ToolCall, payload: &[u8], f: impl FnOnce(Status, &[u8]) -> T) -> T {
    let mut request = Writer::onto(Vec::with_capacity(frame::REQUEST_HEADER + payload.len()));
    frame::write_request(&mut request, call, payload);
    send(request.as_bytes(), f)
}

/// Makes the call in the frame `request` and hands its answer to `f`.
pub(crate) fn send<T>(request: &[u8], f: impl FnOnce(Status, &[u8]) -> T) -> T {
    cross(request, |answer| first(answer, f))
}

/// Waits for the answer to a pending call and hands it to `f`.
pub fn wait_for<T>(ticket: u32, f: impl FnOnce(Status, &[u8]) -> T) -> T {
    wait(ticket, |answer| first(answer, f))
}

fn first<T>(answer: &[u8], f: impl FnOnce(Status, &[u8]) -> T) -> T {
    match frame::next_answer(&mut Reader::new(answer)) {
        Ok(answer) => f(answer.status, answer.payload),
        // The guest trusts its host; a malformed answer leaves nothing sane to do.
        Err(_) => panic!("malformed answer"),
    }
}

fn number(which: ToolCall) -> f64 {
    if !is_live() {
        return 0.0;
    }
    call(which, &[], |_, payload| Reader::new(payload).f64().unwrap_or(0.0))
}

/// Returns Unix time in milliseconds.
pub fn wall_now_ms() -> f64 {
    number(ToolCall::ClockWall)
}

/// Returns milliseconds since the run began.
pub fn monotonic_now_ms() -> f64 {
    number(ToolCall::ClockMonotonic)
}

/// Most random bytes of one call.
const RANDOM_CHUNK: usize = 4096;

/// Fills the buffer with random bytes.
pub fn random(buf: &mut [u8]) {
    for chunk in buf.chunks_mut(RANDOM_CHUNK) {
        call(ToolCall::RandomBytes, &(chunk.len() as u32).to_le_bytes(), |_, payload| {
            chunk.copy_from_slice(payload);
        });
    }
}

/// Longest piece of console output in one call.
const WRITE_CHUNK: usize = 1 << 20;

/// Exit code of a tool that prints to a closed pipe: that of a program which SIGPIPE ends.
const BROKEN_PIPE: u8 = 141;

/// Writes console output. Requests the exit of the tool if nobody reads it any more.
pub fn write(stream: Stream, bytes: &[u8]) {
    if crate::exit::requested().is_some() {
        return;
    }
    for chunk in bytes.chunks(WRITE_CHUNK) {
        let mut payload = Vec::with_capacity(chunk.len() + 1);
        payload.push(stream as u8);
        payload.extend_from_slice(chunk);
        let full = call(ToolCall::ConsoleWrite, &payload, |status, answer| match status {
            Status::Done => None,
            Status::Pending => Reader::new(answer).u32().ok(),
            Status::Refused => {
                crate::exit::request(BROKEN_PIPE);
                None
            }
        });
        // The reader of the output is slower than the tool.
        if let Some(ticket) = full {
            wait_for(ticket, |_, _| ());
        }
    }
}

/// Clock that QuickJS's C code reads: microseconds since 1970.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
extern "C" fn __rquickjs_host_now_us() -> f64 {
    wall_now_ms() * 1000.0
}
