//! Memory in small blocks: a list of free ones for each size. A shell makes and drops thousands of
//! short texts a millisecond, and the C library's allocator is a fifth of its time.
//!
//! Blocks are never joined again. Whatever is larger than [`MAX_SMALL`] is the C library's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::null_mut;

/// Sizes are multiples of this, and it is what blocks are aligned to.
const STEP: usize = 16;

/// The largest block that has a list.
const MAX_SMALL: usize = 512;

/// Blocks are cut from pieces of this size.
const PIECE: usize = 64 << 10;

/// The allocator of a program with one thread.
pub struct Blocks {
    state: UnsafeCell<State>,
    first: UnsafeCell<Piece>,
}

#[repr(align(16))]
struct Piece {
    _bytes: [u8; PIECE],
}

struct State {
    /// Free blocks, by size in steps; each begins with the address of the next.
    free: [*mut u8; MAX_SMALL / STEP + 1],
    next: *mut u8,
    left: usize,
    is_begun: bool,
}

// SAFETY: programs for WASI preview 1 have one thread.
unsafe impl Sync for Blocks {}

impl Blocks {
    /// Nothing is free yet; the first piece is part of the program.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        let free = [null_mut(); MAX_SMALL / STEP + 1];
        let state = State { free, next: null_mut(), left: 0, is_begun: false };
        Blocks {
            state: UnsafeCell::new(state),
            first: UnsafeCell::new(Piece { _bytes: [0; PIECE] }),
        }
    }

    /// A block from the current piece, or from a new one.
    fn cut(&self, steps: usize) -> *mut u8 {
        // SAFETY: one thread, and nothing below calls back.
        let state = unsafe { &mut *self.state.get() };
        let size = steps * STEP;
        if state.left < size {
            let piece = match state.is_begun {
                false => self.first.get().cast(),
                // SAFETY: the size is not zero.
                true => unsafe { System.alloc(Layout::new::<Piece>()) },
            };
            if piece.is_null() {
                return piece;
            }
            state.is_begun = true;
            if state.left > 0 {
                // SAFETY: the rest of the old piece is ours, aligned, and at least one step.
                unsafe { state.next.cast::<*mut u8>().write(state.free[state.left / STEP]) };
                state.free[state.left / STEP] = state.next;
            }
            (state.next, state.left) = (piece, PIECE);
        }
        let block = state.next;
        // SAFETY: the piece has `left` bytes from here, which is enough.
        state.next = unsafe { block.add(size) };
        state.left -= size;
        block
    }
}

/// How many steps a block has; none where it has no list.
fn steps(layout: Layout) -> Option<usize> {
    (layout.size() <= MAX_SMALL && layout.align() <= STEP).then(|| layout.size().div_ceil(STEP))
}

// SAFETY: a block is handed out once until it is given back, has the size and alignment that was
// asked for, and goes back to the list of its size, which the layout says again.
unsafe impl GlobalAlloc for Blocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(steps) = steps(layout) else {
            // SAFETY: as the caller promised.
            return unsafe { System.alloc(layout) };
        };
        // SAFETY: one thread; a block on a list begins with the address of the next.
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
            // SAFETY: as the caller promised.
            return unsafe { System.dealloc(block, layout) };
        };
        // SAFETY: one thread; the block is at least a step long and nobody uses it any more.
        unsafe {
            let head = &mut (*self.state.get()).free[steps];
            block.cast::<*mut u8>().write(*head);
            *head = block;
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised; a block is as long as its layout says.
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
        // SAFETY: as the caller promised: the new size is not zero and fits.
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
    fn a_block_that_is_given_back_is_handed_out_again() {
        let blocks = Blocks::new();
        // SAFETY: each block is used for its layout, and given back once.
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
    fn blocks_do_not_overlap_and_keep_what_they_hold() {
        let blocks = Blocks::new();
        let sizes = (1..2000_usize).map(|n| n * 7 % 700 + 1);
        // SAFETY: each block is written within its layout, and given back once.
        let all: Vec<(*mut u8, usize)> = sizes
            .map(|size| unsafe {
                let block = blocks.alloc_zeroed(layout(size));
                assert_eq!(*block, 0);
                block.write_bytes(size as u8, size);
                (block, size)
            })
            .collect();
        for (block, size) in all {
            // SAFETY: as above; growing keeps the first bytes.
            unsafe {
                let grown = blocks.realloc(block, layout(size), size + 300);
                let held = std::slice::from_raw_parts(grown, size);
                assert!(held.iter().all(|byte| *byte == size as u8));
                blocks.dealloc(grown, layout(size + 300));
            }
        }
    }
}
