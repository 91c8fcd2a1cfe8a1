//! The shortest list of changes between two sequences of lines.
//!
//! The search is that of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986) in its
//! linear space: it finds the middle of a shortest path and goes on with both halves.

use std::ops::Range;

/// Lines of the first text that lines of the second replace; one of the ranges may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Number of edits after which the search for a middle takes the best place seen so far, unless a
/// minimal result was asked for. The time of a search grows with its square.
const MAX_COST: usize = 4096;

/// Returns the changes, in order. Lines are equal if their numbers are.
pub(super) fn changes(old: &[u32], new: &[u32], minimal: bool) -> Vec<Change> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let mut sides = [Side::new(old), Side::new(new)];
    let middle = [head..old.len() - tail, head..new.len() - tail];
    // Lines that the other text does not have are changed in any case. Without them, the search
    // is shorter.
    let classes = old.iter().chain(new).max().map_or(0, |class| *class as usize + 1);
    let mut found = [vec![false; classes], vec![false; classes]];
    for (found, (side, range)) in found.iter_mut().zip(sides.iter().zip(&middle)) {
        side.lines[range.clone()].iter().for_each(|class| found[*class as usize] = true);
    }
    let [kept_old, kept_new] = [0, 1].map(|at| {
        let others = &found[1 - at];
        let side = &mut sides[at];
        let mut kept = Vec::new();
        for line in middle[at].clone() {
            if others[side.lines[line] as usize] {
                kept.push(line);
            } else {
                side.changed[line] = true;
            }
        }
        kept
    });
    let a: Vec<u32> = kept_old.iter().map(|line| old[*line]).collect();
    let b: Vec<u32> = kept_new.iter().map(|line| new[*line]).collect();
    let cap = if minimal { usize::MAX } else { MAX_COST.max((a.len() + b.len()).isqrt()) };
    let mut search = Search::new(&a, &b, cap);
    // The parts of both texts that are left to compare.
    let mut parts = vec![(0..a.len(), 0..b.len())];
    while let Some((mut x, mut y)) = parts.pop() {
        while !x.is_empty() && !y.is_empty() && a[x.start] == b[y.start] {
            (x.start, y.start) = (x.start + 1, y.start + 1);
        }
        while !x.is_empty() && !y.is_empty() && a[x.end - 1] == b[y.end - 1] {
            (x.end, y.end) = (x.end - 1, y.end - 1);
        }
        if x.is_empty() || y.is_empty() {
            x.for_each(|line| sides[0].changed[kept_old[line]] = true);
            y.for_each(|line| sides[1].changed[kept_new[line]] = true);
            continue;
        }
        let (i, j) = search.middle(x.clone(), y.clone());
        parts.push((i..x.end, j..y.end));
        parts.push((x.start..i, y.start..j));
    }
    let [mut first, mut second] = sides;
    first.slide(&second.changed);
    second.slide(&first.changed);
    collect(&first.changed, &second.changed)
}

/// Returns the changes that the marks of both texts describe.
fn collect(old: &[bool], new: &[bool]) -> Vec<Change> {
    let mut list = Vec::new();
    let (mut i, mut j) = (0, 0);
    let marked = |marks: &[bool], at: usize| marks.get(at).copied().unwrap_or(false);
    while i < old.len() || j < new.len() {
        let (from_old, from_new) = (i, j);
        while marked(old, i) {
            i += 1;
        }
        while marked(new, j) {
            j += 1;
        }
        if (i, j) == (from_old, from_new) {
            (i, j) = (i + 1, j + 1);
        } else {
            list.push(Change { old: from_old..i, new: from_new..j });
        }
    }
    list
}

/// The furthest places on each diagonal, from the start and from the end of a part.
struct Search<'a> {
    a: &'a [u32],
    b: &'a [u32],
    /// Indexed by the diagonal (place in `a` less place in `b`), shifted to be positive.
    forward: Vec<isize>,
    backward: Vec<isize>,
    cap: usize,
}

impl<'a> Search<'a> {
    fn new(a: &'a [u32], b: &'a [u32], cap: usize) -> Self {
        let diagonals = a.len() + b.len() + 3;
        Search { a, b, forward: vec![0; diagonals], backward: vec![0; diagonals], cap }
    }

