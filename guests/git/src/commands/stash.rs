//! `git stash`.

use super::Call;
use super::merge::{apply, favor};
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Fault, Result, error, fatal};
use crate::ident;
use crate::repo::Repo;
use crate::report::options::{DiffOptions, Format};
use crate::store::index::{Entry, Index};
use crate::store::object::{Commit, Kind};
use crate::store::oid::Oid;
use crate::store::reflog::{self, Change};
use crate::store::refs::Ref;
use crate::text::merge::Labels;
use crate::tree::changes::{self, Status};
use crate::tree::checkout::{self, Refusal};
use crate::tree::merge;
use crate::tree::pathspec::Pathspecs;
use crate::tree::untracked::{self, Show};

const NAME: &[u8] = b"refs/stash";

/// Runs `git stash`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let first = call.args.first().filter(|arg| !arg.starts_with(b"-")).map(|arg| text(arg));
    match first {
        None => push(call, &repo),
        Some(verb) => {
            call.args.remove(0);
            match verb.as_str() {
                "push" => push(call, &repo),
                "save" => {
                    let message = std::mem::take(&mut call.args);
                    let (options, words): (Vec<_>, Vec<_>) =
                        message.into_iter().partition(|arg| arg.starts_with(b"-"));
                    call.args = options;
                    if !words.is_empty() {
                        call.args.extend([b"-m".to_vec(), words.join(&b' ')]);
                    }
                    push(call, &repo)
                }
                "list" => list(call, &repo),
                "show" => show(call, &repo),
                "pop" => restore(call, &repo, true),
                "apply" => restore(call, &repo, false),
                "drop" => drop_one(call, &repo),
                "clear" => {
                    repo.refs.delete(NAME)?;
                    reflog::remove(&repo.git_dir, NAME)?;
                    Ok(0)
                }
                "branch" => branch(call, &repo),
                "store" => store(call, &repo),
                other => Err(fatal(format!(
                    "subcommand wasn't specified; 'push' can't be assumed due to unexpected token '{other}'"
                ))),
            }
        }
    }
}

