//! `git apply`.

use std::io::Read as _;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, text};
use crate::fault::{At, Fault, Result, error, fatal};
use crate::repo::Repo;
use crate::store::index::{Entry, Known};
use crate::store::object::{Kind, mode};
use crate::text::apply::{self, FilePatch};
use crate::tree::pathspec::Pathspecs;
use crate::tree::{changes, checkout};

/// New content of one path; `None` removes the file.
struct Write {
    path: Vec<u8>,
    content: Option<(u32, Vec<u8>)>,
}

/// Runs `git apply`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let (mut is_check, mut is_cached, mut has_index, mut is_reversed) =
        (false, false, false, false);
    let (mut is_stat, mut is_numstat, mut is_summary, mut is_verbose, mut is_applied) =
        (false, false, false, false, false);
    let (mut strip, mut may_be_empty, mut is_loose) = (1, false, false);
    let mut directory = Vec::new();
    let mut files = Vec::new();
    let valued = Valued {
        short: "pC",
        long: &["--directory", "--whitespace", "--include", "--exclude"],
        ..Valued::default()
    };
    for arg in call.parse(&valued)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "--check" => is_check = true,
                "--cached" => is_cached = true,
                "--index" => has_index = true,
                "-R" | "--reverse" => is_reversed = true,
                "--stat" => is_stat = true,
                "--numstat" => is_numstat = true,
                "--summary" => is_summary = true,
                "--apply" => is_applied = true,
                "-v" | "--verbose" => is_verbose = true,
                "-p" => {
                    let given = value_text(&value);
                    strip = given
                        .parse()
                        .map_err(|_| error(format!("option `p' expects a number: {given}")))?;
                }
                "--directory" => directory = value.unwrap_or_default(),
                "--allow-empty" => may_be_empty = true,
                "--ignore-whitespace" | "--ignore-space-change" => is_loose = true,
                "--whitespace" | "-C" | "--unidiff-zero" | "--recount" | "-3" | "--3way" | "-n"
                | "-q" | "--quiet" | "--inaccurate-eof" | "--allow-overlap" | "--unsafe-paths" => {}
                "--reject" => return Err(fatal("git apply --reject is not supported; use patch")),
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => files.push(operand),
            Arg::Dashes => {}
        }
    }
    let repo = match call.repo() {
        Ok(repo) => repo,
        Err(fault) if is_cached || has_index => return Err(fault),
        Err(_) => {
            let cwd = crate::repo::current_dir();
            Repo::at(b"/dev/null".to_vec(), Some(cwd.clone()), &cwd, &call.given)?
        }
    };
    let mut patch = Vec::new();
    if files.is_empty() {
        files.push(b"-".to_vec());
    }
    for file in &files {
        match file.as_slice() {
            b"-" => {
                std::io::stdin().read_to_end(&mut patch).at(b"standard input")?;
            }
            file => patch.extend(std::fs::read(bytes::path(file)).map_err(|e| {
                let reason = crate::fault::reason(&e);
                Fault {
                    code: 128,
                    text: format!("error: can't open patch '{}': {reason}", text(file)),
                }
            })?),
        }
    }
    if patch.is_empty() && may_be_empty {
        return Ok(0);
    }
    let mut parsed = apply::parse(&patch, strip)
        .map_err(|problem| Fault { code: 128, text: format!("error: {problem}") })?;
    let prefix = bytes::join(&repo.prefix, &directory);
    for file in &mut parsed {
        if is_reversed {
            file.reverse();
        }
        for name in [&mut file.old, &mut file.new].into_iter().flatten() {
            *name = bytes::join(&prefix, name);
        }
    }
    if is_stat || is_numstat || is_summary {
        show(call, &parsed, is_numstat, is_stat, is_summary);
        if !is_applied {
            return Ok(0);
        }
    }
    let writes = prepare(&repo, &parsed, is_cached, is_loose)?;
    if is_verbose {
        for file in &parsed {
            call.out.note(format!("Checking patch {}...", text(file.name())))?;
        }
    }
    if is_check {
        return Ok(0);
    }
    if is_cached || has_index {
        write_index(&repo, &writes, has_index)?;
        return Ok(0);
    }
    for write in writes.iter().filter(|write| write.content.is_none()) {
        checkout::remove(&repo, &write.path);
    }
    for write in &writes {
        if let Some((mode, data)) = &write.content {
            checkout::write_content(&repo, &write.path, *mode, data)?;
        }
    }
    if is_verbose {
        for file in &parsed {
            call.out.note(format!("Applied patch {} cleanly.", text(file.name())))?;
        }
    }
    Ok(0)
}

