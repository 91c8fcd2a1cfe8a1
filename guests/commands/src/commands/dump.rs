//! Commands that make bytes visible: strings, xxd, hexdump.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

/// Reads until the buffer is full or the input ends.
fn fill(source: &mut dyn Read, buf: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < buf.len() {
        match source.read(&mut buf[len..])? {
            0 => break,
            count => len += count,
        }
    }
    Ok(len)
}

fn open(file: &OsString) -> io::Result<Box<dyn Read>> {
    if file == "-" { Ok(Box::new(Input)) } else { Ok(Box::new(File::open(file)?)) }
}

fn complain(name: &str, file: &OsString, error: &io::Error) {
    eprintln!("{name}: {}: {}", file.to_string_lossy(), reason(error));
}

const STRINGS: Usage = Usage {
    name: "strings",
    text: "\
Usage: strings [OPTION]... [FILE]...
Print the sequences of printable characters in files.

  -a, --all           scan the entire file
  -f, --print-file-name  print the name of the file before each string
  -n, --bytes=MIN     print sequences of at least MIN characters (default 4)
  -t, --radix={o,d,x} print the offset of the string in base 8, 10 or 16
",
    trouble: 1,
};

pub(crate) fn strings(args: Vec<OsString>) -> i32 {
    run_strings(args).unwrap_or_else(|code| code)
}

fn run_strings(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('a', "all", Value::None),
        ('f', "print-file-name", Value::None),
        ('n', "bytes", Value::Required),
        ('t', "radix", Value::Required),
    ];
    let (mut least, mut radix, mut names) = (4_usize, None, false);
    let mut files = Vec::new();
    for item in options::parse(&STRINGS, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('f'), _) => names = true,
            Item::Option(Key::Short('n'), Some(value)) => {
                let text = value.to_string_lossy();
                least = text
                    .parse()
                    .map_err(|_| STRINGS.wrong(&format!("invalid minimum string length {text}")))?;
            }
            Item::Option(Key::Short('t'), Some(value)) => {
                radix = value.to_string_lossy().chars().next()
            }
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    if files.is_empty() {
        files.push("-".into());
    }
    let least = least.max(1);
    let mut out = output::stdout();
    let mut code = 0;
    for file in &files {
        let done = open(file).and_then(|mut source| {
            let mut buf = vec![0; 64 * 1024];
            let (mut at, mut start) = (0_u64, 0_u64);
            // Characters held back until the minimum length is reached.
            let mut held: Vec<u8> = Vec::new();
            let mut shown = false;
            loop {
                let len = source.read(&mut buf)?;
                for byte in &buf[..len] {
                    if matches!(byte, b' '..=b'~' | b'\t') {
                        if held.is_empty() && !shown {
                            start = at;
                        }
                        held.push(*byte);
                        if !shown && held.len() >= least {
                            shown = true;
                            if names {
                                write!(out, "{}: ", file.to_string_lossy())?;
                            }
                            match radix {
                                Some('o') => write!(out, "{start:7o} ")?,
                                Some('x') => write!(out, "{start:7x} ")?,
                                Some(_) => write!(out, "{start:7} ")?,
                                None => {}
                            }
                        }
                        if shown {
                            out.write_all(&held)?;
                            held.clear();
                        }
                    } else {
                        if shown {
                            out.write_all(b"\n")?;
                        }
                        shown = false;
                        held.clear();
                    }
                    at += 1;
                }
                if len == 0 {
                    if shown {
                        out.write_all(b"\n")?;
                    }
                    return Ok(());
                }
            }
        });
        if let Err(error) = done {
            complain("strings", file, &error);
            code = 1;
        }
    }
    Ok(output::finish("strings", &mut out, code))
}

