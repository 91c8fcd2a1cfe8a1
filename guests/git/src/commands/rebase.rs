//! `git rebase`: options, and the first list of steps.

pub(crate) mod progress;
mod run;
mod state;
mod todo;

use std::collections::HashSet;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::editor;
use crate::fault::{Fault, Result, fatal, silent};
use crate::repo::Repo;
use crate::report::same;
use crate::revision;
use crate::store::object::{Commit, Kind};
use crate::store::oid::Oid;
use crate::store::refs::Ref;
use crate::text::merge::Favor;
use crate::tree::checkout::{self, Refusal};
use crate::tree::pathspec::Pathspecs;
use crate::walk::{self, Walk};

use state::State;

/// Options and operands of the command line.
#[derive(Default)]
struct Wish {
    onto: Option<Vec<u8>>,
    operands: Vec<Vec<u8>>,
    commands: Vec<Vec<u8>>,
    favor: Option<Favor>,
    is_quiet: bool,
    is_interactive: bool,
    is_forced: bool,
    is_root: bool,
    keeps_base: bool,
    keeps_applied: bool,
    is_autosquash: bool,
    is_autostash: bool,
    is_signed_off: bool,
}

const VALUED: Valued = Valued {
    short: "Xsx",
    attached: "r",
    long: &["--onto", "--strategy-option", "--strategy", "--exec", "--empty"],
};

/// Runs `git rebase`: applies the commits of a branch to another one.
pub(crate) fn rebase(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let flag = |key: &str| repo.config.flag(key) == Some(true);
    let mut wish = Wish {
        is_autosquash: flag("rebase.autosquash"),
        is_autostash: flag("rebase.autostash"),
        ..Wish::default()
    };
    for arg in call.parse(&VALUED)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) => {
                wish.operands.push(operand);
                continue;
            }
            Arg::Dashes => continue,
        };
        match name.as_str() {
            "--abort" => return run::abort(call, &repo),
            "--continue" => return run::go_on(call, &repo),
            "--skip" => return run::skip(call, &repo),
            "--quit" => return run::quit(&repo),
            "--edit-todo" => {
                State::read(&repo)?;
                editor::edit_sequence(&repo, state::TODO)?;
                todo::parse(&repo, &repo.state(state::TODO).unwrap_or_default())?;
                return Ok(0);
            }
            "--show-current-patch" => {
                State::read(&repo)?;
                call.name = "show".to_owned();
                call.args = vec![b"REBASE_HEAD".to_vec()];
                return super::show::run(call);
            }
            "--onto" => wish.onto = value,
            "-q" | "--quiet" => wish.is_quiet = true,
            "-i" | "--interactive" => wish.is_interactive = true,
            "-x" | "--exec" => wish.commands.extend(value),
            "-f" | "--force-rebase" | "--no-ff" => wish.is_forced = true,
            "--root" => wish.is_root = true,
            "--keep-base" => wish.keeps_base = true,
            "--reapply-cherry-picks" => wish.keeps_applied = true,
            "--autosquash" => wish.is_autosquash = true,
            "--no-autosquash" => wish.is_autosquash = false,
            "--autostash" => wish.is_autostash = true,
            "--no-autostash" => wish.is_autostash = false,
            "--signoff" => {
                wish.is_signed_off = true;
                wish.is_forced = true;
            }
            // Sides are the other way round: the branch that is moved is theirs.
            "-X" | "--strategy-option" => {
                wish.favor = match value_text(&value).as_str() {
                    "ours" => Some(Favor::Ours),
                    "theirs" => Some(Favor::Theirs),
                    _ => None,
                }
            }
            "-s"
            | "--strategy"
            | "-v"
            | "--verbose"
            | "--no-verify"
            | "--verify"
            | "--stat"
            | "-n"
            | "--no-stat"
            | "-r"
            | "--rebase-merges"
            | "--no-rebase-merges"
            | "--no-gpg-sign"
            | "-m"
            | "--merge"
            | "--keep-empty"
            | "--no-keep-empty"
            | "--empty"
            | "--fork-point"
            | "--no-fork-point"
            | "--no-reapply-cherry-picks"
            | "--update-refs"
            | "--no-update-refs"
            | "--rerere-autoupdate"
            | "--reschedule-failed-exec"
            | "--no-reschedule-failed-exec"
            | "--committer-date-is-author-date" => {}
            other => return Err(call.unknown(other)),
        }
    }
    begin(call, &repo, wish)
}

