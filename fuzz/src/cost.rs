//! The cost of a call: its peak memory and its CPU time.
//!
//! A wrapper around the system's allocator counts memory for each thread separately, so the figure
//! is the same on every machine and under any load.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static COUNTED: Counted = Counted;

struct Counted;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

// SAFETY: every call is forwarded unchanged to the system's allocator, and counting only touches
// two thread-local cells that are initialised without allocating and have no destructor.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: `at` came from the system's allocator, with this layout.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old and the new block may exist at the same time.
        count(size as i64);
        count(-(layout.size() as i64));
        // SAFETY: `at` came from the system's allocator, with this layout, and the caller keeps the
        // rest of the contract of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Runs `call` and returns its result with the largest number of bytes it held at once, beyond
/// those held before.
pub fn peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let answer = call();
    (answer, usize::try_from(PEAK.get() - before).unwrap_or(0))
}

/// Runs `call` and panics if it holds more than `each` bytes for every byte of its input plus
/// `fixed`.
#[track_caller]
pub fn within<T>(len: usize, each: usize, fixed: usize, call: impl FnOnce() -> T) -> T {
    let (answer, peak) = peak(call);
    let most = len * each + fixed;
    assert!(peak <= most, "an input of {len} bytes made it hold {peak}, more than {most}");
    answer
}

/// Returns the CPU time of this thread, which other work on the machine does not change.
pub fn computed() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
