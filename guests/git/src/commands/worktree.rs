//! `git worktree`: more work trees of one repository.

use std::fs;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, join, normal, text};
use crate::fault::{At, Fault, Result, fatal, reason};
use crate::repo::{self, Repo};
use crate::revision;
use crate::store::oid::Oid;
use crate::store::refs::{Ref, is_valid_name, short_name};
use crate::tree::{changes, checkout, pathspec::Pathspecs, untracked};

/// A work tree of a repository.
struct Tree {
    /// Its root, or the repository's directory if that is bare.
    path: Vec<u8>,
    git_dir: Vec<u8>,
    head: Option<Ref>,
    is_main: bool,
    is_bare: bool,
    /// The reason of a lock, which may be empty.
    lock: Option<String>,
}

impl Tree {
    fn is_there(&self) -> bool {
        self.is_main || repo::exists(&join(&self.path, b".git"))
    }

    fn branch(&self) -> Option<&[u8]> {
        match &self.head {
            Some(Ref::Symbolic(branch)) => Some(branch),
            Some(Ref::Direct(_)) | None => None,
        }
    }

    fn commit(&self, repo: &Repo) -> Result<Option<Oid>> {
        match &self.head {
            Some(Ref::Symbolic(branch)) => repo.refs.resolve(branch),
            Some(Ref::Direct(oid)) => Ok(Some(*oid)),
            None => Ok(None),
        }
    }
}

/// Returns all work trees, the main one first.
fn all(repo: &Repo) -> Result<Vec<Tree>> {
    let common = &repo.common_dir;
    let is_bare = repo.config.flag("core.bare") == Some(true);
    let is_inside = bytes::base(common) == b".git" && !is_bare;
    let mut trees = vec![tree(
        if is_inside { bytes::parent(common).to_vec() } else { common.clone() },
        common.clone(),
        is_bare,
    )];
    trees[0].is_main = true;
    let dir = join(common, b"worktrees");
    let mut names: Vec<Vec<u8>> = fs::read_dir(bytes::path(&dir))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| bytes::raw(&entry.file_name()).to_vec())
        .collect();
    names.sort();
    for name in names {
        let git_dir = join(&dir, &name);
        let Ok(data) = fs::read(bytes::path(&join(&git_dir, b"gitdir"))) else { continue };
        let path = bytes::parent(&normal(&join(&git_dir, bytes::trim(&data)))).to_vec();
        trees.push(tree(path, git_dir, false));
    }
    Ok(trees)
}

fn tree(path: Vec<u8>, git_dir: Vec<u8>, is_bare: bool) -> Tree {
    let refs = crate::store::refs::Refs::new(git_dir.clone(), git_dir.clone());
    let head = refs.read(b"HEAD").ok().flatten();
    let lock = fs::read(bytes::path(&join(&git_dir, b"locked"))).ok();
    let lock = lock.map(|reason| text(bytes::trim(&reason)));
    Tree { path, git_dir, head, is_main: false, is_bare, lock }
}

/// Returns the root of another work tree in which a branch is checked out.
pub(super) fn holder(repo: &Repo, branch: &[u8]) -> Result<Option<Vec<u8>>> {
    // Most repositories have one work tree.
    if repo.common_dir == repo.git_dir && !repo::exists(&join(&repo.common_dir, b"worktrees")) {
        return Ok(None);
    }
    let is_it = |tree: &Tree| {
        tree.git_dir != repo.git_dir && !tree.is_bare && tree.branch() == Some(branch)
    };
    Ok(all(repo)?.into_iter().find(is_it).map(|tree| tree.path))
}

