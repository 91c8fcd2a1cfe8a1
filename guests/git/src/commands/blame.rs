//! `git blame`.

use std::collections::HashMap;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::object::{Commit, Signature};
use crate::store::oid::Oid;
use crate::text::compare::{self, Style};
use crate::text::date::{self, Form};
use crate::tree::changes::Status;
use crate::tree::pathspec::Pathspecs;
use crate::tree::renames;

/// A line of the file whose origin is searched for.
#[derive(Clone, Copy)]
struct Line {
    /// Number in the final file.
    last: usize,
    /// Number in the version that is looked at.
    here: usize,
}

/// Origin of a line.
#[derive(Clone)]
struct Origin {
    /// Zero for lines that are not committed.
    oid: Oid,
    path: Vec<u8>,
    number: usize,
    is_boundary: bool,
}

#[derive(Default)]
struct Wish {
    ranges: Vec<String>,
    is_porcelain: bool,
    is_line_porcelain: bool,
    is_silent: bool,
    is_long: bool,
    has_mail: bool,
    has_name: bool,
    has_number: bool,
    is_root_plain: bool,
    is_space_ignored: bool,
    /// The form of `git annotate`, with tabs.
    is_annotated: bool,
    date: Option<Form>,
}

/// Runs `git annotate`.
pub(crate) fn annotate(call: &mut Call<'_>) -> Result<i32> {
    run(call)
}

/// Runs `git blame`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut wish = Wish { is_annotated: call.name == "annotate", ..Wish::default() };
    let (mut operands, mut after, mut has_dashes) = (Vec::new(), Vec::new(), false);
    for arg in call.parse(&Valued {
        short: "L",
        attached: "MC",
        long: &["--date", "--ignore-rev", "--abbrev"],
    })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-L" => wish.ranges.push(value_text(&value)),
                "-p" | "--porcelain" => wish.is_porcelain = true,
                "--line-porcelain" => {
                    wish.is_porcelain = true;
                    wish.is_line_porcelain = true;
                }
                "-s" => wish.is_silent = true,
                "-l" => wish.is_long = true,
                "-e" | "--show-email" => wish.has_mail = true,
                "-f" | "--show-name" => wish.has_name = true,
                "-n" | "--show-number" => wish.has_number = true,
                "--root" => wish.is_root_plain = true,
                "-w" => wish.is_space_ignored = true,
                "-c" => wish.is_annotated = true,
                "-t" => wish.date = Some(Form::Raw),
                "--date" => {
                    let given = value_text(&value);
                    wish.date = Some(
                        Form::parse(&given)
                            .ok_or_else(|| fatal(format!("unknown date format {given}")))?,
                    );
                }
                "-M" | "-C" | "--color-lines" | "--progress" | "--no-progress" | "--ignore-rev"
                | "--abbrev" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) if has_dashes => after.push(operand),
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => has_dashes = true,
        }
    }
    operands.extend(after);
    let (revision_name, file) = match &operands[..] {
        [file] => (None, file.clone()),
        [one, two] if revision::find(&repo, one)?.is_some() => (Some(one.clone()), two.clone()),
        [one, two] => (Some(two.clone()), one.clone()),
        _ => {
            return Err(crate::fault::Fault {
                code: 129,
                text: "usage: git blame [<options>] [<rev>] [--] <file>".to_owned(),
            });
        }
    };
    let path = repo.relative(&file)?;
    let start = match &revision_name {
        Some(name) => Some(revision::commit(&repo, name)?),
        None => None,
    };
    let content = match start {
        Some(oid) => match repo.odb.entry(repo.odb.commit(oid)?.tree, &path)? {
            Some(entry) => repo.odb.blob(entry.oid)?,
            None => {
                return Err(fatal(format!(
                    "no such path {} in {}",
                    text(&path),
                    text(&revision_name.unwrap_or_default())
                )));
            }
        },
        None => {
            let head = repo.head()?.ok_or_else(|| fatal("no such ref: HEAD"))?;
            if repo.odb.entry(repo.odb.commit(head)?.tree, &path)?.is_none()
                && repo.index()?.get(&path).is_none()
            {
                return Err(fatal(format!("no such path '{}' in HEAD", text(&path))));
            }
            crate::tree::work::read(&repo, &path, crate::store::object::mode::FILE)?
        }
    };
    let lines = compare::split(&content);
    let wanted = ranges(&wish.ranges, &lines, &text(&file))?;
    let mut style = Style::default();
    if wish.is_space_ignored {
        style.space = compare::Space::Ignored;
    }
    let origins = origins(&repo, start, &path, &content, &wanted, &style)?;
    print(call, &repo, &wish, &path, &lines, &wanted, &origins)?;
    Ok(0)
}

