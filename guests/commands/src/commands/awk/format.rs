//! `printf`, with the conversions of C.

use super::value::{Value, looks_numeric};

/// Largest field width and precision, so that a format cannot exhaust the memory.
const MAX_WIDTH: usize = 16 << 20;

/// Appends `values` formatted by `format`. `convert` is the `CONVFMT` for numbers printed as
/// strings.
pub(super) fn write(
    out: &mut Vec<u8>,
    format: &[u8],
    values: &[Value],
    convert: &[u8],
) -> Result<(), String> {
    let mut values = values.iter();
    let mut at = 0;
    while at < format.len() {
        let next = memchr::memchr(b'%', &format[at..]).map_or(format.len(), |i| at + i);
        out.extend_from_slice(&format[at..next]);
        at = next;
        if at >= format.len() {
            break;
        }
        if format.get(at + 1) == Some(&b'%') {
            out.push(b'%');
            at += 2;
            continue;
        }
        let start = at;
        let Some((spec, end)) = Spec::parse(format, at + 1, &mut values)? else {
            out.extend_from_slice(&format[start..]);
            break;
        };
        at = end;
        match values.next() {
            Some(value) => spec.write(out, value, convert),
            None => return Err("not enough arguments to satisfy format string".to_owned()),
        }
    }
    Ok(())
}

struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    sharp: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    conversion: u8,
}

