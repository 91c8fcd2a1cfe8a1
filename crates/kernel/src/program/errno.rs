//! Errors of WASI preview 1, with their numbers.

use cofferdam_vfs as vfs;

/// Declares every error once: variant, number, POSIX name, words.
macro_rules! errnos {
    ($($variant:ident $number:literal $name:literal $text:literal)+) => {
        /// Error of a program's call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        #[allow(missing_docs)]
        pub enum Errno {
            $($variant = $number,)+
        }

        impl Errno {
            /// Returns the POSIX name, such as `ENOENT`.
            pub fn name(self) -> &'static str {
                match self { $(Errno::$variant => $name,)+ }
            }
        }

        impl std::fmt::Display for Errno {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Errno::$variant => $text,)+ })
            }
        }
    };
}

errnos! {
    TooBig 1 "E2BIG" "argument list too long"
    Access 2 "EACCES" "permission denied"
    Again 6 "EAGAIN" "resource temporarily unavailable"
    BadDescriptor 8 "EBADF" "bad file descriptor"
    Busy 10 "EBUSY" "resource busy"
    Child 12 "ECHILD" "no child processes"
    Exists 20 "EEXIST" "file exists"
    Fault 21 "EFAULT" "bad address"
    FileTooLarge 22 "EFBIG" "file too large"
    IllegalSequence 25 "EILSEQ" "illegal byte sequence"
    Interrupted 27 "EINTR" "interrupted system call"
    Invalid 28 "EINVAL" "invalid argument"
    Io 29 "EIO" "input/output error"
    IsDirectory 31 "EISDIR" "is a directory"
    Loop 32 "ELOOP" "too many levels of symbolic links"
    TooManyDescriptors 33 "EMFILE" "too many open files"
    TooManyLinks 34 "EMLINK" "too many links"
    NameTooLong 37 "ENAMETOOLONG" "file name too long"
    NotFound 44 "ENOENT" "no such file or directory"
    NotExecutable 45 "ENOEXEC" "exec format error"
    NoSpace 51 "ENOSPC" "no space left on device"
    NotDirectory 54 "ENOTDIR" "not a directory"
    NotEmpty 55 "ENOTEMPTY" "directory not empty"
    NotSocket 57 "ENOTSOCK" "not a socket"
    NotSupported 58 "ENOTSUP" "operation not supported"
    NoDevice 60 "ENXIO" "no such device or address"
    Overflow 61 "EOVERFLOW" "value too large for defined data type"
    NotPermitted 63 "EPERM" "operation not permitted"
    Pipe 64 "EPIPE" "broken pipe"
    ReadOnly 69 "EROFS" "read-only file system"
    NotSeekable 70 "ESPIPE" "illegal seek"
    NoProcess 71 "ESRCH" "no such process"
    Stale 72 "ESTALE" "stale file handle"
    CrossDevice 75 "EXDEV" "invalid cross-device link"
    NotCapable 76 "ENOTCAPABLE" "capabilities insufficient"
}

impl From<vfs::Errno> for Errno {
    fn from(errno: vfs::Errno) -> Self {
        match errno {
            vfs::Errno::Access => Errno::Access,
            vfs::Errno::BadHandle => Errno::BadDescriptor,
            vfs::Errno::Busy => Errno::Busy,
            vfs::Errno::CrossDevice => Errno::CrossDevice,
            vfs::Errno::Exists => Errno::Exists,
            vfs::Errno::FileTooLarge => Errno::FileTooLarge,
            vfs::Errno::IllegalSequence => Errno::IllegalSequence,
            vfs::Errno::Invalid => Errno::Invalid,
            vfs::Errno::IsDirectory => Errno::IsDirectory,
            vfs::Errno::Loop => Errno::Loop,
            vfs::Errno::NameTooLong => Errno::NameTooLong,
            vfs::Errno::NoDevice => Errno::NoDevice,
            vfs::Errno::NoSpace => Errno::NoSpace,
            vfs::Errno::NotCapable => Errno::NotCapable,
            vfs::Errno::NotDirectory => Errno::NotDirectory,
            vfs::Errno::NotEmpty => Errno::NotEmpty,
            vfs::Errno::NotFound => Errno::NotFound,
            vfs::Errno::NotPermitted => Errno::NotPermitted,
            vfs::Errno::NotSupported => Errno::NotSupported,
            vfs::Errno::ReadOnly => Errno::ReadOnly,
            vfs::Errno::Stale => Errno::Stale,
            vfs::Errno::TooManyLinks => Errno::TooManyLinks,
            // `Io`, and errors that the files may add.
            _ => Errno::Io,
        }
    }
}

impl From<vfs::Error> for Errno {
    fn from(error: vfs::Error) -> Self {
        error.errno().into()
    }
}
