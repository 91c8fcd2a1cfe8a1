//! `git log -L`: the history of a range of lines.

use std::collections::HashMap;
use std::ops::Range;

use super::Call;
use crate::bytes::quoted;
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::report::options::DiffOptions;
use crate::report::paint;
use crate::report::pretty::Printer;
use crate::store::object::Commit;
use crate::store::oid::Oid;
use crate::text::compare::{Edit, Style, edits, split};
use crate::tree::changes::{self, Status};
use crate::tree::pathspec::Pathspecs;
use crate::tree::renames;
use crate::walk::{self, Walk};

/// Lines of a file in one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lines {
    path: Vec<u8>,
    range: Range<usize>,
}

/// Form of the output, and the commits that are printed.
pub(crate) struct Shown<'a> {
    pub(crate) printer: &'a Printer<'a>,
    pub(crate) options: &'a DiffOptions,
    pub(crate) is_oneline: bool,
    /// A format whose texts end with a newline.
    pub(crate) is_format: bool,
    pub(crate) most: Option<usize>,
    pub(crate) takes: &'a dyn Fn(&Commit) -> bool,
}

/// Runs `git log -L` from a commit.
pub(crate) fn run(
    call: &mut Call<'_>,
    repo: &Repo,
    specs: &[String],
    tip: Oid,
    hidden: &[Oid],
    shown: &Shown<'_>,
) -> Result<i32> {
    let mut places: HashMap<Oid, Vec<Lines>> = HashMap::new();
    let commit = repo.odb.commit(tip)?;
    for spec in specs {
        places.entry(tip).or_default().push(parse(repo, &commit, spec)?);
    }
    let mut all = Walk::new(&repo.odb, walk::ancestors(&repo.odb, hidden)?);
    all.push(tip)?;
    let mut count = 0;
    while let Some((oid, commit)) = all.pop() {
        let wanted = places.remove(&oid).unwrap_or_default();
        let mut patch = Vec::new();
        let parents = walk::parents(&repo.odb, &commit);
        let is_merge = parents.len() > 1;
        for lines in &wanted {
            let mut passed = Vec::new();
            for parent in &parents {
                let step = step(repo, lines, *parent, &commit, shown.options)?;
                let is_same = step.patch.is_none();
                passed.push((*parent, step));
                if is_same && is_merge {
                    // A parent with the same lines explains them; others need no visit.
                    passed.drain(..passed.len() - 1);
                    break;
                }
            }
            if parents.is_empty() {
                whole(repo, lines, &commit, shown.options, &mut patch)?;
            }
            for (parent, step) in passed {
                if let Some(text) = step.patch.filter(|_| !is_merge) {
                    patch.extend(text);
                }
                if let Some(lines) = step.before {
                    let known = places.entry(parent).or_default();
                    if !known.contains(&lines) {
                        known.push(lines);
                    }
                    all.push(parent)?;
                }
            }
        }
        if patch.is_empty() || !(shown.takes)(&commit) {
            continue;
        }
        if shown.most.is_some_and(|most| count >= most) {
            break;
        }
        let is_apart = !shown.is_oneline && !shown.is_format;
        if count > 0 && is_apart {
            call.out.text("\n");
        }
        count += 1;
        let mut out = Vec::new();
        shown.printer.write(oid, &commit, None, &mut out);
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        call.out.text(out);
        if !shown.options.is_silent {
            call.out.text("\n");
            call.out.text(patch);
        }
    }
    Ok(0)
}

/// Parses `start,end:file` and `:function:file`.
fn parse(repo: &Repo, commit: &Commit, spec: &str) -> Result<Lines> {
    let bad = || fatal(format!("-L argument not 'start,end:file' or ':funcname:file': {spec}"));
    let at = spec.rfind(':').filter(|at| *at > 0).ok_or_else(bad)?;
    let (lines, file) = (&spec[..at], &spec[at + 1..]);
    let path = repo.relative(file.as_bytes())?;
    let Some(entry) = repo.odb.entry(commit.tree, &path)? else {
        return Err(fatal(format!("There is no path {file} in the commit")));
    };
    let data = repo.odb.blob(entry.oid)?;
    let content = split(&data);
    if content.is_empty() {
        return Err(fatal(format!("file {file} has only 0 lines")));
    }
    let found = super::blame::ranges(&[lines.to_owned()], &content, file)?;
    let (first, last) = (found.first().copied().unwrap_or(0), found.last().copied().unwrap_or(0));
    Ok(Lines { path, range: first..last + 1 })
}

/// A step to a parent: where the lines were, and the difference if they changed.
struct Step {
    before: Option<Lines>,
    patch: Option<Vec<u8>>,
}

