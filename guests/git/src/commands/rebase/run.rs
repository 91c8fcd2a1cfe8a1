//! The steps of a rebase.

use super::state::{self, State};
use super::stopped;
use super::todo::{self, Kept, Line, Step};
use crate::bytes::{self, text};
use crate::commands::Call;
use crate::commands::merge::{apply, favor};
use crate::editor::{self, Stdout};
use crate::fault::{Fault, Result, fatal};
use crate::ident;
use crate::repo::Repo;
use crate::revision;
use crate::store::object::{Commit, Kind, Signature};
use crate::store::oid::Oid;
use crate::store::refs::Ref;
use crate::text::merge::Labels;
use crate::text::message;
use crate::tree::checkout::{self, Refusal};
use crate::tree::merge;

const PICKING: Refusal = Refusal { by: "merge", before: "merge" };

/// Takes steps off the list that would only move along existing commits, and returns the last one.
pub(super) fn skip_unneeded(
    repo: &Repo,
    onto: Oid,
    lines: &mut Vec<Line>,
    done: &mut Vec<Line>,
) -> Result<Oid> {
    let mut at = onto;
    let mut count = 0;
    for line in lines.iter() {
        match &line.step {
            Step::Pick(oid) if repo.odb.commit(*oid)?.parents == [at] => at = *oid,
            Step::Drop | Step::Noop => {}
            _ => break,
        }
        count += 1;
    }
    // A commit that others are melded into has to be made anew.
    let is_melded = |line: Option<&Line>| {
        line.is_some_and(|line| matches!(line.step, Step::Squash(_) | Step::Fixup(..)))
    };
    while count > 0
        && is_melded(lines.get(count))
        && !matches!(lines[count - 1].step, Step::Pick(_))
    {
        count -= 1;
    }
    done.extend(lines.drain(..count));
    Ok(at)
}

/// Runs the rest of the list.
pub(super) fn steps(
    call: &mut Call<'_>,
    repo: &Repo,
    state: &State,
    mut lines: Vec<Line>,
) -> Result<i32> {
    while !lines.is_empty() {
        let line = lines.remove(0);
        let done = [state::lines(repo, state::DONE), vec![line.text.clone()]].concat();
        repo.set_state(state::DONE, &[done.join(&b'\n').as_slice(), b"\n"].concat())?;
        repo.set_state(state::TODO, &todo::write(&lines))?;
        let (count, all) = (done.len(), done.len() + lines.len());
        state::set_counts(repo, count, all)?;
        if !state.is_quiet {
            call.out.flush();
            eprint!("Rebasing ({count}/{all})\r");
        }
        let is_last_of_chain = !lines
            .first()
            .is_some_and(|next| matches!(next.step, Step::Squash(_) | Step::Fixup(..)));
        one(call, repo, state, &line.step, is_last_of_chain)?;
        // A person or a command may have changed the rest.
        let rest = repo.state(state::TODO).unwrap_or_default();
        if rest != todo::write(&lines) {
            lines = todo::parse(repo, &rest)?;
        }
    }
    finish(call, repo, state)
}

fn one(
    call: &mut Call<'_>,
    repo: &Repo,
    state: &State,
    step: &Step,
    is_last_of_chain: bool,
) -> Result<()> {
    match step {
        Step::Pick(oid) => pick(call, repo, state, *oid, "pick"),
        Step::Reword(oid) => {
            pick(call, repo, state, *oid, "reword")?;
            reword(call, repo)
        }
        Step::Edit(oid) => {
            pick(call, repo, state, *oid, "edit")?;
            let commit = repo.odb.commit(*oid)?;
            let head = repo.head()?.unwrap_or(*oid);
            repo.set_state(state::AMEND, format!("{head}\n").as_bytes())?;
            call.out.note(format!(
                "Stopped at {}...  {}\nYou can amend the commit now, with\n\n  git commit --amend \n\nOnce you are satisfied with your changes, run\n\n  git rebase --continue",
                repo.odb.short(*oid),
                text(&commit.subject())
            ))?;
            Err(Fault { code: 0, text: String::new() })
        }
        Step::Squash(oid) => meld(call, repo, state, *oid, None, is_last_of_chain),
        Step::Fixup(oid, kept) => meld(call, repo, state, *oid, Some(*kept), is_last_of_chain),
        Step::Exec(command) => exec(call, repo, command),
        Step::Break => {
            let head = repo.head()?.unwrap_or(state.onto);
            let subject = text(&repo.odb.commit(head)?.subject());
            call.out.note(format!("Stopped at {} ({subject})", repo.odb.short(head)))?;
            Err(Fault { code: 0, text: String::new() })
        }
        Step::Drop | Step::Noop => Ok(()),
        Step::Label(name) => {
            let full = [b"refs/rewritten/".as_slice(), name].concat();
            let head = repo.head()?.unwrap_or(state.onto);
            repo.refs.write(&full, &Ref::Direct(head))
        }
        Step::Reset(name) => {
            let to = match name.as_slice() {
                b"onto" => state.onto,
                name => revision::commit(repo, &[b"refs/rewritten/".as_slice(), name].concat())
                    .or_else(|_| revision::commit(repo, name))?,
            };
            move_to(repo, to, &format!("rebase (reset): '{}'", text(name)))
        }
    }
}

