//! `git diff`, `git diff-tree` and `git diff-index`.

use super::{Call, no_index};
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Fault, Result, fatal};
use crate::repo::Repo;
use crate::report::check;
use crate::report::options::{DiffOptions, Format};
use crate::report::pickaxe::Pickaxe;
use crate::revision::{self, Range};
use crate::store::object::Kind;
use crate::store::oid::Oid;
use crate::tree::changes::{self, Change, Side};
use crate::tree::pathspec::Pathspecs;
use crate::walk;

/// Options with values of all commands that print differences.
pub(crate) const VALUED: Valued = Valued {
    short: "USG",
    attached: "MCX",
    long: &[
        "--unified",
        "--inter-hunk-context",
        "--stat-width",
        "--word-diff-regex",
        "--diff-filter",
        "--diff-algorithm",
        "--src-prefix",
        "--dst-prefix",
        "--output",
    ],
};

/// Splits operands into revisions and paths. The first operand that is not a revision begins the
/// paths; without `--` it has to exist.
pub(crate) fn split_operands(
    repo: &Repo,
    operands: Vec<Vec<u8>>,
    paths: &mut Vec<Vec<u8>>,
    has_dashes: bool,
) -> Result<(Range, Vec<Vec<u8>>)> {
    let mut range = Range::default();
    let mut names = Vec::new();
    let mut rest = operands.into_iter();
    while let Some(operand) = rest.next() {
        if range.add(repo, &operand)? {
            names.push(operand);
            continue;
        }
        let exists = repo.work_tree.is_some()
            && repo
                .relative(&operand)
                .is_ok_and(|path| crate::repo::exists(&repo.work_path(&path)))
            || crate::tree::glob::is_pattern(&operand)
            || operand.starts_with(b":");
        if has_dashes || !exists {
            return Err(match has_dashes {
                true => fatal(format!("bad revision '{}'", text(&operand))),
                false => revision::unknown(repo, &operand),
            });
        }
        paths.push(operand);
        paths.extend(rest.by_ref());
    }
    Ok((range, names))
}

/// Runs `git diff`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let parsed = call.parse(&VALUED)?;
    let is_asked =
        parsed.iter().any(|arg| matches!(arg, Arg::Option(name, _) if name == "--no-index"));
    let repo = match call.repo() {
        Ok(repo) if !is_asked => repo,
        Ok(repo) => return no_index::run(call, &repo, parsed),
        Err(_) => {
            let is_pair = parsed.iter().filter(|arg| matches!(arg, Arg::Operand(_))).count() == 2;
            if !is_asked && !is_pair {
                let text = "warning: Not a git repository. Use --no-index to compare two paths outside a working tree";
                return Err(Fault { code: 129, text: text.to_owned() });
            }
            let outside = Repo::at(b"/dev/null".to_vec(), None, b"/", &call.given)?;
            return no_index::run(call, &outside, parsed);
        }
    };
    let mut options = DiffOptions::new(&repo);
    let (mut is_staged, mut has_base, mut has_dashes) = (false, false, false);
    let (mut is_check, mut pickaxe) = (false, None);
    let (mut operands, mut paths) = (Vec::new(), Vec::new());
    for arg in parsed {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "--staged" | "--cached" => is_staged = true,
                "--merge-base" => has_base = true,
                "--" => {}
                "--check" => is_check = true,
                "--output" => return Err(call.unknown(&name)),
                "-S" => pickaxe = value.map(Pickaxe::Text),
                "-G" => pickaxe = Some(Pickaxe::pattern(&value_text(&value))?),
                _ => {
                    if !options.take(&name, value.as_deref().map(text).as_deref())? {
                        return Err(call.unknown(&name));
                    }
                }
            },
            Arg::Operand(operand) if has_dashes => paths.push(operand),
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => has_dashes = true,
        }
    }
    if options.formats.is_empty() {
        options.formats.push(Format::Patch);
    }
    let (range, names) = split_operands(&repo, operands, &mut paths, has_dashes)?;
    let paths = match paths.is_empty() {
        true => Pathspecs::all(),
        false => Pathspecs::new(&repo, &paths)?,
    };
    let blobs = blob_pair(&repo, &names)?;
    let changes = match blobs {
        Some(change) => vec![change],
        None => find(&repo, &range, is_staged, has_base, &paths)?,
    };
    let mut changes = options.prepare(&repo, changes)?;
    if let Some(pickaxe) = &pickaxe {
        changes = pickaxe.filter(&repo, changes)?;
    }
    if is_check {
        let is_wrong = check::write(&repo, &changes, &mut call.out.data)?;
        return Ok(if is_wrong { check::WRONG } else { 0 });
    }
    options.write(&repo, &changes, &mut call.out.data)?;
    Ok(i32::from(options.has_exit_code && !changes.is_empty()))
}

/// Returns the change between two blobs, `git diff a:x b:x`.
fn blob_pair(repo: &Repo, names: &[Vec<u8>]) -> Result<Option<Change>> {
    let [one, two] = names else { return Ok(None) };
    let (one_id, two_id) = (revision::object(repo, one), revision::object(repo, two));
    let (Ok(old), Ok(new)) = (one_id, two_id) else { return Ok(None) };
    if repo.odb.read(old)?.0 != Kind::Blob || repo.odb.read(new)?.0 != Kind::Blob {
        return Ok(None);
    }
    let side = |oid| Side::stored(crate::store::object::mode::FILE, oid);
    let path = |name: &[u8]| {
        let at = name.iter().position(|b| *b == b':').map_or(0, |at| at + 1);
        name[at..].to_vec()
    };
    let change = Change::new(path(two), side(old), side(new));
    Ok(Some(Change { old_path: path(one), ..change }))
}

