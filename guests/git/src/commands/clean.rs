//! `git clean`.

use std::fs;

use super::Call;
use crate::args::{Arg, Valued};
use crate::bytes::{path, quoted};
use crate::fault::{At, Result, fatal};
use crate::tree::pathspec::Pathspecs;
use crate::tree::untracked::{self, Show};

/// Runs `git clean`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let (
        mut is_forced,
        mut is_dry,
        mut has_directories,
        mut is_quiet,
        mut with_ignored,
        mut only_ignored,
    ) = (false, false, false, false, false, false);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued { short: "e", long: &["--exclude"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-f" | "--force" => is_forced = true,
                "-n" | "--dry-run" => is_dry = true,
                "-d" => has_directories = true,
                "-q" | "--quiet" => is_quiet = true,
                "-x" => with_ignored = true,
                "-X" => only_ignored = true,
                "-e" | "--exclude" => {
                    operands.push([b":(exclude)".to_vec(), value.unwrap_or_default()].concat())
                }
                "-i" | "--interactive" => {
                    return Err(fatal("git clean -i needs a terminal; use -n and -f"));
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if !is_forced && !is_dry && repo.config.flag("clean.requireforce") != Some(false) {
        return Err(fatal("clean.requireForce is true and -f not given: refusing to clean"));
    }
    let paths = Pathspecs::new(&repo, &operands)?;
    let found = untracked::find(&repo, &repo.index()?, &paths, Show::Collapsed)?;
    let mut list = if only_ignored { Vec::new() } else { found.untracked };
    if with_ignored || only_ignored {
        list.extend(found.ignored);
        list.sort();
    }
    for name in list {
        if name.ends_with(b"/") && !has_directories && operands.is_empty() {
            continue;
        }
        let shown = quoted(&repo.shown(&name));
        if is_dry {
            call.out.line([b"Would remove ".as_slice(), &shown].concat());
            continue;
        }
        if !is_quiet {
            call.out.line([b"Removing ".as_slice(), &shown].concat());
        }
        let file = repo.work_path(name.strip_suffix(b"/").unwrap_or(&name));
        match name.ends_with(b"/") {
            true => fs::remove_dir_all(path(&file)).at(&name)?,
            false => fs::remove_file(path(&file)).at(&name)?,
        }
    }
    Ok(0)
}
