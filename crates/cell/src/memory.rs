//! [`GuestMemory`], the memory of a program while it waits for a call.
//!
//! With wasmtime, a guest's memory is part of the host's, and an access is a slice of it.

/// The memory of a program while it waits for a call.
pub struct GuestMemory<'m>(&'m mut [u8]);

impl<'m> GuestMemory<'m> {
    /// Wraps the whole memory.
    pub fn new(memory: &'m mut [u8]) -> Self {
        GuestMemory(memory)
    }

    /// Returns true if all of these bytes are inside the memory.
    pub fn has(&self, at: u64, len: u64) -> bool {
        at.checked_add(len).is_some_and(|end| end <= self.0.len() as u64)
    }

    /// Returns these bytes, or `None` if some are outside.
    pub fn get(&self, at: u64, len: u64) -> Option<&[u8]> {
        self.0.get(at as usize..at.checked_add(len)? as usize)
    }

    /// Returns these bytes to be written, or `None` if some are outside.
    pub fn get_mut(&mut self, at: u64, len: u64) -> Option<&mut [u8]> {
        self.0.get_mut(at as usize..at.checked_add(len)? as usize)
    }
}
