//! Decimal numbers of arbitrary length: an integer, and the number of its digits after the point.

use num_bigint::{BigInt, Sign};
use num_traits::{One as _, Signed as _, Zero as _};

/// Longest number, in digits; longer numbers are refused before they are computed.
pub(super) const MAX_DIGITS: u64 = 1_000_000;

/// The number `digits / 10^scale`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) digits: BigInt,
    pub(super) scale: u32,
}

pub(super) type Result<T> = std::result::Result<T, String>;

pub(super) fn ten_to(power: u32) -> BigInt {
    BigInt::from(10).pow(power)
}

fn too_long<T>() -> Result<T> {
    Err(format!("number of more than {MAX_DIGITS} digits"))
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Number { digits: BigInt::from(value), scale: 0 }
    }
}

impl Number {
    /// Parses digits and at most one point in a base from 2 to 16. A lone digit may be larger than
    /// the base allows, as in bc.
    pub(super) fn parse(text: &str, base: u32) -> Number {
        let digits = text.bytes().filter(|byte| *byte != b'.').count();
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let most = if digits == 1 { 36 } else { base - 1 };
        let digit = |c: char| c.to_digit(36).unwrap_or(0).min(most);
        let number = |text: &str| text.chars().fold(BigInt::zero(), |sum, c| sum * base + digit(c));
        let scale = part.len() as u32;
        let whole = number(whole) * ten_to(scale);
        let part = number(part) * ten_to(scale) / BigInt::from(base).pow(scale);
        Number { digits: whole + part, scale }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    pub(super) fn truth(value: bool) -> Number {
        Number::from(i64::from(value))
    }

    pub(super) fn negated(self) -> Number {
        Number { digits: -self.digits, ..self }
    }

    /// Returns the number with `scale` digits after the point, truncated if necessary.
    pub(super) fn at(&self, scale: u32) -> Number {
        let digits = match scale >= self.scale {
            true => &self.digits * ten_to(scale - self.scale),
            false => &self.digits / ten_to(self.scale - scale),
        };
        Number { digits, scale }
    }

    /// Returns the integer part, if it fits.
    pub(super) fn to_i64(&self) -> Option<i64> {
        i64::try_from(self.at(0).digits).ok()
    }

    fn together(&self, other: &Number) -> (BigInt, BigInt, u32) {
        let scale = self.scale.max(other.scale);
        (self.at(scale).digits, other.at(scale).digits, scale)
    }

    pub(super) fn plus(&self, other: &Number) -> Number {
        let (a, b, scale) = self.together(other);
        Number { digits: a + b, scale }
    }

    pub(super) fn minus(&self, other: &Number) -> Number {
        let (a, b, scale) = self.together(other);
        Number { digits: a - b, scale }
    }

    pub(super) fn times(&self, other: &Number, scale: u32) -> Result<Number> {
        if self.length().saturating_add(other.length()) > MAX_DIGITS {
            return too_long();
        }
        let full = self.scale + other.scale;
        let product = Number { digits: &self.digits * &other.digits, scale: full };
        Ok(product.at(full.min(scale.max(self.scale).max(other.scale))))
    }

    pub(super) fn over(&self, other: &Number, scale: u32) -> Result<Number> {
        if other.is_zero() {
            return Err("Divide by zero".into());
        }
        // The quotient of the digits has as many decimal places as the scales differ by.
        let digits = match (scale + other.scale).checked_sub(self.scale) {
            Some(more) => &self.digits * ten_to(more) / &other.digits,
            None => {
                let less = ten_to(self.scale - scale - other.scale);
                &self.digits / (&other.digits * less)
            }
        };
        Ok(Number { digits, scale })
    }

    pub(super) fn rest(&self, other: &Number, scale: u32) -> Result<Number> {
        let quotient = self.over(other, scale)?;
        let full = (scale + other.scale).max(self.scale);
        let product =
            Number { digits: quotient.digits * &other.digits, scale: quotient.scale + other.scale };
        Ok(self.minus(&product).at(full))
    }

    pub(super) fn power(&self, exponent: &Number, scale: u32) -> Result<Number> {
        let Some(power) = exponent.to_i64() else { return too_long() };
        let Ok(size) = u32::try_from(power.unsigned_abs()) else { return too_long() };
        if self.length().saturating_mul(u64::from(size)) > MAX_DIGITS
            && self.digits.abs() > BigInt::one()
        {
            return too_long();
        }
        let full = self.scale.saturating_mul(size);
        if u64::from(full) > MAX_DIGITS {
            return too_long();
        }
        let raised = Number { digits: self.digits.pow(size), scale: full };
        match power < 0 {
            true => Number::from(1).over(&raised, scale),
            false => Ok(raised.at(full.min(scale.max(self.scale)))),
        }
    }

    pub(super) fn root(&self, scale: u32) -> Result<Number> {
        if self.digits.is_negative() {
            return Err("Square root of a negative number".into());
        }
        let scale = scale.max(self.scale);
        let digits = self.at(scale).digits * ten_to(scale);
        Ok(Number { digits: digits.sqrt(), scale })
    }

    /// Returns an estimate of the number of digits, never too small.
    pub(super) fn length(&self) -> u64 {
        // Derived from the number of bits, which is cheap.
        let bits = self.digits.bits();
        (bits as f64 * std::f64::consts::LOG10_2) as u64 + 1
    }

    /// Returns the exact number of digits, as `length()` reports it.
    pub(super) fn digit_count(&self) -> u64 {
        let shown = self.digits.magnitude().to_string().len() as u64;
        shown.max(u64::from(self.scale))
    }

    pub(super) fn compared(&self, other: &Number) -> std::cmp::Ordering {
        let (a, b, _) = self.together(other);
        a.cmp(&b)
    }

    /// Formats the number as bc does, in a base of at least 2.
    pub(super) fn text(&self, base: u32) -> String {
        if base != 10 {
            return self.based(base);
        }
        let sign = if self.digits.sign() == Sign::Minus { "-" } else { "" };
        let mut digits = self.digits.magnitude().to_string();
        let scale = self.scale as usize;
        if scale == 0 {
            return format!("{sign}{digits}");
        }
        if self.is_zero() {
            return "0".into();
        }
        if digits.len() < scale {
            digits = format!("{}{digits}", "0".repeat(scale - digits.len()));
        }
        let (whole, part) = digits.split_at(digits.len() - scale);
        format!("{sign}{}.{part}", if whole == "0" { "" } else { whole })
    }

    fn based(&self, base: u32) -> String {
        let sign = if self.digits.sign() == Sign::Minus { "-" } else { "" };
        let one = ten_to(self.scale);
        let magnitude = self.digits.abs();
        let (mut whole, mut part) = (&magnitude / &one, &magnitude % &one);
        let mut digits = Vec::new();
        while !whole.is_zero() {
            digits.push(u32::try_from(&whole % base).unwrap_or(0));
            whole /= base;
        }
        if digits.is_empty() && (self.scale == 0 || part.is_zero()) {
            digits.push(0);
        }
        digits.reverse();
        let width = (base - 1).to_string().len();
        let shown = |digit: u32| match base <= 16 {
            true => char::from_digit(digit, 16).unwrap_or('?').to_ascii_uppercase().to_string(),
            false => format!(" {digit:0width$}"),
        };
        let mut text = format!("{sign}{}", digits.into_iter().map(shown).collect::<String>());
        if self.scale > 0 && !part.is_zero() {
            text.push('.');
            let mut reached = BigInt::one();
            while reached < one {
                part *= base;
                text += &shown(u32::try_from(&part / &one).unwrap_or(0));
                part %= &one;
                reached *= base;
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Number {
        match text.strip_prefix('-') {
            Some(text) => Number::parse(text, 10).negated(),
            None => Number::parse(text, 10),
        }
    }

    #[test]
    fn scales_are_as_bc_has_them() {
        let check = |got: Result<Number>, expect: &str| assert_eq!(got.unwrap().text(10), expect);
        check(n("1").over(&n("3"), 5), ".33333");
        check(n("-7").over(&n("2"), 0), "-3");
        check(n("-7").rest(&n("2"), 0), "-1");
        check(n("5.5").rest(&n("2"), 0), "1.5");
        check(n("1.25").times(&n("1.5"), 0), "1.87");
        check(n("1.25").times(&n("1.5"), 9), "1.875");
        check(n("2").power(&n("-2"), 4), ".2500");
        check(n("2").power(&n("100"), 0), "1267650600228229401496703205376");
        check(n("2").root(10), "1.4142135623");
        check(Ok(n("0.50")), ".50");
        check(Ok(n("1").minus(&n("1.00"))), "0");
    }

    #[test]
    fn bases_go_both_ways() {
        assert_eq!(Number::parse("FF", 16).text(10), "255");
        assert_eq!(Number::parse("1.1", 2).text(10), "1.5");
        assert_eq!(n("255").text(16), "FF");
        assert_eq!(n("255").text(2), "11111111");
        assert_eq!(n("1000").text(100), " 10 00");
        assert_eq!(n("0.5").text(2), ".1000");
    }

    #[test]
    fn what_would_be_too_long_is_refused_first() {
        assert!(n("2").power(&n("99999999"), 0).is_err());
        assert!(n("2").power(&n("99999999999999999999"), 0).is_err());
        assert_eq!(n("1").power(&n("99999999"), 0).unwrap().text(10), "1");
    }
}
