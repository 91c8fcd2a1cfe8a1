//! `git merge`.

use std::collections::BTreeSet;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Fault, Result, fatal};
use crate::ident;
use crate::repo::Repo;
use crate::report::options::DiffOptions;
use crate::report::stat;
use crate::revision;
use crate::store::index::{Entry, Index};
use crate::store::object::{Commit, Kind};
use crate::store::oid::Oid;
use crate::store::refs::Ref;
use crate::text::merge::{Favor, Labels};
use crate::text::message;
use crate::tree::changes;
use crate::tree::checkout::{self, Refusal};
use crate::tree::merge::{self, Outcome};
use crate::tree::pathspec::Pathspecs;
use crate::walk;

const MERGING: Refusal = Refusal { by: "merge", before: "merge" };

const VALUED: Valued = Valued {
    short: "mXsF",
    attached: "S",
    long: &["--message", "--strategy", "--strategy-option", "--file", "--into-name", "--cleanup"],
};

#[derive(Default)]
struct Wish {
    /// `--ff-only` is true, `--no-ff` false.
    fast_forward: Option<bool>,
    is_squash: bool,
    is_uncommitted: bool,
    is_quiet: bool,
    has_stat: bool,
    may_be_unrelated: bool,
    messages: Vec<Vec<u8>>,
    favor: Option<Favor>,
    is_ours: bool,
    operands: Vec<Vec<u8>>,
}

/// Runs `git merge`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let mut wish = Wish { has_stat: true, ..Wish::default() };
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
            "--abort" => return abort(&repo),
            "--continue" => return go_on(call, &repo),
            "--quit" => {
                repo.clear_state();
                return Ok(0);
            }
            "--ff-only" => wish.fast_forward = Some(true),
            "--no-ff" => wish.fast_forward = Some(false),
            "--ff" => wish.fast_forward = None,
            "--squash" => wish.is_squash = true,
            "--no-commit" => wish.is_uncommitted = true,
            "-m" | "--message" => wish.messages.extend(value),
            "-q" | "--quiet" => wish.is_quiet = true,
            "-n" | "--no-stat" => wish.has_stat = false,
            "--allow-unrelated-histories" => wish.may_be_unrelated = true,
            "-X" | "--strategy-option" => {
                wish.favor = match value_text(&value).as_str() {
                    "ours" => Some(Favor::Ours),
                    "theirs" => Some(Favor::Theirs),
                    _ => wish.favor,
                }
            }
            "-s" | "--strategy" => wish.is_ours = value_text(&value) == "ours",
            "--no-edit"
            | "-e"
            | "--edit"
            | "--commit"
            | "--stat"
            | "-v"
            | "--verbose"
            | "--no-verify"
            | "--no-gpg-sign"
            | "--progress"
            | "--no-progress"
            | "--no-squash"
            | "--log"
            | "--no-log"
            | "--autostash"
            | "--no-autostash"
            | "--signoff"
            | "--rerere-autoupdate" => {}
            other => return Err(call.unknown(other)),
        }
    }
    if repo.state("MERGE_HEAD").is_some() {
        return Err(fatal(
            "You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.",
        ));
    }
    let name = match &wish.operands[..] {
        [name] => name.clone(),
        [] => {
            let branch = repo.refs.branch()?.unwrap_or_default();
            match revision::upstream(&repo, &branch) {
                Some(name) => crate::store::refs::short_name(&name).to_vec(),
                None => return Err(fatal("No remote for the current branch.")),
            }
        }
        _ => return Err(fatal("merging more than one branch at a time is not supported")),
    };
    let Some(theirs) = revision::find(&repo, &name)? else {
        return Err(Fault {
            code: 1,
            text: format!("merge: {} - not something we can merge", text(&name)),
        });
    };
    let theirs = revision::peel(&repo, theirs, Kind::Commit)?;
    merge_commit(call, &repo, &wish, &name, theirs)
}

/// Returns the words for what is merged: `branch 'x'`, `tag 'x'`, `commit 'x'`.
fn described(repo: &Repo, name: &[u8]) -> Result<String> {
    let shown = text(name);
    Ok(match revision::full_name(repo, name)?.as_deref() {
        Some(full) if full.starts_with(b"refs/heads/") => format!("branch '{shown}'"),
        Some(full) if full.starts_with(b"refs/tags/") => format!("tag '{shown}'"),
        Some(full) if full.starts_with(b"refs/remotes/") => {
            format!("remote-tracking branch '{shown}'")
        }
        _ => format!("commit '{shown}'"),
    })
}

