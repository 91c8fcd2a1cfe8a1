//! A global allocator with one free list per small block size. A shell allocates and frees
//! thousands of short strings per millisecond; with the C library's allocator that took a fifth of
//! its time.
//!
//! Blocks are never merged. Requests larger than [`MAX_SMALL`] go to the C library.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::null_mut;

/// Block alignment; block sizes are multiples of this.
const STEP: usize = 16;

/// Largest block size with a free list.
const MAX_SMALL: usize = 512;

/// Size of the pieces that blocks are cut from.
const PIECE: usize = 64 << 10;

/// An allocator for single-threaded programs.
pub struct Blocks {
    state: UnsafeCell<State>,
    first: UnsafeCell<Piece>,
}

#[repr(align(16))]
struct Piece {
    _bytes: [u8; PIECE],
}

struct State {
    /// Heads of the free lists, indexed by size in steps; a free block begins with the next one's
    /// address.
    free: [*mut u8; MAX_SMALL / STEP + 1],
    next: *mut u8,
    left: usize,
    is_begun: bool,
}

// SAFETY: WASI preview 1 programs have one thread, so no two threads share the state.
unsafe impl Sync for Blocks {}

impl Blocks {
    /// Creates an allocator without free blocks; the first piece is part of the program image.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        let free = [null_mut(); MAX_SMALL / STEP + 1];
        let state = State { free, next: null_mut(), left: 0, is_begun: false };
        Blocks {
            state: UnsafeCell::new(state),
            first: UnsafeCell::new(Piece { _bytes: [0; PIECE] }),
        }
    }

    /// Cuts a block from the current piece, or from a new piece if the current one is too short.
    fn cut(&self, steps: usize) -> *mut u8 {
        // SAFETY: there is one thread, and no other reference to the state exists while this
        // function runs: `System` does not call back into this allocator.
        let state = unsafe { &mut *self.state.get() };
        let size = steps * STEP;
        if state.left < size {
            let piece = match state.is_begun {
                false => self.first.get().cast(),
                // SAFETY: `Piece` has a non-zero size.
                true => unsafe { System.alloc(Layout::new::<Piece>()) },
            };
            if piece.is_null() {
                return piece;
            }
            state.is_begun = true;
            if state.left > 0 {
                // SAFETY: the rest of the old piece is unused, aligned to `STEP` and at least
                // `STEP` bytes long, so it can hold a pointer.
                unsafe { state.next.cast::<*mut u8>().write(state.free[state.left / STEP]) };
                state.free[state.left / STEP] = state.next;
            }
            (state.next, state.left) = (piece, PIECE);
        }
        let block = state.next;
        // SAFETY: the piece has `left` bytes from `block` on, and `size <= left`.
        state.next = unsafe { block.add(size) };
        state.left -= size;
        block
    }
}

/// Returns the block size in steps, or `None` if the layout has no free list.
fn steps(layout: Layout) -> Option<usize> {
    (layout.size() <= MAX_SMALL && layout.align() <= STEP).then(|| layout.size().div_ceil(STEP))
}

// SAFETY: a block is handed out to one caller until it is freed, and has at least the size and
// alignment of its layout. `dealloc` gets the same layout, so a block returns to the list it came
// from.
unsafe impl GlobalAlloc for Blocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(steps) = steps(layout) else {
            // SAFETY: the caller upholds the contract of `alloc`.
            return unsafe { System.alloc(layout) };
        };
        // SAFETY: there is one thread, and a block on a free list begins with the next one's
        // address.
        unsafe {
            let head = &mut (*self.state.get()).free[steps];
            let block = *head;
            if block.is_null() {
                return self.cut(steps);
            }
            *head = block.cast::<*mut u8>().read();
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some(steps) = steps(layout) else {
            // SAFETY: `block` came from `System.alloc` with this layout, which has no free list.
            return unsafe { System.dealloc(block, layout) };
        };
        // SAFETY: there is one thread. The block is at least `STEP` bytes long and no longer in
        // use.
        unsafe {
            let head = &mut (*self.state.get()).free[steps];
            block.cast::<*mut u8>().write(*head);
            *head = block;
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract; a block is at least `layout.size()` bytes long.
        unsafe {
            if steps(layout).is_none() {
                return System.alloc_zeroed(layout);
            }
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: by contract `size` is non-zero and valid with this alignment, and `block` was
        // allocated with `layout`. A moved block does not overlap the old one, and both hold the
        // copied bytes.
        unsafe {
            let wanted = Layout::from_size_align_unchecked(size, layout.align());
            match (steps(layout), steps(wanted)) {
                (None, None) => System.realloc(block, layout, size),
                (Some(old), Some(new)) if old == new => block,
                _ => {
                    let moved = self.alloc(wanted);
                    if !moved.is_null() {
                        moved.copy_from_nonoverlapping(block, size.min(layout.size()));
                        self.dealloc(block, layout);
                    }
                    moved
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a fine layout")
    }

    #[test]
    fn a_freed_block_is_reused() {
        let blocks = Blocks::new();
        // SAFETY: each block is used with the layout it was allocated with, and freed once.
        unsafe {
            let first = blocks.alloc(layout(20));
            let second = blocks.alloc(layout(32));
            assert_ne!(first, second);
            blocks.dealloc(first, layout(20));
            assert_eq!(blocks.alloc(layout(17)), first);
            assert_eq!(blocks.realloc(second, layout(32), 24), second);
        }
    }

    #[test]
    fn blocks_do_not_overlap_and_keep_their_contents() {
        let blocks = Blocks::new();
        let sizes = (1..2000_usize).map(|n| n * 7 % 700 + 1);
        // SAFETY: each block is written within its layout and freed once.
        let all: Vec<(*mut u8, usize)> = sizes
            .map(|size| unsafe {
                let block = blocks.alloc_zeroed(layout(size));
                assert_eq!(*block, 0);
                block.write_bytes(size as u8, size);
                (block, size)
            })
            .collect();
        for (block, size) in all {
            // SAFETY: `block` was allocated with `layout(size)`, and growing keeps its first `size`
            // bytes.
            unsafe {
                let grown = blocks.realloc(block, layout(size), size + 300);
                let held = std::slice::from_raw_parts(grown, size);
                assert!(held.iter().all(|byte| *byte == size as u8));
                blocks.dealloc(grown, layout(size + 300));
            }
        }
    }
}