fn find(
    repo: &Repo,
    range: &Range,
    is_staged: bool,
    has_base: bool,
    paths: &Pathspecs,
) -> Result<Vec<Change>> {
    let tree = |oid: Oid| revision::peel(repo, oid, Kind::Tree);
    if let Some((left, right)) = range.symmetric {
        let bases = walk::merge_bases(&repo.odb, left, right)?;
        let base = bases.first().ok_or_else(|| fatal("no merge base"))?;
        return changes::trees(&repo.odb, tree(*base)?, tree(right)?, paths);
    }
    if let Some((left, right)) = range.pair {
        return changes::trees(&repo.odb, tree(left)?, tree(right)?, paths);
    }
    let mut index = repo.index()?;
    match range.shown[..] {
        [] if is_staged => changes::tree_and_index(&repo.odb, repo.head_tree()?, &index, paths),
        [] => {
            repo.root()?;
            changes::index_and_work(repo, &mut index, paths)
        }
        [one] => {
            let one = match (has_base, repo.head()?) {
                (true, Some(head)) => *walk::merge_bases(&repo.odb, one, head)?
                    .first()
                    .ok_or_else(|| fatal("no merge base"))?,
                _ => one,
            };
            match is_staged {
                true => changes::tree_and_index(&repo.odb, tree(one)?, &index, paths),
                false => changes::tree_and_work(repo, tree(one)?, &mut index, paths),
            }
        }
        [one, two] if has_base => {
            let bases = walk::merge_bases(&repo.odb, one, two)?;
            let base = bases.first().ok_or_else(|| fatal("no merge base found"))?;
            changes::trees(&repo.odb, tree(*base)?, tree(two)?, paths)
        }
        [one, two] => changes::trees(&repo.odb, tree(one)?, tree(two)?, paths),
        _ => Err(fatal("git diff compares two revisions at most")),
    }
}

/// Runs `git diff-tree`.
pub(crate) fn tree(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut options = DiffOptions::new(&repo);
    options.renames = None;
    options.is_full_index = true;
    let (mut has_id, mut is_root, mut has_dashes) = (true, false, false);
    let (mut operands, mut paths) = (Vec::new(), Vec::new());
    for arg in call.parse(&VALUED)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-r" | "-t" | "-m" | "-c" | "--cc" => {}
                "--no-commit-id" => has_id = false,
                "--root" => is_root = true,
                _ => {
                    if !options.take(&name, value.as_deref().map(text).as_deref())? {
                        return Err(call.unknown(&name));
                    }
                }
            },
            Arg::Operand(operand) if has_dashes => paths.push(operand),
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => has_dashes = true,
        }
    }
    if options.formats.is_empty() {
        options.formats.push(Format::Raw);
    }
    let (range, _) = split_operands(&repo, operands, &mut paths, has_dashes)?;
    let paths = if paths.is_empty() { Pathspecs::all() } else { Pathspecs::new(&repo, &paths)? };
    let tree = |oid: Oid| revision::peel(&repo, oid, Kind::Tree);
    let (old, new) = match (range.pair, &range.shown[..]) {
        (Some((left, right)), _) => (tree(left)?, tree(right)?),
        (None, [one, two]) => (tree(*one)?, tree(*two)?),
        (None, [one]) => {
            let commit = repo.odb.commit(*one)?;
            let parent = match commit.parents.first() {
                Some(parent) => tree(*parent)?,
                None if is_root => Oid::ZERO,
                None => return Ok(0),
            };
            if has_id {
                call.out.line(one.to_string());
            }
            (parent, commit.tree)
        }
        _ => {
            return Err(Fault {
                code: 129,
                text: "usage: git diff-tree <tree-ish> [<tree-ish>]".to_owned(),
            });
        }
    };
    let found = changes::trees(&repo.odb, old, new, &paths)?;
    let found = options.prepare(&repo, found)?;
    options.write(&repo, &found, &mut call.out.data)?;
    Ok(i32::from(options.has_exit_code && !found.is_empty()))
}

/// Runs `git diff-index`.
pub(crate) fn index(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut options = DiffOptions::new(&repo);
    options.renames = None;
    options.is_full_index = true;
    let (mut is_cached, mut operands) = (false, Vec::new());
    for arg in call.parse(&VALUED)? {
        match arg {
            Arg::Option(name, _) if name == "--cached" => is_cached = true,
            Arg::Option(name, value) => {
                if !options.take(&name, value.as_deref().map(text).as_deref())? {
                    return Err(call.unknown(&name));
                }
            }
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if options.formats.is_empty() {
        options.formats.push(Format::Raw);
    }
    let Some((name, paths)) = operands.split_first() else {
        return Err(Fault {
            code: 129,
            text: "usage: git diff-index [--cached] <tree-ish> [<path>...]".to_owned(),
        });
    };
    let tree = revision::tree(&repo, name)?;
    let paths = if paths.is_empty() { Pathspecs::all() } else { Pathspecs::new(&repo, paths)? };
    let mut index = repo.index()?;
    let found = match is_cached {
        true => changes::tree_and_index(&repo.odb, tree, &index, &paths)?,
        false => changes::tree_and_work(&repo, tree, &mut index, &paths)?,
    };
    let found = options.prepare(&repo, found)?;
    options.write(&repo, &found, &mut call.out.data)?;
    Ok(i32::from(options.has_exit_code && !found.is_empty()))
}
