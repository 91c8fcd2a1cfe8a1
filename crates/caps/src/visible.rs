//! Escaping of hostile text for people: control, bidirectional and invisible characters.
//!
//! Meets T-CELL-016, T-PERM-007.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns `text` with invisible and direction-changing characters escaped.
///
/// Control, bidirectional, zero-width and unusual space characters become `\n`, `\u{202e}` and
/// the like. Every text that a guest could have chosen passes through here before a person reads
/// it. The result cannot be reversed, because backslashes are not escaped.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Most names are plain ASCII, and every run shows one.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Returns [`visible`] text that cannot be mistaken for the sentence around it: in quotes, unless
/// it only has characters that make up names.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-*:@%~+=#[]\\,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("\"{}\"", visible(text).replace('"', "\\\""))
}

/// Returns [`visible`] text cut to `most` characters, with an ellipsis if it was cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => visible(text).into_owned(),
        Some((end, _)) => format!("{}…", visible(&text[..end])),
    }
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Unusual spaces, and letters and signs without a visible glyph.
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}'
            | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{3000}' | '\u{3164}'
            | '\u{ffa0}'
            // Direction marks, embeddings, overrides and isolates.
            | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Spaces, zero-width characters, line and paragraph separators.
            | '\u{2000}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202f}'
            | '\u{205f}'..='\u{2065}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            // Variation selectors, musical formatting, shorthand formatting, tags.
            | '\u{fe00}'..='\u{fe0f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
            // Private use: the glyph depends on the font.
            | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str) {
        assert_eq!(visible(input), expect);
    }

    #[test]
    fn plain_text_is_left_alone() {
        check("/data/naïve/日本語 a.txt", "/data/naïve/日本語 a.txt");
    }

    #[test]
    fn line_ends_and_tabs_are_spelled_out() {
        check("a\r\nb\tc", "a\\r\\nb\\tc");
    }

    /// T-CELL-016.
    #[test]
    fn terminal_escapes_lose_their_escape() {
        check("\u{1b}[2Jx\u{9b}1m\u{7f}", "\\u{1b}[2Jx\\u{9b}1m\\u{7f}");
    }

    /// T-CELL-016.
    #[test]
    fn direction_overrides_are_spelled_out() {
        check("a\u{202e}txt.exe\u{2069}\u{61c}", "a\\u{202e}txt.exe\\u{2069}\\u{61c}");
    }

    /// T-CELL-016.
    #[test]
    fn zero_width_characters_are_spelled_out() {
        check("a\u{200b}b\u{200d}\u{feff}\u{ad}", "a\\u{200b}b\\u{200d}\\u{feff}\\u{ad}");
    }

    #[test]
    fn tag_characters_cannot_carry_a_hidden_message() {
        check("a\u{e0041}", "a\\u{e0041}");
    }

    #[test]
    fn line_separator_is_not_a_line_end() {
        check("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}");
    }

    #[test]
    fn text_with_words_in_it_is_quoted() {
        assert_eq!(quoted("/tmp/x and all else"), "\"/tmp/x and all else\"");
        assert_eq!(quoted("/tmp/\" or"), "\"/tmp/\\\" or\"");
        assert_eq!(quoted("/tmp/x*"), "/tmp/x*");
    }

    #[test]
    fn shortening_cuts_at_a_character() {
        assert_eq!(shortened("äöü", 2), "äö…");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