/// Moves `HEAD` and the work tree to a commit.
fn move_to(repo: &Repo, to: Oid, why: &str) -> Result<()> {
    let mut index = repo.index()?;
    let tree = repo.odb.commit(to)?.tree;
    checkout::switch(repo, &mut index, repo.head_tree()?, tree, &PICKING)?;
    repo.write_index(&mut index)?;
    repo.update_ref(b"HEAD", to, why)
}

/// Applies a commit on top of `HEAD`.
fn pick(call: &mut Call<'_>, repo: &Repo, state: &State, oid: Oid, verb: &str) -> Result<()> {
    let commit = repo.odb.commit(oid)?;
    let subject = text(&commit.subject());
    let head = repo.head()?.unwrap_or(state.onto);
    let is_root = state.is_rootless && head == state.onto;
    // A commit whose parent is the current one is taken as it is.
    if !state.is_signed_off && commit.parents == [head] || is_root && commit.parents.is_empty() {
        return move_to(repo, oid, &format!("rebase ({verb}): {subject}"));
    }
    if !apply_change(call, repo, state, oid, &commit)? {
        return Ok(());
    }
    let tree = repo.index()?.write_tree(&repo.odb)?;
    let mut message = commit.message.clone();
    if state.is_signed_off {
        message = signed_off(repo, &message)?;
    }
    let parents = if is_root { Vec::new() } else { vec![head] };
    record(repo, tree, parents, commit.author, message, verb)?;
    Ok(())
}

fn signed_off(repo: &Repo, text: &[u8]) -> Result<Vec<u8>> {
    let who = Signature::parse(&ident::committer(repo)?);
    let trailer = [b"Signed-off-by: ".as_slice(), &who.name, b" <", &who.mail, b">"].concat();
    Ok(message::with_trailer(text, &trailer))
}

/// Writes a commit and moves `HEAD` to it.
fn record(
    repo: &Repo,
    tree: Oid,
    parents: Vec<Oid>,
    author: Vec<u8>,
    message: Vec<u8>,
    verb: &str,
) -> Result<(Oid, Commit)> {
    let committer = ident::committer(repo)?;
    let made = Commit { tree, parents, author, committer, more: Vec::new(), message };
    let oid = repo.odb.write(Kind::Commit, &made.write())?;
    repo.update_ref(b"HEAD", oid, &format!("rebase ({verb}): {}", text(&made.subject())))?;
    Ok((oid, made))
}

