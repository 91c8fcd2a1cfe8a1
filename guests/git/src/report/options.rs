//! Options of commands that print differences.

use imara_diff::Algorithm;
use regex::bytes::{Regex, RegexBuilder};

use crate::bytes::quoted;
use crate::fault::{Fault, Result, USAGE, error, fatal};
use crate::repo::Repo;
use crate::report::words::WordStyle;
use crate::report::{dirstat, patch, stat};
use crate::text::compare::{Space, Style};
use crate::tree::changes::{Change, Status};
use crate::tree::renames;

/// A form of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Raw,
    Stat,
    NumStat,
    ShortStat,
    DirStat,
    Summary,
    NameOnly,
    NameStatus,
    Patch,
}

/// Options of a comparison.
#[derive(Debug, Clone)]
pub(crate) struct DiffOptions {
    pub(crate) formats: Vec<Format>,
    /// `-s`: print nothing.
    pub(crate) is_silent: bool,
    pub(crate) style: Style,
    /// Least similarity of renames in percent; `None` finds none.
    pub(crate) renames: Option<u8>,
    pub(crate) old_prefix: String,
    pub(crate) new_prefix: String,
    pub(crate) is_full_index: bool,
    pub(crate) digits: Option<usize>,
    pub(crate) is_text: bool,
    pub(crate) has_exit_code: bool,
    pub(crate) is_quiet: bool,
    pub(crate) is_nul: bool,
    pub(crate) is_reversed: bool,
    pub(crate) is_relative: bool,
    /// Letters of `--diff-filter`.
    pub(crate) filter: Option<String>,
    pub(crate) is_coloured: bool,
    pub(crate) words: Option<WordStyle>,
    /// The pattern of a word, for `--word-diff-regex`.
    pub(crate) word: Option<Regex>,
    /// `--compact-summary`: new and removed files are marked in `--stat`.
    pub(crate) is_compact: bool,
    /// `--no-index`: both sides have names of their own.
    pub(crate) is_outside: bool,
    /// `-c`: differences of merges show what is equal to one parent, too.
    pub(crate) is_combined: bool,
    /// Width of `--stat`, if it is given.
    pub(crate) width: Option<usize>,
}

impl DiffOptions {
    /// Returns the defaults of a repository.
    pub(crate) fn new(repo: &Repo) -> DiffOptions {
        let has_prefix = repo.config.flag("diff.noprefix") != Some(true);
        let prefix = |text: &str| if has_prefix { text.to_owned() } else { String::new() };
        let has_renames = repo.config.get("diff.renames").is_none_or(|value| value != "false");
        DiffOptions {
            formats: Vec::new(),
            is_silent: false,
            style: Style::default(),
            renames: has_renames.then_some(renames::SIMILARITY),
            old_prefix: prefix("a/"),
            new_prefix: prefix("b/"),
            is_full_index: false,
            digits: None,
            is_text: false,
            has_exit_code: false,
            is_quiet: false,
            is_nul: false,
            is_reversed: false,
            is_relative: false,
            filter: None,
            is_coloured: coloured(repo, "color.diff"),
            words: None,
            word: None,
            is_compact: false,
            is_outside: false,
            is_combined: false,
            width: None,
        }
    }

    /// Returns options that no setting changes, for comparing patches.
    pub(crate) fn plain(repo: &Repo) -> DiffOptions {
        let prefix = |text: &str| text.to_owned();
        DiffOptions {
            renames: None,
            is_coloured: false,
            old_prefix: prefix("a/"),
            new_prefix: prefix("b/"),
            ..DiffOptions::new(repo)
        }
    }

    fn set_words(&mut self, style: WordStyle) {
        self.words = Some(style);
        self.is_coloured |= style == WordStyle::Colour;
        if !self.formats.contains(&Format::Patch) {
            self.formats.push(Format::Patch);
        }
    }

    fn set_word(&mut self, pattern: &str) -> Result<()> {
        let pattern = RegexBuilder::new(pattern).multi_line(true).build();
        let pattern = pattern.map_err(|e| fatal(format!("invalid regular expression: {e}")))?;
        self.word = Some(pattern);
        Ok(())
    }

