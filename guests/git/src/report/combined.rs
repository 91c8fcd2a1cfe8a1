//! Combined differences: a result compared with several parents at once, as conflicts and merges
//! are shown (`diff --cc`).

use crate::bytes::quoted;
use crate::fault::Result;
use crate::repo::Repo;
use crate::report::options::DiffOptions;
use crate::report::{content, paint};
use crate::store::object::Commit;
use crate::store::oid::Oid;
use crate::text::compare::{self, edits, is_binary, split};
use crate::tree::changes::{self, Side};
use crate::tree::pathspec::Pathspecs;

/// Most parents that are compared; each is a bit of a number.
const MAX_PARENTS: usize = 24;
/// Longest heading of a hunk.
const MAX_HEADING: usize = 40;
/// Most comparisons to find lines that several parents lost.
const MAX_COMPARED: usize = 1 << 22;

/// A line that some parents have and the result has not.
struct Lost<'a> {
    text: &'a [u8],
    /// Bits of the parents that have it.
    parents: u32,
}

/// A line of the result, with the lost lines before it. The last one is behind the end.
struct Row<'a> {
    text: &'a [u8],
    lost: Vec<Lost<'a>>,
    /// Bits of the parents that do not have the line.
    new_for: u32,
    /// The row is shown.
    is_shown: bool,
    /// The row is context, so that lost lines before it are not shown.
    hides_lost: bool,
    /// Number of the line in each parent.
    places: Vec<usize>,
}

impl Row<'_> {
    fn is_changed(&self) -> bool {
        self.new_for != 0 || !self.lost.is_empty()
    }
}

/// Hunks of a merge that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Density {
    /// `-c`.
    All,
    /// `--cc`: those that differ from all parents.
    Dense,
}

/// One file with its parents.
struct File<'a> {
    path: &'a [u8],
    parents: Vec<Side>,
    result: Side,
    density: Density,
}

/// Writes the difference of a file in conflict: both sides and the work tree. Returns false if
/// there is no such pair of sides.
pub(crate) fn conflict(
    repo: &Repo,
    path: &[u8],
    options: &DiffOptions,
    out: &mut Vec<u8>,
) -> Result<bool> {
    let index = repo.index()?;
    let side = |stage: u8| {
        let entry = index.entries.iter().find(|e| e.path == path && e.stage == stage)?;
        Some(Side::stored(entry.mode, entry.oid))
    };
    let (Some(ours), Some(theirs)) = (side(2), side(3)) else { return Ok(false) };
    let Ok(status) = cofferdam_guest_sys::stat(&repo.work_path(path), false) else {
        return Ok(false);
    };
    let Some(mode) = crate::tree::work::tree_mode(repo, &status, None) else { return Ok(false) };
    let result = Side { mode, oid: Oid::ZERO, is_work: true };
    write(
        repo,
        &File { path, parents: vec![ours, theirs], result, density: Density::Dense },
        options,
        out,
    )?;
    Ok(true)
}

/// Writes the combined difference of a merge: files that differ from all parents.
pub(crate) fn commit(
    repo: &Repo,
    commit: &Commit,
    options: &DiffOptions,
    paths: &Pathspecs,
    density: Density,
    out: &mut Vec<u8>,
) -> Result<()> {
    if commit.parents.len() > MAX_PARENTS {
        return Ok(());
    }
    let mut files: Vec<(Vec<u8>, Vec<Side>, Side)> = Vec::new();
    for (n, parent) in commit.parents.iter().enumerate() {
        let tree = repo.odb.commit(*parent)?.tree;
        let found = changes::trees(&repo.odb, tree, commit.tree, paths)?;
        if n == 0 {
            files = found.into_iter().map(|one| (one.path, vec![one.old], one.new)).collect();
            continue;
        }
        files.retain_mut(|(path, parents, _)| {
            match found.iter().find(|change| change.path == *path) {
                Some(change) => {
                    parents.push(change.old);
                    true
                }
                None => false,
            }
        });
    }
    for (path, parents, result) in &files {
        write(
            repo,
            &File { path, parents: parents.clone(), result: *result, density },
            options,
            out,
        )?;
    }
    Ok(())
}

fn write(repo: &Repo, file: &File<'_>, options: &DiffOptions, out: &mut Vec<u8>) -> Result<()> {
    let read = |side: &Side| content::read(repo, side, file.path);
    let result = read(&file.result)?;
    let parents: Vec<Vec<u8>> = file.parents.iter().map(read).collect::<Result<_>>()?;
    let mut head = Vec::new();
    header(repo, file, options, &mut head);
    let mut body = Vec::new();
    if is_binary(&result) || parents.iter().any(|data| is_binary(data)) {
        body.extend(b"Binary files differ\n");
    } else {
        let lines: Vec<Vec<&[u8]>> = parents.iter().map(|data| split(data)).collect();
        let mut rows = rows(&lines, &split(&result), &options.style);
        if !choose(&mut rows, file, options.style.context as usize) {
            // A clean merge has nothing to show, but a conflict is named.
            if file.result.is_work {
                paint_header(&head, options, out);
            }
            return Ok(());
        }
        let name = |prefix: &str| quoted(&[prefix.as_bytes(), file.path].concat());
        let is_new = file.parents.iter().all(|side| !side.is_there());
        let old = if is_new { b"/dev/null".to_vec() } else { name(&options.old_prefix) };
        let gone = !file.result.is_there();
        let new = if gone { b"/dev/null".to_vec() } else { name(&options.new_prefix) };
        head.extend([b"--- ".as_slice(), &old, b"\n+++ ", &new, b"\n"].concat());
        hunks(&rows, parents.len(), options.is_coloured, &mut body);
    }
    paint_header(&head, options, out);
    out.extend(body);
    Ok(())
}

