//! Numbers of operands: factors joined by `x`, each with a suffix.

/// A number of blocks or of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) number: u64,
    /// The operand ended in `B`, so the number counts bytes.
    pub(super) is_bytes: bool,
}

/// Parses an operand's number; `None` if it is malformed or does not fit.
pub(super) fn parse(text: &str) -> Option<Amount> {
    let mut number: u64 = 1;
    for factor in text.split('x') {
        number = number.checked_mul(factor_of(factor)?)?;
    }
    // `b` alone is a factor of 512; `B` ends `kB` and `KiB` too, which are bytes as well.
    Some(Amount { number, is_bytes: text.ends_with('B') })
}

fn factor_of(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    digits.parse::<u64>().ok()?.checked_mul(unit(suffix)?)
}

fn unit(suffix: &str) -> Option<u64> {
    let power = |base: u64, letter: u8| {
        let at = b"kmgtpe".iter().position(|known| *known == letter.to_ascii_lowercase())?;
        base.checked_pow(at as u32 + 1)
    };
    match suffix.as_bytes() {
        b"" | b"c" | b"B" => Some(1),
        b"w" => Some(2),
        b"b" => Some(512),
        [letter] | [letter, b'i', b'B'] => power(1024, *letter),
        [letter, b'B'] => power(1000, *letter),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(u64, bool)>) {
        assert_eq!(parse(text).map(|got| (got.number, got.is_bytes)), expect, "{text:?}");
    }

    #[test]
    fn suffixes_multiply() {
        check("10M", Some((10 << 20, false)));
        check("2x3b", Some((3072, false)));
        check("1kB", Some((1000, true)));
        check("1KiB", Some((1024, true)));
        check("7B", Some((7, true)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "x", "1x", "-1", "+1", "1Q", "é", "1é", "99999999999999999999", "9999999P"]
        {
            check(text, None);
        }
    }
}