/// Name of what is rebased onto, for messages.
fn upstream_name(repo: &Repo, wish: &mut Wish) -> Result<Vec<u8>> {
    if !wish.operands.is_empty() {
        return Ok(wish.operands.remove(0));
    }
    let branch = repo.refs.branch()?;
    if let Some(name) = branch.as_deref().and_then(|branch| revision::upstream(repo, branch)) {
        return Ok(crate::store::refs::short_name(&name).to_vec());
    }
    let text = match branch {
        Some(_) => format!(
            "There is no tracking information for the current branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=<remote>/<branch> {}\n",
            text(&repo.branch_name()?)
        ),
        None => "You are not currently on a branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n".to_owned(),
    };
    Err(Fault { code: 1, text })
}

fn begin(call: &mut Call<'_>, repo: &Repo, mut wish: Wish) -> Result<i32> {
    if State::is_under_way(repo) {
        return Err(fatal(
            "It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.  If that is the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\nIf that is not the case, please\n\trm -fr \".git/rebase-merge\"\nand run me again.  I am stopping in case you still have something\nvaluable there.\n",
        ));
    }
    let find = |name: &[u8]| {
        revision::commit(repo, name)
            .map_err(|_| fatal(format!("invalid upstream '{}'", text(name))))
    };
    let upstream_name = if wish.is_root { Vec::new() } else { upstream_name(repo, &mut wish)? };
    let upstream = match wish.is_root {
        true => None,
        false => Some(find(&upstream_name)?),
    };
    let target = match &wish.onto {
        Some(name) => Some(onto(repo, name)?),
        None => upstream,
    };
    if wish.is_autostash {
        run::stash_changes(call, repo)?;
    }
    if let Some(name) = wish.operands.first() {
        if !matches!(revision::find(repo, name), Ok(Some(_))) {
            return Err(fatal(format!("no such branch/commit '{}'", text(name))));
        }
        let args = vec![b"-q".to_vec(), name.clone()];
        super::checkout::checkout(&mut Call {
            name: "checkout".to_owned(),
            args,
            given: call.given.clone(),
            out: call.out,
        })?;
    }
    let branch = repo.refs.branch()?;
    let head = repo.head()?.ok_or_else(|| fatal("no commit to rebase"))?;
    check_clean(repo)?;
    let target = match (wish.keeps_base, upstream) {
        (true, Some(upstream)) => walk::merge_bases(&repo.odb, upstream, head)?
            .first()
            .copied()
            .ok_or_else(|| fatal("need exactly one merge base"))?
            .into(),
        _ => target,
    };
    // The list of `--root` begins with a commit that has no parent.
    let is_rootless = target.is_none();
    let is_listed = wish.is_interactive || !wish.commands.is_empty() || wish.is_root;
    if let (Some(target), Some(upstream)) = (target, upstream)
        && !is_listed
        && is_linear(repo, target, upstream, head)?
    {
        let shown = match &branch {
            Some(_) => format!("Current branch {}", text(&repo.branch_name()?)),
            None => "HEAD".to_owned(),
        };
        let forced = if wish.is_forced { ", rebase forced" } else { "" };
        if !wish.is_quiet {
            call.out.line(format!("{shown} is up to date{forced}."));
        }
        if !wish.is_forced {
            run::restore_changes(call, repo)?;
            return Ok(0);
        }
    }
    let commits = commits(call, repo, upstream, head, wish.keeps_applied || wish.keeps_base)?;
    let mut lines = todo::picks(repo, &commits)?;
    if wish.is_autosquash && (wish.is_interactive || !wish.is_root) {
        lines = todo::autosquash(repo, lines)?;
    }
    lines = todo::with_exec(lines, &wish.commands);
    if lines.is_empty() {
        lines.push(todo::Line { step: todo::Step::Noop, text: b"noop".to_vec() });
    }
    let onto = match target {
        Some(target) => target,
        None => empty_root(repo)?,
    };
    let state = State {
        branch: branch.clone(),
        start: head,
        onto,
        is_quiet: wish.is_quiet,
        is_rootless,
        favor: wish.favor,
        is_signed_off: wish.is_signed_off,
    };
    state.write(repo)?;
    if wish.is_interactive {
        let base = upstream.map_or_else(
            || repo.odb.short(head),
            |upstream| format!("{}..{}", repo.odb.short(upstream), repo.odb.short(head)),
        );
        let count = lines.len();
        let shown: Vec<u8> = lines
            .iter()
            .flat_map(|line| [todo::shortened(repo, &line.text), b"\n".to_vec()].concat())
            .collect();
        let help = todo::help(&base, &repo.odb.short(onto), count);
        repo.set_state(state::TODO, &[shown.as_slice(), help.as_bytes()].concat())?;
        repo.set_state(state::BACKUP, &[shown.as_slice(), help.as_bytes()].concat())?;
        call.out.flush();
        if let Err(fault) = editor::edit_sequence(repo, state::TODO) {
            State::remove(repo);
            run::restore_changes(call, repo)?;
            return Err(fault);
        }
    } else {
        repo.set_state(state::TODO, &todo::write(&lines))?;
        repo.set_state(state::BACKUP, &todo::write(&lines))?;
    }
    let edited = repo.state(state::TODO).unwrap_or_default();
    let parsed = todo::parse(repo, &edited);
    if parsed.as_ref().is_ok_and(Vec::is_empty) {
        State::remove(repo);
        run::restore_changes(call, repo)?;
        return Err(crate::fault::error("nothing to do"));
    }
    let name = wish.onto.clone().unwrap_or(upstream_name);
    let name = if name.is_empty() { onto.to_string() } else { text(&name) };
    let mut lines = match parsed {
        Ok(lines) => lines,
        Err(fault) => {
            detach(repo, head, onto, &name)?;
            return Err(fault);
        }
    };
    let mut done = Vec::new();
    let mut first = onto;
    if !wish.is_forced && !is_rootless {
        first = run::skip_unneeded(repo, onto, &mut lines, &mut done)?;
    }
    repo.set_state(state::DONE, &todo::write(&done))?;
    repo.set_state(state::TODO, &todo::write(&lines))?;
    state::set_counts(repo, done.len(), done.len() + lines.len())?;
    detach(repo, head, first, &name)?;
    run::steps(call, repo, &state, lines)
}

