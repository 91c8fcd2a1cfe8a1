//! cat. Not the uutils version, which asks for the type of its input and supports neither pipes nor
//! devices on this target.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

const USAGE: Usage = Usage {
    name: "cat",
    text: "Usage: cat [OPTION]... [FILE]...
Concatenate FILE(s) to standard output; standard input where FILE is - or missing.

  -A, --show-all           same as -vET
  -b, --number-nonblank    number lines that are not empty
  -e                       same as -vE
  -E, --show-ends          show $ at the end of each line
  -n, --number             number all lines
  -s, --squeeze-blank      one empty line in place of several
  -t                       same as -vT
  -T, --show-tabs          show tabs as ^I
  -u                       ignored
  -v, --show-nonprinting   show other characters as ^X and M-X
      --help               show this
",
    trouble: 1,
};

const SPECS: [options::Spec; 10] = [
    ('A', "show-all", Value::None),
    ('b', "number-nonblank", Value::None),
    ('e', "", Value::None),
    ('E', "show-ends", Value::None),
    ('n', "number", Value::None),
    ('s', "squeeze-blank", Value::None),
    ('t', "", Value::None),
    ('T', "show-tabs", Value::None),
    ('u', "", Value::None),
    ('v', "show-nonprinting", Value::None),
];

/// Bytes read at once.
const BLOCK: usize = 64 * 1024;

/// Changes made to the text.
#[derive(Default)]
struct Style {
    numbers: Numbers,
    squeeze: bool,
    ends: bool,
    tabs: bool,
    nonprinting: bool,
}

#[derive(Default, PartialEq, Eq)]
enum Numbers {
    #[default]
    None,
    NotEmpty,
    All,
}

impl Style {
    fn is_plain(&self) -> bool {
        let shown = self.ends || self.tabs || self.nonprinting;
        self.numbers == Numbers::None && !self.squeeze && !shown
    }
}

/// The position within the concatenation of all files.
struct Place {
    line: u64,
    at_start: bool,
    empty_before: u64,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let items = match options::parse(&USAGE, args, &SPECS, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut style, mut files) = (Style::default(), Vec::new());
    for item in items {
        match item {
            Item::Option(Key::Short(letter), _) => set(&mut style, letter),
            Item::Option(Key::Long(_), _) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    if files.is_empty() {
        files.push("-".into());
    }
    let mut out = output::stdout();
    let mut place = Place { line: 0, at_start: true, empty_before: 0 };
    let mut code = 0;
    for file in files {
        let done = match file.to_str() {
            Some("-") => copy(&mut Input, &mut out, &style, &mut place),
            _ => open(&file).and_then(|mut file| copy(&mut file, &mut out, &style, &mut place)),
        };
        if let Err(error) = done {
            // Output of earlier files must come before the message.
            let _ = out.flush();
            eprintln!("cat: {}: {}", crate::quoting::named(&file), reason(&error));
            code = 1;
        }
    }
    match output::finish("cat", &mut out, code) {
        0 => 0,
        _ => 1,
    }
}

fn set(style: &mut Style, letter: char) {
    match letter {
        'b' => style.numbers = Numbers::NotEmpty,
        'n' if style.numbers == Numbers::None => style.numbers = Numbers::All,
        's' => style.squeeze = true,
        'E' => style.ends = true,
        'T' => style.tabs = true,
        'v' => style.nonprinting = true,
        'A' => "vET".chars().for_each(|letter| set(style, letter)),
        'e' => "vE".chars().for_each(|letter| set(style, letter)),
        't' => "vT".chars().for_each(|letter| set(style, letter)),
        _ => {}
    }
}

fn open(file: &OsString) -> io::Result<File> {
    let opened = File::open(file)?;
    match opened.metadata()?.is_dir() {
        true => Err(io::Error::other("Is a directory")),
        false => Ok(opened),
    }
}

fn copy(
    from: &mut dyn Read,
    out: &mut output::Output,
    style: &Style,
    place: &mut Place,
) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    loop {
        let read = from.read(&mut block)?;
        if read == 0 {
            return Ok(());
        }
        if style.is_plain() {
            out.write_all(&block[..read])?;
            // Flushes, so that the reader of a pipe does not wait for a full block.
            out.flush()?;
            continue;
        }
        for byte in &block[..read] {
            show(*byte, out, style, place)?;
        }
        out.flush()?;
    }
}

fn show(byte: u8, out: &mut output::Output, style: &Style, place: &mut Place) -> io::Result<()> {
    if place.at_start {
        let is_empty = byte == b'\n';
        place.empty_before = if is_empty { place.empty_before + 1 } else { 0 };
        if style.squeeze && place.empty_before > 1 {
            return Ok(());
        }
        if style.numbers == Numbers::All || (style.numbers == Numbers::NotEmpty && !is_empty) {
            place.line += 1;
            write!(out, "{:6}\t", place.line)?;
        }
        place.at_start = false;
    }
    match byte {
        b'\n' => {
            place.at_start = true;
            out.write_all(if style.ends { b"$\n" } else { b"\n" })
        }
        b'\t' if style.tabs => out.write_all(b"^I"),
        b'\t' => out.write_all(b"\t"),
        _ if !style.nonprinting => out.write_all(&[byte]),
        _ => out.write_all(visible(byte).as_bytes()),
    }
}

fn visible(byte: u8) -> String {
    match byte {
        128.. => format!("M-{}", visible(byte - 128)),
        127 => "^?".to_owned(),
        32.. => char::from(byte).to_string(),
        _ => format!("^{}", char::from(byte + 64)),
    }
}
