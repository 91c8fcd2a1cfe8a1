//! Pathname expansion.

use std::ffi::OsStr;
use std::path::Path;

use cofferdam_guest_sys as sys;

use super::sink::{Field, unescape};
use crate::pattern::{Pattern, Rules};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::Text;

/// Most names that one pattern may produce.
const MAX_NAMES: usize = 1_000_000;

/// Deepest directory that `**` descends to.
const MAX_DEPTH: usize = 200;

#[cfg(unix)]
use std::os::unix::ffi::{OsStrExt, OsStringExt};
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::{OsStrExt, OsStringExt};

/// Converts bytes to a path.
pub fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Converts an OS string to bytes.
pub fn bytes(name: std::ffi::OsString) -> Text {
    name.into_vec()
}

impl Shell {
    /// Appends the paths that a field matches, or the field itself if there are none.
    pub(super) fn glob_into(&mut self, field: Field, args: &mut Vec<Text>) -> Result<(), Flow> {
        if !is_pattern(field.search(), self.options.extglob()) {
            args.push(field.plain());
            return Ok(());
        }
        let mut found = self.glob(field.search())?;
        if let Some(ignore) = self.get(b"GLOBIGNORE").filter(|ignore| !ignore.is_empty()) {
            let rules = Rules { fold: false, ..self.pattern_rules() };
            // No part of a pattern matches a slash, so patterns are compared part by part.
            let parts = |text: &[u8]| -> Vec<Pattern> {
                text.split(|c| *c == b'/').map(|part| Pattern::new(part, rules)).collect()
            };
            let patterns: Vec<Vec<Pattern>> =
                ignore_patterns(&ignore).into_iter().map(parts).collect();
            let fits = |pattern: &Vec<Pattern>, name: &[u8]| {
                let names: Vec<&[u8]> = name.split(|c| *c == b'/').collect();
                names.len() == pattern.len()
                    && pattern.iter().zip(names).all(|(part, name)| part.matches(name))
            };
            found.retain(|name| {
                let last = name.rsplit(|c| *c == b'/').next().unwrap_or(name);
                last != b"." && last != b".." && !patterns.iter().any(|pattern| fits(pattern, name))
            });
        }
        if !found.is_empty() {
            args.append(&mut found);
        } else if self.options.failglob() {
            let text = String::from_utf8_lossy(&field.plain()).into_owned();
            self.warn(&format!("no match: {text}"));
            let ends = self.options.errexit() && self.errexit_off == 0;
            return Err(if ends { Flow::Exit(1) } else { Flow::Discard(1) });
        } else if !self.options.nullglob() {
            args.push(field.plain());
        }
        Ok(())
    }

    /// Returns the paths that match a pattern, sorted.
    pub fn glob(&mut self, pattern: &[u8]) -> Result<Vec<Text>, Flow> {
        let mut search = Search {
            rules: Rules { fold: self.options.nocaseglob(), ..self.pattern_rules() },
            dot: self.options.dotglob() || self.vars.contains_key(&b"GLOBIGNORE"[..]),
            skip_dots: self.options.globskipdots(),
            globstar: self.options.globstar(),
            found: Vec::new(),
        };
        let parts: Vec<&[u8]> = split(pattern);
        let (base, parts) = match parts.split_first() {
            Some((&b"", rest)) if pattern.first() == Some(&b'/') => (b"/".to_vec(), rest),
            _ => (Vec::new(), parts.as_slice()),
        };
        search.walk(base, parts, 0);
        if search.found.len() >= MAX_NAMES {
            let message = format!("pathname expansion: more than {MAX_NAMES} names");
            self.warn_capped(sys::Cap::Expansion, MAX_NAMES, &message);
            return Err(Flow::Discard(1));
        }
        search.found.sort_unstable();
        search.found.dedup();
        Ok(search.found)
    }
}

/// Splits `GLOBIGNORE` at colons outside bracket expressions.
fn ignore_patterns(text: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'[' => {
                if let Some(len) = bracket_len(&text[at..]) {
                    at += len - 1;
                }
            }
            b':' => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&text[start..]);
    parts
}

