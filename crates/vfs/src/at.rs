use crate::{OpenFile, VPath};

/// Where an operation takes place: a path, and what it starts from.
///
/// Text and [`VPath`]s convert: text is taken from the root and links are followed, a `VPath` is
/// taken as it is and no link is followed.
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

/// What to do when the last name of a path is a link. Links before it are always followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// Go where it points.
    Link,
    /// Take the link itself, unless a slash follows it.
    Never,
}

impl<'a> At<'a> {
    /// A path from the root.
    pub fn root(path: &'a str) -> Self {
        At { base: Base::Root, path, last: Follow::Link }
    }

    /// A path from a directory, such as the working directory of a process. It may be absolute,
    /// and may climb.
    pub fn directory(directory: &'a OpenFile, path: &'a str) -> Self {
        At { base: Base::Directory(directory), path, last: Follow::Link }
    }

    /// A path confined to a directory, as WASI wants it: an absolute path, and any `..` or link
    /// that leaves, is `ENOTCAPABLE`. Below the root itself an absolute link leaves nothing.
    pub fn beneath(directory: &'a OpenFile, path: &'a str) -> Self {
        At { base: Base::Beneath(directory), path, last: Follow::Link }
    }

    /// The same, with another rule for a link at the end.
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
