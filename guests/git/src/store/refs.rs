//! References: branches, tags and `HEAD`, loose or packed.

use std::collections::BTreeMap;
use std::fs;

use super::oid::Oid;
use crate::bytes::{self, join};
use crate::fault::{At, Result, fatal};
use crate::tree::checkout::is_real_directory;

/// Longest chain of symbolic references that is followed.
const MAX_DEPTH: usize = 5;

/// Content of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ref {
    Direct(Oid),
    /// The name of another reference.
    Symbolic(Vec<u8>),
}

/// The references of a repository.
pub(crate) struct Refs {
    /// The directory of this worktree, which has its own `HEAD`.
    dir: Vec<u8>,
    /// The directory with the references that all worktrees share.
    common: Vec<u8>,
}

impl Refs {
    /// Opens the references in a repository's directory.
    pub(crate) fn new(dir: Vec<u8>, common: Vec<u8>) -> Refs {
        Refs { dir, common }
    }

    /// Returns the directory of a reference.
    fn dir_of(&self, name: &[u8]) -> &[u8] {
        if is_shared(name) { &self.common } else { &self.dir }
    }

    /// Returns the file of a reference; refuses names that would leave the directory.
    fn file(&self, name: &[u8]) -> Result<Vec<u8>> {
        let is_bad = |part: &[u8]| matches!(part, b"" | b"." | b"..") || part.contains(&0);
        if name.split(|b| *b == b'/').any(is_bad) {
            return Err(fatal(format!("bad ref {}", bytes::text(name))));
        }
        Ok(join(self.dir_of(name), name))
    }

    /// Reads one reference by its full name.
    pub(crate) fn read(&self, name: &[u8]) -> Result<Option<Ref>> {
        // Arguments that are no names, such as `.`, are tried as names as well.
        let Ok(file) = self.file(name) else { return Ok(None) };
        let data = match fs::read(bytes::path(&file)) {
            Ok(data) => data,
            // A directory of references has the name of none.
            Err(_) => return Ok(self.packed().get(name).map(|oid| Ref::Direct(*oid))),
        };
        let line = bytes::trim(&data);
        if let Some(target) = line.strip_prefix(b"ref:") {
            return Ok(Some(Ref::Symbolic(bytes::trim(target).to_vec())));
        }
        let first = line.get(..40).unwrap_or_default();
        match Oid::parse(first) {
            Some(oid) => Ok(Some(Ref::Direct(oid))),
            None => Err(fatal(format!("bad ref {}", bytes::text(name)))),
        }
    }

    /// Follows symbolic references; `None` if the last one does not exist yet.
    pub(crate) fn resolve(&self, name: &[u8]) -> Result<Option<Oid>> {
        let mut name = name.to_vec();
        for _ in 0..MAX_DEPTH {
            match self.read(&name)? {
                Some(Ref::Direct(oid)) => return Ok(Some(oid)),
                Some(Ref::Symbolic(next)) => name = next,
                None => return Ok(None),
            }
        }
        Err(fatal(format!("too many levels of symbolic refs: {}", bytes::text(&name))))
    }

    /// Returns the branch that `HEAD` names (`refs/heads/…`), or `None` if it names a commit.
    pub(crate) fn branch(&self) -> Result<Option<Vec<u8>>> {
        Ok(match self.read(b"HEAD")? {
            Some(Ref::Symbolic(name)) => Some(name),
            Some(Ref::Direct(_)) | None => None,
        })
    }

    fn packed(&self) -> BTreeMap<Vec<u8>, Oid> {
        let data = fs::read(bytes::path(&join(&self.common, b"packed-refs"))).unwrap_or_default();
        let mut refs = BTreeMap::new();
        for line in data.split(|b| *b == b'\n') {
            if let Some(oid) = line.get(..40).and_then(Oid::parse)
                && line.get(40) == Some(&b' ')
            {
                refs.insert(line[41..].to_vec(), oid);
            }
        }
        refs
    }

