//! `git diff-files`.

use super::Call;
use super::diff::VALUED;
use crate::args::Arg;
use crate::bytes::text;
use crate::fault::Result;
use crate::report::options::{DiffOptions, Format};
use crate::tree::changes;
use crate::tree::pathspec::Pathspecs;

/// Runs `git diff-files`: compares the index with the work tree.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let mut options = DiffOptions::new(&repo);
    options.renames = None;
    let mut operands = Vec::new();
    for arg in call.parse(&VALUED)? {
        match arg {
            Arg::Option(name, _) if name == "-q" || name == "-r" => {}
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
    options.is_full_index |= !options.formats.contains(&Format::Patch);
    let paths =
        if operands.is_empty() { Pathspecs::all() } else { Pathspecs::new(&repo, &operands)? };
    let mut index = repo.index()?;
    let found = options.prepare(&repo, changes::index_and_work(&repo, &mut index, &paths)?)?;
    options.write(&repo, &found, &mut call.out.data)?;
    Ok(i32::from(options.has_exit_code && !found.is_empty()))
}
