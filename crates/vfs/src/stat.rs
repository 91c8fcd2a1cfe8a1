/// A moment, in nanoseconds since the Unix epoch. This crate never reads a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u64);

/// What to do with one of a node's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTime {
    /// Leave it.
    Omit,
    /// The moment of the call.
    Now,
    /// That moment.
    At(Time),
}

impl SetTime {
    /// The moment meant, or `None` to leave the time alone.
    pub(crate) fn at(self, now: Time) -> Option<Time> {
        match self {
            SetTime::Omit => None,
            SetTime::Now => Some(now),
            SetTime::At(time) => Some(time),
        }
    }
}

/// Number of a node; never used twice within a tree and its forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ino(pub u64);

/// Name of a device, given a meaning by the kernel alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId(pub u32);

impl DeviceId {
    /// A named pipe: the one device that guests make. What is in it is the kernel's.
    pub const FIFO: DeviceId = DeviceId(6);
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Bytes.
    File,
    /// Names of other nodes.
    Directory,
    /// Text that stands for a path.
    Link,
    /// Something the kernel answers for.
    Device(DeviceId),
    /// A pipe, socket or device in a real directory. It can be seen and removed, never opened.
    Other,
}

/// Permission bits, the lower twelve of `st_mode`.
///
/// A sandbox has one user, who owns everything, so only the owner's bits decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(u16);

impl Mode {
    /// `rw-r--r--`.
    pub const FILE: Mode = Mode(0o644);
    /// `rwxr-xr-x`.
    pub const DIRECTORY: Mode = Mode(0o755);
    /// `rwxrwxrwx`, which a link always has.
    pub const LINK: Mode = Mode(0o777);

    /// Takes the lower twelve bits.
    pub const fn new(bits: u32) -> Self {
        Mode((bits & 0o7777) as u16)
    }

    /// The bits.
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// Whether the owner may do this.
    pub(crate) fn allows(self, access: Access) -> bool {
        match access {
            Access::Exists => true,
            Access::Read => self.0 & 0o400 != 0,
            Access::Write => self.0 & 0o200 != 0,
            Access::Execute => self.0 & 0o100 != 0,
        }
    }
}

/// One thing to do with a node, as far as its mode has a say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Be there.
    Exists,
    /// Read the file, list the directory.
    Read,
    /// Change the file, or the directory's entries.
    Write,
    /// Run the file, pass through the directory.
    Execute,
}

/// All that is known of a node without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// 1 for the tree itself, another number for each mount.
    pub device: u64,
    /// Number of the node on its device.
    pub ino: Ino,
    /// What it is.
    pub kind: Kind,
    /// Permission bits.
    pub mode: Mode,
    /// How many names it has; 0 once removed but still open.
    pub links: u64,
    /// Length in bytes; of a link, the length of its text.
    pub size: u64,
    /// Bytes in memory or on disk, without holes.
    pub held: u64,
    /// Last read, as exactly as `relatime` would keep it.
    pub accessed: Time,
    /// Last change of content.
    pub modified: Time,
    /// Last change of content or attributes.
    pub changed: Time,
}