/// Merges the change of a commit into index and work tree. Returns false if nothing is left of it.
fn apply_change(
    call: &mut Call<'_>,
    repo: &Repo,
    state: &State,
    oid: Oid,
    commit: &Commit,
) -> Result<bool> {
    let parent = match commit.parents.first() {
        Some(parent) => repo.odb.commit(*parent)?.tree,
        None => Oid::ZERO,
    };
    let short = repo.odb.short(oid);
    let subject = text(&commit.subject());
    let (label, base) = (format!("{short} ({subject})"), format!("parent of {short} ({subject})"));
    let labels = Labels { ours: "HEAD", base: &base, theirs: &label };
    let ours = repo.head_tree()?;
    let outcome = merge::merge(repo, parent, ours, commit.tree, &labels, favor(repo, state.favor))?;
    let mut index = repo.index()?;
    apply(repo, &mut index, ours, &outcome, &PICKING)?;
    if outcome.conflicts.is_empty() {
        let tree = index.write_tree(&repo.odb)?;
        let was_empty = commit.tree == parent;
        if tree == ours && !was_empty {
            call.out
                .note(format!("dropping {oid} {subject} -- patch contents already upstream"))?;
            return Ok(false);
        }
        return Ok(true);
    }
    for line in &outcome.messages {
        call.out.line(line);
    }
    let mut prepared = commit.message.clone();
    prepared.extend(b"\n# Conflicts:\n");
    for conflict in &outcome.conflicts {
        prepared.extend([b"#\t".as_slice(), &conflict.path, b"\n"].concat());
    }
    repo.set_state("CHERRY_PICK_HEAD", format!("{oid}\n").as_bytes())?;
    repo.set_state("REBASE_HEAD", format!("{oid}\n").as_bytes())?;
    repo.set_state("rebase-merge/stopped-sha", format!("{oid}\n").as_bytes())?;
    repo.set_state("rebase-merge/message", &prepared)?;
    repo.set_state("MERGE_MSG", &prepared)?;
    repo.set_state(state::AUTHOR, &commit.author)?;
    call.out.note(format!(
        "error: could not apply {short}... {subject}\nhint: Resolve all conflicts manually, mark them as resolved with\nhint: \"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\nhint: You can instead skip this commit: run \"git rebase --skip\".\nhint: To abort and get back to the state before \"git rebase\", run \"git rebase --abort\".\nhint: Disable this message with \"git config advice.mergeConflict false\"\nCould not apply {short}... {subject}"
    ))?;
    Err(stopped())
}

/// Lets the user edit the message of the last commit.
fn reword(call: &mut Call<'_>, repo: &Repo) -> Result<()> {
    let Some(head) = repo.head()? else { return Ok(()) };
    let commit = repo.odb.commit(head)?;
    replace(call, repo, commit.tree, &commit.message.clone(), commit, "reword", Edited::Yes)
}

/// Treatment of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edited {
    Yes,
    No,
}

/// Replaces the last commit by one with another tree and message.
fn replace(
    call: &mut Call<'_>,
    repo: &Repo,
    tree: Oid,
    text_of: &[u8],
    old: Commit,
    verb: &str,
    edited: Edited,
) -> Result<()> {
    call.out.flush();
    let message = match edited {
        Edited::Yes => {
            let comment = b"\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored, and an empty message aborts the commit.\n";
            let prepared = [text_of, comment].concat();
            message::cleaned(&editor::edit(repo, "COMMIT_EDITMSG", &prepared)?, true)
        }
        Edited::No => message::cleaned(text_of, false),
    };
    if message.is_empty() {
        let text = "Aborting commit due to empty commit message.".to_owned();
        return Err(Fault { code: 1, text });
    }
    let (oid, made) = record(repo, tree, old.parents, old.author, message, verb)?;
    if edited == Edited::Yes {
        let is_root = made.parents.is_empty();
        let out = &mut call.out.data;
        crate::commands::commit::summary(repo, oid, &made, true, is_root, out)?;
    }
    Ok(())
}

/// Melds a commit into the last one.
fn meld(
    call: &mut Call<'_>,
    repo: &Repo,
    state: &State,
    oid: Oid,
    fixup: Option<Kept>,
    is_last_of_chain: bool,
) -> Result<()> {
    let commit = repo.odb.commit(oid)?;
    let head = repo.head()?.ok_or_else(|| fatal("cannot fixup root commit"))?;
    let old = repo.odb.commit(head)?;
    add_message(repo, &old.message, &commit.message, fixup)?;
    apply_change(call, repo, state, oid, &commit)?;
    let tree = repo.index()?.write_tree(&repo.odb)?;
    conclude_meld(call, repo, tree, old, fixup, is_last_of_chain)
}

