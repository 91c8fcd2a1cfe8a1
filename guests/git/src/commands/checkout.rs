//! `git checkout`, `git switch` and `git restore`.

use super::{Call, worktree};
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Fault, Result, error, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::index::Entry;
use crate::store::object::Kind;
use crate::store::oid::Oid;
use crate::store::refs::Ref;
use crate::tree::changes;
use crate::tree::checkout::{self, Refusal};
use crate::tree::pathspec::Pathspecs;
use crate::walk;

const SWITCHING: Refusal = Refusal { by: "checkout", before: "switch branches" };

/// Branch to go to.
#[derive(Default)]
struct Wish {
    /// Name of a branch to make.
    new: Option<Vec<u8>>,
    /// A branch of that name is moved.
    is_reset: bool,
    is_orphan: bool,
    /// The work tree of an orphan begins empty.
    is_emptied: bool,
    is_detached: bool,
    is_forced: bool,
    is_quiet: bool,
    follows: Option<bool>,
}

const VALUED: Valued = Valued {
    short: "bBcC",
    attached: "",
    long: &[
        "--orphan",
        "--create",
        "--force-create",
        "--conflict",
        "--source",
        "--pathspec-from-file",
    ],
};

/// Runs `git checkout`.
pub(crate) fn checkout(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let mut wish = Wish::default();
    let (mut before, mut after, mut has_dashes) = (Vec::new(), Vec::new(), false);
    let mut side = None;
    for arg in call.parse(&VALUED)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-b" => wish.new = value,
                "-B" => {
                    wish.new = value;
                    wish.is_reset = true;
                }
                "--orphan" => {
                    wish.new = value;
                    wish.is_orphan = true;
                }
                "-f" | "--force" => wish.is_forced = true,
                "-q" | "--quiet" => wish.is_quiet = true,
                "--detach" | "-d" => wish.is_detached = true,
                "-t" | "--track" => wish.follows = Some(true),
                "--no-track" => wish.follows = Some(false),
                "--ours" | "-2" => side = Some(2),
                "--theirs" | "-3" => side = Some(3),
                "-m" | "--merge" | "--no-guess" | "--guess" | "--progress" | "--no-progress"
                | "-l" => {}
                "-n" if value.as_deref() == Some(b"2") => side = Some(2),
                "-n" if value.as_deref() == Some(b"3") => side = Some(3),
                "-p" | "--patch" => {
                    return Err(fatal("git checkout -p needs a terminal; use git restore FILE"));
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) if has_dashes => after.push(operand),
            Arg::Operand(operand) => before.push(operand),
            Arg::Dashes => has_dashes = true,
        }
    }
    // The name of a remote branch is that of the new branch, too.
    if wish.new.is_none()
        && wish.follows == Some(true)
        && let [name] = &before[..]
    {
        let bare = name.strip_prefix(b"refs/remotes/").unwrap_or(name);
        let short = bare.iter().position(|b| *b == b'/').map(|at| bare[at + 1..].to_vec());
        wish.new = Some(short.ok_or_else(|| fatal("missing branch name; try -b"))?);
    }
    if wish.new.is_some() {
        return go(call, &repo, wish, before.first().cloned());
    }
    // The first operand is a revision if it names one; a lone `-` is the previous branch.
    let first = before.first().cloned();
    let found = match first.as_deref() {
        Some(name) => resolve(&repo, name)?,
        None => None,
    };
    if has_dashes || before.len() > 1 || found.is_none() && first.is_some() {
        let mut source = None;
        let mut paths = before;
        if found.is_some() {
            source = Some(paths.remove(0));
        } else if has_dashes && !paths.is_empty() {
            return Err(fatal(format!("invalid reference: {}", text(&paths[0]))));
        }
        paths.extend(after);
        if paths.is_empty() {
            return go(call, &repo, wish, source);
        }
        if source.is_none()
            && let [name] = &paths[..]
            && !has_dashes
            && let Some(remote) = guess(&repo, name)?
        {
            return go_to_remote(call, &repo, wish, name, &remote);
        }
        return checkout_paths(call, &repo, source, &paths, side, wish.is_quiet || has_dashes);
    }
    if first.is_none() && !wish.is_forced && !wish.is_detached {
        let mut index = repo.index()?;
        for change in
            changes::tree_and_work(&repo, repo.head_tree()?, &mut index, &Pathspecs::all())?
        {
            call.out.line(
                [change.status.letter().to_string().as_bytes(), b"\t", &change.path].concat(),
            );
        }
        call.out.text(super::status::tracking(&repo)?);
        return Ok(0);
    }
    go(call, &repo, wish, first)
}

