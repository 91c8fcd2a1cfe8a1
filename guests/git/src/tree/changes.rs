//! Differences between trees, the index and the work tree.

use std::collections::BTreeMap;

use super::pathspec::Pathspecs;
use super::work::{self, State};
use crate::bytes::join;
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::store::index::Index;
use crate::store::object::{TreeEntry, mode};
use crate::store::odb::Odb;
use crate::store::oid::Oid;

/// One side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side {
    /// 0 if the file is not there.
    pub(crate) mode: u32,
    pub(crate) oid: Oid,
    /// The content is in the work tree, and `oid` is zero.
    pub(crate) is_work: bool,
}

impl Side {
    /// A file that is not there.
    pub(crate) const NONE: Side = Side { mode: 0, oid: Oid::ZERO, is_work: false };

    /// A file in the database.
    pub(crate) fn stored(mode: u32, oid: Oid) -> Side {
        Side { mode, oid, is_work: false }
    }

    fn work(mode: u32) -> Side {
        Side { mode, oid: Oid::ZERO, is_work: true }
    }

    /// Returns true if the file is there.
    pub(crate) fn is_there(&self) -> bool {
        self.mode != 0
    }
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Added,
    Deleted,
    Modified,
    TypeChanged,
    /// With the similarity in percent.
    Renamed(u8),
    Unmerged,
}

impl Status {
    /// Returns the letter of `--name-status`.
    pub(crate) fn letter(self) -> char {
        match self {
            Status::Added => 'A',
            Status::Deleted => 'D',
            Status::Modified => 'M',
            Status::TypeChanged => 'T',
            Status::Renamed(_) => 'R',
            Status::Unmerged => 'U',
        }
    }
}

/// A changed file.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) status: Status,
    pub(crate) old_path: Vec<u8>,
    pub(crate) path: Vec<u8>,
    pub(crate) old: Side,
    pub(crate) new: Side,
}

impl Change {
    /// Describes the change of one path.
    pub(crate) fn new(path: Vec<u8>, old: Side, new: Side) -> Change {
        let status = match (old.is_there(), new.is_there()) {
            (false, _) => Status::Added,
            (true, false) => Status::Deleted,
            (true, true) if old.mode >> 12 != new.mode >> 12 => Status::TypeChanged,
            (true, true) => Status::Modified,
        };
        Change { status, old_path: path.clone(), path, old, new }
    }
}

/// The files of a tree.
pub(crate) type Files = BTreeMap<Vec<u8>, (u32, Oid)>;

/// Returns all files of a tree.
pub(crate) fn files(odb: &Odb, tree: Oid) -> Result<Files> {
    let mut found = Files::new();
    collect(odb, tree, b"", &mut |path, side| {
        found.insert(path, (side.mode, side.oid));
    })?;
    Ok(found)
}

/// Deepest directory that is read from a tree; the stack of a cell is short.
const MAX_DEPTH: usize = 512;

/// Refuses a directory of a tree that is too deep.
pub(crate) fn check_depth(dir: &[u8]) -> Result<()> {
    if dir.iter().filter(|b| **b == b'/').count() >= MAX_DEPTH {
        return Err(fatal(format!("tree is deeper than {MAX_DEPTH} directories")));
    }
    Ok(())
}

fn collect(odb: &Odb, tree: Oid, dir: &[u8], f: &mut dyn FnMut(Vec<u8>, Side)) -> Result<()> {
    check_depth(dir)?;
    for entry in odb.tree(tree)? {
        let path = join(dir, &entry.name);
        match entry.mode {
            mode::TREE => collect(odb, entry.oid, &path, f)?,
            mode => f(path, Side::stored(mode, entry.oid)),
        }
    }
    Ok(())
}

/// Compares two trees.
pub(crate) fn trees(odb: &Odb, old: Oid, new: Oid, paths: &Pathspecs) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    compare(odb, old, new, b"", paths, &mut changes)?;
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(changes)
}

