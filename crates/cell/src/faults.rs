//! Keeps the kernel from mapping pages of a cell that the cell does not touch.
//!
//! When a page of an image is read for the first time, Linux maps the pages around it as well.
//! That saves faults where a file is read from end to end. A cell reads here and there: of 230
//! mapped pages it uses 46, and resetting it looks at every one that is mapped, some 27 ns each.
//! Memory that is registered with a userfaultfd is exempt. Nothing in it is ever protected, so no
//! event ever comes; where the kernel refuses, cells are a few microseconds slower.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};
use rustix::mm::{UserfaultfdFlags, userfaultfd};

/// Version of the interface.
const API: u64 = 0xaa;

/// Feature: write protection of files in memory, which images are.
const WRITE_PROTECTION_OF_FILES: u64 = 1 << 12;

/// Mode of a registration: write protection.
const WRITE_PROTECTION: u64 = 1 << 1;

/// Flag of a descriptor: no faults of the kernel itself, which an ordinary user may not see.
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

/// The memories of an engine's cells that are registered. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Faults {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    descriptor: OwnedFd,
    /// Which image each memory had when it was registered, by the memory's address. Another
    /// image means another mapping, of which the kernel knows nothing.
    registered: Mutex<HashMap<usize, u64>>,
}

impl Faults {
    /// Asks the kernel for what it takes. It may well say no.
    pub(crate) fn new() -> Self {
        let registered = Mutex::default();
        Faults { inner: open().map(|descriptor| Arc::new(Inner { descriptor, registered })) }
    }

    /// Has only those pages of a memory mapped that are touched, from now on.
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
        // SAFETY: the kernel reads and writes the structure that this request takes. Registered
        // memory behaves as before, because nothing asks for its protection.
        #[allow(unsafe_code)]
        let done = unsafe {
            ioctl(&inner.descriptor, Updater::<REGISTER, Registration>::new(&mut registration))
        };
        // A memory that cannot be registered works all the same.
        let _ = done;
    }
}

fn open() -> Option<OwnedFd> {
    let flags = UserfaultfdFlags::CLOEXEC | UserfaultfdFlags::from_bits_retain(USER_MODE_ONLY);
    // SAFETY: the descriptor does nothing until memory is registered with it.
    #[allow(unsafe_code)]
    let descriptor = unsafe { userfaultfd(flags) }.ok()?;
    let mut handshake = Handshake { api: API, features: WRITE_PROTECTION_OF_FILES, ioctls: 0 };
    // SAFETY: the kernel reads and writes the structure that this request takes.
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
        // Not at the start of a page.
        let memory = [7_u8; 64];
        faults.only_touched(&memory[1..], 1);
        faults.only_touched(&memory[1..], 1);
        assert_eq!(memory, [7; 64]);
    }
}
