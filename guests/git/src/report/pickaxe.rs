//! `-S` and `-G`: selects changes by the text that they add or remove.

use regex::bytes::{Regex, RegexBuilder};

use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::report::content;
use crate::text::compare;
use crate::tree::changes::{Change, Status};

/// The text of wanted changes.
pub(crate) enum Pickaxe {
    /// `-S`: the number of occurrences changes.
    Text(Vec<u8>),
    /// `-G`: a changed line matches.
    Pattern(Regex),
}

impl Pickaxe {
    /// Compiles the pattern of `-G`.
    pub(crate) fn pattern(pattern: &str) -> Result<Pickaxe> {
        RegexBuilder::new(&pattern.replace("\\|", "|"))
            .multi_line(true)
            .build()
            .map(Pickaxe::Pattern)
            .map_err(|_| fatal(format!("invalid regex: {pattern}")))
    }

    /// Returns the wanted changes.
    pub(crate) fn filter(&self, repo: &Repo, changes: Vec<Change>) -> Result<Vec<Change>> {
        let mut found = Vec::new();
        for change in changes {
            if change.status != Status::Unmerged && self.takes(repo, &change)? {
                found.push(change);
            }
        }
        Ok(found)
    }

    fn takes(&self, repo: &Repo, change: &Change) -> Result<bool> {
        let old = content::read(repo, &change.old, &change.old_path)?;
        let new = content::read(repo, &change.new, &change.path)?;
        Ok(match self {
            Pickaxe::Text(text) => count(&old, text) != count(&new, text),
            Pickaxe::Pattern(pattern) => {
                let (old, new) = (compare::split(&old), compare::split(&new));
                compare::edits(&old, &new, &Default::default()).iter().any(|edit| {
                    let mut lines = old[edit.old.clone()].iter().chain(&new[edit.new.clone()]);
                    lines.any(|line| pattern.is_match(line))
                })
            }
        })
    }
}

/// Counts occurrences that do not overlap.
fn count(data: &[u8], text: &[u8]) -> usize {
    let (mut n, mut at) = (0, 0);
    while !text.is_empty() && at + text.len() <= data.len() {
        if data[at..].starts_with(text) {
            n += 1;
            at += text.len();
        } else {
            at += 1;
        }
    }
    n
}
