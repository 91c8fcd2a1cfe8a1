//! Compares two files line by line and writes the difference as hunks.

use std::borrow::Cow;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use crate::bytes;

/// Bytes that are searched for a NUL, which makes a file binary.
const BINARY_SEARCH: usize = 8000;
/// Longest function name in a hunk's header.
const MAX_HEADING: usize = 80;

/// Settings of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    /// Unchanged lines around a change.
    pub(crate) context: u32,
    pub(crate) space: Space,
    pub(crate) algorithm: Algorithm,
    /// Ignore changes that only add or remove blank lines.
    pub(crate) is_blank_ignored: bool,
    /// Most unchanged lines between two hunks that are shown as one, besides their context.
    pub(crate) between: u32,
    /// `-W`: hunks show whole functions.
    pub(crate) has_whole_functions: bool,
}

/// Treatment of white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Matters,
    /// `-w`.
    Ignored,
    /// `-b`.
    AmountIgnored,
    AtEndIgnored,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            context: 3,
            space: Space::Matters,
            algorithm: Algorithm::Myers,
            is_blank_ignored: false,
            between: 0,
            has_whole_functions: false,
        }
    }
}

/// A changed range of lines in both files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Returns true if data has a NUL near its start.
pub(crate) fn is_binary(data: &[u8]) -> bool {
    data[..data.len().min(BINARY_SEARCH)].contains(&0)
}

fn token<'a>(line: &'a [u8], space: Space) -> Cow<'a, [u8]> {
    match space {
        Space::Matters => Cow::Borrowed(line),
        Space::Ignored => line.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect(),
        Space::AtEndIgnored => Cow::Borrowed(line.trim_ascii_end()),
        Space::AmountIgnored => {
            let mut out = Vec::with_capacity(line.len());
            for byte in line.trim_ascii_end() {
                match byte.is_ascii_whitespace() {
                    true if out.last() == Some(&b' ') => {}
                    true => out.push(b' '),
                    false => out.push(*byte),
                }
            }
            Cow::Owned(out)
        }
    }
}

/// Returns the changes between two lists of lines.
pub(crate) fn edits(old: &[&[u8]], new: &[&[u8]], style: &Style) -> Vec<Edit> {
    let mut input: InternedInput<Cow<'_, [u8]>> = InternedInput::default();
    input.update_before(old.iter().map(|line| token(line, style.space)));
    input.update_after(new.iter().map(|line| token(line, style.space)));
    let mut diff = Diff::compute(style.algorithm, &input);
    diff.postprocess_lines(&input);
    let wide = |range: &Range<u32>| range.start as usize..range.end as usize;
    let all = diff.hunks().map(|hunk| Edit { old: wide(&hunk.before), new: wide(&hunk.after) });
    let is_blank = |lines: &[&[u8]]| lines.iter().all(|line| line.trim_ascii().is_empty());
    all.filter(|edit| {
        !style.is_blank_ignored
            || !is_blank(&old[edit.old.clone()])
            || !is_blank(&new[edit.new.clone()])
    })
    .collect()
}

/// Returns the changes between two lists of words.
pub(crate) fn word_edits(old: &[&[u8]], new: &[&[u8]]) -> Vec<Edit> {
    let mut input: InternedInput<&[u8]> = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let wide = |range: &Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| Edit { old: wide(&hunk.before), new: wide(&hunk.after) }).collect()
}

/// Splits data into lines with their newlines.
pub(crate) fn split(data: &[u8]) -> Vec<&[u8]> {
    bytes::lines(data).collect()
}

/// Returns the number of added and removed lines.
pub(crate) fn count(old: &[u8], new: &[u8], style: &Style) -> (usize, usize) {
    let edits = edits(&split(old), &split(new), style);
    edits
        .iter()
        .fold((0, 0), |(added, removed), edit| (added + edit.new.len(), removed + edit.old.len()))
}