/// Returns the object of a revision or of `-`.
fn resolve(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    if name == b"-" {
        let Some(previous) = revision::previous_branch(repo, 1) else { return Ok(None) };
        return revision::find(repo, &previous);
    }
    let branch = [b"refs/heads/".as_slice(), name].concat();
    match repo.refs.resolve(&branch).ok().flatten() {
        Some(oid) => Ok(Some(oid)),
        None => revision::find(repo, name),
    }
}

/// Returns the only remote branch with a name.
fn guess(repo: &Repo, name: &[u8]) -> Result<Option<Vec<u8>>> {
    if crate::repo::exists(&repo.work_path(&repo.relative(name)?)) {
        return Ok(None);
    }
    let tail = [b"/".as_slice(), name].concat();
    let mut found: Vec<Vec<u8>> = Vec::new();
    for (full, _) in repo.refs.list("refs/remotes/")? {
        let rest = &full["refs/remotes/".len()..];
        let slash = rest.iter().position(|b| *b == b'/').unwrap_or(0);
        if rest[slash..] == tail[..] {
            found.push(rest.to_vec());
        }
    }
    Ok(if found.len() == 1 { found.pop() } else { None })
}

fn go_to_remote(
    call: &mut Call<'_>,
    repo: &Repo,
    mut wish: Wish,
    name: &[u8],
    remote: &[u8],
) -> Result<i32> {
    wish.new = Some(name.to_vec());
    wish.follows = Some(true);
    go(call, repo, wish, Some(remote.to_vec()))
}

