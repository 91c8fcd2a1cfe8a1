//! `git reset`.

use super::Call;
use crate::args::{Arg, Valued};
use crate::bytes::text;
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::index::{Entry, Index};
use crate::store::object::Kind;
use crate::store::oid::Oid;
use crate::tree::changes::{self, Status};
use crate::tree::checkout;
use crate::tree::pathspec::Pathspecs;

/// Parts that are reset beside `HEAD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Soft,
    Mixed,
    Hard,
    /// `--keep` and `--merge`: like hard, but local changes stay.
    Keep,
}

/// Runs `git reset`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut mode, mut is_quiet, mut has_dashes) = (None, false, false);
    let (mut operands, mut paths) = (Vec::new(), Vec::new());
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "--soft" => mode = Some(Mode::Soft),
                "--mixed" => mode = Some(Mode::Mixed),
                "--hard" => mode = Some(Mode::Hard),
                "--keep" | "--merge" => mode = Some(Mode::Keep),
                "-q" | "--quiet" => is_quiet = true,
                "--no-refresh" | "--refresh" | "-N" => {}
                "-p" | "--patch" => {
                    return Err(fatal("git reset -p needs a terminal; name the files"));
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) if has_dashes => paths.push(operand),
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => has_dashes = true,
        }
    }
    let mut target = b"HEAD".to_vec();
    if let Some(first) = operands.first() {
        if revision::find(&repo, first)?.is_some() {
            target = operands.remove(0);
        } else if has_dashes
            || !crate::repo::exists(&repo.work_path(&repo.relative(first)?))
                && repo.index()?.get(&repo.relative(first)?).is_none()
        {
            return Err(revision::unknown(&repo, first));
        }
    }
    operands.append(&mut paths);
    let commit = match revision::find(&repo, &target)? {
        Some(oid) => Some(oid),
        None if target == b"HEAD" => None,
        None => return Err(revision::unknown(&repo, &target)),
    };
    if !operands.is_empty() {
        if let Some(mode) = mode.filter(|mode| *mode != Mode::Mixed) {
            let name = format!("{mode:?}").to_lowercase();
            return Err(fatal(format!("Cannot do {name} reset with paths.")));
        }
        let tree = match commit {
            Some(oid) => revision::peel(&repo, oid, Kind::Tree)?,
            None => Oid::ZERO,
        };
        return reset_paths(call, &repo, tree, &operands, is_quiet);
    }
    let mode = mode.unwrap_or(Mode::Mixed);
    let tree = match commit {
        Some(oid) => revision::peel(&repo, oid, Kind::Tree)?,
        None => Oid::ZERO,
    };
    let mut index = repo.index()?;
    match mode {
        Mode::Soft => {
            if !index.conflicts().is_empty() {
                return Err(fatal("Cannot do a soft reset in the middle of a merge."));
            }
        }
        Mode::Mixed => {
            read_tree(&repo, &mut index, tree)?;
            repo.write_index(&mut index)?;
        }
        Mode::Hard => {
            checkout::force(&repo, &mut index, tree)?;
            repo.write_index(&mut index)?;
        }
        Mode::Keep => {
            let refusal = checkout::Refusal { by: "reset", before: "reset" };
            checkout::switch(&repo, &mut index, repo.head_tree()?, tree, &refusal)?;
            repo.write_index(&mut index)?;
        }
    }
    if let Some(oid) = commit {
        let oid = revision::peel(&repo, oid, Kind::Commit)?;
        if let Some(head) = repo.head()? {
            repo.refs.write(b"ORIG_HEAD", &crate::store::refs::Ref::Direct(head))?;
        }
        repo.update_ref(b"HEAD", oid, &format!("reset: moving to {}", text(&target)))?;
        if mode == Mode::Hard && !is_quiet {
            let subject = text(&repo.odb.commit(oid)?.subject());
            call.out.line(format!("HEAD is now at {} {subject}", repo.odb.short(oid)));
        }
    }
    if mode != Mode::Soft {
        repo.clear_state();
    }
    if mode == Mode::Mixed && !is_quiet {
        unstaged(call, &repo, &mut index, &Pathspecs::all())?;
    }
    Ok(0)
}

/// Makes the index equal to a tree; what is known about unchanged files stays.
pub(crate) fn read_tree(repo: &Repo, index: &mut Index, tree: Oid) -> Result<()> {
    let files = changes::files(&repo.odb, tree)?;
    let entries = files.into_iter().map(|(path, (mode, oid))| {
        let known = index.get(&path).filter(|entry| entry.oid == oid).map(|entry| entry.known);
        let mut entry = Entry::new(path, mode, oid);
        entry.known = known.unwrap_or_default();
        entry
    });
    index.entries = entries.collect();
    Ok(())
}

fn reset_paths(
    call: &mut Call<'_>,
    repo: &Repo,
    tree: Oid,
    paths: &[Vec<u8>],
    is_quiet: bool,
) -> Result<i32> {
    let specs = Pathspecs::new(repo, paths)?;
    let mut index = repo.index()?;
    let files = changes::files(&repo.odb, tree)?;
    let known: Vec<Vec<u8>> =
        index.entries.iter().filter(|e| specs.selects(&e.path)).map(|e| e.path.clone()).collect();
    for path in known {
        if !files.contains_key(&path) {
            index.remove(&path);
        }
    }
    for (path, (mode, oid)) in files.into_iter().filter(|(path, _)| specs.selects(path)) {
        if index.get(&path).is_none_or(|entry| (entry.mode, entry.oid) != (mode, oid)) {
            index.put(Entry::new(path, mode, oid));
        }
    }
    repo.write_index(&mut index)?;
    if !is_quiet {
        unstaged(call, repo, &mut index, &Pathspecs::all())?;
    }
    Ok(0)
}

fn unstaged(call: &mut Call<'_>, repo: &Repo, index: &mut Index, paths: &Pathspecs) -> Result<()> {
    if repo.work_tree.is_none() {
        return Ok(());
    }
    let found = changes::index_and_work(repo, index, paths)?;
    if !found.is_empty() {
        call.out.line("Unstaged changes after reset:");
        for change in found {
            let letter =
                if change.status == Status::Unmerged { 'U' } else { change.status.letter() };
            call.out.line([letter.to_string().as_bytes(), b"\t", &change.path].concat());
        }
    }
    Ok(())
}
