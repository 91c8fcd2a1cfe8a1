//! Backslash escapes of `$'…'`, `echo -e` and `printf`.

use super::ast::Text;

/// Decodes the text of `$'…'` and returns it with the number of bytes read, including the closing
/// quote. Returns `None` if the quote is missing.
pub fn ansi(src: &[u8]) -> Option<(Text, usize)> {
    let mut text = Vec::new();
    let mut at = 0;
    // A NUL byte ends the text, as it would a C string.
    let mut cut = None;
    loop {
        match src.get(at)? {
            b'\'' => break,
            b'\\' => {
                let (bytes, len) = escape(&src[at..], Flavour::Quote);
                if bytes == [0] && cut.is_none() {
                    cut = Some(text.len());
                }
                text.extend_from_slice(&bytes);
                at += len;
            }
            c => {
                text.push(*c);
                at += 1;
            }
        }
    }
    if let Some(cut) = cut {
        text.truncate(cut);
    }
    Some((text, at + 1))
}

/// Dialect of escapes; dialects differ in octal numbers and in escaped quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// `$'…'`
    Quote,
    /// `echo -e`; octal is `\0nnn`.
    Echo,
    /// `%b`; octal is `\nnn` or `\0nnn`.
    Percent,
    /// A `printf` format; octal is `\nnn`.
    Printf,
}

/// Decodes the escape at the front and returns its value and length. An unknown escape stays as it
/// is.
pub fn escape(src: &[u8], flavour: Flavour) -> (Text, usize) {
    let Some(&c) = src.get(1) else { return (b"\\".to_vec(), 1) };
    let one = |c: u8| (vec![c], 2);
    match c {
        b'a' => one(7),
        b'b' => one(8),
        b'e' | b'E' => one(27),
        b'f' => one(12),
        b'n' => one(10),
        b'r' => one(13),
        b't' => one(9),
        b'v' => one(11),
        b'\\' => one(b'\\'),
        b'\'' | b'"' | b'?' if flavour == Flavour::Quote => one(c),
        b'\'' | b'"' | b'?' if flavour == Flavour::Printf => one(c),
        b'0' if matches!(flavour, Flavour::Echo | Flavour::Percent) => {
            let (value, len) = digits(&src[2..], 8, 3);
            (vec![value as u8], 2 + len)
        }
        b'0'..=b'7' if flavour != Flavour::Echo => {
            let (value, len) = digits(&src[1..], 8, 3);
            (vec![value as u8], 1 + len)
        }
        b'x' => {
            if flavour == Flavour::Quote && src.get(2) == Some(&b'{') {
                let (value, len) = digits(&src[3..], 16, 8);
                let closed = usize::from(src.get(3 + len) == Some(&b'}'));
                return (vec![value as u8], 3 + len + closed);
            }
            match digits(&src[2..], 16, 2) {
                (_, 0) => (b"\\x".to_vec(), 2),
                (value, len) => (vec![value as u8], 2 + len),
            }
        }
        b'u' | b'U' => match digits(&src[2..], 16, if c == b'u' { 4 } else { 8 }) {
            (_, 0) => (vec![b'\\', c], 2),
            (value, len) => (utf8(value), 2 + len),
        },
        b'c' if flavour == Flavour::Quote => match src.get(2) {
            Some(b'?') => (vec![0x7f], 3),
            Some(b'\\') if src.get(3) == Some(&b'\\') => (vec![0x1c], 4),
            Some(b'\'') => (b"\\c".to_vec(), 2),
            Some(c) => (vec![c & 0x1f], 3),
            None => (b"\\c".to_vec(), 2),
        },
        _ => (vec![b'\\', c], 2),
    }
}

fn digits(src: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let mut value = 0u32;
    let mut len = 0;
    while len < most
        && let Some(digit) = src.get(len).and_then(|c| char::from(*c).to_digit(radix))
    {
        value = value.wrapping_mul(radix).wrapping_add(digit);
        len += 1;
    }
    (value, len)
}

fn utf8(code: u32) -> Text {
    let mut buf = [0; 4];
    match char::from_u32(code) {
        Some(c) => c.encode_utf8(&mut buf).as_bytes().to_vec(),
        // Surrogates are encoded as UTF-8 would encode any other code point.
        None if code < 0x1_0000 => vec![
            0xe0 | (code >> 12) as u8,
            0x80 | (code >> 6 & 0x3f) as u8,
            0x80 | (code & 0x3f) as u8,
        ],
        None => vec![
            0xf0 | (code >> 18 & 7) as u8,
            0x80 | (code >> 12 & 0x3f) as u8,
            0x80 | (code >> 6 & 0x3f) as u8,
            0x80 | (code & 0x3f) as u8,
        ],
    }
}
