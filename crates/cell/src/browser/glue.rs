//! The functions of the glue, which is JavaScript, behind safe names.
#![allow(unsafe_code)]

#[link(wasm_import_module = "cofferdam_guests")]
unsafe extern "C" {
    /// Prepares a cell of the guest with this name; the guest is instantiated when it is entered.
    fn prepare(cell: u32, name: *const u8, len: usize);
    /// Passes a message to a tool's guest and lets it compute, after this call has returned.
    fn enter(cell: u32, message: *const u8, len: usize);
    /// Lets a program begin, after this call has returned.
    fn start(cell: u32);
    /// Resumes a suspended guest, after this call has returned.
    fn answer(cell: u32, value: u32);
    /// Frees a cell. A guest of it that is suspended does not go on.
    fn release(cell: u32);
    fn memory_len(cell: u32) -> u32;
    fn memory_read(cell: u32, at: u32, to: *mut u8, len: usize);
    fn memory_write(cell: u32, at: u32, from: *const u8, len: usize);
    /// Prepares and compiles a module from outside; `guest_compiled` reports the result.
    fn compile(ticket: u32, module: *const u8, len: usize);
    /// Copies the text of a result that `guest_compiled` reported.
    fn compiled_text(ticket: u32, to: *mut u8, len: usize);
    /// Sets the flag that asks a guest to stop.
    fn interrupt(cell: u32, value: u32);
}

pub(super) fn prepare_cell(cell: u32, name: &[u8]) {
    // SAFETY: the glue reads `len` bytes during the call.
    unsafe { prepare(cell, name.as_ptr(), name.len()) }
}

pub(super) fn enter_cell(cell: u32, message: &[u8]) {
    // SAFETY: the glue copies `len` bytes during the call.
    unsafe { enter(cell, message.as_ptr(), message.len()) }
}

pub(super) fn start_cell(cell: u32) {
    // SAFETY: passes no pointers.
    unsafe { start(cell) }
}

pub(super) fn answer_cell(cell: u32, value: u32) {
    // SAFETY: passes no pointers.
    unsafe { answer(cell, value) }
}

pub(super) fn release_cell(cell: u32) {
    // SAFETY: passes no pointers.
    unsafe { release(cell) }
}

pub(super) fn interrupt_cell(cell: u32, value: u32) {
    // SAFETY: passes no pointers.
    unsafe { interrupt(cell, value) }
}

pub(super) fn compile_module(ticket: u32, module: &[u8]) {
    // SAFETY: the glue copies `len` bytes during the call.
    unsafe { compile(ticket, module.as_ptr(), module.len()) }
}

/// Returns the text of a result of `compile_module`.
pub(super) fn text_of_compiled(ticket: u32, len: usize) -> Vec<u8> {
    let mut text = vec![0; len];
    // SAFETY: the glue writes at most `len` bytes.
    unsafe { compiled_text(ticket, text.as_mut_ptr(), len) }
    text
}

/// Returns the size of the guest's memory in bytes; zero before the guest is instantiated.
pub(super) fn memory_size(cell: u32) -> u64 {
    // SAFETY: passes no pointers. The glue counts pages, so that 4 GiB fit.
    u64::from(unsafe { memory_len(cell) }) << 16
}

/// Copies bytes out of the guest's memory; `None` if some are outside.
// T-CELL-007: request, answer or reply outside the guest's memory.
pub(super) fn read(cell: u32, at: u64, len: u64) -> Option<Vec<u8>> {
    if at.checked_add(len)? > memory_size(cell) {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).ok()?);
    // SAFETY: the glue writes exactly `len` bytes, for which there is room, and they are inside the
    // guest's memory.
    unsafe {
        memory_read(cell, at as u32, bytes.as_mut_ptr(), len as usize);
        bytes.set_len(len as usize);
    }
    Some(bytes)
}

/// Copies bytes into the guest's memory; `None`, and nothing is written, if some would be outside.
pub(super) fn write(cell: u32, at: u64, bytes: &[u8]) -> Option<()> {
    if at.checked_add(bytes.len() as u64)? > memory_size(cell) {
        return None;
    }
    // SAFETY: the glue reads exactly `bytes.len()` bytes.
    unsafe { memory_write(cell, at as u32, bytes.as_ptr(), bytes.len()) }
    Some(())
}