impl Spec {
    fn parse<'a>(
        format: &[u8],
        mut at: usize,
        values: &mut impl Iterator<Item = &'a Value>,
    ) -> Result<Option<(Self, usize)>, String> {
        let mut spec = Spec {
            minus: false,
            plus: false,
            space: false,
            sharp: false,
            zero: false,
            width: 0,
            precision: None,
            conversion: 0,
        };
        loop {
            match format.get(at) {
                Some(b'-') => spec.minus = true,
                Some(b'+') => spec.plus = true,
                Some(b' ') => spec.space = true,
                Some(b'#') => spec.sharp = true,
                Some(b'0') => spec.zero = true,
                Some(b'\'') => {}
                _ => break,
            }
            at += 1;
        }
        if format.get(at) == Some(&b'*') {
            at += 1;
            let width = values.next().map_or(0.0, Value::number);
            spec.minus |= width < 0.0;
            spec.width = width.abs() as usize;
        } else {
            (spec.width, at) = digits(format, at);
        }
        if format.get(at) == Some(&b'.') {
            at += 1;
            if format.get(at) == Some(&b'*') {
                at += 1;
                let precision = values.next().map_or(0.0, Value::number);
                spec.precision = (precision >= 0.0).then_some(precision as usize);
            } else {
                let (precision, end) = digits(format, at);
                spec.precision = Some(precision);
                at = end;
            }
        }
        while matches!(format.get(at), Some(b'l' | b'h' | b'L' | b'q')) {
            at += 1;
        }
        if spec.width > MAX_WIDTH || spec.precision.is_some_and(|p| p > MAX_WIDTH) {
            return Err(format!("printf: field wider than {MAX_WIDTH}"));
        }
        match format.get(at) {
            Some(
                c @ (b'd' | b'i' | b'o' | b'x' | b'X' | b'u' | b'c' | b's' | b'e' | b'E' | b'f'
                | b'F' | b'g' | b'G' | b'a' | b'A'),
            ) => {
                spec.conversion = *c;
                Ok(Some((spec, at + 1)))
            }
            _ => Ok(None),
        }
    }

    fn write(&self, out: &mut Vec<u8>, value: &Value, convert: &[u8]) {
        match self.conversion {
            b'c' => self.character(out, value),
            b's' => {
                let text = value.string(convert);
                let end = self.precision.map_or(text.len(), |most| char_offset(&text, most));
                self.pad(out, b"", &text[..end]);
            }
            b'd' | b'i' | b'o' | b'x' | b'X' | b'u' => self.integer(out, value.number()),
            _ => self.float(out, value.number()),
        }
    }

    fn character(&self, out: &mut Vec<u8>, value: &Value) {
        let mut buf = [0; 4];
        let number = match value {
            Value::Number(number) => Some(*number),
            Value::Input(text) => looks_numeric(text),
            Value::Unset | Value::Text(_) => None,
        };
        match number {
            Some(number) => {
                let code = number as i64;
                match u32::try_from(code).ok().and_then(char::from_u32) {
                    Some(c) => self.pad(out, b"", c.encode_utf8(&mut buf).as_bytes()),
                    None => self.pad(out, b"", &[code as u8]),
                }
            }
            None => {
                let text = value.string(b"%.6g");
                self.pad(out, b"", &text[..char_offset(&text, 1)]);
            }
        }
    }

    fn integer(&self, out: &mut Vec<u8>, number: f64) {
        if !number.is_finite() {
            return self.float(out, number);
        }
        let number = number.trunc();
        let negative = number < 0.0;
        let magnitude = number.abs();
        let mut digits = if magnitude < 18_446_744_073_709_551_616.0 {
            let whole = magnitude as u64;
            match self.conversion {
                b'o' => format!("{whole:o}"),
                b'x' => format!("{whole:x}"),
                b'X' => format!("{whole:X}"),
                _ => whole.to_string(),
            }
        } else {
            format!("{magnitude:.0}")
        };
        if self.precision == Some(0) && magnitude == 0.0 {
            digits.clear();
        }
        if let Some(least) = self.precision
            && digits.len() < least
        {
            digits.insert_str(0, &"0".repeat(least - digits.len()));
        }
        let mut prefix = self.sign(negative).to_owned();
        if self.sharp && magnitude != 0.0 {
            match self.conversion {
                b'x' => prefix.push_str("0x"),
                b'X' => prefix.push_str("0X"),
                b'o' if !digits.starts_with('0') => digits.insert(0, '0'),
                _ => {}
            }
        }
        let plain = Spec { zero: self.zero && self.precision.is_none(), ..*self };
        plain.pad(out, prefix.as_bytes(), digits.as_bytes());
    }

    fn float(&self, out: &mut Vec<u8>, number: f64) {
        let sign = self.sign(number.is_sign_negative());
        if !number.is_finite() {
            let word = if number.is_nan() { "nan" } else { "inf" };
            let upper = self.conversion.is_ascii_uppercase();
            let word = if upper { word.to_uppercase() } else { word.to_owned() };
            let plain = Spec { zero: false, ..*self };
            return plain.pad(out, sign.as_bytes(), word.as_bytes());
        }
        let magnitude = number.abs();
        let upper = self.conversion.is_ascii_uppercase();
        let mut digits = Vec::new();
        match self.conversion {
            b'f' | b'F' => {
                let precision = self.precision.unwrap_or(6);
                digits.extend_from_slice(format!("{magnitude:.precision$}").as_bytes());
                if self.sharp && precision == 0 {
                    digits.push(b'.');
                }
            }
            b'e' | b'E' => exponential(&mut digits, magnitude, self.precision.unwrap_or(6), upper),
            b'a' | b'A' => hexadecimal(&mut digits, magnitude),
            _ => general(&mut digits, magnitude, self.precision.unwrap_or(6), upper, self.sharp),
        }
        self.pad(out, sign.as_bytes(), &digits);
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    fn pad(&self, out: &mut Vec<u8>, prefix: &[u8], body: &[u8]) {
        let len = prefix.len() + char_count(body);
        let fill = self.width.saturating_sub(len);
        let zeros = self.zero && !self.minus && !matches!(self.conversion, b's' | b'c');
        if !self.minus && !zeros {
            out.resize(out.len() + fill, b' ');
        }
        out.extend_from_slice(prefix);
        if zeros {
            out.resize(out.len() + fill, b'0');
        }
        out.extend_from_slice(body);
        if self.minus {
            out.resize(out.len() + fill, b' ');
        }
    }
}

fn digits(format: &[u8], mut at: usize) -> (usize, usize) {
    let mut value: usize = 0;
    while let Some(digit) = format.get(at).filter(|b| b.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        at += 1;
    }
    (value, at)
}

/// Returns the number of characters; continuation bytes of UTF-8 are not counted.
pub(super) fn char_count(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.iter().filter(|b| **b & 0xC0 != 0x80).count()
}

