//! Encodes the bytes of buffers and typed arrays.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cofferdam_abi::value::ViewKind;
use serde_json::Value as Json;

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns the elements of a typed array. Values that are not finite become `null`; 64-bit integers
/// become decimal strings, like BigInts.
pub(super) fn numbers(kind: ViewKind, bytes: &[u8]) -> Vec<Json> {
    bytes.chunks_exact(kind.width() as usize).map(|chunk| element(kind, chunk)).collect()
}

fn element(kind: ViewKind, chunk: &[u8]) -> Json {
    let mut wide = [0; 8];
    wide[..chunk.len()].copy_from_slice(chunk);
    let bits = u64::from_le_bytes(wide);
    match kind {
        ViewKind::Int8 => (bits as i8).into(),
        ViewKind::Uint8 | ViewKind::Uint8Clamped | ViewKind::DataView => (bits as u8).into(),
        ViewKind::Int16 => (bits as i16).into(),
        ViewKind::Uint16 => (bits as u16).into(),
        ViewKind::Int32 => (bits as i32).into(),
        ViewKind::Uint32 => (bits as u32).into(),
        ViewKind::BigInt64 => (bits as i64).to_string().into(),
        ViewKind::BigUint64 => bits.to_string().into(),
        ViewKind::Float16 => float(half(bits as u16)),
        ViewKind::Float32 => float(f64::from(f32::from_bits(bits as u32))),
        ViewKind::Float64 => float(f64::from_bits(bits)),
    }
}

/// Converts a float; whole numbers are written without a decimal point.
fn float(n: f64) -> Json {
    match n.fract() == 0.0 && n.abs() <= 9_007_199_254_740_991.0 {
        true => (n as i64).into(),
        false => n.into(),
    }
}

/// Decodes an IEEE 754 binary16 number.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_floats_are_read() {
        for (bits, expect) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x0001, 5.960464477539063e-8), (0x7bff, 65504.0)]
        {
            assert_eq!(half(bits), expect);
        }
        assert!(half(0x7e00).is_nan());
    }
}