const XXD: Usage = Usage {
    name: "xxd",
    text: "\
Usage: xxd [OPTION]... [INFILE]
Make a hex dump, or do the reverse.

  -c COLS    format COLS octets per line (default 16; -p: 30, 0 for one line)
  -g BYTES   number of octets per group (default 2)
  -i         output in C include file style
  -l LEN     stop after LEN octets
  -o OFFSET  add OFFSET to the displayed positions
  -p         output in plain hexdump style
  -r         reverse operation: convert hexdump into binary
  -s SEEK    start at SEEK bytes
  -u         use upper case hex letters
  -b         binary digit dump
",
    trouble: 1,
};

pub(crate) fn xxd(args: Vec<OsString>) -> i32 {
    run_xxd(args).unwrap_or_else(|code| code)
}

/// Writes digits alone, in lines of so many bytes; 0 is one line for all of them.
fn plain_dump(
    source: &mut dyn Read,
    out: &mut dyn Write,
    columns: u64,
    upper: bool,
) -> io::Result<()> {
    let mut buf = [0; 4096];
    let mut written = 0_u64;
    loop {
        let len = fill(source, &mut buf)?;
        if len == 0 {
            break;
        }
        for byte in &buf[..len] {
            if columns > 0 && written > 0 && written.is_multiple_of(columns) {
                writeln!(out)?;
            }
            if upper {
                write!(out, "{byte:02X}")?
            } else {
                write!(out, "{byte:02x}")?
            }
            written += 1;
        }
    }
    if written > 0 { writeln!(out) } else { Ok(()) }
}

fn run_xxd(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('c', "cols", Value::Required),
        ('g', "groupsize", Value::Required),
        ('i', "include", Value::None),
        ('l', "len", Value::Required),
        ('o', "offset", Value::Required),
        ('p', "plain", Value::None),
        ('r', "revert", Value::None),
        ('s', "seek", Value::Required),
        ('u', "uppercase", Value::None),
        ('b', "bits", Value::None),
    ];
    // `-ps` is one option, not a cluster.
    let args = args.into_iter().map(|arg| if arg == "-ps" { "-p".into() } else { arg }).collect();
    let (mut columns, mut group, mut limit, mut seek) = (None, None, u64::MAX, 0_u64);
    let mut offset = 0_u64;
    let (mut plain, mut reverse, mut upper, mut bits, mut include) =
        (false, false, false, false, false);
    let mut files: Vec<OsString> = Vec::new();
    for item in options::parse(&XXD, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('p'), _) => plain = true,
            Item::Option(Key::Short('r'), _) => reverse = true,
            Item::Option(Key::Short('u'), _) => upper = true,
            Item::Option(Key::Short('b'), _) => bits = true,
            Item::Option(Key::Short('i'), _) => include = true,
            Item::Option(Key::Short(which), Some(value)) => {
                let text = value.to_string_lossy();
                let number = match text.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16).ok(),
                    None => text.parse().ok(),
                };
                let number =
                    number.ok_or_else(|| XXD.wrong(&format!("invalid number '{text}'")))?;
                match which {
                    'c' => columns = Some(number),
                    'g' => group = Some(number.min(256) as usize),
                    'l' => limit = number,
                    'o' => offset = number,
                    _ => seek = number,
                }
            }
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    let file = files.first().cloned().unwrap_or_else(|| "-".into());
    let mut out = output::stdout();
    let done = open(&file).and_then(|mut source| {
        if reverse {
            return unhex(&mut *source, &mut out, plain);
        }
        io::copy(&mut (&mut source).take(seek), &mut io::sink())?;
        let mut source = source.take(limit);
        if include {
            return c_array(&mut source, &mut out, &file, upper);
        }
        if plain && !bits {
            return plain_dump(&mut source, &mut out, columns.unwrap_or(30), upper);
        }
        let columns = columns.filter(|columns| *columns > 0).unwrap_or(if bits { 6 } else { 16 });
        let columns = columns.min(256) as usize;
        let group = group.unwrap_or(if bits { 1 } else { 2 });
        let mut buf = vec![0; columns];
        let mut at = seek.saturating_add(offset);
        loop {
            let len = fill(&mut source, &mut buf)?;
            if len == 0 {
                return Ok(());
            }
            let hex = |byte: u8| match (bits, upper) {
                (true, _) => format!("{byte:08b}"),
                (false, true) => format!("{byte:02X}"),
                (false, false) => format!("{byte:02x}"),
            };
            let mut line = format!("{at:08x}: ");
            let cell = if bits { 8 } else { 2 };
            for i in 0..columns {
                match buf[..len].get(i) {
                    Some(byte) => line.push_str(&hex(*byte)),
                    None => line.push_str(&" ".repeat(cell)),
                }
                if group > 0 && (i + 1) % group == 0 {
                    line.push(' ');
                }
            }
            if group == 0 || !columns.is_multiple_of(group) {
                line.push(' ');
            }
            line.push(' ');
            line.extend(buf[..len].iter().map(|byte| visible(*byte)));
            writeln!(out, "{line}")?;
            at = at.saturating_add(len as u64);
        }
    });
    let code = match done {
        Ok(()) => 0,
        Err(error) => {
            complain("xxd", &file, &error);
            2
        }
    };
    Ok(output::finish("xxd", &mut out, code))
}