/// Makes the melded commit; the last one of a chain gets its message.
fn conclude_meld(
    call: &mut Call<'_>,
    repo: &Repo,
    tree: Oid,
    old: Commit,
    fixup: Option<Kept>,
    is_last_of_chain: bool,
) -> Result<()> {
    let verb = if fixup.is_some() { "fixup" } else { "squash" };
    let squashed = repo.state(state::SQUASHED).unwrap_or_default();
    if !is_last_of_chain {
        return replace(call, repo, tree, &old.message.clone(), old, verb, Edited::No);
    }
    let chain = repo.state(state::CHAIN).unwrap_or_default();
    state::forget(repo, state::SQUASHED);
    state::forget(repo, state::CHAIN);
    let is_edited = bytes::contains(&chain, b"edit");
    match is_edited {
        true => replace(call, repo, tree, &squashed, old, verb, Edited::Yes),
        false => {
            let message = message::cleaned(&squashed, true);
            replace(call, repo, tree, &message, old, verb, Edited::No)
        }
    }
}

/// Adds the message of a melded commit to those that were collected.
fn add_message(repo: &Repo, old: &[u8], new: &[u8], fixup: Option<Kept>) -> Result<()> {
    let chain = repo.state(state::CHAIN).unwrap_or_default();
    let count = chain.iter().filter(|b| **b == b'\n').count() + 2;
    let commented = |message: &[u8]| -> Vec<u8> {
        bytes::lines(message)
            .flat_map(|line| match line {
                b"\n" => b"#\n".to_vec(),
                line => [b"# ".as_slice(), line].concat(),
            })
            .collect()
    };
    let first = format!("# This is a combination of {count} commits.\n");
    let mut body = match repo.state(state::SQUASHED) {
        Some(earlier) => {
            let start = earlier.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1);
            earlier[start..].to_vec()
        }
        None => [b"# This is the 1st commit message:\n\n".as_slice(), old].concat(),
    };
    match fixup {
        None => {
            body.extend(format!("\n# This is the commit message #{count}:\n\n").bytes());
            body.extend(without_mark(new));
        }
        Some(Kept::Earlier) => {
            body.extend(format!("\n# The commit message #{count} will be skipped:\n\n").bytes());
            body.extend(commented(new));
        }
        Some(Kept::Own | Kept::OwnEdited) => {
            body = [b"# The 1st commit message will be skipped:\n\n".as_slice(), &commented(old)]
                .concat();
            body.extend(format!("\n# This is the commit message #{count}:\n\n").bytes());
            let is_mark = new.starts_with(b"amend! ");
            body.extend(if is_mark { crate::store::object::body(new) } else { new });
        }
    }
    let word = match fixup {
        None => "squash edit\n",
        Some(Kept::OwnEdited) => "fixup edit\n",
        Some(Kept::Earlier | Kept::Own) => "fixup\n",
    };
    repo.set_state(state::SQUASHED, &[first.as_bytes(), &body].concat())?;
    repo.set_state(state::CHAIN, &[chain.as_slice(), word.as_bytes()].concat())
}

/// Makes the first line of a message a comment if it says where the commit belongs.
fn without_mark(message: &[u8]) -> Vec<u8> {
    let marks = [&b"squash! "[..], b"fixup! ", b"amend! "];
    match marks.iter().any(|mark| message.starts_with(mark)) {
        true => [b"# ".as_slice(), message].concat(),
        false => message.to_vec(),
    }
}

fn exec(call: &mut Call<'_>, repo: &Repo, command: &[u8]) -> Result<()> {
    let shown = text(command);
    call.out.note(format!("Executing: {shown}"))?;
    let code = editor::shell(command, &[b"git-rebase"], Stdout::Own);
    let mut index = repo.index()?;
    let all = crate::tree::pathspec::Pathspecs::all();
    let is_dirty = !crate::tree::changes::index_and_work(repo, &mut index, &all)?.is_empty()
        || index.write_tree(&repo.odb)? != repo.head_tree()?;
    let then = "You can fix the problem, and then run\n\n  git rebase --continue\n\n";
    match (code, is_dirty) {
        (0, false) => Ok(()),
        (0, true) => {
            call.out.note(format!("warning: execution succeeded: {shown}\nbut left changes to the index and/or the working tree.\nCommit or stash your changes, and then run\n\n  git rebase --continue\n\n"))?;
            Err(stopped())
        }
        (_, is_dirty) => {
            let left = "and made changes to the index and/or the working tree.\n";
            let left = if is_dirty { left } else { "" };
            call.out.note(format!("warning: execution failed: {shown}\n{left}{then}"))?;
            Err(stopped())
        }
    }
}