fn merge_commit(
    call: &mut Call<'_>,
    repo: &Repo,
    wish: &Wish,
    name: &[u8],
    theirs: Oid,
) -> Result<i32> {
    let mut index = repo.index()?;
    let Some(head) = repo.head()? else {
        let to = repo.odb.commit(theirs)?.tree;
        checkout::switch(repo, &mut index, Oid::ZERO, to, &MERGING)?;
        repo.write_index(&mut index)?;
        repo.update_ref(b"HEAD", theirs, "initial pull")?;
        return Ok(0);
    };
    if walk::is_ancestor(&repo.odb, theirs, head)? {
        if !wish.is_quiet {
            call.out.line("Already up to date.");
        }
        return Ok(0);
    }
    let (our_tree, their_tree) = (repo.odb.commit(head)?.tree, repo.odb.commit(theirs)?.tree);
    let can_forward = walk::is_ancestor(&repo.odb, head, theirs)?;
    if can_forward && wish.fast_forward != Some(false) && !wish.is_squash {
        if !wish.is_quiet {
            call.out.line(format!("Updating {}..{}", repo.odb.short(head), repo.odb.short(theirs)));
        }
        checkout::switch(repo, &mut index, our_tree, their_tree, &MERGING)?;
        repo.write_index(&mut index)?;
        repo.refs.write(b"ORIG_HEAD", &Ref::Direct(head))?;
        repo.update_ref(b"HEAD", theirs, &format!("merge {}: Fast-forward", text(name)))?;
        if !wish.is_quiet {
            call.out.line("Fast-forward");
            show_stat(call, repo, wish, our_tree, their_tree)?;
        }
        return Ok(0);
    }
    if wish.fast_forward == Some(true) {
        let text = "hint: Diverging branches can't be fast-forwarded, you need to either:\nhint:\nhint: \tgit merge --no-ff\nhint:\nhint: or:\nhint:\nhint: \tgit rebase\nhint:\nhint: Disable this message with \"git config advice.diverging false\"\nfatal: Not possible to fast-forward, aborting.";
        return Err(Fault { code: 128, text: text.to_owned() });
    }
    let bases = walk::merge_bases(&repo.odb, head, theirs)?;
    if bases.is_empty() && !wish.may_be_unrelated {
        return Err(fatal("refusing to merge unrelated histories"));
    }
    let base = match bases.first() {
        Some(base) => repo.odb.commit(*base)?.tree,
        None => Oid::ZERO,
    };
    let staged = changes::tree_and_index(&repo.odb, our_tree, &index, &Pathspecs::all())?;
    if !staged.is_empty() {
        let paths: String = staged.iter().map(|one| format!("  {}\n", text(&one.path))).collect();
        let text = format!(
            "error: Your local changes to the following files would be overwritten by merge:\n{paths}Merge with strategy ort failed."
        );
        return Err(Fault { code: 2, text });
    }
    let shown = text(name);
    let base_label = bases.first().map_or_else(String::new, |oid| repo.odb.short(*oid));
    let labels = Labels { ours: "HEAD", base: &base_label, theirs: &shown };
    let mut outcome = match wish.is_ours {
        true => Outcome { files: changes::files(&repo.odb, our_tree)?, ..Outcome::default() },
        false => merge::merge(repo, base, our_tree, their_tree, &labels, favor(repo, wish.favor))?,
    };
    apply(repo, &mut index, our_tree, &outcome, &MERGING)?;
    for line in std::mem::take(&mut outcome.messages) {
        call.out.line(line);
    }
    let mut message = match wish.messages.is_empty() {
        false => message::cleaned(&wish.messages.join(&b"\n\n"[..]), false),
        true => {
            let branch = text(&repo.branch_name()?);
            let into = match branch.as_str() {
                "main" | "master" => String::new(),
                other => format!(" into {other}"),
            };
            format!("Merge {}{into}\n", described(repo, name)?).into_bytes()
        }
    };
    let is_stopped = !outcome.conflicts.is_empty();
    if wish.is_squash {
        repo.set_state(
            "SQUASH_MSG",
            format!("Squashed commit of the following:\n\ncommit {theirs}\n").as_bytes(),
        )?;
        call.out.line("Squash commit -- not updating HEAD");
        if !is_stopped {
            call.out.line("Automatic merge went well; stopped before committing as requested");
            return Ok(0);
        }
    }
    if is_stopped || wish.is_uncommitted {
        if is_stopped {
            message.extend(b"\n# Conflicts:\n");
            for conflict in &outcome.conflicts {
                message.extend([b"#\t".as_slice(), &conflict.path, b"\n"].concat());
            }
        }
        if !wish.is_squash {
            repo.set_state("MERGE_HEAD", format!("{theirs}\n").as_bytes())?;
            repo.set_state("MERGE_MSG", &message)?;
            repo.set_state(
                "MERGE_MODE",
                if wish.fast_forward == Some(false) { b"no-ff" } else { b"" },
            )?;
            repo.refs.write(b"ORIG_HEAD", &Ref::Direct(head))?;
        }
        call.out.line(match is_stopped {
            true => "Automatic merge failed; fix conflicts and then commit the result.",
            false => "Automatic merge went well; stopped before committing as requested",
        });
        return Ok(i32::from(is_stopped));
    }
    let tree = index.write_tree(&repo.odb)?;
    let commit = Commit {
        tree,
        parents: vec![head, theirs],
        author: ident::author(repo, None)?,
        committer: ident::committer(repo)?,
        more: Vec::new(),
        message,
    };
    let oid = repo.odb.write(Kind::Commit, &commit.write())?;
    let strategy = if wish.is_ours { "ours" } else { "ort" };
    repo.refs.write(b"ORIG_HEAD", &Ref::Direct(head))?;
    repo.update_ref(
        b"HEAD",
        oid,
        &format!("merge {}: Merge made by the '{strategy}' strategy.", text(name)),
    )?;
    if !wish.is_quiet {
        call.out.line(format!("Merge made by the '{strategy}' strategy."));
        show_stat(call, repo, wish, our_tree, tree)?;
    }
    Ok(0)
}

