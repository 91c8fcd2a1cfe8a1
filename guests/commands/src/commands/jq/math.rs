//! Functions of numbers.

use super::json::Json;
use super::stack::Stop;

pub(super) const NAMES: &[(&str, usize)] = &[
    ("infinite", 0),
    ("nan", 0),
    ("isinfinite", 0),
    ("isnan", 0),
    ("isnormal", 0),
    ("floor", 0),
    ("ceil", 0),
    ("round", 0),
    ("sqrt", 0),
    ("fabs", 0),
    ("trunc", 0),
    ("rint", 0),
    ("nearbyint", 0),
    ("exp", 0),
    ("exp2", 0),
    ("exp10", 0),
    ("expm1", 0),
    ("pow10", 0),
    ("log", 0),
    ("log2", 0),
    ("log10", 0),
    ("log1p", 0),
    ("logb", 0),
    ("cbrt", 0),
    ("sin", 0),
    ("cos", 0),
    ("tan", 0),
    ("asin", 0),
    ("acos", 0),
    ("atan", 0),
    ("sinh", 0),
    ("cosh", 0),
    ("tanh", 0),
    ("asinh", 0),
    ("acosh", 0),
    ("atanh", 0),
    ("significand", 0),
    ("gamma", 0),
    ("lgamma", 0),
    ("tgamma", 0),
    ("lgamma_r", 0),
    ("frexp", 0),
    ("modf", 0),
    ("pow", 2),
    ("atan2", 2),
    ("fmod", 2),
    ("fmin", 2),
    ("fmax", 2),
    ("fdim", 2),
    ("hypot", 2),
    ("copysign", 2),
    ("ldexp", 2),
    ("scalb", 2),
    ("scalbln", 2),
    ("drem", 2),
    ("nextafter", 2),
    ("nexttoward", 2),
    ("fma", 3),
];

pub(super) fn call(name: &str, arguments: &[Json], input: &Json) -> Result<Json, Stop> {
    match (name, arguments) {
        ("infinite", []) => return Ok(f64::INFINITY.into()),
        ("nan", []) => return Ok(f64::NAN.into()),
        ("isinfinite", []) => return Ok(number(input)?.is_infinite().into()),
        ("isnan", []) => return Ok(number(input)?.is_nan().into()),
        ("isnormal", []) => return Ok(number(input)?.is_normal().into()),
        ("frexp", []) => {
            let (fraction, exponent) = parts(number(input)?);
            return Ok(vec![fraction.into(), exponent.into()].into());
        }
        ("modf", []) => {
            let x = number(input)?;
            let fraction = if x.is_infinite() { 0.0_f64.copysign(x) } else { x.fract() };
            return Ok(vec![fraction.into(), x.trunc().into()].into());
        }
        ("lgamma_r", []) => {
            let x = number(input)?;
            let negative = x < 0.0 && (x.floor() as i64) % 2 != 0;
            let sign = if negative { -1.0 } else { 1.0 };
            return Ok(vec![lgamma(x).into(), sign.into()].into());
        }
        _ => {}
    }
    Ok(match arguments {
        [] => unary(name, number(input)?),
        [a, b] => binary(name, number(a)?, number(b)?),
        [a, b, c] => Some(number(a)?.mul_add(number(b)?, number(c)?)),
        _ => None,
    }
    .ok_or_else(|| format!("{name}/{} is not defined", arguments.len()))?
    .into())
}

fn number(value: &Json) -> Result<f64, Stop> {
    match value {
        Json::Num(number, _) => Ok(*number),
        other => Err(format!("{} number required", other.described()).into()),
    }
}

fn unary(name: &str, x: f64) -> Option<f64> {
    Some(match name {
        "floor" => x.floor(),
        "ceil" => x.ceil(),
        "round" => x.round(),
        "sqrt" => x.sqrt(),
        "fabs" => x.abs(),
        "trunc" => x.trunc(),
        "rint" | "nearbyint" => x.round_ties_even(),
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "exp10" | "pow10" => 10_f64.powf(x),
        "expm1" => x.exp_m1(),
        "log" => x.ln(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "log1p" => x.ln_1p(),
        "logb" if x == 0.0 => f64::NEG_INFINITY,
        "logb" if x.is_infinite() => f64::INFINITY,
        "logb" => parts(x).1 - 1.0,
        "cbrt" => x.cbrt(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "asinh" => x.asinh(),
        "acosh" => x.acosh(),
        "atanh" => x.atanh(),
        "significand" if x == 0.0 || !x.is_finite() => x,
        "significand" => parts(x).0 * 2.0,
        "gamma" | "lgamma" => lgamma(x),
        "tgamma" => tgamma(x),
        _ => return None,
    })
}

fn binary(name: &str, a: f64, b: f64) -> Option<f64> {
    Some(match name {
        "pow" => a.powf(b),
        "atan2" => a.atan2(b),
        "fmod" => a % b,
        "fmin" => a.min(b),
        "fmax" => a.max(b),
        "fdim" => (a - b).max(0.0),
        "hypot" => a.hypot(b),
        "copysign" => a.copysign(b),
        "ldexp" | "scalb" | "scalbln" => scaled(a, b),
        "drem" => a - (a / b).round_ties_even() * b,
        "nextafter" | "nexttoward" if a == b => b,
        "nextafter" | "nexttoward" if b > a => a.next_up(),
        "nextafter" | "nexttoward" => a.next_down(),
        _ => return None,
    })
}

/// Multiplies by a power of two, in steps that neither overflow nor vanish.
fn scaled(x: f64, exponent: f64) -> f64 {
    let mut left = exponent.trunc().clamp(-2200.0, 2200.0);
    let mut x = x;
    while left != 0.0 {
        let step = left.clamp(-1000.0, 1000.0);
        x *= step.exp2();
        left -= step;
    }
    x
}

/// Splits a number into a fraction from 0.5 to 1 and an exponent of two.
fn parts(x: f64) -> (f64, f64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0.0);
    }
    let mut exponent = x.abs().log2().floor() + 1.0;
    let mut fraction = scaled(x, -exponent);
    while fraction.abs() >= 1.0 {
        fraction /= 2.0;
        exponent += 1.0;
    }
    while fraction.abs() < 0.5 {
        fraction *= 2.0;
        exponent -= 1.0;
    }
    (fraction, exponent)
}

/// Coefficients of Lanczos' approximation of the gamma function.
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

fn series(x: f64) -> f64 {
    LANCZOS[1..].iter().enumerate().fold(LANCZOS[0], |sum, (at, c)| sum + c / (x + at as f64 + 1.0))
}

fn lgamma(x: f64) -> f64 {
    if x < 0.5 {
        let sine = (std::f64::consts::PI * x).sin().abs();
        return (std::f64::consts::PI / sine).ln() - lgamma(1.0 - x);
    }
    let x = x - 1.0;
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + series(x).ln()
}

fn tgamma(x: f64) -> f64 {
    if x == x.floor() && (1.0..=170.0).contains(&x) {
        return (1..x as u64).map(|n| n as f64).product();
    }
    if x < 0.5 {
        return std::f64::consts::PI / ((std::f64::consts::PI * x).sin() * tgamma(1.0 - x));
    }
    lgamma(x).exp()
}