/// Writes the difference of two texts as unified hunks.
pub(crate) fn unified(old: &[u8], new: &[u8], style: &Style, out: &mut Vec<u8>) {
    let (old, new) = (split(old), split(new));
    let edits = edits(&old, &new, style);
    let mut at = 0;
    let mut searched = 0;
    let mut heading: &[u8] = b"";
    while at < edits.len() {
        let (end, old_range) = hunk(&old, &edits, at, style);
        let group = &edits[at..end];
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let before = first.old.start - old_range.start;
        let after = old_range.end - last.old.end;
        let new_range = first.new.start - before..last.new.end + after;
        if let Some(found) = old[searched.min(old_range.start)..old_range.start]
            .iter()
            .rev()
            .find_map(|l| function(l))
        {
            heading = found;
        }
        searched = old_range.start;
        out.extend(format!("@@ -{} +{} @@", place(&old_range), place(&new_range)).bytes());
        if !heading.is_empty() {
            out.push(b' ');
            out.extend_from_slice(heading);
        }
        out.push(b'\n');
        // Lines that differ in white space only are shown as they are now.
        let mut position = new_range.start;
        for edit in group {
            new[position..edit.new.start].iter().for_each(|line| write_line(b' ', line, out));
            old[edit.old.clone()].iter().for_each(|line| write_line(b'-', line, out));
            new[edit.new.clone()].iter().for_each(|line| write_line(b'+', line, out));
            position = edit.new.end;
        }
        new[position..new_range.end].iter().for_each(|line| write_line(b' ', line, out));
        at = end;
    }
}

/// Returns the end of the group of edits that one hunk shows, and the lines that it has in the old
/// text.
fn hunk(old: &[&[u8]], edits: &[Edit], at: usize, style: &Style) -> (usize, Range<usize>) {
    let context = style.context as usize;
    let gap = context.saturating_mul(2).saturating_add(style.between as usize);
    let mut start = edits[at].old.start.saturating_sub(context);
    if style.has_whole_functions {
        start = start.min(function_start(old, edits[at].old.start));
    }
    let mut end = at + 1;
    loop {
        while end < edits.len() && edits[end].old.start - edits[end - 1].old.end <= gap {
            end += 1;
        }
        let last = edits[end - 1].old.end;
        let mut stop = last.saturating_add(context).min(old.len());
        if style.has_whole_functions {
            stop = stop.max(function_end(old, last));
        }
        // An edit in the same function belongs to the hunk.
        let is_next_near = style.has_whole_functions
            && edits.get(end).is_some_and(|next| {
                let next = next.old.start.min(old.len().saturating_sub(1));
                next.saturating_sub(context) <= stop
                    || !(stop..next).any(|at| function(old[at]).is_some())
            });
        if !is_next_near {
            return (end, start..stop);
        }
        end += 1;
    }
}

/// Returns the first line of the function around a line, with the comment above it.
fn function_start(old: &[&[u8]], at: usize) -> usize {
    let is_blank = |at: usize| old[at].trim_ascii().is_empty();
    let from = at.min(old.len().saturating_sub(1));
    let Some(mut start) =
        (0..=from).rev().find(|at| old.get(*at).is_some_and(|l| function(l).is_some()))
    else {
        return 0;
    };
    while start > 0 && !is_blank(start - 1) && function(old[start - 1]).is_none() {
        start -= 1;
    }
    start
}

/// Returns the end of the function around a line, without the blank lines after it.
fn function_end(old: &[&[u8]], at: usize) -> usize {
    let next = (at..old.len()).find(|at| function(old[*at]).is_some());
    let mut end = next.unwrap_or(old.len());
    while end > at && old[end - 1].trim_ascii().is_empty() {
        end -= 1;
    }
    end
}

/// Returns the part of a line that names a function, if the line looks like one.
fn function(line: &[u8]) -> Option<&[u8]> {
    let first = line.first()?;
    if !first.is_ascii_alphabetic() && *first != b'_' && *first != b'$' {
        return None;
    }
    Some(line[..line.len().min(MAX_HEADING)].trim_ascii_end())
}

fn place(range: &Range<usize>) -> String {
    let start = if range.is_empty() { range.start } else { range.start + 1 };
    if range.len() == 1 { start.to_string() } else { format!("{start},{}", range.len()) }
}

fn write_line(mark: u8, line: &[u8], out: &mut Vec<u8>) {
    out.push(mark);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expect: &str) {
        let mut out = Vec::new();
        unified(old.as_bytes(), new.as_bytes(), &Style::default(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }

    #[test]
    fn hunks_have_git_s_form() {
        check("a\n", "a\n", "");
        check("", "a\n", "@@ -0,0 +1 @@\n+a\n");
        check("a\nb\n", "a\n", "@@ -1,2 +1 @@\n a\n-b\n");
        check("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    }

    #[test]
    fn changes_far_apart_have_their_own_hunks() {
        let old: String = (0..20).map(|n| format!("l{n}\n")).collect();
        let new = old.replace("l1\n", "x\n").replace("l18\n", "y\n");
        let mut out = Vec::new();
        unified(old.as_bytes(), new.as_bytes(), &Style::default(), &mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches("@@ -").count(), 2);
        assert!(text.contains("@@ -16,5 +16,5 @@ l14\n"), "{text}");
    }
}