/// Returns the numbers of the lines that `-L` selects.
/// Returns the lines that `-L` selects, counted from 0.
pub(crate) fn ranges(given: &[String], lines: &[&[u8]], file: &str) -> Result<Vec<usize>> {
    if given.is_empty() {
        return Ok((0..lines.len()).collect());
    }
    let mut all = Vec::new();
    for range in given {
        if let Some(name) = range.strip_prefix(':') {
            all.extend(function(name, lines)?);
            continue;
        }
        let (from, to) = range.split_once(',').unwrap_or((range, ""));
        let bad = || fatal(format!("-L invalid line range: {range}"));
        let place = |text: &str, after: usize| -> Result<usize> {
            if let Some(pattern) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
                let regex = regex::bytes::Regex::new(pattern).map_err(|_| bad())?;
                return lines
                    .iter()
                    .skip(after)
                    .position(|line| regex.is_match(line))
                    .map(|at| after + at + 1)
                    .ok_or_else(bad);
            }
            text.parse::<usize>().map_err(|_| bad())
        };
        let first = if from.is_empty() { 1 } else { place(from, 0)? };
        let last = match to {
            "" => lines.len(),
            _ => match (to.strip_prefix('+'), to.strip_prefix('-')) {
                (Some(n), _) => first + n.parse::<usize>().map_err(|_| bad())?.saturating_sub(1),
                (None, Some(n)) => {
                    (first + 1).saturating_sub(n.parse::<usize>().map_err(|_| bad())?)
                }
                (None, None) => place(to, first.saturating_sub(1))?,
            },
        };
        let (first, last) = (first.min(last).max(1), first.max(last));
        if first > lines.len() {
            let count = lines.len();
            return Err(fatal(format!(
                "file {file} has only {count} line{}",
                if count == 1 { "" } else { "s" }
            )));
        }
        all.extend(first - 1..last.min(lines.len()));
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Returns the lines of the first function whose heading matches.
fn function(name: &str, lines: &[&[u8]]) -> Result<std::ops::Range<usize>> {
    let none = || fatal(format!("-L parameter '{name}' starting at line 1: no match"));
    let regex = regex::bytes::Regex::new(name).map_err(|_| none())?;
    let is_heading = |line: &[u8]| {
        line.first().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$'))
    };
    let is_it = |at: &usize| is_heading(lines[*at]) && regex.is_match(lines[*at]);
    let start = (0..lines.len()).find(is_it).ok_or_else(none)?;
    let end = (start + 1..lines.len()).find(|at| is_heading(lines[*at]));
    Ok(start..end.unwrap_or(lines.len()))
}

/// Finds the commit that each line comes from.
fn origins(
    repo: &Repo,
    start: Option<Oid>,
    path: &[u8],
    content: &[u8],
    wanted: &[usize],
    style: &Style,
) -> Result<HashMap<usize, Origin>> {
    let mut found = HashMap::new();
    let mut todo: Vec<(i64, Oid, Vec<u8>, Vec<Line>)> = Vec::new();
    let all: Vec<Line> = wanted.iter().map(|n| Line { last: *n, here: *n }).collect();
    match start {
        Some(oid) => todo.push((repo.odb.commit(oid)?.time(), oid, path.to_vec(), all)),
        None => {
            let head = repo.head()?.ok_or_else(|| fatal("no such ref: HEAD"))?;
            let commit = repo.odb.commit(head)?;
            let old = match repo.odb.entry(commit.tree, path)? {
                Some(entry) => repo.odb.blob(entry.oid)?,
                None => Vec::new(),
            };
            let (passed, kept) = pass(&old, content, &all, style);
            for line in kept {
                found.insert(
                    line.last,
                    Origin {
                        oid: Oid::ZERO,
                        path: path.to_vec(),
                        number: line.here,
                        is_boundary: false,
                    },
                );
            }
            todo.push((commit.time(), head, path.to_vec(), passed));
        }
    }
    // Newest first, so that a commit is looked at once for all of its children.
    while let Some(at) = (0..todo.len()).max_by_key(|at| todo[*at].0) {
        let (_, oid, path, mut lines) = todo.swap_remove(at);
        while let Some(same) =
            todo.iter().position(|(_, other, name, _)| *other == oid && *name == path)
        {
            lines.extend(todo.swap_remove(same).3);
        }
        if lines.is_empty() {
            continue;
        }
        let commit = repo.odb.commit(oid)?;
        let Some(entry) = repo.odb.entry(commit.tree, &path)? else { continue };
        let data = repo.odb.blob(entry.oid)?;
        for parent in crate::walk::parents(&repo.odb, &commit) {
            let parent_commit = repo.odb.commit(parent)?;
            let (old_path, old) = match repo.odb.entry(parent_commit.tree, &path)? {
                Some(old) if old.oid == entry.oid => {
                    todo.push((
                        parent_commit.time(),
                        parent,
                        path.clone(),
                        std::mem::take(&mut lines),
                    ));
                    break;
                }
                Some(old) => (path.clone(), repo.odb.blob(old.oid)?),
                None => match renamed(repo, &parent_commit, &commit, &path)? {
                    Some((name, oid)) => (name, repo.odb.blob(oid)?),
                    None => continue,
                },
            };
            let (passed, kept) = pass(&old, &data, &lines, style);
            todo.push((parent_commit.time(), parent, old_path, passed));
            lines = kept;
        }
        for line in lines {
            found.insert(
                line.last,
                Origin {
                    oid,
                    path: path.clone(),
                    number: line.here,
                    is_boundary: commit.parents.is_empty(),
                },
            );
        }
    }
    Ok(found)
}

/// Divides lines into those that the old version has too, with their numbers there, and the rest.
fn pass(old: &[u8], new: &[u8], lines: &[Line], style: &Style) -> (Vec<Line>, Vec<Line>) {
    let (old, new) = (compare::split(old), compare::split(new));
    let edits = compare::edits(&old, &new, style);
    let (mut passed, mut kept) = (Vec::new(), Vec::new());
    for line in lines {
        let mut shift = 0isize;
        let mut is_new = false;
        for edit in &edits {
            if line.here < edit.new.start {
                break;
            }
            if line.here < edit.new.end {
                is_new = true;
                break;
            }
            shift = edit.old.end as isize - edit.new.end as isize;
        }
        match is_new {
            true => kept.push(*line),
            false => passed.push(Line { here: line.here.saturating_add_signed(shift), ..*line }),
        }
    }
    (passed, kept)
}

fn renamed(
    repo: &Repo,
    parent: &Commit,
    commit: &Commit,
    path: &[u8],
) -> Result<Option<(Vec<u8>, Oid)>> {
    let all = crate::tree::changes::trees(&repo.odb, parent.tree, commit.tree, &Pathspecs::all())?;
    let all = renames::find(repo, all, renames::SIMILARITY)?;
    let change = all
        .into_iter()
        .find(|change| change.path == path && matches!(change.status, Status::Renamed(_)));
    Ok(change.map(|change| (change.old_path, change.old.oid)))
}

fn print(
    call: &mut Call<'_>,
    repo: &Repo,
    wish: &Wish,
    path: &[u8],
    lines: &[&[u8]],
    wanted: &[usize],
    origins: &HashMap<usize, Origin>,
) -> Result<()> {
    let mut commits: HashMap<Oid, Commit> = HashMap::new();
    for origin in origins.values().filter(|origin| !origin.oid.is_zero()) {
        if let std::collections::hash_map::Entry::Vacant(e) = commits.entry(origin.oid) {
            e.insert(repo.odb.commit(origin.oid)?);
        }
    }
    let now = Repo::now();
    let who = |origin: &Origin| match commits.get(&origin.oid) {
        Some(commit) => Signature::parse(&commit.author),
        None => Signature {
            name: b"Not Committed Yet".to_vec(),
            mail: b"not.committed.yet".to_vec(),
            seconds: now,
            zone: 0,
        },
    };
    if wish.is_porcelain {
        return porcelain(call, repo, wish, path, lines, wanted, origins, &commits);
    }
    let person = |origin: &Origin| {
        let who = who(origin);
        text(&if wish.has_mail { [b"<".as_slice(), &who.mail, b">"].concat() } else { who.name })
    };
    let form = wish.date.clone().unwrap_or(Form::Iso);
    let widest = wanted
        .iter()
        .filter_map(|n| origins.get(n))
        .map(|o| person(o).chars().count())
        .max()
        .unwrap_or(0);
    let has_name = wish.has_name || origins.values().any(|origin| origin.path != path);
    let name_width = origins.values().map(|origin| origin.path.len()).max().unwrap_or(0);
    let digits = wanted.last().map_or(1, |last| (last + 1).to_string().len());
    let number_digits =
        origins.values().map(|origin| (origin.number + 1).to_string().len()).max().unwrap_or(1);
    let date_width = wanted
        .iter()
        .filter_map(|n| origins.get(n))
        .map(|o| {
            let who = who(o);
            date::format(&form, who.seconds, who.zone, now).len()
        })
        .max()
        .unwrap_or(0);
    let length = if wish.is_long { 40 } else { 8 };
    for n in wanted {
        let Some(origin) = origins.get(n) else { continue };
        let hex = origin.oid.to_string();
        let id = match origin.is_boundary && !wish.is_root_plain {
            true => format!("^{}", &hex[..length - 1]),
            false => hex[..length].to_owned(),
        };
        if wish.is_annotated {
            let who = who(origin);
            let when = date::format(&form, who.seconds, who.zone, now);
            let name = person(origin);
            let line = format!("{}\t({name:>10}\t{when:>10}\t{})", &hex[..length], n + 1);
            call.out.line([line.as_bytes(), lines[*n].trim_ascii_end()].concat());
            continue;
        }
        let mut line = id;
        if has_name {
            line += &format!(" {:<name_width$}", text(&origin.path));
        }
        if wish.has_number {
            line += &format!(" {:>number_digits$}", origin.number + 1);
        }
        if wish.is_silent {
            line += &format!(" {:>digits$}) ", n + 1);
        } else {
            let who = who(origin);
            let when = date::format(&form, who.seconds, who.zone, now);
            let name = person(origin);
            line += &format!(" ({name:<widest$} {when:<date_width$} {:>digits$}) ", n + 1);
        }
        call.out.text(line);
        call.out.text(lines[*n]);
        if !lines[*n].ends_with(b"\n") {
            call.out.text("\n");
        }
    }
    Ok(())
}

#[expect(
    clippy::too_many_arguments,
    reason = "one call site; the values belong to the printed table"
)]
fn porcelain(
    call: &mut Call<'_>,
    repo: &Repo,
    wish: &Wish,
    _path: &[u8],
    lines: &[&[u8]],
    wanted: &[usize],
    origins: &HashMap<usize, Origin>,
    commits: &HashMap<Oid, Commit>,
) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    let mut at = 0;
    while at < wanted.len() {
        let Some(first) = origins.get(&wanted[at]) else {
            at += 1;
            continue;
        };
        let mut len = 1;
        while let Some(next) = wanted.get(at + len).and_then(|n| origins.get(n)) {
            if wanted[at + len] != wanted[at] + len
                || next.oid != first.oid
                || next.path != first.path
                || next.number != first.number + len
            {
                break;
            }
            len += 1;
        }
        for n in 0..len {
            let Some(origin) = origins.get(&wanted[at + n]) else { continue };
            let count = if n == 0 { format!(" {len}") } else { String::new() };
            call.out.line(format!(
                "{} {} {}{count}",
                origin.oid,
                origin.number + 1,
                wanted[at + n] + 1
            ));
            if wish.is_line_porcelain || (n == 0 && seen.insert(origin.oid)) {
                header(call, repo, origin, commits)?;
            }
            call.out.text("\t");
            let line = lines[wanted[at + n]];
            call.out.line(line.strip_suffix(b"\n").unwrap_or(line));
        }
        at += len;
    }
    Ok(())
}

