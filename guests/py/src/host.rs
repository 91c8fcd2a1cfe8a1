//! Calls to the host.

use std::cell::Cell;

use cofferdam_abi::call::{TAKE, ToolCall};
use cofferdam_abi::frame::{self, Status};
use cofferdam_abi::wire::{Reader, Writer};

#[link(wasm_import_module = "cofferdam")]
unsafe extern "C" {
    #[link_name = "call"]
    fn import(request: *const u8, request_len: u32, answer: *mut u8, answer_cap: u32) -> u32;

    #[link_name = "wait"]
    fn import_wait(ticket: u32, answer: *mut u8, answer_cap: u32) -> u32;
}

/// Room for most answers, so that a call allocates nothing.
const ROOM: usize = 8192;

thread_local! {
    /// Buffer for answers; taken while an answer is used.
    static ROOM_KEPT: Cell<Option<Box<[u8; ROOM]>>> = const { Cell::new(None) };
    /// False while the image is built: then there is no host, and the clock reads zero.
    static LIVE: Cell<bool> = const { Cell::new(false) };
}

/// Marks the image as built: calls reach the host from now on.
pub(crate) fn go_live() {
    ROOM_KEPT.set(Some(Box::new([0; ROOM])));
    LIVE.set(true);
}

/// Returns true once the image is built.
pub(crate) fn is_live() -> bool {
    LIVE.get()
}

/// Returns nonzero once the image is built; for CPython's C code.
#[unsafe(no_mangle)]
extern "C" fn cofferdam_is_live() -> i32 {
    i32::from(is_live())
}

/// An answer of the host.
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) payload: Vec<u8>,
}

impl Answer {
    /// Returns the ticket of a pending call.
    pub(crate) fn ticket(&self) -> Option<u32> {
        match self.status {
            Status::Pending => Reader::new(&self.payload).u32().ok(),
            Status::Done | Status::Refused => None,
        }
    }

    /// Returns true if a person is asked about the pending call.
    pub(crate) fn is_asked(&self) -> bool {
        self.status == Status::Pending && self.payload.len() > 4
    }
}

/// Makes one call; its fields are written by `fields`.
pub(crate) fn call(which: ToolCall, fields: impl FnOnce(&mut Writer) -> &mut Writer) -> Answer {
    let mut w = Writer::new();
    frame::begin_request(&mut w, which);
    fields(&mut w);
    let mut request = w.finish();
    frame::end_request(&mut request);
    // SAFETY: the host reads `request.len()` bytes and writes at most `len` bytes to `room`.
    let ask =
        |room: *mut u8, len| unsafe { import(request.as_ptr(), request.len() as u32, room, len) };
    taken(ask)
}

/// Makes one call and waits for its answer.
pub(crate) fn call_now(which: ToolCall, fields: impl FnOnce(&mut Writer) -> &mut Writer) -> Answer {
    let answer = call(which, fields);
    match answer.ticket() {
        Some(ticket) => wait(ticket),
        None => answer,
    }
}

/// Waits for the answer to a pending call, or, for ticket 0, for the next answers and timers: then
/// the payload is packed as an entry.
pub(crate) fn wait(ticket: u32) -> Answer {
    // SAFETY: the host writes at most `len` bytes to `room`.
    taken(|room, len| unsafe { import_wait(ticket, room, len) })
}

/// Receives an answer in the kept buffer, or in a longer one; `ask` returns its length.
fn taken(ask: impl FnOnce(*mut u8, u32) -> u32) -> Answer {
    let mut room = ROOM_KEPT.take().unwrap_or_else(|| Box::new([0; ROOM]));
    let len = ask(room.as_mut_ptr(), ROOM as u32) as usize;
    let answer = if len <= ROOM {
        first(&room[..len])
    } else {
        let mut long = vec![0; len];
        let mut take = [0; frame::REQUEST_HEADER];
        take[..2].copy_from_slice(&TAKE.to_le_bytes());
        // SAFETY: `take` is a whole request, and `long` has the `len` bytes that the host asked for.
        unsafe { import(take.as_ptr(), take.len() as u32, long.as_mut_ptr(), len as u32) };
        first(&long)
    };
    ROOM_KEPT.set(Some(room));
    answer
}

fn first(answer: &[u8]) -> Answer {
    match frame::next_answer(&mut Reader::new(answer)) {
        Ok(answer) => Answer { status: answer.status, payload: answer.payload.to_vec() },
        // The guest trusts its host; a malformed answer leaves nothing sane to do.
        Err(_) => panic!("malformed answer"),
    }
}

/// Returns the answer of a clock in milliseconds; zero while the image is built.
pub(crate) fn clock_ms(which: ToolCall) -> f64 {
    if !is_live() {
        return 0.0;
    }
    Reader::new(&call(which, |w| w).payload).f64().unwrap_or(0.0)
}

/// Most random bytes of one call.
const RANDOM_CHUNK: usize = 4096;

/// Fills the buffer with random bytes, and with zeros while the image is built.
// T-CELL-022: randomness frozen in the image, the same in every cell.
pub(crate) fn random(buf: &mut [u8]) {
    if !is_live() {
        buf.fill(0);
        return;
    }
    for chunk in buf.chunks_mut(RANDOM_CHUNK) {
        let answer = call(ToolCall::RandomBytes, |w| w.u32(chunk.len() as u32));
        chunk.copy_from_slice(&answer.payload);
    }
}

/// Longest piece of output in one call.
const WRITE_CHUNK: usize = 1 << 20;

/// Writes to standard output (1) or standard error (2). Returns false if nobody reads it any more.
pub(crate) fn write(stream: u8, bytes: &[u8]) -> bool {
    if !is_live() {
        return true;
    }
    for chunk in bytes.chunks(WRITE_CHUNK) {
        // Waits if the reader of the output is slower than the tool.
        let answer = call_now(ToolCall::ConsoleWrite, |w| w.u8(stream).raw(chunk));
        if answer.status == Status::Refused {
            return false;
        }
    }
    true
}
