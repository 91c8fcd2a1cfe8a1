//! The words of `git status` about a rebase that is under way.

use super::state::{self, State};
use super::todo;
use crate::bytes::{self, text};
use crate::repo::Repo;
use crate::store::oid::Oid;

/// Lines of a list that are shown.
const SHOWN: usize = 2;

/// A rebase that is under way.
pub(crate) struct Progress {
    pub(crate) onto: String,
    branch: Option<String>,
    done: Vec<Vec<u8>>,
    todo: Vec<Vec<u8>>,
    /// A commit is prepared: a message waits for `git rebase --continue`.
    has_message: bool,
    is_split: bool,
}

impl Progress {
    /// Reads the rebase of a repository, if one is under way.
    pub(crate) fn read(repo: &Repo) -> Option<Progress> {
        let state = State::read(repo).ok()?;
        let list = |name: &str| {
            let lines = state::lines(repo, name).into_iter();
            lines.map(|line| todo::shortened(repo, &line)).collect::<Vec<_>>()
        };
        let amended = repo.state(state::AMEND).and_then(|data| Oid::parse(bytes::trim(&data)));
        Some(Progress {
            onto: repo.odb.short(state.onto),
            branch: state
                .branch
                .map(|name| text(name.strip_prefix(b"refs/heads/").unwrap_or(&name))),
            done: list(state::DONE),
            todo: list(state::TODO),
            has_message: repo.state("MERGE_MSG").is_some(),
            is_split: amended.is_some() && amended != repo.head().ok().flatten(),
        })
    }

    /// Writes the lines below the name of the branch.
    pub(crate) fn write(&self, has_conflicts: bool, out: &mut Vec<u8>) {
        let show = |lines: &[Vec<u8>], out: &mut Vec<u8>| {
            for line in lines {
                out.extend([b"   ".as_slice(), line, b"\n"].concat());
            }
        };
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let done = self.done.len();
        match done {
            0 => out.extend(b"No commands done.\n"),
            _ => {
                let s = plural(done);
                out.extend(format!("Last command{s} done ({done} command{s} done):\n").bytes());
                show(&self.done[done.saturating_sub(SHOWN)..], out);
                if done > SHOWN {
                    out.extend(b"  (see more in file .git/rebase-merge/done)\n");
                }
            }
        }
        let left = self.todo.len();
        match left {
            0 => out.extend(b"No commands remaining.\n"),
            _ => {
                let s = plural(left);
                out.extend(
                    format!("Next command{s} to do ({left} remaining command{s}):\n").bytes(),
                );
                show(&self.todo[..left.min(SHOWN)], out);
                out.extend(b"  (use \"git rebase --edit-todo\" to view and edit)\n");
            }
        }
        let on = match &self.branch {
            Some(branch) => format!(" branch '{branch}' on '{}'", self.onto),
            None => String::new(),
        };
        let while_rebasing = format!("while rebasing{on}.");
        let lines = if has_conflicts {
            format!(
                "You are currently rebasing{on}.\n  (fix conflicts and then run \"git rebase --continue\")\n  (use \"git rebase --skip\" to skip this patch)\n  (use \"git rebase --abort\" to check out the original branch)\n\n"
            )
        } else if self.has_message {
            format!(
                "You are currently rebasing{on}.\n  (all conflicts fixed: run \"git rebase --continue\")\n\n"
            )
        } else if self.is_split {
            format!(
                "You are currently splitting a commit {while_rebasing}\n  (Once your working directory is clean, run \"git rebase --continue\")\n\n"
            )
        } else {
            format!(
                "You are currently editing a commit {while_rebasing}\n  (use \"git commit --amend\" to amend the current commit)\n  (use \"git rebase --continue\" once you are satisfied with your changes)\n\n"
            )
        };
        out.extend(lines.bytes());
    }
}