fn step(
    repo: &Repo,
    lines: &Lines,
    parent: Oid,
    commit: &Commit,
    options: &DiffOptions,
) -> Result<Step> {
    let tree = repo.odb.commit(parent)?.tree;
    let new_entry = repo.odb.entry(commit.tree, &lines.path)?;
    let Some(new_entry) = new_entry else { return Ok(Step { before: None, patch: None }) };
    let mut old_path = lines.path.clone();
    let mut old_entry = repo.odb.entry(tree, &old_path)?;
    if old_entry.is_none() {
        let found = changes::trees(&repo.odb, tree, commit.tree, &Pathspecs::all())?;
        let found = renames::find(repo, found, renames::SIMILARITY)?;
        let is_it = |change: &&changes::Change| {
            change.path == lines.path && matches!(change.status, Status::Renamed(_))
        };
        if let Some(change) = found.iter().find(is_it) {
            old_path = change.old_path.clone();
            old_entry = repo.odb.entry(tree, &old_path)?;
        }
    }
    let Some(old_entry) = old_entry else {
        let mut patch = Vec::new();
        whole(repo, lines, commit, options, &mut patch)?;
        return Ok(Step { before: None, patch: Some(patch) });
    };
    if old_entry.oid == new_entry.oid {
        let before = Lines { path: old_path, range: lines.range.clone() };
        return Ok(Step { before: Some(before), patch: None });
    }
    let (old, new) = (repo.odb.blob(old_entry.oid)?, repo.odb.blob(new_entry.oid)?);
    let (old, new) = (split(&old), split(&new));
    let all = edits(&old, &new, &Style::default());
    let before = earlier(&all, &lines.range);
    let touched: Vec<&Edit> = all.iter().filter(|edit| touches(edit, &lines.range)).collect();
    let patch = match touched.is_empty() {
        true => None,
        false => {
            let mut out = header(Some(&old_path), &lines.path, options);
            hunk(&old, &new, &before, &lines.range, &touched, &mut out);
            Some(coloured(out, options))
        }
    };
    let before = (!before.is_empty()).then_some(Lines { path: old_path, range: before });
    Ok(Step { before, patch })
}

fn touches(edit: &Edit, range: &Range<usize>) -> bool {
    match edit.new.is_empty() {
        true => range.start < edit.new.start && edit.new.start < range.end,
        false => edit.new.start < range.end && range.start < edit.new.end,
    }
}

/// Returns the lines of the earlier text that a range came from.
fn earlier(all: &[Edit], range: &Range<usize>) -> Range<usize> {
    let place = |line: usize, is_end: bool| {
        let mut shift = 0_isize;
        for edit in all {
            let is_behind = if is_end { line <= edit.new.start } else { line < edit.new.start };
            if is_behind {
                break;
            }
            let is_inside = if is_end { line <= edit.new.end } else { line < edit.new.end };
            if is_inside && !edit.new.is_empty() {
                return if is_end { edit.old.end } else { edit.old.start };
            }
            shift += edit.old.len() as isize - edit.new.len() as isize;
        }
        line.saturating_add_signed(shift)
    };
    let start = place(range.start, false);
    start..place(range.end, true).max(start)
}

fn header(old: Option<&[u8]>, new: &[u8], options: &DiffOptions) -> Vec<u8> {
    let one = quoted(&[options.old_prefix.as_bytes(), old.unwrap_or(new)].concat());
    let two = quoted(&[options.new_prefix.as_bytes(), new].concat());
    let before = if old.is_some() { one.clone() } else { b"/dev/null".to_vec() };
    [b"diff --git ".as_slice(), &one, b" ", &two, b"\n--- ", &before, b"\n+++ ", &two, b"\n"]
        .concat()
}

fn place(range: &Range<usize>) -> String {
    let start = if range.is_empty() { range.start } else { range.start + 1 };
    format!("{start},{}", range.len())
}

fn hunk(
    old: &[&[u8]],
    new: &[&[u8]],
    before: &Range<usize>,
    after: &Range<usize>,
    touched: &[&Edit],
    out: &mut Vec<u8>,
) {
    out.extend(format!("@@ -{} +{} @@\n", place(before), place(after)).bytes());
    let mut put = |mark: u8, lines: &[&[u8]]| {
        for line in lines {
            out.push(mark);
            out.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                out.extend(b"\n\\ No newline at end of file\n");
            }
        }
    };
    let mut at = after.start;
    for edit in touched {
        put(b' ', part(new, at, edit.new.start));
        put(b'-', part(old, edit.old.start.max(before.start), edit.old.end.min(before.end)));
        put(b'+', part(new, edit.new.start.max(after.start), edit.new.end.min(after.end)));
        at = edit.new.end.clamp(at, after.end);
    }
    put(b' ', part(new, at, after.end));
}

/// Returns the lines between two numbers; none if they are the wrong way round.
fn part<'l>(lines: &'l [&'l [u8]], from: usize, to: usize) -> &'l [&'l [u8]] {
    lines.get(from..to).unwrap_or_default()
}

/// Writes the lines of a file that a commit added.
fn whole(
    repo: &Repo,
    lines: &Lines,
    commit: &Commit,
    options: &DiffOptions,
    out: &mut Vec<u8>,
) -> Result<()> {
    let Some(entry) = repo.odb.entry(commit.tree, &lines.path)? else { return Ok(()) };
    let data = repo.odb.blob(entry.oid)?;
    let new = split(&data);
    let edit = Edit { old: 0..0, new: lines.range.clone() };
    let mut patch = header(None, &lines.path, options);
    hunk(&[], &new, &(0..0), &lines.range, &[&edit], &mut patch);
    out.extend(coloured(patch, options));
    Ok(())
}

fn coloured(plain: Vec<u8>, options: &DiffOptions) -> Vec<u8> {
    if !options.is_coloured {
        return plain;
    }
    let at = plain.windows(3).position(|part| part == b"\n@@").map_or(plain.len(), |at| at + 1);
    let mut out = Vec::new();
    paint::header(&plain[..at], &mut out);
    paint::hunks(&plain[at..], &mut out);
    out
}
