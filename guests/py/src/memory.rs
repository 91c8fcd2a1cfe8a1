//! The allocator: that of the C library, so that the guest has one heap.

use std::alloc::{GlobalAlloc, Layout};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut u8;
    fn calloc(count: usize, size: usize) -> *mut u8;
    fn aligned_alloc(align: usize, size: usize) -> *mut u8;
    fn realloc(block: *mut u8, size: usize) -> *mut u8;
    fn free(block: *mut u8);
}

/// Alignment of everything that `malloc` returns.
const MALLOC_ALIGN: usize = 8;

struct CHeap;

// SAFETY: the functions of the C library keep the promises of an allocator; blocks with a larger
// alignment are never handed to `realloc`.
unsafe impl GlobalAlloc for CHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises a size that is not zero.
        unsafe {
            match layout.align() <= MALLOC_ALIGN {
                true => malloc(layout.size()),
                false => {
                    aligned_alloc(layout.align(), layout.size().next_multiple_of(layout.align()))
                }
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above; the block has `layout.size()` bytes.
        unsafe {
            if layout.align() <= MALLOC_ALIGN {
                return calloc(1, layout.size());
            }
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises a block of this allocator with this layout.
        unsafe {
            if layout.align() <= MALLOC_ALIGN {
                return realloc(block, size);
            }
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, layout.size().min(size));
                free(block);
            }
            moved
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller promises a block of this allocator.
        unsafe { free(block) }
    }
}

#[global_allocator]
static HEAP: CHeap = CHeap;
