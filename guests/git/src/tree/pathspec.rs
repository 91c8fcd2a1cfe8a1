//! Paths and patterns on the command line.

use super::glob::{self, Slash};
use crate::bytes;
use crate::fault::{Result, fatal};
use crate::repo::Repo;

/// The paths of a command; no paths select everything.
pub(crate) struct Pathspecs {
    items: Vec<Item>,
}

/// One path or pattern.
pub(crate) struct Item {
    /// As it was given.
    pub(crate) given: Vec<u8>,
    /// Relative to the root of the work tree; empty selects everything.
    pub(crate) path: Vec<u8>,
    is_excluded: bool,
    slash: Slash,
    is_literal: bool,
}

impl Pathspecs {
    /// Parses arguments, relative to the current directory.
    pub(crate) fn new(repo: &Repo, args: &[Vec<u8>]) -> Result<Pathspecs> {
        let items = args.iter().map(|arg| item(repo, arg)).collect::<Result<_>>()?;
        Ok(Pathspecs { items })
    }

    /// Selects everything.
    pub(crate) fn all() -> Pathspecs {
        Pathspecs { items: Vec::new() }
    }

    /// Returns true if no path was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the paths that select.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !item.is_excluded)
    }

    /// Returns true if a file is selected.
    pub(crate) fn selects(&self, path: &[u8]) -> bool {
        let is_in = self.items().next().is_none() || self.items().any(|item| item.selects(path));
        is_in && !self.items.iter().any(|item| item.is_excluded && item.selects(path))
    }

    /// Returns true if a file below the directory could be selected.
    pub(crate) fn may_select_below(&self, dir: &[u8]) -> bool {
        let below = [dir, b"/"].concat();
        self.items().next().is_none()
            || self
                .items()
                .any(|item| item.path.starts_with(&below) || item.selects(dir) || item.is_pattern())
    }
}

impl Item {
    /// Returns true if the argument has special characters.
    pub(crate) fn is_pattern(&self) -> bool {
        !self.is_literal && glob::is_pattern(&self.path)
    }

    /// Returns true if the path is this one, below it, or matches the pattern.
    pub(crate) fn selects(&self, path: &[u8]) -> bool {
        if self.path.is_empty() || self.path == path {
            return true;
        }
        if path.starts_with(&self.path) && path.get(self.path.len()) == Some(&b'/') {
            return true;
        }
        if !self.is_pattern() {
            return false;
        }
        // A pattern that matches a directory selects the files in it.
        let ends = path.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| at);
        ends.chain([path.len()]).any(|end| glob::matches(&self.path, &path[..end], self.slash))
    }
}

fn item(repo: &Repo, arg: &[u8]) -> Result<Item> {
    let mut rest = arg;
    let (mut is_excluded, mut is_top, mut is_literal) = (false, false, false);
    let mut slash = Slash::Plain;
    if let Some(long) = arg.strip_prefix(b":(") {
        let end = long.iter().position(|b| *b == b')').ok_or_else(|| {
            fatal(format!("Missing ')' at the end of pathspec magic in '{}'", bytes::text(arg)))
        })?;
        for word in long[..end].split(|b| *b == b',') {
            match word {
                b"exclude" => is_excluded = true,
                b"top" => is_top = true,
                b"glob" => slash = Slash::Apart,
                b"literal" => is_literal = true,
                b"" => {}
                other => {
                    let text = format!(
                        "Invalid pathspec magic '{}' in '{}'",
                        bytes::text(other),
                        bytes::text(arg)
                    );
                    return Err(fatal(text));
                }
            }
        }
        rest = &long[end + 1..];
    } else if let Some(short) = arg.strip_prefix(b":") {
        rest = short;
        while let Some((&first, tail)) = rest.split_first() {
            match first {
                b'!' | b'^' => is_excluded = true,
                b'/' => is_top = true,
                _ => break,
            }
            rest = tail;
        }
    }
    let path = if is_top { bytes::normal(rest) } else { repo.relative(rest)? };
    Ok(Item { given: arg.to_vec(), path, is_excluded, slash, is_literal })
}
