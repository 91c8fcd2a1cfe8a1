//! The list of a rebase: its lines, and the order that `--autosquash` gives them.

use crate::bytes::{self, text};
use crate::fault::{Fault, Result};
use crate::repo::Repo;
use crate::revision;
use crate::store::object::Kind;
use crate::store::oid::Oid;

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Pick(Oid),
    Reword(Oid),
    Edit(Oid),
    Squash(Oid),
    /// With the treatment of its message: `-C` takes it, `-c` lets the user edit it.
    Fixup(Oid, Kept),
    Exec(Vec<u8>),
    Break,
    Drop,
    Noop,
    Label(Vec<u8>),
    Reset(Vec<u8>),
}

/// Message of a commit made by `fixup`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Earlier,
    Own,
    OwnEdited,
}

/// A step with the line that it was read from.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) step: Step,
    pub(crate) text: Vec<u8>,
}

/// Explanation below the list.
const HELP: &str = "#
# Commands:
# p, pick <commit> = use commit
# r, reword <commit> = use commit, but edit the commit message
# e, edit <commit> = use commit, but stop for amending
# s, squash <commit> = use commit, but meld into previous commit
# f, fixup [-C | -c] <commit> = like \"squash\" but keep only the previous
#                    commit's log message, unless -C is used, in which case
#                    keep only this commit's message; -c is same as -C but
#                    opens the editor
# x, exec <command> = run command (the rest of the line) using shell
# b, break = stop here (continue rebase later with 'git rebase --continue')
# d, drop <commit> = remove commit
# l, label <label> = label current HEAD with a name
# t, reset <label> = reset HEAD to a label
# m, merge [-C <commit> | -c <commit>] <label> [# <oneline>]
#         create a merge commit using the original merge commit's
#         message (or the oneline, if no original merge commit was
#         specified); use -c <commit> to reword the commit message
# u, update-ref <ref> = track a placeholder for the <ref> to be updated
#                       to this position in the new commits. The <ref> is
#                       updated at the end of the rebase
#
# These lines can be re-ordered; they are executed from top to bottom.
#
# If you remove a line here THAT COMMIT WILL BE LOST.
#
";

/// Returns the comment below a list that a person edits.
pub(crate) fn help(range: &str, onto: &str, count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!(
        "\n# Rebase {range} onto {onto} ({count} command{plural})\n{HELP}# However, if you remove everything, the rebase will be aborted.\n#\n"
    )
}

/// Parses a list; comments and blank lines are left out.
pub(crate) fn parse(repo: &Repo, data: &[u8]) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut problems = String::new();
    for (number, line) in data.split(|b| *b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        match step(repo, line)? {
            Ok(Step::Squash(_) | Step::Fixup(..)) if !lines.iter().any(makes_commit) => {
                let verb = text(line.split(|b| *b == b' ').next().unwrap_or_default());
                problems += &format!("error: cannot '{verb}' without a previous commit\n");
            }
            Ok(step) => lines.push(Line { step, text: line.to_vec() }),
            Err(reason) => {
                problems +=
                    &format!("{reason}error: invalid line {}: {}\n", number + 1, text(line));
            }
        }
    }
    if problems.is_empty() {
        return Ok(lines);
    }
    Err(Fault {
        code: 1,
        text: format!(
            "{problems}You can fix this with 'git rebase --edit-todo' and then run 'git rebase --continue'.\nOr you can abort the rebase with 'git rebase --abort'."
        ),
    })
}

fn makes_commit(line: &Line) -> bool {
    matches!(line.step, Step::Pick(_) | Step::Reword(_) | Step::Edit(_))
}

fn step(repo: &Repo, line: &[u8]) -> Result<std::result::Result<Step, String>> {
    let (verb, rest) = word(line);
    let commit = |rest: &[u8]| -> Result<std::result::Result<Oid, String>> {
        let name = word(rest).0;
        let found = match revision::find(repo, name) {
            Ok(Some(oid)) => revision::peel(repo, oid, Kind::Commit).ok(),
            _ => None,
        };
        Ok(found.ok_or_else(|| format!("error: could not parse '{}'\n", text(name))))
    };
    Ok(match verb {
        b"pick" | b"p" => commit(rest)?.map(Step::Pick),
        b"reword" | b"r" => commit(rest)?.map(Step::Reword),
        b"edit" | b"e" => commit(rest)?.map(Step::Edit),
        b"squash" | b"s" => commit(rest)?.map(Step::Squash),
        b"fixup" | b"f" => match word(rest) {
            (b"-C", after) => commit(after)?.map(|oid| Step::Fixup(oid, Kept::Own)),
            (b"-c", after) => commit(after)?.map(|oid| Step::Fixup(oid, Kept::OwnEdited)),
            _ => commit(rest)?.map(|oid| Step::Fixup(oid, Kept::Earlier)),
        },
        b"exec" | b"x" if !rest.is_empty() => Ok(Step::Exec(rest.to_vec())),
        b"break" | b"b" => Ok(Step::Break),
        b"drop" | b"d" => Ok(Step::Drop),
        b"noop" => Ok(Step::Noop),
        b"label" | b"l" if !rest.is_empty() => Ok(Step::Label(word(rest).0.to_vec())),
        b"reset" | b"t" if !rest.is_empty() => Ok(Step::Reset(word(rest).0.to_vec())),
        b"exec" | b"x" | b"label" | b"l" | b"reset" | b"t" => {
            Err(format!("error: missing arguments for {}\n", text(verb)))
        }
        b"merge" | b"m" | b"update-ref" | b"u" => {
            Err(format!("error: {} is not supported\n", text(verb)))
        }
        _ => Err(format!("error: invalid command '{}'\n", text(verb))),
    })
}