/// Switches to a branch or commit.
fn go(call: &mut Call<'_>, repo: &Repo, wish: Wish, target: Option<Vec<u8>>) -> Result<i32> {
    let head = repo.head()?;
    let old_branch = repo.refs.branch()?;
    let is_named = target.is_some();
    let name = match target {
        Some(name) if name == b"-" => {
            revision::previous_branch(repo, 1).ok_or_else(|| fatal("invalid reference: -"))?
        }
        Some(name) => name,
        None => b"HEAD".to_vec(),
    };
    if wish.is_orphan {
        let new = wish.new.unwrap_or_default();
        if wish.is_emptied {
            let mut index = repo.index()?;
            let empty = repo.odb.write(Kind::Tree, b"")?;
            checkout::switch(repo, &mut index, repo.head_tree()?, empty, &SWITCHING)?;
            repo.write_index(&mut index)?;
        }
        repo.refs.write(b"HEAD", &Ref::Symbolic([b"refs/heads/".as_slice(), &new].concat()))?;
        if !wish.is_quiet {
            call.out.note(format!("Switched to a new branch '{}'", text(&new)))?;
        }
        return Ok(0);
    }
    let mut index = repo.index()?;
    if !index.conflicts().is_empty() && !wish.is_forced {
        let names: String =
            index.conflicts().iter().map(|path| format!("{}: needs merge\n", text(path))).collect();
        return Err(Fault {
            code: 1,
            text: format!("{names}error: you need to resolve your current index first"),
        });
    }
    let Some(oid) = resolve(repo, &name)? else {
        // A new branch in a repository without commits only renames the branch to be.
        if let (Some(new), None) = (&wish.new, head)
            && !is_named
        {
            repo.refs.write(b"HEAD", &Ref::Symbolic([b"refs/heads/".as_slice(), new].concat()))?;
            if !wish.is_quiet {
                call.out.note(format!("Switched to a new branch '{}'", text(new)))?;
            }
            return Ok(0);
        }
        return Err(match wish.new {
            Some(_) => fatal(format!(
                "'{}' is not a commit and a branch '{}' cannot be created from it",
                text(&name),
                text(&wish.new.unwrap_or_default())
            )),
            None => {
                error(format!("pathspec '{}' did not match any file(s) known to git", text(&name)))
            }
        });
    };
    let oid = revision::peel(repo, oid, Kind::Commit)?;
    if let Some(new) = &wish.new {
        let full = [b"refs/heads/".as_slice(), new].concat();
        if !wish.is_reset && repo.refs.resolve(&full).ok().flatten().is_some() {
            return Err(fatal(format!("a branch named '{}' already exists", text(new))));
        }
    }
    let branch = [b"refs/heads/".as_slice(), &name].concat();
    if wish.new.is_none()
        && !wish.is_detached
        && let Some(path) = worktree::holder(repo, &branch)?
    {
        let (name, path) = (text(&name), text(&path));
        return Err(fatal(format!("'{name}' is already used by worktree at '{path}'")));
    }
    let from = repo.head_tree()?;
    let to = repo.odb.commit(oid)?.tree;
    match wish.is_forced {
        true => checkout::force(repo, &mut index, to)?,
        false => checkout::switch(repo, &mut index, from, to, &SWITCHING)?,
    }
    repo.write_index(&mut index)?;
    let is_branch = repo.refs.resolve(&branch).ok().flatten().is_some();
    let mut note = String::new();
    let new_branch = match &wish.new {
        Some(new) => {
            let full = [b"refs/heads/".as_slice(), new].concat();
            let is_there = repo.refs.resolve(&full)?.is_some();
            let is_current = old_branch.as_deref() == Some(&full);
            repo.refs.write(&full, &Ref::Direct(oid))?;
            let how = if is_there { "Reset to" } else { "Created from" };
            repo.record(
                &full,
                if is_there { head.unwrap_or(Oid::ZERO) } else { Oid::ZERO },
                oid,
                &format!("branch: {how} {}", text(&name)),
            )?;
            note = match (is_there, is_current) {
                (true, true) => format!("Reset branch '{}'", text(new)),
                (true, false) => format!("Switched to and reset branch '{}'", text(new)),
                (false, _) => format!("Switched to a new branch '{}'", text(new)),
            };
            Some(full)
        }
        None if is_branch && !wish.is_detached => {
            let is_same = old_branch.as_deref() == Some(&branch);
            let verb = if is_same { "Already on" } else { "Switched to branch" };
            note = format!("{verb} '{}'", text(&name));
            Some(branch)
        }
        None if !is_named && !wish.is_detached => old_branch.clone(),
        None => None,
    };
    // A new branch at the same commit carries nothing along.
    let is_same_place = wish.new.is_some() && !is_named && !wish.is_reset && !wish.is_forced;
    if !wish.is_quiet && !is_same_place {
        local_changes(repo, call, &mut index, to)?;
    }
    let was_detached = old_branch.is_none();
    let from_name = match &old_branch {
        Some(branch) => text(branch.strip_prefix(b"refs/heads/").unwrap_or(branch)),
        None => head.unwrap_or(Oid::ZERO).to_string(),
    };
    match &new_branch {
        Some(full) => repo.refs.write(b"HEAD", &Ref::Symbolic(full.clone()))?,
        None => repo.refs.write(b"HEAD", &Ref::Direct(oid))?,
    }
    if is_named || wish.new.is_some() || wish.is_detached {
        let to_name = wish.new.as_deref().map_or_else(|| text(&name), text);
        repo.record(
            b"HEAD",
            head.unwrap_or(Oid::ZERO),
            oid,
            &format!("checkout: moving from {from_name} to {to_name}"),
        )?;
    }
    if !wish.is_quiet {
        if was_detached && let Some(old) = head {
            let is_left = new_branch.is_some() || old != oid;
            if is_left && wish.new.is_none() && !warn_left(repo, call, old, oid)? {
                let subject = text(&repo.odb.commit(old)?.subject());
                call.out.note(format!(
                    "Previous HEAD position was {} {subject}",
                    repo.odb.short(old)
                ))?;
            }
        }
        match &new_branch {
            Some(_) => {
                if !note.is_empty() {
                    call.out.note(&note)?;
                }
            }
            None => detached_note(repo, call, &name, oid, was_detached || wish.is_detached)?,
        }
    }
    if let Some(new) = &wish.new {
        let is_remote = revision::full_name(repo, &name)?
            .is_some_and(|full| full.starts_with(b"refs/remotes/"));
        if wish.follows == Some(true) || wish.follows.is_none() && is_remote {
            let before = call.out.data.len();
            super::branch::follow(repo, &text(new), &name, call)?;
            if wish.is_quiet {
                call.out.data.truncate(before);
            }
        }
    } else if new_branch.is_some() && !wish.is_quiet {
        call.out.text(super::status::tracking(repo)?);
    }
    Ok(0)
}

