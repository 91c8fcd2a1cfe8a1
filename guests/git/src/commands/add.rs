//! `git add`, `git rm` and `git mv`.

use std::fs;

use cofferdam_guest_sys as sys;

use super::Call;
use crate::args::{Arg, Valued};
use crate::bytes::{self, base, join, quoted, text};
use crate::fault::{At, Fault, Result, fatal};
use crate::repo::Repo;
use crate::store::index::{Entry, Index, Known};
use crate::store::object::{Kind, mode};
use crate::tree::changes::{self, Status};
use crate::tree::checkout;
use crate::tree::ignore::Ignore;
use crate::tree::pathspec::Pathspecs;
use crate::tree::untracked::{self, Show};
use crate::tree::work;

/// Puts a file of the work tree into the index.
pub(crate) fn stage(repo: &Repo, index: &mut Index, path: &[u8]) -> Result<()> {
    let status = sys::stat(&repo.work_path(path), false).at(path)?;
    let known = index.get(path).map(|entry| entry.mode);
    if work::is_directory(&status) {
        return stage_repository(repo, index, path);
    }
    let Some(mode) = work::tree_mode(repo, &status, known) else {
        return Err(fatal(format!(
            "{}: can only add regular files, symbolic links or git-directories",
            text(path)
        )));
    };
    if mode != mode::LINK
        && let Ok(data) = std::fs::read(crate::bytes::path(&repo.work_path(path)))
        && let Some(warning) = crate::tree::convert::warning(repo, path, &data)
    {
        eprintln!("{warning}");
    }
    let content = work::read(repo, path, mode)?;
    let mut entry = Entry::new(path.to_vec(), mode, repo.odb.write(Kind::Blob, &content)?);
    entry.known = Known::of(&status);
    index.put(entry);
    Ok(())
}

/// Puts a repository inside the work tree into the index, as its current commit.
fn stage_repository(repo: &Repo, index: &mut Index, path: &[u8]) -> Result<()> {
    let shown = text(path);
    let inner = Repo::open(&repo.work_path(path));
    let head = inner.and_then(|inner| inner.head().ok().flatten());
    let Some(head) = head else {
        return Err(Fault {
            code: 128,
            text: format!(
                "error: '{shown}/' does not have a commit checked out\nfatal: adding files failed"
            ),
        });
    };
    eprintln!("warning: adding embedded git repository: {shown}");
    index.put(Entry::new(path.to_vec(), mode::SUBMODULE, head));
    Ok(())
}

