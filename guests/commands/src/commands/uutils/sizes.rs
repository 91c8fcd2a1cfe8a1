//! Numbers for which commands of uutils would ask for more memory than there is.
//!
//! GNU's commands fail with the same words, or cope because they need no memory for such a number.

use std::ffi::{OsStr, OsString};

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::options::{Item, Key, Usage};

/// Widest lines and columns.
const MAX_WIDTH: u128 = 1 << 20;
/// Greatest position in a string, and number of repetitions, that make a difference.
const MAX_COUNT: u128 = 1 << 24;

/// Options whose value is the size of something that is kept in memory.
const SIZES: &[(&str, char, &str)] = &[
    ("od", 'w', "width"),
    ("numfmt", '\0', "padding"),
    ("ptx", 'w', "width"),
    ("ptx", 'g', "gap-size"),
    ("csplit", 'n', "digits"),
    ("unexpand", 't', "tabs"),
];

/// Refuses values of options that are too large. The error is the exit code.
pub(super) fn check(usage: &Usage, items: &[Item]) -> Result<(), i32> {
    for item in items {
        let Item::Option(key, Some(value)) = item else { continue };
        let is_size = SIZES.iter().any(|(name, letter, long)| {
            *name == usage.name && (*key == Key::Short(*letter) || *key == Key::Long(long))
        });
        let is_format = usage.name == "numfmt" && *key == Key::Long("format");
        if is_size && number(value).is_some_and(|n| n > MAX_WIDTH)
            || is_format && widest(value.as_bytes()) > MAX_WIDTH
        {
            eprintln!("{}: memory exhausted", usage.name);
            return Err(1);
        }
    }
    Ok(())
}

/// Returns the number at the start of a value, with the factor that a letter behind it stands for.
fn number(value: &OsStr) -> Option<u128> {
    let text = value.to_str()?.trim_start_matches(['-', '+']);
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    // More digits than fit are more than any limit.
    let number = match u128::from_str_radix(&digits[..end], radix) {
        Ok(number) => number,
        Err(_) if end == 0 => return None,
        Err(_) => u128::MAX,
    };
    let power = match digits[end..].chars().next() {
        Some('b') => return Some(number.saturating_mul(512)),
        Some(letter) => "KMGTPEZY".find(letter.to_ascii_uppercase()).map_or(0, |at| at + 1),
        None => 0,
    };
    Some(number.saturating_mul(1024_u128.saturating_pow(power as u32)))
}

/// Returns the greatest number in a format.
fn widest(format: &[u8]) -> u128 {
    let runs = format.split(|b| !b.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.filter_map(|run| number(OsStr::from_bytes(run))).max().unwrap_or(0)
}

/// Replaces numbers in operands that are larger than anything they could count.
pub(super) fn clamp(name: &str, args: &mut [OsString]) {
    match name {
        // expr substr STRING POSITION LENGTH
        "expr" => {
            let Some(at) = args.iter().position(|arg| arg == "substr") else { return };
            for arg in args.iter_mut().skip(at + 2).take(2) {
                clamp_one(arg);
            }
        }
        // tr SET1 '[c*N]'
        "tr" => args.iter_mut().skip(1).for_each(|arg| clamp_after(arg, b"*", b"]")),
        // csplit FILE PATTERN '{N}'
        "csplit" => args.iter_mut().skip(1).for_each(|arg| clamp_after(arg, b"{", b"}")),
        _ => {}
    }
}

fn clamp_one(arg: &mut OsString) {
    let is_number = !arg.is_empty() && arg.as_bytes().iter().all(u8::is_ascii_digit);
    if is_number && number(arg).is_some_and(|n| n > MAX_COUNT) {
        *arg = MAX_COUNT.to_string().into();
    }
}

/// Replaces large numbers between two marks.
fn clamp_after(arg: &mut OsString, before: &[u8], after: &[u8]) {
    let bytes = arg.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        out.push(bytes[at]);
        at += 1;
        let end = at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let digits = &bytes[at..end];
        if out.ends_with(before) && bytes[end..].starts_with(after) && !digits.is_empty() {
            // Octal numbers begin with a zero; both limits are far above what they would count.
            match number(OsStr::from_bytes(digits)).is_some_and(|n| n > MAX_COUNT) {
                true => out.extend(MAX_COUNT.to_string().bytes()),
                false => out.extend(digits),
            }
            at = end;
        }
    }
    *arg = OsString::from_vec(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_with_units() {
        let check = |text: &str, expect: Option<u128>| assert_eq!(number(text.as_ref()), expect);
        check("16", Some(16));
        check("0x10", Some(16));
        check("1K", Some(1024));
        check("2b", Some(1024));
        check("x", None);
        check(&"9".repeat(60), Some(u128::MAX));
    }

    #[test]
    fn counts_in_operands_become_smaller() {
        let check = |name: &str, arg: &str, expect: &str| {
            let mut args = [name.into(), arg.into()];
            clamp(name, &mut args);
            assert_eq!(args[1], expect, "{arg}");
        };
        check("tr", "[a*99999999999]", "[a*16777216]");
        check("tr", "[a*5]b*7", "[a*5]b*7");
        check("csplit", "{18446744073709551616}", "{16777216}");
        check("csplit", "{*}", "{*}");
    }
}