/// Runs `git worktree`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let usage = || Fault {
        code: 129,
        text: "usage: git worktree (add | list | lock | move | prune | remove | unlock) ..."
            .to_owned(),
    };
    if call.args.is_empty() {
        return Err(usage());
    }
    let verb = text(&call.args.remove(0));
    let repo = call.repo()?;
    match verb.as_str() {
        "add" => add(call, &repo),
        "list" => list(call, &repo),
        "prune" => prune(call, &repo),
        "remove" => remove(call, &repo),
        "lock" | "unlock" => lock(call, &repo, verb == "lock"),
        "move" => relocate(call, &repo),
        "repair" => Ok(0),
        other => {
            let Fault { code, text } = usage();
            Err(Fault { code, text: format!("error: unknown subcommand: `{other}'\n{text}") })
        }
    }
}

fn list(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let (mut is_porcelain, mut is_verbose, mut end) = (false, false, "\n");
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "--porcelain" => is_porcelain = true,
                "-v" | "--verbose" => is_verbose = true,
                "-z" => end = "\0",
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(_) | Arg::Dashes => {}
        }
    }
    let trees = all(repo)?;
    let width = trees.iter().map(|tree| text(&tree.path).chars().count()).max().unwrap_or(0);
    for tree in &trees {
        let path = text(&tree.path);
        let commit = tree.commit(repo)?;
        if is_porcelain {
            let mut lines = vec![format!("worktree {path}")];
            match (tree.is_bare, tree.branch()) {
                (true, _) => lines.push("bare".to_owned()),
                (false, branch) => {
                    lines.push(format!("HEAD {}", commit.unwrap_or(Oid::ZERO)));
                    lines.push(branch.map_or_else(
                        || "detached".to_owned(),
                        |branch| format!("branch {}", text(branch)),
                    ));
                }
            }
            if let Some(reason) = &tree.lock {
                lines.push(format!("locked {reason}").trim_end().to_owned());
            }
            if !tree.is_there() {
                lines.push("prunable gitdir file points to non-existent location".to_owned());
            }
            call.out.text(lines.join(end) + end + end);
            continue;
        }
        let mut line = format!("{path:<width$} ");
        match (tree.is_bare, tree.branch()) {
            (true, _) => line += " (bare)",
            (false, branch) => {
                let oid = commit.map_or_else(|| "0000000".to_owned(), |oid| repo.odb.short(oid));
                line += &format!(" {oid} ");
                line += &branch.map_or_else(
                    || "(detached HEAD)".to_owned(),
                    |branch| format!("[{}]", text(short_name(branch))),
                );
            }
        }
        match &tree.lock {
            Some(reason) if is_verbose && !reason.is_empty() => {
                line += &format!("\n\tlocked: {reason}");
            }
            Some(_) => line += " locked",
            None if !tree.is_there() => line += " prunable",
            None => {}
        }
        call.out.line(line);
    }
    Ok(0)
}

