//! `git cherry-pick` and `git revert`.

use super::Call;
use super::merge::{apply, favor};
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, text};
use crate::fault::{Fault, Result, fatal};
use crate::ident;
use crate::repo::Repo;
use crate::revision::{self, Range};
use crate::store::object::{Commit, Kind};
use crate::store::oid::Oid;
use crate::text::merge::{Favor, Labels};
use crate::text::message;
use crate::tree::checkout::{self, Refusal};
use crate::tree::merge;
use crate::walk::{self, Walk};

/// Direction of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Pick,
    Revert,
}

impl Verb {
    fn name(self) -> &'static str {
        match self {
            Verb::Pick => "cherry-pick",
            Verb::Revert => "revert",
        }
    }

    fn head(self) -> &'static str {
        match self {
            Verb::Pick => "CHERRY_PICK_HEAD",
            Verb::Revert => "REVERT_HEAD",
        }
    }
}

/// File with the commits that are still to be picked.
const TODO: &str = "sequencer/todo";
/// File with the commit before the first pick.
const START: &str = "sequencer/head";

/// Runs `git cherry-pick`.
pub(crate) fn cherry_pick(call: &mut Call<'_>) -> Result<i32> {
    run(call, Verb::Pick)
}

/// Runs `git revert`.
pub(crate) fn revert(call: &mut Call<'_>) -> Result<i32> {
    run(call, Verb::Revert)
}

#[derive(Default)]
struct Wish {
    is_uncommitted: bool,
    has_origin: bool,
    is_signed_off: bool,
    may_be_empty: bool,
    mainline: Option<usize>,
    favor: Option<Favor>,
}

fn run(call: &mut Call<'_>, verb: Verb) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let mut wish = Wish::default();
    let mut operands = Vec::new();
    let valued = Valued {
        short: "mX",
        attached: "S",
        long: &["--mainline", "--strategy", "--strategy-option"],
    };
    for arg in call.parse(&valued)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) => {
                operands.push(operand);
                continue;
            }
            Arg::Dashes => continue,
        };
        match name.as_str() {
            "--abort" => return abort(&repo, verb),
            "--continue" => return go_on(call, &repo, verb),
            "--skip" => return skip(call, &repo, verb),
            "--quit" => {
                repo.clear_state();
                clear_todo(&repo);
                return Ok(0);
            }
            "-n" | "--no-commit" => wish.is_uncommitted = true,
            "-x" => wish.has_origin = true,
            "-s" | "--signoff" => wish.is_signed_off = true,
            "--allow-empty" | "--keep-redundant-commits" => wish.may_be_empty = true,
            "-m" | "--mainline" => wish.mainline = value_text(&value).parse().ok(),
            "-X" | "--strategy-option" => {
                wish.favor = match value_text(&value).as_str() {
                    "ours" => Some(Favor::Ours),
                    "theirs" => Some(Favor::Theirs),
                    _ => None,
                }
            }
            "--no-edit" | "-e" | "--edit" | "--ff" | "--strategy" | "--no-gpg-sign" => {}
            other => return Err(call.unknown(other)),
        }
    }
    let todo = commits(&repo, &operands, verb)?;
    if todo.is_empty() {
        return Err(Fault {
            code: 128,
            text: format!("error: empty commit set passed\nfatal: {} failed", verb.name()),
        });
    }
    let head = repo.head()?.unwrap_or(Oid::ZERO);
    repo.set_state(START, format!("{head}\n").as_bytes())?;
    sequence(call, &repo, verb, &wish, todo)
}

/// Returns the commits that operands name, in the order in which they are applied.
fn commits(repo: &Repo, operands: &[Vec<u8>], verb: Verb) -> Result<Vec<Oid>> {
    let mut range = Range::default();
    for operand in operands {
        if !range.add(repo, operand)? {
            return Err(fatal(format!("bad revision '{}'", text(operand))));
        }
    }
    for oid in &mut range.shown {
        *oid = revision::peel(repo, *oid, Kind::Commit)?;
    }
    if range.hidden.is_empty() {
        return Ok(range.shown);
    }
    let mut all = Walk::new(&repo.odb, walk::ancestors(&repo.odb, &range.hidden)?);
    for oid in &range.shown {
        all.push(*oid)?;
    }
    let mut found = Vec::new();
    while let Some((oid, commit)) = all.pop() {
        found.push(oid);
        for parent in walk::parents(&repo.odb, &commit) {
            all.push(parent)?;
        }
    }
    if verb == Verb::Pick {
        found.reverse();
    }
    Ok(found)
}

