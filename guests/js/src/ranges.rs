//! Ranges of the image with sources of JavaScript: those that were used up when the image was made,
//! and those that a browser fetches when a tool needs them.

#[cfg(target_arch = "wasm32")]
use std::cell::RefCell;

#[cfg(target_arch = "wasm32")]
use cofferdam_abi::Range;

/// Shortest range that is worth leaving out. The linker may share shorter ones with other data.
#[cfg(target_arch = "wasm32")]
const SHORTEST: usize = 256;

#[cfg(target_arch = "wasm32")]
thread_local! {
    static SPENT: RefCell<Vec<Range>> = const { RefCell::new(Vec::new()) };
}

#[cfg(target_arch = "wasm32")]
fn range(bytes: &[u8]) -> Range {
    [bytes.as_ptr().addr() as u32, bytes.len() as u32]
}

/// Notes that nothing reads a source again. Does nothing once the image is made.
pub(crate) fn spend(source: &'static [u8]) {
    #[cfg(target_arch = "wasm32")]
    if !crate::gate::is_live() && source.len() >= SHORTEST {
        SPENT.with_borrow_mut(|spent| spent.push(range(source)));
    }
    #[cfg(not(target_arch = "wasm32"))]
    let _ = source;
}

/// Returns place and count of the ranges; see [`cofferdam_abi::names::SPENT`].
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
extern "C" fn cofferdam_spent() -> u64 {
    SPENT.with_borrow_mut(|spent| {
        // The stack is the lowest part of the memory, and nothing above this call has frames.
        let here = 0_u8;
        spent.push([0, (&raw const here).addr() as u32]);
        packed(spent)
    })
}

#[cfg(target_arch = "wasm32")]
fn packed(ranges: &[Range]) -> u64 {
    (ranges.as_ptr().addr() as u64) << 32 | ranges.len() as u64
}

/// Makes sure that all sources and tables are there.
pub(crate) fn need() {
    #[cfg(all(target_arch = "wasm32", feature = "late"))]
    if crate::gate::is_live() {
        late::need();
    }
}

#[cfg(all(target_arch = "wasm32", feature = "late"))]
mod late {
    use std::cell::Cell;

    use super::{Range, SHORTEST, SPENT, packed, range};
    use crate::apis::{library, parts};

    thread_local! {
        static IS_THERE: Cell<bool> = const { Cell::new(false) };
    }

    #[link(wasm_import_module = "cofferdam")]
    unsafe extern "C" {
        #[link_name = "late"]
        fn import();
    }

    pub(super) fn need() {
        if !IS_THERE.replace(true) {
            // SAFETY: the host writes to the ranges of `cofferdam_late` the bytes they had when
            // the image was made.
            unsafe { import() };
        }
    }

    /// Returns place and count of the ranges; see [`cofferdam_abi::names::LATE`].
    #[unsafe(no_mangle)]
    extern "C" fn cofferdam_late() -> u64 {
        let whole = library::sources().chain(parts::code_of_node());
        let long = whole.filter(|bytes| bytes.len() >= SHORTEST).map(range);
        let late: Vec<Range> =
            SPENT.with_borrow(|spent| long.filter(|range| !spent.contains(range)).collect());
        packed(late.leak())
    }
}
