//! Runs guests' native code where the program's own file has it, in place of a copy.
//!
//! Copying an image of some megabytes is a fifth of the time in which the program starts. Used in
//! place, only the pages that are touched are read, and all processes share them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::mm::{MprotectFlags, mprotect};
use wasmtime::CustomCodeMemory;

/// Makes code executable and leaves it so.
struct InPlace;

pub(crate) fn in_place() -> Arc<dyn CustomCodeMemory> {
    Arc::new(InPlace)
}

/// Whether this image can be used where it is, by whoever asks first. It has to begin with a
/// page, which not every loader listens to, and wasmtime knows code by its address: a second
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
        // SAFETY: wasmtime hands over the code of an image that it has checked and that is complete;
        // whoever loaded it promised that it comes from our compiler. Nobody writes to it.
        unsafe { mprotect(start.cast_mut().cast(), len, flags) }?;
        Ok(())
    }

    fn unpublish_executable(&self, _start: *const u8, _len: usize) -> wasmtime::Result<()> {
        Ok(())
    }
}
