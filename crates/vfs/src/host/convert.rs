//! Conversion between the terms of the real machine and those of this crate.

use rustix::fs::{FileType, Mode as Bits, Timespec, Timestamps, UTIME_OMIT};
use rustix::io::Errno as Real;

use crate::{Errno, Ino, Kind, Mode, Stat, Time};

pub(super) fn errno(error: Real) -> Errno {
    match error {
        Real::ACCESS => Errno::Access,
        Real::BADF => Errno::BadHandle,
        Real::BUSY => Errno::Busy,
        Real::XDEV => Errno::CrossDevice,
        Real::EXIST => Errno::Exists,
        Real::FBIG => Errno::FileTooLarge,
        Real::ILSEQ => Errno::IllegalSequence,
        Real::INVAL => Errno::Invalid,
        Real::ISDIR => Errno::IsDirectory,
        Real::LOOP => Errno::Loop,
        Real::NAMETOOLONG => Errno::NameTooLong,
        Real::NXIO | Real::NODEV => Errno::NoDevice,
        Real::NOSPC | Real::DQUOT => Errno::NoSpace,
        Real::NOTDIR => Errno::NotDirectory,
        Real::NOTEMPTY => Errno::NotEmpty,
        Real::NOENT => Errno::NotFound,
        Real::PERM => Errno::NotPermitted,
        Real::NOTSUP => Errno::NotSupported,
        Real::ROFS => Errno::ReadOnly,
        Real::STALE => Errno::Stale,
        Real::MLINK => Errno::TooManyLinks,
        _ => Errno::Io,
    }
}

pub(super) fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

/// Converts attributes. The casts are needed because field types differ between platforms.
#[allow(clippy::unnecessary_cast)]
pub(super) fn stat(found: &rustix::fs::Stat, device: u64) -> Stat {
    let time = |seconds: i64, nanos: i64| {
        Time((seconds.max(0) as u64).saturating_mul(1_000_000_000).saturating_add(nanos as u64))
    };
    Stat {
        device,
        ino: Ino(found.st_ino as u64),
        kind: kind(FileType::from_raw_mode(found.st_mode as _)),
        mode: Mode::new(found.st_mode as u32),
        links: found.st_nlink as u64,
        size: found.st_size as u64,
        held: found.st_blocks as u64 * 512,
        accessed: time(found.st_atime as i64, found.st_atime_nsec as i64),
        modified: time(found.st_mtime as i64, found.st_mtime_nsec as i64),
        changed: time(found.st_ctime as i64, found.st_ctime_nsec as i64),
    }
}

/// Keeps read, write and execute only: a guest must not create setuid programs on a real disk.
pub(super) fn bits(mode: Mode) -> Bits {
    Bits::from_raw_mode((mode.bits() & 0o777) as _)
}

pub(super) fn times(accessed: Option<Time>, modified: Option<Time>) -> Timestamps {
    let spec = |time: Option<Time>| match time {
        None => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        Some(Time(nanos)) => {
            Timespec { tv_sec: (nanos / 1_000_000_000) as _, tv_nsec: (nanos % 1_000_000_000) as _ }
        }
    };
    Timestamps { last_access: spec(accessed), last_modification: spec(modified) }
}
