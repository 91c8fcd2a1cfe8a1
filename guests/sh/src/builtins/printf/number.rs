//! Number parsing and formatting for `printf`.

use super::Spec;
use crate::syntax::ast::Text;

/// Parses an integer as C's `strtoimax` does, or `'c` as a character code. The error carries the
/// value of the valid prefix. Returns the value for signed and for unsigned conversions, each cut to
/// its range.
#[allow(clippy::type_complexity)]
pub(super) fn parse_integer(text: &[u8]) -> Result<(i64, u64), ((i64, u64), &'static str)> {
    const INVALID: &str = "invalid number";
    let text = text.trim_ascii_start();
    if let [b'\'' | b'"', rest @ ..] = text {
        let code = if rest.is_empty() { 0 } else { crate::pattern::decode(rest).0 };
        return Ok((i64::from(code), u64::from(code)));
    }
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (radix, digits) = match rest {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', digits @ ..] if !digits.is_empty() => (8, digits),
        digits => (10, digits),
    };
    let mut value = 0i128;
    let mut is_huge = false;
    let mut len = 0;
    while let Some(digit) = digits.get(len).and_then(|c| char::from(*c).to_digit(radix)) {
        value = value * i128::from(radix) + i128::from(digit);
        if value > i128::from(u64::MAX) {
            (value, is_huge) = (i128::from(u64::MAX), true);
        }
        len += 1;
    }
    let signed = if negative { -value } else { value };
    if text.is_empty() {
        return Ok((0, 0));
    }
    // As in C, an unsigned conversion negates the magnitude, unless that does not fit.
    let unsigned = match (is_huge, negative) {
        (true, _) => u64::MAX,
        (false, true) => (value as u64).wrapping_neg(),
        (false, false) => value as u64,
    };
    let signed = signed.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    if len < digits.len() || digits.is_empty() {
        return Err(((signed, unsigned), INVALID));
    }
    Ok((signed, unsigned))
}

/// Returns true if a number that [`parse_integer`] takes does not fit into 64 bits.
pub(super) fn is_out_of_range(text: &[u8], is_signed: bool) -> bool {
    let text = text.trim_ascii_start();
    let (is_negative, digits) = match text {
        [b'\'' | b'"', ..] => return false,
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (radix, digits) = match digits {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', digits @ ..] => (8, digits),
        digits => (10, digits),
    };
    let most = match (is_signed, is_negative) {
        (true, true) => i128::from(i64::MAX) + 1,
        (true, false) => i128::from(i64::MAX),
        (false, _) => i128::from(u64::MAX),
    };
    let digits = digits.iter().map_while(|c| char::from(*c).to_digit(radix));
    let add = |sum: i128, digit: u32| (sum * i128::from(radix) + i128::from(digit)).min(most + 1);
    digits.fold(0, add) > most
}

/// Parses a floating-point number. The error carries the value of the valid prefix.
pub(super) fn parse_float(text: &[u8]) -> Result<f64, f64> {
    let text = String::from_utf8_lossy(text.trim_ascii_start()).into_owned();
    if text.is_empty() {
        return Ok(0.0);
    }
    if let Some(rest) = text.strip_prefix(['\'', '"']) {
        return Ok(rest.chars().next().map_or(0.0, |c| f64::from(c as u32)));
    }
    if text.starts_with("0x") || text.starts_with("0X") {
        return i64::from_str_radix(&text[2..], 16).map(|n| n as f64).map_err(|_| 0.0);
    }
    let mut end = text.len();
    while end > 0 {
        if text.is_char_boundary(end)
            && let Ok(value) = text[..end].parse::<f64>()
        {
            return if end == text.len() { Ok(value) } else { Err(value) };
        }
        end -= 1;
    }
    Err(0.0)
}

/// Formats an integer for `%d`, `%i`, `%o`, `%u`, `%x` and `%X`.
pub(super) fn integer(spec: &Spec, letter: u8, value: i64, out: &mut Text) {
    let (sign, mut digits) = match letter {
        b'd' | b'i' => {
            let sign = if value < 0 {
                "-"
            } else if spec.plus {
                "+"
            } else if spec.space {
                " "
            } else {
                ""
            };
            (sign, value.unsigned_abs().to_string())
        }
        b'o' => ("", format!("{:o}", value as u64)),
        b'x' => ("", format!("{:x}", value as u64)),
        b'X' => ("", format!("{:X}", value as u64)),
        _ => ("", (value as u64).to_string()),
    };
    if let Some(precision) = spec.precision {
        if precision == 0 && value == 0 {
            digits.clear();
        }
        if digits.len() < precision {
            digits = "0".repeat(precision - digits.len()) + &digits;
        }
    }
    let prefix = match letter {
        b'x' if spec.alternative && value != 0 => "0x",
        b'X' if spec.alternative && value != 0 => "0X",
        b'o' if spec.alternative && !digits.starts_with('0') => "0",
        _ => "",
    };
    let zero = spec.zero && !spec.left && spec.precision.is_none();
    finish(spec, &format!("{sign}{prefix}"), &digits, zero, out);
}

/// Formats a float for `%e`, `%f`, `%g`, `%a` and their upper-case forms.
pub(super) fn float(spec: &Spec, letter: u8, value: f64, out: &mut Text) {
    let sign = if value.is_sign_negative() {
        "-"
    } else if spec.plus {
        "+"
    } else if spec.space {
        " "
    } else {
        ""
    };
    let upper = letter.is_ascii_uppercase();
    let value = value.abs();
    let precision = spec.precision.unwrap_or(6);
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        let text = if upper { text.to_ascii_uppercase() } else { text.to_owned() };
        return finish(spec, sign, &text, false, out);
    }
    let mut text = match letter.to_ascii_lowercase() {
        b'f' => format!("{value:.precision$}"),
        b'e' => exponent(value, precision),
        b'a' => hexadecimal(value),
        _ => general(value, precision.max(1), spec.alternative),
    };
    if spec.alternative && !text.contains('.') && letter.eq_ignore_ascii_case(&b'f') {
        text.push('.');
    }
    if upper {
        text.make_ascii_uppercase();
    }
    finish(spec, sign, &text, spec.zero && !spec.left, out);
}

fn finish(spec: &Spec, sign: &str, digits: &str, zero: bool, out: &mut Text) {
    let len = sign.len() + digits.len();
    let fill = spec.width.saturating_sub(len);
    if zero {
        let text = [sign, &"0".repeat(fill), digits].concat();
        out.extend_from_slice(text.as_bytes());
    } else {
        spec.pad([sign, digits].concat().as_bytes(), out);
    }
}

/// Formats like C's `%e`: `1.5e+10`.
fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let sign = if power < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", power.abs())
}

fn general(value: f64, precision: usize, keep: bool) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = exponent(value, precision - 1);
    let power: i32 =
        scientific.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if keep || !text.contains('.') {
            return text.to_owned();
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if power < -4 || power >= precision as i32 {
        let (mantissa, tail) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{tail}", trim(mantissa));
    }
    let places = (precision as i32 - 1 - power).max(0) as usize;
    trim(&format!("{value:.places$}"))
}

fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let power = (bits >> 52 & 0x7ff) as i64;
    let fraction = bits & 0xf_ffff_ffff_ffff;
    if value == 0.0 {
        return "0x0p+0".to_owned();
    }
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    let power = power - 1023;
    let sign = if power < 0 { '-' } else { '+' };
    format!("0x1{point}{digits}p{sign}{}", power.abs())
}
