//! Executes native code of guests in place, inside the program's own file.
//!
//! Copying an image of several megabytes takes a fifth of the program's start time. In place, only
//! the touched pages are read, and all processes share them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::mm::{MprotectFlags, mprotect};
use wasmtime::CustomCodeMemory;

/// Makes code executable and never reverts that.
struct InPlace;

pub(crate) fn in_place() -> Arc<dyn CustomCodeMemory> {
    Arc::new(InPlace)
}

/// Returns true for the first caller that can use the image in place. The image must be aligned to
/// a page, which not every loader honours. wasmtime identifies code by its address, so a second
/// engine in the process needs a copy.
pub(crate) fn claim(image: &'static [u8]) -> bool {
    static CLAIMED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let at = image.as_ptr().addr();
    at.is_multiple_of(rustix::param::page_size())
        && CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).insert(at)
}

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        rustix::param::page_size()
    }

    #[allow(unsafe_code)]
    fn publish_executable(&self, start: *const u8, len: usize) -> wasmtime::Result<()> {
        let flags = MprotectFlags::READ | MprotectFlags::EXEC;
        // SAFETY: wasmtime passes the code of a complete image that it has checked, and the caller
        // of `load` has promised that it comes from our compiler. Nothing writes to it.
        unsafe { mprotect(start.cast_mut().cast(), len, flags) }?;
        Ok(())
    }

    fn unpublish_executable(&self, _start: *const u8, _len: usize) -> wasmtime::Result<()> {
        Ok(())
    }
}
