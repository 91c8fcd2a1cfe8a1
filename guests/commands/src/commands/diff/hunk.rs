//! Groups of changes that are shown together with the lines around them.

use std::ops::Range;

use super::script::Change;
use super::text::Text;
use crate::pattern::Pattern;

/// Changes that do not count.
#[derive(Default)]
pub(super) struct Trivial {
    pub(super) blank_lines: bool,
    pub(super) matching: Vec<Pattern>,
}

impl Trivial {
    /// Returns true if all lines of a change are ones that do not count.
    pub(super) fn covers(&self, change: &Change, old: &Text, new: &Text) -> bool {
        let trivial = |line: &[u8]| {
            self.blank_lines && line.is_empty()
                || self.matching.iter().any(|pattern| pattern.is_match(line))
        };
        (self.blank_lines || !self.matching.is_empty())
            && change.old.clone().all(|at| trivial(old.line(at)))
            && change.new.clone().all(|at| trivial(new.line(at)))
    }
}

/// Changes with the lines around them.
pub(super) struct Hunk<'a> {
    pub(super) changes: &'a [Change],
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Splits changes into hunks, with at most `context` lines before and after each change. Hunks of
/// changes that do not count are left out.
pub(super) fn hunks<'a>(
    changes: &'a [Change],
    (old, new): (&Text, &Text),
    trivial: &Trivial,
    context: usize,
) -> Vec<Hunk<'a>> {
    let mut list = Vec::new();
    let covered: Vec<bool> =
        changes.iter().map(|change| trivial.covers(change, old, new)).collect();
    let mut from = 0;
    while from < changes.len() {
        let mut to = from + 1;
        while let Some(next) = changes.get(to) {
            let gap = next.old.start - changes[to - 1].old.end;
            // A change that does not count joins only changes that are close.
            let most = match covered[to] {
                true => context,
                false => context.saturating_mul(2).saturating_add(1),
            };
            if gap > 0 && gap >= most {
                break;
            }
            to += 1;
        }
        let group = &changes[from..to];
        if covered[from..to].iter().any(|covered| !covered) {
            let (first, last) = (&group[0], &group[group.len() - 1]);
            let around = |start: usize, end: usize, len: usize| {
                start.saturating_sub(context)..end.saturating_add(context).min(len)
            };
            list.push(Hunk {
                changes: group,
                old: around(first.old.start, last.old.end, old.len()),
                new: around(first.new.start, last.new.end, new.len()),
            });
        }
        from = to;
    }
    list
}
