//! tac: prints records in reverse order. The input is kept in memory, because a pipe cannot be read
//! backwards; the uutils version uses a temporary folder, which is not available in a cell.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write};

use regex::bytes::RegexBuilder;

use crate::bytes::OsStringExt as _;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

const USAGE: Usage = Usage {
    name: "tac",
    text: "Usage: tac [OPTION]... [FILE]...\nWrite each FILE to standard output, last line first.\n\n  \
           -b, --before             attach the separator before instead of after\n  \
           -r, --regex              interpret the separator as a regular expression\n  \
           -s, --separator=STRING   use STRING as the separator instead of newline\n",
    trouble: 1,
};

/// The text that separates records.
enum Separator {
    Text(Vec<u8>),
    Pattern(regex::bytes::Regex),
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let specs = [
        ('b', "before", Value::None),
        ('r', "regex", Value::None),
        ('s', "separator", Value::Required),
    ];
    let items = match options::parse(&USAGE, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut is_before, mut is_pattern) = (false, false);
    let mut separator = b"\n".to_vec();
    let mut files = Vec::new();
    for item in items {
        match item {
            Item::Option(Key::Short('b'), _) => is_before = true,
            Item::Option(Key::Short('r'), _) => is_pattern = true,
            Item::Option(_, value) => separator = value.unwrap_or_default().into_vec(),
            Item::Operand(file) => files.push(file),
        }
    }
    let separator = match is_pattern {
        false if separator.is_empty() => Separator::Text(b"\0".to_vec()),
        false => Separator::Text(separator),
        true => {
            let text = String::from_utf8_lossy(&separator);
            match RegexBuilder::new(&text).multi_line(true).build() {
                Ok(pattern) => Separator::Pattern(pattern),
                Err(error) => return USAGE.wrong(&format!("invalid regular expression: {error}")),
            }
        }
    };
    if files.is_empty() {
        files.push("-".into());
    }
    let mut out = output::stdout();
    let mut code = 0;
    for file in &files {
        let mut text = Vec::new();
        let read = match file == "-" {
            true => Input.read_to_end(&mut text),
            false => match File::open(file) {
                Ok(mut file) => file.read_to_end(&mut text),
                Err(error) => {
                    let name = file.display();
                    eprintln!("tac: failed to open '{name}' for reading: {}", reason(&error));
                    code = 1;
                    continue;
                }
            },
        };
        let done = read.and_then(|_| reversed(&text, &separator, is_before, &mut out));
        if let Err(error) = done {
            let name = file.to_string_lossy();
            eprintln!("tac: {name}: read error: {}", reason(&error));
            code = 1;
        }
    }
    output::finish("tac", &mut out, code)
}

/// Writes the records from the last to the first.
fn reversed(
    text: &[u8],
    separator: &Separator,
    is_before: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let found: Vec<(usize, usize)> = match separator {
        Separator::Text(separator) => memchr::memmem::find_iter(text, separator)
            .map(|at| (at, at + separator.len()))
            .collect(),
        Separator::Pattern(pattern) => pattern
            .find_iter(text)
            .filter(|found| !found.is_empty())
            .map(|found| (found.start(), found.end()))
            .collect(),
    };
    let mut end = text.len();
    for (from, to) in found.into_iter().rev() {
        let start = if is_before { from } else { to };
        out.write_all(&text[start..end])?;
        end = start;
    }
    out.write_all(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, separator: &str, is_before: bool, expect: &str) {
        let separator = Separator::Text(separator.into());
        let mut out = Vec::new();
        reversed(text.as_bytes(), &separator, is_before, &mut out).expect("memory takes it");
        assert_eq!(String::from_utf8_lossy(&out), expect);
    }

    #[test]
    fn records_come_last_first() {
        check("1\n2\n3\n", "\n", false, "3\n2\n1\n");
        check("1\n2\n3", "\n", false, "32\n1\n");
        check("1\n2\n", "\n", true, "\n\n21");
        check("a::b::", "::", false, "b::a::");
        check("", "\n", false, "");
    }
}
