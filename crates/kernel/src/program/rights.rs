//! Rights of a descriptor, in the bits of WASI preview 1.

/// A set of rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rights(pub(crate) u64);

impl Rights {
    pub(crate) const FD_DATASYNC: Rights = Rights(1 << 0);
    pub(crate) const FD_READ: Rights = Rights(1 << 1);
    pub(crate) const FD_SEEK: Rights = Rights(1 << 2);
    pub(crate) const FD_FDSTAT_SET_FLAGS: Rights = Rights(1 << 3);
    pub(crate) const FD_SYNC: Rights = Rights(1 << 4);
    pub(crate) const FD_TELL: Rights = Rights(1 << 5);
    pub(crate) const FD_WRITE: Rights = Rights(1 << 6);
    pub(crate) const FD_ADVISE: Rights = Rights(1 << 7);
    pub(crate) const FD_ALLOCATE: Rights = Rights(1 << 8);
    pub(crate) const PATH_CREATE_DIRECTORY: Rights = Rights(1 << 9);
    pub(crate) const PATH_CREATE_FILE: Rights = Rights(1 << 10);
    pub(crate) const PATH_LINK_SOURCE: Rights = Rights(1 << 11);
    pub(crate) const PATH_LINK_TARGET: Rights = Rights(1 << 12);
    pub(crate) const PATH_OPEN: Rights = Rights(1 << 13);
    pub(crate) const FD_READDIR: Rights = Rights(1 << 14);
    pub(crate) const PATH_READLINK: Rights = Rights(1 << 15);
    pub(crate) const PATH_RENAME_SOURCE: Rights = Rights(1 << 16);
    pub(crate) const PATH_RENAME_TARGET: Rights = Rights(1 << 17);
    pub(crate) const PATH_FILESTAT_GET: Rights = Rights(1 << 18);
    pub(crate) const PATH_FILESTAT_SET_SIZE: Rights = Rights(1 << 19);
    pub(crate) const PATH_FILESTAT_SET_TIMES: Rights = Rights(1 << 20);
    pub(crate) const FD_FILESTAT_GET: Rights = Rights(1 << 21);
    pub(crate) const FD_FILESTAT_SET_SIZE: Rights = Rights(1 << 22);
    pub(crate) const FD_FILESTAT_SET_TIMES: Rights = Rights(1 << 23);
    pub(crate) const PATH_SYMLINK: Rights = Rights(1 << 24);
    pub(crate) const PATH_REMOVE_DIRECTORY: Rights = Rights(1 << 25);
    pub(crate) const PATH_UNLINK_FILE: Rights = Rights(1 << 26);
    pub(crate) const POLL_FD_READWRITE: Rights = Rights(1 << 27);

    /// All rights that make sense for a file.
    pub(crate) const FILE: Rights = Rights(
        Self::FD_DATASYNC.0
            | Self::FD_READ.0
            | Self::FD_SEEK.0
            | Self::FD_FDSTAT_SET_FLAGS.0
            | Self::FD_SYNC.0
            | Self::FD_TELL.0
            | Self::FD_WRITE.0
            | Self::FD_ADVISE.0
            | Self::FD_ALLOCATE.0
            | Self::FD_FILESTAT_GET.0
            | Self::FD_FILESTAT_SET_SIZE.0
            | Self::FD_FILESTAT_SET_TIMES.0
            | Self::POLL_FD_READWRITE.0,
    );

    /// All rights that make sense for a directory.
    pub(crate) const DIRECTORY: Rights = Rights(
        Self::FD_FDSTAT_SET_FLAGS.0
            | Self::FD_SYNC.0
            | Self::FD_ADVISE.0
            | Self::PATH_CREATE_DIRECTORY.0
            | Self::PATH_CREATE_FILE.0
            | Self::PATH_LINK_SOURCE.0
            | Self::PATH_LINK_TARGET.0
            | Self::PATH_OPEN.0
            | Self::FD_READDIR.0
            | Self::PATH_READLINK.0
            | Self::PATH_RENAME_SOURCE.0
            | Self::PATH_RENAME_TARGET.0
            | Self::PATH_FILESTAT_GET.0
            | Self::PATH_FILESTAT_SET_SIZE.0
            | Self::PATH_FILESTAT_SET_TIMES.0
            | Self::FD_FILESTAT_GET.0
            | Self::FD_FILESTAT_SET_TIMES.0
            | Self::PATH_SYMLINK.0
            | Self::PATH_REMOVE_DIRECTORY.0
            | Self::PATH_UNLINK_FILE.0
            | Self::POLL_FD_READWRITE.0,
    );

    /// All rights; files opened in a directory may have these.
    pub(crate) const ALL: Rights = Rights(Self::FILE.0 | Self::DIRECTORY.0);

    /// All rights that make sense for a pipe or a terminal.
    pub(crate) const STREAM: Rights = Rights(
        Self::FD_READ.0
            | Self::FD_FDSTAT_SET_FLAGS.0
            | Self::FD_WRITE.0
            | Self::FD_FILESTAT_GET.0
            | Self::POLL_FD_READWRITE.0,
    );

    /// Returns true if the set contains all of `other`.
    pub(crate) fn covers(self, other: Rights) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns true if the set contains any of `other`.
    pub(crate) fn has_any(self, other: Rights) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn and(self, other: Rights) -> Rights {
        Rights(self.0 & other.0)
    }

    pub(crate) fn or(self, other: Rights) -> Rights {
        Rights(self.0 | other.0)
    }
}
