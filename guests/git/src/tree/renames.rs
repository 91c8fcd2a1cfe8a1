//! Finds renamed files among removed and added ones.

use super::changes::{Change, Side, Status};
use crate::bytes::base;
use crate::fault::Result;
use crate::repo::Repo;
use crate::report::content;
use crate::text::similar::{MAX_SCORE, Pieces};

/// Number of files on each side above which only equal files are recognised.
const MAX_FILES: usize = 1000;
/// Least similarity of a rename, in percent.
pub(crate) const SIMILARITY: u8 = 50;

/// Joins pairs of a removed and an added file that are similar enough.
pub(crate) fn find(repo: &Repo, changes: Vec<Change>, least: u8) -> Result<Vec<Change>> {
    let is_file = |side: &Side| side.mode >> 12 == 8 || side.mode >> 12 == 10;
    let (mut removed, mut added, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for change in changes {
        match change.status {
            Status::Deleted if is_file(&change.old) => removed.push(Some(change)),
            Status::Added if is_file(&change.new) => added.push(Some(change)),
            _ => rest.push(change),
        }
    }
    if removed.is_empty() || added.is_empty() {
        rest.extend(removed.into_iter().chain(added).flatten());
        rest.sort_by(|a, b| a.path.cmp(&b.path));
        return Ok(rest);
    }
    let pairs = equal_pairs(repo, &removed, &added)?;
    for (from, to) in pairs {
        join(&mut removed, &mut added, &mut rest, from, to, 100);
    }
    for (score, from, to) in similar_pairs(repo, &removed, &added, least)? {
        join(&mut removed, &mut added, &mut rest, from, to, score);
    }
    rest.extend(removed.into_iter().chain(added).flatten());
    rest.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(rest)
}

fn join(
    removed: &mut [Option<Change>],
    added: &mut [Option<Change>],
    out: &mut Vec<Change>,
    from: usize,
    to: usize,
    score: u8,
) {
    if removed[from].is_none() || added[to].is_none() {
        return;
    }
    if let (Some(old), Some(new)) = (removed[from].take(), added[to].take()) {
        let status = Status::Renamed(score);
        out.push(Change { status, old_path: old.path, path: new.path, old: old.old, new: new.new });
    }
}

/// Returns pairs of equal files; a file with the same name comes first.
fn equal_pairs(
    repo: &Repo,
    removed: &[Option<Change>],
    added: &[Option<Change>],
) -> Result<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    for (to, new) in added.iter().enumerate() {
        let Some(new) = new else { continue };
        let oid = content::identity(repo, &new.new, &new.path)?;
        let same = removed.iter().enumerate().filter(|(_, old)| {
            old.as_ref()
                .is_some_and(|old| old.old.oid == oid && old.old.mode >> 12 == new.new.mode >> 12)
        });
        let mut same: Vec<usize> = same.map(|(from, _)| from).collect();
        same.sort_by_key(|from| {
            removed[*from].as_ref().is_none_or(|old| base(&old.path) != base(&new.path))
        });
        pairs.extend(same.into_iter().map(|from| (from, to)));
    }
    // Pairs with the same name win over others.
    pairs.sort_by_key(|(from, to)| match (&removed[*from], &added[*to]) {
        (Some(old), Some(new)) => base(&old.path) != base(&new.path),
        _ => true,
    });
    Ok(pairs)
}

fn similar_pairs(
    repo: &Repo,
    removed: &[Option<Change>],
    added: &[Option<Change>],
    least: u8,
) -> Result<Vec<(u8, usize, usize)>> {
    let left = |list: &[Option<Change>]| list.iter().flatten().count();
    if left(removed) * left(added) > MAX_FILES * MAX_FILES {
        return Ok(Vec::new());
    }
    let pieces = |changes: &[Option<Change>], is_old: bool| -> Result<Vec<Option<Pieces>>> {
        let each = changes.iter().map(|change| {
            let Some(change) = change.as_ref() else { return Ok(None) };
            let side = if is_old { &change.old } else { &change.new };
            if side.mode >> 12 != 8 {
                return Ok(None);
            }
            Ok(Some(Pieces::of(&content::read(repo, side, &change.path)?)))
        });
        each.collect()
    };
    let (old, new) = (pieces(removed, true)?, pieces(added, false)?);
    let mut found = Vec::new();
    for (to, new) in new.iter().enumerate() {
        let Some(new) = new else { continue };
        for (from, old) in old.iter().enumerate() {
            let Some(old) = old else { continue };
            let score = old.score(new);
            if score >= MAX_SCORE * u64::from(least) / 100 {
                let is_same_name = match (&removed[from], &added[to]) {
                    (Some(old), Some(new)) => base(&old.path) == base(&new.path),
                    _ => false,
                };
                found.push((score, is_same_name, from, to));
            }
        }
    }
    found.sort_by_key(|pair| std::cmp::Reverse((pair.0, pair.1)));
    let percent = |score: u64| (score * 100 / MAX_SCORE) as u8;
    Ok(found.into_iter().map(|(score, _, from, to)| (percent(score), from, to)).collect())
}