/// Applies a patch to the index and the work tree; nothing is changed if a part does not apply.
pub(super) fn to_index(repo: &Repo, patch: &[u8], strip: usize) -> Result<()> {
    let files = apply::parse(patch, strip)
        .map_err(|problem| Fault { code: 128, text: format!("error: {problem}") })?;
    let mut index = repo.index()?;
    let changed = changes::index_and_work(repo, &mut index, &Pathspecs::all())?;
    let mut problems = String::new();
    for old in files.iter().filter_map(|file| file.old.as_ref()) {
        if changed.iter().any(|change| change.path == *old) {
            problems += &format!("error: {}: does not match index\n", text(old));
        }
    }
    if !problems.is_empty() {
        return Err(Fault { code: 1, text: problems.trim_end().to_owned() });
    }
    write_index(repo, &prepare(repo, &files, true, false)?, true)
}

/// Writes new content into the index, and into the work tree if that is wanted.
fn write_index(repo: &Repo, writes: &[Write], has_files: bool) -> Result<()> {
    let mut index = repo.index()?;
    for write in writes {
        let Some((mode, data)) = &write.content else {
            index.remove(&write.path);
            if has_files {
                checkout::remove(repo, &write.path);
            }
            continue;
        };
        let mut entry = Entry::new(write.path.clone(), *mode, repo.odb.write(Kind::Blob, data)?);
        if has_files {
            checkout::write_content(repo, &write.path, *mode, data)?;
            if let Ok(status) = cofferdam_guest_sys::stat(&repo.work_path(&write.path), false) {
                entry.known = Known::of(&status);
            }
        }
        index.put(entry);
    }
    repo.write_index(&mut index)
}

/// Computes the new content of all files before any is written.
fn prepare(
    repo: &Repo,
    files: &[FilePatch],
    is_cached: bool,
    is_loose: bool,
) -> Result<Vec<Write>> {
    let mut writes: Vec<Write> = Vec::new();
    let mut problems = String::new();
    for file in files {
        for name in [&file.old, &file.new].into_iter().flatten() {
            checkout::check_path(name)?;
        }
        if let Err(problem) = one(repo, file, is_cached, is_loose, &mut writes)? {
            problems += &problem;
        }
    }
    match problems.is_empty() {
        true => Ok(writes),
        false => Err(Fault { code: 1, text: problems.trim_end().to_owned() }),
    }
}