    /// Takes an option; returns false if it is none of these.
    pub(crate) fn take(&mut self, name: &str, value: Option<&str>) -> Result<bool> {
        let mut add = |format: Format| {
            if !self.formats.contains(&format) {
                self.formats.push(format);
            }
        };
        match name {
            "-p" | "-u" | "--patch" => add(Format::Patch),
            "--stat" => {
                add(Format::Stat);
                let first = value.and_then(|value| value.split(',').next());
                self.width = first.and_then(|width| width.parse().ok()).or(self.width);
            }
            "--stat-width" => self.width = value.and_then(|width| width.parse().ok()),
            "--dirstat" | "-X" => add(Format::DirStat),
            "--numstat" => add(Format::NumStat),
            "--shortstat" => add(Format::ShortStat),
            "--summary" => add(Format::Summary),
            "--compact-summary" => {
                add(Format::Stat);
                self.is_compact = true;
            }
            "--patch-with-raw" => {
                add(Format::Raw);
                add(Format::Patch);
            }
            "-W" | "--function-context" => self.style.has_whole_functions = true,
            "--inter-hunk-context" => self.style.between = lines(value)?,
            "--color" => self.is_coloured = !matches!(value, Some("never" | "auto")),
            "--no-color" => self.is_coloured = false,
            "--color-words" => {
                self.set_words(WordStyle::Colour);
                value.map_or(Ok(()), |pattern| self.set_word(pattern))?;
            }
            "--word-diff" => match value {
                None | Some("plain") => self.set_words(WordStyle::Plain),
                Some("color") => self.set_words(WordStyle::Colour),
                Some("porcelain") => self.set_words(WordStyle::Porcelain),
                Some("none") => self.words = None,
                Some(other) => {
                    let text = format!("error: bad --word-diff argument: {other}");
                    return Err(Fault { code: USAGE, text });
                }
            },
            "--word-diff-regex" => {
                self.set_word(value.unwrap_or_default())?;
                self.set_words(self.words.unwrap_or(WordStyle::Plain));
            }
            "--name-only" => add(Format::NameOnly),
            "--name-status" => add(Format::NameStatus),
            "--raw" => add(Format::Raw),
            "--patch-with-stat" => {
                add(Format::Stat);
                add(Format::Patch);
            }
            "-s" | "--no-patch" => self.is_silent = true,
            "-w" | "--ignore-all-space" => self.style.space = Space::Ignored,
            "-b" | "--ignore-space-change" => self.style.space = Space::AmountIgnored,
            "--ignore-space-at-eol" | "--ignore-cr-at-eol" => {
                self.style.space = Space::AtEndIgnored
            }
            "--ignore-blank-lines" => self.style.is_blank_ignored = true,
            "--minimal" => self.style.algorithm = Algorithm::MyersMinimal,
            "--histogram" | "--patience" => self.style.algorithm = Algorithm::Histogram,
            "--diff-algorithm" => {
                self.style.algorithm = match value {
                    Some("minimal") => Algorithm::MyersMinimal,
                    Some("histogram" | "patience") => Algorithm::Histogram,
                    _ => Algorithm::Myers,
                };
            }
            "--no-renames" => self.renames = None,
            "--find-renames" => self.renames = Some(similarity(value)?),
            "--find-copies" => {}
            "--no-prefix" => {
                self.old_prefix.clear();
                self.new_prefix.clear();
            }
            "--default-prefix" => {
                self.old_prefix = "a/".to_owned();
                self.new_prefix = "b/".to_owned();
            }
            "--src-prefix" => self.old_prefix = value.unwrap_or_default().to_owned(),
            "--dst-prefix" => self.new_prefix = value.unwrap_or_default().to_owned(),
            "--full-index" => self.is_full_index = true,
            "--abbrev" => self.digits = value.and_then(|n| n.parse().ok()),
            "-a" | "--text" => self.is_text = true,
            "--exit-code" => self.has_exit_code = true,
            "--quiet" => {
                self.is_quiet = true;
                self.has_exit_code = true;
            }
            "-z" => self.is_nul = true,
            "-R" => {
                self.is_reversed = !self.is_reversed;
                std::mem::swap(&mut self.old_prefix, &mut self.new_prefix);
            }
            "--relative" => self.is_relative = true,
            "--unified" => self.style.context = lines(value)?,
            "--diff-filter" => self.filter = value.map(str::to_owned),
            "--no-ext-diff"
            | "--ext-diff"
            | "--no-textconv"
            | "--indent-heuristic"
            | "--binary"
            | "--no-color-moved"
            | "--color-moved"
            | "--submodule"
            | "--ignore-submodules"
            | "--color-moved-ws"
            | "--ws-error-highlight"
            | "--anchored"
            | "--find-copies-harder"
            | "--rename-empty"
            | "--no-rename-empty"
            | "--ita-invisible-in-index" => {}
            "-U" => self.style.context = lines(value)?,
            "-M" => self.renames = Some(similarity(value)?),
            "-C" => {}
            _ => return Ok(false),
        }
        if matches!(name, "--unified" | "-U") {
            self.formats.push(Format::Patch);
            self.formats.dedup();
        }
        Ok(true)
    }