fn add(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let (mut new, mut is_reset, mut is_detached, mut is_forced) = (None, false, false, false);
    let (mut is_quiet, mut has_files, mut is_locked, mut reason) = (false, true, false, None);
    let mut operands = Vec::new();
    let mut is_orphan = false;
    let valued = Valued { short: "bB", long: &["--reason"], ..Valued::default() };
    for arg in call.parse(&valued)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-b" => new = value,
                "-B" => {
                    new = value;
                    is_reset = true;
                }
                "-d" | "--detach" => is_detached = true,
                "-f" | "--force" => is_forced = true,
                "-q" | "--quiet" => is_quiet = true,
                "--no-checkout" => has_files = false,
                "--lock" => is_locked = true,
                "--reason" => reason = value,
                "--orphan" => is_orphan = true,
                "--checkout" | "--track" | "--no-track" | "--guess-remote"
                | "--no-guess-remote" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let (given, start) = match &operands[..] {
        [path] => (path.clone(), None),
        [path, start] => (path.clone(), Some(start.clone())),
        _ => {
            return Err(Fault {
                code: 129,
                text: "usage: git worktree add [<options>] <path> [<commit-ish>]".to_owned(),
            });
        }
    };
    let path = normal(&join(&repo::current_dir(), &given));
    if is_orphan && new.is_none() {
        new = Some(bytes::base(&path).to_vec());
    }
    let full = |name: &[u8]| [b"refs/heads/".as_slice(), name].concat();
    // A branch with the name of the directory is checked out, or made.
    let mut branch = None;
    let mut target = start.clone().unwrap_or_else(|| b"HEAD".to_vec());
    if let (Some(start), None, false) = (&start, &new, is_detached) {
        if repo.refs.resolve(&full(start))?.is_some() {
            branch = Some(start.clone());
        }
    } else if start.is_none() && new.is_none() && !is_detached {
        let name = bytes::base(&path).to_vec();
        match repo.refs.resolve(&full(&name))? {
            Some(_) => {
                target = name.clone();
                branch = Some(name);
            }
            None => new = Some(name),
        }
    }
    let mut commit = None;
    if !is_orphan {
        let oid = revision::commit(repo, &target)
            .map_err(|_| fatal(format!("invalid reference: {}", text(&target))))?;
        commit = Some(oid);
    }
    if let Some(name) = &new {
        if !is_valid_name(name) {
            return Err(fatal(format!("'{}' is not a valid branch name", text(name))));
        }
        if repo.refs.resolve(&full(name))?.is_some() && !is_reset {
            return Err(fatal(format!("a branch named '{}' already exists", text(name))));
        }
    }
    if !is_quiet {
        call.out.note(match (&new, &branch, commit) {
            (Some(name), ..) if is_reset => {
                format!("Preparing worktree (resetting branch '{}')", text(name))
            }
            (Some(name), ..) => format!("Preparing worktree (new branch '{}')", text(name)),
            (None, Some(name), _) => {
                format!("Preparing worktree (checking out '{}')", text(name))
            }
            (None, None, oid) => {
                let oid = repo.odb.short(oid.unwrap_or(Oid::ZERO));
                format!("Preparing worktree (detached HEAD {oid})")
            }
        })?;
    }
    if let Some(name) = branch.as_ref().filter(|_| !is_forced) {
        let own = repo.refs.branch()?.as_deref() == Some(&full(name));
        let used = if own { repo.work_tree.clone() } else { holder(repo, &full(name))? };
        if let Some(used) = used {
            let (name, used) = (text(name), text(&used));
            return Err(fatal(format!("'{name}' is already used by worktree at '{used}'")));
        }
    }
    let is_taken = bytes::path(&path).is_file()
        || fs::read_dir(bytes::path(&path)).is_ok_and(|mut list| list.next().is_some());
    if is_taken {
        return Err(fatal(format!("'{}' already exists", text(&given))));
    }
    if let (Some(name), Some(oid)) = (&new, commit) {
        let old = repo.refs.resolve(&full(name))?.unwrap_or(Oid::ZERO);
        repo.refs.write(&full(name), &Ref::Direct(oid))?;
        repo.record(&full(name), old, oid, &format!("branch: Created from {}", text(&target)))?;
    }
    let head = match (new.or(branch), commit) {
        (Some(name), _) => Ref::Symbolic(full(&name)),
        (None, oid) => Ref::Direct(oid.unwrap_or(Oid::ZERO)),
    };
    let made = make(repo, &path, &head, &call.given)?;
    if is_locked {
        let text = reason.map_or_else(Vec::new, |reason| [reason.as_slice(), b"\n"].concat());
        made.set_state("locked", &text)?;
    }
    if let Some(oid) = commit {
        let mut index = made.index()?;
        if has_files {
            checkout::force(&made, &mut index, repo.odb.commit(oid)?.tree)?;
            made.write_index(&mut index)?;
        }
        made.set_state("ORIG_HEAD", format!("{oid}\n").as_bytes())?;
        made.record(b"HEAD", Oid::ZERO, oid, "")?;
        if has_files {
            made.record(b"HEAD", oid, oid, "reset: moving to HEAD")?;
        }
        if !is_quiet && has_files {
            let subject = text(&repo.odb.commit(oid)?.subject());
            call.out.line(format!("HEAD is now at {} {subject}", repo.odb.short(oid)));
        }
    }
    Ok(0)
}

