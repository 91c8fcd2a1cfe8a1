//! `git branch`.

use super::{Call, worktree};
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Fault, Result, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::config;
use crate::store::object::Kind;
use crate::store::oid::Oid;
use crate::store::reflog;
use crate::store::refs::{self, Ref, short_name};
use crate::tree::glob::{self, Slash};
use crate::walk;

/// Thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    List,
    Delete,
    Move,
    Copy,
    Current,
    Follow,
    Unfollow,
}

#[derive(Default)]
struct Wish {
    is_coloured: bool,
    is_forced: bool,
    is_quiet: bool,
    is_listing: bool,
    has_local: bool,
    has_remote: bool,
    verbosity: usize,
    upstream: Option<Vec<u8>>,
    contains: Option<Vec<u8>>,
    merged: Option<(Vec<u8>, bool)>,
    points_at: Option<Vec<u8>>,
    format: Option<String>,
    sort: Option<String>,
    follows: bool,
    operands: Vec<Vec<u8>>,
}

const VALUED: Valued = Valued {
    short: "u",
    attached: "t",
    long: &["--set-upstream-to", "--format", "--sort", "--points-at"],
};

/// Runs `git branch`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut task = Task::List;
    let is_coloured = crate::report::options::coloured(&repo, "color.branch");
    let mut wish = Wish { has_local: true, is_coloured, ..Wish::default() };
    let mut filter: Option<String> = None;
    for arg in call.parse(&VALUED)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) => {
                match filter.take().as_deref() {
                    Some("--contains") => wish.contains = Some(operand),
                    Some("--merged") => wish.merged = Some((operand, true)),
                    Some("--no-merged") => wish.merged = Some((operand, false)),
                    _ => wish.operands.push(operand),
                }
                continue;
            }
            Arg::Dashes => continue,
        };
        match name.as_str() {
            "-d" | "--delete" => task = Task::Delete,
            "-D" => {
                task = Task::Delete;
                wish.is_forced = true;
            }
            "-m" | "--move" => task = Task::Move,
            "-M" => {
                task = Task::Move;
                wish.is_forced = true;
            }
            "-c" | "--copy" | "-C" => task = Task::Copy,
            "--show-current" => task = Task::Current,
            "-u" | "--set-upstream-to" => {
                task = Task::Follow;
                wish.upstream = value;
            }
            "--unset-upstream" => task = Task::Unfollow,
            "-f" | "--force" => wish.is_forced = true,
            "-q" | "--quiet" => wish.is_quiet = true,
            "-l" | "--list" => wish.is_listing = true,
            "-a" | "--all" => wish.has_remote = true,
            "-r" | "--remotes" => {
                wish.has_remote = true;
                wish.has_local = false;
            }
            "-v" | "--verbose" => wish.verbosity += 1,
            "-vv" => wish.verbosity += 2,
            "--contains" | "--merged" | "--no-merged" => {
                let head = value.clone().unwrap_or_else(|| b"HEAD".to_vec());
                match name.as_str() {
                    "--contains" => wish.contains = Some(head),
                    "--merged" => wish.merged = Some((head, true)),
                    _ => wish.merged = Some((head, false)),
                }
                wish.is_listing = true;
                filter = value.is_none().then_some(name);
            }
            "--points-at" => wish.points_at = value,
            "--format" => wish.format = Some(value_text(&value)),
            "--sort" => wish.sort = Some(value_text(&value)),
            "-t" | "--track" => wish.follows = true,
            "--color" => wish.is_coloured = !matches!(value.as_deref(), Some(b"never" | b"auto")),
            "--no-color" => wish.is_coloured = false,
            "--no-track" | "--no-column" | "--column" | "--create-reflog" => {}
            other => return Err(call.unknown(other)),
        }
    }
    match task {
        Task::Current => {
            if repo.refs.branch()?.is_some() {
                call.out.line(repo.branch_name()?);
            }
            Ok(0)
        }
        Task::Delete => delete(call, &repo, &wish),
        Task::Move | Task::Copy => rename(&repo, &wish, task == Task::Copy),
        Task::Follow => {
            let branch = match wish.operands.first() {
                Some(name) => text(name),
                None => text(&repo.branch_name()?),
            };
            let upstream = wish.upstream.clone().unwrap_or_default();
            follow(&repo, &branch, &upstream, call)?;
            Ok(0)
        }
        Task::Unfollow => {
            let branch = match wish.operands.first() {
                Some(name) => text(name),
                None => text(&repo.branch_name()?),
            };
            let file = repo.file("config");
            if !config::unset(&file, &format!("branch.{branch}.merge"))? {
                return Err(fatal(format!("branch '{branch}' has no upstream information")));
            }
            config::unset(&file, &format!("branch.{branch}.remote"))?;
            Ok(0)
        }
        Task::List if wish.operands.is_empty() || wish.is_listing || wish.has_remote => {
            list(call, &repo, &wish)
        }
        Task::List => create(call, &repo, &wish),
    }
}