fn one(
    repo: &Repo,
    file: &FilePatch,
    is_cached: bool,
    is_loose: bool,
    writes: &mut Vec<Write>,
) -> Result<std::result::Result<(), String>> {
    let shown = text(file.name());
    if file.is_binary {
        return Ok(Err(format!(
            "error: cannot apply binary patch to '{shown}' without full index line\nerror: {shown}: patch does not apply\n"
        )));
    }
    let current = |path: &[u8], writes: &[Write]| -> Result<Option<(u32, Vec<u8>)>> {
        if let Some(write) = writes.iter().rev().find(|write| write.path == path) {
            return Ok(write.content.clone());
        }
        if is_cached {
            let index = repo.index()?;
            return match index.get(path) {
                Some(entry) => Ok(Some((entry.mode, repo.odb.blob(entry.oid)?))),
                None => Ok(None),
            };
        }
        let Ok(status) = cofferdam_guest_sys::stat(&repo.work_path(path), false) else {
            return Ok(None);
        };
        let Some(mode) = crate::tree::work::tree_mode(repo, &status, None) else { return Ok(None) };
        Ok(Some((mode, crate::tree::work::read(repo, path, mode)?)))
    };
    let (old_mode, data) = match &file.old {
        Some(old) => match current(old, writes)? {
            Some(found) => found,
            None => {
                let place =
                    if is_cached { "does not exist in index" } else { "No such file or directory" };
                return Ok(Err(format!("error: {}: {place}\n", text(old))));
            }
        },
        None => {
            if let Some(new) = &file.new
                && current(new, writes)?.is_some()
            {
                let place = if is_cached { "index" } else { "working directory" };
                return Ok(Err(format!("error: {}: already exists in {place}\n", text(new))));
            }
            (mode::FILE, Vec::new())
        }
    };
    let mut hunks = file.hunks.clone();
    if is_loose {
        loosen(&data, &mut hunks);
    }
    let content = match apply::apply(&data, &hunks) {
        Ok(content) => content,
        Err(hunk) => {
            return Ok(Err(format!(
                "error: patch failed: {}:{}\nerror: {0}: patch does not apply\n",
                text(file.old.as_deref().unwrap_or_default()),
                hunk.old_start
            )));
        }
    };
    match &file.new {
        Some(new) => {
            if file.is_rename
                && let Some(old) = file.old.clone().filter(|old| old != new)
            {
                writes.push(Write { path: old, content: None });
            }
            let mode = file.new_mode.unwrap_or(old_mode);
            writes.push(Write { path: new.clone(), content: Some((mode, content)) });
        }
        None => {
            if !content.is_empty() {
                return Ok(Err(format!(
                    "error: removal patch leaves file contents\nerror: {shown}: patch does not apply\n"
                )));
            }
            writes.push(Write { path: file.old.clone().unwrap_or_default(), content: None });
        }
    }
    Ok(Ok(()))
}

/// Replaces context lines by lines of the file that differ in white space only.
fn loosen(data: &[u8], hunks: &mut [apply::Hunk]) {
    let plain = |line: &[u8]| -> Vec<u8> {
        line.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect()
    };
    let lines = crate::text::compare::split(data);
    for hunk in hunks {
        let old: Vec<usize> = (0..hunk.lines.len()).filter(|n| hunk.lines[*n].0 != b'+').collect();
        let fits = |at: usize| {
            old.iter().enumerate().all(|(n, line)| {
                lines.get(at + n).is_some_and(|have| plain(have) == plain(&hunk.lines[*line].1))
            })
        };
        if let Some(at) = (0..lines.len()).find(|at| fits(*at)) {
            for (n, line) in old.iter().enumerate() {
                hunk.lines[*line].1 = lines[at + n].to_vec();
            }
        }
    }
}

fn show(
    call: &mut Call<'_>,
    files: &[FilePatch],
    is_numstat: bool,
    is_stat: bool,
    is_summary: bool,
) {
    let count = |file: &FilePatch, mark: u8| {
        file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|(m, _)| *m == mark).count()
    };
    let rows: Vec<(String, usize, usize)> = files
        .iter()
        .map(|file| (text(file.name()), count(file, b'+'), count(file, b'-')))
        .collect();
    if is_numstat {
        for (name, added, removed) in &rows {
            call.out.line(format!("{added}\t{removed}\t{name}"));
        }
    }
    if is_stat {
        let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
        for (name, added, removed) in &rows {
            let graph = "+".repeat((*added).min(40)) + &"-".repeat((*removed).min(40));
            call.out.line(format!(" {name:<width$} | {:>4} {graph}", added + removed));
        }
        let (added, removed): (usize, usize) =
            rows.iter().fold((0, 0), |sum, row| (sum.0 + row.1, sum.1 + row.2));
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let mut line = format!(" {} file{} changed", rows.len(), plural(rows.len()));
        if added > 0 || removed == 0 {
            line += &format!(", {added} insertion{}(+)", plural(added));
        }
        if removed > 0 || added == 0 {
            line += &format!(", {removed} deletion{}(-)", plural(removed));
        }
        call.out.line(line);
    }
    if is_summary {
        for file in files {
            match (&file.old, &file.new) {
                (None, Some(new)) => call.out.line(format!(
                    " create mode {:06o} {}",
                    file.new_mode.unwrap_or(mode::FILE),
                    text(new)
                )),
                (Some(old), None) => call.out.line(format!(
                    " delete mode {:06o} {}",
                    file.old_mode.unwrap_or(mode::FILE),
                    text(old)
                )),
                _ => {}
            }
        }
    }
}