/// Returns the byte offset of character number `count`.
pub(super) fn char_offset(text: &[u8], count: usize) -> usize {
    let mut seen = 0;
    for (at, byte) in text.iter().enumerate() {
        if byte & 0xC0 != 0x80 {
            if seen == count {
                return at;
            }
            seen += 1;
        }
    }
    text.len()
}

fn exponential(out: &mut Vec<u8>, magnitude: f64, precision: usize, upper: bool) {
    let text = format!("{magnitude:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mark = if upper { 'E' } else { 'e' };
    let sign = if exponent < 0 { '-' } else { '+' };
    out.extend_from_slice(format!("{mantissa}{mark}{sign}{:02}", exponent.abs()).as_bytes());
}

/// Formats as `%g`: the shorter of `%e` and `%f`, without trailing zeros unless `sharp`.
pub(super) fn general(out: &mut Vec<u8>, number: f64, precision: usize, upper: bool, sharp: bool) {
    if number.is_sign_negative() && !number.is_nan() && number != 0.0 {
        out.push(b'-');
    }
    if !number.is_finite() {
        out.extend_from_slice(if number.is_nan() { b"nan" } else { b"inf" });
        return;
    }
    let magnitude = number.abs();
    let precision = precision.max(1);
    let text = format!("{magnitude:.*e}", precision - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let start = out.len();
    if exponent < -4 || exponent >= precision as i32 {
        exponential(out, magnitude, precision - 1, upper);
        if !sharp {
            let mark = out.iter().rposition(|b| matches!(b, b'e' | b'E')).unwrap_or(out.len());
            let tail = out.split_off(mark);
            trim_zeros(out, start);
            out.extend_from_slice(&tail);
        }
    } else {
        let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
        out.extend_from_slice(format!("{magnitude:.decimals$}").as_bytes());
        if !sharp {
            trim_zeros(out, start);
        }
    }
}

fn trim_zeros(out: &mut Vec<u8>, start: usize) {
    if !out[start..].contains(&b'.') {
        return;
    }
    while out.last() == Some(&b'0') {
        out.pop();
    }
    if out.last() == Some(&b'.') {
        out.pop();
    }
}

fn hexadecimal(out: &mut Vec<u8>, magnitude: f64) {
    let bits = magnitude.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = if bits == 0 { 0 } else { (bits >> 52) as i64 - 1023 };
    let lead = u8::from(bits != 0);
    let mut digits = format!("{fraction:013x}");
    while digits.ends_with('0') {
        digits.pop();
    }
    let point = if digits.is_empty() { "" } else { "." };
    out.extend_from_slice(format!("0x{lead}{point}{digits}p{exponent:+}").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, values: &[Value], expect: &str) {
        let mut out = Vec::new();
        write(&mut out, format.as_bytes(), values, b"%.6g").unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }

    #[test]
    fn numbers_are_padded_as_c_does() {
        let n = Value::Number;
        check("%5d|%-5d|%05d|%+d", &[n(42.0), n(42.0), n(-42.0), n(7.0)], "   42|42   |-0042|+7");
        check("%x %X %o %#x", &[n(255.0), n(255.0), n(8.0), n(255.0)], "ff FF 10 0xff");
        check(
            "%.2f %e %g %g",
            &[n(1.2345), n(12345.678), n(1e10), n(0.0001)],
            "1.23 1.234568e+04 1e+10 0.0001",
        );
        check("%c%c", &[n(65.0), Value::text(b"hello".as_slice())], "Ah");
        check("%*d|%.*f", &[n(4.0), n(1.0), n(1.0), n(2.55)], "   1|2.5");
        check("%5.2s|", &[Value::text(b"abc".as_slice())], "   ab|");
    }

    #[test]
    fn a_format_without_values_is_refused() {
        assert!(write(&mut Vec::new(), b"%s", &[], b"%.6g").is_err());
        check("100%%", &[], "100%");
    }

    #[test]
    fn a_huge_field_is_refused() {
        assert!(write(&mut Vec::new(), b"%1000000000d", &[Value::Number(1.0)], b"%.6g").is_err());
    }
}