/// Makes the files that connect a directory with the repository, and opens it.
fn make(
    repo: &Repo,
    path: &[u8],
    head: &Ref,
    given: &[crate::store::config::Setting],
) -> Result<Repo> {
    let dir = join(&repo.common_dir, b"worktrees");
    let base = bytes::base(path).to_vec();
    let mut git_dir = join(&dir, &base);
    let mut number = 0;
    while repo::exists(&git_dir) {
        number += 1;
        git_dir = join(&dir, &[base.as_slice(), number.to_string().as_bytes()].concat());
    }
    for dir in [git_dir.clone(), join(&git_dir, b"refs"), path.to_vec()] {
        fs::create_dir_all(bytes::path(&dir)).map_err(|e| {
            fatal(format!("could not create directory of '{}': {}", text(&dir), reason(&e)))
        })?;
    }
    let head = match head {
        Ref::Symbolic(name) => [b"ref: ".as_slice(), name, b"\n"].concat(),
        Ref::Direct(oid) => format!("{oid}\n").into_bytes(),
    };
    let link = join(path, b".git");
    for (file, content) in [
        (join(&git_dir, b"HEAD"), head),
        (join(&git_dir, b"commondir"), b"../..\n".to_vec()),
        (join(&git_dir, b"gitdir"), [link.as_slice(), b"\n"].concat()),
        (link.clone(), [b"gitdir: ".as_slice(), &git_dir, b"\n"].concat()),
    ] {
        fs::write(bytes::path(&file), content).at(&file)?;
    }
    Repo::at(git_dir, Some(path.to_vec()), path, given)
}

/// Returns the work tree that an argument names.
fn find(repo: &Repo, name: &[u8]) -> Result<Tree> {
    let path = normal(&join(&repo::current_dir(), name));
    let mut trees = all(repo)?;
    // The end of a path is enough if only one work tree has it.
    let tail = [b"/".as_slice(), name].concat();
    let ending: Vec<usize> =
        (0..trees.len()).filter(|at| trees[*at].path.ends_with(&tail)).collect();
    let at = trees.iter().position(|tree| tree.path == path).or(match ending[..] {
        [one] => Some(one),
        _ => None,
    });
    match at {
        Some(at) => Ok(trees.swap_remove(at)),
        None => Err(fatal(format!("'{}' is not a working tree", text(name)))),
    }
}

fn remove(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let (mut forces, mut operands) = (0, Vec::new());
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) if name == "-f" || name == "--force" => forces += 1,
            Arg::Option(name, _) => return Err(call.unknown(&name)),
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let [name] = &operands[..] else {
        return Err(Fault {
            code: 129,
            text: "usage: git worktree remove [-f] <worktree>".to_owned(),
        });
    };
    let tree = find(repo, name)?;
    let shown = text(name);
    if tree.is_main {
        return Err(fatal(format!("'{shown}' is a main working tree")));
    }
    if let Some(reason) = tree.lock.as_ref().filter(|_| forces < 2) {
        let why = match reason.as_str() {
            "" => String::new(),
            reason => format!(", lock reason: {reason}"),
        };
        let text = format!(
            "cannot remove a locked working tree{why}\nuse 'remove -f -f' to override or unlock first"
        );
        return Err(fatal(text));
    }
    if tree.is_there() {
        if forces == 0 && is_changed(&tree, call)? {
            let text =
                format!("'{shown}' contains modified or untracked files, use --force to delete it");
            return Err(fatal(text));
        }
        fs::remove_dir_all(bytes::path(&tree.path)).at(&tree.path)?;
    }
    forget(repo, &tree)?;
    Ok(0)
}

/// Returns true if a work tree has anything that its last commit does not have.
fn is_changed(tree: &Tree, call: &Call<'_>) -> Result<bool> {
    let repo = Repo::at(tree.git_dir.clone(), Some(tree.path.clone()), &tree.path, &call.given)?;
    let mut index = repo.index()?;
    let staged = changes::tree_and_index(&repo.odb, repo.head_tree()?, &index, &Pathspecs::all())?;
    let changed = changes::index_and_work(&repo, &mut index, &Pathspecs::all())?;
    let new = untracked::find(&repo, &index, &Pathspecs::all(), untracked::Show::Collapsed)?;
    Ok(!staged.is_empty() || !changed.is_empty() || !new.untracked.is_empty())
}

