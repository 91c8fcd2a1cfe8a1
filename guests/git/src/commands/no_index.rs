//! `git diff --no-index`: compares files and directories outside of repositories.

use std::collections::BTreeSet;
use std::fs;

use super::Call;
use crate::args::Arg;
use crate::bytes::{self, join, text};
use crate::fault::{Fault, Result, fatal};
use crate::repo::Repo;
use crate::report::options::{DiffOptions, Format};
use crate::report::{check, content};
use crate::store::oid::Oid;
use crate::tree::changes::{Change, Side};

/// Deepest directory that is compared.
const MAX_DEPTH: usize = 100;

/// Runs the comparison; the exit code says if there is a difference.
pub(super) fn run(call: &mut Call<'_>, repo: &Repo, parsed: Vec<Arg>) -> Result<i32> {
    let mut options = DiffOptions::new(repo);
    let (mut files, mut is_check) = (Vec::new(), false);
    for arg in parsed {
        match arg {
            Arg::Option(name, _) if name == "--no-index" => {}
            Arg::Option(name, _) if name == "--check" => is_check = true,
            Arg::Option(name, value) => {
                if !options.take(&name, value.as_deref().map(text).as_deref())? {
                    return Err(call.unknown(&name));
                }
            }
            Arg::Operand(operand) => files.push(operand),
            Arg::Dashes => {}
        }
    }
    let [one, two] = &files[..] else {
        return Err(Fault {
            code: 129,
            text: "usage: git diff --no-index [<options>] <path> <path>".to_owned(),
        });
    };
    let cwd = crate::repo::current_dir();
    let here = Repo::at(repo.git_dir.clone(), Some(cwd.clone()), &cwd, &call.given)?;
    let (mut one, mut two) = (one.clone(), two.clone());
    // A file is compared with the file of its name in a directory.
    let is_dir = |path: &[u8]| bytes::path(path).is_dir();
    match (is_dir(&one), is_dir(&two)) {
        (true, false) if two != b"/dev/null" => one = join(&one, bytes::base(&two)),
        (false, true) if one != b"/dev/null" => two = join(&two, bytes::base(&one)),
        _ => {}
    }
    let mut changes = Vec::new();
    compare(&here, Some(&one), Some(&two), 0, &mut changes)?;
    if options.formats.is_empty() {
        options.formats.push(Format::Patch);
    }
    options.is_outside = true;
    let order: Vec<Vec<u8>> = changes.iter().map(|change| change.path.clone()).collect();
    let mut changes = options.prepare(&here, changes)?;
    changes.sort_by_key(|change| order.iter().position(|path| *path == change.path));
    if is_check {
        let is_wrong = check::write(&here, &changes, &mut call.out.data)?;
        return Ok(if is_wrong { check::WRONG } else { 0 });
    }
    options.write(&here, &changes, &mut call.out.data)?;
    Ok(i32::from(!changes.is_empty()))
}

/// Compares two paths; one may be missing.
fn compare(
    here: &Repo,
    old: Option<&[u8]>,
    new: Option<&[u8]>,
    depth: usize,
    changes: &mut Vec<Change>,
) -> Result<()> {
    let is_dir = |path: Option<&[u8]>| path.is_some_and(|path| bytes::path(path).is_dir());
    if is_dir(old) || is_dir(new) {
        if depth == MAX_DEPTH {
            return Err(fatal("directories are nested too deeply"));
        }
        let mut names = BTreeSet::new();
        for dir in [old, new].into_iter().flatten() {
            for entry in fs::read_dir(bytes::path(dir)).into_iter().flatten().flatten() {
                names.insert(bytes::raw(&entry.file_name()).to_vec());
            }
        }
        // A file in the place of a directory has nothing below it.
        for path in [old, new].into_iter().flatten().filter(|path| !is_dir(Some(path))) {
            let (old, new) = (old.filter(|old| *old == path), new.filter(|new| *new == path));
            compare(here, old, new, depth + 1, changes)?;
        }
        for name in names {
            let inside = |dir: Option<&[u8]>| {
                let path = join(dir.filter(|dir| is_dir(Some(dir)))?, &name);
                crate::repo::exists(&path).then_some(path)
            };
            compare(here, inside(old).as_deref(), inside(new).as_deref(), depth + 1, changes)?;
        }
        return Ok(());
    }
    let (old_side, new_side) = (side(here, old)?, side(here, new)?);
    let (old, new) = (old.filter(|_| old_side.is_there()), new.filter(|_| new_side.is_there()));
    let Some(path) = new.or(old) else { return Ok(()) };
    let is_same = old_side.mode == new_side.mode
        && content::read(here, &old_side, old.unwrap_or(path))?
            == content::read(here, &new_side, path)?;
    if !is_same {
        let mut change = Change::new(path.to_vec(), old_side, new_side);
        let old = old.unwrap_or(path);
        change.old_path = old.to_vec();
        changes.push(change);
    }
    Ok(())
}

fn side(here: &Repo, path: Option<&[u8]>) -> Result<Side> {
    let Some(path) = path.filter(|path| *path != b"/dev/null") else { return Ok(Side::NONE) };
    let status = cofferdam_guest_sys::stat(path, false).map_err(|_| Fault {
        code: 1,
        text: format!("error: Could not access '{}'", text(path)),
    })?;
    let mode = crate::tree::work::tree_mode(here, &status, None);
    let mode = mode.ok_or_else(|| fatal(format!("{}: unsupported file type", text(path))))?;
    Ok(Side { mode, oid: Oid::ZERO, is_work: true })
}