/// Finds the commit of `--onto`, which may be `A...B` for the common base.
fn onto(repo: &Repo, name: &[u8]) -> Result<Oid> {
    let bad = || fatal(format!("Does not point to a valid commit '{}'", text(name)));
    if let Some(at) = name.windows(3).position(|dots| dots == b"...") {
        let side = |name: &[u8]| match name.is_empty() {
            true => revision::commit(repo, b"HEAD"),
            false => revision::commit(repo, name),
        };
        let bases = walk::merge_bases(&repo.odb, side(&name[..at])?, side(&name[at + 3..])?)?;
        return match bases[..] {
            [one] => Ok(one),
            _ => Err(fatal(format!("'{}': need exactly one merge base", text(name)))),
        };
    }
    revision::commit(repo, name).map_err(|_| bad())
}

fn check_clean(repo: &Repo) -> Result<()> {
    let mut index = repo.index()?;
    let all = Pathspecs::all();
    let mut problems = Vec::new();
    if !crate::tree::changes::index_and_work(repo, &mut index, &all)?.is_empty() {
        problems.push("error: cannot rebase: You have unstaged changes.");
    }
    let is_staged = !index.conflicts().is_empty()
        || index.write_tree(&repo.odb)? != repo.head_tree()? && repo.head()?.is_some();
    if is_staged {
        problems.push(match problems.is_empty() {
            true => "error: cannot rebase: Your index contains uncommitted changes.",
            false => "error: additionally, your index contains uncommitted changes.",
        });
    }
    if problems.is_empty() {
        return Ok(());
    }
    problems.push("error: Please commit or stash them.");
    Err(Fault { code: 1, text: problems.join("\n") })
}

