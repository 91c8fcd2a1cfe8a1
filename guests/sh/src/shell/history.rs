//! Command history, for `history` and `fc`.

use std::collections::VecDeque;
use std::io;

use serde::{Deserialize, Serialize};

use super::Shell;
use crate::expand::glob::path;
use crate::pattern::Pattern;
use crate::syntax::ast::Text;

/// Entries kept if `HISTSIZE` is unset.
const DEFAULT_SIZE: usize = 500;

/// Most entries kept, whatever `HISTSIZE` says.
const MAX_SIZE: usize = 100_000;

/// Longest history file read.
const MAX_FILE: u64 = 16 << 20;

/// The history list.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct History {
    list: VecDeque<Text>,
    /// Number of entries dropped from the front.
    dropped: usize,
    /// Number of newest entries not yet in any file.
    fresh: usize,
    /// Number of lines of the history file already read or written.
    in_file: usize,
}

impl History {
    /// Returns the entries with their numbers.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (usize, &Text)> + ExactSizeIterator {
        let first = self.first();
        self.list.iter().enumerate().map(move |(at, text)| (first + at, text))
    }

    /// Returns the number of the oldest entry.
    pub fn first(&self) -> usize {
        self.dropped + 1
    }

    /// Returns the number of the next entry.
    pub fn next(&self) -> usize {
        self.first() + self.list.len()
    }

    /// Returns the number of the command that is running, which is the newest entry.
    pub fn current(&self) -> usize {
        self.next().saturating_sub(1).max(1)
    }

    /// Returns the entry with this number.
    pub fn get(&self, number: usize) -> Option<&Text> {
        self.list.get(number.checked_sub(self.first())?)
    }

    /// Adds an entry, keeping at most `size`.
    pub fn push(&mut self, text: Text, size: usize) {
        self.list.push_back(text);
        self.fresh += 1;
        self.shrink(size);
    }

    /// Removes and returns the newest entry.
    pub fn pop(&mut self) -> Option<Text> {
        self.fresh = self.fresh.saturating_sub(1);
        self.list.pop_back()
    }

    /// Removes a range of entries. Returns false if a number is out of range.
    pub fn remove(&mut self, from: usize, to: usize) -> bool {
        let first = self.first();
        if from < first || to < from || to >= self.next() {
            return false;
        }
        self.list.drain(from - first..=to - first);
        self.fresh = self.fresh.min(self.list.len());
        true
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        *self = History { in_file: self.in_file, ..History::default() };
    }

    /// Drops the oldest entries beyond `size`.
    pub fn shrink(&mut self, size: usize) {
        while self.list.len() > size {
            self.list.pop_front();
            self.dropped += 1;
        }
        self.fresh = self.fresh.min(self.list.len());
    }

    /// Adds the lines of a file; if `new` is set, only those not read before.
    pub fn read(&mut self, file: &[u8], new: bool, size: usize) -> io::Result<()> {
        let text = read(file)?;
        let from = if new { self.in_file } else { 0 };
        let fresh = self.fresh;
        let mut lines = 0;
        for line in text.split(|c| *c == b'\n').filter(|line| !line.is_empty()) {
            lines += 1;
            if lines > from {
                self.push(line.to_vec(), size);
            }
        }
        self.in_file = lines;
        self.fresh = fresh.min(self.list.len());
        Ok(())
    }

    /// Writes all entries to a file or, if `append` is set, appends those not yet in any file.
    pub fn write(&mut self, file: &[u8], append: bool) -> io::Result<()> {
        let skip = if append { self.list.len() - self.fresh } else { 0 };
        let mut text = if append { read(file).unwrap_or_default() } else { Text::new() };
        for entry in self.list.iter().skip(skip) {
            text.extend_from_slice(entry);
            text.push(b'\n');
        }
        std::fs::write(path(file), &text)?;
        self.in_file = text.iter().filter(|c| **c == b'\n').count();
        self.fresh = 0;
        Ok(())
    }
}

fn read(file: &[u8]) -> io::Result<Text> {
    let file = path(file);
    if std::fs::metadata(file)?.len() > MAX_FILE {
        return Err(io::Error::other("history file too long"));
    }
    std::fs::read(file)
}

impl Shell {
    /// Returns the number of entries to keep, from `HISTSIZE`.
    pub fn history_size(&mut self) -> usize {
        let size = self.get(b"HISTSIZE").and_then(|text| crate::builtins::number(&text));
        size.map_or(DEFAULT_SIZE, |size| usize::try_from(size).unwrap_or(MAX_SIZE).min(MAX_SIZE))
    }

    /// Reads the history file if no command has been recorded yet.
    pub fn load_history(&mut self) {
        if self.history.list.is_empty()
            && let Some(file) = self.get(b"HISTFILE").filter(|file| !file.is_empty())
        {
            let size = self.history_size();
            let _ = self.history.read(&file, false, size);
        }
    }

    /// Records a command if history is on.
    pub fn enter(&mut self, text: &[u8]) {
        let begins_with_space = matches!(text.first(), Some(b' ' | b'\t'));
        let text = text.trim_ascii();
        if !self.options.history() || text.is_empty() {
            return;
        }
        let control = self.get(b"HISTCONTROL").unwrap_or_default();
        let asks = |rule: &[u8]| control.split(|c| *c == b':').any(|own| own == rule);
        let both = asks(b"ignoreboth");
        let last = self.history.list.back();
        if (both || asks(b"ignorespace")) && begins_with_space
            || (both || asks(b"ignoredups")) && last.is_some_and(|last| last == text)
            || self.is_history_ignored(text)
        {
            return;
        }
        if asks(b"erasedups") {
            self.history.list.retain(|entry| entry != text);
        }
        let size = self.history_size();
        self.history.push(text.to_vec(), size);
    }

    /// Returns true if a pattern of `HISTIGNORE` matches the whole command. `&` is the command
    /// before it.
    fn is_history_ignored(&mut self, text: &[u8]) -> bool {
        let Some(patterns) = self.get(b"HISTIGNORE").filter(|list| !list.is_empty()) else {
            return false;
        };
        let last = self.history.list.back().cloned().unwrap_or_default();
        patterns.split(|c| *c == b':').any(|pattern| {
            let mut wanted = Vec::new();
            for c in pattern {
                match c {
                    b'&' if wanted.last() == Some(&b'\\') => {
                        wanted.pop();
                        wanted.push(b'&');
                    }
                    b'&' => wanted.extend_from_slice(&last),
                    c => wanted.push(*c),
                }
            }
            Pattern::new(&wanted, self.pattern_rules()).matches(text)
        })
    }

    /// Truncates the history file to the newest `HISTFILESIZE` lines.
    pub fn shrink_history_file(&mut self) {
        let size = self.get(b"HISTFILESIZE").and_then(|text| crate::builtins::number(&text));
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else { return };
        let Some(file) = self.get(b"HISTFILE").filter(|file| !file.is_empty()) else { return };
        let Ok(text) = read(&file) else { return };
        let lines: Vec<&[u8]> = text.split_inclusive(|c| *c == b'\n').collect();
        if lines.len() > size {
            let _ = std::fs::write(path(&file), lines[lines.len() - size..].concat());
        }
    }
}
