//! Numbers of errors: those of WASI, which the C library has, and those of Linux, which scripts
//! know.

/// An error number of WASI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) u16);

macro_rules! errors {
    ($($name:ident $text:literal $wasi:literal $linux:literal,)+) => {
        impl Errno {
            $(#[allow(dead_code)] pub(crate) const $name: Errno = Errno($wasi);)+
        }

        /// Name, number of WASI, number of Linux.
        const TABLE: &[(&str, u16, i32)] = &[$(($text, $wasi, $linux),)+];
    };
}

errors! {
    E2BIG "E2BIG" 1 7,
    EACCES "EACCES" 2 13,
    EADDRINUSE "EADDRINUSE" 3 98,
    EADDRNOTAVAIL "EADDRNOTAVAIL" 4 99,
    EAFNOSUPPORT "EAFNOSUPPORT" 5 97,
    EAGAIN "EAGAIN" 6 11,
    EALREADY "EALREADY" 7 114,
    EBADF "EBADF" 8 9,
    EBADMSG "EBADMSG" 9 74,
    EBUSY "EBUSY" 10 16,
    ECANCELED "ECANCELED" 11 125,
    ECHILD "ECHILD" 12 10,
    ECONNABORTED "ECONNABORTED" 13 103,
    ECONNREFUSED "ECONNREFUSED" 14 111,
    ECONNRESET "ECONNRESET" 15 104,
    EDEADLK "EDEADLK" 16 35,
    EDESTADDRREQ "EDESTADDRREQ" 17 89,
    EDOM "EDOM" 18 33,
    EDQUOT "EDQUOT" 19 122,
    EEXIST "EEXIST" 20 17,
    EFAULT "EFAULT" 21 14,
    EFBIG "EFBIG" 22 27,
    EHOSTUNREACH "EHOSTUNREACH" 23 113,
    EIDRM "EIDRM" 24 43,
    EILSEQ "EILSEQ" 25 84,
    EINPROGRESS "EINPROGRESS" 26 115,
    EINTR "EINTR" 27 4,
    EINVAL "EINVAL" 28 22,
    EIO "EIO" 29 5,
    EISCONN "EISCONN" 30 106,
    EISDIR "EISDIR" 31 21,
    ELOOP "ELOOP" 32 40,
    EMFILE "EMFILE" 33 24,
    EMLINK "EMLINK" 34 31,
    EMSGSIZE "EMSGSIZE" 35 90,
    EMULTIHOP "EMULTIHOP" 36 72,
    ENAMETOOLONG "ENAMETOOLONG" 37 36,
    ENETDOWN "ENETDOWN" 38 100,
    ENETRESET "ENETRESET" 39 102,
    ENETUNREACH "ENETUNREACH" 40 101,
    ENFILE "ENFILE" 41 23,
    ENOBUFS "ENOBUFS" 42 105,
    ENODEV "ENODEV" 43 19,
    ENOENT "ENOENT" 44 2,
    ENOEXEC "ENOEXEC" 45 8,
    ENOLCK "ENOLCK" 46 37,
    ENOLINK "ENOLINK" 47 67,
    ENOMEM "ENOMEM" 48 12,
    ENOMSG "ENOMSG" 49 42,
    ENOPROTOOPT "ENOPROTOOPT" 50 92,
    ENOSPC "ENOSPC" 51 28,
    ENOSYS "ENOSYS" 52 38,
    ENOTCONN "ENOTCONN" 53 107,
    ENOTDIR "ENOTDIR" 54 20,
    ENOTEMPTY "ENOTEMPTY" 55 39,
    ENOTRECOVERABLE "ENOTRECOVERABLE" 56 131,
    ENOTSOCK "ENOTSOCK" 57 88,
    ENOTSUP "ENOTSUP" 58 95,
    ENOTTY "ENOTTY" 59 25,
    ENXIO "ENXIO" 60 6,
    EOVERFLOW "EOVERFLOW" 61 75,
    EOWNERDEAD "EOWNERDEAD" 62 130,
    EPERM "EPERM" 63 1,
    EPIPE "EPIPE" 64 32,
    EPROTO "EPROTO" 65 71,
    EPROTONOSUPPORT "EPROTONOSUPPORT" 66 93,
    EPROTOTYPE "EPROTOTYPE" 67 91,
    ERANGE "ERANGE" 68 34,
    EROFS "EROFS" 69 30,
    ESPIPE "ESPIPE" 70 29,
    ESRCH "ESRCH" 71 3,
    ESTALE "ESTALE" 72 116,
    ETIMEDOUT "ETIMEDOUT" 73 110,
    ETXTBSY "ETXTBSY" 74 26,
    EXDEV "EXDEV" 75 18,
}

impl Errno {
    /// Returns the error of this name.
    pub(crate) fn named(name: &str) -> Option<Errno> {
        TABLE.iter().find(|(text, ..)| *text == name).map(|(_, wasi, _)| Errno(*wasi))
    }
}

/// Returns Linux's number of an error of WASI; for CPython's C code.
#[unsafe(no_mangle)]
extern "C" fn cofferdam_errno_to_linux(wasi: i32) -> i32 {
    let found = TABLE.iter().find(|(_, number, _)| i32::from(*number) == wasi);
    found.map_or(wasi, |(.., linux)| *linux)
}

/// Returns WASI's number of an error of Linux; for CPython's C code.
#[unsafe(no_mangle)]
extern "C" fn cofferdam_errno_from_linux(linux: i32) -> i32 {
    let found = TABLE.iter().find(|(.., number)| *number == linux);
    found.map_or(linux, |(_, wasi, _)| i32::from(*wasi))
}