fn sequence(
    call: &mut Call<'_>,
    repo: &Repo,
    verb: Verb,
    wish: &Wish,
    todo: Vec<Oid>,
) -> Result<i32> {
    for (n, oid) in todo.iter().enumerate() {
        let rest: String = todo[n + 1..].iter().map(|oid| format!("{oid}\n")).collect();
        repo.set_state(TODO, rest.as_bytes())?;
        let code = one(call, repo, verb, wish, *oid)?;
        if code != 0 {
            return Ok(code);
        }
    }
    clear_todo(repo);
    Ok(0)
}

fn clear_todo(repo: &Repo) {
    // The directory need not exist.
    let _ = std::fs::remove_dir_all(bytes::path(&repo.file("sequencer")));
}

/// Applies one commit.
fn one(call: &mut Call<'_>, repo: &Repo, verb: Verb, wish: &Wish, oid: Oid) -> Result<i32> {
    let commit = repo.odb.commit(oid)?;
    let mut index = repo.index()?;
    let head = repo.head()?;
    let ours = repo.head_tree()?;
    if !wish.is_uncommitted
        && index.write_tree(&repo.odb)? != ours
        && !(ours.is_zero() && index.entries.is_empty())
    {
        return Err(Fault {
            code: 128,
            text: format!(
                "error: your local changes would be overwritten by {0}.\nhint: commit your changes or stash them to proceed.\nfatal: {0} failed",
                verb.name()
            ),
        });
    }
    let parent = match (commit.parents.len(), wish.mainline) {
        (0, _) => None,
        (1, None | Some(1)) => Some(commit.parents[0]),
        (_, Some(n)) => Some(
            *commit
                .parents
                .get(n.wrapping_sub(1))
                .ok_or_else(|| fatal(format!("commit {oid} does not have parent {n}")))?,
        ),
        (_, None) => {
            return Err(Fault {
                code: 128,
                text: format!(
                    "error: commit {oid} is a merge but no -m option was given.\nfatal: {} failed",
                    verb.name()
                ),
            });
        }
    };
    let parent_tree = match parent {
        Some(parent) => repo.odb.commit(parent)?.tree,
        None => Oid::ZERO,
    };
    let subject = text(&commit.subject());
    let short = repo.odb.short(oid);
    let (base, theirs, label, base_label) = match verb {
        Verb::Pick => (
            parent_tree,
            commit.tree,
            format!("{short} ({subject})"),
            format!("parent of {short} ({subject})"),
        ),
        Verb::Revert => (
            commit.tree,
            parent_tree,
            format!("parent of {short} ({subject})"),
            format!("{short} ({subject})"),
        ),
    };
    let labels = Labels { ours: "HEAD", base: &base_label, theirs: &label };
    let outcome = merge::merge(repo, base, ours, theirs, &labels, favor(repo, wish.favor))?;
    apply(repo, &mut index, ours, &outcome, &Refusal { by: "merge", before: "merge" })?;
    for line in &outcome.messages {
        call.out.line(line);
    }
    let mut text_of = match verb {
        Verb::Pick => commit.message.clone(),
        Verb::Revert => {
            let of = match commit.parents.len() {
                0 | 1 => String::new(),
                _ => format!(", reversing\nchanges made to {}", parent.unwrap_or(Oid::ZERO)),
            };
            let title = match subject.strip_prefix("Revert \"").and_then(|s| s.strip_suffix('"')) {
                Some(inner) => format!("Reapply \"{inner}\""),
                None => format!("Revert \"{subject}\""),
            };
            format!("{title}\n\nThis reverts commit {oid}{of}.\n").into_bytes()
        }
    };
    if wish.has_origin {
        text_of = message::with_trailer(
            &text_of,
            format!("(cherry picked from commit {oid})").as_bytes(),
        );
    }
    if wish.is_signed_off {
        let who = crate::store::object::Signature::parse(&ident::committer(repo)?);
        let trailer = [b"Signed-off-by: ".as_slice(), &who.name, b" <", &who.mail, b">"].concat();
        text_of = message::with_trailer(&text_of, &trailer);
    }
    if !outcome.conflicts.is_empty() {
        repo.set_state(verb.head(), format!("{oid}\n").as_bytes())?;
        let mut prepared = text_of;
        prepared.extend(b"\n# Conflicts:\n");
        for conflict in &outcome.conflicts {
            prepared.extend([b"#\t".as_slice(), &conflict.path, b"\n"].concat());
        }
        repo.set_state("MERGE_MSG", &prepared)?;
        let name = verb.name();
        call.out.note(format!("error: could not {} {short}... {subject}\nhint: After resolving the conflicts, mark them with\nhint: \"git add/rm <pathspec>\", then run\nhint: \"git {name} --continue\".\nhint: You can instead skip this commit with \"git {name} --skip\".\nhint: To abort and get back to the state before \"git {name}\",\nhint: run \"git {name} --abort\".\nhint: Disable this message with \"git config advice.mergeConflict false\"", if verb == Verb::Pick { "apply" } else { "revert" }))?;
        return Ok(1);
    }
    if wish.is_uncommitted {
        if verb == Verb::Revert {
            repo.set_state(verb.head(), format!("{oid}\n").as_bytes())?;
            repo.set_state("MERGE_MSG", &text_of)?;
        }
        return Ok(0);
    }
    let tree = index.write_tree(&repo.odb)?;
    if tree == ours && !wish.may_be_empty && verb == Verb::Pick {
        repo.set_state(verb.head(), format!("{oid}\n").as_bytes())?;
        let state = super::status::State::new(
            repo,
            &mut index,
            &crate::tree::pathspec::Pathspecs::all(),
            Some(crate::tree::untracked::Show::Collapsed),
        )?;
        super::status::long(repo, &state, true, false, "No commits yet", &mut call.out.data)?;
        call.out.note("The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git cherry-pick --skip'")?;
        return Ok(1);
    }
    let author = match verb {
        Verb::Pick => commit.author.clone(),
        Verb::Revert => ident::author(repo, None)?,
    };
    let made = Commit {
        tree,
        parents: head.into_iter().collect(),
        author,
        committer: ident::committer(repo)?,
        more: Vec::new(),
        message: message::cleaned(&text_of, false),
    };
    let made_oid = repo.odb.write(Kind::Commit, &made.write())?;
    repo.update_ref(b"HEAD", made_oid, &format!("{}: {}", verb.name(), text(&made.subject())))?;
    super::commit::summary(repo, made_oid, &made, true, head.is_none(), &mut call.out.data)?;
    Ok(0)
}

