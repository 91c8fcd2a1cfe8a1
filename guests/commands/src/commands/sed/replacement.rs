//! The right side of `s`: groups, letters in another case, escapes.

use crate::pattern::Groups;

/// Highest number of a group.
pub(crate) const MAX_GROUP: usize = 9;

/// A parsed replacement.
pub(crate) struct Replacement {
    parts: Vec<Part>,
    /// Highest number of a group that occurs.
    pub(crate) highest: usize,
}

enum Part {
    Text(Vec<u8>),
    Group(usize),
    Case(Case),
}

/// Changes of case: `\U`, `\L`, `\E`, and `\u`, `\l` for the next letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Upper,
    Lower,
    Off,
    NextUpper,
    NextLower,
}

/// Returns the character of an escape such as `t`, `x41` or `o101`; passes its digits.
pub(crate) fn escape(name: u8, text: &[u8], at: &mut usize) -> Option<char> {
    let (radix, digits) = match name {
        b'a' => return Some('\x07'),
        b'f' => return Some('\x0c'),
        b't' => return Some('\t'),
        b'v' => return Some('\x0b'),
        b'r' => return Some('\r'),
        b'd' => (10, 3),
        b'o' => (8, 3),
        b'x' => (16, 2),
        _ => return None,
    };
    let rest = text.get(*at..).unwrap_or_default();
    let len = rest.iter().take(digits).take_while(|b| char::from(**b).is_digit(radix)).count();
    let number = u32::from_str_radix(std::str::from_utf8(&rest[..len]).ok()?, radix).ok()?;
    *at += len;
    char::from_u32(number & 0xff)
}

/// Adds a character; those of one byte in Latin-1 stay one byte.
pub(crate) fn push(text: &mut Vec<u8>, c: char) {
    match u8::try_from(u32::from(c)) {
        Ok(byte) => text.push(byte),
        Err(_) => text.extend(c.encode_utf8(&mut [0; 4]).bytes()),
    }
}

/// Returns the characters of one side of `y`.
pub(crate) fn characters(text: &[u8], delimiter: u8) -> Vec<char> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&next) = text.get(at) else { break };
        at += 1;
        match next {
            b'n' if delimiter != b'n' => out.push(b'\n'),
            b'\\' => out.push(b'\\'),
            next if next == delimiter => out.push(next),
            next => match escape(next, text, &mut at) {
                Some(c) => push(&mut out, c),
                None => out.extend([b'\\', next]),
            },
        }
    }
    String::from_utf8_lossy(&out).chars().collect()
}

/// Parses the text between the last two delimiters.
pub(crate) fn parse(text: &[u8], delimiter: u8) -> Replacement {
    let mut parts = Vec::new();
    let mut plain = Vec::new();
    let mut highest = 0;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        let part = match byte {
            b'&' => Part::Group(0),
            b'\\' => {
                let Some(&next) = text.get(at) else {
                    plain.push(b'\\');
                    break;
                };
                at += 1;
                match next {
                    next if next == delimiter && !next.is_ascii_digit() => {
                        plain.push(next);
                        continue;
                    }
                    b'0'..=b'9' => Part::Group(usize::from(next - b'0')),
                    b'U' => Part::Case(Case::Upper),
                    b'L' => Part::Case(Case::Lower),
                    b'E' => Part::Case(Case::Off),
                    b'u' => Part::Case(Case::NextUpper),
                    b'l' => Part::Case(Case::NextLower),
                    b'n' => {
                        plain.push(b'\n');
                        continue;
                    }
                    next => {
                        match escape(next, text, &mut at) {
                            Some(c) => push(&mut plain, c),
                            None => plain.push(next),
                        }
                        continue;
                    }
                }
            }
            byte => {
                plain.push(byte);
                continue;
            }
        };
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut plain)));
        }
        if let Part::Group(number) = part {
            highest = highest.max(number);
        }
        parts.push(part);
    }
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Replacement { parts, highest }
}

impl Replacement {
    /// Adds the replacement of a match to a text.
    pub(crate) fn write(&self, line: &[u8], groups: &Groups, out: &mut Vec<u8>) {
        let (mut case, mut next) = (Case::Off, Case::Off);
        for part in &self.parts {
            let text = match part {
                Part::Text(text) => text.as_slice(),
                Part::Group(number) => match groups.get(*number) {
                    Some(Some(range)) => &line[range.clone()],
                    _ => b"",
                },
                Part::Case(change) => {
                    match change {
                        Case::NextUpper | Case::NextLower => next = *change,
                        Case::Upper | Case::Lower | Case::Off => {
                            (case, next) = (*change, Case::Off)
                        }
                    }
                    continue;
                }
            };
            if text.is_empty() {
                continue;
            }
            if case == Case::Off && next == Case::Off {
                out.extend_from_slice(text);
                continue;
            }
            for c in String::from_utf8_lossy(text).chars() {
                let wanted = if next == Case::Off { case } else { next };
                next = Case::Off;
                let changed: String = match wanted {
                    Case::Upper | Case::NextUpper => c.to_uppercase().collect(),
                    Case::Lower | Case::NextLower => c.to_lowercase().collect(),
                    Case::Off => c.into(),
                };
                out.extend_from_slice(changed.as_bytes());
            }
        }
    }
}
