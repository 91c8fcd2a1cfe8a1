//! Attributes of nodes: times, numbers, kinds, modes.

/// A point in time, in nanoseconds since the Unix epoch. This crate never reads a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u64);

/// A new value for one of the times of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTime {
    /// Leaves the time unchanged.
    Omit,
    /// Sets the time of the call.
    Now,
    /// Sets the given time.
    At(Time),
}

impl SetTime {
    /// Returns the time to set, or `None` to leave it unchanged.
    pub(crate) fn at(self, now: Time) -> Option<Time> {
        match self {
            SetTime::Omit => None,
            SetTime::Now => Some(now),
            SetTime::At(time) => Some(time),
        }
    }
}

/// Number of a node; never reused within a tree and its forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ino(pub u64);

/// Number of a device, which only the kernel interprets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId(pub u32);

impl DeviceId {
    /// A named pipe, the only device that guests can create. The kernel holds its content.
    pub const FIFO: DeviceId = DeviceId(6);
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device implemented by the kernel.
    Device(DeviceId),
    /// A pipe, socket or device in a real directory. It can be listed and removed, but not opened.
    Other,
}

/// Permission bits, the lower twelve of `st_mode`.
///
/// A sandbox has one user, who owns everything, so only the owner's bits matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(u16);

impl Mode {
    /// `rw-r--r--`.
    pub const FILE: Mode = Mode(0o644);
    /// `rwxr-xr-x`.
    pub const DIRECTORY: Mode = Mode(0o755);
    /// `rwxrwxrwx`, the mode of every link.
    pub const LINK: Mode = Mode(0o777);

    /// Creates a mode from the lower twelve bits.
    pub const fn new(bits: u32) -> Self {
        Mode((bits & 0o7777) as u16)
    }

    /// Returns the bits.
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// Returns true if the owner has this access.
    pub(crate) fn allows(self, access: Access) -> bool {
        match access {
            Access::Exists => true,
            Access::Read => self.0 & 0o400 != 0,
            Access::Write => self.0 & 0o200 != 0,
            Access::Execute => self.0 & 0o100 != 0,
        }
    }
}

/// A kind of access to a node, checked against its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The node exists.
    Exists,
    /// Reading the file or listing the directory.
    Read,
    /// Changing the file or the entries of the directory.
    Write,
    /// Running the file or passing through the directory.
    Execute,
}

/// The attributes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// 1 for the tree itself, another number for each mount.
    pub device: u64,
    /// Number of the node on its device.
    pub ino: Ino,
    /// Kind of the node.
    pub kind: Kind,
    /// Permission bits.
    pub mode: Mode,
    /// Number of names; 0 if removed but still open.
    pub links: u64,
    /// Length in bytes; for a link, the length of its target.
    pub size: u64,
    /// Bytes occupied in memory or on disk, without holes.
    pub held: u64,
    /// Last read, with the precision of `relatime`.
    pub accessed: Time,
    /// Last change of content.
    pub modified: Time,
    /// Last change of content or attributes.
    pub changed: Time,
}