/// Returns the length of a bracket expression, including its brackets.
fn bracket_len(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    if matches!(text.get(at), Some(b'!' | b'^')) {
        at += 1;
    }
    let first = at;
    while let Some(c) = text.get(at) {
        match c {
            b']' if at > first => return Some(at + 1),
            b'[' if matches!(text.get(at + 1), Some(b':' | b'.' | b'=')) => {
                let mark = [text[at + 1], b']'];
                let end = text[at + 2..].windows(2).position(|pair| pair == mark)?;
                at += end + 4;
            }
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

struct Search {
    rules: Rules,
    dot: bool,
    skip_dots: bool,
    globstar: bool,
    found: Vec<Text>,
}

impl Search {
    fn walk(&mut self, base: Text, parts: &[&[u8]], depth: usize) {
        if self.found.len() >= MAX_NAMES || depth > MAX_DEPTH {
            return;
        }
        let Some((part, rest)) = parts.split_first() else {
            self.found.push(base);
            return;
        };
        if part.is_empty() {
            // Trailing or repeated slashes.
            let mut base = base;
            // As in bash, those at the end are one.
            if rest.iter().all(|part| part.is_empty())
                && sys::stat(&base, true).is_ok_and(|status| is_dir(status.mode))
            {
                if base.last() != Some(&b'/') {
                    base.push(b'/');
                }
                self.found.push(base);
                return;
            }
            // As in bash, repeated slashes stay in the names that are found.
            let is_open = base.last() != Some(&b'/');
            if is_open || !rest.is_empty() {
                base.push(b'/');
            }
            if is_open && !rest.is_empty() {
                base.push(b'/');
            }
            if rest.is_empty() {
                if sys::stat(&base, true).is_ok_and(|status| is_dir(status.mode)) {
                    self.found.push(base);
                }
                return;
            }
            return self.walk(base, rest, depth);
        }
        if self.globstar && *part == b"**" {
            return self.all(base, rest, depth);
        }
        if !is_pattern(part, self.rules.extended) {
            let next = join(&base, &unescape(part));
            if sys::stat(&next, false).is_ok() {
                self.walk(next, rest, depth);
            }
            return;
        }
        let pattern = Pattern::new(part, self.rules);
        let mut forms = Vec::new();
        dotted_forms(part, self.rules.extended, &mut forms);
        let dotted: Vec<Pattern> =
            forms.iter().map(|form| Pattern::new(form, self.rules)).collect();
        for name in self.names(&base, !dotted.is_empty()) {
            let hidden = name.first() == Some(&b'.');
            let is_link = name == b"." || name == b"..";
            let matches = match hidden && (!self.dot || is_link) {
                true => dotted.iter().any(|form| form.matches(&name)),
                false => pattern.matches(&name),
            };
            if matches {
                let next = join(&base, &name);
                if rest.is_empty() || sys::stat(&next, true).is_ok_and(|s| is_dir(s.mode)) {
                    self.walk(next, rest, depth);
                }
            }
        }
    }

    /// Matches `**`: this directory and everything below it.
    fn all(&mut self, base: Text, rest: &[&[u8]], depth: usize) {
        if rest.is_empty() {
            if !base.is_empty() {
                let mut found = base.clone();
                if depth == 0 && found.last() != Some(&b'/') {
                    found.push(b'/');
                }
                self.found.push(found);
            }
        } else if !(base.is_empty() && rest == [b""]) {
            // `**/` does not match the working directory itself.
            self.walk(base.clone(), rest, depth);
        }
        if depth > MAX_DEPTH || self.found.len() >= MAX_NAMES {
            return;
        }
        for name in self.names(&base, false) {
            if name.first() == Some(&b'.') && !self.dot {
                continue;
            }
            let next = join(&base, &name);
            // Symbolic links to directories are not followed.
            let is_folder = sys::stat(&next, false).is_ok_and(|s| is_dir(s.mode));
            if is_folder {
                self.all(next, rest, depth + 1);
            } else if rest.is_empty() {
                self.found.push(next);
            }
        }
    }

    fn names(&self, base: &[u8], dotted: bool) -> Vec<Text> {
        let folder: &[u8] = if base.is_empty() { b"." } else { base };
        let Ok(entries) = std::fs::read_dir(path(folder)) else { return Vec::new() };
        let mut names: Vec<Text> =
            entries.flatten().map(|entry| bytes(entry.file_name())).collect();
        if dotted && !self.skip_dots {
            names.push(b".".to_vec());
            names.push(b"..".to_vec());
        }
        names
    }
}

/// Returns true if the mode is that of a directory.
pub fn is_dir(mode: u32) -> bool {
    mode & 0o170_000 == 0o040_000
}

/// Most forms in which a pattern with groups may begin with a dot.
const MAX_FORMS: usize = 32;

/// Collects the patterns with an explicit dot at the beginning that a pattern stands for: only
/// those match hidden names.
fn dotted_forms(part: &[u8], extended: bool, forms: &mut Vec<Text>) {
    if part.first() == Some(&b'.') || part.starts_with(b"\\.") {
        forms.push(part.to_vec());
        return;
    }
    let is_group = extended && part.len() > 2 && part[1] == b'(' && b"@+?*".contains(&part[0]);
    if !is_group {
        return;
    }
    let Some((choices, len)) = alternatives(&part[1..]) else { return };
    let (group, rest) = part.split_at(1 + len);
    for choice in choices {
        let mut inner = Vec::new();
        dotted_forms(choice, extended, &mut inner);
        for mut form in inner {
            if forms.len() >= MAX_FORMS {
                return;
            }
            if matches!(part[0], b'*' | b'+') {
                form.push(b'*');
                form.extend_from_slice(&group[1..]);
            }
            form.extend_from_slice(rest);
            forms.push(form);
        }
    }
    if matches!(part[0], b'?' | b'*') && forms.len() < MAX_FORMS {
        dotted_forms(rest, extended, forms);
    }
}

/// Splits the parenthesis that begins here at its bars; also returns its length.
fn alternatives(text: &[u8]) -> Option<(Vec<&[u8]>, usize)> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut at) = (0usize, 1, 0);
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b'|' if depth == 1 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            b')' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(&text[start..at]);
                    return Some((parts, at + 1));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn join(base: &[u8], name: &[u8]) -> Text {
    let mut path = base.to_vec();
    if !path.is_empty() && path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// Splits at slashes outside groups.
fn split(pattern: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < pattern.len() {
        match pattern[at] {
            b'\\' => at += 1,
            b'/' => {
                parts.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&pattern[start.min(pattern.len())..]);
    parts
}

/// Returns true if a pattern can match more than its own text.
fn is_pattern(text: &[u8], extended: bool) -> bool {
    let mut at = 0;
    let mut is_open = false;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'*' | b'?' => return true,
            b'[' => is_open = true,
            b']' if is_open => return true,
            // A bracket expression ends with its name.
            b'/' => is_open = false,
            b'+' | b'@' | b'!' if extended && text.get(at + 1) == Some(&b'(') => return true,
            _ => {}
        }
        at += 1;
    }
    false
}
