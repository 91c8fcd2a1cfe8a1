//! Renamed files in a merge: changes of one side follow the name that the other side gave.

use std::collections::HashMap;

use super::changes::{self, Files, Status};
use super::merge::{Conflict, Outcome};
use super::pathspec::Pathspecs;
use super::renames;
use crate::bytes::text;
use crate::fault::Result;
use crate::repo::Repo;
use crate::store::oid::Oid;
use crate::text::merge::Labels;

/// Paths of renamed files, with their names in the base and on both sides.
pub(crate) type Moves = HashMap<Vec<u8>, [Vec<u8>; 3]>;

/// Puts the files of all three trees under the new names of files that one side renamed.
pub(crate) fn follow(
    repo: &Repo,
    [base, ours, theirs]: [Oid; 3],
    trees: &mut [Files; 3],
    labels: &Labels<'_>,
    outcome: &mut Outcome,
) -> Result<Moves> {
    let mut moves = Moves::new();
    if repo.config.flag("merge.renames") == Some(false) {
        return Ok(moves);
    }
    let renamed = |side: Oid| -> Result<HashMap<Vec<u8>, Vec<u8>>> {
        let found = changes::trees(&repo.odb, base, side, &Pathspecs::all())?;
        let found = renames::find(repo, found, renames::SIMILARITY)?.into_iter();
        let pairs = found.filter(|change| matches!(change.status, Status::Renamed(_)));
        Ok(pairs.map(|change| (change.old_path, change.path)).collect())
    };
    // A side that leaves all files of the base where they are needs no search.
    let is_relevant = |from: &Files, to: &Files| {
        from.keys().any(|path| !to.contains_key(path))
            && to.keys().any(|path| !from.contains_key(path))
    };
    let [b, o, t] = &*trees;
    let by_us = if is_relevant(b, o) { renamed(ours)? } else { HashMap::new() };
    let by_them = if is_relevant(b, t) { renamed(theirs)? } else { HashMap::new() };
    let mut sorted: Vec<(&Vec<u8>, &Vec<u8>, usize)> = by_us
        .iter()
        .map(|(old, new)| (old, new, 1))
        .chain(by_them.iter().map(|(old, new)| (old, new, 2)))
        .collect();
    sorted.sort();
    for (old, new, side) in sorted {
        let other = 3 - side;
        let same = if side == 1 { by_them.get(old) } else { by_us.get(old) };
        match same {
            Some(also) if also == new => {
                if let Some(file) = trees[0].remove(old) {
                    trees[0].insert(new.clone(), file);
                }
            }
            Some(also) if side == 1 => twice(repo, [old, new, also], trees, labels, outcome)?,
            Some(_) => {}
            None if trees[other].contains_key(new) => {}
            None => match trees[other].remove(old) {
                Some(file) => {
                    trees[other].insert(new.clone(), file);
                    if let Some(file) = trees[0].remove(old) {
                        trees[0].insert(new.clone(), file);
                    }
                    let mut names = [old.clone(), old.clone(), old.clone()];
                    names[side] = new.clone();
                    moves.insert(new.clone(), names);
                }
                None => removed(old, new, side, trees, labels, outcome),
            },
        }
    }
    Ok(moves)
}

/// Reports a file that both sides renamed, each in its own way.
fn twice(
    repo: &Repo,
    [old, ours, theirs]: [&Vec<u8>; 3],
    trees: &mut [Files; 3],
    labels: &Labels<'_>,
    outcome: &mut Outcome,
) -> Result<()> {
    let Some(base) = trees[0].remove(old) else { return Ok(()) };
    let (Some(one), Some(two)) = (trees[1].remove(ours), trees[2].remove(theirs)) else {
        return Ok(());
    };
    // Both names get the merged content; there is no need to merge equal files.
    let mut merged = one;
    if one.1 != two.1 && base.1 == one.1 {
        merged = two;
    } else if one.1 != two.1 && base.1 != two.1 {
        outcome.messages.push(format!("Auto-merging {}", text(old)));
        let read = |file: (u32, Oid)| repo.odb.blob(file.1);
        let favor = crate::text::merge::Favor::Neither;
        let (b, o, t) = (read(base)?, read(one)?, read(two)?);
        let both = crate::text::merge::merge(&b, &o, &t, labels, favor);
        merged.1 = repo.odb.write(crate::store::object::Kind::Blob, &both.data)?;
    }
    outcome.messages.push(format!(
        "CONFLICT (rename/rename): {0} renamed to {1} in {2} and to {3} in {4}.",
        text(old),
        text(ours),
        labels.ours,
        text(theirs),
        labels.theirs
    ));
    let stages = [(old, [Some(base), None, None]), (ours, [None, Some(merged), None])];
    for (path, sides) in stages.into_iter().chain([(theirs, [None, None, Some(merged)])]) {
        let work = if path == old { None } else { Some(merged) };
        outcome.conflicts.push(Conflict { path: path.clone(), sides, work });
    }
    Ok(())
}

/// Reports a file that one side renamed and the other removed.
fn removed(
    old: &[u8],
    new: &[u8],
    side: usize,
    trees: &mut [Files; 3],
    labels: &Labels<'_>,
    outcome: &mut Outcome,
) {
    let (Some(base), Some(file)) = (trees[0].remove(old), trees[side].remove(new)) else { return };
    let (by, other) = match side {
        1 => (labels.ours, labels.theirs),
        _ => (labels.theirs, labels.ours),
    };
    let (old, shown) = (text(old), text(new));
    outcome.messages.push(format!(
        "CONFLICT (rename/delete): {old} renamed to {shown} in {by}, but deleted in {other}."
    ));
    let mut sides = [Some(base), None, None];
    sides[side] = Some(file);
    if base.1 != file.1 {
        outcome.messages.push(format!(
            "CONFLICT (modify/delete): {shown} deleted in {other} and modified in {by}.  Version {by} of {shown} left in tree."
        ));
    }
    outcome.conflicts.push(Conflict { path: new.to_vec(), sides, work: Some(file) });
}
