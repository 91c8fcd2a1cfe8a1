//! Scalar values and their conversions between numbers and strings.

use std::cmp::Ordering;
use std::rc::Rc;

use super::format;

/// A scalar value.
#[derive(Debug, Clone, Default)]
pub(super) enum Value {
    /// Never assigned: both `""` and 0.
    #[default]
    Unset,
    Number(f64),
    Text(Rc<[u8]>),
    /// Text from input, which compares as a number if it looks like one.
    Input(Rc<[u8]>),
}

impl Value {
    pub(super) fn text(bytes: impl Into<Rc<[u8]>>) -> Self {
        Value::Text(bytes.into())
    }

    pub(super) fn input(bytes: &[u8]) -> Self {
        Value::Input(bytes.into())
    }

    pub(super) fn bool(value: bool) -> Self {
        Value::Number(f64::from(u8::from(value)))
    }

    pub(super) fn number(&self) -> f64 {
        match self {
            Value::Unset => 0.0,
            Value::Number(number) => *number,
            Value::Text(text) | Value::Input(text) => leading_number(text).0,
        }
    }

    /// Returns the value as a string; a number that is not an integer is formatted by `format`,
    /// which is `CONVFMT` or `OFMT`.
    pub(super) fn string(&self, format: &[u8]) -> Rc<[u8]> {
        match self {
            Value::Unset => Rc::from(b"".as_slice()),
            Value::Number(number) => number_text(*number, format).into(),
            Value::Text(text) | Value::Input(text) => text.clone(),
        }
    }

    /// Appends the value as a string.
    pub(super) fn append(&self, out: &mut Vec<u8>, format: &[u8]) {
        match self {
            Value::Unset => {}
            Value::Number(number) => append_number(out, *number, format),
            Value::Text(text) | Value::Input(text) => out.extend_from_slice(text),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Unset => false,
            Value::Number(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::Input(text) => match looks_numeric(text) {
                Some(number) => number != 0.0,
                None => !text.is_empty(),
            },
        }
    }

    /// Returns the value as a number if it is one or, for input, looks like one.
    fn numeric(&self) -> Option<f64> {
        match self {
            Value::Unset => Some(0.0),
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
            Value::Input(text) => looks_numeric(text),
        }
    }

    /// Compares as numbers if both values are numeric, otherwise as strings.
    pub(super) fn compare(&self, other: &Value, format: &[u8]) -> Option<Ordering> {
        if let (Some(a), Some(b)) = (self.numeric(), other.numeric()) {
            return a.partial_cmp(&b);
        }
        Some(self.string(format).as_ref().cmp(other.string(format).as_ref()))
    }

    /// Returns the name that gawk's `typeof` gives the value.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Unset => "untyped",
            Value::Number(_) => "number",
            Value::Text(_) => "string",
            Value::Input(text) if looks_numeric(text).is_some() => "strnum",
            Value::Input(_) => "string",
        }
    }
}

/// Returns a number as a string.
pub(super) fn number_text(number: f64, format: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    append_number(&mut out, number, format);
    out
}

fn append_number(out: &mut Vec<u8>, number: f64, format: &[u8]) {
    /// Integers below this limit are exact and printed as integers.
    const EXACT: f64 = 1e16;
    if number == number.trunc() && number.abs() < EXACT {
        let mut buf = itoa::Buffer::new();
        out.extend_from_slice(buf.format(number as i64).as_bytes());
    } else if number == number.trunc() && number.is_finite() {
        out.extend_from_slice(format!("{number:.0}").as_bytes());
    } else if format == b"%.6g"
        || format::write(out, format, &[Value::Number(number)], b"%.6g").is_err()
    {
        format::general(out, number, 6, false, false);
    }
}

/// Returns the number at the start of a text, and the number of bytes it takes with the blanks
/// before.
pub(super) fn leading_number(text: &[u8]) -> (f64, usize) {
    let start = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(text.len());
    let mut at = start;
    if matches!(text.get(at), Some(b'+' | b'-')) {
        at += 1;
    }
    let signed = at > start;
    if signed && let Some(rest) = text.get(at..at + 3) {
        // Only with a sign, as in gawk: a name such as "nancy" is not a number.
        let word = rest.to_ascii_lowercase();
        let special = match word.as_slice() {
            b"inf" => Some(f64::INFINITY),
            b"nan" => Some(f64::NAN),
            _ => None,
        };
        if let Some(value) = special
            && !text.get(at + 3).is_some_and(u8::is_ascii_alphanumeric)
        {
            return (if text[start] == b'-' { -value } else { value }, at + 3);
        }
    }
    let digits = at;
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    let mut count = at - digits;
    let whole = count;
    if text.get(at) == Some(&b'.') {
        let point = at;
        at += 1;
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        count += at - point - 1;
    }
    if count == 0 {
        return (0.0, 0);
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let mut exponent = at + 1;
        if matches!(text.get(exponent), Some(b'+' | b'-')) {
            exponent += 1;
        }
        let first = exponent;
        while text.get(exponent).is_some_and(u8::is_ascii_digit) {
            exponent += 1;
        }
        if exponent > first {
            at = exponent;
        }
    }
    if at == digits + whole && whole <= 15 {
        let value = text[digits..at].iter().fold(0_i64, |sum, b| sum * 10 + i64::from(b - b'0'));
        let value = value as f64;
        return (if text[start] == b'-' { -value } else { value }, at);
    }
    let number = std::str::from_utf8(&text[start..at]).ok().and_then(|text| text.parse().ok());
    (number.unwrap_or(0.0), at)
}

/// Returns the number if the whole text is one, ignoring blanks around it.
pub(super) fn looks_numeric(text: &[u8]) -> Option<f64> {
    match text.iter().find(|b| !b.is_ascii_whitespace()) {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {}
        _ => return None,
    }
    let (number, end) = leading_number(text);
    (end > 0 && text[end..].iter().all(u8::is_ascii_whitespace)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        for (text, number) in
            [("12abc", 12.0), ("  -3.5e2x", -350.0), ("1e", 1.0), (".5", 0.5), ("x", 0.0)]
        {
            assert_eq!(leading_number(text.as_bytes()).0, number, "{text}");
        }
    }

    #[test]
    fn a_word_is_no_number() {
        assert_eq!(looks_numeric(b"nancy"), None);
        assert_eq!(looks_numeric(b" 1 "), Some(1.0));
        assert_eq!(looks_numeric(b"0x1A"), None);
    }

    #[test]
    fn whole_numbers_are_written_whole() {
        assert_eq!(number_text(1e6, b"%.6g"), b"1000000");
        assert_eq!(number_text(0.1 + 0.2, b"%.6g"), b"0.3");
        assert_eq!(number_text(-0.0, b"%.6g"), b"0");
        assert_eq!(number_text(1e30, b"%.6g"), b"1000000000000000019884624838656");
    }
}
