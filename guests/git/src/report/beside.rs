//! Marks and identities that `git log` prints beside commits.

use std::collections::{HashMap, HashSet};

use crate::fault::Result;
use crate::repo::Repo;
use crate::store::object::{Commit, mode};
use crate::store::oid::Oid;
use crate::walk;

type Found = [(Oid, Commit)];

/// Returns the marks of `--left-right` for `left...right`.
pub(crate) fn sides(repo: &Repo, found: &Found, left: Oid) -> Result<HashMap<Oid, char>> {
    let left = walk::ancestors(&repo.odb, &[left])?;
    let mark = |oid: &Oid| if left.contains(oid) { '<' } else { '>' };
    Ok(found.iter().map(|(oid, _)| (*oid, mark(oid))).collect())
}

/// Returns the commits at which the selection ends, newest first.
pub(crate) fn boundary(repo: &Repo, found: &Found) -> Result<Vec<(Oid, Commit)>> {
    let shown: HashSet<Oid> = found.iter().map(|(oid, _)| *oid).collect();
    let mut ends: Vec<(Oid, Commit)> = Vec::new();
    for (_, commit) in found {
        for parent in walk::parents(&repo.odb, commit) {
            if !shown.contains(&parent) && ends.iter().all(|(oid, _)| *oid != parent) {
                ends.push((parent, repo.odb.commit(parent)?));
            }
        }
    }
    ends.sort_by_key(|(_, commit)| std::cmp::Reverse(commit.time()));
    Ok(ends)
}

/// Returns the children of each commit among those that were found.
pub(crate) fn children(found: &Found) -> HashMap<Oid, Vec<Oid>> {
    let mut all: HashMap<Oid, Vec<Oid>> = HashMap::new();
    for (oid, commit) in found {
        for parent in &commit.parents {
            all.entry(*parent).or_default().push(*oid);
        }
    }
    all
}

/// Returns for each commit the first name from which it was reached.
pub(crate) fn sources(found: &Found, tips: &[(String, Oid)]) -> HashMap<Oid, String> {
    let mut names: HashMap<Oid, String> = HashMap::new();
    for (name, oid) in tips {
        names.entry(*oid).or_insert_with(|| name.clone());
    }
    for (oid, commit) in found {
        if let Some(name) = names.get(oid).cloned() {
            for parent in &commit.parents {
                names.entry(*parent).or_insert_with(|| name.clone());
            }
        }
    }
    names.into_iter().map(|(oid, name)| (oid, format!("\t{name}"))).collect()
}

/// Returns the trees and blobs of commits, without those that hidden commits have.
pub(crate) fn objects(repo: &Repo, found: &Found, hidden: &[Oid]) -> Result<Vec<(Oid, Vec<u8>)>> {
    let mut seen = HashSet::new();
    for oid in hidden {
        add(repo, repo.odb.commit(*oid)?.tree, b"", &mut seen, &mut Vec::new())?;
    }
    let mut out = Vec::new();
    for (_, commit) in found {
        add(repo, commit.tree, b"", &mut seen, &mut out)?;
    }
    Ok(out)
}

fn add(
    repo: &Repo,
    tree: Oid,
    path: &[u8],
    seen: &mut HashSet<Oid>,
    out: &mut Vec<(Oid, Vec<u8>)>,
) -> Result<()> {
    if !seen.insert(tree) {
        return Ok(());
    }
    out.push((tree, path.to_vec()));
    for entry in repo.odb.tree(tree)? {
        let path = match path {
            b"" => entry.name.clone(),
            path => crate::bytes::join(path, &entry.name),
        };
        match entry.mode {
            mode::TREE => add(repo, entry.oid, &path, seen, out)?,
            mode::SUBMODULE => {}
            _ if seen.insert(entry.oid) => out.push((entry.oid, path)),
            _ => {}
        }
    }
    Ok(())
}