fn paint_header(head: &[u8], options: &DiffOptions, out: &mut Vec<u8>) {
    match options.is_coloured {
        true => paint::header(head, out),
        false => out.extend(head),
    }
}

fn header(repo: &Repo, file: &File<'_>, options: &DiffOptions, out: &mut Vec<u8>) {
    let mark: &[u8] = match file.density {
        Density::All => b"diff --combined ",
        Density::Dense => b"diff --cc ",
    };
    out.extend([mark, &quoted(file.path), b"\nindex "].concat());
    let short = |oid: Oid| match (options.is_full_index, oid.is_zero()) {
        (true, _) => oid.to_string(),
        (false, true) => oid.to_string()[..crate::store::odb::ABBREVIATION].to_owned(),
        (false, false) => repo.odb.short(oid),
    };
    let ids: Vec<String> = file.parents.iter().map(|side| short(side.oid)).collect();
    out.extend(format!("{}..{}\n", ids.join(","), short(file.result.oid)).bytes());
    let modes: Vec<String> = file.parents.iter().map(|side| format!("{:06o}", side.mode)).collect();
    let modes = modes.join(",");
    let is_new = file.parents.iter().all(|side| !side.is_there());
    if !file.result.is_there() {
        out.extend(format!("deleted file mode {modes}\n").bytes());
    } else if is_new {
        out.extend(format!("new file mode {:06o}\n", file.result.mode).bytes());
    } else if file.parents.iter().any(|side| side.mode != file.result.mode) {
        out.extend(format!("mode {modes}..{:06o}\n", file.result.mode).bytes());
    }
}

/// Compares the result with every parent.
fn rows<'a>(
    parents: &[Vec<&'a [u8]>],
    result: &[&'a [u8]],
    style: &compare::Style,
) -> Vec<Row<'a>> {
    let ends = result.iter().copied().chain([&b""[..]]);
    let mut rows: Vec<Row<'a>> = ends
        .map(|text| Row {
            text,
            lost: Vec::new(),
            new_for: 0,
            is_shown: false,
            hides_lost: false,
            places: Vec::new(),
        })
        .collect();
    for (n, parent) in parents.iter().enumerate() {
        let bit = 1 << n;
        for edit in edits(parent, result, style) {
            for row in &mut rows[edit.new.clone()] {
                row.new_for |= bit;
            }
            let earlier = std::mem::take(&mut rows[edit.new.start].lost);
            rows[edit.new.start].lost = joined(earlier, &parent[edit.old], bit);
        }
        let mut place = 1;
        for row in &mut rows {
            row.places.push(place);
            place += row.lost.iter().filter(|lost| lost.parents & bit != 0).count();
            place += usize::from(row.new_for & bit == 0);
        }
    }
    rows
}