/// Runs `git add`.
pub(crate) fn add(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_all, mut is_update, mut is_forced, mut is_verbose) = (false, false, false, false);
    let (mut is_dry, mut is_intent, mut chmod) = (false, false, None);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued { long: &["--chmod"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-A" | "--all" | "--no-ignore-removal" => is_all = true,
                "-u" | "--update" => is_update = true,
                "-f" | "--force" => is_forced = true,
                "-v" | "--verbose" => is_verbose = true,
                "-n" | "--dry-run" => is_dry = true,
                "-N" | "--intent-to-add" => is_intent = true,
                "--chmod" => chmod = value,
                "--ignore-errors" | "--renormalize" | "--refresh" | "--sparse" => {}
                "-p" | "--patch" | "-i" | "--interactive" | "-e" | "--edit" => {
                    return Err(fatal(format!(
                        "git add {name} needs a terminal; name the files, or use git apply --cached"
                    )));
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    repo.root()?;
    if operands.is_empty() && !is_all && !is_update {
        call.out.note("Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\nhint: Disable this message with \"git config advice.addEmptyPathspec false\"")?;
        return Ok(0);
    }
    let paths = Pathspecs::new(&repo, &operands)?;
    let mut index = repo.index()?;
    let ignored = refused(&repo, &index, &paths, is_forced)?;
    let found = match is_update {
        true => untracked::Found::default(),
        false => untracked::find(&repo, &index, &paths, Show::All)?,
    };
    let changes = changes::index_and_work(&repo, &mut index, &paths)?;
    for item in paths.items() {
        let is_known = item.path.is_empty()
            || index.entries.iter().any(|entry| item.selects(&entry.path))
            || found
                .untracked
                .iter()
                .chain(&found.ignored)
                .any(|path| item.selects(path.strip_suffix(b"/").unwrap_or(path)))
            || !item.is_pattern() && crate::repo::exists(&repo.work_path(&item.path));
        if !is_known {
            return Err(fatal(format!("pathspec '{}' did not match any files", text(&item.given))));
        }
    }
    let mut report = |verb: &str, path: &[u8]| {
        if is_verbose || is_dry {
            call.out.line([format!("{verb} '").as_bytes(), path, b"'"].concat());
        }
    };
    for change in changes {
        match change.status {
            Status::Deleted => {
                report("remove", &change.path);
                index.remove(&change.path);
            }
            Status::Unmerged => match crate::repo::exists(&repo.work_path(&change.path)) {
                true => stage(&repo, &mut index, &change.path)?,
                false => {
                    index.remove(&change.path);
                }
            },
            _ => {
                report("add", &change.path);
                if !is_dry {
                    stage(&repo, &mut index, &change.path)?;
                }
            }
        }
    }
    let mut new = found.untracked;
    if is_forced {
        new.extend(forced(&repo, &index, &found.ignored));
    }
    for path in new {
        let path = path.strip_suffix(b"/").unwrap_or(&path);
        report("add", path);
        if is_dry {
            continue;
        }
        if is_intent {
            let mut entry =
                Entry::new(path.to_vec(), mode::FILE, crate::store::oid::Oid::of("blob", b""));
            entry.is_intent = true;
            index.put(entry);
        } else {
            stage(&repo, &mut index, path)?;
        }
    }
    if let Some(chmod) = chmod {
        let mode = if chmod == b"+x" { mode::PROGRAM } else { mode::FILE };
        for entry in index.entries.iter_mut().filter(|entry| paths.selects(&entry.path)) {
            entry.mode = mode;
        }
    }
    if !is_dry {
        repo.write_index(&mut index)?;
    }
    ignored.map_or(Ok(0), Err)
}

/// Returns the fault for paths that were named and are ignored.
fn refused(
    repo: &Repo,
    index: &Index,
    paths: &Pathspecs,
    is_forced: bool,
) -> Result<Option<Fault>> {
    if is_forced {
        return Ok(None);
    }
    let ignore = Ignore::new(repo);
    let mut names = String::new();
    for item in paths.items().filter(|item| !item.is_pattern() && !item.path.is_empty()) {
        let Ok(status) = sys::stat(&repo.work_path(&item.path), false) else { continue };
        let is_directory = work::is_directory(&status);
        if index.get(&item.path).is_none()
            && !index.has_below(&item.path)
            && ignore.is_ignored(&item.path, is_directory)
        {
            names += &format!("{}\n", text(&item.path));
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    let text = format!(
        "The following paths are ignored by one of your .gitignore files:\n{names}hint: Use -f if you really want to add them.\nhint: Disable this message with \"git config advice.addIgnoredFile false\""
    );
    Ok(Some(Fault { code: 1, text }))
}

/// Returns the files of ignored paths, with those in ignored directories.
fn forced(repo: &Repo, index: &Index, ignored: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    let mut todo: Vec<Vec<u8>> = ignored.to_vec();
    while let Some(path) = todo.pop() {
        match path.strip_suffix(b"/") {
            Some(dir) => {
                for name in untracked::names(repo, dir) {
                    let path = join(dir, &name);
                    let is_directory = sys::stat(&repo.work_path(&path), false)
                        .is_ok_and(|status| work::is_directory(&status));
                    todo.push(if is_directory { [path.as_slice(), b"/"].concat() } else { path });
                }
            }
            None if index.get(&path).is_none() => files.push(path),
            None => {}
        }
    }
    files.sort();
    files
}

/// Runs `git rm`.
pub(crate) fn rm(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_cached, mut is_recursive, mut is_forced, mut is_quiet) =
        (false, false, false, false);
    let (mut is_dry, mut may_miss) = (false, false);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "--cached" => is_cached = true,
                "-r" => is_recursive = true,
                "-f" | "--force" => is_forced = true,
                "-q" | "--quiet" => is_quiet = true,
                "-n" | "--dry-run" => is_dry = true,
                "--ignore-unmatch" => may_miss = true,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    repo.root()?;
    if operands.is_empty() {
        return Err(fatal("No pathspec was given. Which files should I remove?"));
    }
    let paths = Pathspecs::new(&repo, &operands)?;
    let mut index = repo.index()?;
    for item in paths.items() {
        let mut matched = index.entries.iter().filter(|entry| item.selects(&entry.path)).peekable();
        if matched.peek().is_none() && !may_miss {
            return Err(fatal(format!("pathspec '{}' did not match any files", text(&item.given))));
        }
        if !is_recursive && !item.is_pattern() && matched.any(|entry| entry.path != item.path) {
            return Err(fatal(format!(
                "not removing '{}' recursively without -r",
                text(&item.given)
            )));
        }
    }
    let mut chosen: Vec<Vec<u8>> =
        index.entries.iter().filter(|e| paths.selects(&e.path)).map(|e| e.path.clone()).collect();
    chosen.dedup();
    if !is_forced {
        check_unchanged(&repo, &index, &chosen, is_cached)?;
    }
    for path in &chosen {
        if !is_quiet {
            call.out.line([b"rm '", path.as_slice(), b"'"].concat());
        }
        if is_dry {
            continue;
        }
        index.remove(path);
        if !is_cached {
            checkout::remove(&repo, path);
        }
    }
    if !is_dry {
        repo.write_index(&mut index)?;
    }
    Ok(0)
}

/// Refuses to remove files whose content is nowhere else.
fn check_unchanged(repo: &Repo, index: &Index, chosen: &[Vec<u8>], is_cached: bool) -> Result<()> {
    let head = changes::files(&repo.odb, repo.head_tree()?)?;
    let (mut both, mut staged, mut local) = (Vec::new(), Vec::new(), Vec::new());
    for path in chosen {
        let Some(entry) = index.get(path) else { continue };
        let is_staged = head.get(path) != Some(&(entry.mode, entry.oid));
        let is_local =
            matches!(work::state(repo, entry, index.written)?, work::State::Changed { .. });
        match (is_staged, is_local) {
            (true, true) => both.push(path),
            (true, false) if !is_cached => staged.push(path),
            (false, true) if !is_cached => local.push(path),
            _ => {}
        }
    }
    let mut text = String::new();
    let mut tell = |paths: &[&Vec<u8>], what: &str, way: &str| {
        if !paths.is_empty() {
            let (file, have) = if paths.len() == 1 { ("file", "has") } else { ("files", "have") };
            let names: String =
                paths.iter().map(|path| format!("    {}\n", bytes::text(path))).collect();
            text += &format!("error: the following {file} {have} {what}:\n{names}({way})\n");
        }
    };
    tell(
        &both,
        "staged content different from both the\nfile and the HEAD",
        "use -f to force removal",
    );
    tell(
        &staged,
        "changes staged in the index",
        "use --cached to keep the file, or -f to force removal",
    );
    tell(&local, "local modifications", "use --cached to keep the file, or -f to force removal");
    match text.is_empty() {
        true => Ok(()),
        false => Err(Fault { code: 1, text: text.trim_end().to_owned() }),
    }
}

/// Runs `git mv`.
pub(crate) fn mv(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_forced, mut is_verbose, mut is_dry, mut is_skipping) = (false, false, false, false);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-f" | "--force" => is_forced = true,
                "-v" | "--verbose" => is_verbose = true,
                "-n" | "--dry-run" => is_dry = true,
                "-k" => is_skipping = true,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let Some((target, sources)) = operands.split_last().filter(|(_, sources)| !sources.is_empty())
    else {
        return Err(Fault {
            code: 129,
            text: "usage: git mv [-v] [-f] [-n] [-k] <source> <destination>".to_owned(),
        });
    };
    let target_path = repo.relative(target)?;
    let is_directory = bytes::path(&repo.work_path(&target_path)).is_dir();
    let mut index = repo.index()?;
    if sources.len() > 1 && !is_directory {
        return Err(fatal(format!("destination '{}' is not a directory", text(target))));
    }
    for source in sources {
        let from = repo.relative(source)?;
        let to = if is_directory { join(&target_path, base(&from)) } else { target_path.clone() };
        let problem = if !crate::repo::exists(&repo.work_path(&from)) {
            Some("bad source")
        } else if index.get(&from).is_none() && !index.has_below(&from) {
            Some("not under version control")
        } else if crate::repo::exists(&repo.work_path(&to)) && !is_forced {
            Some("destination exists")
        } else {
            None
        };
        if let Some(problem) = problem {
            if is_skipping {
                continue;
            }
            let (from, to) = (text(&from), text(&to));
            return Err(fatal(format!("{problem}, source={from}, destination={to}")));
        }
        if is_verbose || is_dry {
            call.out
                .line([b"Renaming ".as_slice(), &quoted(&from), b" to ", &quoted(&to)].concat());
        }
        if is_dry {
            continue;
        }
        fs::rename(bytes::path(&repo.work_path(&from)), bytes::path(&repo.work_path(&to)))
            .map_err(|e| {
                fatal(format!("renaming '{}' failed: {}", text(&from), crate::fault::reason(&e)))
            })?;
        let below = [from.as_slice(), b"/"].concat();
        let moved: Vec<Entry> = index
            .entries
            .iter()
            .filter(|entry| entry.path == from || entry.path.starts_with(&below))
            .cloned()
            .collect();
        for mut entry in moved {
            index.remove(&entry.path);
            entry.path = [to.as_slice(), &entry.path[from.len()..]].concat();
            index.put(entry);
        }
    }
    if !is_dry {
        repo.write_index(&mut index)?;
    }
    Ok(0)
}