/// Returns the treatment of conflicts that options and settings ask for.
pub(crate) fn favor(repo: &Repo, given: Option<Favor>) -> Favor {
    given.unwrap_or(match repo.config.get("merge.conflictstyle") {
        Some("diff3" | "zdiff3") => Favor::WithBase,
        _ => Favor::Neither,
    })
}

fn show_stat(call: &mut Call<'_>, repo: &Repo, wish: &Wish, old: Oid, new: Oid) -> Result<()> {
    if !wish.has_stat {
        return Ok(());
    }
    let options = DiffOptions::new(repo);
    let found = changes::trees(&repo.odb, old, new, &Pathspecs::all())?;
    let found = options.prepare(repo, found)?;
    stat::stat(&stat::count(repo, &found, &options)?, &options, &mut call.out.data);
    stat::summary(&found, &mut call.out.data);
    Ok(())
}

/// Writes the result of a merge into index and work tree.
pub(crate) fn apply(
    repo: &Repo,
    index: &mut Index,
    ours: Oid,
    outcome: &Outcome,
    refusal: &Refusal,
) -> Result<()> {
    // The files without conflict are a tree that can be switched to; paths in conflict keep our
    // side until their content is written.
    let mut target = Index::default();
    let our_files = changes::files(&repo.odb, ours)?;
    for (path, (mode, oid)) in &outcome.files {
        target.put(Entry::new(path.clone(), *mode, *oid));
    }
    let in_conflict: BTreeSet<&Vec<u8>> =
        outcome.conflicts.iter().map(|conflict| &conflict.path).collect();
    for (path, (mode, oid)) in our_files.iter().filter(|(path, _)| in_conflict.contains(path)) {
        target.put(Entry::new(path.clone(), *mode, *oid));
    }
    for path in &in_conflict {
        let Some(entry) = index.get(path) else { continue };
        let is_dirty = our_files.get(*path) != Some(&(entry.mode, entry.oid))
            || matches!(
                crate::tree::work::state(repo, entry, index.written)?,
                crate::tree::work::State::Changed { .. }
            );
        if is_dirty {
            let Refusal { by, before } = refusal;
            return Err(Fault {
                code: 1,
                text: format!(
                    "error: Your local changes to the following files would be overwritten by {by}:\n\t{}\nPlease commit your changes or stash them before you {before}.\nAborting",
                    text(path)
                ),
            });
        }
    }
    let tree = target.write_tree(&repo.odb)?;
    checkout::switch(repo, index, ours, tree, refusal)?;
    for conflict in &outcome.conflicts {
        if let Some((mode, oid)) = conflict.work {
            checkout::write(repo, &conflict.path, mode, oid)?;
        }
        index.remove(&conflict.path);
        for (stage, side) in conflict.sides.iter().enumerate() {
            if let Some((mode, oid)) = side {
                let mut entry = Entry::new(conflict.path.clone(), *mode, *oid);
                entry.stage = stage as u8 + 1;
                index.put(entry);
            }
        }
    }
    repo.write_index(index)
}

fn abort(repo: &Repo) -> Result<i32> {
    if repo.state("MERGE_HEAD").is_none() {
        return Err(fatal("There is no merge to abort (MERGE_HEAD missing)."));
    }
    let mut index = repo.index()?;
    checkout::force(repo, &mut index, repo.head_tree()?)?;
    repo.write_index(&mut index)?;
    repo.clear_state();
    Ok(0)
}

fn go_on(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    if repo.state("MERGE_HEAD").is_none() {
        return Err(fatal("There is no merge in progress (MERGE_HEAD missing)."));
    }
    call.name = "commit".to_owned();
    call.args = vec![b"--no-edit".to_vec()];
    super::commit::run(call)
}