/// Makes a branch follow another one.
pub(crate) fn follow(
    repo: &Repo,
    branch: &str,
    upstream: &[u8],
    call: &mut Call<'_>,
) -> Result<()> {
    let full = revision::full_name(repo, upstream)?;
    let (remote, merge) = match full.as_deref() {
        Some(full) if full.starts_with(b"refs/remotes/") => {
            let rest = text(&full["refs/remotes/".len()..]);
            let (remote, name) = rest.split_once('/').unwrap_or((&rest, "HEAD"));
            (remote.to_owned(), format!("refs/heads/{name}"))
        }
        Some(full) if full.starts_with(b"refs/heads/") => (".".to_owned(), text(full)),
        _ => {
            return Err(fatal(format!(
                "the requested upstream branch '{}' does not exist",
                text(upstream)
            )));
        }
    };
    let file = repo.file("config");
    config::set(&file, &format!("branch.{branch}.remote"), &remote, config::Write::ReplaceAll)?;
    config::set(&file, &format!("branch.{branch}.merge"), &merge, config::Write::ReplaceAll)?;
    call.out.line(format!("branch '{branch}' set up to track '{}'.", text(upstream)));
    Ok(())
}

fn create(call: &mut Call<'_>, repo: &Repo, wish: &Wish) -> Result<i32> {
    let name = &wish.operands[0];
    let start = wish.operands.get(1).cloned().unwrap_or_else(|| b"HEAD".to_vec());
    make(repo, name, &start, wish.is_forced)?;
    let is_remote =
        revision::full_name(repo, &start)?.is_some_and(|full| full.starts_with(b"refs/remotes/"));
    if wish.follows || is_remote {
        follow(repo, &text(name), &start, call)?;
    }
    Ok(0)
}

/// Makes a branch and returns its commit.
pub(crate) fn make(repo: &Repo, name: &[u8], start: &[u8], is_forced: bool) -> Result<Oid> {
    let shown = text(name);
    if !refs::is_valid_name(name) || name == b"HEAD" {
        return Err(fatal(format!(
            "'{shown}' is not a valid branch name\nhint: See `man git check-ref-format`\nhint: Disable this message with \"git config advice.refSyntax false\""
        )));
    }
    let full = [b"refs/heads/".as_slice(), name].concat();
    let is_there = repo.refs.read(&full).ok().flatten().is_some();
    if is_there && !is_forced {
        return Err(fatal(format!("a branch named '{shown}' already exists")));
    }
    if is_there && repo.refs.branch()?.as_deref() == Some(&full) {
        let root = text(repo.root()?);
        return Err(fatal(format!(
            "cannot force update the branch '{shown}' used by worktree at '{root}'"
        )));
    }
    let Some(oid) = revision::find(repo, start)? else {
        return Err(fatal(format!("not a valid object name: '{}'", text(start))));
    };
    let oid = revision::peel(repo, oid, Kind::Commit)?;
    let how = if is_there { "Reset to" } else { "Created from" };
    repo.update_ref(&full, oid, &format!("branch: {how} {}", text(start)))?;
    Ok(oid)
}

