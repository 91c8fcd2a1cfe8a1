//! Open files.
//!
//! The host has whole files, so an open file is its content until it is closed. Writing at the end
//! is collected and appended; any other change writes the whole file. Either happens when the file
//! is flushed or closed, or when the collected bytes are many.

/// Bytes that are collected before they are sent.
pub const MAX_COLLECTED: usize = 1 << 20;

/// An open file and its content.
#[derive(Debug, Default)]
pub struct OpenFile {
    /// Absolute path in the sandbox.
    pub path: String,
    /// The content; only what was written, if the file cannot be read.
    content: Vec<u8>,
    /// Offset of `content` in the file: not zero if the file is only appended to.
    base: u64,
    /// Position of the next read or write.
    pub at: u64,
    /// True if every write goes to the end.
    pub append: bool,
    /// True if the file may be read.
    pub readable: bool,
    /// True if the file may be written.
    pub writable: bool,
    change: Change,
}

/// Changes that the host has not been told.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Change {
    #[default]
    None,
    /// Bytes of the content from this index on.
    Added(usize),
    Everything,
}

/// A write that brings the host up to date.
#[derive(Debug, PartialEq, Eq)]
pub enum Write<'a> {
    /// Appends these bytes.
    Append(&'a [u8]),
    /// Replaces the content.
    Replace(&'a [u8]),
}

impl OpenFile {
    /// Creates an open file with this content at offset `base`.
    pub fn new(path: String, content: Vec<u8>, base: u64) -> Self {
        OpenFile { path, content, base, ..OpenFile::default() }
    }

    /// Sets the uses that the file was opened for.
    pub fn opened_for(mut self, readable: bool, writable: bool, append: bool) -> Self {
        (self.readable, self.writable, self.append) = (readable, writable, append);
        self
    }

    /// Returns the length of the file.
    pub fn len(&self) -> u64 {
        self.base + self.content.len() as u64
    }

    /// Returns true if the file has no content.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes from `at` on, at most `most`.
    pub fn read(&self, at: u64, most: usize) -> &[u8] {
        let from = at.saturating_sub(self.base).min(self.content.len() as u64) as usize;
        let to = from.saturating_add(most).min(self.content.len());
        &self.content[from..to]
    }

    /// Writes bytes at `at`. Returns false if memory does not suffice.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            return true;
        }
        let from = at.saturating_sub(self.base) as usize;
        let end = from.saturating_add(bytes.len());
        let len = self.content.len();
        if end > len && self.content.try_reserve(end - len).is_err() {
            return false;
        }
        self.change = match self.change {
            Change::None if from == len => Change::Added(len),
            Change::Added(start) if from >= start && from <= len => Change::Added(start),
            Change::None | Change::Added(_) | Change::Everything => Change::Everything,
        };
        if end > len {
            self.content.resize(end, 0);
        }
        self.content[from..end].copy_from_slice(bytes);
        true
    }

    /// Changes the length. Returns false if memory does not suffice.
    pub fn set_len(&mut self, len: u64) -> bool {
        let Ok(wanted) = usize::try_from(len.saturating_sub(self.base)) else { return false };
        if wanted == self.content.len() {
            return true;
        }
        if wanted > self.content.len()
            && self.content.try_reserve(wanted - self.content.len()).is_err()
        {
            return false;
        }
        self.content.resize(wanted, 0);
        self.change = Change::Everything;
        true
    }

    /// Returns the write that the host has not seen yet, if there is one.
    pub fn pending(&self) -> Option<Write<'_>> {
        match self.change {
            Change::None => None,
            Change::Added(from) => Some(Write::Append(&self.content[from..])),
            Change::Everything => Some(Write::Replace(&self.content)),
        }
    }

    /// Returns true if so much was collected that it should be sent.
    pub fn is_due(&self) -> bool {
        match self.change {
            Change::Added(from) => self.content.len() - from >= MAX_COLLECTED,
            Change::None | Change::Everything => false,
        }
    }

    /// Notes that the host has seen everything. Content that cannot be read is forgotten.
    pub fn settle(&mut self) {
        if !self.readable && matches!(self.change, Change::Added(_)) {
            self.base += self.content.len() as u64;
            self.content.clear();
        }
        self.change = Change::None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &[u8]) -> OpenFile {
        OpenFile {
            readable: true,
            writable: true,
            ..OpenFile::new("/f".into(), content.to_vec(), 0)
        }
    }

    #[test]
    fn bytes_at_the_end_are_appended() {
        let mut open = file(b"ab");
        assert!(open.write(2, b"cd") && open.write(4, b"ef"));
        assert_eq!(open.pending(), Some(Write::Append(b"cdef")));
        open.settle();
        assert_eq!(open.pending(), None);
        assert!(open.write(6, b"g"));
        assert_eq!(open.pending(), Some(Write::Append(b"g")));
    }

    #[test]
    fn bytes_in_the_middle_replace_everything() {
        let mut open = file(b"abcd");
        assert!(open.write(1, b"X"));
        assert_eq!(open.pending(), Some(Write::Replace(b"aXcd")));
    }

    #[test]
    fn appended_bytes_may_be_corrected_before_they_are_sent() {
        let mut open = file(b"ab");
        assert!(open.write(2, b"cd") && open.write(3, b"D"));
        assert_eq!(open.pending(), Some(Write::Append(b"cD")));
    }

    #[test]
    fn a_gap_is_filled_with_zeros() {
        let mut open = file(b"a");
        assert!(open.write(3, b"z"));
        assert_eq!(open.pending(), Some(Write::Replace(b"a\0\0z")));
    }

    #[test]
    fn a_file_that_is_only_appended_to_keeps_nothing() {
        let mut open = OpenFile { writable: true, ..OpenFile::new("/f".into(), Vec::new(), 10) };
        assert!(open.write(10, b"more"));
        assert_eq!(open.pending(), Some(Write::Append(b"more")));
        open.settle();
        assert_eq!((open.len(), open.read(10, 4)), (14, &b""[..]));
    }

    #[test]
    fn a_changed_length_replaces_everything() {
        let mut open = file(b"abcd");
        assert!(open.set_len(2));
        assert_eq!(open.pending(), Some(Write::Replace(b"ab")));
        assert_eq!(open.read(1, 10), b"b");
        assert_eq!(open.read(9, 10), b"");
    }
}