    /// Returns a place on a shortest path between the corners of a part, other than a corner.
    ///
    /// The part must not be empty, and its first and last lines must differ.
    fn middle(&mut self, x: Range<usize>, y: Range<usize>) -> (usize, usize) {
        let shift = self.b.len() as isize + 1;
        let at = |diagonal: isize| (diagonal + shift) as usize;
        let (x0, x1) = (x.start as isize, x.end as isize);
        let (y0, y1) = (y.start as isize, y.end as isize);
        let (start, end) = (x0 - y0, x1 - y1);
        // Diagonals outside of these leave the part.
        let (lowest, highest) = (x0 - y1, x1 - y0);
        let odd = (start - end) % 2 != 0;
        let (mut low, mut high) = (start, start);
        let (mut last_low, mut last_high) = (end, end);
        self.forward[at(start)] = x0;
        self.backward[at(end)] = x1;
        for cost in 1.. {
            // A border is marked with a place that is never better than a real one.
            if low > lowest {
                low -= 1;
                self.forward[at(low - 1)] = isize::MIN / 2;
            } else {
                low += 1;
            }
            if high < highest {
                high += 1;
                self.forward[at(high + 1)] = isize::MIN / 2;
            } else {
                high -= 1;
            }
            let mut diagonal = high;
            while diagonal >= low {
                let down = self.forward[at(diagonal + 1)];
                let right = self.forward[at(diagonal - 1)];
                let mut i = if right >= down { right + 1 } else { down };
                while i < x1 && i - diagonal < y1 && self.same(i, i - diagonal) {
                    i += 1;
                }
                self.forward[at(diagonal)] = i;
                let met = odd && (last_low..=last_high).contains(&diagonal);
                if met && self.backward[at(diagonal)] <= i {
                    return (i as usize, (i - diagonal) as usize);
                }
                diagonal -= 2;
            }
            if last_low > lowest {
                last_low -= 1;
                self.backward[at(last_low - 1)] = isize::MAX / 2;
            } else {
                last_low += 1;
            }
            if last_high < highest {
                last_high += 1;
                self.backward[at(last_high + 1)] = isize::MAX / 2;
            } else {
                last_high -= 1;
            }
            let mut diagonal = last_high;
            while diagonal >= last_low {
                let up = self.backward[at(diagonal - 1)];
                let left = self.backward[at(diagonal + 1)];
                let mut i = if up < left { up } else { left - 1 };
                while i > x0 && i - diagonal > y0 && self.same(i - 1, i - 1 - diagonal) {
                    i -= 1;
                }
                self.backward[at(diagonal)] = i;
                let met = !odd && (low..=high).contains(&diagonal);
                if met && i <= self.forward[at(diagonal)] {
                    return (i as usize, (i - diagonal) as usize);
                }
                diagonal -= 2;
            }
            if cost >= self.cap {
                break;
            }
        }
        self.best((low, high), x, y)
    }

    fn same(&self, i: isize, j: isize) -> bool {
        self.a[i as usize] == self.b[j as usize]
    }

    /// Returns the place inside of the part that the search from its start came furthest to.
    fn best(
        &self,
        (low, high): (isize, isize),
        x: Range<usize>,
        y: Range<usize>,
    ) -> (usize, usize) {
        let shift = self.b.len() as isize + 1;
        let mut best = (x.start as isize, y.start as isize);
        for diagonal in (low..=high).step_by(2) {
            let i = self.forward[(diagonal + shift) as usize].min(x.end as isize);
            let j = (i - diagonal).min(y.end as isize);
            let i = j + diagonal;
            if i >= x.start as isize && j >= y.start as isize && i + j > best.0 + best.1 {
                best = (i, j);
            }
        }
        (best.0 as usize, best.1 as usize)
    }
}

/// A text: its lines, and marks for those that are changed.
struct Side<'a> {
    lines: &'a [u32],
    changed: Vec<bool>,
}