fn delete(call: &mut Call<'_>, repo: &Repo, wish: &Wish) -> Result<i32> {
    if wish.operands.is_empty() {
        return Err(fatal("branch name required"));
    }
    let mut code = 0;
    for name in &wish.operands {
        let shown = text(name);
        let prefix = if wish.has_remote { "refs/remotes/" } else { "refs/heads/" };
        let full = [prefix.as_bytes(), name].concat();
        let Some(oid) = repo.refs.resolve(&full)? else {
            let kind = if wish.has_remote { "remote-tracking branch" } else { "branch" };
            call.out.note(format!("error: {kind} '{shown}' not found"))?;
            code = 1;
            continue;
        };
        let holder = match repo.refs.branch()?.as_deref() == Some(&full) {
            true => Some(repo.root()?.to_vec()),
            false => worktree::holder(repo, &full)?,
        };
        if let Some(root) = holder {
            let root = text(&root);
            call.out.note(format!(
                "error: cannot delete branch '{shown}' used by worktree at '{root}'"
            ))?;
            code = 1;
            continue;
        }
        let base = match revision::upstream(repo, &full) {
            Some(upstream) => repo.refs.resolve(&upstream)?.or(repo.head()?),
            None => repo.head()?,
        };
        let is_merged = match base {
            Some(base) => walk::is_ancestor(&repo.odb, oid, base)?,
            None => false,
        };
        if !is_merged && !wish.is_forced && !wish.has_remote {
            call.out.note(format!("error: the branch '{shown}' is not fully merged\nhint: If you are sure you want to delete it, run 'git branch -D {shown}'\nhint: Disable this message with \"git config advice.forceDeleteBranch false\""))?;
            code = 1;
            continue;
        }
        repo.refs.delete(&full)?;
        reflog::remove(&repo.git_dir, &full)?;
        config::remove_section(&repo.file("config"), &format!("branch.{shown}"))?;
        if !wish.is_quiet {
            let kind = if wish.has_remote { "remote-tracking branch" } else { "branch" };
            call.out.line(format!("Deleted {kind} {shown} (was {}).", repo.odb.short(oid)));
        }
    }
    Ok(code)
}

fn rename(repo: &Repo, wish: &Wish, is_copy: bool) -> Result<i32> {
    let (from, to) = match &wish.operands[..] {
        [to] => (repo.branch_name()?, to.clone()),
        [from, to] => (from.clone(), to.clone()),
        _ => return Err(fatal("branch name required")),
    };
    let (old, new) =
        ([b"refs/heads/".as_slice(), &from].concat(), [b"refs/heads/".as_slice(), &to].concat());
    if !refs::is_valid_name(&to) {
        return Err(fatal(format!("'{}' is not a valid branch name", text(&to))));
    }
    let is_current = repo.refs.branch()?.as_deref() == Some(&old);
    let Some(oid) = repo.refs.resolve(&old)? else {
        if is_current && !is_copy {
            repo.refs.write(b"HEAD", &Ref::Symbolic(new))?;
            return Ok(0);
        }
        return Err(fatal(format!("no branch named '{}'", text(&from))));
    };
    if repo.refs.resolve(&new)?.is_some() && !wish.is_forced && old != new {
        return Err(fatal(format!("a branch named '{}' already exists", text(&to))));
    }
    if is_copy {
        repo.update_ref(&new, oid, &format!("Branch: copied {} to {}", text(&old), text(&new)))?;
        return Ok(0);
    }
    if old == new {
        return Ok(0);
    }
    reflog::rename(&repo.git_dir, &old, &new)?;
    repo.refs.delete(&old)?;
    repo.refs.write(&new, &Ref::Direct(oid))?;
    let message = format!("Branch: renamed {} to {}", text(&old), text(&new));
    repo.record(&new, oid, oid, &message)?;
    if is_current {
        repo.refs.write(b"HEAD", &Ref::Symbolic(new))?;
        repo.record(b"HEAD", oid, Oid::ZERO, &message)?;
        repo.record(b"HEAD", Oid::ZERO, oid, &message)?;
    }
    let file = repo.file("config");
    for key in ["remote", "merge"] {
        let value = repo.config.get(&format!("branch.{}.{key}", text(&from))).map(str::to_owned);
        if let Some(value) = value {
            config::set(
                &file,
                &format!("branch.{}.{key}", text(&to)),
                &value,
                config::Write::ReplaceAll,
            )?;
        }
    }
    config::remove_section(&file, &format!("branch.{}", text(&from)))?;
    Ok(0)
}

struct Line {
    mark: char,
    name: String,
    full: Vec<u8>,
    oid: Oid,
    target: Option<String>,
}

