//! The bytes of a file: a sparse, persistent array of chunks.

use std::sync::Arc;

use crate::Limits;
use crate::chunk::{CHUNK, Chunk, Pieces, Shared, Staged, patch};
use crate::radix::Radix;

#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    size: u64,
    chunks: Radix<Chunk>,
    /// Sum of the lengths of all chunks.
    held: u64,
}

impl Content {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut content = Content::default();
        content.write(0, bytes, Staged::new(0, bytes));
        content
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn held(&self) -> u64 {
        self.held
    }

    /// Returns the charged bytes; see [`Limits`].
    pub(crate) fn cost(&self) -> u64 {
        cost(self.held, self.chunks.len())
    }

    /// Returns the charged bytes after writing `len` bytes at `offset`.
    pub(crate) fn cost_after(&self, offset: u64, len: usize) -> u64 {
        let (mut held, mut count) = (self.held, self.chunks.len());
        for piece in Pieces::new(offset, len) {
            let old = self.chunks.get(piece.index).map(|chunk| chunk.len());
            held += piece.end.saturating_sub(old.unwrap_or(0)) as u64;
            count += u64::from(old.is_none());
        }
        cost(held, count)
    }

    /// Shares the chunks of a range, so that they can be copied without the lock.
    pub(crate) fn share(&self, offset: u64, len: usize) -> Shared {
        let len = self.size.saturating_sub(offset).min(len as u64) as usize;
        let chunks =
            Pieces::new(offset, len).map(|piece| self.chunks.get(piece.index).cloned()).collect();
        Shared { offset, len, chunks }
    }

    /// Writes all of `data`. `staged` must come from the same offset and data.
    pub(crate) fn write(&mut self, offset: u64, data: &[u8], mut staged: Staged) {
        let mut rest = data;
        for piece in Pieces::new(offset, data.len()) {
            let (now, later) = rest.split_at(piece.end - piece.start);
            rest = later;
            let old = if let Some(chunk) = staged.take(&piece) {
                self.chunks.insert(piece.index, chunk).map_or(0, |chunk| chunk.len())
            } else if let Some(chunk) = self.chunks.get_mut(piece.index) {
                let old = chunk.len();
                patch(chunk, piece.start, now);
                old
            } else {
                // A chunk after a full one is likely to fill up too, so it is allocated at full
                // size.
                let follows = piece.index.checked_sub(1).and_then(|last| self.chunks.get(last));
                let room = if follows.is_some_and(|last| last.len() == CHUNK) { CHUNK } else { 0 };
                let mut chunk = Arc::new(Vec::with_capacity(room));
                patch(&mut chunk, piece.start, now);
                self.chunks.insert(piece.index, chunk);
                0
            };
            self.held += piece.end.saturating_sub(old) as u64;
        }
        self.size = self.size.max(offset + data.len() as u64);
    }

    /// Truncates the file, or extends it with a hole. Never raises the cost.
    pub(crate) fn resize(&mut self, size: u64) {
        if size == 0 {
            *self = Content::default();
            return;
        }
        self.size = size;
        let (last, end) = ((size - 1) / CHUNK as u64, (size - 1) as usize % CHUNK + 1);
        while let Some((index, _)) = self.chunks.next(last + 1) {
            if let Some(chunk) = self.chunks.remove(index) {
                self.held -= chunk.len() as u64;
            }
        }
        if self.chunks.get(last).is_some_and(|chunk| chunk.len() > end)
            && let Some(chunk) = self.chunks.get_mut(last)
        {
            self.held -= (chunk.len() - end) as u64;
            match Arc::get_mut(chunk) {
                Some(bytes) => {
                    bytes.truncate(end);
                    bytes.shrink_to_fit();
                }
                None => *chunk = Arc::new(chunk[..end].to_vec()),
            }
        }
    }

    /// Returns the chunks that exist, each with its offset in the file.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (u64, &Chunk)> {
        self.chunks.iter().map(|(index, chunk)| (index * CHUNK as u64, chunk))
    }
}

/// Returns the charged bytes. In a dense file all chunks but the last are full, so the second term
/// never exceeds the first.
fn cost(held: u64, count: u64) -> u64 {
    held.max(count.saturating_sub(1) * Limits::SCATTER)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes_of(content: &Content) -> Vec<u8> {
        let mut out = vec![9; content.size() as usize];
        assert_eq!(content.share(0, usize::MAX).copy_to(&mut out), out.len());
        out
    }

    fn write(content: &mut Content, offset: u64, data: &[u8]) {
        let cost = content.cost_after(offset, data.len());
        content.write(offset, data, Staged::new(offset, data));
        assert_eq!(content.cost(), cost, "the charge was right beforehand");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_holds_what_a_vector_would_and_a_clone_keeps_what_it_had(
            steps in prop::collection::vec((0..200_000usize, 0..150_000usize, 0..4u8), 1..12),
        ) {
            let (mut content, mut model) = (Content::default(), Vec::<u8>::new());
            let mut kept = Vec::new();
            for (step, (offset, len, what)) in steps.into_iter().enumerate() {
                kept.push((content.clone(), model.clone()));
                if what == 0 {
                    content.resize(offset as u64);
                    model.resize(offset, 0);
                } else if len > 0 {
                    let data = vec![step as u8 + 1; len];
                    write(&mut content, offset as u64, &data);
                    model.resize(model.len().max(offset + len), 0);
                    model[offset..offset + len].copy_from_slice(&data);
                }
                let held: usize = content.chunks().map(|(_, chunk)| chunk.len()).sum();
                assert_eq!(content.held(), held as u64);
                if what == 3 {
                    kept.clear();
                }
            }
            for (content, model) in kept.into_iter().chain([(content, model)]) {
                assert!(bytes_of(&content) == model);
            }
        }
    }

    #[test]
    fn a_dense_file_costs_its_length() {
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 7] {
            assert_eq!(Content::new(&vec![1; len]).cost(), len as u64);
        }
    }

    #[test]
    fn a_hole_costs_nothing_but_scattered_bytes_cost_more_than_they_hold() {
        let mut content = Content::default();
        content.resize(1 << 39);
        assert_eq!(content.cost(), 0);
        for far in 0..10 {
            write(&mut content, far << 30, b"x");
        }
        assert_eq!(content.cost(), 9 * Limits::SCATTER);
        content.resize(1);
        assert_eq!(content.cost(), 1);
    }

    #[test]
    fn one_byte_after_a_fork_copies_one_chunk() {
        let mut content = Content::new(&vec![1; 8 * CHUNK]);
        let kept = content.clone();
        write(&mut content, 3 * CHUNK as u64 + 5, b"x");
        let copied = kept.chunks().zip(content.chunks()).filter(|(a, b)| !Arc::ptr_eq(a.1, b.1));
        assert_eq!(copied.count(), 1);
    }

    #[test]
    fn appends_grow_a_chunk_by_doubling_and_never_past_its_size() {
        let mut content = Content::default();
        for offset in 0..CHUNK as u64 {
            write(&mut content, offset, b"x");
            let (_, chunk) = content.chunks().next().unwrap();
            assert!(chunk.capacity() <= CHUNK && chunk.capacity() < 2 * chunk.len() + 8);
        }
    }
}
