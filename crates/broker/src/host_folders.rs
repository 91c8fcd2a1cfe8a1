//! Folders of the host that a sandbox shows to its tools.
//!
//! The broker never opens them. It tells people which real file a request is about, and binds grants
//! to the real folder, so that a grant for `/data` is not used for another folder mounted there.
//!
//! Meets T-PERM-018.

use std::sync::Arc;

use cofferdam_caps::{Capability, Request, Scope, visible};

/// The folders of the host in one sandbox. Clones share the list.
#[derive(Debug, Clone, Default)]
pub struct HostFolders(Arc<[HostFolder]>);

/// A folder of the host in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFolder {
    /// Path in the sandbox.
    pub at: String,
    /// Real path on the host.
    pub host: String,
    /// Effect of writes.
    pub mode: FolderMode,
}

/// Effect of writes to a folder of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderMode {
    /// Writes fail.
    ReadOnly,
    /// Writes stay in the sandbox.
    Overlay,
    /// Writes change the host.
    ReadWrite,
}

/// Marks a grant for files of the sandbox itself, below no mount.
const NO_FOLDER: &str = "";

impl HostFolders {
    /// Creates the list.
    pub fn new(folders: impl IntoIterator<Item = HostFolder>) -> Self {
        Self(folders.into_iter().collect())
    }

    /// Returns the folders.
    pub fn iter(&self) -> impl Iterator<Item = &HostFolder> {
        self.0.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if something in the sandbox can change the host.
    pub(crate) fn can_be_changed(&self) -> bool {
        self.0.iter().any(|folder| folder.mode == FolderMode::ReadWrite)
    }

    /// Returns true if a capability to write can change the host.
    pub(crate) fn changes(&self, capability: &Capability) -> bool {
        let Capability::Fs(fs) = capability else { return false };
        let begins_at = match fs.scope() {
            Scope::All => "/".to_owned(),
            Scope::Only(pattern) => literal_part(&pattern.to_string()).to_owned(),
        };
        let is_real = |folder: &&HostFolder| folder.mode == FolderMode::ReadWrite;
        let holds = self.containing(&begins_at).as_ref().is_some_and(is_real);
        let below = format!("{}/", begins_at.trim_end_matches('/'));
        holds || self.0.iter().filter(is_real).any(|folder| folder.at.starts_with(&below))
    }

    /// Returns the folder that contains a path of the sandbox: the innermost, if several do.
    pub(crate) fn containing(&self, path: &str) -> Option<&HostFolder> {
        let inside = self.0.iter().filter(|folder| folder.relative(path).is_some());
        inside.max_by_key(|folder| folder.at.len())
    }

    /// Returns the host folder that a grant for this request is bound to; `None` if the request is
    /// not about a file.
    pub(crate) fn of_request(&self, request: &Request) -> Option<Arc<str>> {
        match request {
            Request::Fs { path, .. } => Some(self.bound_to(path.as_str())),
            Request::Dom { .. }
            | Request::Env { .. }
            | Request::Network { .. }
            | Request::Process { .. }
            | Request::State { .. }
            | Request::Storage { .. }
            | Request::Function { .. } => None,
        }
    }

    /// Returns the host folder that a grant of this capability is bound to; `None` if it is not
    /// about files, or about all of them.
    pub(crate) fn of_capability(&self, capability: &Capability) -> Option<Arc<str>> {
        let Capability::Fs(fs) = capability else { return None };
        match fs.scope() {
            Scope::All => None,
            Scope::Only(pattern) => Some(self.bound_to(literal_part(&pattern.to_string()))),
        }
    }

    fn bound_to(&self, path: &str) -> Arc<str> {
        self.containing(path).map_or(NO_FOLDER, |folder| &folder.host).into()
    }

    /// Returns the real folder that a capability begins in, in words.
    pub(crate) fn describe_capability(&self, capability: &Capability) -> Option<String> {
        let Capability::Fs(fs) = capability else { return None };
        match fs.scope() {
            Scope::All => None,
            Scope::Only(pattern) => self.describe(literal_part(&pattern.to_string())),
        }
    }

    /// Returns the real path of a file and the effect of writes, in words; `None` if the file is not
    /// below a folder of the host.
    pub(crate) fn describe(&self, path: &str) -> Option<String> {
        let folder = self.containing(path)?;
        let below = folder.relative(path)?;
        let slash = if below.is_empty() || folder.host.ends_with('/') { "" } else { "/" };
        let real = format!("{}{slash}{below}", folder.host);
        let mode = match folder.mode {
            FolderMode::ReadOnly => "mounted read-only",
            FolderMode::Overlay => "mounted as an overlay: changes stay in the sandbox",
            FolderMode::ReadWrite => "mounted :rw: changes are real",
        };
        Some(format!("{} ({mode})", visible(&real)))
    }
}

impl HostFolder {
    /// Returns the part of a path below this folder; empty for the folder itself.
    fn relative<'a>(&self, path: &'a str) -> Option<&'a str> {
        let rest = path.strip_prefix(self.at.trim_end_matches('/'))?;
        match rest.strip_prefix('/') {
            Some(below) => Some(below),
            None => rest.is_empty().then_some(""),
        }
    }
}

/// Returns the folders of a pattern before the first that has a wildcard, without escapes.
fn literal_part(pattern: &str) -> &str {
    let end = pattern.find(['*', '\\']).unwrap_or(pattern.len());
    if end == pattern.len() {
        return pattern;
    }
    match pattern[..end].rfind('/') {
        Some(0) | None => "/",
        Some(slash) => &pattern[..slash],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> HostFolders {
        let folder =
            |at: &str, host: &str, mode| HostFolder { at: at.into(), host: host.into(), mode };
        HostFolders::new([
            folder("/data", "/home/me/data", FolderMode::ReadOnly),
            folder("/data/out", "/home/me/out", FolderMode::ReadWrite),
        ])
    }

    #[test]
    fn innermost_folder_counts() {
        let at = |path: &str| folders().containing(path).map(|folder| folder.host.clone());
        assert_eq!(at("/data").as_deref(), Some("/home/me/data"));
        assert_eq!(at("/data/a").as_deref(), Some("/home/me/data"));
        assert_eq!(at("/data/out/a").as_deref(), Some("/home/me/out"));
        assert_eq!(at("/database"), None);
    }

    #[test]
    fn real_path_and_mode_are_told() {
        let expect = "/home/me/data/a b (mounted read-only)";
        assert_eq!(folders().describe("/data/a b").as_deref(), Some(expect));
        let expect = "/home/me/out (mounted :rw: changes are real)";
        assert_eq!(folders().describe("/data/out").as_deref(), Some(expect));
        assert_eq!(folders().describe("/tmp/a"), None);
    }

    #[test]
    fn capability_is_bound_to_the_folder_it_begins_in() {
        let of = |text: &str| folders().of_capability(&text.parse().unwrap());
        assert_eq!(of("fs:read:/data/**").as_deref(), Some("/home/me/data"));
        assert_eq!(of("fs:read:/data/o*").as_deref(), Some("/home/me/data"));
        assert_eq!(of("fs:read:/data/out/a.txt").as_deref(), Some("/home/me/out"));
        assert_eq!(of("fs:read:/tmp/a").as_deref(), Some(""));
        assert_eq!(of("fs:read"), None);
        assert_eq!(of("env:read:A"), None);
    }
}
