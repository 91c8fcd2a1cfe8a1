//! Runs guests' native code where the program's own file has it, in place of a copy.
//!
//! Copying an image of some megabytes is a fifth of the time in which the program starts. Used in
//! place, only the pages that are touched are read, and all processes share them.

use std::sync::Arc;

use rustix::mm::{MprotectFlags, mprotect};
use wasmtime::CustomCodeMemory;

/// Makes code executable and leaves it so: several engines may use the same embedded image.
struct InPlace;

pub(crate) fn in_place() -> Arc<dyn CustomCodeMemory> {
    Arc::new(InPlace)
}

/// Whether code at this address can be used where it is. The embedded images ask for it, but not
/// every loader listens.
pub(crate) fn is_aligned(image: &[u8]) -> bool {
    image.as_ptr().addr().is_multiple_of(rustix::param::page_size())
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
