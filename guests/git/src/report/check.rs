//! `--check`: white space errors and conflict markers in added lines.

use crate::bytes::text;
use crate::fault::Result;
use crate::repo::Repo;
use crate::report::content;
use crate::text::compare::{self, Style};
use crate::tree::changes::{Change, Status};

/// Exit code if there is an error.
pub(crate) const WRONG: i32 = 2;

/// Writes the errors; returns true if there are any.
pub(crate) fn write(repo: &Repo, changes: &[Change], out: &mut Vec<u8>) -> Result<bool> {
    let before = out.len();
    for change in changes.iter().filter(|change| change.status != Status::Unmerged) {
        let old = content::read(repo, &change.old, &change.old_path)?;
        let new = content::read(repo, &change.new, &change.path)?;
        if compare::is_binary(&old) || compare::is_binary(&new) {
            continue;
        }
        let name = text(&change.path);
        let (old, new) = (compare::split(&old), compare::split(&new));
        let mut last_added = None;
        for edit in compare::edits(&old, &new, &Style::default()) {
            for at in edit.new.clone() {
                let line = new[at].strip_suffix(b"\n").unwrap_or(new[at]);
                if is_marker(line) {
                    let line = format!("{name}:{}: leftover conflict marker\n", at + 1);
                    out.extend(line.bytes());
                }
                if let Some(mistakes) = mistakes(line) {
                    out.extend(format!("{name}:{}: {mistakes}.\n+", at + 1).bytes());
                    out.extend(line);
                    out.push(b'\n');
                }
            }
            if edit.new.end == new.len() {
                last_added = Some(edit.new);
            }
        }
        // Blank lines that were added at the end of the file.
        if let Some(added) = last_added {
            let is_blank = |at: &usize| new[*at].trim_ascii().is_empty();
            let blank = added.clone().rev().take_while(is_blank).last();
            let was_blank = old.last().is_some_and(|line| line.trim_ascii().is_empty());
            if let Some(first) = blank.filter(|_| !was_blank) {
                out.extend(format!("{name}:{}: new blank line at EOF.\n", first + 1).bytes());
            }
        }
    }
    Ok(out.len() > before)
}

fn is_marker(line: &[u8]) -> bool {
    let Some(first @ (b'<' | b'=' | b'>' | b'|')) = line.first() else { return false };
    let length = line.iter().take_while(|b| *b == first).count();
    length == 7 && line.get(7).is_none_or(u8::is_ascii_whitespace)
}

fn mistakes(line: &[u8]) -> Option<&'static str> {
    let is_trailing = line.last().is_some_and(u8::is_ascii_whitespace);
    let indent = line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let has_space_before_tab = line[..indent].windows(2).any(|pair| pair == b" \t");
    match (is_trailing, has_space_before_tab) {
        (true, true) => Some("trailing whitespace, space before tab in indent"),
        (true, false) => Some("trailing whitespace"),
        (false, true) => Some("space before tab in indent"),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        assert_eq!(mistakes(b"a "), Some("trailing whitespace"));
        assert_eq!(mistakes(b" \ta"), Some("space before tab in indent"));
        assert_eq!(mistakes(b"\ta"), None);
        assert!(is_marker(b"======="));
        assert!(!is_marker(b"========"));
    }
}
