//! Tilde expansion.

use crate::shell::{Flow, Shell};
use crate::syntax::ast::{Part, Text, Word};

impl Shell {
    /// Expands a leading tilde and returns its value and length. `last` is true if nothing follows
    /// the text, so that a user name may end there.
    pub(crate) fn tilde(&mut self, text: &[u8], last: bool, ends: &[u8]) -> Option<(Text, usize)> {
        let end = text.iter().position(|c| ends.contains(c));
        let len = match end {
            Some(end) => end,
            None if last => text.len(),
            None => return None,
        };
        let home = match &text[1..len] {
            b"" => self.get(b"HOME").unwrap_or_else(|| b"/".to_vec()),
            b"+" => self.cwd.clone(),
            b"-" => self.get(b"OLDPWD")?,
            b"root" => b"/root".to_vec(),
            name => {
                let digits = name.strip_prefix(b"+").or(name.strip_prefix(b"-")).unwrap_or(name);
                if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                    return None;
                }
                let at: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
                let stack = self.dynamic_array(b"DIRSTACK");
                let at = if name[0] == b'-' { stack.len().checked_sub(at + 1)? } else { at };
                stack.get(at)?.clone()
            }
        };
        Some((home, len))
    }

    /// Replaces tildes in a word that looks like an assignment; returns `None` for any other word.
    pub(super) fn tilde_argument(
        &mut self,
        word: &Word,
        text: &[u8],
    ) -> Result<Option<Word>, Flow> {
        let Some(at) = text.iter().position(|c| *c == b'=') else { return Ok(None) };
        if !crate::syntax::is_name(&text[..at]) {
            return Ok(None);
        }
        let mut rest = word.clone();
        rest.parts[0] = Part::Literal(text[at + 1..].to_vec());
        let mut changed = self.tildes_in_assignment(&rest)?;
        changed.parts.insert(0, Part::Literal(text[..=at].to_vec()));
        Ok(Some(changed))
    }

    /// Replaces the tildes of an assignment: at the beginning and after colons.
    pub(super) fn tildes_in_assignment(&mut self, word: &Word) -> Result<Word, Flow> {
        let mut parts = Vec::new();
        let mut boundary = true;
        for (at, part) in word.parts.iter().enumerate() {
            let Part::Literal(text) = part else {
                parts.push(part.clone());
                boundary = false;
                continue;
            };
            let last = at + 1 == word.parts.len();
            let mut start = 0;
            while start < text.len() {
                let rest = &text[start..];
                if boundary && rest[0] == b'~' {
                    let closed = last || rest.iter().any(|c| matches!(c, b'/' | b':'));
                    if closed && let Some((home, len)) = self.tilde(rest, true, b"/:") {
                        parts.push(Part::Quoted(home));
                        start += len;
                        boundary = false;
                        continue;
                    }
                }
                let len = rest.iter().position(|c| *c == b':').map_or(rest.len(), |at| at + 1);
                boundary = rest[len - 1] == b':';
                parts.push(Part::Literal(rest[..len].to_vec()));
                start += len;
            }
        }
        Ok(Word::new(parts))
    }
}
