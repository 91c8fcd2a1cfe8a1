//! df: the space used by the sandbox's files, and the space left.

use std::ffi::OsString;
use std::io::Write;

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output;

const USAGE: Usage = Usage {
    name: "df",
    text: "\
Usage: df [OPTION]... [FILE]...
Show how much of the sandbox's files is used and left. There is one file system, whichever FILE
is named; a mounted folder's own space is not shown.

  -h, --human-readable  sizes such as 1.5G, in powers of 1024
  -H, --si              likewise, in powers of 1000
  -k                    blocks of 1024 bytes, as without it
  -m                    blocks of a mebibyte
  -B, --block-size SIZE blocks of SIZE bytes; K, M, G may follow
  -i, --inodes          numbers of files in place of bytes
  -P, --portability     the POSIX form
  -T, --print-type      the type too
  -a, -l                accepted; nothing to change
      --help            show this
",
    trouble: 1,
};

/// The unit of sizes.
enum Unit {
    Blocks(u64),
    Human(f64),
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let specs = [
        ('h', "human-readable", Value::None),
        ('H', "si", Value::None),
        ('k', "", Value::None),
        ('m', "", Value::None),
        ('B', "block-size", Value::Required),
        ('i', "inodes", Value::None),
        ('P', "portability", Value::None),
        ('T', "print-type", Value::None),
        ('a', "all", Value::None),
        ('l', "local", Value::None),
    ];
    let items = match options::parse(&USAGE, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut unit, mut inodes, mut posix, mut shows_type) =
        (Unit::Blocks(1024), false, false, false);
    let (mut code, mut any, mut named) = (0, false, false);
    for item in items {
        match item {
            Item::Option(Key::Short('h'), _) => unit = Unit::Human(1024.0),
            Item::Option(Key::Short('H'), _) => unit = Unit::Human(1000.0),
            Item::Option(Key::Short('k'), _) => unit = Unit::Blocks(1024),
            Item::Option(Key::Short('m'), _) => unit = Unit::Blocks(1 << 20),
            Item::Option(Key::Short('B'), Some(size)) => match block(&size.to_string_lossy()) {
                Some(size) => unit = Unit::Blocks(size),
                None => {
                    return USAGE
                        .wrong(&format!("invalid -B argument '{}'", size.to_string_lossy()));
                }
            },
            Item::Option(Key::Short('i'), _) => inodes = true,
            Item::Option(Key::Short('P'), _) => posix = true,
            Item::Option(Key::Short('T'), _) => shows_type = true,
            Item::Option(..) => {}
            Item::Operand(file) => {
                named = true;
                match std::fs::symlink_metadata(&file) {
                    Ok(_) => any = true,
                    Err(error) => {
                        eprintln!("df: {}: {}", file.to_string_lossy(), output::reason(&error));
                        code = 1;
                    }
                }
            }
        }
    }
    if named && !any {
        return code;
    }
    let [bytes, files] = match cofferdam_guest_sys::space() {
        Ok(space) => space,
        Err(refused) => {
            eprintln!("df: {}", refused.message);
            return 1;
        }
    };
    let (used, all) = if inodes { files } else { bytes };
    let shown = |amount: u64, up: bool| match (&unit, inodes) {
        (Unit::Human(base), _) => human(amount, *base),
        (Unit::Blocks(_), true) => amount.to_string(),
        (Unit::Blocks(size), false) if up => amount.div_ceil(*size).to_string(),
        (Unit::Blocks(size), false) => (amount / size).to_string(),
    };
    let heading = match (&unit, inodes) {
        (_, true) => "Inodes".to_owned(),
        (Unit::Human(_), false) => "Size".to_owned(),
        (Unit::Blocks(1024), false) if posix => "1024-blocks".to_owned(),
        (Unit::Blocks(size), false) => format!("{}-blocks", short(*size)),
    };
    let words = match (inodes, &unit) {
        (true, _) => ["IUsed", "IFree", "IUse%"],
        (false, Unit::Human(_)) if !posix => ["Used", "Avail", "Use%"],
        (false, _) => ["Used", "Available", if posix { "Capacity" } else { "Use%" }],
    };
    let left = all.saturating_sub(used);
    let percent = if all == 0 { 0 } else { (used as f64 * 100.0 / all as f64).ceil() as u64 };
    let values = [shown(all, true), shown(used, true), shown(left, false), format!("{percent}%")];
    let mut rows = [String::from("Filesystem"), String::from("sandbox   ")];
    if shows_type {
        rows[0] += " Type";
        rows[1] += " vfs ";
    }
    for (name, value) in std::iter::once(heading.as_str()).chain(words).zip(&values) {
        let width = name.len().max(value.len());
        rows[0] += &format!(" {name:>width$}");
        rows[1] += &format!(" {value:>width$}");
    }
    let mut out = output::stdout();
    let _ = writeln!(out, "{} Mounted on\n{} /", rows[0], rows[1]);
    output::finish("df", &mut out, code)
}

fn block(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    let count: u64 = if digits.is_empty() { 1 } else { digits.parse().ok()? };
    count.checked_mul(1 << shift).filter(|size| *size > 0)
}

fn short(size: u64) -> String {
    match size {
        size if size % (1 << 30) == 0 => format!("{}G", size >> 30),
        size if size % (1 << 20) == 0 => format!("{}M", size >> 20),
        size if size % (1 << 10) == 0 => format!("{}K", size >> 10),
        size => format!("{size}B"),
    }
}

/// Rounds like GNU: up, with one decimal below ten.
fn human(amount: u64, base: f64) -> String {
    let letters = if base > 1000.0 { ["", "K", "M", "G", "T"] } else { ["", "k", "M", "G", "T"] };
    let mut value = amount as f64;
    for (at, letter) in letters.iter().enumerate() {
        if value < base || at + 1 == letters.len() {
            return match at {
                0 => format!("{value:.0}"),
                _ if (value * 10.0).ceil() < 100.0 => {
                    format!("{:.1}{letter}", (value * 10.0).ceil() / 10.0)
                }
                _ => format!("{:.0}{letter}", value.ceil()),
            };
        }
        value /= base;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up() {
        for (amount, text) in
            [(0, "0"), (1023, "1023"), (1024, "1.0K"), (1025, "1.1K"), (268_435_456, "256M")]
        {
            assert_eq!(human(amount, 1024.0), text);
        }
        assert_eq!(block("4K"), Some(4096));
        assert_eq!(block("x"), None);
    }
}