/// Warns about commits that no reference leads to any more; returns false if there are none.
fn warn_left(repo: &Repo, call: &mut Call<'_>, old: Oid, new: Oid) -> Result<bool> {
    let mut tips = vec![new];
    for (_, oid) in repo.refs.list("refs/")? {
        tips.extend(revision::peel(repo, oid, Kind::Commit).ok());
    }
    let mut left = walk::Walk::new(&repo.odb, walk::ancestors(&repo.odb, &tips)?);
    left.push(old)?;
    let mut lines = Vec::new();
    while let Some((oid, commit)) = left.pop() {
        lines.push(format!("  {} {}\n", repo.odb.short(oid), text(&commit.subject())));
        for parent in walk::parents(&repo.odb, &commit) {
            left.push(parent)?;
        }
    }
    let count = lines.len();
    if count == 0 {
        return Ok(false);
    }
    let (plural, it) = if count == 1 { ("", "it") } else { ("s", "them") };
    if count > 4 {
        lines.truncate(4);
        lines.push(format!(" ... and {} more.\n", count - 4));
    }
    call.out.note(format!(
        "Warning: you are leaving {count} commit{plural} behind, not connected to\nany of your branches:\n\n{}\nIf you want to keep {it} by creating a new branch, this may be a good time\nto do so with:\n\n git branch <new-branch-name> {}\n",
        lines.concat(),
        repo.odb.short(old)
    ))?;
    Ok(true)
}

/// Lists local changes that were carried along.
fn local_changes(
    repo: &Repo,
    call: &mut Call<'_>,
    index: &mut crate::store::index::Index,
    tree: Oid,
) -> Result<()> {
    for change in changes::tree_and_work(repo, tree, index, &Pathspecs::all())? {
        call.out
            .line([change.status.letter().to_string().as_bytes(), b"\t", &change.path].concat());
    }
    Ok(())
}

fn detached_note(
    repo: &Repo,
    call: &mut Call<'_>,
    name: &[u8],
    oid: Oid,
    is_short: bool,
) -> Result<()> {
    let subject = text(&repo.odb.commit(oid)?.subject());
    let mut note = String::new();
    if !is_short && repo.config.flag("advice.detachedhead") != Some(false) {
        note = format!(
            "Note: switching to '{}'.\n\nYou are in 'detached HEAD' state. You can look around, make experimental\nchanges and commit them, and you can discard any commits you make in this\nstate without impacting any branches by switching back to a branch.\n\nIf you want to create a new branch to retain commits you create, you may\ndo so (now or later) by using -c with the switch command. Example:\n\n  git switch -c <new-branch-name>\n\nOr undo this operation with:\n\n  git switch -\n\nTurn off this advice by setting config variable advice.detachedHead to false\n\n",
            text(name)
        );
    }
    call.out.note(format!("{note}HEAD is now at {} {subject}", repo.odb.short(oid)))
}

