//! Errno names, as the host refuses with them, to the C library's numbers.

macro_rules! names {
    ($($name:ident)+) => {
        /// The number of this name.
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
