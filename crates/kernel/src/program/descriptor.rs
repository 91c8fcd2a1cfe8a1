//! Open file descriptions, and the numbers that each process has for them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

use cofferdam_vfs::{OpenFile, Stat, VPath};

use crate::program::device::Device;
use crate::program::errno::Errno;
use crate::program::pipe::{Reader, Writer};
use crate::program::rights::Rights;
use crate::shared::output::Stream;

/// Most descriptors of one process.
// T-PROC-008: memory of the host that processes use.
pub(crate) const MAX_DESCRIPTORS: usize = 256;

/// Upper bound of descriptor numbers.
pub(crate) const MAX_NUMBER: u32 = 4096;

/// Offset of a script's descriptors from 3 on: programs for WASI have their preopened directories
/// there. `/dev/fd/N` means the script's number.
pub(crate) const SCRIPT_BASE: u32 = 1000;

/// Flags of an open description.
pub(crate) const APPEND: u16 = 1;
pub(crate) const NONBLOCK: u16 = 4;

/// An open object.
#[derive(Debug)]
pub(crate) enum Object {
    File(OpenFile),
    Directory(OpenFile),
    Device(Device, Stat),
    PipeRead(Reader),
    PipeWrite(Writer),
    /// A named pipe opened for both directions.
    PipeBoth(Reader, Writer),
    /// Bytes given in advance, and the number already read.
    Input(Mutex<(Arc<[u8]>, usize)>),
    /// Output of the run.
    Output(Stream),
}

/// An open description, shared by every descriptor copied from the same opening.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) object: Object,
    flags: AtomicU16,
    /// True for a terminal.
    pub(crate) is_terminal: bool,
    /// Path of a file in a folder of the host that may be changed.
    pub(crate) outside: Option<VPath>,
}

impl Description {
    pub(crate) fn new(object: Object, flags: u16) -> Arc<Self> {
        Self::opened(object, flags, None)
    }

    pub(crate) fn opened(object: Object, flags: u16, outside: Option<VPath>) -> Arc<Self> {
        Arc::new(Description { object, flags: AtomicU16::new(flags), is_terminal: false, outside })
    }

    pub(crate) fn terminal(object: Object) -> Arc<Self> {
        let flags = AtomicU16::new(0);
        Arc::new(Description { object, flags, is_terminal: true, outside: None })
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

/// One descriptor of a process.
#[derive(Debug, Clone)]
pub(crate) struct Descriptor {
    pub(crate) description: Arc<Description>,
    pub(crate) base: Rights,
    pub(crate) inheriting: Rights,
    /// Name of a preopened directory.
    pub(crate) preopen: Option<Arc<str>>,
}

impl Descriptor {
    /// Creates a descriptor with all rights that make sense for the object.
    pub(crate) fn new(description: Arc<Description>) -> Self {
        let (base, inheriting) = match &description.object {
            Object::File(_) => (Rights::FILE, Rights::default()),
            Object::Device(..) if !description.is_terminal => (Rights::FILE, Rights::default()),
            Object::Directory(_) => (Rights::DIRECTORY, Rights::ALL),
            Object::Device(..)
            | Object::PipeRead(_)
            | Object::PipeWrite(_)
            | Object::PipeBoth(..)
            | Object::Input(_)
            | Object::Output(_) => (Rights::STREAM, Rights::default()),
        };
        Descriptor { description, base, inheriting, preopen: None }
    }

    /// Returns the directory, if one is open.
    pub(crate) fn directory(&self) -> Result<&OpenFile, Errno> {
        match &self.description.object {
            Object::Directory(directory) => Ok(directory),
            Object::File(_)
            | Object::Device(..)
            | Object::PipeRead(_)
            | Object::PipeWrite(_)
            | Object::PipeBoth(..)
            | Object::Input(_)
            | Object::Output(_) => Err(Errno::NotDirectory),
        }
    }
}

/// The descriptors of one process.
#[derive(Debug, Default, Clone)]
pub(crate) struct Descriptors {
    /// Descriptors by number. Sparse: the shell keeps a script's numbers apart from its own.
    open: BTreeMap<u32, Descriptor>,
}

impl Descriptors {
    pub(crate) fn get(&self, fd: u64) -> Result<&Descriptor, Errno> {
        let open = u32::try_from(fd).ok().and_then(|fd| self.open.get(&fd));
        open.ok_or(Errno::BadDescriptor)
    }

    pub(crate) fn get_mut(&mut self, fd: u64) -> Result<&mut Descriptor, Errno> {
        let open = u32::try_from(fd).ok().and_then(|fd| self.open.get_mut(&fd));
        open.ok_or(Errno::BadDescriptor)
    }

    /// Returns a descriptor that has the rights.
    pub(crate) fn with(&self, fd: u64, rights: Rights) -> Result<&Descriptor, Errno> {
        let descriptor = self.get(fd)?;
        match descriptor.base.covers(rights) {
            true => Ok(descriptor),
            false => Err(Errno::NotCapable),
        }
    }

    /// Adds a descriptor under the lowest free number from `least` on.
    pub(crate) fn add(&mut self, descriptor: Descriptor, least: u32) -> Result<u32, Errno> {
        let mut fd = least;
        for used in self.open.range(least..).map(|(used, _)| *used) {
            if used != fd {
                break;
            }
            fd += 1;
        }
        self.put(fd, descriptor)?;
        Ok(fd)
    }

    /// Puts a descriptor under a number; closes the previous one.
    pub(crate) fn put(&mut self, fd: u32, descriptor: Descriptor) -> Result<(), Errno> {
        let is_new = !self.open.contains_key(&fd);
        if fd >= MAX_NUMBER || (is_new && self.open.len() >= MAX_DESCRIPTORS) {
            return Err(Errno::TooManyDescriptors);
        }
        self.open.insert(fd, descriptor);
        Ok(())
    }

    pub(crate) fn close(&mut self, fd: u64) -> Result<Descriptor, Errno> {
        let closed = u32::try_from(fd).ok().and_then(|fd| self.open.remove(&fd));
        closed.ok_or(Errno::BadDescriptor)
    }

    /// Returns the numbers in use.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.open.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor() -> Descriptor {
        Descriptor::new(Description::new(Object::Output(Stream::Out), 0))
    }

    #[test]
    fn the_lowest_free_number_is_taken() {
        let mut all = Descriptors::default();
        for fd in [0, 1, 3, 1063] {
            all.put(fd, descriptor()).expect("room");
        }
        assert_eq!(all.add(descriptor(), 0), Ok(2));
        assert_eq!(all.add(descriptor(), 0), Ok(4));
        assert_eq!(all.add(descriptor(), 1063), Ok(1064));
        assert_eq!(all.add(descriptor(), MAX_NUMBER), Err(Errno::TooManyDescriptors));
        assert_eq!(all.add(descriptor(), u32::MAX), Err(Errno::TooManyDescriptors));
    }

    #[test]
    fn there_are_so_many_and_no_more() {
        let mut all = Descriptors::default();
        for _ in 0..MAX_DESCRIPTORS {
            all.add(descriptor(), 0).expect("room");
        }
        assert_eq!(all.add(descriptor(), 0), Err(Errno::TooManyDescriptors));
        assert_eq!(all.put(7, descriptor()), Ok(()), "in the place of another");
        all.close(9).expect("open");
        assert_eq!(all.add(descriptor(), 0), Ok(9));
    }
}
