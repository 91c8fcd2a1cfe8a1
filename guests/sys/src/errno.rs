//! Conversion of the host's errno names to the C library's numbers.

macro_rules! names {
    ($($name:ident)+) => {
        /// Returns the C library's number for an errno name.
        pub(crate) fn number(name: &str) -> Option<i32> {
            match name {
                $(stringify!($name) => Some(libc::$name),)+
                _ => None,
            }
        }
    };
}

names! {
    E2BIG EACCES EAGAIN EBADF EBUSY ECHILD EEXIST EFAULT EFBIG EINTR EINVAL EIO EISDIR ELOOP
    EMFILE EMLINK ENAMETOOLONG ENFILE ENODEV ENOENT ENOEXEC ENOMEM ENOSPC ENOSYS ENOTDIR
    ENOTEMPTY ENOTSUP ENOTTY ENXIO EPERM EPIPE EROFS ESPIPE ESRCH ETXTBSY EXDEV
}
