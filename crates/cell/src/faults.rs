//! Prevents the kernel from mapping pages of a cell that the cell does not touch.
//!
//! When a page of an image is first read, Linux also maps the pages around it. That saves faults
//! when a file is read sequentially, but a cell reads scattered pages: it uses 46 of 230 mapped
//! pages, and resetting it visits every mapped page at some 27 ns each. Memory registered with a
//! userfaultfd is exempt. Nothing in it is ever protected, so no events occur. If the kernel
//! refuses the registration, cells are a few microseconds slower.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};
use rustix::mm::{UserfaultfdFlags, userfaultfd};

/// Version of the userfaultfd interface.
const API: u64 = 0xaa;

/// Feature: write protection of files in memory, such as images.
const WRITE_PROTECTION_OF_FILES: u64 = 1 << 12;

/// Registration mode: write protection.
const WRITE_PROTECTION: u64 = 1 << 1;

/// Descriptor flag: excludes faults in kernel mode, which require privileges.
const USER_MODE_ONLY: u32 = 1;

/// `struct uffdio_api`.
#[repr(C)]
struct Handshake {
    api: u64,
    features: u64,
    ioctls: u64,
}

/// `struct uffdio_register`.
#[repr(C)]
struct Registration {
    start: u64,
    len: u64,
    mode: u64,
    ioctls: u64,
}

const HANDSHAKE: Opcode = opcode::read_write::<Handshake>(0xaa, 0x3f);
const REGISTER: Opcode = opcode::read_write::<Registration>(0xaa, 0x00);

/// Registered memories of an engine's cells. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Faults {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    descriptor: OwnedFd,
    /// Image of each registered memory, by the memory's address. A different image means a new
    /// mapping, which must be registered again.
    registered: Mutex<HashMap<usize, u64>>,
}

impl Faults {
    /// Requests a userfaultfd, which the kernel may refuse.
    pub(crate) fn new() -> Self {
        let registered = Mutex::default();
        Faults { inner: open().map(|descriptor| Arc::new(Inner { descriptor, registered })) }
    }

    /// Restricts mapping of a memory to touched pages from now on.
    pub(crate) fn only_touched(&self, memory: &[u8], image: u64) {
        let Some(inner) = &self.inner else { return };
        let start = memory.as_ptr() as usize;
        let mut registered = inner.registered.lock().unwrap_or_else(PoisonError::into_inner);
        if registered.insert(start, image) == Some(image) {
            return;
        }
        drop(registered);
        let mut registration = Registration {
            start: start as u64,
            len: memory.len() as u64,
            mode: WRITE_PROTECTION,
            ioctls: 0,
        };
        // SAFETY: the kernel reads and writes the structure that belongs to this request.
        // Registered memory behaves as before, because nothing requests its protection.
        #[allow(unsafe_code)]
        let done = unsafe {
            ioctl(&inner.descriptor, Updater::<REGISTER, Registration>::new(&mut registration))
        };
        // A memory that cannot be registered still works.
        let _ = done;
    }
}

fn open() -> Option<OwnedFd> {
    let flags = UserfaultfdFlags::CLOEXEC | UserfaultfdFlags::from_bits_retain(USER_MODE_ONLY);
    // SAFETY: the descriptor has no effect until memory is registered with it.
    #[allow(unsafe_code)]
    let descriptor = unsafe { userfaultfd(flags) }.ok()?;
    let mut handshake = Handshake { api: API, features: WRITE_PROTECTION_OF_FILES, ioctls: 0 };
    // SAFETY: the kernel reads and writes the structure that belongs to this request.
    #[allow(unsafe_code)]
    let agreed =
        unsafe { ioctl(&descriptor, Updater::<HANDSHAKE, Handshake>::new(&mut handshake)) };
    agreed.ok().map(|()| descriptor)
}

#[cfg(test)]
mod tests {
    use super::Faults;

    #[test]
    fn memory_that_cannot_be_registered_is_left_alone() {
        let faults = Faults::new();
        // Not page-aligned.
        let memory = [7_u8; 64];
        faults.only_touched(&memory[1..], 1);
        faults.only_touched(&memory[1..], 1);
        assert_eq!(memory, [7; 64]);
    }
}