fn finish(call: &mut Call<'_>, repo: &Repo, state: &State) -> Result<i32> {
    let head = repo.head()?.unwrap_or(state.start);
    let name = state.name();
    if let Some(branch) = &state.branch {
        repo.refs.write(branch, &Ref::Direct(head))?;
        let why = format!("rebase (finish): {name} onto {}", state.onto);
        repo.record(branch, state.start, head, &why)?;
        repo.refs.write(b"HEAD", &Ref::Symbolic(branch.clone()))?;
        repo.record(b"HEAD", head, head, &format!("rebase (finish): returning to {name}"))?;
    }
    State::remove(repo);
    for (full, _) in repo.refs.list("refs/rewritten/")? {
        repo.refs.delete(&full)?;
    }
    restore_changes(call, repo)?;
    if !state.is_quiet {
        call.out.note(format!("Successfully rebased and updated {name}."))?;
    }
    Ok(0)
}

/// Runs `git rebase --abort`.
pub(super) fn abort(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let state = State::read(repo)?;
    let mut index = repo.index()?;
    let head = repo.head()?.unwrap_or(state.start);
    checkout::force(repo, &mut index, repo.odb.commit(state.start)?.tree)?;
    repo.write_index(&mut index)?;
    match &state.branch {
        Some(branch) => repo.refs.write(b"HEAD", &Ref::Symbolic(branch.clone()))?,
        None => repo.refs.write(b"HEAD", &Ref::Direct(state.start))?,
    }
    let to = match &state.branch {
        Some(branch) => text(branch),
        None => state.start.to_string(),
    };
    repo.record(b"HEAD", head, state.start, &format!("rebase (abort): returning to {to}"))?;
    repo.clear_state();
    State::remove(repo);
    restore_changes(call, repo)?;
    Ok(0)
}

/// Runs `git rebase --quit`.
pub(super) fn quit(repo: &Repo) -> Result<i32> {
    State::read(repo)?;
    repo.clear_state();
    State::remove(repo);
    Ok(0)
}

/// Runs `git rebase --continue`.
pub(super) fn go_on(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let state = State::read(repo)?;
    let mut index = repo.index()?;
    if !index.conflicts().is_empty() {
        let names: String =
            index.conflicts().iter().map(|path| format!("{}: needs merge\n", text(path))).collect();
        call.out.text(names);
        call.out.line(
            "You must edit all merge conflicts and then\nmark them as resolved using git add",
        );
        return Ok(1);
    }
    let all = crate::tree::pathspec::Pathspecs::all();
    if !crate::tree::changes::index_and_work(repo, &mut index, &all)?.is_empty() {
        call.out.line(
            "You must edit all merge conflicts and then\nmark them as resolved using git add",
        );
        return Ok(1);
    }
    commit_staged(call, repo, index.write_tree(&repo.odb)?)?;
    repo.clear_state();
    for name in [state::AMEND, state::AUTHOR, "rebase-merge/message", "rebase-merge/stopped-sha"] {
        state::forget(repo, name);
    }
    let lines = todo::parse(repo, &repo.state(state::TODO).unwrap_or_default())?;
    steps(call, repo, &state, lines)
}

