//! Reads patches and applies their hunks.

use super::compare::split;
use crate::bytes;

/// Changes of one file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilePatch {
    /// Old name without prefix; `None` if the patch makes the file.
    pub(crate) old: Option<Vec<u8>>,
    /// New name without prefix; `None` if the patch removes the file.
    pub(crate) new: Option<Vec<u8>>,
    pub(crate) old_mode: Option<u32>,
    pub(crate) new_mode: Option<u32>,
    pub(crate) is_rename: bool,
    pub(crate) is_copy: bool,
    pub(crate) is_binary: bool,
    pub(crate) hunks: Vec<Hunk>,
}

/// Changes of one place, with the lines around it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hunk {
    /// Line of the old file, from 1.
    pub(crate) old_start: usize,
    pub(crate) new_start: usize,
    /// Marks (` `, `-`, `+`) and lines with their newlines.
    pub(crate) lines: Vec<(u8, Vec<u8>)>,
}

impl FilePatch {
    /// Returns the name of the file for messages.
    pub(crate) fn name(&self) -> &[u8] {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or_default()
    }

    /// Swaps old and new.
    pub(crate) fn reverse(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        std::mem::swap(&mut self.old_mode, &mut self.new_mode);
        for hunk in &mut self.hunks {
            std::mem::swap(&mut hunk.old_start, &mut hunk.new_start);
            for (mark, _) in &mut hunk.lines {
                *mark = match *mark {
                    b'-' => b'+',
                    b'+' => b'-',
                    other => other,
                };
            }
        }
    }
}

/// Reads a patch. The error is the message for `error: …`.
pub(crate) fn parse(patch: &[u8], strip: usize) -> Result<Vec<FilePatch>, String> {
    let lines = split(patch);
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    let mut is_open = false;
    while at < lines.len() {
        let line = trimmed(lines[at]);
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            let (old, new) = header_names(names, strip);
            files.push(FilePatch { old, new, ..FilePatch::default() });
            is_open = true;
            at += 1;
        } else if line.starts_with(b"--- ")
            && lines.get(at + 1).is_some_and(|next| next.starts_with(b"+++ "))
            && lines.get(at + 2).is_some_and(|next| next.starts_with(b"@@ -"))
        {
            if !is_open {
                files.push(FilePatch::default());
            }
            is_open = false;
            let file = files.last_mut().ok_or("corrupt patch")?;
            file.old = name(&line[4..], strip);
            file.new = name(&trimmed(lines[at + 1])[4..], strip);
            at += 2;
            while lines.get(at).is_some_and(|next| next.starts_with(b"@@ -")) {
                let hunk = hunk(&lines, &mut at)
                    .ok_or_else(|| format!("corrupt patch at line {}", at + 1))?;
                file.hunks.push(hunk);
            }
        } else if is_open && let Some(file) = files.last_mut() {
            extended_header(line, file, strip);
            at += 1;
        } else {
            at += 1;
        }
    }
    if files.is_empty() {
        return Err("No valid patches in input (allow with \"--allow-empty\")".to_owned());
    }
    Ok(files)
}

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn extended_header(line: &[u8], file: &mut FilePatch, strip: usize) {
    let mode = |text: &[u8]| u32::from_str_radix(&String::from_utf8_lossy(text), 8).ok();
    let plain = |text: &[u8]| match bytes::unquoted(text) {
        Some((name, _)) => Some(name),
        None => Some(text.to_vec()),
    };
    if let Some(text) = line.strip_prefix(b"new file mode ") {
        file.new_mode = mode(text);
        file.old = None;
    } else if let Some(text) = line.strip_prefix(b"deleted file mode ") {
        file.old_mode = mode(text);
        file.new = None;
    } else if let Some(text) = line.strip_prefix(b"old mode ") {
        file.old_mode = mode(text);
    } else if let Some(text) = line.strip_prefix(b"new mode ") {
        file.new_mode = mode(text);
    } else if let Some(text) = line.strip_prefix(b"rename from ") {
        file.old = plain(text);
        file.is_rename = true;
    } else if let Some(text) = line.strip_prefix(b"rename to ") {
        file.new = plain(text);
    } else if let Some(text) = line.strip_prefix(b"copy from ") {
        file.old = plain(text);
        file.is_copy = true;
    } else if let Some(text) = line.strip_prefix(b"copy to ") {
        file.new = plain(text);
    } else if line.starts_with(b"Binary files ") || line.starts_with(b"GIT binary patch") {
        file.is_binary = true;
    } else if line.starts_with(b"index ") && strip > 0 {
        // The mode after the identities is that of both sides.
        if let Some(text) = line.split(|b| *b == b' ').nth(2) {
            file.old_mode = file.old_mode.or(mode(text));
        }
    }
}

/// Returns the name in a `---` or `+++` line.
fn name(text: &[u8], strip: usize) -> Option<Vec<u8>> {
    let name = match bytes::unquoted(text) {
        Some((name, _)) => name,
        None => text.split(|b| *b == b'\t').next().unwrap_or_default().to_vec(),
    };
    if name == b"/dev/null" {
        return None;
    }
    Some(stripped(&name, strip))
}

fn stripped(name: &[u8], strip: usize) -> Vec<u8> {
    let mut rest = name;
    for _ in 0..strip {
        match rest.iter().position(|b| *b == b'/') {
            Some(at) => rest = &rest[at + 1..],
            None => break,
        }
    }
    rest.to_vec()
}

