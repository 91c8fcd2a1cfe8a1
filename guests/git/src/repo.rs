//! The repository that a command works on: its directory, work tree and settings.

use std::fs;

use cofferdam_guest_sys as sys;

use crate::bytes::{self, join, normal, variable};
use crate::fault::{Fault, Result, fatal};
use crate::store::config::{Config, Setting};
use crate::store::index::Index;
use crate::store::odb::Odb;
use crate::store::oid::Oid;
use crate::store::reflog::{self, Change};
use crate::store::refs::{Ref, Refs};
use crate::tree::attributes::Attributes;

/// A repository.
pub(crate) struct Repo {
    /// The directory `.git`, absolute; that of a worktree holds only what is its own.
    pub(crate) git_dir: Vec<u8>,
    /// The directory that all worktrees share.
    pub(crate) common_dir: Vec<u8>,
    /// The root of the work tree, absolute; `None` for a bare repository.
    pub(crate) work_tree: Option<Vec<u8>>,
    /// The current directory, relative to the work tree.
    pub(crate) prefix: Vec<u8>,
    pub(crate) config: Config,
    pub(crate) odb: Odb,
    pub(crate) refs: Refs,
    pub(crate) attributes: Attributes,
}

/// Returns the current directory.
pub(crate) fn current_dir() -> Vec<u8> {
    std::env::current_dir().map(|dir| bytes::raw(dir.as_os_str()).to_vec()).unwrap_or_default()
}

/// Replaces a leading `~` by the home directory.
pub(crate) fn expand_home(file: &[u8]) -> Vec<u8> {
    match (file.strip_prefix(b"~/"), variable("HOME")) {
        (Some(rest), Some(home)) => join(&home, rest),
        _ => file.to_vec(),
    }
}

/// Returns the directory that a repository shares with its other worktrees: its own, unless a file
/// names another.
pub(crate) fn common_dir(git_dir: &[u8]) -> Vec<u8> {
    match fs::read(bytes::path(&join(git_dir, b"commondir"))) {
        Ok(data) => normal(&join(git_dir, bytes::trim(&data))),
        Err(_) => git_dir.to_vec(),
    }
}

/// Files of a repository that all its worktrees share.
const SHARED: [&str; 8] =
    ["config", "description", "hooks", "info", "objects", "packed-refs", "shallow", "worktrees"];

fn is_git_dir(dir: &[u8]) -> bool {
    let common = common_dir(dir);
    bytes::path(&join(&common, b"objects")).is_dir()
        && bytes::path(&join(&common, b"refs")).is_dir()
        && fs::symlink_metadata(bytes::path(&join(dir, b"HEAD"))).is_ok()
}

/// Returns the directory that `.git` is or names.
fn git_dir_at(dot_git: &[u8]) -> Option<Vec<u8>> {
    if is_git_dir(dot_git) {
        return Some(dot_git.to_vec());
    }
    let data = fs::read(bytes::path(dot_git)).ok()?;
    let target = bytes::trim(data.strip_prefix(b"gitdir:")?);
    let dir = normal(&join(bytes::parent(dot_git), target));
    is_git_dir(&dir).then_some(dir)
}

impl Repo {
    /// Finds the repository of the current directory.
    pub(crate) fn find(given: &[Setting]) -> Result<Repo> {
        let cwd = current_dir();
        if let Some(dir) = variable("GIT_DIR") {
            let git_dir = git_dir_at(&normal(&join(&cwd, &dir)))
                .ok_or_else(|| fatal(format!("not a git repository: '{}'", bytes::text(&dir))))?;
            let work_tree = variable("GIT_WORK_TREE").map(|dir| normal(&join(&cwd, &dir)));
            return Repo::at(git_dir, Some(work_tree.unwrap_or_else(|| cwd.clone())), &cwd, given);
        }
        let mut dir = cwd.as_slice();
        loop {
            if let Some(git_dir) = git_dir_at(&join(dir, b".git")) {
                return Repo::at(git_dir, Some(dir.to_vec()), &cwd, given);
            }
            if is_git_dir(dir) {
                let is_inside = bytes::base(dir) == b".git";
                let work_tree = is_inside.then(|| bytes::parent(dir).to_vec());
                return Repo::at(dir.to_vec(), work_tree, &cwd, given);
            }
            if dir == b"/" || dir.is_empty() {
                let text = "not a git repository (or any of the parent directories): .git";
                return Err(fatal(text));
            }
            dir = match bytes::parent(dir) {
                b"" => b"/",
                parent => parent,
            };
        }
    }

