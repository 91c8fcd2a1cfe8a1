//! Quoting of text so that a shell reads it back as one word.

use crate::syntax::ast::Text;

/// Quotes with single quotes, as `${x@Q}` does; control characters need `$'…'`.
pub fn single(text: &[u8]) -> Text {
    if needs_ansi(text) {
        return ansi(text);
    }
    plain_single(text)
}

/// Quotes with single quotes, in which control characters stand for themselves.
pub fn plain_single(text: &[u8]) -> Text {
    if text == b"'" {
        return b"\\'".to_vec();
    }
    let mut out = vec![b'\''];
    for c in text {
        if *c == b'\'' {
            out.extend_from_slice(b"'\\''");
        } else {
            out.push(*c);
        }
    }
    out.push(b'\'');
    out
}

/// Quotes with double quotes, as `declare -p` does; control characters need `$'…'`.
pub fn double(text: &[u8]) -> Text {
    if needs_ansi(text) {
        return ansi(text);
    }
    let mut out = vec![b'"'];
    for c in text {
        if matches!(c, b'"' | b'\\' | b'$' | b'`') {
            out.push(b'\\');
        }
        out.push(*c);
    }
    out.push(b'"');
    out
}

/// Quotes only if needed, as `set` and `alias` do.
pub fn minimal(text: &[u8]) -> Text {
    let is_special = |(at, c): (usize, &u8)| match c {
        b'~' => at == 0 || matches!(text[at - 1], b':' | b'='),
        b'#' => at == 0,
        c => c.is_ascii_control() || b" '\"\\|&;()<>!{}*[]?^$`".contains(c),
    };
    if text.iter().enumerate().any(is_special) { single(text) } else { text.to_vec() }
}

/// Quotes with backslashes, as `printf %q` does.
pub fn backslash(text: &[u8]) -> Text {
    if text.is_empty() {
        return b"''".to_vec();
    }
    if needs_ansi(text) {
        return ansi(text);
    }
    let mut out = Vec::new();
    for (at, c) in text.iter().enumerate() {
        let special = match c {
            b'~' | b'#' => at == 0 || (*c == b'~' && matches!(text[at - 1], b':' | b'=')),
            c => b" \t'\"\\|&;()<>!{}*[]?^$`,".contains(c),
        };
        if special {
            out.push(b'\\');
        }
        out.push(*c);
    }
    out
}

/// Returns true if only `$'…'` can represent the text.
pub fn needs_ansi(text: &[u8]) -> bool {
    text.iter().any(|c| c.is_ascii_control())
        || (!text.is_ascii()
            && std::str::from_utf8(text).map_or(true, |text| text.chars().any(char::is_control)))
}

/// Quotes as `$'…'`.
pub fn ansi(text: &[u8]) -> Text {
    let mut out = b"$'".to_vec();
    let mut at = 0;
    while at < text.len() {
        let (code, len) = crate::pattern::decode(&text[at..]);
        let c = text[at];
        match c {
            7 => out.extend_from_slice(b"\\a"),
            8 => out.extend_from_slice(b"\\b"),
            9 => out.extend_from_slice(b"\\t"),
            10 => out.extend_from_slice(b"\\n"),
            11 => out.extend_from_slice(b"\\v"),
            12 => out.extend_from_slice(b"\\f"),
            13 => out.extend_from_slice(b"\\r"),
            27 => out.extend_from_slice(b"\\E"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\'' => out.extend_from_slice(b"\\'"),
            0..=31 | 127 => out.extend_from_slice(format!("\\{c:03o}").as_bytes()),
            128.. if char::from_u32(code).is_none_or(char::is_control) => {
                for c in &text[at..at + len] {
                    out.extend_from_slice(format!("\\{c:03o}").as_bytes());
                }
            }
            _ => out.extend_from_slice(&text[at..at + len]),
        }
        at += len;
    }
    out.push(b'\'');
    out
}

/// Quotes a key of an associative array, if needed.
pub fn key(text: &[u8]) -> Text {
    let is_special = |(at, c): (usize, &u8)| match c {
        b'~' => at == 0 || matches!(text[at - 1], b':' | b'='),
        b'#' => at == 0,
        b'@' => text.len() == 1,
        c => c.is_ascii_control() || b" '\"\\|&;()<>!{}*[]?^$`".contains(c),
    };
    let is_plain = !text.is_empty() && !text.iter().enumerate().any(is_special);
    if is_plain && !needs_ansi(text) { text.to_vec() } else { double(text) }
}
