//! The path argument of an operation: text, its base and the treatment of a final link.
//!
//! Separate from `path`: the text here is not resolved yet.

use crate::{OpenFile, VPath};

/// The path of an operation and the base it is resolved from.
///
/// Text and [`VPath`]s convert into it. Text is resolved from the root and links are followed. A
/// `VPath` is already resolved, so no link is followed.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub(crate) base: Base<'a>,
    pub(crate) path: &'a str,
    pub(crate) last: Follow,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Base<'a> {
    Root,
    Directory(&'a OpenFile),
    Beneath(&'a OpenFile),
    Exact,
}

/// Treatment of a link as the last name of a path. Links before it are always followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// Follows the link.
    Link,
    /// Uses the link itself, unless a slash follows it.
    Never,
}

impl<'a> At<'a> {
    /// Creates a path from the root.
    pub fn root(path: &'a str) -> Self {
        At { base: Base::Root, path, last: Follow::Link }
    }

    /// Creates a path from a directory, such as the working directory of a process. The path may be
    /// absolute and may contain `..`.
    pub fn directory(directory: &'a OpenFile, path: &'a str) -> Self {
        At { base: Base::Directory(directory), path, last: Follow::Link }
    }

    /// Creates a path confined to a directory, as in WASI: an absolute path, or a `..` or link
    /// that leaves the directory, is `ENOTCAPABLE`. Below the root, an absolute link does not
    /// leave.
    pub fn beneath(directory: &'a OpenFile, path: &'a str) -> Self {
        At { base: Base::Beneath(directory), path, last: Follow::Link }
    }

    /// Sets the treatment of a link as the last name.
    pub fn follow(self, last: Follow) -> Self {
        At { last, ..self }
    }
}

impl<'a> From<&'a str> for At<'a> {
    fn from(path: &'a str) -> Self {
        At::root(path)
    }
}

impl<'a> From<&'a String> for At<'a> {
    fn from(path: &'a String) -> Self {
        At::root(path)
    }
}

impl<'a> From<&'a VPath> for At<'a> {
    fn from(path: &'a VPath) -> Self {
        At { base: Base::Exact, path: path.as_str(), last: Follow::Never }
    }
}