/// Adds the lines that another parent lost; equal ones are shown once.
fn joined<'a>(earlier: Vec<Lost<'a>>, lines: &[&'a [u8]], bit: u32) -> Vec<Lost<'a>> {
    let new = |text: &&'a [u8]| Lost { text, parents: bit };
    if earlier.is_empty() || earlier.len().saturating_mul(lines.len()) > MAX_COMPARED {
        return earlier.into_iter().chain(lines.iter().map(new)).collect();
    }
    // Length of the longest common part of what is left on both sides.
    let (rows, columns) = (earlier.len(), lines.len());
    let mut longest = vec![vec![0_usize; columns + 1]; rows + 1];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            longest[i][j] = match earlier[i].text == lines[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let mut out = Vec::new();
    let mut j = 0;
    for (i, mut lost) in earlier.into_iter().enumerate() {
        while j < columns && lost.text != lines[j] && longest[i][j + 1] > longest[i + 1][j] {
            out.push(new(&lines[j]));
            j += 1;
        }
        if j < columns && lost.text == lines[j] {
            lost.parents |= bit;
            j += 1;
        }
        out.push(lost);
    }
    out.extend(lines[j..].iter().map(new));
    out
}

/// Marks the rows that are shown: changes that differ from all parents, and context. Returns false
/// if there are none.
fn choose(rows: &mut [Row<'_>], file: &File<'_>, context: usize) -> bool {
    for row in rows.iter_mut() {
        row.is_shown = row.is_changed();
    }
    if file.density == Density::All {
        return add_context(rows, context);
    }
    let all = (1 << file.parents.len()) - 1;
    let mut at = 0;
    while let Some(start) = next(rows, at, true) {
        let end = end_of_group(rows, start, context);
        if takes_one_side(&rows[start..end], all) {
            rows[start..end].iter_mut().for_each(|row| row.is_shown = false);
        }
        at = end;
    }
    add_context(rows, context)
}

fn next(rows: &[Row<'_>], from: usize, is_shown: bool) -> Option<usize> {
    (from..rows.len()).find(|at| rows[*at].is_shown == is_shown)
}

/// Returns the end of a group, before context: a last row that has only lost lines is context.
fn tail(rows: &[Row<'_>], start: usize, end: usize) -> usize {
    if end > start && rows[end - 1].new_for == 0 { end - 1 } else { end }
}

fn end_of_group(rows: &[Row<'_>], start: usize, context: usize) -> usize {
    let mut at = start + 1;
    while at < rows.len() {
        if !rows[at].is_shown {
            let limit = (tail(rows, start, at) + context).min(rows.len());
            match (at..limit).rev().find(|later| rows[*later].is_shown) {
                Some(later) => at = later,
                None => return at,
            }
        }
        at += 1;
    }
    rows.len()
}

/// Returns true if all changes in a group are against the same parents, and not against all: the
/// result is that of another parent.
fn takes_one_side(group: &[Row<'_>], all: u32) -> bool {
    let new = group.iter().map(|row| row.new_for).filter(|bits| *bits != 0);
    let lost = group.iter().flat_map(|row| row.lost.iter().map(|lost| lost.parents));
    let mut same = None;
    for bits in new.chain(lost) {
        if *same.get_or_insert(bits) != bits {
            return false;
        }
    }
    same != Some(all)
}

fn add_context(rows: &mut [Row<'_>], context: usize) -> bool {
    let Some(mut at) = next(rows, 0, true) else { return false };
    loop {
        for row in &mut rows[at.saturating_sub(context)..at] {
            row.hides_lost |= !row.is_shown;
            row.is_shown = true;
        }
        loop {
            let Some(end) = next(rows, at, false) else { return true };
            let following = next(rows, end, true).unwrap_or(rows.len());
            let from = tail(rows, at, end);
            if following < rows.len() && following < from + context {
                rows[from..following].iter_mut().for_each(|row| row.is_shown = true);
                at = following;
                continue;
            }
            let to = (from + context).min(rows.len());
            rows[from..to].iter_mut().for_each(|row| row.is_shown = true);
            at = following;
            break;
        }
        if at >= rows.len() {
            return true;
        }
    }
}

fn hunks(rows: &[Row<'_>], parents: usize, is_coloured: bool, out: &mut Vec<u8>) {
    let last = rows.len() - 1;
    let put = |colour: &[u8], text: &[u8], out: &mut Vec<u8>| match is_coloured {
        true => paint::put(colour, text, out),
        false => out.extend(text),
    };
    let mut heading: &[u8] = b"";
    let mut at = 0;
    while at <= last {
        if !rows[at].is_shown {
            if rows[at].text.first().is_some_and(|b| b.is_ascii_alphabetic() || b"_$".contains(b)) {
                heading = rows[at].text;
            }
            at += 1;
            continue;
        }
        let end = next(rows, at, false).unwrap_or(rows.len());
        let count = end.min(last) - at;
        let marks = "@".repeat(parents + 1);
        let mut place = marks.clone();
        for n in 0..parents {
            let first = rows[at].places[n];
            let after = match rows.get(end) {
                Some(row) => row.places[n],
                None => {
                    rows[last].places[n]
                        + rows[last].lost.iter().filter(|lost| lost.parents & 1 << n != 0).count()
                }
            };
            place += &format!(" -{first},{}", after - first);
        }
        place += &format!(" +{},{count} {marks}", at + 1);
        put(paint::CYAN, place.as_bytes(), out);
        let shown = &heading[..heading.len().min(MAX_HEADING)];
        let shown = shown.trim_ascii_end();
        // The last character is left out, as git does.
        if shown.len() > 1 {
            out.push(b' ');
            out.extend(&shown[..shown.len() - 1]);
        }
        out.push(b'\n');
        for (n, row) in rows[at..end].iter().enumerate() {
            if !row.hides_lost {
                for lost in &row.lost {
                    let mut line: Vec<u8> = (0..parents)
                        .map(|n| if lost.parents & 1 << n != 0 { b'-' } else { b' ' })
                        .collect();
                    line.extend(lost.text.strip_suffix(b"\n").unwrap_or(lost.text));
                    put(paint::RED, &line, out);
                    out.push(b'\n');
                }
            }
            if at + n == last {
                break;
            }
            let mut line: Vec<u8> =
                (0..parents).map(|n| if row.new_for & 1 << n != 0 { b'+' } else { b' ' }).collect();
            line.extend(row.text.strip_suffix(b"\n").unwrap_or(row.text));
            match row.new_for {
                0 => out.extend(line),
                _ => put(paint::GREEN, &line, out),
            }
            out.push(b'\n');
        }
        at = end;
    }
}
