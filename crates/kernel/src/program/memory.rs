//! Bounds-checked access to the memory of a program.
//!
//! Meets T-PROC-004.

use std::borrow::Cow;

use cofferdam_cell::GuestMemory;
use cofferdam_vfs::raw;

use crate::program::errno::Errno;

/// Most slices of one read or write, as in POSIX.
const MAX_SLICES: u32 = 1024;

/// The memory of a program while it waits for a call. Any access outside is `EFAULT`.
pub(crate) struct Memory<'m>(pub(crate) GuestMemory<'m>);

/// A part of memory that a program wants filled or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    at: usize,
    pub(crate) len: usize,
}

impl Slice {
    /// Returns the part from `skip` on, of at most `most` bytes.
    pub(crate) fn part(self, skip: usize, most: usize) -> Slice {
        let skip = skip.min(self.len);
        Slice { at: self.at + skip, len: (self.len - skip).min(most) }
    }
}

impl Memory<'_> {
    pub(crate) fn bytes(&self, at: u64, len: u64) -> Result<&[u8], Errno> {
        self.0.get(at, len).ok_or(Errno::Fault)
    }

    pub(crate) fn bytes_mut(&mut self, at: u64, len: u64) -> Result<&mut [u8], Errno> {
        self.0.get_mut(at, len).ok_or(Errno::Fault)
    }

    /// Checks that these bytes are inside the memory, without reading them.
    pub(crate) fn check(&self, at: u64, len: u64) -> Result<(), Errno> {
        if self.0.has(at, len) { Ok(()) } else { Err(Errno::Fault) }
    }

    pub(crate) fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Errno> {
        self.bytes_mut(at, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn u8(&self, at: u64) -> Result<u8, Errno> {
        Ok(self.bytes(at, 1)?[0])
    }

    pub(crate) fn u16(&self, at: u64) -> Result<u16, Errno> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&self, at: u64) -> Result<u32, Errno> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&self, at: u64) -> Result<u64, Errno> {
        self.array(at).map(u64::from_le_bytes)
    }

    fn array<const N: usize>(&self, at: u64) -> Result<[u8; N], Errno> {
        self.bytes(at, N as u64)?.try_into().map_err(|_| Errno::Fault)
    }

    /// Returns the `index`th of `count` slices listed at `list`.
    pub(crate) fn slice(&self, list: u64, count: u64, index: u64) -> Result<Option<Slice>, Errno> {
        if count > u64::from(MAX_SLICES) {
            return Err(Errno::Invalid);
        }
        if index >= count {
            return Ok(None);
        }
        let entry = list + index * 8;
        let (at, len) = (self.u32(entry)?, self.u32(entry + 4)?);
        self.check(at.into(), len.into())?;
        Ok(Some(Slice { at: at as usize, len: len as usize }))
    }

    /// Checks that all slices are inside the memory, and returns their total length.
    pub(crate) fn total(&self, list: u64, count: u64) -> Result<usize, Errno> {
        let mut total = 0usize;
        let mut index = 0;
        while let Some(slice) = self.slice(list, count, index)? {
            total = total.checked_add(slice.len).ok_or(Errno::Invalid)?;
            index += 1;
        }
        // The result of the call has 32 bits.
        if total > u32::MAX as usize { Err(Errno::Invalid) } else { Ok(total) }
    }

    pub(crate) fn get(&self, slice: Slice) -> Result<&[u8], Errno> {
        self.bytes(slice.at as u64, slice.len as u64)
    }

    pub(crate) fn get_mut(&mut self, slice: Slice) -> Result<&mut [u8], Errno> {
        self.bytes_mut(slice.at as u64, slice.len as u64)
    }

    /// Returns a path of at most `most` bytes.
    pub(crate) fn path(&self, at: u64, len: u64, most: usize) -> Result<Cow<'_, str>, Errno> {
        if len > most as u64 {
            return Err(Errno::NameTooLong);
        }
        Ok(raw::text(self.bytes(at, len)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-PROC-004.
    #[test]
    fn what_lies_outside_is_a_fault() {
        let mut bytes = [0; 16];
        let mut memory = Memory(GuestMemory::new(&mut bytes));
        assert_eq!(memory.u32(12), Ok(0));
        assert_eq!(memory.u32(13), Err(Errno::Fault));
        assert_eq!(memory.u64(u64::MAX), Err(Errno::Fault));
        assert_eq!(memory.write(u32::MAX.into(), b"x"), Err(Errno::Fault));
        assert_eq!(memory.bytes(0, u64::MAX), Err(Errno::Fault));
    }

    /// T-PROC-004.
    #[test]
    fn a_slice_that_lies_is_a_fault_before_anything_is_read() {
        let mut bytes = [0; 32];
        bytes[4..8].copy_from_slice(&8u32.to_le_bytes());
        bytes[8..12].copy_from_slice(&31u32.to_le_bytes());
        bytes[12..16].copy_from_slice(&2u32.to_le_bytes());
        let memory = Memory(GuestMemory::new(&mut bytes));
        assert_eq!(memory.total(0, 1), Ok(8));
        assert_eq!(memory.total(0, 2), Err(Errno::Fault));
        assert_eq!(memory.total(0, 1025), Err(Errno::Invalid));
    }
}