fn pending(repo: &Repo, verb: Verb) -> Result<Oid> {
    let data = repo.state(verb.head()).unwrap_or_default();
    Oid::parse(bytes::trim(&data)).ok_or_else(|| Fault {
        code: 128,
        text: format!("error: no cherry-pick or revert in progress\nfatal: {} failed", verb.name()),
    })
}

fn abort(repo: &Repo, verb: Verb) -> Result<i32> {
    pending(repo, verb)?;
    let start = repo.state(START).unwrap_or_default();
    let start = Oid::parse(bytes::trim(&start)).or(repo.head()?).unwrap_or(Oid::ZERO);
    let mut index = repo.index()?;
    checkout::force(repo, &mut index, repo.odb.commit(start)?.tree)?;
    repo.write_index(&mut index)?;
    if repo.head()? != Some(start) {
        repo.update_ref(b"HEAD", start, &format!("reset: moving to {start}"))?;
    }
    repo.clear_state();
    clear_todo(repo);
    Ok(0)
}

fn rest(repo: &Repo) -> Vec<Oid> {
    let data = repo.state(TODO).unwrap_or_default();
    data.split(|b| *b == b'\n').filter_map(Oid::parse).collect()
}

fn go_on(call: &mut Call<'_>, repo: &Repo, verb: Verb) -> Result<i32> {
    pending(repo, verb)?;
    call.name = "commit".to_owned();
    let prepared = repo.state("MERGE_MSG").unwrap_or_default();
    repo.set_state("MERGE_MSG", &message::cleaned(&prepared, true))?;
    call.args = vec![b"--no-edit".to_vec()];
    let code = super::commit::run(call)?;
    if code != 0 {
        return Ok(code);
    }
    sequence(call, repo, verb, &Wish::default(), rest(repo))
}

fn skip(call: &mut Call<'_>, repo: &Repo, verb: Verb) -> Result<i32> {
    pending(repo, verb)?;
    let mut index = repo.index()?;
    checkout::force(repo, &mut index, repo.head_tree()?)?;
    repo.write_index(&mut index)?;
    repo.clear_state();
    sequence(call, repo, verb, &Wish::default(), rest(repo))
}