fn compare(
    odb: &Odb,
    old: Oid,
    new: Oid,
    dir: &[u8],
    paths: &Pathspecs,
    changes: &mut Vec<Change>,
) -> Result<()> {
    if old == new {
        return Ok(());
    }
    check_depth(dir)?;
    let mut names: BTreeMap<Vec<u8>, [Option<TreeEntry>; 2]> = BTreeMap::new();
    for (side, tree) in [old, new].into_iter().enumerate() {
        for entry in odb.tree(tree)? {
            let name = entry.name.clone();
            names.entry(name).or_default()[side] = Some(entry);
        }
    }
    for (name, sides) in names {
        let path = join(dir, &name);
        let is_tree = |entry: &&TreeEntry| entry.mode == mode::TREE;
        let [subtree_old, subtree_new] =
            [0, 1].map(|n: usize| sides[n].as_ref().filter(is_tree).map(|entry| entry.oid));
        if (subtree_old.is_some() || subtree_new.is_some()) && paths.may_select_below(&path) {
            let (old, new) = (subtree_old.unwrap_or(Oid::ZERO), subtree_new.unwrap_or(Oid::ZERO));
            compare(odb, old, new, &path, paths, changes)?;
        }
        let file = |n: usize| match sides[n].as_ref().filter(|entry| !is_tree(entry)) {
            Some(entry) => Side::stored(entry.mode, entry.oid),
            None => Side::NONE,
        };
        let (old, new) = (file(0), file(1));
        if old != new && paths.selects(&path) {
            changes.push(Change::new(path, old, new));
        }
    }
    Ok(())
}

/// Compares a tree with the index.
pub(crate) fn tree_and_index(
    odb: &Odb,
    tree: Oid,
    index: &Index,
    paths: &Pathspecs,
) -> Result<Vec<Change>> {
    let mut old = files(odb, tree)?;
    let mut changes = Vec::new();
    for entry in &index.entries {
        let before = old.remove(&entry.path);
        if !paths.selects(&entry.path) {
            continue;
        }
        let before = before.map_or(Side::NONE, |(mode, oid)| Side::stored(mode, oid));
        if entry.stage > 0 {
            let is_new = changes.last().is_none_or(|last: &Change| last.path != entry.path);
            if is_new {
                let change = Change::new(entry.path.clone(), before, Side::NONE);
                changes.push(Change { status: Status::Unmerged, ..change });
            }
        } else if !entry.is_intent {
            let now = Side::stored(entry.mode, entry.oid);
            if now != before {
                changes.push(Change::new(entry.path.clone(), before, now));
            }
        } else if before.is_there() {
            changes.push(Change::new(entry.path.clone(), before, Side::NONE));
        }
    }
    for (path, (mode, oid)) in old {
        if paths.selects(&path) {
            changes.push(Change::new(path, Side::stored(mode, oid), Side::NONE));
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(changes)
}

/// Compares the index with the work tree. Updates what the index knows about unchanged files.
pub(crate) fn index_and_work(
    repo: &Repo,
    index: &mut Index,
    paths: &Pathspecs,
) -> Result<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    let written = index.written;
    for entry in &mut index.entries {
        if !paths.selects(&entry.path) {
            continue;
        }
        let stored = match entry.is_intent {
            true => Side::NONE,
            false => Side::stored(entry.mode, entry.oid),
        };
        if entry.stage > 0 {
            if changes.last().is_none_or(|last| last.path != entry.path) {
                let new = Side { is_work: true, ..Side::NONE };
                let change = Change::new(entry.path.clone(), stored, new);
                changes.push(Change { status: Status::Unmerged, ..change });
            }
            continue;
        }
        match work::state(repo, entry, written)? {
            State::Same => {}
            State::SameAgain(known) => entry.known = known,
            State::Missing => changes.push(Change::new(entry.path.clone(), stored, Side::NONE)),
            State::Changed { mode } => {
                changes.push(Change::new(entry.path.clone(), stored, Side::work(mode)));
            }
        }
    }
    Ok(changes)
}

/// Compares a tree with the files of the work tree that the index or the tree knows.
pub(crate) fn tree_and_work(
    repo: &Repo,
    tree: Oid,
    index: &mut Index,
    paths: &Pathspecs,
) -> Result<Vec<Change>> {
    let mut all: BTreeMap<Vec<u8>, Change> = BTreeMap::new();
    for change in tree_and_index(&repo.odb, tree, index, paths)? {
        all.insert(change.path.clone(), change);
    }
    for change in index_and_work(repo, index, paths)? {
        let old = match all.remove(&change.path) {
            Some(before) => before.old,
            None => change.old,
        };
        if change.status == Status::Unmerged {
            all.insert(change.path.clone(), Change { old, new: Side::NONE, ..change });
        } else if old.is_there() || change.new.is_there() {
            let mut new = change.new;
            if old.is_there() && new.is_there() && old.mode == new.mode {
                let content = work::read(repo, &change.path, new.mode)?;
                if Oid::of("blob", &content) == old.oid {
                    continue;
                }
                new.is_work = true;
            }
            all.insert(change.path.clone(), Change::new(change.path, old, new));
        }
    }
    Ok(all.into_values().collect())
}
