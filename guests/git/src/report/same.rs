//! Recognises commits that make the same change, wherever they are.

use std::collections::HashSet;

use crate::fault::Result;
use crate::repo::Repo;
use crate::report::options::{DiffOptions, Format};
use crate::store::object::Commit;
use crate::store::oid::Oid;
use crate::tree::changes;
use crate::tree::pathspec::Pathspecs;
use crate::walk::{self, Walk};

/// Returns an identity of the change of a commit, without line numbers and white space; `None` for
/// merges and commits that change nothing.
pub(crate) fn change(repo: &Repo, commit: &Commit) -> Result<Option<Oid>> {
    let parent = match commit.parents[..] {
        [] => Oid::ZERO,
        [one] => repo.odb.commit(one)?.tree,
        _ => return Ok(None),
    };
    let found = changes::trees(&repo.odb, parent, commit.tree, &Pathspecs::all())?;
    if found.is_empty() {
        return Ok(None);
    }
    let mut options = DiffOptions::plain(repo);
    options.formats.push(Format::Patch);
    let mut patch = Vec::new();
    options.write(repo, &found, &mut patch)?;
    let mut bare = Vec::with_capacity(patch.len());
    for line in patch.split(|b| *b == b'\n') {
        let is_place = line.starts_with(b"@@ ");
        let is_index = line.starts_with(b"index ") && !contains_binary(&patch);
        if !is_place && !is_index {
            bare.extend(line.iter().filter(|b| !b.is_ascii_whitespace()));
        }
    }
    Ok(Some(Oid::of("blob", &bare)))
}

/// Binary files are told apart by their identities only.
fn contains_binary(patch: &[u8]) -> bool {
    crate::bytes::contains(patch, b"\nBinary files ")
}

/// Returns the changes of all commits that `tip` has and `hidden` has not.
pub(crate) fn changes(repo: &Repo, tip: Oid, hidden: HashSet<Oid>) -> Result<HashSet<Oid>> {
    let mut found = HashSet::new();
    let mut all = Walk::new(&repo.odb, hidden);
    all.push(tip)?;
    while let Some((_, commit)) = all.pop() {
        found.extend(change(repo, &commit)?);
        for parent in walk::parents(&repo.odb, &commit) {
            all.push(parent)?;
        }
    }
    Ok(found)
}