/// Takes files from the index or a commit into the work tree.
fn checkout_paths(
    call: &mut Call<'_>,
    repo: &Repo,
    source: Option<Vec<u8>>,
    paths: &[Vec<u8>],
    side: Option<u8>,
    is_quiet: bool,
) -> Result<i32> {
    let specs = Pathspecs::new(repo, paths)?;
    let mut index = repo.index()?;
    let mut count = 0;
    let from = match &source {
        Some(name) => Some(revision::tree(repo, name)?),
        None => None,
    };
    let files: Vec<(Vec<u8>, u32, Oid)> = match from {
        Some(tree) => changes::files(&repo.odb, tree)?
            .into_iter()
            .filter(|(path, _)| specs.selects(path))
            .map(|(path, (mode, oid))| (path, mode, oid))
            .collect(),
        None => index
            .entries
            .iter()
            .filter(|entry| {
                specs.selects(&entry.path) && (entry.stage == 0 || Some(entry.stage) == side)
            })
            .map(|entry| (entry.path.clone(), entry.mode, entry.oid))
            .collect(),
    };
    for item in specs.items() {
        let is_known = files.iter().any(|(path, _, _)| item.selects(path));
        if !is_known {
            if index.entries.iter().any(|entry| entry.stage > 0 && item.selects(&entry.path)) {
                return Err(error(format!("path '{}' is unmerged", text(&item.path))));
            }
            return Err(error(format!(
                "pathspec '{}' did not match any file(s) known to git",
                text(&item.given)
            )));
        }
    }
    for (path, mode, oid) in files {
        let is_conflict = index.conflicts_at(&path);
        let is_same = !is_conflict
            && index.get(&path).is_some_and(|entry| {
                (entry.mode, entry.oid) == (mode, oid)
                    && matches!(
                        crate::tree::work::state(repo, entry, index.written),
                        Ok(crate::tree::work::State::Same | crate::tree::work::State::SameAgain(_))
                    )
            });
        if is_same {
            continue;
        }
        let entry = checkout::write(repo, &path, mode, oid)?;
        if !is_conflict || from.is_some() {
            index.put(entry);
        }
        count += 1;
    }
    repo.write_index(&mut index)?;
    if !is_quiet {
        let plural = if count == 1 { "" } else { "s" };
        let origin = match from {
            Some(tree) => repo.odb.short(tree),
            None => "the index".to_owned(),
        };
        call.out.note(format!("Updated {count} path{plural} from {origin}"))?;
    }
    Ok(0)
}