fn push(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let (mut has_untracked, mut has_ignored, mut keeps_index, mut is_quiet, mut is_staged) =
        (false, false, false, false, false);
    let (mut message, mut operands) = (None, Vec::new());
    for arg in call.parse(&Valued { short: "m", long: &["--message"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-u" | "--include-untracked" => has_untracked = true,
                "-a" | "--all" => {
                    has_untracked = true;
                    has_ignored = true;
                }
                "-k" | "--keep-index" => keeps_index = true,
                "--no-keep-index" => keeps_index = false,
                "-S" | "--staged" => is_staged = true,
                "-q" | "--quiet" => is_quiet = true,
                "-m" | "--message" => message = Some(value_text(&value)),
                "-p" | "--patch" => {
                    return Err(fatal("git stash -p needs a terminal; name the files"));
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let Some(head) = repo.head()? else {
        return Err(Fault { code: 1, text: "You do not have the initial commit yet".to_owned() });
    };
    let paths = Pathspecs::new(repo, &operands)?;
    let mut index = repo.index()?;
    if !index.conflicts().is_empty() {
        let names: String =
            index.conflicts().iter().map(|path| format!("{}: needs merge\n", text(path))).collect();
        return Err(Fault { code: 1, text: names.trim_end().to_owned() });
    }
    let tree = repo.head_tree()?;
    let staged = changes::tree_and_index(&repo.odb, tree, &index, &paths)?;
    let local = match is_staged {
        true => Vec::new(),
        false => changes::index_and_work(repo, &mut index, &paths)?,
    };
    let mut new = Vec::new();
    if has_untracked {
        let found = untracked::find(repo, &index, &paths, Show::All)?;
        new = found.untracked;
        if has_ignored {
            new.extend(found.ignored.into_iter().filter(|path| !path.ends_with(b"/")));
        }
        new.retain(|path| !path.ends_with(b"/"));
    }
    if staged.is_empty() && local.is_empty() && new.is_empty() {
        if !is_quiet {
            call.out.line("No local changes to save");
        }
        return Ok(0);
    }
    let commit = repo.odb.commit(head)?;
    let place =
        format!("{}: {} {}", branch_label(repo)?, repo.odb.short(head), text(&commit.subject()));
    let make = |tree: Oid, parents: Vec<Oid>, message: String| -> Result<Oid> {
        let commit = Commit {
            tree,
            parents,
            author: ident::author(repo, None)
                .or_else(|_| ident::committer_or(repo, ident::STASH))?,
            committer: ident::committer_or(repo, ident::STASH)?,
            more: Vec::new(),
            message: message.into_bytes(),
        };
        repo.odb.write(Kind::Commit, &commit.write())
    };
    let staged_commit =
        make(index.write_tree(&repo.odb)?, vec![head], format!("index on {place}\n"))?;
    let mut work = index.clone();
    for change in &local {
        match change.status {
            Status::Deleted => {
                work.remove(&change.path);
            }
            _ => super::add::stage(repo, &mut work, &change.path)?,
        }
    }
    let mut parents = vec![head, staged_commit];
    if has_untracked {
        let mut extra = Index::default();
        for path in &new {
            super::add::stage(repo, &mut extra, path)?;
        }
        parents.push(make(
            extra.write_tree(&repo.odb)?,
            Vec::new(),
            format!("untracked files on {place}\n"),
        )?);
    }
    let title = match &message {
        Some(message) => format!("On {}: {message}", branch_label(repo)?),
        None => format!("WIP on {place}"),
    };
    let oid = make(work.write_tree(&repo.odb)?, parents, title.clone())?;
    push_entry(repo, oid, title.clone().into_bytes())?;
    // The work tree returns to the last commit, or to the index if that is kept.
    let files = changes::files(&repo.odb, tree)?;
    let chosen: Vec<Vec<u8>> =
        staged.iter().chain(&local).map(|change| change.path.clone()).collect();
    for path in chosen {
        let kept = match keeps_index {
            true => index.get(&path).map(|entry| (entry.mode, entry.oid)),
            false => files.get(&path).copied(),
        };
        match kept {
            Some((mode, oid)) => index.put(checkout::write(repo, &path, mode, oid)?),
            None => {
                index.remove(&path);
                checkout::remove(repo, &path);
            }
        }
    }
    for path in &new {
        checkout::remove(repo, path);
    }
    repo.write_index(&mut index)?;
    if !is_quiet {
        call.out.line(format!("Saved working directory and index state {title}"));
    }
    Ok(0)
}

/// Runs `git stash store`: puts a commit on the stack.
fn store(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let (mut message, mut operand) = (None, None);
    let valued = Valued { short: "m", long: &["--message"], ..Valued::default() };
    for arg in call.parse(&valued)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-m" | "--message" => message = value,
                "-q" | "--quiet" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(name) => operand = Some(name),
            Arg::Dashes => {}
        }
    }
    let operand =
        operand.ok_or_else(|| error("\"git stash store\" requires one <commit> argument"))?;
    let oid = crate::revision::commit(repo, &operand)
        .map_err(|_| error(format!("Cannot update refs/stash with {}", text(&operand))))?;
    push_entry(repo, oid, message.unwrap_or_else(|| b"Created via \"git stash store\".".to_vec()))?;
    Ok(0)
}

/// Puts a commit on the stack.
fn push_entry(repo: &Repo, oid: Oid, message: Vec<u8>) -> Result<()> {
    let old = repo.refs.resolve(NAME)?.unwrap_or(Oid::ZERO);
    repo.refs.write(NAME, &Ref::Direct(oid))?;
    let who = ident::committer_or(repo, ident::STASH)?;
    reflog::append(&repo.git_dir, NAME, &Change { old, new: oid, who, message })
}

fn branch_label(repo: &Repo) -> Result<String> {
    Ok(match repo.refs.branch()? {
        Some(_) => text(&repo.branch_name()?),
        None => "(no branch)".to_owned(),
    })
}

fn list(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let mut format = None;
    for arg in call.parse(&Valued::default())? {
        if let Arg::Option(name, value) = arg
            && matches!(name.as_str(), "--format" | "--pretty")
        {
            format = Some(value_text(&value));
        }
    }
    for (n, change) in reflog::read(&repo.git_dir, NAME).iter().enumerate() {
        match &format {
            None => {
                call.out.line([format!("stash@{{{n}}}: ").as_bytes(), &change.message].concat())
            }
            Some(format) => {
                let format = format.trim_start_matches("tformat:").trim_start_matches("format:");
                let format = format.replace("%gd", &format!("stash@{{{n}}}"));
                let printer = crate::report::pretty::Printer::new(
                    repo,
                    crate::report::pretty::Pretty::Medium,
                );
                let commit = repo.odb.commit(change.new)?;
                call.out.line(printer.expand(&format, change.new, &commit, Some((n, change))));
            }
        }
    }
    Ok(0)
}

/// Returns the number and the commit of the stash that an argument names.
fn named(repo: &Repo, arg: Option<&Vec<u8>>) -> Result<(usize, Oid)> {
    let changes = reflog::read(&repo.git_dir, NAME);
    let shown = arg.map_or_else(|| "stash@{0}".to_owned(), |arg| text(arg));
    let inside = shown.strip_prefix("stash@{").and_then(|rest| rest.strip_suffix('}'));
    let n = match shown.as_str() {
        "stash" => Some(0),
        other => inside.unwrap_or(other).parse::<usize>().ok(),
    };
    let Some(n) = n else { return Err(error(format!("{shown} is not a valid reference"))) };
    if changes.is_empty() {
        return Err(Fault { code: 1, text: "No stash entries found.".to_owned() });
    }
    match changes.get(n) {
        Some(change) => Ok((n, change.new)),
        None => Err(error(format!("stash@{{{n}}} is not a valid reference"))),
    }
}

fn show(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let mut options = DiffOptions::new(repo);
    let mut operand = None;
    for arg in call.parse(&super::diff::VALUED)? {
        match arg {
            Arg::Option(name, value) => {
                if !options.take(&name, value.as_deref().map(text).as_deref())? {
                    return Err(call.unknown(&name));
                }
            }
            Arg::Operand(name) => operand = Some(name),
            Arg::Dashes => {}
        }
    }
    if options.formats.is_empty() {
        options.formats.push(Format::Stat);
    }
    let (_, oid) = named(repo, operand.as_ref())?;
    let commit = repo.odb.commit(oid)?;
    let base = repo.odb.commit(commit.parents[0])?.tree;
    let found = changes::trees(&repo.odb, base, commit.tree, &Pathspecs::all())?;
    let found = options.prepare(repo, found)?;
    options.write(repo, &found, &mut call.out.data)?;
    Ok(0)
}

fn restore(call: &mut Call<'_>, repo: &Repo, drops: bool) -> Result<i32> {
    let (mut operand, mut has_index, mut is_quiet) = (None, false, false);
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "--index" => has_index = true,
                "-q" | "--quiet" => is_quiet = true,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(name) => operand = Some(name),
            Arg::Dashes => {}
        }
    }
    let (n, oid) = named(repo, operand.as_ref())?;
    let stash = repo.odb.commit(oid)?;
    let [base, staged] = [0, 1].map(|n: usize| stash.parents.get(n).copied().unwrap_or(Oid::ZERO));
    let base_tree = repo.odb.commit(base)?.tree;
    let mut index = repo.index()?;
    if !index.conflicts().is_empty() {
        return Err(error("could not write index"));
    }
    let before = index.clone();
    let ours = index.write_tree(&repo.odb)?;
    let labels = Labels { ours: "Updated upstream", base: "Stash base", theirs: "Stashed changes" };
    let outcome = merge::merge(repo, base_tree, ours, stash.tree, &labels, favor(repo, None))?;
    apply(repo, &mut index, ours, &outcome, &Refusal { by: "merge", before: "merge" })?;
    if stash.tree == base_tree {
        call.out.line("Already up to date.");
    }
    for line in outcome.messages.iter().filter(|_| !is_quiet) {
        call.out.line(line);
    }
    if let Some(extra) = stash.parents.get(2) {
        for (path, (mode, oid)) in changes::files(&repo.odb, repo.odb.commit(*extra)?.tree)? {
            if crate::repo::exists(&repo.work_path(&path)) {
                return Err(Fault {
                    code: 1,
                    text: format!(
                        "{} already exists, no checkout\nerror: could not restore untracked files from stash",
                        text(&path)
                    ),
                });
            }
            checkout::write(repo, &path, mode, oid)?;
        }
    }
    let has_conflicts = !outcome.conflicts.is_empty();
    if !has_conflicts {
        // Only new files stay in the index, unless the index of the stash is wanted.
        let mut kept = before;
        match has_index {
            true => {
                let staged_tree = repo.odb.commit(staged)?.tree;
                super::reset::read_tree(repo, &mut kept, staged_tree)?;
            }
            false => {
                for entry in &index.entries {
                    if kept.get(&entry.path).is_none() {
                        kept.put(Entry::clone(entry));
                    }
                }
            }
        }
        index = kept;
        repo.write_index(&mut index)?;
    }
    if !is_quiet {
        let state =
            super::status::State::new(repo, &mut index, &Pathspecs::all(), Some(Show::Collapsed))?;
        super::status::long(repo, &state, true, false, "No commits yet", &mut call.out.data)?;
    }
    if has_conflicts {
        if drops {
            call.out.line("The stash entry is kept in case you need it again.");
        }
        return Ok(1);
    }
    if drops {
        remove(call, repo, n, oid, is_quiet, operand.as_ref())?;
    }
    Ok(0)
}