/// Removes what the repository knows of a work tree.
fn forget(repo: &Repo, tree: &Tree) -> Result<()> {
    fs::remove_dir_all(bytes::path(&tree.git_dir)).at(&tree.git_dir)?;
    // The directory stays if it has others.
    let _ = fs::remove_dir(bytes::path(&join(&repo.common_dir, b"worktrees")));
    Ok(())
}

fn prune(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let (mut is_dry, mut is_verbose) = (false, false);
    for arg in call.parse(&Valued { long: &["--expire"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-n" | "--dry-run" => is_dry = true,
                "-v" | "--verbose" => is_verbose = true,
                "--expire" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(_) | Arg::Dashes => {}
        }
    }
    for tree in all(repo)?.iter().filter(|tree| !tree.is_there() && tree.lock.is_none()) {
        if is_dry || is_verbose {
            let name = text(bytes::base(&tree.git_dir));
            let text =
                format!("Removing worktrees/{name}: gitdir file points to non-existent location");
            call.out.note(text)?;
        }
        if !is_dry {
            forget(repo, tree)?;
        }
    }
    Ok(0)
}

fn lock(call: &mut Call<'_>, repo: &Repo, is_lock: bool) -> Result<i32> {
    let (mut reason, mut operands) = (String::new(), Vec::new());
    for arg in call.parse(&Valued { long: &["--reason"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) if name == "--reason" => reason = value_text(&value),
            Arg::Option(name, _) => return Err(call.unknown(&name)),
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let name = operands.first().cloned().unwrap_or_default();
    let tree = find(repo, &name)?;
    if tree.is_main {
        return Err(fatal("The main working tree cannot be locked or unlocked"));
    }
    let shown = text(&name);
    let file = join(&tree.git_dir, b"locked");
    match (is_lock, &tree.lock) {
        (true, Some(old)) if old.is_empty() => Err(fatal(format!("'{shown}' is already locked"))),
        (true, Some(old)) => Err(fatal(format!("'{shown}' is already locked, reason: {old}"))),
        (true, None) => {
            let end = if reason.is_empty() { "" } else { "\n" };
            fs::write(bytes::path(&file), reason + end).at(&file)?;
            Ok(0)
        }
        (false, None) => Err(fatal(format!("'{shown}' is not locked"))),
        (false, Some(_)) => {
            fs::remove_file(bytes::path(&file)).at(&file)?;
            Ok(0)
        }
    }
}

fn relocate(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let mut operands = Vec::new();
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) if name == "-f" || name == "--force" => {}
            Arg::Option(name, _) => return Err(call.unknown(&name)),
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let [name, to] = &operands[..] else {
        return Err(Fault {
            code: 129,
            text: "usage: git worktree move <worktree> <new-path>".to_owned(),
        });
    };
    let tree = find(repo, name)?;
    if tree.is_main {
        return Err(fatal(format!("'{}' is a main working tree", text(name))));
    }
    let mut path = normal(&join(&repo::current_dir(), to));
    if bytes::path(&path).is_dir() {
        path = join(&path, bytes::base(&tree.path));
    }
    if repo::exists(&path) {
        return Err(fatal(format!("target '{}' already exists", text(&path))));
    }
    if tree.lock.is_some() {
        return Err(fatal(
            "cannot move a locked working tree;\nuse 'move -f -f' to override or unlock first",
        ));
    }
    fs::rename(bytes::path(&tree.path), bytes::path(&path)).at(&path)?;
    let file = join(&tree.git_dir, b"gitdir");
    fs::write(bytes::path(&file), [join(&path, b".git").as_slice(), b"\n"].concat()).at(&file)?;
    Ok(0)
}