fn header(
    call: &mut Call<'_>,
    repo: &Repo,
    origin: &Origin,
    commits: &HashMap<Oid, Commit>,
) -> Result<()> {
    let Some(commit) = commits.get(&origin.oid) else {
        let now = Repo::now();
        for role in ["author", "committer"] {
            call.out.line(format!("{role} Not Committed Yet\n{role}-mail <not.committed.yet>\n{role}-time {now}\n{role}-tz +0000"));
        }
        call.out.line(format!("summary Version of {0} from {0}\nfilename {0}", text(&origin.path)));
        return Ok(());
    };
    for (role, line) in [("author", &commit.author), ("committer", &commit.committer)] {
        let who = Signature::parse(line);
        call.out.line(format!(
            "{role} {}\n{role}-mail <{}>\n{role}-time {}\n{role}-tz {}",
            text(&who.name),
            text(&who.mail),
            who.seconds,
            date::zone_text(who.zone)
        ));
    }
    call.out.line([b"summary ".as_slice(), &commit.subject()].concat());
    if origin.is_boundary {
        call.out.line("boundary");
    } else if let Some(parent) = commit.parents.first() {
        let entry = repo.odb.entry(repo.odb.commit(*parent)?.tree, &origin.path)?;
        if entry.is_some() {
            call.out.line(format!("previous {parent} {}", text(&origin.path)));
        }
    }
    call.out.line([b"filename ".as_slice(), &origin.path].concat());
    Ok(())
}
