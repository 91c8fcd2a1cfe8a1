//! The imports: a call, and a wait for the answer to a pending call.

use std::cell::Cell;

use cofferdam_abi::call::TAKE;

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
    /// Buffer for answers. Taken while an answer is unpacked, which may run a tool's code, and
    /// that code may call the host again.
    static ROOM_KEPT: Cell<Option<Box<[u8; ROOM]>>> = const { Cell::new(None) };
}

/// Sends request frames and hands the answer frames to `f`.
pub(crate) fn cross<T>(request: &[u8], f: impl FnOnce(&[u8]) -> T) -> T {
    // SAFETY: the host reads `request.len()` bytes and writes at most `len` bytes to `room`.
    let ask =
        |room: *mut u8, len| unsafe { import(request.as_ptr(), request.len() as u32, room, len) };
    taken(ask, f)
}

/// Waits for the answer to a pending call and hands its frame to `f`.
pub(crate) fn wait<T>(ticket: u32, f: impl FnOnce(&[u8]) -> T) -> T {
    // SAFETY: the host writes at most `len` bytes to `room`.
    taken(|room, len| unsafe { import_wait(ticket, room, len) }, f)
}

/// Receives an answer in the kept buffer, or in a longer one; `ask` returns its length.
fn taken<T>(ask: impl FnOnce(*mut u8, u32) -> u32, f: impl FnOnce(&[u8]) -> T) -> T {
    let mut room = ROOM_KEPT.take().unwrap_or_else(|| Box::new([0; ROOM]));
    let len = ask(room.as_mut_ptr(), ROOM as u32) as usize;
    let result = if len <= ROOM {
        f(&room[..len])
    } else {
        let mut long = vec![0; len];
        let mut take = [0; cofferdam_abi::frame::REQUEST_HEADER];
        take[..2].copy_from_slice(&TAKE.to_le_bytes());
        // SAFETY: `take` is a whole request, and `long` has the `len` bytes that the host asked for.
        unsafe { import(take.as_ptr(), take.len() as u32, long.as_mut_ptr(), len as u32) };
        f(&long)
    };
    ROOM_KEPT.set(Some(room));
    result
}

/// Allocates the buffer while the image is built, so that no cell has to.
pub(crate) fn make_room() {
    ROOM_KEPT.set(Some(Box::new([0; ROOM])));
}
