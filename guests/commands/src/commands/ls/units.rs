//! Units of sizes: `-h`, `--si` and `--block-size`.

use crate::files::human;

/// The unit in which sizes are printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands) enum Units {
    /// Bytes for files, blocks of 1024 bytes for the space that they take.
    Bytes,
    /// Like `1.5K`.
    Human,
    /// Like `1.5k`, in powers of 1000.
    Decimal,
    /// A fixed unit, with the letters that follow each number.
    Fixed(u64, String),
}

impl Units {
    /// Parses the value of `--block-size`.
    pub(super) fn parse(text: &str) -> Option<Units> {
        match text {
            "human-readable" => return Some(Units::Human),
            "si" => return Some(Units::Decimal),
            _ => {}
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = text.split_at(digits);
        let count: u64 = if count.is_empty() { 1 } else { count.parse().ok()? };
        let (letter, rest) = match unit.chars().next() {
            None => return (digits > 0 && count > 0).then_some(Units::Fixed(count, String::new())),
            Some(letter) => (letter.to_ascii_uppercase(), &unit[letter.len_utf8()..]),
        };
        let power = "KMGTPE".find(letter)? as u32 + 1;
        let base: u64 = match rest {
            "" | "iB" => 1024,
            "B" => 1000,
            _ => return None,
        };
        let size = base.checked_pow(power)?.checked_mul(count)?;
        // A number before the unit leaves the unit out of the output.
        let suffix = match (digits, base, letter) {
            (1.., ..) => String::new(),
            (_, 1000, 'K') => "kB".to_owned(),
            (_, 1000, _) => format!("{letter}B"),
            _ => letter.to_string(),
        };
        (size > 0).then_some(Units::Fixed(size, suffix))
    }

    /// Formats a number of bytes; `default` is the unit if none was asked for. Rounds up.
    pub(super) fn show(&self, bytes: u64, default: u64) -> String {
        match self {
            Units::Bytes => bytes.div_ceil(default).to_string(),
            Units::Human => human(bytes),
            Units::Decimal => decimal(bytes),
            Units::Fixed(size, suffix) => format!("{}{suffix}", bytes.div_ceil(*size)),
        }
    }
}

/// Formats a size in powers of 1000.
fn decimal(size: u64) -> String {
    const LETTERS: [char; 6] = ['k', 'M', 'G', 'T', 'P', 'E'];
    if size < 1000 {
        return size.to_string();
    }
    let (mut value, mut at) = (size as f64 / 1000.0, 0);
    while value >= 1000.0 && at + 1 < LETTERS.len() {
        value /= 1000.0;
        at += 1;
    }
    let tenths = (value * 10.0).ceil() / 10.0;
    match tenths < 10.0 {
        true => format!("{tenths:.1}{}", LETTERS[at]),
        false => format!("{:.0}{}", value.ceil(), LETTERS[at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(unit: &str, bytes: u64, expect: &str) {
        let units = Units::parse(unit).expect("a unit");
        assert_eq!(units.show(bytes, 1), expect, "{unit}");
    }

    #[test]
    fn a_unit_without_a_number_is_printed() {
        check("K", 1025, "2K");
        check("1K", 1025, "2");
        check("KB", 1500, "2kB");
        check("MB", 1, "1MB");
        check("si", 1500, "1.5k");
        check("512", 1024, "2");
    }

    #[test]
    fn units_that_are_none_are_refused() {
        assert_eq!([Units::parse(""), Units::parse("0"), Units::parse("x")], [None, None, None]);
    }
}
