//! The imports: a call, and a wait for the answer to a pending one.

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
    /// Taken while an answer in it is looked at, which may run what a tool has put in the way, and
    /// that may call the host again.
    static ROOM_KEPT: Cell<Option<Box<[u8; ROOM]>>> = const { Cell::new(None) };
}

/// Sends request frames over and hands the answer frames to `f`.
pub(crate) fn cross<T>(request: &[u8], f: impl FnOnce(&[u8]) -> T) -> T {
    // SAFETY: the host reads the request and writes at most as much as there is room for.
    let ask =
        |room: *mut u8, len| unsafe { import(request.as_ptr(), request.len() as u32, room, len) };
    taken(ask, f)
}

/// Waits for the answer to a pending call and hands its frame to `f`.
pub(crate) fn wait<T>(ticket: u32, f: impl FnOnce(&[u8]) -> T) -> T {
    // SAFETY: the host writes at most as much as there is room for.
    taken(|room, len| unsafe { import_wait(ticket, room, len) }, f)
}

/// Has an answer written where there is room for it; `ask` says how long it is.
fn taken<T>(ask: impl FnOnce(*mut u8, u32) -> u32, f: impl FnOnce(&[u8]) -> T) -> T {
    let mut room = ROOM_KEPT.take().unwrap_or_else(|| Box::new([0; ROOM]));
    let len = ask(room.as_mut_ptr(), ROOM as u32) as usize;
    let result = if len <= ROOM {
        f(&room[..len])
    } else {
        let mut long = vec![0; len];
        let mut take = [0; cofferdam_abi::frame::REQUEST_HEADER];
        take[..2].copy_from_slice(&TAKE.to_le_bytes());
        // SAFETY: the room is as long as the host said that it needs.
        unsafe { import(take.as_ptr(), take.len() as u32, long.as_mut_ptr(), len as u32) };
        f(&long)
    };
    ROOM_KEPT.set(Some(room));
    result
}

/// Makes the room while the image is made, so that no cell has to.
pub(crate) fn make_room() {
    ROOM_KEPT.set(Some(Box::new([0; ROOM])));
}
