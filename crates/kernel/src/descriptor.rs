//! Open file descriptions, and each process's numbers for them.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

use cofferdam_vfs::{OpenFile, Stat};

use crate::device::Device;
use crate::errno::Errno;
use crate::output::Stream;
use crate::pipe::{Reader, Writer};
use crate::rights::Rights;

/// Descriptors of one process.
pub(crate) const MAX_DESCRIPTORS: usize = 256;

/// Flags of an open description.
pub(crate) const APPEND: u16 = 1;
pub(crate) const NONBLOCK: u16 = 4;

/// What is open.
#[derive(Debug)]
pub(crate) enum Object {
    File(OpenFile),
    Directory(OpenFile),
    Device(Device, Stat),
    PipeRead(Reader),
    PipeWrite(Writer),
    /// Bytes that were there from the start, and how many were read.
    Input(Mutex<(Arc<[u8]>, usize)>),
    /// What the run prints.
    Output(Stream),
}

/// Something open, shared by every descriptor that was copied from the same opening.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) object: Object,
    flags: AtomicU16,
    /// Whether it is a terminal.
    pub(crate) is_terminal: bool,
}

impl Description {
    pub(crate) fn new(object: Object, flags: u16) -> Arc<Self> {
        Arc::new(Description { object, flags: AtomicU16::new(flags), is_terminal: false })
    }

    pub(crate) fn terminal(object: Object) -> Arc<Self> {
        Arc::new(Description { object, flags: AtomicU16::new(0), is_terminal: true })
    }

    pub(crate) fn flags(&self) -> u16 {
        self.flags.load(Ordering::Relaxed)
    }

    pub(crate) fn set_flags(&self, flags: u16) {
        self.flags.store(flags, Ordering::Relaxed);
        if let Object::File(file) = &self.object {
            file.set_append(flags & APPEND != 0);
        }
    }

    pub(crate) fn is_nonblocking(&self) -> bool {
        self.flags() & NONBLOCK != 0
    }
}

/// One number of a process.
#[derive(Debug, Clone)]
pub(crate) struct Descriptor {
    pub(crate) description: Arc<Description>,
    pub(crate) base: Rights,
    pub(crate) inheriting: Rights,
    /// The name by which the program finds it without opening it.
    pub(crate) preopen: Option<Arc<str>>,
}

impl Descriptor {
    /// With all rights that make sense for what is open.
    pub(crate) fn new(description: Arc<Description>) -> Self {
        let (base, inheriting) = match &description.object {
            Object::File(_) => (Rights::FILE, Rights::default()),
            Object::Device(..) if !description.is_terminal => (Rights::FILE, Rights::default()),
            Object::Directory(_) => (Rights::DIRECTORY, Rights::ALL),
            Object::Device(..)
            | Object::PipeRead(_)
            | Object::PipeWrite(_)
            | Object::Input(_)
            | Object::Output(_) => (Rights::STREAM, Rights::default()),
        };
        Descriptor { description, base, inheriting, preopen: None }
    }

    /// The directory that is open.
    pub(crate) fn directory(&self) -> Result<&OpenFile, Errno> {
        match &self.description.object {
            Object::Directory(directory) => Ok(directory),
            Object::File(_)
            | Object::Device(..)
            | Object::PipeRead(_)
            | Object::PipeWrite(_)
            | Object::Input(_)
            | Object::Output(_) => Err(Errno::NotDirectory),
        }
    }
}

/// The descriptors of one process.
#[derive(Debug, Default, Clone)]
pub(crate) struct Descriptors {
    slots: Vec<Option<Descriptor>>,
}

impl Descriptors {
    pub(crate) fn get(&self, fd: u64) -> Result<&Descriptor, Errno> {
        let slot = usize::try_from(fd).ok().and_then(|fd| self.slots.get(fd));
        slot.and_then(Option::as_ref).ok_or(Errno::BadDescriptor)
    }

    pub(crate) fn get_mut(&mut self, fd: u64) -> Result<&mut Descriptor, Errno> {
        let slot = usize::try_from(fd).ok().and_then(|fd| self.slots.get_mut(fd));
        slot.and_then(Option::as_mut).ok_or(Errno::BadDescriptor)
    }

    /// A descriptor that may be used for `rights`.
    pub(crate) fn with(&self, fd: u64, rights: Rights) -> Result<&Descriptor, Errno> {
        let descriptor = self.get(fd)?;
        match descriptor.base.covers(rights) {
            true => Ok(descriptor),
            false => Err(Errno::NotCapable),
        }
    }

    /// Puts it under the lowest free number from `least` on.
    pub(crate) fn add(&mut self, descriptor: Descriptor, least: usize) -> Result<u32, Errno> {
        let free = (least..self.slots.len()).find(|fd| self.slots[*fd].is_none());
        let fd = free.unwrap_or(self.slots.len().max(least));
        self.put(fd, descriptor)?;
        Ok(fd as u32)
    }

    /// Puts it under this number; what was there is closed.
    pub(crate) fn put(&mut self, fd: usize, descriptor: Descriptor) -> Result<(), Errno> {
        if fd >= MAX_DESCRIPTORS {
            return Err(Errno::TooManyDescriptors);
        }
        if fd >= self.slots.len() {
            self.slots.resize_with(fd + 1, || None);
        }
        self.slots[fd] = Some(descriptor);
        Ok(())
    }

    pub(crate) fn close(&mut self, fd: u64) -> Result<Descriptor, Errno> {
        self.get(fd)?;
        self.slots[fd as usize].take().ok_or(Errno::BadDescriptor)
    }

    /// The numbers in use.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().enumerate().filter(|(_, slot)| slot.is_some()).map(|(fd, _)| fd as u32)
    }
}