fn remove(
    call: &mut Call<'_>,
    repo: &Repo,
    n: usize,
    oid: Oid,
    is_quiet: bool,
    operand: Option<&Vec<u8>>,
) -> Result<()> {
    let mut changes = reflog::read(&repo.git_dir, NAME);
    changes.remove(n);
    // Each change names the one before it.
    for at in 0..changes.len() {
        changes[at].old = changes.get(at + 1).map_or(Oid::ZERO, |older| older.new);
    }
    match changes.first() {
        Some(change) => {
            repo.refs.write(NAME, &Ref::Direct(change.new))?;
            reflog::write(&repo.git_dir, NAME, &changes)?;
        }
        None => {
            repo.refs.delete(NAME)?;
            reflog::remove(&repo.git_dir, NAME)?;
        }
    }
    if !is_quiet {
        let name = match operand {
            Some(name) if name.starts_with(b"stash@") => text(name),
            _ => format!("refs/stash@{{{n}}}"),
        };
        call.out.line(format!("Dropped {name} ({oid})"));
    }
    Ok(())
}

fn drop_one(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let (mut operand, mut is_quiet) = (None, false);
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) if name == "-q" || name == "--quiet" => is_quiet = true,
            Arg::Option(name, _) => return Err(call.unknown(&name)),
            Arg::Operand(name) => operand = Some(name),
            Arg::Dashes => {}
        }
    }
    let (n, oid) = named(repo, operand.as_ref())?;
    remove(call, repo, n, oid, is_quiet, operand.as_ref())?;
    Ok(0)
}

fn branch(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let args = std::mem::take(&mut call.args);
    let Some(name) = args.first() else { return Err(fatal("No branch name specified")) };
    let (_, oid) = named(repo, args.get(1))?;
    let base = repo.odb.commit(oid)?.parents[0].to_string().into_bytes();
    let mut inner = Call {
        name: "checkout".to_owned(),
        args: vec![b"-b".to_vec(), name.clone(), base],
        given: call.given.clone(),
        out: call.out,
    };
    super::checkout::checkout(&mut inner)?;
    call.args = args[1..].to_vec();
    call.args.push(b"--index".to_vec());
    restore(call, repo, true)
}
