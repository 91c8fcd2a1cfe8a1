//! The text of a patch: files, hunks and lines.

use super::shown;

/// One changed place of a file.
#[derive(Clone)]
pub(super) struct Hunk {
    /// First line in the old file, counted from 1; 0 for an empty file.
    pub(super) start: usize,
    pub(super) new_start: usize,
    pub(super) lines: Vec<(u8, Vec<u8>)>,
}

impl Hunk {
    /// Returns the lines before or after the change.
    pub(super) fn side(&self, dropped: u8) -> Vec<&[u8]> {
        let kept = self.lines.iter().filter(|(sign, _)| *sign != dropped);
        kept.map(|(_, line)| line.as_slice()).collect()
    }

    /// Returns the hunk that undoes this one.
    pub(super) fn reversed(&self) -> Hunk {
        let turn = |sign: u8| match sign {
            b'+' => b'-',
            b'-' => b'+',
            other => other,
        };
        // Removed lines come before added ones in each run of changes.
        let mut lines: Vec<(u8, Vec<u8>)> = Vec::new();
        let mut added = Vec::new();
        for (sign, line) in &self.lines {
            match turn(*sign) {
                b'+' => added.push((b'+', line.clone())),
                b'-' => lines.push((b'-', line.clone())),
                sign => {
                    lines.append(&mut added);
                    lines.push((sign, line.clone()));
                }
            }
        }
        lines.append(&mut added);
        Hunk { start: self.new_start, new_start: self.start, lines }
    }

    pub(super) fn text(&self) -> Vec<u8> {
        let (old, new) = (self.side(b'+').len(), self.side(b'-').len());
        let mut text =
            format!("@@ -{},{old} +{},{new} @@\n", self.start, self.new_start).into_bytes();
        for (sign, line) in &self.lines {
            text.push(*sign);
            text.extend_from_slice(line);
            if line.last() != Some(&b'\n') {
                text.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
        text
    }
}

/// The changes of one file.
#[derive(Default)]
pub(super) struct Change {
    pub(super) old: Option<Vec<u8>>,
    pub(super) new: Option<Vec<u8>>,
    pub(super) renamed: Option<(Vec<u8>, Vec<u8>)>,
    pub(super) hunks: Vec<Hunk>,
    /// The lines before the first hunk, as the patch has them.
    pub(super) header: Vec<Vec<u8>>,
    /// Number of the line of the first hunk.
    pub(super) line: usize,
}

/// Splits text into lines that keep their ends.
pub(super) fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the file name of a `---` or `+++` line.
pub(super) fn named(rest: &[u8]) -> Vec<u8> {
    let rest = rest.trim_ascii_end();
    let end = rest.iter().position(|byte| *byte == b'\t').unwrap_or(rest.len());
    rest[..end].to_vec()
}

pub(super) fn range(text: &[u8]) -> Option<(usize, usize)> {
    let text = std::str::from_utf8(text).ok()?;
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

/// Parses a `@@ -1,2 +3,4 @@` line into the starts and lengths of both sides.
pub(super) fn heading(line: &[u8]) -> Option<((usize, usize), (usize, usize))> {
    let rest = line.strip_prefix(b"@@ -")?;
    let mut words = rest.split(|byte| *byte == b' ');
    let old = range(words.next()?)?;
    let new = range(words.next()?.strip_prefix(b"+")?)?;
    Some((old, new))
}

pub(super) fn parse(text: &[u8]) -> Result<Vec<Change>, String> {
    let all = lines(text);
    let mut changes: Vec<Change> = Vec::new();
    let mut pending = Change::default();
    let (mut at, mut since) = (0, 0);
    while let Some(line) = all.get(at) {
        at += 1;
        let next = all.get(at).copied().unwrap_or_default();
        if line.starts_with(b"diff --git ") {
            if pending.renamed.is_some() {
                changes.push(std::mem::take(&mut pending));
            }
            pending = Change::default();
        } else if let Some(from) = line.strip_prefix(b"rename from ") {
            pending.renamed = Some((named(from), Vec::new()));
        } else if let Some(to) = line.strip_prefix(b"rename to ") {
            if let Some(renamed) = &mut pending.renamed {
                renamed.1 = named(to);
            }
        } else if line.starts_with(b"--- ") && next.starts_with(b"+++ ") {
            pending.old = Some(named(&line[4..]));
            pending.new = Some(named(&next[4..]));
            at += 1;
            changes.push(std::mem::take(&mut pending));
        } else if let Some(((start, old), (new_start, new))) = heading(line) {
            let (header, line) = (since..at - 1, at);
            let mut hunk = Hunk { start, new_start, lines: Vec::new() };
            let (mut old, mut new) = (old, new);
            while old > 0 || new > 0 {
                let Some(line) = all.get(at) else {
                    return Err(format!("unexpected end of file in patch at line {at}"));
                };
                at += 1;
                let (sign, rest) = match line.split_first() {
                    Some((sign @ (b' ' | b'+' | b'-'), rest)) => (*sign, rest),
                    Some((b'\\', _)) => {
                        drop_newline(&mut hunk);
                        continue;
                    }
                    // Mail programs strip the blank of an empty context line.
                    Some((b'\n', _)) => (b' ', *line),
                    _ => return Err(format!("malformed patch at line {at}: {}", shown(line))),
                };
                old = old.saturating_sub(usize::from(sign != b'+'));
                new = new.saturating_sub(usize::from(sign != b'-'));
                hunk.lines.push((sign, rest.to_vec()));
            }
            if all.get(at).is_some_and(|line| line.starts_with(b"\\")) {
                drop_newline(&mut hunk);
                at += 1;
            }
            if changes.is_empty() {
                changes.push(Change::default());
            }
            if let Some(change) = changes.last_mut() {
                if change.hunks.is_empty() {
                    change.header = all[header].iter().map(|line| line.to_vec()).collect();
                    change.line = line;
                }
                change.hunks.push(hunk);
            }
            since = at;
        }
    }
    if pending.renamed.is_some() {
        changes.push(pending);
    }
    Ok(changes)
}

pub(super) fn drop_newline(hunk: &mut Hunk) {
    if let Some((_, line)) = hunk.lines.last_mut()
        && line.last() == Some(&b'\n')
    {
        line.pop();
    }
}
