//! Operations on paths as bytes, which need not be UTF-8.

#[cfg(unix)]
pub(crate) use std::os::unix::ffi::{OsStrExt, OsStringExt};
#[cfg(target_os = "wasi")]
pub(crate) use std::os::wasi::ffi::{OsStrExt, OsStringExt};

/// Returns `name` below `dir`, or `name` itself if it is absolute.
pub(crate) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"/") {
        return name.to_vec();
    }
    let mut path = dir.to_vec();
    if !path.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// Returns the last component of a path.
pub(crate) fn base(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|b| *b != b'/').map_or(0, |at| at + 1);
    let start = path[..end].iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
    if end == 0 && !path.is_empty() { b"/" } else { &path[start..end] }
}