/// Returns true if the branch is a line of commits on top of the target already.
fn is_linear(repo: &Repo, target: Oid, upstream: Oid, head: Oid) -> Result<bool> {
    let mut at = head;
    if walk::merge_bases(&repo.odb, target, head)? != [target]
        || walk::merge_bases(&repo.odb, upstream, head)? != [target]
    {
        return Ok(false);
    }
    while at != target {
        let [parent] = repo.odb.commit(at)?.parents[..] else { return Ok(false) };
        at = parent;
    }
    Ok(true)
}

/// Returns the commits to apply, the oldest first, without those that the upstream has already.
fn commits(
    call: &mut Call<'_>,
    repo: &Repo,
    upstream: Option<Oid>,
    head: Oid,
    keeps_applied: bool,
) -> Result<Vec<Oid>> {
    let hidden = match upstream {
        Some(oid) => walk::ancestors(&repo.odb, &[oid])?,
        None => HashSet::new(),
    };
    let mut found = Vec::new();
    let mut range = Walk::new(&repo.odb, hidden);
    range.push(head)?;
    let mut order = Vec::new();
    while let Some((oid, commit)) = range.pop() {
        let parents = walk::parents(&repo.odb, &commit);
        for parent in &parents {
            range.push(*parent)?;
        }
        order.push((oid, commit));
    }
    let order = super::log::topological(order);
    let applied = match upstream {
        Some(upstream) if !keeps_applied => {
            let own = walk::ancestors(&repo.odb, &[head])?;
            same::changes(repo, upstream, own)?
        }
        _ => HashSet::new(),
    };
    let mut has_skipped = false;
    for (oid, commit) in order {
        if commit.parents.len() > 1 {
            continue;
        }
        let change = if applied.is_empty() { None } else { same::change(repo, &commit)? };
        if change.is_some_and(|change| applied.contains(&change)) {
            call.out.note(format!(
                "warning: skipped previously applied commit {}",
                repo.odb.short(oid)
            ))?;
            has_skipped = true;
            continue;
        }
        found.push(oid);
    }
    if has_skipped {
        call.out.note("hint: use --reapply-cherry-picks to include skipped commits\nhint: Disable this message with \"git config advice.skippedCherryPicks false\"")?;
    }
    found.reverse();
    Ok(found)
}

/// Makes the empty commit that `--root` begins with.
fn empty_root(repo: &Repo) -> Result<Oid> {
    let who = crate::ident::committer(repo)?;
    let tree = repo.odb.write(Kind::Tree, b"")?;
    let commit = Commit {
        tree,
        parents: Vec::new(),
        author: who.clone(),
        committer: who,
        more: Vec::new(),
        message: Vec::new(),
    };
    repo.odb.write(Kind::Commit, &commit.write())
}

/// Takes `HEAD` off its branch and to the commit on which the rest is built.
fn detach(repo: &Repo, head: Oid, onto: Oid, name: &str) -> Result<()> {
    let mut index = repo.index()?;
    repo.refs.write(b"ORIG_HEAD", &Ref::Direct(head))?;
    let to = repo.odb.commit(onto)?.tree;
    let refusal = Refusal { by: "checkout", before: "switch branches" };
    checkout::switch(repo, &mut index, repo.head_tree()?, to, &refusal).map_err(|fault| {
        State::remove(repo);
        Fault { code: 1, text: format!("{}\nerror: could not detach HEAD", fault.text) }
    })?;
    repo.write_index(&mut index)?;
    repo.refs.write(b"HEAD", &Ref::Direct(onto))?;
    repo.record(b"HEAD", head, onto, &format!("rebase (start): checkout {name}"))
}

/// Returns the fault of a step that stops the rebase after everything was printed.
fn stopped() -> Fault {
    silent(1)
}
