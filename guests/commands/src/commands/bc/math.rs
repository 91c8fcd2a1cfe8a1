//! The functions of `bc -l`, computed by series with a few guard digits.

use num_bigint::BigInt;
use num_traits::Zero as _;

use super::number::{MAX_DIGITS, Number, Result, ten_to};

/// Number of digits computed beyond the requested scale.
const GUARD: u32 = 8;

/// Fixed-point arithmetic: integers scaled by ten to the power of `places`.
struct Fixed {
    one: BigInt,
    places: u32,
}

impl Fixed {
    fn new(places: u32) -> Self {
        Fixed { one: ten_to(places), places }
    }

    fn of(&self, number: &Number) -> BigInt {
        number.at(self.places).digits
    }

    fn times(&self, a: &BigInt, b: &BigInt) -> BigInt {
        a * b / &self.one
    }

    fn over(&self, a: &BigInt, b: &BigInt) -> BigInt {
        a * &self.one / b
    }

    fn root(&self, a: &BigInt) -> BigInt {
        (a * &self.one).sqrt()
    }

    fn result(&self, digits: BigInt, scale: u32) -> Number {
        Number { digits, scale: self.places }.at(scale)
    }

    /// Sums a convergent series; `next` computes a term from the previous one.
    fn sum(&self, first: BigInt, mut next: impl FnMut(&BigInt, u32) -> BigInt) -> BigInt {
        let (mut sum, mut term, mut count) = (first.clone(), first, 1);
        loop {
            term = next(&term, count);
            if term.is_zero() {
                return sum;
            }
            sum += &term;
            count += 1;
        }
    }

    /// Sums `±x^(2n+1)/(2n+1)`.
    fn odd_powers(&self, x: &BigInt, alternates: bool) -> BigInt {
        let square = self.times(x, x);
        let (mut power, mut sum, mut odd, mut sign) = (x.clone(), x.clone(), 1u32, 1);
        loop {
            power = self.times(&power, &square);
            odd += 2;
            sign = if alternates { -sign } else { sign };
            let term: BigInt = &power / odd;
            if term.is_zero() {
                return sum;
            }
            sum += term * sign;
        }
    }

    /// Computes pi by Machin's formula.
    fn pi(&self) -> BigInt {
        let inverse = |n: u32| self.odd_powers(&(&self.one / n), true);
        inverse(5) * 16 - inverse(239) * 4
    }
}

/// Computes e to the power of x.
pub(super) fn exponential(x: &Number, scale: u32) -> Result<Number> {
    let whole = x.to_i64().filter(|whole| whole.unsigned_abs() < MAX_DIGITS);
    let Some(whole) = whole else { return Err("exponent too large".into()) };
    // The integer part of the result needs additional digits.
    let more = (whole.unsigned_abs() as f64 * std::f64::consts::LOG10_E) as u32;
    let fixed = Fixed::new(scale + GUARD + more);
    let mut small = fixed.of(x);
    let mut halvings = 0;
    while small.magnitude() > fixed.one.magnitude() {
        small /= 2;
        halvings += 1;
    }
    let mut value = fixed.sum(fixed.one.clone(), |term, count| fixed.times(term, &small) / count);
    for _ in 0..halvings {
        value = fixed.times(&value, &value);
    }
    Ok(fixed.result(value, scale))
}

/// Computes the natural logarithm.
pub(super) fn logarithm(x: &Number, scale: u32) -> Number {
    if x.digits <= BigInt::zero() {
        // bc defines this as the most negative number of the scale.
        return Number { digits: BigInt::from(1) - ten_to(scale), scale: 0 }.at(scale);
    }
    let fixed = Fixed::new(scale + GUARD + x.length() as u32 / 2);
    let (mut value, mut doublings) = (fixed.of(x), 1u64);
    let near = |value: &BigInt| {
        let distance = value - &fixed.one;
        distance.magnitude() * 10u32 < *fixed.one.magnitude()
    };
    while !near(&value) {
        value = fixed.root(&value);
        doublings *= 2;
    }
    let ratio = fixed.over(&(&value - &fixed.one), &(&value + &fixed.one));
    fixed.result(fixed.odd_powers(&ratio, false) * 2 * doublings, scale)
}

pub(super) fn sine(x: &Number, scale: u32) -> Number {
    turned(x, scale, false)
}

pub(super) fn cosine(x: &Number, scale: u32) -> Number {
    turned(x, scale, true)
}

fn turned(x: &Number, scale: u32, by_a_quarter: bool) -> Number {
    let fixed = Fixed::new(scale + GUARD + x.length() as u32);
    let pi = fixed.pi();
    let turn: BigInt = &pi * 2;
    let mut angle = fixed.of(x);
    if by_a_quarter {
        angle += &pi / 2;
    }
    angle %= &turn;
    if angle > pi {
        angle -= &turn;
    } else if angle < -pi.clone() {
        angle += &turn;
    }
    let square = fixed.times(&angle, &angle);
    let value = fixed.sum(angle, |term, count| {
        let count = i64::from(count) * 2;
        -fixed.times(term, &square) / (count * (count + 1))
    });
    fixed.result(value, scale)
}

/// Computes the arctangent.
pub(super) fn arctangent(x: &Number, scale: u32) -> Number {
    let fixed = Fixed::new(scale + GUARD + x.length() as u32);
    let mut value = fixed.of(x);
    let mut doublings = 1;
    while value.magnitude() * 5u32 > *fixed.one.magnitude() {
        let root = fixed.root(&(&fixed.one + fixed.times(&value, &value)));
        value = fixed.over(&value, &(&fixed.one + root));
        doublings *= 2;
    }
    fixed.result(fixed.odd_powers(&value, true) * doublings, scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Number {
        Number::parse(text, 10)
    }

    #[test]
    fn known_values() {
        assert_eq!(exponential(&n("1"), 20).unwrap().text(10), "2.71828182845904523536");
        assert_eq!(exponential(&n("0"), 5).unwrap().text(10), "1.00000");
        assert_eq!(exponential(&n("2").negated(), 10).unwrap().text(10), ".1353352832");
        assert_eq!(logarithm(&n("2"), 20).text(10), ".69314718055994530941");
        assert_eq!(logarithm(&n("1"), 5).text(10), "0");
        assert_eq!((arctangent(&n("1"), 20)).text(10), ".78539816339744830961");
        assert_eq!(sine(&n("1"), 20).text(10), ".84147098480789650665");
        assert_eq!(cosine(&n("100"), 10).text(10), ".8623188722");
    }
}
