//! Delimiters and bodies of here-documents.

use super::ast::{Here, Text, Word};
use super::parser::{Parser, Result, Warning};
use super::word::Context;

/// Returns a here-document's delimiter without quotes, and true if any of it was quoted.
pub(super) fn delimiter(raw: &[u8]) -> (Text, bool) {
    let mut end = Vec::new();
    let mut quoted = false;
    let mut at = 0;
    let mut inside = None;
    while at < raw.len() {
        let c = raw[at];
        match (inside, c) {
            (None | Some(b'"'), b'\\') if raw.get(at + 1) == Some(&b'\n') => at += 1,
            (None, b'\\') => {
                quoted = true;
                at += 1;
                end.extend(raw.get(at));
            }
            (None, b'$') if matches!(raw.get(at + 1), Some(b'\'' | b'"')) => {}
            (None, b'\'' | b'"') => {
                quoted = true;
                inside = Some(c);
            }
            (Some(quote), _) if c == quote => inside = None,
            (Some(b'"'), b'\\') if matches!(raw.get(at + 1), Some(b'"' | b'\\' | b'$' | b'`')) => {
                at += 1;
                end.push(raw[at]);
            }
            _ => end.push(c),
        }
        at += 1;
    }
    (end, quoted)
}

impl Parser {
    /// Reads the here-document bodies that begin here.
    pub(super) fn read_pending(&mut self) -> Result<()> {
        for here in std::mem::take(&mut self.pending) {
            let line = self.line;
            let ended_before = self.unended_here;
            let text = self.body_text(&here);
            if self.unended_here && !ended_before && self.substitutions == 0 {
                let (start, end) =
                    (line.saturating_sub(1).max(1), String::from_utf8_lossy(&here.end));
                let message = format!(
                    "warning: here-document at line {start} delimited by end-of-file (wanted `{end}')"
                );
                let last = self.line.saturating_sub(1).max(1);
                self.warnings.push(Warning { line: last, message });
            }
            let word = if here.quoted {
                Word::quoted(&text)
            } else {
                let mut inner = self.inner(&text)?;
                inner.line = line;
                inner.word_to_end(Context::Here)?
            };
            *here.body.borrow_mut() = word;
        }
        Ok(())
    }

    fn body_text(&mut self, here: &Here) -> Text {
        let mut text = Vec::new();
        while !self.at_end() {
            let rest = self.rest();
            let mut joined = Vec::new();
            let (mut taken, mut count) = (0, 0);
            let mut len;
            loop {
                let left = &rest[taken..];
                len = left.iter().position(|c| *c == b'\n');
                joined.extend_from_slice(&left[..len.unwrap_or(left.len())]);
                taken += len.map_or(left.len(), |len| len + 1);
                count += 1;
                // A backslash at the end of a line joins it with the next, even with the delimiter.
                let slashes = joined.iter().rev().take_while(|c| **c == b'\\').count();
                if here.quoted || slashes % 2 == 0 || len.is_none() {
                    break;
                }
                joined.pop();
            }
            let mut line = joined.as_slice();
            // A delimiter may begin with tabs itself.
            if here.strip_tabs && line != here.end.as_slice() {
                while let [b'\t', more @ ..] = line {
                    line = more;
                }
            }
            // In `$(cat <<EOF … EOF)` the delimiter may be followed by the parenthesis.
            if self.substitutions > 0
                && count == 1
                && let Some(after) = line.strip_prefix(here.end.as_slice())
                && after.contains(&b')')
            {
                self.pos += taken - usize::from(len.is_some()) - after.len();
                return text;
            }
            let ended = line == here.end.as_slice();
            if !ended {
                text.extend_from_slice(line);
                // The end of the script ends the last line, too.
                text.push(b'\n');
            }
            self.pos += taken;
            self.line += count;
            if ended {
                return text;
            }
        }
        self.unended_here = true;
        text
    }
}