/// Runs `git switch`.
pub(crate) fn switch(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let mut wish = Wish::default();
    let mut operands = Vec::new();
    for arg in call.parse(&VALUED)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-c" | "--create" => wish.new = value,
                "-C" | "--force-create" => {
                    wish.new = value;
                    wish.is_reset = true;
                }
                "--orphan" => {
                    wish.new = value;
                    wish.is_orphan = true;
                    wish.is_emptied = true;
                }
                "-d" | "--detach" => wish.is_detached = true,
                "-f" | "--force" | "--discard-changes" => wish.is_forced = true,
                "-q" | "--quiet" => wish.is_quiet = true,
                "-t" | "--track" => wish.follows = Some(true),
                "--no-track" => wish.follows = Some(false),
                "-m" | "--merge" | "--guess" | "--no-guess" | "--progress" | "--no-progress" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let target = operands.first().cloned();
    if wish.new.is_none() {
        let Some(name) = &target else { return Err(fatal("missing branch or commit argument")) };
        let branch = [b"refs/heads/".as_slice(), name].concat();
        let is_branch = name == b"-" || repo.refs.resolve(&branch).ok().flatten().is_some();
        if !is_branch && !wish.is_detached {
            if let Some(remote) = guess(&repo, name)? {
                let name = name.clone();
                return go_to_remote(call, &repo, wish, &name, &remote);
            }
            let shown = text(name);
            let tag = [b"refs/tags/".as_slice(), name].concat();
            let is_tag = repo.refs.resolve(&tag).ok().flatten().is_some();
            let kind = match revision::full_name(&repo, name)?.as_deref() {
                _ if is_tag => "tag",
                Some(full) if full.starts_with(b"refs/remotes/") => "remote branch",
                _ => "commit",
            };
            return Err(match revision::find(&repo, name)? {
                Some(_) => fatal(format!(
                    "a branch is expected, got {kind} '{shown}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option."
                )),
                None => fatal(format!("invalid reference: {shown}")),
            });
        }
    }
    go(call, &repo, wish, target)
}

/// Runs `git restore`.
pub(crate) fn restore(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let (mut is_staged, mut is_work, mut source, mut side) = (false, false, None, None);
    let mut operands = Vec::new();
    let valued = Valued { short: "s", long: &["--source", "--conflict"], ..Valued::default() };
    for arg in call.parse(&valued)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-S" | "--staged" => is_staged = true,
                "-W" | "--worktree" => is_work = true,
                "-s" | "--source" => source = Some(value_text(&value).into_bytes()),
                "--ours" => side = Some(2),
                "--theirs" => side = Some(3),
                "-q" | "--quiet" | "--progress" | "--no-progress" | "--overlay"
                | "--no-overlay" | "--ignore-unmerged" => {}
                "-p" | "--patch" => {
                    return Err(fatal("git restore -p needs a terminal; name the files"));
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if operands.is_empty() {
        return Err(fatal("you must specify path(s) to restore"));
    }
    if !is_staged && !is_work {
        is_work = true;
    }
    if !is_staged && source.is_none() {
        return checkout_paths(call, &repo, None, &operands, side, true);
    }
    let tree = match &source {
        Some(name) => revision::find(&repo, name)?
            .ok_or_else(|| fatal(format!("could not resolve {}", text(name))))
            .and_then(|oid| revision::peel(&repo, oid, Kind::Tree))?,
        None => repo.head_tree()?,
    };
    let specs = Pathspecs::new(&repo, &operands)?;
    let mut index = repo.index()?;
    let files = changes::files(&repo.odb, tree)?;
    for item in specs.items() {
        let is_known = files.keys().any(|path| item.selects(path))
            || index.entries.iter().any(|entry| item.selects(&entry.path));
        if !is_known {
            return Err(error(format!(
                "pathspec '{}' did not match any file(s) known to git",
                text(&item.given)
            )));
        }
    }
    let known: Vec<Vec<u8>> =
        index.entries.iter().filter(|e| specs.selects(&e.path)).map(|e| e.path.clone()).collect();
    for path in known.iter().filter(|path| !files.contains_key(*path)) {
        if is_staged {
            index.remove(path);
        }
        if is_work {
            checkout::remove(&repo, path);
        }
    }
    for (path, (mode, oid)) in files.iter().filter(|(path, _)| specs.selects(path)) {
        let is_same = index.get(path).is_some_and(|entry| (entry.mode, entry.oid) == (*mode, *oid));
        if is_work {
            let entry = checkout::write(&repo, path, *mode, *oid)?;
            if is_staged || is_same {
                index.put(entry);
            }
        } else if !is_same {
            index.put(Entry::new(path.clone(), *mode, *oid));
        }
    }
    repo.write_index(&mut index)?;
    Ok(0)
}
