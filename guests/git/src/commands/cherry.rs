//! `git cherry`.

use std::collections::HashSet;

use super::Call;
use crate::args::{Arg, Valued};
use crate::bytes::text;
use crate::fault::{Fault, Result, USAGE, fatal};
use crate::report::same;
use crate::revision;
use crate::walk::{self, Walk};

/// Runs `git cherry`: lists the commits that an upstream has not.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_verbose, mut digits, mut operands) = (false, None, Vec::new());
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-v" | "--verbose" => is_verbose = true,
                "--abbrev" => {
                    digits = Some(value.and_then(|value| text(&value).parse().ok()).unwrap_or(7));
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if operands.is_empty() {
        let branch = repo.refs.branch()?.unwrap_or_default();
        let Some(upstream) = revision::upstream(&repo, &branch) else {
            let text = "Could not find a tracked remote branch, please specify <upstream> manually.\nusage: git cherry [-v] [<upstream> [<head> [<limit>]]]\n\n    --[no-]abbrev[=<n>]   use <n> digits to display object names\n    -v, --[no-]verbose    be verbose\n";
            return Err(Fault { code: USAGE, text: text.to_owned() });
        };
        operands.push(upstream);
    }
    let find = |name: &[u8]| {
        revision::commit(&repo, name).map_err(|_| fatal(format!("unknown commit {}", text(name))))
    };
    let upstream = find(&operands[0])?;
    let head = find(operands.get(1).map_or(&b"HEAD"[..], Vec::as_slice))?;
    let limit = match operands.get(2) {
        Some(name) => walk::ancestors(&repo.odb, &[find(name)?])?,
        None => HashSet::new(),
    };
    let own = walk::ancestors(&repo.odb, &[head])?;
    let hidden: HashSet<_> = own.union(&limit).copied().collect();
    let applied = same::changes(&repo, upstream, hidden)?;
    let mut hidden = walk::ancestors(&repo.odb, &[upstream])?;
    hidden.extend(limit);
    let mut all = Walk::new(&repo.odb, hidden);
    all.push(head)?;
    let mut lines = Vec::new();
    while let Some((oid, commit)) = all.pop() {
        for parent in walk::parents(&repo.odb, &commit) {
            all.push(parent)?;
        }
        if commit.parents.len() > 1 {
            continue;
        }
        let is_applied = same::change(&repo, &commit)?.is_some_and(|one| applied.contains(&one));
        let mark = if is_applied { '-' } else { '+' };
        let id = match digits {
            Some(digits) => repo.odb.short_by(oid, digits),
            None => oid.to_string(),
        };
        let mut line = format!("{mark} {id}").into_bytes();
        if is_verbose {
            line.push(b' ');
            line.extend(commit.subject());
        }
        lines.push(line);
    }
    lines.into_iter().rev().for_each(|line| call.out.line(line));
    Ok(0)
}