/// Returns both names of a line `diff --git a/x b/x`.
fn header_names(text: &[u8], strip: usize) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    if let Some((old, rest)) = bytes::unquoted(text) {
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let new = bytes::unquoted(rest).map_or_else(|| rest.to_vec(), |(name, _)| name);
        return (Some(stripped(&old, strip)), Some(stripped(&new, strip)));
    }
    // Names with spaces are ambiguous unless both are the same.
    for (at, _) in text.iter().enumerate().filter(|(_, b)| **b == b' ') {
        let (old, new) = (stripped(&text[..at], strip), stripped(&text[at + 1..], strip));
        if old == new {
            return (Some(old), Some(new));
        }
    }
    (None, None)
}

fn hunk(lines: &[&[u8]], at: &mut usize) -> Option<Hunk> {
    let header = String::from_utf8_lossy(lines[*at]).into_owned();
    let ranges = header.strip_prefix("@@ -")?.split(" @@").next()?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((old_start, mut old_left), (new_start, mut new_left)) = (range(old)?, range(new)?);
    let mut hunk = Hunk { old_start, new_start, lines: Vec::new() };
    *at += 1;
    while old_left > 0 || new_left > 0 {
        let line = lines.get(*at)?;
        let (mark, content) = match line.split_first() {
            Some((mark @ (b' ' | b'-' | b'+'), content)) => (*mark, content),
            // Mail programs drop the space of an empty line.
            Some((b'\n', _)) => (b' ', *line),
            Some((b'\\', _)) => {
                without_newline(&mut hunk);
                *at += 1;
                continue;
            }
            _ => return None,
        };
        if mark != b'+' {
            old_left = old_left.checked_sub(1)?;
        }
        if mark != b'-' {
            new_left = new_left.checked_sub(1)?;
        }
        hunk.lines.push((mark, content.to_vec()));
        *at += 1;
    }
    if lines.get(*at).is_some_and(|line| line.starts_with(b"\\")) {
        without_newline(&mut hunk);
        *at += 1;
    }
    Some(hunk)
}

fn without_newline(hunk: &mut Hunk) {
    if let Some((_, line)) = hunk.lines.last_mut()
        && line.ends_with(b"\n")
    {
        line.pop();
    }
}

/// Applies hunks to a file. The error is the hunk that does not apply.
pub(crate) fn apply<'h>(data: &[u8], hunks: &'h [Hunk]) -> Result<Vec<u8>, &'h Hunk> {
    let mut lines: Vec<Vec<u8>> = split(data).into_iter().map(<[u8]>::to_vec).collect();
    let mut shift = 0isize;
    for hunk in hunks {
        let side = |drop: u8| -> Vec<&Vec<u8>> {
            hunk.lines.iter().filter(|(mark, _)| *mark != drop).map(|(_, line)| line).collect()
        };
        let (old, new) = (side(b'+'), side(b'-'));
        let first = if old.is_empty() { hunk.old_start } else { hunk.old_start.saturating_sub(1) };
        let wanted = first.saturating_add_signed(shift).min(lines.len());
        let trailing = hunk.lines.iter().rev().take_while(|(mark, _)| *mark == b' ').count();
        let leading = hunk.lines.iter().take_while(|(mark, _)| *mark == b' ').count();
        // A hunk with less context after than before the change belongs to the end of the file.
        let is_at_end = trailing < leading;
        let is_at_start = hunk.old_start <= 1 && leading < trailing;
        let fits = |at: usize| {
            at + old.len() <= lines.len()
                && (!is_at_end || at + old.len() == lines.len())
                && (!is_at_start || at == 0)
                && old.iter().zip(&lines[at..]).all(|(a, b)| *a == b)
        };
        let place = (0..=lines.len()).find_map(|distance| {
            let after = wanted + distance;
            if after <= lines.len() && fits(after) {
                return Some(after);
            }
            wanted.checked_sub(distance).filter(|before| fits(*before))
        });
        let Some(place) = place else { return Err(hunk) };
        shift += new.len() as isize - old.len() as isize + place as isize - wanted as isize;
        let new: Vec<Vec<u8>> = new.into_iter().cloned().collect();
        lines.splice(place..place + old.len(), new);
    }
    Ok(lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &[u8] =
        b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";

    #[test]
    fn a_patch_applies_where_its_lines_are() {
        let files = parse(PATCH, 1).unwrap();
        assert_eq!(files[0].name(), b"x");
        assert_eq!(apply(b"a\nb\nc\n", &files[0].hunks).unwrap(), b"a\nB\nc\n");
        assert_eq!(apply(b"0\na\nb\nc\nd\n", &files[0].hunks).unwrap(), b"0\na\nB\nc\nd\n");
        assert!(apply(b"a\nc\n", &files[0].hunks).is_err());
    }

    #[test]
    fn broken_patches_are_refused() {
        assert!(parse(b"nothing\n", 1).is_err());
        assert!(parse(b"--- a/x\n+++ b/x\n@@ -1,9 +1 @@\n a\n", 1).is_err());
        assert!(parse(b"--- a/x\n+++ b/x\n@@ -x +1 @@\n a\n", 1).is_err());
    }

    #[test]
    fn names_with_spaces_are_read() {
        let files =
            parse(b"diff --git a/a b b/a b\nnew file mode 100644\nindex 0..e\n", 1).unwrap();
        assert_eq!(files[0].new.as_deref(), Some(&b"a b"[..]));
        assert_eq!(files[0].old, None);
    }
}
