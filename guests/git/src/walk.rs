//! Walks over the history: ancestors, common bases, distances.

use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::fault::Result;
use crate::store::object::Commit;
use crate::store::odb::Odb;
use crate::store::oid::Oid;

/// A commit in the queue: the newest first, then the one that was found first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    time: i64,
    order: std::cmp::Reverse<usize>,
    oid: Oid,
}

/// Commits by date, each once.
pub(crate) struct Walk<'o> {
    odb: &'o Odb,
    queue: BinaryHeap<Next>,
    seen: HashSet<Oid>,
    commits: HashMap<Oid, Commit>,
    count: usize,
}

impl<'o> Walk<'o> {
    /// Creates a walk that never visits the commits in `hidden`.
    pub(crate) fn new(odb: &'o Odb, hidden: HashSet<Oid>) -> Walk<'o> {
        Walk { odb, queue: BinaryHeap::new(), seen: hidden, commits: HashMap::new(), count: 0 }
    }

    /// Adds a commit to visit.
    pub(crate) fn push(&mut self, oid: Oid) -> Result<()> {
        if self.seen.insert(oid) {
            let commit = self.odb.commit(oid)?;
            self.count += 1;
            let order = std::cmp::Reverse(self.count);
            self.queue.push(Next { time: commit.time(), order, oid });
            self.commits.insert(oid, commit);
        }
        Ok(())
    }

    /// Returns the newest commit that was not visited. Its parents are for the caller to add.
    pub(crate) fn pop(&mut self) -> Option<(Oid, Commit)> {
        let next = self.queue.pop()?;
        let commit = self.commits.remove(&next.oid)?;
        Some((next.oid, commit))
    }
}

/// Returns a commit's parents; a shallow clone ends where parents are missing.
pub(crate) fn parents(odb: &Odb, commit: &Commit) -> Vec<Oid> {
    commit.parents.iter().copied().filter(|parent| odb.has(*parent)).collect()
}

/// Returns commits and all their ancestors.
pub(crate) fn ancestors(odb: &Odb, tips: &[Oid]) -> Result<HashSet<Oid>> {
    let mut seen: HashSet<Oid> = HashSet::new();
    let mut todo: Vec<Oid> = tips.to_vec();
    while let Some(oid) = todo.pop() {
        if seen.insert(oid) {
            todo.extend(parents(odb, &odb.commit(oid)?));
        }
    }
    Ok(seen)
}

/// Returns true if `old` is `new` or an ancestor of it.
pub(crate) fn is_ancestor(odb: &Odb, old: Oid, new: Oid) -> Result<bool> {
    Ok(old == new || ancestors(odb, &[new])?.contains(&old))
}

/// Returns the best common ancestors of two commits, the newest first.
pub(crate) fn merge_bases(odb: &Odb, one: Oid, two: Oid) -> Result<Vec<Oid>> {
    let (of_one, of_two) = (ancestors(odb, &[one])?, ancestors(odb, &[two])?);
    let mut common: Vec<Oid> = of_one.intersection(&of_two).copied().collect();
    let mut inner = HashSet::new();
    for oid in &common {
        inner.extend(odb.commit(*oid)?.parents);
    }
    common.retain(|oid| !inner.contains(oid));
    let mut dated: Vec<(i64, Oid)> =
        common.into_iter().map(|oid| Ok((odb.commit(oid)?.time(), oid))).collect::<Result<_>>()?;
    dated.sort_by(|a, b| b.cmp(a));
    Ok(dated.into_iter().map(|(_, oid)| oid).collect())
}

/// Returns the number of commits that only `one` and only `two` has.
pub(crate) fn ahead_behind(odb: &Odb, one: Oid, two: Oid) -> Result<(usize, usize)> {
    let (of_one, of_two) = (ancestors(odb, &[one])?, ancestors(odb, &[two])?);
    Ok((of_one.difference(&of_two).count(), of_two.difference(&of_one).count()))
}
