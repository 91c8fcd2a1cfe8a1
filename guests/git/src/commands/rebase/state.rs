//! The directory `rebase-merge`, which holds a rebase between its steps.

use crate::bytes::{self, text};
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::store::oid::Oid;
use crate::text::merge::Favor;

pub(crate) const TODO: &str = "rebase-merge/git-rebase-todo";
pub(crate) const BACKUP: &str = "rebase-merge/git-rebase-todo.backup";
pub(crate) const DONE: &str = "rebase-merge/done";
/// Commit that `git rebase --continue` amends with what is staged.
pub(crate) const AMEND: &str = "rebase-merge/amend";
/// Author of the commit that could not be applied.
pub(crate) const AUTHOR: &str = "rebase-merge/author";
/// Messages that were melded so far.
pub(crate) const SQUASHED: &str = "rebase-merge/message-squash";
/// Number of messages that were melded, and a word if one of them needs an editor.
pub(crate) const CHAIN: &str = "rebase-merge/current-fixups";
pub(crate) const AUTOSTASH: &str = "rebase-autostash";

/// Settings and commits that stay the same during a rebase.
pub(crate) struct State {
    /// Full name of the branch; `None` if `HEAD` was detached.
    pub(crate) branch: Option<Vec<u8>>,
    pub(crate) start: Oid,
    pub(crate) onto: Oid,
    pub(crate) is_quiet: bool,
    /// The commit below the first one is empty and not to be kept.
    pub(crate) is_rootless: bool,
    pub(crate) favor: Option<Favor>,
    pub(crate) is_signed_off: bool,
}

impl State {
    /// Returns true if a rebase was begun and not finished.
    pub(crate) fn is_under_way(repo: &Repo) -> bool {
        repo.state("rebase-merge/head-name").is_some()
    }

    /// Reads the state of the rebase that is under way.
    pub(crate) fn read(repo: &Repo) -> Result<State> {
        let none = || fatal("no rebase in progress");
        let branch = repo.state("rebase-merge/head-name").ok_or_else(none)?;
        let branch = bytes::trim(&branch);
        let oid = |name: &str| {
            let data = repo.state(name).unwrap_or_default();
            Oid::parse(bytes::trim(&data)).ok_or_else(none)
        };
        let favor = repo.state("rebase-merge/strategy_opts").unwrap_or_default();
        Ok(State {
            branch: branch.starts_with(b"refs/").then(|| branch.to_vec()),
            start: oid("rebase-merge/orig-head")?,
            onto: oid("rebase-merge/onto")?,
            is_quiet: repo.state("rebase-merge/quiet").is_some(),
            is_rootless: repo.state("rebase-merge/squash-onto").is_some(),
            favor: match bytes::trim(&favor) {
                b"'--ours'" => Some(Favor::Ours),
                b"'--theirs'" => Some(Favor::Theirs),
                _ => None,
            },
            is_signed_off: repo.state("rebase-merge/signoff").is_some(),
        })
    }

    /// Writes the state when the rebase begins.
    pub(crate) fn write(&self, repo: &Repo) -> Result<()> {
        let name = self.branch.as_deref().unwrap_or(b"detached HEAD");
        repo.set_state("rebase-merge/head-name", &[name, b"\n"].concat())?;
        repo.set_state("rebase-merge/onto", format!("{}\n", self.onto).as_bytes())?;
        repo.set_state("rebase-merge/orig-head", format!("{}\n", self.start).as_bytes())?;
        repo.set_state("rebase-merge/interactive", b"")?;
        if self.is_quiet {
            repo.set_state("rebase-merge/quiet", b"\n")?;
        }
        if self.is_rootless {
            let oid = format!("{}\n", self.onto);
            repo.set_state("rebase-merge/squash-onto", oid.as_bytes())?;
        }
        if self.is_signed_off {
            repo.set_state("rebase-merge/signoff", b"--signoff\n")?;
        }
        match self.favor {
            Some(Favor::Ours) => repo.set_state("rebase-merge/strategy_opts", b"'--ours'\n"),
            Some(Favor::Theirs) => repo.set_state("rebase-merge/strategy_opts", b"'--theirs'\n"),
            Some(Favor::Neither | Favor::WithBase | Favor::Union) | None => Ok(()),
        }
    }

    /// Returns the name of the branch, or that there is none.
    pub(crate) fn name(&self) -> String {
        self.branch.as_deref().map_or_else(|| "detached HEAD".to_owned(), text)
    }

    /// Removes the directory.
    pub(crate) fn remove(repo: &Repo) {
        // A directory that is not there needs no removal.
        let _ = std::fs::remove_dir_all(bytes::path(&repo.file("rebase-merge")));
        forget(repo, "REBASE_HEAD");
    }
}

/// Removes a file of state.
pub(crate) fn forget(repo: &Repo, name: &str) {
    // A file that is not there needs no removal.
    let _ = std::fs::remove_file(bytes::path(&repo.file(name)));
}

/// Writes the number of steps that are done, and of all.
pub(crate) fn set_counts(repo: &Repo, done: usize, all: usize) -> Result<()> {
    repo.set_state("rebase-merge/msgnum", format!("{done}\n").as_bytes())?;
    repo.set_state("rebase-merge/end", format!("{all}\n").as_bytes())
}

/// Returns the non-empty lines of a list that are no comments.
pub(crate) fn lines(repo: &Repo, name: &str) -> Vec<Vec<u8>> {
    let data = repo.state(name).unwrap_or_default();
    let lines = data.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")).map(<[u8]>::to_vec).collect()
}
