//! Arithmetic expressions of the shell.

use cofferdam_guest_sh::serial::{pack, unpack};
use cofferdam_guest_sh::syntax::arith::{Arith, number, parse};

use super::Target;
use crate::cost;

pub const TARGET: Target = Target {
    name: "arithmetic",
    run,
    words: &[
        "1",
        "0x",
        "16#f",
        "64#@",
        "a",
        "a[",
        "]",
        "(",
        ")",
        "?",
        ":",
        "**",
        "<<=",
        "++",
        "--",
        "&&",
        "||",
        ",",
        "!",
        "~",
        "9223372036854775808",
        "-",
        "%",
        "08",
    ],
    repeats: &["(", "-", "!", "1+", "a=", "1?1:", "a[", "1**", "~", "++", "1,", "1&&"],
};

pub fn run(data: &[u8]) {
    let _ = number(data);
    let parsed = cost::within(data.len(), 1024, 1 << 18, || parse(data));
    let Ok(parsed) = parsed else { return };
    let _ = parsed.is_pure();
    let unpacked: Option<Arith> = unpack(&pack(&parsed));
    assert_eq!(unpacked.as_ref(), Some(&parsed));
}
