//! Reads JSON as jq does, with its messages and positions.

use std::rc::Rc;

use super::json::{Json, MAX_DEPTH, Object};

/// A container that is not closed yet.
enum Open {
    Array(Vec<Json>),
    /// Members so far, and the key that waits for its value.
    Object(Object, Option<Rc<str>>),
}

/// Reads a sequence of values from a text.
pub(super) struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    failed: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Reader { text, at, failed: false }
    }

    /// Returns the number of lines read so far, counting the one that is being read.
    pub(super) fn line(&self) -> usize {
        let end = memchr::memchr(b'\n', &self.text[self.at..]);
        let end = end.map_or(self.text.len(), |more| self.at + more + 1);
        memchr::memchr_iter(b'\n', &self.text[..end]).count()
    }

    fn error<T>(&mut self, what: &str) -> Result<T, String> {
        self.failed = true;
        let read = &self.text[..self.at.min(self.text.len())];
        let line = memchr::memchr_iter(b'\n', read).count() + 1;
        let column = read.len() - memchr::memrchr(b'\n', read).map_or(0, |at| at + 1);
        let what = if self.at >= self.text.len() && what.starts_with("Unfinished") {
            format!("{what} at EOF")
        } else {
            what.to_owned()
        };
        Err(format!("{what} at line {line}, column {column}"))
    }

    fn blank(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n' | 0x1e)) {
            self.at += 1;
        }
    }

    /// Reads the next value; `None` at the end of the text.
    fn value(&mut self) -> Result<Option<Json>, String> {
        let mut open: Vec<Open> = Vec::new();
        // True after a value, where a separator or an end must follow.
        let mut complete = false;
        loop {
            self.blank();
            let Some(&byte) = self.text.get(self.at) else {
                return if open.is_empty() { Ok(None) } else { self.error("Unfinished JSON term") };
            };
            let value = match byte {
                b'[' | b'{' => {
                    self.at += 1;
                    if complete {
                        return self.error("Expected separator between values");
                    }
                    if let Some(Open::Object(_, None)) = open.last() {
                        return self.error("Object keys must be strings");
                    }
                    if open.len() as u32 >= MAX_DEPTH {
                        return self.error("Exceeds depth limit for parsing");
                    }
                    open.push(match byte {
                        b'[' => Open::Array(Vec::new()),
                        _ => Open::Object(Object::default(), None),
                    });
                    continue;
                }
                b']' => {
                    self.at += 1;
                    match open.pop() {
                        Some(Open::Array(items)) if complete || items.is_empty() => items.into(),
                        Some(Open::Array(_)) => {
                            return self.error("Expected another array element");
                        }
                        Some(Open::Object(..)) | None => return self.error("Unmatched ']'"),
                    }
                }
                b'}' => {
                    self.at += 1;
                    match open.pop() {
                        Some(Open::Object(members, None)) if complete || members.len() == 0 => {
                            members.into()
                        }
                        Some(Open::Object(_, None)) => {
                            return self.error("Expected another key-value pair");
                        }
                        Some(Open::Object(_, Some(_))) => {
                            return self.error("Objects must consist of key:value pairs");
                        }
                        Some(Open::Array(_)) | None => return self.error("Unmatched '}'"),
                    }
                }
                b',' => {
                    self.at += 1;
                    match open.last() {
                        Some(Open::Object(_, Some(_))) => {
                            return self.error("Objects must consist of key:value pairs");
                        }
                        Some(_) if complete => complete = false,
                        Some(_) => return self.error("Expected value before ','"),
                        None => return self.error("Expected value before ','"),
                    }
                    continue;
                }
                b':' => {
                    self.at += 1;
                    return self.error(match open.last() {
                        Some(Open::Object(..)) => "Expected string key before ':'",
                        Some(Open::Array(_)) => "':' not as part of an object",
                        None => "':' not as part of an object",
                    });
                }
                b'"' => {
                    self.at += 1;
                    Json::Str(self.string()?)
                }
                _ => self.word()?,
            };
            if complete && !matches!(byte, b']' | b'}') {
                return self.error("Expected separator between values");
            }
            match open.last_mut() {
                None => return Ok(Some(value)),
                Some(Open::Array(items)) => items.push(value),
                Some(Open::Object(members, key @ Some(_))) => {
                    members.insert(key.take().unwrap_or_default(), value);
                }
                Some(Open::Object(_, key)) => {
                    let Json::Str(name) = value else {
                        return self.error("Object keys must be strings");
                    };
                    *key = Some(name);
                    self.blank();
                    match self.text.get(self.at) {
                        Some(b':') => self.at += 1,
                        None => return self.error("Unfinished JSON term"),
                        Some(_) => {
                            self.at += 1;
                            return self.error("Objects must consist of key:value pairs");
                        }
                    }
                    continue;
                }
            }
            complete = true;
        }
    }

    /// Reads a string after its opening quote.
    fn string(&mut self) -> Result<Rc<str>, String> {
        let mut out: Vec<u8> = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = self.text.len();
                return self.error("Unfinished string");
            };
            out.extend_from_slice(&rest[..end]);
            self.at += end + 1;
            if rest[end] == b'"' {
                return Ok(match String::from_utf8(out) {
                    Ok(text) => text.into(),
                    Err(bad) => String::from_utf8_lossy(bad.as_bytes()).into(),
                });
            }
            let escape = self.text.get(self.at).copied();
            self.at += 1;
            match escape {
                Some(byte @ (b'"' | b'\\' | b'/')) => out.push(byte),
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(b'r') => out.push(b'\r'),
                Some(b'b') => out.push(8),
                Some(b'f') => out.push(12),
                Some(b'u') => {
                    let Some(unit) = self.unit(self.at) else {
                        return self.error("Invalid escape");
                    };
                    self.at += 4;
                    let mut c = char::from_u32(unit);
                    if (0xd800..0xdc00).contains(&unit)
                        && self.text[self.at..].starts_with(b"\\u")
                        && let Some(low @ 0xdc00..0xe000) = self.unit(self.at + 2)
                    {
                        self.at += 6;
                        c = char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
                    }
                    let mut bytes = [0; 4];
                    let c = c.unwrap_or('\u{fffd}');
                    out.extend_from_slice(c.encode_utf8(&mut bytes).as_bytes());
                }
                _ => return self.error("Invalid escape"),
            }
        }
    }

    fn unit(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        let digits = std::str::from_utf8(digits).ok()?;
        u32::from_str_radix(digits, 16).ok()
    }

    /// Reads a number or one of the words.
    fn word(&mut self) -> Result<Json, String> {
        let start = self.at;
        while let Some(byte) = self.text.get(self.at) {
            if matches!(
                byte,
                b' ' | b'\t' | b'\r' | b'\n' | b'[' | b']' | b'{' | b'}' | b',' | b':' | b'"'
            ) {
                break;
            }
            self.at += 1;
        }
        let word = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        let value = match word.as_str() {
            "null" => Some(Json::Null),
            "true" => Some(Json::Bool(true)),
            "false" => Some(Json::Bool(false)),
            "nan" | "NaN" | "-nan" | "-NaN" => Some(f64::NAN.into()),
            "Infinity" | "infinity" => Some(f64::MAX.into()),
            "-Infinity" | "-infinity" => Some(f64::MIN.into()),
            other => number(other),
        };
        match value {
            Some(value) => Ok(value),
            None => {
                // The word ends where the byte after it was read.
                self.at = (self.at + 1).min(self.text.len());
                let first = word.bytes().next().unwrap_or(b' ');
                let literal = matches!(word.len(), 3..=5) && matches!(first, b't' | b'f' | b'n');
                self.error(if literal { "Invalid literal" } else { "Invalid numeric literal" })
            }
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Json, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        self.value().transpose()
    }
}

/// Returns the number that a text is, or `None` if it is none.
pub(super) fn number(text: &str) -> Option<Json> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let shape = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
    let begins = digits.bytes().next().is_some_and(|b| b.is_ascii_digit() || b == b'.');
    if !begins || !digits.bytes().all(shape) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    let exact = !plain || digits.len() <= 15 || value.abs() < 9007199254740992.0;
    let digits = digits.trim_start_matches('0');
    let kept = if exact {
        None
    } else {
        Some(Rc::from(if text.starts_with('-') { format!("-{digits}") } else { digits.to_owned() }))
    };
    Some(Json::Num(value, kept))
}

/// Reads a text that holds one value.
pub(super) fn one(text: &[u8]) -> Result<Json, String> {
    let mut reader = Reader::new(text);
    match (reader.next(), reader.next()) {
        (Some(Ok(value)), None) => Ok(value),
        (Some(Err(why)), _) | (_, Some(Err(why))) => Err(why),
        (Some(Ok(_)), Some(Ok(_))) => Err("Unexpected extra JSON values".to_owned()),
        (None, _) => Ok(Json::Null),
    }
}
