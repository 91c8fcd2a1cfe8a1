//! Colours of differences, as `git diff --color` prints them.

use crate::bytes;

pub(crate) const RESET: &[u8] = b"\x1b[m";
pub(crate) const BOLD: &[u8] = b"\x1b[1m";
pub(crate) const RED: &[u8] = b"\x1b[31m";
pub(crate) const GREEN: &[u8] = b"\x1b[32m";
pub(crate) const YELLOW: &[u8] = b"\x1b[33m";
pub(crate) const CYAN: &[u8] = b"\x1b[36m";
/// Background of white space at the end of added lines.
const MISTAKE: &[u8] = b"\x1b[41m";

/// Writes text in a colour; an empty text has none.
pub(crate) fn put(colour: &[u8], text: &[u8], out: &mut Vec<u8>) {
    if !text.is_empty() {
        out.extend(colour);
        out.extend(text);
        out.extend(RESET);
    }
}

/// Splits a line from its newline.
fn content(line: &[u8]) -> (&[u8], &[u8]) {
    match line.strip_suffix(b"\n") {
        Some(text) => (text, b"\n"),
        None => (line, b""),
    }
}

/// Writes the lines before the hunks in bold.
pub(crate) fn header(plain: &[u8], out: &mut Vec<u8>) {
    for line in bytes::lines(plain) {
        let (text, end) = content(line);
        match text.starts_with(b"Binary files ") {
            true => out.extend(text),
            false => put(BOLD, text, out),
        }
        out.extend(end);
    }
}

/// Writes the first line of a hunk: its place in one colour, the name of its function in none.
pub(crate) fn place(line: &[u8], out: &mut Vec<u8>) {
    let (text, newline) = content(line);
    let end = text[2..].windows(2).position(|pair| pair == b"@@").map_or(text.len(), |at| at + 4);
    put(CYAN, &text[..end], out);
    if let Some(heading) = text[end..].strip_prefix(b" ") {
        out.extend(b" ");
        out.extend(RESET);
        out.extend(heading);
        out.extend(RESET);
    }
    out.extend(newline);
}

/// Writes hunks with coloured lines.
pub(crate) fn hunks(plain: &[u8], out: &mut Vec<u8>) {
    for line in bytes::lines(plain) {
        let (text, end) = content(line);
        match text.first() {
            Some(b'@') => {
                place(line, out);
                continue;
            }
            Some(b'-') => put(RED, text, out),
            Some(b'+') => {
                put(GREEN, b"+", out);
                let kept = 1 + text[1..].trim_ascii_end().len();
                put(GREEN, &text[1..kept], out);
                put(MISTAKE, &text[kept..], out);
            }
            _ => {
                out.extend(text);
                out.extend(RESET);
            }
        }
        out.extend(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_git_s_colours() {
        let mut out = Vec::new();
        hunks(b"@@ -1 +1,2 @@ f()\n-a\n+b \n+\n c\n", &mut out);
        let text = String::from_utf8(out).unwrap().replace('\x1b', "^");
        let expect = "^[36m@@ -1 +1,2 @@^[m ^[mf()^[m\n^[31m-a^[m\n^[32m+^[m^[32mb^[m^[41m ^[m\n\
                      ^[32m+^[m\n c^[m\n";
        assert_eq!(text, expect);
    }
}