fn list(call: &mut Call<'_>, repo: &Repo, wish: &Wish) -> Result<i32> {
    let current = repo.refs.branch()?;
    let mut lines = Vec::new();
    if wish.has_local {
        if current.is_none()
            && let Some(oid) = repo.head()?
        {
            let name = format!("(HEAD detached at {})", repo.odb.short(oid));
            lines.push(Line { mark: '*', name, full: b"HEAD".to_vec(), oid, target: None });
        }
        for (full, oid) in repo.refs.list("refs/heads/")? {
            let mark = match worktree::holder(repo, &full)? {
                _ if Some(&full) == current.as_ref() => '*',
                Some(_) => '+',
                None => ' ',
            };
            let name = text(short_name(&full));
            lines.push(Line { mark, name, full, oid, target: None });
        }
    }
    if wish.has_remote {
        for (full, oid) in repo.refs.list("refs/remotes/")? {
            let target = match repo.refs.read(&full)? {
                Some(Ref::Symbolic(target)) => Some(text(short_name(&target))),
                _ => None,
            };
            let short = text(short_name(&full));
            let name = if wish.has_local { format!("remotes/{short}") } else { short };
            lines.push(Line { mark: ' ', name, full, oid, target });
        }
    }
    let commit = |name: &[u8]| {
        revision::commit(repo, name).map_err(|_| Fault {
            code: 129,
            text: format!("error: malformed object name {}", text(name)),
        })
    };
    if let Some(name) = &wish.contains {
        let oid = commit(name)?;
        lines.retain(|line| walk::is_ancestor(&repo.odb, oid, line.oid).unwrap_or(false));
    }
    if let Some((name, is_merged)) = &wish.merged {
        let of = walk::ancestors(&repo.odb, &[commit(name)?])?;
        lines.retain(|line| of.contains(&line.oid) == *is_merged);
    }
    if let Some(name) = &wish.points_at {
        let oid = commit(name)?;
        lines.retain(|line| line.oid == oid);
    }
    if !wish.operands.is_empty() {
        lines.retain(|line| {
            wish.operands
                .iter()
                .any(|pattern| glob::matches(pattern, line.name.as_bytes(), Slash::Plain))
        });
    }
    if let Some(sort) = wish.sort.as_deref().filter(|sort| sort.contains("date")) {
        let mut dated = Vec::new();
        for line in lines {
            dated.push((repo.odb.commit(line.oid)?.time(), line));
        }
        dated.sort_by_key(|(time, _)| *time);
        if sort.starts_with('-') {
            dated.reverse();
        }
        lines = dated.into_iter().map(|(_, line)| line).collect();
    }
    let width = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    for line in lines {
        if let Some(format) = &wish.format {
            let is_current = line.mark == '*';
            call.out.line(super::refs::expand(repo, format, &line.full, line.oid, is_current)?);
            continue;
        }
        let mut out = format!("{} ", line.mark);
        let colour = match line.mark {
            '*' => "\x1b[32m",
            '+' => "\x1b[36m",
            _ if line.full.starts_with(b"refs/remotes/") => "\x1b[31m",
            _ => "",
        };
        let painted = |text: &str| match wish.is_coloured {
            true => format!("{colour}{text}\x1b[m"),
            false => text.to_owned(),
        };
        match (&line.target, wish.verbosity) {
            (Some(target), _) => out += &format!("{} -> {target}", painted(&line.name)),
            (None, 0) => out += &painted(&line.name),
            (None, verbosity) => {
                let subject = text(&repo.odb.commit(line.oid)?.subject());
                let upstream = upstream_note(repo, &line.full, verbosity > 1)?;
                let name = painted(&format!("{:<width$}", line.name));
                out += &format!("{name} {} {upstream}{subject}", repo.odb.short(line.oid));
            }
        }
        call.out.line(out);
    }
    Ok(0)
}

fn upstream_note(repo: &Repo, branch: &[u8], has_name: bool) -> Result<String> {
    let Some(upstream) = revision::upstream(repo, branch) else { return Ok(String::new()) };
    let name = text(short_name(&upstream));
    let counts = match (repo.refs.resolve(branch)?, repo.refs.resolve(&upstream)?) {
        (Some(one), Some(two)) => match walk::ahead_behind(&repo.odb, one, two)? {
            (0, 0) => String::new(),
            (ahead, 0) => format!("ahead {ahead}"),
            (0, behind) => format!("behind {behind}"),
            (ahead, behind) => format!("ahead {ahead}, behind {behind}"),
        },
        _ => "gone".to_owned(),
    };
    Ok(match (has_name, counts.is_empty()) {
        (true, true) => format!("[{name}] "),
        (true, false) => format!("[{name}: {counts}] "),
        (false, true) => String::new(),
        (false, false) => format!("[{counts}] "),
    })
}
