//! The heap of the guest, for CPython and for Rust: `malloc` and its relatives, from dlmalloc.
//!
//! That of the C library rounds every block up to a power of two: half of each arena of CPython was
//! never used, and every size that a run allocated made another page of its memory dirty.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;

use dlmalloc::Dlmalloc;

/// Alignment of everything that `malloc` returns.
const MALLOC_ALIGN: usize = 2 * size_of::<usize>();

struct Heap(UnsafeCell<Dlmalloc>);

// SAFETY: a guest has one thread.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new(Dlmalloc::new()));

impl Heap {
    /// Returns the allocator for one call.
    #[expect(clippy::mut_from_ref, reason = "no call of the allocator begins within another")]
    fn get(&self) -> &mut Dlmalloc {
        // SAFETY: a guest has one thread, and the allocator calls nothing that allocates.
        unsafe { &mut *self.0.get() }
    }
}

// SAFETY: dlmalloc keeps the promises of an allocator.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the alignment of a layout is a power of two.
        unsafe { self.get().malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { self.get().calloc(layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises a block of this allocator with this layout.
        unsafe { self.get().realloc(block, layout.size(), layout.align(), size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.get().free(block, layout.size(), layout.align()) }
    }
}

/// The functions of C. The linker takes them instead of the C library's.
#[cfg(target_family = "wasm")]
mod c {
    use std::ffi::c_int;
    use std::ptr::null_mut;

    use super::{HEAP, MALLOC_ALIGN};

    /// Numbers of errors in the C library.
    const EINVAL: c_int = 28;
    const ENOMEM: c_int = 48;

    #[unsafe(no_mangle)]
    extern "C" fn malloc(size: usize) -> *mut u8 {
        // SAFETY: every size is accepted.
        unsafe { HEAP.get().c_malloc(size) }
    }

    #[unsafe(no_mangle)]
    extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
        match count.checked_mul(size) {
            // SAFETY: every size is accepted.
            Some(size) => unsafe { HEAP.get().calloc(size, MALLOC_ALIGN) },
            None => null_mut(),
        }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: the caller promises a block of this allocator, or none.
        unsafe { HEAP.get().c_realloc(block, size) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn free(block: *mut u8) {
        // SAFETY: as above.
        unsafe { HEAP.get().c_free(block) }
    }

    #[unsafe(no_mangle)]
    extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
        if !align.is_power_of_two() {
            return null_mut();
        }
        // SAFETY: the alignment is a power of two.
        unsafe { HEAP.get().c_memalign(align, size) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn posix_memalign(to: *mut *mut u8, align: usize, size: usize) -> c_int {
        if !align.is_power_of_two() || align < size_of::<usize>() {
            return EINVAL;
        }
        let block = aligned_alloc(align, size);
        if block.is_null() {
            return ENOMEM;
        }
        // SAFETY: the caller promises a place for the address.
        unsafe { to.write(block) };
        0
    }
}