impl<'a> Side<'a> {
    fn new(lines: &'a [u32]) -> Self {
        Side { lines, changed: vec![false; lines.len()] }
    }

    /// Moves runs of changed lines that have equal lines before or after them: together with runs
    /// that they meet, to the place of a change in the other text if there is one, and otherwise as
    /// far to the end as possible, as GNU does.
    fn slide(&mut self, other: &[bool]) {
        let (lines, changed) = (self.lines, &mut self.changed);
        let count = lines.len();
        let runs = |at: usize| other.get(at).copied().unwrap_or(false);
        let (mut end, mut j) = (0, 0);
        loop {
            // `j` is the place in the other text that belongs to `end`.
            while end < count && !changed[end] {
                while runs(j) {
                    j += 1;
                }
                (end, j) = (end + 1, j + 1);
            }
            if end == count {
                return;
            }
            let mut start = end;
            while end < count && changed[end] {
                end += 1;
            }
            while runs(j) {
                j += 1;
            }
            let mut beside;
            loop {
                let len = end - start;
                while start > 0 && lines[start - 1] == lines[end - 1] {
                    (start, end) = (start - 1, end - 1);
                    changed[start] = true;
                    changed[end] = false;
                    while start > 0 && changed[start - 1] {
                        start -= 1;
                    }
                    j -= 1;
                    while j > 0 && runs(j - 1) {
                        j -= 1;
                    }
                }
                // The end of the run at the last place where the other text is changed, too.
                beside = if j > 0 && runs(j - 1) || runs(j) { Some(end) } else { None };
                while runs(j) {
                    j += 1;
                }
                while end < count && lines[start] == lines[end] {
                    changed[start] = false;
                    changed[end] = true;
                    (start, end) = (start + 1, end + 1);
                    while end < count && changed[end] {
                        end += 1;
                    }
                    j += 1;
                    while runs(j) {
                        j += 1;
                        beside = Some(end);
                    }
                }
                if end - start == len {
                    break;
                }
            }
            while let Some(at) = beside.filter(|at| *at < end) {
                debug_assert!(at < end);
                (start, end) = (start - 1, end - 1);
                changed[start] = true;
                changed[end] = false;
                j -= 1;
                while j > 0 && runs(j - 1) {
                    j -= 1;
                }
            }
            while runs(j) {
                j += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the changes between texts whose lines are single characters.
    fn check(old: &str, new: &str, expect: &str) {
        let numbers = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
        let shown: Vec<String> = changes(&numbers(old), &numbers(new), false)
            .into_iter()
            .map(|change| format!("-{}+{}", &old[change.old.clone()], &new[change.new.clone()]))
            .collect();
        assert_eq!(shown.join(" "), expect);
    }

    #[test]
    fn equal_texts_have_no_changes() {
        check("", "", "");
        check("abc", "abc", "");
    }

    #[test]
    fn changes_are_few() {
        check("abc", "aXc", "-b+X");
        check("abcabba", "cbabac", "-ab+ -a+ -+a -+c");
        check("", "ab", "-+ab");
        check("ab", "", "-ab+");
    }

    #[test]
    fn a_run_moves_to_the_end() {
        check("{a}{b}", "{a}{x}{b}", "-+x}{");
    }

    #[test]
    fn changes_of_any_texts_lead_from_one_to_the_other() {
        let mut seed = 7_u32;
        let mut random = |most: u32| {
            seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
            (seed >> 16) % most
        };
        for _ in 0..2000 {
            let (old_len, new_len, kinds) = (random(12), random(12), random(4) + 1);
            let old: Vec<u32> = (0..old_len).map(|_| random(kinds)).collect();
            let new: Vec<u32> = (0..new_len).map(|_| random(kinds)).collect();
            let (mut made, mut at) = (Vec::new(), 0);
            for change in changes(&old, &new, false) {
                made.extend_from_slice(&old[at..change.old.start]);
                assert_eq!(made.len(), change.new.start, "{old:?} {new:?}");
                made.extend_from_slice(&new[change.new]);
                at = change.old.end;
            }
            made.extend_from_slice(&old[at..]);
            assert_eq!(made, new, "{old:?}");
        }
    }
}
