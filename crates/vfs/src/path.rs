//! Paths: [`VPath`] of the sandbox, `Inside` of a mount, and the caps on names and paths.
//!
//! Neither converts to a path of the real machine.

use std::fmt;
use std::sync::Arc;

use crate::{Errno, raw};

/// Longest name of one entry, in bytes.
pub const NAME_MAX: usize = 255;

/// Longest path, in bytes, counting the terminator a C program would add.
pub const PATH_MAX: usize = 4096;

/// Most symbolic links followed while resolving one path.
pub const LINKS_MAX: u32 = 40;

/// A path of the sandbox: absolute, normalised, without `.` and `..`.
///
/// It names nothing on the real machine and has no conversion to `PathBuf`. A path from
/// [`Files::resolve`](crate::Files::resolve) is physical: no component is a link. Operations on a
/// `VPath` follow no link, so a checked path that was replaced by a link fails instead of reaching
/// another file.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VPath(Arc<str>);

impl VPath {
    /// Returns `/`.
    pub fn root() -> Self {
        VPath("/".into())
    }

    /// Parses text that is already absolute and normalised; anything else is `EINVAL`.
    pub fn new(text: &str) -> Result<Self, Errno> {
        check_path(text)?;
        let Some(rest) = text.strip_prefix('/') else { return Err(Errno::Invalid) };
        if !rest.is_empty() {
            for name in rest.split('/') {
                check_name(name)?;
            }
        }
        Ok(VPath(text.into()))
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the names of the path; none for the root.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// Returns the last name, or `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.names().next_back()
    }

    /// Returns the parent directory, or `None` for the root.
    pub fn parent(&self) -> Option<VPath> {
        let cut = self.0.rfind('/').filter(|_| self.0.len() > 1)?;
        Some(if cut == 0 { VPath::root() } else { VPath(self.0[..cut].into()) })
    }

    /// Returns true if this path is `other` or below it, compared by whole names.
    pub fn is_within(&self, other: &VPath) -> bool {
        let base = other.0.trim_end_matches('/');
        self.0.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Builds a path from names that were looked up and are therefore valid.
    pub(crate) fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, Errno> {
        let mut text = String::new();
        for name in names {
            text.push('/');
            text.push_str(name);
            if text.len() >= PATH_MAX {
                return Err(Errno::NameTooLong);
            }
        }
        Ok(if text.is_empty() { VPath::root() } else { VPath(text.into()) })
    }
}

impl fmt::Display for VPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for VPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A path inside a mount, relative to its top, which is the empty path.
///
/// Consists of looked-up names only, so it is normalised and never contains `..`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside(String);

impl Inside {
    pub(crate) fn top() -> Self {
        Inside::default()
    }

    pub(crate) fn is_top(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    pub(crate) fn join(&self, name: &str) -> Inside {
        let mut path = self.clone();
        path.push(name);
        path
    }

    pub(crate) fn push(&mut self, name: &str) {
        debug_assert!(check_name(name).is_ok(), "{name:?} is not a name");
        if !self.0.is_empty() {
            self.0.push('/');
        }
        self.0.push_str(name);
    }

    pub(crate) fn pop(&mut self) {
        self.0.truncate(self.0.rfind('/').unwrap_or(0));
    }

    /// Returns the parent and the last name, or `None` for the top.
    #[cfg_attr(not(unix), allow(dead_code, reason = "splits paths of real directories"))]
    pub(crate) fn split(&self) -> Option<(&str, &str)> {
        if self.is_top() {
            return None;
        }
        Some(self.0.rsplit_once('/').unwrap_or(("", &self.0)))
    }
}

/// Checks the properties that any path of a guest must have before it is resolved.
pub(crate) fn check_path(text: &str) -> Result<(), Errno> {
    if text.is_empty() {
        Err(Errno::NotFound)
    } else if text.len() >= PATH_MAX {
        Err(Errno::NameTooLong)
    } else if text.contains('\0') {
        Err(Errno::Invalid)
    } else {
        Ok(())
    }
}

/// Checks the length of a name that is looked up, and that no other text stands for it.
pub(crate) fn check_length(name: &str) -> Result<(), Errno> {
    match raw::len(name) {
        Some(length) if length <= NAME_MAX => Ok(()),
        Some(_) => Err(Errno::NameTooLong),
        None => Err(Errno::IllegalSequence),
    }
}

/// Checks that text is valid as the name of an entry.
pub(crate) fn check_name(name: &str) -> Result<(), Errno> {
    check_length(name)?;
    if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) {
        Err(Errno::Invalid)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<(), Errno>) {
        assert_eq!(VPath::new(text).map(|_| ()), expect, "{text:?}");
    }

    #[test]
    fn a_normal_absolute_path_is_taken() {
        check("/", Ok(()));
        check("/a/b c/ä", Ok(()));
        check("/...", Ok(()));
    }

    #[test]
    fn anything_to_be_normalised_is_refused() {
        for text in ["a", "//", "/a/", "/a//b", "/./a", "/a/..", "/a\0"] {
            check(text, Err(Errno::Invalid));
        }
        check("", Err(Errno::NotFound));
    }

    #[test]
    fn names_and_paths_have_caps() {
        check(&format!("/{}", "n".repeat(255)), Ok(()));
        check(&format!("/{}", "n".repeat(256)), Err(Errno::NameTooLong));
        check(&format!("/aa{}", "/a".repeat(2046)), Ok(()));
        check(&"/a".repeat(2048), Err(Errno::NameTooLong));
    }

    /// T-PERM-024.
    #[test]
    fn a_name_has_one_text() {
        check("/a\u{efff}", Ok(()));
        check("/\u{efc3}\u{efa9}", Err(Errno::IllegalSequence));
        // The cap is on the bytes of the name.
        check(&format!("/{}", "\u{efff}".repeat(255)), Ok(()));
        check(&format!("/{}", "\u{efff}".repeat(256)), Err(Errno::NameTooLong));
    }

    #[test]
    fn within_goes_by_whole_names() {
        let within = |a: &str, b: &str| VPath::new(a).unwrap().is_within(&VPath::new(b).unwrap());
        assert!(within("/a/b", "/a") && within("/a", "/a") && within("/a", "/"));
        assert!(!within("/ab", "/a") && !within("/", "/a"));
    }

    #[test]
    fn the_parent_of_a_top_name_is_the_root() {
        let path = VPath::new("/a/b").unwrap();
        assert_eq!(path.name(), Some("b"));
        let parent = path.parent().unwrap();
        assert_eq!((parent.as_str(), parent.parent().unwrap().as_str()), ("/a", "/"));
        assert_eq!(VPath::root().parent(), None);
    }

    #[test]
    fn a_place_in_a_mount_goes_down_and_up() {
        let mut place = Inside::top().join("a").join("b");
        assert_eq!(place.split(), Some(("a", "b")));
        place.pop();
        assert_eq!(place.split(), Some(("", "a")));
        place.pop();
        assert!(place.is_top());
    }
}
