use std::fmt;

/// Declares every kind of failure once: variant, POSIX name, words.
macro_rules! errnos {
    ($($(#[$doc:meta])* $variant:ident $name:literal $text:literal)*) => {
        /// What went wrong, in the terms a guest expects from a file system.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Errno {
            $($(#[$doc])* $variant,)*
        }

        impl Errno {
            /// The POSIX name, such as `ENOENT`.
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
    /// The mode bits refuse it.
    Access "EACCES" "permission denied"
    /// The handle was not opened for this.
    BadHandle "EBADF" "bad file descriptor"
    /// A mount point or the root.
    Busy "EBUSY" "resource busy"
    /// A mount, an overlay or a system area lies between the two names.
    CrossDevice "EXDEV" "invalid cross-device link"
    /// Something has that name already.
    Exists "EEXIST" "file exists"
    /// Larger than a file may be.
    FileTooLarge "EFBIG" "file too large"
    /// A name that is not text.
    IllegalSequence "EILSEQ" "illegal byte sequence"
    /// An argument that makes no sense.
    Invalid "EINVAL" "invalid argument"
    /// A real directory failed underneath.
    Io "EIO" "input/output error"
    /// A directory where a file is needed.
    IsDirectory "EISDIR" "is a directory"
    /// More links on the way than anyone means.
    Loop "ELOOP" "too many levels of symbolic links"
    /// A name, or a path, beyond its cap.
    NameTooLong "ENAMETOOLONG" "file name too long"
    /// A device node: only the kernel knows what it does.
    NoDevice "ENXIO" "no such device or address"
    /// The quota, of bytes or of nodes.
    NoSpace "ENOSPC" "no space left on device"
    /// The path leaves the directory it is confined to.
    NotCapable "ENOTCAPABLE" "capabilities insufficient"
    /// A file where a directory is needed.
    NotDirectory "ENOTDIR" "not a directory"
    /// The directory still has entries.
    NotEmpty "ENOTEMPTY" "directory not empty"
    /// Nothing has that name.
    NotFound "ENOENT" "no such file or directory"
    /// Refused whatever the mode bits say.
    NotPermitted "EPERM" "operation not permitted"
    /// Not something this kind of node can do.
    NotSupported "ENOTSUP" "operation not supported"
    /// A system area, or a mount without writing.
    ReadOnly "EROFS" "read-only file system"
    /// What the handle stood for is gone from the real directory.
    Stale "ESTALE" "stale file handle"
    /// The file has as many names as a file may have.
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