    /// Finds renames, and drops what `--diff-filter` does not select.
    pub(crate) fn prepare(&self, repo: &Repo, mut changes: Vec<Change>) -> Result<Vec<Change>> {
        if self.is_reversed {
            for change in &mut changes {
                let (old, new) = (change.new, change.old);
                *change = Change::new(std::mem::take(&mut change.path), old, new);
            }
        }
        if let Some(least) = self.renames {
            changes = renames::find(repo, changes, least)?;
        }
        if let Some(filter) = &self.filter {
            let letters: String = filter.chars().filter(char::is_ascii_uppercase).collect();
            let without: String = filter.chars().filter(char::is_ascii_lowercase).collect();
            changes.retain(|change| {
                let letter = change.status.letter();
                (letters.is_empty() || letters.contains(letter))
                    && !without.contains(letter.to_ascii_lowercase())
            });
        }
        if self.is_relative && !repo.prefix.is_empty() {
            let prefix = [repo.prefix.as_slice(), b"/"].concat();
            changes.retain(|change| change.path.starts_with(&prefix));
        }
        Ok(changes)
    }

    /// Writes changes that [`DiffOptions::prepare`] returned.
    pub(crate) fn write(&self, repo: &Repo, changes: &[Change], out: &mut Vec<u8>) -> Result<()> {
        if self.is_silent || self.is_quiet {
            return Ok(());
        }
        let has = |format: Format| self.formats.contains(&format);
        let end = if self.is_nul { 0 } else { b'\n' };
        let shown = |path: &[u8]| {
            let path = match path.strip_prefix(repo.prefix.as_slice()) {
                Some(rest) if self.is_relative && !repo.prefix.is_empty() => &rest[1..],
                _ => path,
            };
            if self.is_nul { path.to_vec() } else { quoted(path) }
        };
        for change in changes {
            let names: Vec<Vec<u8>> = match change.status {
                Status::Renamed(_) => {
                    vec![shown(&change.old_path), shown(&change.path)]
                }
                _ if self.is_outside => vec![shown(&change.old_path)],
                _ => vec![shown(&change.path)],
            };
            let letter = match change.status {
                Status::Renamed(score) => format!("R{score:03}"),
                other => other.letter().to_string(),
            };
            let tab = if self.is_nul { 0 } else { b'\t' };
            if has(Format::Raw) {
                let id = |oid: crate::store::oid::Oid| match self.is_full_index {
                    true => oid.to_string(),
                    false if oid.is_zero() => "0000000".to_owned(),
                    false => repo.odb.short(oid),
                };
                let (old, new) = (&change.old, &change.new);
                let line = format!(
                    ":{:06o} {:06o} {} {} {letter}",
                    old.mode,
                    new.mode,
                    id(old.oid),
                    id(new.oid)
                );
                out.extend(line.bytes());
                out.push(tab);
                out.extend(names.join(&tab));
                out.push(end);
            }
            if has(Format::NameStatus) {
                out.extend(letter.bytes());
                out.push(tab);
                out.extend(names.join(&tab));
                out.push(end);
            }
            if has(Format::NameOnly) {
                out.extend(names.last().map_or(&[][..], Vec::as_slice));
                out.push(end);
            }
        }
        if has(Format::Stat) || has(Format::NumStat) || has(Format::ShortStat) {
            let counts = stat::count(repo, changes, self)?;
            if has(Format::NumStat) {
                stat::numbers(&counts, out);
            }
            if has(Format::Stat) {
                stat::stat(&counts, self, out);
            }
            if has(Format::ShortStat) {
                stat::short(&counts, out);
            }
        }
        if has(Format::DirStat) {
            dirstat::write(repo, changes, out)?;
        }
        if has(Format::Summary) {
            stat::summary(changes, out);
        }
        if has(Format::Patch) {
            if self.formats.iter().any(|format| !matches!(format, Format::Patch))
                && !changes.is_empty()
            {
                out.push(b'\n');
            }
            for change in changes {
                patch::write(repo, change, self, out)?;
            }
        }
        Ok(())
    }
}

/// Returns true if the configuration asks for colours even without a terminal.
pub(crate) fn coloured(repo: &Repo, key: &str) -> bool {
    let value = repo.config.get(key).or_else(|| repo.config.get("color.ui"));
    value == Some("always")
}

fn similarity(value: Option<&str>) -> Result<u8> {
    let Some(value) = value else { return Ok(renames::SIMILARITY) };
    let number = value.trim_end_matches('%');
    let percent = match (value.ends_with('%'), number.parse::<u8>()) {
        (_, Ok(n)) if n <= 100 && (value.ends_with('%') || n >= 10) => n,
        (false, Ok(n)) => n * 10,
        _ => return Err(error(format!("invalid argument to find-renames: {value}"))),
    };
    Ok(percent)
}

fn lines(value: Option<&str>) -> Result<u32> {
    let value = value.unwrap_or_default();
    value.parse().map_err(|_| error(format!("unified expects a numerical value: {value}")))
}