    /// Returns all references below a prefix such as `refs/heads/`, resolved and sorted.
    pub(crate) fn list(&self, prefix: &str) -> Result<Vec<(Vec<u8>, Oid)>> {
        let mut found = self.packed();
        found.retain(|name, _| name.starts_with(prefix.as_bytes()));
        let mut dirs = vec![prefix.trim_end_matches('/').as_bytes().to_vec()];
        while let Some(dir) = dirs.pop() {
            let Ok(list) = fs::read_dir(bytes::path(&join(self.dir_of(&dir), &dir))) else {
                continue;
            };
            for entry in list.flatten() {
                let name = join(&dir, bytes::raw(&entry.file_name()));
                if is_real_directory(&entry) {
                    dirs.push(name);
                } else if !name.ends_with(b".lock") && !bytes::base(&name).starts_with(b".") {
                    match self.resolve(&name) {
                        Ok(Some(oid)) => drop(found.insert(name, oid)),
                        Ok(None) => {}
                        Err(_) => {
                            eprintln!("warning: ignoring broken ref {}", bytes::text(&name));
                        }
                    }
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    /// Sets a reference.
    pub(crate) fn write(&self, name: &[u8], value: &Ref) -> Result<()> {
        let text = match value {
            Ref::Direct(oid) => format!("{oid}\n").into_bytes(),
            Ref::Symbolic(target) => [b"ref: ", target.as_slice(), b"\n"].concat(),
        };
        let file = self.file(name)?;
        if bytes::path(&file).is_dir() {
            remove_empty(&file);
        }
        bytes::replace(&file, &text)
            .map_err(|_| fatal(format!("cannot lock ref '{}'", bytes::text(name))))
    }

    /// Removes a reference, loose and packed.
    pub(crate) fn delete(&self, name: &[u8]) -> Result<()> {
        let file = self.file(name)?;
        match fs::remove_file(bytes::path(&file)) {
            Err(e) if !bytes::is_missing(&e) => return Err(e).at(&file),
            Ok(()) | Err(_) => {}
        }
        let packed_file = join(&self.common, b"packed-refs");
        if self.packed().contains_key(name) {
            let data = fs::read(bytes::path(&packed_file)).at(&packed_file)?;
            let mut kept = Vec::new();
            let mut is_dropped = false;
            for line in bytes::lines(&data) {
                // A line `^…` belongs to the tag before it.
                is_dropped = match line.first() {
                    Some(b'^') => is_dropped,
                    _ => line.get(41..).is_some_and(|rest| bytes::trim(rest) == name),
                };
                if !is_dropped {
                    kept.extend_from_slice(line);
                }
            }
            bytes::replace(&packed_file, &kept).at(&packed_file)?;
        }
        let mut dir = bytes::parent(name);
        while dir.iter().filter(|b| **b == b'/').count() > 1 {
            if fs::remove_dir(bytes::path(&join(self.dir_of(dir), dir))).is_err() {
                break;
            }
            dir = bytes::parent(dir);
        }
        Ok(())
    }
}

/// Returns true if all worktrees share a reference.
pub(crate) fn is_shared(name: &[u8]) -> bool {
    let own = [&b"refs/bisect"[..], b"refs/worktree", b"refs/rewritten"];
    name.starts_with(b"refs") && !own.iter().any(|prefix| name.starts_with(prefix))
}

/// Removes directories that hold nothing but directories.
fn remove_empty(dir: &[u8]) {
    if let Ok(list) = fs::read_dir(bytes::path(dir)) {
        for entry in list.flatten().filter(is_real_directory) {
            remove_empty(bytes::raw(entry.path().as_os_str()));
        }
    }
    // A directory with a file in it stays.
    let _ = fs::remove_dir(bytes::path(dir));
}

/// Returns true if a branch or tag may have this name.
pub(crate) fn is_valid_name(name: &[u8]) -> bool {
    let is_bad_byte = |b: &u8| *b <= b' ' || *b == 0x7f || b"~^:?*[\\".contains(b);
    let is_bad_part =
        |part: &[u8]| part.is_empty() || part.starts_with(b".") || part.ends_with(b".lock");
    !name.is_empty()
        && name != b"@"
        && !name.iter().any(is_bad_byte)
        && !name.ends_with(b".")
        && !name.starts_with(b"-")
        && !bytes::contains(name, b"..")
        && !bytes::contains(name, b"@{")
        && !name.split(|b| *b == b'/').any(is_bad_part)
}

/// Returns the part of a full name that people use.
pub(crate) fn short_name(name: &[u8]) -> &[u8] {
    for prefix in ["refs/heads/", "refs/tags/", "refs/remotes/", "refs/"] {
        if let Some(short) = name.strip_prefix(prefix.as_bytes()) {
            return short;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_references_are_checked() {
        let check =
            |name: &str, expect| assert_eq!(is_valid_name(name.as_bytes()), expect, "{name}");
        check("main", true);
        check("feature/a.b", true);
        check("", false);
        check("a..b", false);
        check("../x", false);
        check("a b", false);
        check("-x", false);
        check("a.lock", false);
        check("a//b", false);
        check("x@{1}", false);
    }
}
