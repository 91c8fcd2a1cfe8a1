//! Merges two versions of a file that have a common base.

use super::compare::{Edit, Style, edits, split};

/// Conflicts with at most this many unchanged lines between them become one.
const JOINED: usize = 3;

/// Names of the sides in conflict markers.
pub(crate) struct Labels<'a> {
    pub(crate) ours: &'a str,
    pub(crate) base: &'a str,
    pub(crate) theirs: &'a str,
}

impl Labels<'_> {
    /// Returns the same names.
    pub(crate) fn shared(&self) -> Labels<'_> {
        Labels { ours: self.ours, base: self.base, theirs: self.theirs }
    }
}

/// Treatment of conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Favor {
    /// Both sides between markers.
    Neither,
    /// Both sides and the base between markers.
    WithBase,
    Ours,
    Theirs,
    /// Lines of both sides, ours first.
    Union,
}

/// Result of a merge.
#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) data: Vec<u8>,
    pub(crate) conflicts: usize,
}

/// A part of the result.
enum Part<'a> {
    Clean(Vec<&'a [u8]>),
    Conflict { ours: Vec<&'a [u8]>, base: Vec<&'a [u8]>, theirs: Vec<&'a [u8]> },
}

/// Merges `ours` and `theirs`, both made from `base`.
pub(crate) fn merge(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    labels: &Labels<'_>,
    favor: Favor,
) -> Merged {
    let (base, ours, theirs) = (split(base), split(ours), split(theirs));
    let style = Style::default();
    let left = edits(&base, &ours, &style);
    let right = edits(&base, &theirs, &style);
    let mut parts = parts(&base, &ours, &theirs, &left, &right);
    if matches!(favor, Favor::Neither | Favor::Union) {
        parts = joined(parts.into_iter().flat_map(refined).collect());
    }
    write(parts, labels, favor)
}

/// Cuts the files into parts that changed on one side, and conflicts.
fn parts<'a>(
    base: &[&'a [u8]],
    ours: &[&'a [u8]],
    theirs: &[&'a [u8]],
    left: &[Edit],
    right: &[Edit],
) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let (mut l, mut r) = (0, 0);
    // Position in the base, and the lines that each side is ahead of it.
    let mut at = 0;
    let (mut shift_ours, mut shift_theirs) = (0isize, 0isize);
    while l < left.len() || r < right.len() {
        let start = match (left.get(l), right.get(r)) {
            (Some(a), Some(b)) => a.old.start.min(b.old.start),
            (Some(a), None) => a.old.start,
            (None, Some(b)) => b.old.start,
            (None, None) => break,
        };
        let (first_l, first_r) = (l, r);
        let mut end = start;
        // Changes that touch each other are a conflict, as in git.
        loop {
            if let Some(edit) = left.get(l).filter(|edit| edit.old.start <= end) {
                end = end.max(edit.old.end);
                l += 1;
            } else if let Some(edit) = right.get(r).filter(|edit| edit.old.start <= end) {
                end = end.max(edit.old.end);
                r += 1;
            } else {
                break;
            }
        }
        parts.push(Part::Clean(base[at..start].to_vec()));
        let grown = |edits: &[Edit]| -> isize {
            edits.iter().map(|edit| edit.new.len() as isize - edit.old.len() as isize).sum()
        };
        let side = |lines: &[&'a [u8]], shift: isize, growth: isize| {
            let from = start.saturating_add_signed(shift);
            let to = end.saturating_add_signed(shift + growth);
            lines.get(from..to).unwrap_or_default().to_vec()
        };
        let (grown_ours, grown_theirs) = (grown(&left[first_l..l]), grown(&right[first_r..r]));
        let our_lines = side(ours, shift_ours, grown_ours);
        let their_lines = side(theirs, shift_theirs, grown_theirs);
        shift_ours += grown_ours;
        shift_theirs += grown_theirs;
        if first_l == l {
            parts.push(Part::Clean(their_lines));
        } else if first_r == r || our_lines == their_lines {
            parts.push(Part::Clean(our_lines));
        } else {
            let base = base[start..end].to_vec();
            parts.push(Part::Conflict { ours: our_lines, base, theirs: their_lines });
        }
        at = end;
    }
    parts.push(Part::Clean(base[at..].to_vec()));
    parts
}

/// Takes lines that both sides have out of a conflict.
fn refined(part: Part<'_>) -> Vec<Part<'_>> {
    let Part::Conflict { ours, base, theirs } = part else { return vec![part] };
    if ours.is_empty() || theirs.is_empty() {
        return vec![Part::Conflict { ours, base, theirs }];
    }
    let mut parts = Vec::new();
    let mut at = 0;
    for edit in edits(&ours, &theirs, &Style::default()) {
        parts.push(Part::Clean(ours[at..edit.old.start].to_vec()));
        parts.push(Part::Conflict {
            ours: ours[edit.old.clone()].to_vec(),
            base: Vec::new(),
            theirs: theirs[edit.new].to_vec(),
        });
        at = edit.old.end;
    }
    parts.push(Part::Clean(ours[at..].to_vec()));
    parts
}

/// Joins conflicts that are close to each other.
fn joined(parts: Vec<Part<'_>>) -> Vec<Part<'_>> {
    let mut out: Vec<Part<'_>> = Vec::new();
    let mut gap: Vec<&[u8]> = Vec::new();
    for part in parts {
        match part {
            Part::Clean(lines) => gap.extend(lines),
            Part::Conflict { ours, base, theirs } => {
                if let Some(Part::Conflict { ours: o, base: b, theirs: t }) = out.last_mut()
                    && gap.len() <= JOINED
                {
                    for (to, more) in [(o, ours), (b, base), (t, theirs)] {
                        to.extend(&gap);
                        to.extend(more);
                    }
                    gap.clear();
                } else {
                    out.push(Part::Clean(std::mem::take(&mut gap)));
                    out.push(Part::Conflict { ours, base, theirs });
                }
            }
        }
    }
    out.push(Part::Clean(gap));
    out
}

fn write(parts: Vec<Part<'_>>, labels: &Labels<'_>, favor: Favor) -> Merged {
    let mut merged = Merged { data: Vec::new(), conflicts: 0 };
    let out = &mut merged.data;
    for part in parts {
        let (ours, base, theirs) = match part {
            Part::Clean(lines) => {
                lines.iter().for_each(|line| out.extend_from_slice(line));
                continue;
            }
            Part::Conflict { ours, base, theirs } => (ours, base, theirs),
        };
        match favor {
            Favor::Ours => out.extend(ours.concat()),
            Favor::Theirs => out.extend(theirs.concat()),
            Favor::Union => out.extend([ours.concat(), theirs.concat()].concat()),
            Favor::Neither | Favor::WithBase => {
                merged.conflicts += 1;
                out.extend(format!("<<<<<<< {}\n", labels.ours).bytes());
                let mut side = |lines: &[&[u8]]| {
                    lines.iter().for_each(|line| out.extend_from_slice(line));
                    if out.last().is_some_and(|last| *last != b'\n') {
                        out.push(b'\n');
                    }
                };
                side(&ours);
                if favor == Favor::WithBase {
                    side(&[format!("||||||| {}\n", labels.base).as_bytes()]);
                    side(&base);
                }
                side(&[b"=======\n"]);
                side(&theirs);
                out.extend(format!(">>>>>>> {}\n", labels.theirs).bytes());
            }
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, expect: &str) {
        let labels = Labels { ours: "o", base: "b", theirs: "t" };
        let merged =
            merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), &labels, Favor::Neither);
        assert_eq!(String::from_utf8(merged.data).unwrap(), expect);
    }

    #[test]
    fn changes_in_different_places_are_both_kept() {
        check("1\n2\n3\n4\n5\n", "x\n2\n3\n4\n5\n", "1\n2\n3\n4\ny\n", "x\n2\n3\n4\ny\n");
        check("1\n2\n3\n", "1\n3\n", "1\n2\n3\n4\n", "1\n3\n4\n");
        check("1\n", "1\n2\n", "1\n2\n", "1\n2\n");
    }

    #[test]
    fn changes_of_the_same_line_are_a_conflict() {
        check("1\n", "2\n", "3\n", "<<<<<<< o\n2\n=======\n3\n>>>>>>> t\n");
        check("", "2", "3", "<<<<<<< o\n2\n=======\n3\n>>>>>>> t\n");
        check("a\n1\n", "a\nx\nc\n", "a\ny\nc\n", "a\n<<<<<<< o\nx\n=======\ny\n>>>>>>> t\nc\n");
    }
}