/// Commits what was staged while the rebase was stopped.
fn commit_staged(call: &mut Call<'_>, repo: &Repo, tree: Oid) -> Result<()> {
    let head = repo.head()?.unwrap_or(Oid::ZERO);
    let amended = repo.state(state::AMEND).and_then(|data| Oid::parse(bytes::trim(&data)));
    let melding = repo.state(state::SQUASHED).is_some();
    if melding {
        let last = state::lines(repo, state::DONE).pop().unwrap_or_default();
        let is_fixup = last.starts_with(b"f");
        let next = state::lines(repo, state::TODO).into_iter().next().unwrap_or_default();
        let next = next.split(|b| *b == b' ').next().unwrap_or_default().to_vec();
        let is_last = !matches!(next.as_slice(), b"squash" | b"s" | b"fixup" | b"f");
        let old = repo.odb.commit(head)?;
        let fixup = is_fixup.then_some(Kept::Earlier);
        return conclude_meld(call, repo, tree, old, fixup, is_last);
    }
    if tree == repo.head_tree()? {
        return Ok(());
    }
    if amended == Some(head) {
        let old = repo.odb.commit(head)?;
        return replace(call, repo, tree, &old.message.clone(), old, "continue", Edited::Yes);
    }
    let author = repo.state(state::AUTHOR);
    let Some(author) = author.filter(|_| repo.state("rebase-merge/message").is_some()) else {
        return Err(Fault {
            code: 1,
            text: "error: you have staged changes in your working tree\nIf these changes are meant to be squashed into the previous commit, run:\n\n  git commit --amend \n\nIf they are meant to go into a new commit, run:\n\n  git commit \n\nIn both cases, once you're done, continue with:\n\n  git rebase --continue\n".to_owned(),
        });
    };
    let prepared = repo.state("MERGE_MSG").or_else(|| repo.state("rebase-merge/message"));
    call.out.flush();
    let edited = editor::edit(repo, "COMMIT_EDITMSG", &prepared.unwrap_or_default())?;
    let message = message::cleaned(&edited, true);
    if message.is_empty() {
        let text = "Aborting commit due to empty commit message.".to_owned();
        return Err(Fault { code: 1, text });
    }
    let state = State::read(repo)?;
    let parents = if state.is_rootless && head == state.onto { Vec::new() } else { vec![head] };
    let (oid, made) = record(repo, tree, parents, author, message, "continue")?;
    crate::commands::commit::summary(repo, oid, &made, false, false, &mut call.out.data)
}

/// Runs `git rebase --skip`.
pub(super) fn skip(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let state = State::read(repo)?;
    let mut index = repo.index()?;
    checkout::force(repo, &mut index, repo.head_tree()?)?;
    repo.write_index(&mut index)?;
    repo.clear_state();
    for name in [state::AMEND, state::AUTHOR, "rebase-merge/message", "rebase-merge/stopped-sha"] {
        state::forget(repo, name);
    }
    let lines = todo::parse(repo, &repo.state(state::TODO).unwrap_or_default())?;
    steps(call, repo, &state, lines)
}

/// Puts changes aside for `--autostash`.
pub(super) fn stash_changes(call: &mut Call<'_>, repo: &Repo) -> Result<()> {
    let mut index = repo.index()?;
    let all = crate::tree::pathspec::Pathspecs::all();
    let is_clean = crate::tree::changes::index_and_work(repo, &mut index, &all)?.is_empty()
        && index.write_tree(&repo.odb)? == repo.head_tree()?;
    if is_clean {
        return Ok(());
    }
    let before = repo.refs.resolve(b"refs/stash")?;
    stash(call, &["push", "-q", "-m", "autostash"])?;
    let made = repo.refs.resolve(b"refs/stash")?.filter(|made| Some(*made) != before);
    let Some(made) = made else { return Ok(()) };
    stash(call, &["drop", "-q"])?;
    repo.set_state(state::AUTOSTASH, format!("{made}\n").as_bytes())?;
    call.out.line(format!("Created autostash: {}", repo.odb.short(made)));
    Ok(())
}

/// Brings changes back that `--autostash` put aside.
pub(super) fn restore_changes(call: &mut Call<'_>, repo: &Repo) -> Result<()> {
    let Some(data) = repo.state(state::AUTOSTASH) else { return Ok(()) };
    state::forget(repo, state::AUTOSTASH);
    let Some(oid) = Oid::parse(bytes::trim(&data)) else { return Ok(()) };
    stash(call, &["store", "-q", "-m", "autostash", &oid.to_string()])?;
    match stash(call, &["pop", "-q"]) {
        Ok(0) => call.out.note("Applied autostash."),
        _ => {
            call.out.note("Applying autostash resulted in conflicts.\nYour changes are safe in the stash.\nYou can run \"git stash pop\" or \"git stash drop\" at any time.")
        }
    }
}

fn stash(call: &mut Call<'_>, args: &[&str]) -> Result<i32> {
    let args = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
    let mut quiet = crate::Output::default();
    let given = call.given.clone();
    crate::commands::stash::run(&mut Call {
        name: "stash".to_owned(),
        args,
        given,
        out: &mut quiet,
    })
}