    /// Opens a repository at a path that may be its work tree or the directory itself.
    pub(crate) fn open(dir: &[u8]) -> Option<Repo> {
        let dot_git = join(dir, b".git");
        if let Some(git_dir) = git_dir_at(&dot_git) {
            return Repo::at(git_dir, Some(dir.to_vec()), dir, &[]).ok();
        }
        is_git_dir(dir).then(|| Repo::at(dir.to_vec(), None, dir, &[]).ok()).flatten()
    }

    /// Opens a repository whose directory is known.
    pub(crate) fn at(
        git_dir: Vec<u8>,
        work_tree: Option<Vec<u8>>,
        cwd: &[u8],
        given: &[Setting],
    ) -> Result<Repo> {
        let common_dir = common_dir(&git_dir);
        let config = Config::load(Some(&common_dir), given)?;
        // A worktree of a bare repository is not bare.
        let is_bare = config.flag("core.bare") == Some(true) && common_dir == git_dir;
        let work_tree = work_tree.filter(|_| !is_bare);
        let prefix = work_tree.as_ref().and_then(|root| below(root, cwd)).unwrap_or_default();
        let format = config.get("extensions.objectformat").unwrap_or("sha1");
        if format != "sha1" {
            return Err(fatal(format!("unknown object format '{format}': only sha1 is supported")));
        }
        Ok(Repo {
            attributes: Attributes::new(&config, &common_dir, work_tree.as_deref()),
            odb: Odb::new(join(&common_dir, b"objects")),
            refs: Refs::new(git_dir.clone(), common_dir.clone()),
            git_dir,
            common_dir,
            work_tree,
            prefix,
            config,
        })
    }

    /// Returns a file in the repository's directory.
    pub(crate) fn file(&self, name: &str) -> Vec<u8> {
        let first = name.split('/').next().unwrap_or_default();
        let is_shared = SHARED.contains(&first);
        join(if is_shared { &self.common_dir } else { &self.git_dir }, name.as_bytes())
    }

    /// Returns the root of the work tree, or fails in a bare repository.
    pub(crate) fn root(&self) -> Result<&[u8]> {
        self.work_tree.as_deref().ok_or_else(|| fatal("this operation must be run in a work tree"))
    }

    /// Returns the file of a path in the work tree.
    pub(crate) fn work_path(&self, path: &[u8]) -> Vec<u8> {
        join(self.work_tree.as_deref().unwrap_or_default(), path)
    }

    /// Turns an argument into a path relative to the work tree.
    pub(crate) fn relative(&self, arg: &[u8]) -> Result<Vec<u8>> {
        let root = self.root()?;
        if arg.is_empty() {
            return Err(fatal(
                "empty string is not a valid pathspec. please use . instead if you meant to match all paths",
            ));
        }
        let full = normal(&join(&join(root, &self.prefix), arg));
        below(root, &full).ok_or_else(|| {
            let (arg, root) = (bytes::text(arg), bytes::text(root));
            fatal(format!("{arg}: '{arg}' is outside repository at '{root}'"))
        })
    }

    /// Turns a path of the work tree into one that is relative to the current directory.
    pub(crate) fn shown(&self, path: &[u8]) -> Vec<u8> {
        if self.prefix.is_empty() {
            return path.to_vec();
        }
        let prefix: Vec<&[u8]> = self.prefix.split(|b| *b == b'/').collect();
        let parts: Vec<&[u8]> = path.split(|b| *b == b'/').collect();
        let common = prefix.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        let common = common.min(parts.len().saturating_sub(1)).min(prefix.len());
        let mut out: Vec<&[u8]> = vec![b".."; prefix.len() - common];
        out.extend(&parts[common..]);
        if out == [b"".as_slice()] {
            return b"./".to_vec();
        }
        out.join(&b'/')
    }

    /// Reads the index.
    pub(crate) fn index(&self) -> Result<Index> {
        Index::read(&self.index_file())
    }

