//! [`GuestMemory`], the memory of a program while it waits for a call.
//!
//! In a browser a guest's memory is not part of the host's. What is read is copied, and what is
//! written is copied back before the next access.

use std::cell::OnceCell;
use std::marker::PhantomData;

use super::glue;

/// The memory of a program while it waits for a call.
pub struct GuestMemory<'m> {
    cell: u32,
    read: Pieces,
    written: Option<(u64, Vec<u8>)>,
    /// Access is exclusive, as it is on the server.
    _exclusive: PhantomData<&'m mut ()>,
}

impl GuestMemory<'_> {
    pub(super) fn new(cell: u32) -> Self {
        GuestMemory { cell, read: Pieces::default(), written: None, _exclusive: PhantomData }
    }

    /// Returns true if all of these bytes are inside the memory.
    pub fn has(&self, at: u64, len: u64) -> bool {
        at.checked_add(len).is_some_and(|end| end <= glue::memory_size(self.cell))
    }

    /// Returns these bytes, or `None` if some are outside.
    pub fn get(&self, at: u64, len: u64) -> Option<&[u8]> {
        self.write_back();
        Some(self.read.keep(glue::read(self.cell, at, len)?))
    }

    /// Returns these bytes to be written, or `None` if some are outside.
    pub fn get_mut(&mut self, at: u64, len: u64) -> Option<&mut [u8]> {
        self.write_back();
        self.read = Pieces::default();
        let bytes = glue::read(self.cell, at, len)?;
        let (_, bytes) = self.written.insert((at, bytes));
        Some(bytes)
    }

    fn write_back(&self) {
        if let Some((at, bytes)) = &self.written {
            // The bytes were inside when they were read, and a memory does not shrink.
            let _ = glue::write(self.cell, *at, bytes);
        }
    }
}

impl Drop for GuestMemory<'_> {
    fn drop(&mut self) {
        self.write_back();
    }
}

/// Copies that live as long as the list.
#[derive(Default)]
struct Pieces(OnceCell<Box<Piece>>);

struct Piece {
    bytes: Vec<u8>,
    next: Pieces,
}

impl Pieces {
    fn keep(&self, bytes: Vec<u8>) -> &[u8] {
        let mut at = self;
        while let Some(piece) = at.0.get() {
            at = &piece.next;
        }
        &at.0.get_or_init(|| Box::new(Piece { bytes, next: Pieces::default() })).bytes
    }
}
