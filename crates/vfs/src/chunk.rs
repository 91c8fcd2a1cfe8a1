//! Chunks, the unit in which file content is shared, copied and charged.

use std::sync::Arc;

/// Size of a full chunk, and the most that writing one byte after a fork copies.
pub(crate) const CHUNK: usize = 64 * 1024;

/// At most [`CHUNK`] bytes. Positions past its end, up to the next chunk, read as zero.
pub(crate) type Chunk = Arc<Vec<u8>>;

/// Writes into one chunk; copies it first if it is shared.
pub(crate) fn patch(chunk: &mut Chunk, start: usize, data: &[u8]) {
    let end = start + data.len();
    if Arc::get_mut(chunk).is_none() {
        let mut copy = Vec::with_capacity(chunk.len().max(end));
        copy.extend_from_slice(chunk);
        *chunk = Arc::new(copy);
    }
    let bytes = Arc::make_mut(chunk);
    if bytes.capacity() < end {
        // Doubling keeps appends cheap; the cap keeps a full chunk from taking twice its size.
        let capacity = end.max((bytes.capacity() * 2).min(CHUNK));
        bytes.reserve_exact(capacity - bytes.len());
    }
    if bytes.len() < start {
        bytes.resize(start, 0);
    }
    let (over, append) = data.split_at(data.len().min(bytes.len() - start));
    bytes[start..start + over.len()].copy_from_slice(over);
    bytes.extend_from_slice(append);
}

/// The full chunks of a write, copied before the lock is taken.
pub(crate) struct Staged(std::vec::IntoIter<Chunk>);

impl Staged {
    pub(crate) fn new(offset: u64, data: &[u8]) -> Self {
        let mut rest = data;
        let mut chunks = Vec::new();
        for piece in Pieces::new(offset, data.len()) {
            let (now, later) = rest.split_at(piece.end - piece.start);
            rest = later;
            if piece.is_full() {
                chunks.push(Arc::new(now.to_vec()));
            }
        }
        Staged(chunks.into_iter())
    }

    pub(crate) fn take(&mut self, piece: &Piece) -> Option<Chunk> {
        if piece.is_full() { self.0.next() } else { None }
    }
}

/// A range of a file, kept alive while it is copied without the lock.
pub(crate) struct Shared {
    pub(crate) offset: u64,
    pub(crate) len: usize,
    pub(crate) chunks: Vec<Option<Chunk>>,
}

impl Shared {
    /// Copies the range to the front of `out` and returns its length.
    pub(crate) fn copy_to(&self, out: &mut [u8]) -> usize {
        let mut rest = &mut out[..self.len];
        for (piece, chunk) in Pieces::new(self.offset, self.len).zip(&self.chunks) {
            let (now, later) = rest.split_at_mut(piece.end - piece.start);
            rest = later;
            let bytes = chunk.as_ref().map_or(&[][..], |chunk| {
                &chunk[piece.start.min(chunk.len())..piece.end.min(chunk.len())]
            });
            now[..bytes.len()].copy_from_slice(bytes);
            now[bytes.len()..].fill(0);
        }
        self.len
    }
}

/// The part of one chunk that a range covers.
pub(crate) struct Piece {
    pub(crate) index: u64,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Piece {
    fn is_full(&self) -> bool {
        self.start == 0 && self.end == CHUNK
    }
}

/// A range of a file, split at chunk borders.
pub(crate) struct Pieces {
    at: u64,
    left: usize,
}

impl Pieces {
    pub(crate) fn new(at: u64, left: usize) -> Self {
        Pieces { at, left }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if self.left == 0 {
            return None;
        }
        let start = (self.at % CHUNK as u64) as usize;
        let end = CHUNK.min(start + self.left);
        let piece = Piece { index: self.at / CHUNK as u64, start, end };
        self.at += (end - start) as u64;
        self.left -= end - start;
        Some(piece)
    }
}