    fn index_file(&self) -> Vec<u8> {
        variable("GIT_INDEX_FILE").unwrap_or_else(|| self.file("index"))
    }

    /// Writes the index.
    pub(crate) fn write_index(&self, index: &mut Index) -> Result<()> {
        crate::tree::work::guard_racy(self, index);
        index.write(&self.index_file())
    }

    /// Returns the commit of `HEAD`; `None` before the first commit.
    pub(crate) fn head(&self) -> Result<Option<Oid>> {
        self.refs.resolve(b"HEAD")
    }

    /// Returns the tree of `HEAD`; the zero identity before the first commit.
    pub(crate) fn head_tree(&self) -> Result<Oid> {
        match self.head()? {
            Some(oid) => Ok(self.odb.commit(oid)?.tree),
            None => Ok(Oid::ZERO),
        }
    }

    /// Sets a reference and records the change; `HEAD` follows if it names the reference.
    pub(crate) fn update_ref(&self, name: &[u8], new: Oid, message: &str) -> Result<()> {
        let target = match name {
            b"HEAD" => self.refs.branch()?.unwrap_or_else(|| b"HEAD".to_vec()),
            other => other.to_vec(),
        };
        let old = self.refs.resolve(&target)?.unwrap_or(Oid::ZERO);
        self.refs.write(&target, &Ref::Direct(new))?;
        let is_head = target == b"HEAD" || self.refs.branch()?.as_deref() == Some(&target);
        self.record(&target, old, new, message)?;
        if is_head && target != b"HEAD" {
            self.record(b"HEAD", old, new, message)?;
        }
        Ok(())
    }

    /// Records a change of a reference.
    pub(crate) fn record(&self, name: &[u8], old: Oid, new: Oid, message: &str) -> Result<()> {
        let is_on = self.config.flag("core.logallrefupdates").unwrap_or(self.work_tree.is_some());
        if !is_on || !reflog::is_recorded(name) {
            return Ok(());
        }
        let who = crate::ident::committer_or(self, crate::ident::SOMEBODY)?;
        let change = Change { old, new, who, message: message.as_bytes().to_vec() };
        reflog::append(&self.git_dir, name, &change)
    }

    /// Returns the name of the current branch for people, or `HEAD` if there is none.
    pub(crate) fn branch_name(&self) -> Result<Vec<u8>> {
        let branch = self.refs.branch()?;
        Ok(branch.map_or_else(
            || b"HEAD".to_vec(),
            |name| name.strip_prefix(b"refs/heads/").unwrap_or(&name).to_vec(),
        ))
    }

    /// Reads a file of state such as `MERGE_HEAD`.
    pub(crate) fn state(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(bytes::path(&self.file(name))).ok()
    }

    /// Writes a file of state.
    pub(crate) fn set_state(&self, name: &str, data: &[u8]) -> Result<()> {
        let file = self.file(name);
        bytes::replace(&file, data).map_err(|e| -> Fault {
            fatal(format!("{}: {}", bytes::text(&file), crate::fault::reason(&e)))
        })
    }

    /// Removes the state of a merge, cherry-pick or revert.
    pub(crate) fn clear_state(&self) {
        for name in [
            "MERGE_HEAD",
            "MERGE_MSG",
            "MERGE_MODE",
            "CHERRY_PICK_HEAD",
            "REVERT_HEAD",
            "SQUASH_MSG",
            "AUTO_MERGE",
        ] {
            // A file that is not there needs no removal.
            let _ = fs::remove_file(bytes::path(&self.file(name)));
        }
    }

    /// Returns the current time in seconds since 1970.
    pub(crate) fn now() -> i64 {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |now| now.as_secs() as i64)
    }
}

/// Returns a path relative to a directory above it.
fn below(root: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    if root == path {
        return Some(Vec::new());
    }
    if root == b"/" {
        return path.strip_prefix(b"/").map(<[u8]>::to_vec);
    }
    path.strip_prefix(root)?.strip_prefix(b"/").map(<[u8]>::to_vec)
}

/// Returns true if the path exists, also as a link that leads nowhere.
pub(crate) fn exists(path: &[u8]) -> bool {
    sys::stat(path, false).is_ok()
}