fn visible(byte: u8) -> char {
    if matches!(byte, b' '..=b'~') { char::from(byte) } else { '.' }
}

fn c_array(
    source: &mut dyn Read,
    out: &mut output::Output,
    file: &OsString,
    upper: bool,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    let named = file != "-";
    let name: String = file
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if named {
        writeln!(out, "unsigned char {name}[] = {{")?;
    }
    let lines: Vec<String> = bytes
        .chunks(12)
        .map(|chunk| {
            let items: Vec<String> = chunk
                .iter()
                .map(|byte| if upper { format!("0X{byte:02X}") } else { format!("0x{byte:02x}") })
                .collect();
            format!("  {}", items.join(", "))
        })
        .collect();
    writeln!(out, "{}", lines.join(",\n"))?;
    if named {
        writeln!(out, "}};\nunsigned int {name}_len = {};", bytes.len())?;
    }
    Ok(())
}

fn unhex(source: &mut dyn Read, out: &mut output::Output, plain: bool) -> io::Result<()> {
    let mut text = Vec::new();
    source.read_to_end(&mut text)?;
    let mut position = 0_u64;
    for line in text.split(|b| *b == b'\n') {
        let line = String::from_utf8_lossy(line).into_owned();
        let body = if plain {
            line.as_str()
        } else {
            let Some((offset, rest)) = line.split_once(':') else { continue };
            let offset = u64::from_str_radix(offset.trim(), 16).unwrap_or(position);
            // Fills a gap with zeros, up to a limit.
            let gap = offset.saturating_sub(position).min(1 << 24);
            io::copy(&mut io::repeat(0).take(gap), out)?;
            position += gap;
            // Two blanks end the hexadecimal digits.
            let rest = rest.strip_prefix(' ').unwrap_or(rest);
            rest.split("  ").next().unwrap_or("")
        };
        let digits: Vec<u8> =
            body.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
        for pair in digits.chunks_exact(2) {
            out.write_all(&[pair[0] << 4 | pair[1]])?;
            position += 1;
        }
    }
    Ok(())
}

const HEXDUMP: Usage = Usage {
    name: "hexdump",
    text: "\
Usage: hexdump [-bcCdoxv] [-n LENGTH] [-s OFFSET] [FILE]...
Display file contents in hexadecimal, decimal, octal or ascii.

  -b         one-byte octal display
  -C         canonical hex+ASCII display
  -d         two-byte decimal display
  -o         two-byte octal display
  -x         two-byte hexadecimal display
  -n LENGTH  interpret only LENGTH bytes of input
  -s OFFSET  skip OFFSET bytes from the beginning of the input
  -v         display all input, without folding repeated lines
",
    trouble: 1,
};

