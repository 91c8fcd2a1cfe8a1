//! `--word-diff`: hunks whose changed lines are compared word by word.

use std::ops::Range;

use regex::bytes::Regex;

use super::paint;
use crate::bytes;
use crate::text::compare;

/// Form of a comparison of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordStyle {
    /// `[-old-]{+new+}`
    Plain,
    Colour,
    /// One word a line.
    Porcelain,
}

/// Kind of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Old,
    New,
    Common,
}

/// Writes hunks, given as lines, as differences of words.
pub(crate) fn write(
    plain: &[u8],
    style: WordStyle,
    word: Option<&Regex>,
    is_coloured: bool,
    out: &mut Vec<u8>,
) {
    let mut changed = Changed { old: Vec::new(), new: Vec::new(), style, word, is_coloured };
    for line in bytes::lines(plain) {
        match line.first() {
            Some(b'-') => changed.old.extend(&line[1..]),
            Some(b'+') => changed.new.extend(&line[1..]),
            // The mark of a missing newline.
            Some(b'\\') => {}
            Some(b'@') => {
                changed.flush(out);
                match is_coloured {
                    true => paint::place(line, out),
                    false => out.extend(line),
                }
            }
            _ => {
                changed.flush(out);
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                if style == WordStyle::Porcelain {
                    out.extend(text);
                } else {
                    out.extend(text.get(1..).unwrap_or_default());
                }
                if is_coloured && text.len() > 1 {
                    out.extend(paint::RESET);
                }
                out.extend(if style == WordStyle::Porcelain { &b"\n~\n"[..] } else { b"\n" });
            }
        }
    }
    changed.flush(out);
}

/// Adjacent changed lines.
struct Changed<'w> {
    old: Vec<u8>,
    new: Vec<u8>,
    style: WordStyle,
    word: Option<&'w Regex>,
    is_coloured: bool,
}

impl Changed<'_> {
    fn flush(&mut self, out: &mut Vec<u8>) {
        let (old, new) = (std::mem::take(&mut self.old), std::mem::take(&mut self.new));
        if new.is_empty() {
            self.piece(Piece::Old, &old, out);
            return;
        }
        let (old_words, new_words) = (self.words(&old), self.words(&new));
        let tokens = |text: &[u8], words: &[Range<usize>]| -> Vec<Vec<u8>> {
            words.iter().map(|range| [&text[range.clone()], b"\n"].concat()).collect()
        };
        let (old_tokens, new_tokens) = (tokens(&old, &old_words), tokens(&new, &new_words));
        let old_lines: Vec<&[u8]> = old_tokens.iter().map(Vec::as_slice).collect();
        let new_lines: Vec<&[u8]> = new_tokens.iter().map(Vec::as_slice).collect();
        // The text between the first and the last word of an edit; after the word before it, if
        // the edit has no words on this side.
        let extent = |words: &[Range<usize>], edit: &Range<usize>| -> Range<usize> {
            match edit.is_empty() {
                false => words[edit.start].start..words[edit.end - 1].end,
                true => {
                    let at = edit.start.checked_sub(1).map_or(0, |before| words[before].end);
                    at..at
                }
            }
        };
        let mut at = 0;
        for edit in compare::word_edits(&old_lines, &new_lines) {
            let (removed, added) = (extent(&old_words, &edit.old), extent(&new_words, &edit.new));
            self.piece(Piece::Common, &new[at.min(added.start)..added.start], out);
            self.piece(Piece::Old, &old[removed], out);
            self.piece(Piece::New, &new[added.clone()], out);
            at = added.end;
        }
        self.piece(Piece::Common, &new[at..], out);
    }

    /// Returns the places of the words in a text.
    fn words(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut words = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let found = match self.word {
                // A word does not go on in the next line.
                Some(word) => {
                    word.find_at(text, at).filter(|found| !found.is_empty()).map(|found| {
                        let newline = found.as_bytes().iter().position(|b| *b == b'\n');
                        found.start()..newline.map_or(found.end(), |at| found.start() + at)
                    })
                }
                None => {
                    let is_space = |b: &u8| b.is_ascii_whitespace() || *b == 0x0b;
                    let start = text[at..].iter().position(|b| !is_space(b)).map(|n| at + n);
                    start.map(|start| {
                        let length = text[start..].iter().position(is_space);
                        start..length.map_or(text.len(), |length| start + length)
                    })
                }
            };
            match found {
                Some(range) if !range.is_empty() => {
                    at = range.end;
                    words.push(range);
                }
                _ => break,
            }
        }
        words
    }

    /// Writes text line by line, each line between the marks of its kind.
    fn piece(&self, kind: Piece, text: &[u8], out: &mut Vec<u8>) {
        let colour = match kind {
            Piece::Old => paint::RED,
            Piece::New => paint::GREEN,
            Piece::Common => b"",
        };
        let (before, after): (&[u8], &[u8]) = match (self.style, kind) {
            (WordStyle::Plain, Piece::Old) => (b"[-", b"-]"),
            (WordStyle::Plain, Piece::New) => (b"{+", b"+}"),
            (WordStyle::Porcelain, Piece::Old) => (b"-", b"\n"),
            (WordStyle::Porcelain, Piece::New) => (b"+", b"\n"),
            (WordStyle::Porcelain, Piece::Common) => (b" ", b"\n"),
            (WordStyle::Plain, Piece::Common) | (WordStyle::Colour, _) => (b"", b""),
        };
        for line in bytes::lines(text) {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            if !content.is_empty() {
                let has_colour = self.is_coloured && !colour.is_empty();
                out.extend(if has_colour { colour } else { b"" });
                out.extend(before);
                out.extend(content);
                out.extend(after);
                out.extend(if has_colour { paint::RESET } else { b"" });
            }
            if line.ends_with(b"\n") {
                out.extend(if self.style == WordStyle::Porcelain { &b"~\n"[..] } else { b"\n" });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(style: WordStyle, word: Option<&str>, plain: &str, expect: &str) {
        let word = word.map(|word| Regex::new(word).unwrap());
        let mut out = Vec::new();
        write(plain.as_bytes(), style, word.as_ref(), style == WordStyle::Colour, &mut out);
        assert_eq!(String::from_utf8(out).unwrap().replace('\x1b', "^"), expect);
    }

    #[test]
    fn changed_words_are_marked() {
        let plain = "@@ -1,2 +1,2 @@\n x y\n-one two three\n+one 2 three four\n";
        let expect = "@@ -1,2 +1,2 @@\nx y\none [-two-]{+2+} three {+four+}\n";
        check(WordStyle::Plain, None, plain, expect);
        let expect = "@@ -1,2 +1,2 @@\n x y\n~\n one \n-two\n+2\n  three \n+four\n~\n";
        check(WordStyle::Porcelain, None, plain, expect);
    }

    #[test]
    fn words_may_be_a_pattern() {
        check(WordStyle::Plain, Some("[a-z]"), "-ab\n+ac\n", "a[-b-]{+c+}\n");
    }

    #[test]
    fn removed_lines_are_marked_line_by_line() {
        check(WordStyle::Plain, None, "-a b\n-c\n", "[-a b-]\n[-c-]\n");
    }
}
