//! Structured clones: JavaScript values as packed by a guest.

use cofferdam_abi::value::{MAX_DEPTH, decode, encode};
use cofferdam_abi::{Value, Writer};

use super::Target;
use crate::cost;

pub const TARGET: Target = Target {
    name: "values",
    run,
    words: &[
        "\u{b}\u{1}",
        "\u{a}\u{1}\u{7}\u{1}a",
        "\u{9}\0",
        "\u{f}\u{1}",
        "\u{10}\u{1}",
        "\u{12}\u{1}\0\0\0\0",
    ],
    repeats: &["\u{b}\u{1}", "\u{10}\u{1}", "\u{1}", "\u{7}\0"],
};

/// Host memory for each byte of a message: the size of a `Value`, doubled by the growth of lists.
const EACH: usize = 256;

/// Memory that nested lists may reserve for announced elements: 256 elements at each level.
const PROMISED: usize = MAX_DEPTH * 256 * 96;

pub fn run(data: &[u8]) {
    let decoded = cost::within(data.len(), EACH, PROMISED, || decode(data));
    let Ok(value) = decoded else { return };
    // Compared as bytes, because NaN is not equal to itself.
    let once = packed(&value);
    let again = decode(&once).expect("what the host packs it can unpack");
    assert_eq!(packed(&again), once);
    for cut in 0..once.len().min(64) {
        assert!(decode(&once[..cut]).is_err(), "a value that was cut at {cut} was taken");
    }
}

fn packed(value: &Value) -> Vec<u8> {
    let mut writer = Writer::new();
    encode(value, &mut writer);
    writer.finish()
}