pub(crate) fn hexdump(args: Vec<OsString>) -> i32 {
    run_hexdump(args).unwrap_or_else(|code| code)
}

fn run_hexdump(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('b', "one-byte-octal", Value::None),
        ('C', "canonical", Value::None),
        ('d', "two-bytes-decimal", Value::None),
        ('o', "two-bytes-octal", Value::None),
        ('x', "two-bytes-hex", Value::None),
        ('n', "length", Value::Required),
        ('s', "skip", Value::Required),
        ('v', "no-squeezing", Value::None),
    ];
    let (mut form, mut limit, mut skip, mut squeeze) = (' ', u64::MAX, 0_u64, true);
    let mut files: Vec<OsString> = Vec::new();
    for item in options::parse(&HEXDUMP, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('v'), _) => squeeze = false,
            Item::Option(Key::Short(which @ ('n' | 's')), Some(value)) => {
                let text = value.to_string_lossy();
                let number =
                    text.parse().map_err(|_| HEXDUMP.wrong(&format!("invalid number '{text}'")))?;
                if which == 'n' {
                    limit = number;
                } else {
                    skip = number;
                }
            }
            Item::Option(Key::Short(which), _) => form = which,
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    if files.is_empty() {
        files.push("-".into());
    }
    let mut out = output::stdout();
    let mut code = 0;
    let mut source: Box<dyn Read> = Box::new(io::empty());
    for file in &files {
        match open(file) {
            Ok(opened) => source = Box::new(source.chain(opened)),
            Err(error) => {
                complain("hexdump", file, &error);
                code = 1;
            }
        }
    }
    let done = io::copy(&mut (&mut source).take(skip), &mut io::sink())
        .and_then(|_| dump(&mut source.take(limit), &mut out, form, skip, squeeze));
    if let Err(error) = done {
        eprintln!("hexdump: {}", reason(&error));
        code = 1;
    }
    Ok(output::finish("hexdump", &mut out, code))
}

fn dump(
    source: &mut dyn Read,
    out: &mut output::Output,
    form: char,
    mut at: u64,
    squeeze: bool,
) -> io::Result<()> {
    let width = if form == 'C' { 8 } else { 7 };
    let mut buf = [0; 16];
    let mut last: Option<[u8; 16]> = None;
    let mut folded = false;
    loop {
        buf.fill(0);
        let len = fill(source, &mut buf)?;
        if len == 0 {
            break;
        }
        if squeeze && len == 16 && last == Some(buf) {
            if !folded {
                writeln!(out, "*")?;
            }
            folded = true;
            at += 16;
            continue;
        }
        folded = false;
        last = (len == 16).then_some(buf);
        let mut line = format!("{at:0width$x}");
        match form {
            'C' => {
                line.push(' ');
                for i in 0..16 {
                    if i % 8 == 0 {
                        line.push(' ');
                    }
                    match buf[..len].get(i) {
                        Some(byte) => line.push_str(&format!("{byte:02x} ")),
                        None => line.push_str("   "),
                    }
                }
                line.push_str(" |");
                line.extend(buf[..len].iter().map(|byte| visible(*byte)));
                line.push('|');
            }
            'b' => line.extend(buf[..len].iter().map(|byte| format!(" {byte:03o}"))),
            _ => {
                for pair in buf[..len.div_ceil(2) * 2].chunks(2) {
                    let word = u16::from_le_bytes([pair[0], pair[1]]);
                    line.push_str(&match form {
                        'd' => format!("   {word:05}"),
                        'o' => format!("  {word:06o}"),
                        'x' => format!("    {word:04x}"),
                        _ => format!(" {word:04x}"),
                    });
                }
            }
        }
        writeln!(out, "{line}")?;
        at = at.saturating_add(len as u64);
    }
    if at > 0 {
        writeln!(out, "{at:0width$x}")?;
    }
    Ok(())
}
