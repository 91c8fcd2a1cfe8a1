//! Merges two trees that have a common base.

use std::collections::BTreeSet;

use super::attributes::State;
use super::changes::{Files, files};
use super::moved::{self, Moves};
use crate::bytes::text;
use crate::fault::Result;
use crate::repo::Repo;
use crate::store::object::Kind;
use crate::store::oid::Oid;
use crate::text::compare::is_binary;
use crate::text::merge::{Favor, Labels, merge as merge_text};

/// A path that could not be merged: the three sides, and the content for the work tree.
pub(crate) struct Conflict {
    pub(crate) path: Vec<u8>,
    pub(crate) sides: [Option<(u32, Oid)>; 3],
    /// Content with markers, or the side that remains.
    pub(crate) work: Option<(u32, Oid)>,
}

/// Result of a merge.
#[derive(Default)]
pub(crate) struct Outcome {
    /// All files without a conflict.
    pub(crate) files: Files,
    pub(crate) conflicts: Vec<Conflict>,
    /// Lines for standard output.
    pub(crate) messages: Vec<String>,
}

/// Merges `ours` and `theirs`.
pub(crate) fn merge(
    repo: &Repo,
    base: Oid,
    ours: Oid,
    theirs: Oid,
    labels: &Labels<'_>,
    favor: Favor,
) -> Result<Outcome> {
    let mut trees = [files(&repo.odb, base)?, files(&repo.odb, ours)?, files(&repo.odb, theirs)?];
    let mut outcome = Outcome::default();
    let moves = moved::follow(repo, [base, ours, theirs], &mut trees, labels, &mut outcome)?;
    let settled: BTreeSet<Vec<u8>> =
        outcome.conflicts.iter().map(|conflict| conflict.path.clone()).collect();
    let merge = Merge { repo, labels, favor, moves };
    let paths: BTreeSet<&Vec<u8>> = trees.iter().flat_map(Files::keys).collect();
    for path in paths.into_iter().filter(|path| !settled.contains(*path)) {
        let [b, o, t] = [0, 1, 2].map(|n: usize| trees[n].get(path).copied());
        let clean = if o == t || t == b {
            Some(o)
        } else if o == b {
            Some(t)
        } else {
            None
        };
        match clean {
            Some(Some(file)) => {
                outcome.files.insert(path.clone(), file);
            }
            Some(None) => {}
            None => both_changed(&merge, path, [b, o, t], &mut outcome)?,
        }
    }
    outcome.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(outcome)
}

/// Settings of a merge that hold for all its paths.
struct Merge<'a> {
    repo: &'a Repo,
    labels: &'a Labels<'a>,
    favor: Favor,
    moves: Moves,
}

fn both_changed(
    merge: &Merge<'_>,
    path: &[u8],
    sides: [Option<(u32, Oid)>; 3],
    outcome: &mut Outcome,
) -> Result<()> {
    let Merge { repo, labels, favor, moves } = merge;
    let name = text(path);
    let (Some(ours), Some(theirs)) = (sides[1], sides[2]) else {
        let (remains, kept, gone) = match sides[1] {
            Some(_) => (sides[1], labels.ours, labels.theirs),
            None => (sides[2], labels.theirs, labels.ours),
        };
        match favor {
            Favor::Ours | Favor::Theirs => {
                let side = if *favor == Favor::Ours { sides[1] } else { sides[2] };
                outcome.files.extend(side.map(|file| (path.to_vec(), file)));
                return Ok(());
            }
            Favor::Neither | Favor::WithBase | Favor::Union => {}
        }
        outcome.messages.push(format!(
            "CONFLICT (modify/delete): {name} deleted in {gone} and modified in {kept}.  Version {kept} of {name} left in tree."
        ));
        outcome.conflicts.push(Conflict { path: path.to_vec(), sides, work: remains });
        return Ok(());
    };
    // A mode that changed on one side is taken.
    let mode = match sides[0] {
        Some((base, _)) if base == ours.0 => theirs.0,
        _ => ours.0,
    };
    if ours.1 == theirs.1 {
        outcome.files.insert(path.to_vec(), (mode, ours.1));
        return Ok(());
    }
    if let Some((_, base)) = sides[0] {
        let one = match (base == ours.1, base == theirs.1) {
            (true, _) => Some(theirs.1),
            (_, true) => Some(ours.1),
            (false, false) => None,
        };
        if let Some(oid) = one {
            outcome.files.insert(path.to_vec(), (mode, oid));
            return Ok(());
        }
    }
    let read = |side: Option<(u32, Oid)>| match side {
        Some((_, oid)) => repo.odb.blob(oid),
        None => Ok(Vec::new()),
    };
    outcome.messages.push(format!("Auto-merging {name}"));
    let (base, our_data, their_data) = (read(sides[0])?, read(sides[1])?, read(sides[2])?);
    let is_text = ours.0 >> 12 == 8
        && theirs.0 >> 12 == 8
        && repo.attributes.state(path, "merge") != State::Unset
        && ![&base, &our_data, &their_data].into_iter().any(|data| is_binary(data));
    if !is_text {
        let side = match favor {
            Favor::Ours => Some(ours),
            Favor::Theirs => Some(theirs),
            Favor::Neither | Favor::WithBase | Favor::Union => None,
        };
        if let Some(side) = side {
            outcome.files.insert(path.to_vec(), side);
            return Ok(());
        }
        outcome.messages.pop();
        outcome.messages.push(format!(
            "warning: Cannot merge binary files: {name} ({} vs. {})",
            labels.ours, labels.theirs
        ));
        outcome.messages.push(format!("Auto-merging {name}"));
        outcome.messages.push(format!("CONFLICT (content): Merge conflict in {name}"));
        outcome.conflicts.push(Conflict { path: path.to_vec(), sides, work: Some(ours) });
        return Ok(());
    }
    let names = moves.get(path).map(|names| Renamed::new(labels, names));
    let labels = names.as_ref().map_or_else(|| labels.shared(), Renamed::labels);
    let is_union = repo.attributes.value(path, "merge").as_deref() == Some(b"union");
    let favor = if is_union { Favor::Union } else { *favor };
    let merged = merge_text(&base, &our_data, &their_data, &labels, favor);
    let oid = repo.odb.write(Kind::Blob, &merged.data)?;
    if merged.conflicts == 0 {
        outcome.files.insert(path.to_vec(), (mode, oid));
        return Ok(());
    }
    let kind = if sides[0].is_some() { "content" } else { "add/add" };
    outcome.messages.push(format!("CONFLICT ({kind}): Merge conflict in {name}"));
    outcome.conflicts.push(Conflict { path: path.to_vec(), sides, work: Some((mode, oid)) });
    Ok(())
}

/// Names of the sides of a renamed file, which markers show with their paths.
struct Renamed {
    names: [String; 3],
}

impl Renamed {
    fn new(labels: &Labels<'_>, paths: &[Vec<u8>; 3]) -> Renamed {
        let sides = [labels.base, labels.ours, labels.theirs];
        let name = |n: usize| format!("{}:{}", sides[n], text(&paths[n]));
        Renamed { names: [name(0), name(1), name(2)] }
    }

    fn labels(&self) -> Labels<'_> {
        let [base, ours, theirs] = &self.names;
        Labels { base, ours, theirs }
    }
}
