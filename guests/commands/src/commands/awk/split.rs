//! Splits a record into fields.

use std::ops::Range;
use std::rc::Rc;

use crate::pattern::Pattern;

use super::format::char_offset;

/// The rule that separates fields.
#[derive(Clone)]
pub(super) enum Splitter {
    /// Runs of blanks, tabs and newlines; leading and trailing runs are ignored.
    Blanks,
    Byte(u8),
    /// Each character is a field.
    Characters,
    Pattern(Rc<Pattern>),
    /// Each match is a field.
    Fields(Rc<Pattern>),
    /// Numbers of characters between fields and in fields.
    Widths(Rc<[(usize, usize)]>),
}

impl Splitter {
    /// Calls `field` with the range of each field.
    pub(super) fn split(&self, text: &[u8], mut field: impl FnMut(Range<usize>)) {
        match self {
            Splitter::Blanks => {
                let mut at = 0;
                while let Some(place) = next_word(text, at) {
                    at = place.end;
                    field(place);
                }
            }
            _ if text.is_empty() => {}
            Splitter::Byte(byte) => {
                let mut start = 0;
                for at in memchr::memchr_iter(*byte, text) {
                    field(start..at);
                    start = at + 1;
                }
                field(start..text.len());
            }
            Splitter::Characters => {
                let mut start = 0;
                while start < text.len() {
                    let end = start + char_offset(&text[start..], 1);
                    field(start..end);
                    start = end;
                }
            }
            Splitter::Pattern(pattern) => {
                let search = pattern.on(text);
                let (mut start, mut at) = (0, 0);
                while let Some(found) = search.find_at(at) {
                    if found.is_empty() {
                        if found.end >= text.len() {
                            break;
                        }
                        at = found.end + 1;
                        continue;
                    }
                    field(start..found.start);
                    (start, at) = (found.end, found.end);
                }
                field(start..text.len());
            }
            Splitter::Fields(pattern) => {
                let search = pattern.on(text);
                let mut at = 0;
                // End of the previous field; an empty field must not touch it.
                let mut last = None;
                while let Some(found) = search.find_at(at) {
                    if found.is_empty() && last == Some(found.start) {
                        at += 1;
                        last = None;
                        continue;
                    }
                    last = Some(found.end);
                    at = if found.is_empty() { found.end + 1 } else { found.end };
                    field(found);
                }
            }
            Splitter::Widths(widths) => {
                let mut start = 0;
                for (skipped, width) in widths.iter() {
                    start += char_offset(&text[start..], *skipped);
                    if start >= text.len() {
                        return;
                    }
                    let end = start + char_offset(&text[start..], *width);
                    field(start..end);
                    start = end;
                }
            }
        }
    }
}

/// Returns the place of the first word from an offset on, which is not inside of a word.
pub(super) fn next_word(text: &[u8], from: usize) -> Option<Range<usize>> {
    let is_blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n');
    let rest = text.get(from..)?;
    let start = from + rest.iter().position(|b| !is_blank(b))?;
    let rest = &text[start..];
    let len = rest.iter().position(is_blank).unwrap_or(rest.len());
    Some(start..start + len)
}