/// Splits the first word off.
fn word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii_start())
}

/// Writes lines for a file.
pub(crate) fn write(lines: &[Line]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.text.as_slice(), b"\n"].concat()).collect()
}

/// Shortens the identity in a line, as people see it.
pub(crate) fn shortened(repo: &Repo, line: &[u8]) -> Vec<u8> {
    let words = line.split(|b| *b == b' ').map(|word| match Oid::parse(word) {
        Some(oid) => repo.odb.short(oid).into_bytes(),
        None => word.to_vec(),
    });
    words.collect::<Vec<_>>().join(&b' ')
}

/// Makes the first list: one line for each commit.
pub(crate) fn picks(repo: &Repo, commits: &[Oid]) -> Result<Vec<Line>> {
    let each = commits.iter().map(|oid| {
        let subject = repo.odb.commit(*oid)?.subject();
        let text = [format!("pick {oid} ").as_bytes(), &subject].concat();
        Ok(Line { step: Step::Pick(*oid), text })
    });
    each.collect()
}

/// Moves `fixup!` and `squash!` commits behind those that they name.
pub(crate) fn autosquash(repo: &Repo, lines: Vec<Line>) -> Result<Vec<Line>> {
    let subject = |line: &Line| -> Result<Vec<u8>> {
        match &line.step {
            Step::Pick(oid) => Ok(repo.odb.commit(*oid)?.subject()),
            _ => Ok(Vec::new()),
        }
    };
    // Each group is a commit and those that are melded into it.
    let mut groups: Vec<(Vec<u8>, Vec<Line>)> = Vec::new();
    for mut line in lines {
        let own = subject(&line)?;
        let mut wanted = own.as_slice();
        let mut verb = None;
        loop {
            let rest =
                [(&b"fixup! "[..], "fixup"), (b"squash! ", "squash"), (b"amend! ", "fixup -C")]
                    .into_iter()
                    .find_map(|(mark, verb)| Some((wanted.strip_prefix(mark)?, verb)));
            let Some((rest, found)) = rest else { break };
            verb = verb.or(Some(found));
            wanted = rest.trim_ascii();
        }
        let target = verb.and_then(|_| {
            groups
                .iter()
                .position(|(name, _)| name == wanted)
                .or_else(|| {
                    let oid = revision::find(repo, wanted).ok().flatten()?;
                    groups.iter().position(|(_, lines)| lines[0].step == Step::Pick(oid))
                })
                .or_else(|| groups.iter().position(|(name, _)| name.starts_with(wanted)))
        });
        match (target, verb, &line.step) {
            (Some(at), Some(verb), Step::Pick(oid)) => {
                let oid = *oid;
                line.text = [format!("{verb} {oid} ").as_bytes(), &own].concat();
                line.step = match verb {
                    "squash" => Step::Squash(oid),
                    "fixup" => Step::Fixup(oid, Kept::Earlier),
                    _ => Step::Fixup(oid, Kept::Own),
                };
                groups[at].1.push(line);
            }
            _ => groups.push((own, vec![line])),
        }
    }
    Ok(groups.into_iter().flat_map(|(_, lines)| lines).collect())
}

/// Adds `exec` lines behind every commit with what is melded into it.
pub(crate) fn with_exec(lines: Vec<Line>, commands: &[Vec<u8>]) -> Vec<Line> {
    if commands.is_empty() {
        return lines;
    }
    let mut out: Vec<Line> = Vec::new();
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        let is_last = !lines
            .peek()
            .is_some_and(|next| matches!(next.step, Step::Squash(_) | Step::Fixup(..)));
        out.push(line);
        if is_last {
            out.extend(commands.iter().map(|command| Line {
                step: Step::Exec(command.clone()),
                text: [b"exec ", bytes::trim(command)].concat(),
            }));
        }
    }
    out
}
