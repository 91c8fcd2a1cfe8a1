//! Functions of WASI preview 1, as CPython's C library calls them, over the host calls of a tool.
//!
//! The C library declares each of them as an import under the name that is defined here, so they
//! are linked and the module imports nothing from WASI. Descriptors 0 to 2 are the standard
//! streams, 3 is the root of the sandbox's files.
//!
//! Meets T-CELL-032.

mod descriptors;
mod paths;
mod process;
mod table;

use std::ffi::{CStr, CString, c_char};

use cofferdam_abi::call::ToolCall;

use crate::errno::Errno;
use crate::host;

pub(crate) use table::flush_all;

/// Success.
const OK: u16 = 0;

/// Result of a function of WASI.
type Result<T> = std::result::Result<T, Errno>;

fn status(result: Result<()>) -> u16 {
    match result {
        Ok(()) => OK,
        Err(Errno(number)) => number,
    }
}

/// A range of memory that is written from or read into.
#[repr(C)]
struct Piece {
    at: *mut u8,
    len: u32,
}

/// `struct __wasi_filestat_t`.
#[repr(C)]
#[derive(Default)]
struct FileStat {
    device: u64,
    inode: u64,
    kind: u8,
    links: u64,
    size: u64,
    accessed: u64,
    modified: u64,
    changed: u64,
}

thread_local! {
    /// Permission bits of the file that was looked at last.
    static LAST_MODE: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Returns the permission bits of the file that was looked at last; CPython's C code asks right after
/// it has looked.
#[unsafe(no_mangle)]
extern "C" fn cofferdam_last_mode() -> i32 {
    LAST_MODE.get() as i32
}

const KIND_CHARACTER: u8 = 2;
const KIND_DIRECTORY: u8 = 3;
const KIND_FILE: u8 = 4;
const KIND_LINK: u8 = 7;

/// Returns the number of a kind of file by the host's name.
fn kind_number(name: &str) -> u8 {
    match name {
        "directory" => KIND_DIRECTORY,
        "file" => KIND_FILE,
        "symlink" => KIND_LINK,
        "device" => KIND_CHARACTER,
        _ => 0,
    }
}

unsafe extern "C" {
    static mut __wasilibc_cwd: *const c_char;
    fn cofferdam_place(line: *mut u32) -> *const c_char;
}

/// Sets the working directory that relative paths start from.
pub(crate) fn set_cwd(path: &str) {
    let Ok(path) = CString::new(path) else { return };
    // SAFETY: the C library reads the text whenever it needs it; it is never freed.
    unsafe { __wasilibc_cwd = path.into_raw() }
}

/// Tells the host the place in the tool that its last question or denial comes from.
pub(crate) fn tell_place(ticket: u32) {
    let mut line = 0;
    // SAFETY: returns null, or a text that lives as long as the frame that runs.
    let file = unsafe {
        let file = cofferdam_place(&mut line);
        if file.is_null() {
            return;
        }
        CStr::from_ptr(file).to_string_lossy().into_owned()
    };
    host::call(ToolCall::PlaceTell, |w| w.u32(ticket).str(&file).u32(line));
}
