//! Error numbers that programs receive.

/// `EACCES`.
pub(crate) const ACCESS: i32 = 13;

/// `ENOENT`.
pub(crate) const NOT_FOUND: i32 = 2;

/// `EAFNOSUPPORT`.
pub(crate) const FAMILY: i32 = 97;
