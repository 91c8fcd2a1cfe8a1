//! The kinds of failure of a file operation, declared once with POSIX name and text.

use std::fmt;

/// Declares every kind of failure once: variant, POSIX name, text.
macro_rules! errnos {
    ($($(#[$doc:meta])* $variant:ident $name:literal $text:literal)*) => {
        /// The kind of a failed file operation, in POSIX terms.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Errno {
            $($(#[$doc])* $variant,)*
        }

        impl Errno {
            /// Returns the POSIX name, such as `ENOENT`.
            pub fn name(self) -> &'static str {
                match self { $(Errno::$variant => $name,)* }
            }
        }

        impl fmt::Display for Errno {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Errno::$variant => $text,)* })
            }
        }
    };
}

errnos! {
    /// The mode bits forbid the access.
    Access "EACCES" "permission denied"
    /// The handle was not opened for this kind of access.
    BadHandle "EBADF" "bad file descriptor"
    /// The node is a mount point or the root.
    Busy "EBUSY" "resource busy"
    /// A mount, an overlay or a system area lies between the two names.
    CrossDevice "EXDEV" "invalid cross-device link"
    /// The name already exists.
    Exists "EEXIST" "file exists"
    /// Beyond the longest allowed file.
    FileTooLarge "EFBIG" "file too large"
    /// Text that is no name, because the name of the same bytes is another text.
    IllegalSequence "EILSEQ" "illegal byte sequence"
    /// The run that asked is over; see [`Interrupt`](crate::Interrupt).
    Interrupted "EINTR" "interrupted at the end of the run"
    /// An invalid argument.
    Invalid "EINVAL" "invalid argument"
    /// A real directory failed.
    Io "EIO" "input/output error"
    /// A directory in place of a file.
    IsDirectory "EISDIR" "is a directory"
    /// More links on the path than [`LINKS_MAX`](crate::LINKS_MAX).
    Loop "ELOOP" "too many levels of symbolic links"
    /// A name or path beyond its cap.
    NameTooLong "ENAMETOOLONG" "file name too long"
    /// A device node, which only the kernel implements.
    NoDevice "ENXIO" "no such device or address"
    /// The quota of bytes or nodes is used up.
    NoSpace "ENOSPC" "no space left on device"
    /// The path leaves the directory it is confined to.
    NotCapable "ENOTCAPABLE" "capabilities insufficient"
    /// A file in place of a directory.
    NotDirectory "ENOTDIR" "not a directory"
    /// The directory still has entries.
    NotEmpty "ENOTEMPTY" "directory not empty"
    /// The name does not exist.
    NotFound "ENOENT" "no such file or directory"
    /// Forbidden regardless of the mode bits.
    NotPermitted "EPERM" "operation not permitted"
    /// Not supported by this kind of node.
    NotSupported "ENOTSUP" "operation not supported"
    /// The node is in a system area or a read-only mount.
    ReadOnly "EROFS" "read-only file system"
    /// The target of the handle was removed from the real directory.
    Stale "ESTALE" "stale file handle"
    /// The file has the maximum number of names.
    TooManyLinks "EMLINK" "too many links"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_errno_has_a_name_and_words() {
        assert_eq!(Errno::NotFound.name(), "ENOENT");
        assert_eq!(Errno::NotFound.to_string(), "no such file or directory");
    }
}
