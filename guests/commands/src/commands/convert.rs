//! iconv, envsubst, uuidgen, shasum.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};

use encoding_rs::Encoding;

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

/// Reads standard input, or all the named files.
fn read_all(name: &str, files: &[OsString]) -> Result<Vec<u8>, i32> {
    let mut bytes = Vec::new();
    let stdin = [OsString::from("-")];
    for file in if files.is_empty() { &stdin[..] } else { files } {
        let read = match file == "-" {
            true => Input.read_to_end(&mut bytes),
            false => File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)),
        };
        if let Err(error) = read {
            eprintln!("{name}: {}: {}", file.to_string_lossy(), reason(&error));
            return Err(1);
        }
    }
    Ok(bytes)
}

const ICONV: Usage = Usage {
    name: "iconv",
    text: "\
Usage: iconv [OPTION]... [FILE]...
Convert the encoding of text.

  -f NAME, --from-code=NAME  encoding of the input (default UTF-8)
  -t NAME, --to-code=NAME    encoding of the output (default UTF-8); NAME//TRANSLIT and
                             NAME//IGNORE are understood
  -c                         leave out characters that cannot be converted
  -o FILE, --output=FILE     write to FILE
  -l, --list                 list encodings
",
    trouble: 1,
};

/// An encoding of text.
#[derive(Clone, Copy)]
enum Code {
    Ascii,
    Latin1,
    Utf16 { big: bool, mark: bool },
    Utf32 { big: bool, mark: bool },
    Web(&'static Encoding),
}

fn code(name: &str) -> Option<Code> {
    let upper = name.to_ascii_uppercase();
    let bare: String = upper.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    Some(match bare.as_str() {
        "ASCII" | "USASCII" | "ANSIX341968" => Code::Ascii,
        "LATIN1" | "ISO88591" | "L1" => Code::Latin1,
        "UTF16" => Code::Utf16 { big: false, mark: true },
        "UTF16LE" => Code::Utf16 { big: false, mark: false },
        "UTF16BE" => Code::Utf16 { big: true, mark: false },
        "UTF32" | "UCS4" => Code::Utf32 { big: false, mark: true },
        "UTF32LE" | "UCS4LE" => Code::Utf32 { big: false, mark: false },
        "UTF32BE" | "UCS4BE" => Code::Utf32 { big: true, mark: false },
        "CP1252" => Code::Web(encoding_rs::WINDOWS_1252),
        "CP1251" => Code::Web(encoding_rs::WINDOWS_1251),
        "CP1250" => Code::Web(encoding_rs::WINDOWS_1250),
        "CP932" => Code::Web(encoding_rs::SHIFT_JIS),
        "CP936" => Code::Web(encoding_rs::GBK),
        "CP949" => Code::Web(encoding_rs::EUC_KR),
        "CP950" => Code::Web(encoding_rs::BIG5),
        _ => Code::Web(Encoding::for_label(name.as_bytes())?),
    })
}

/// Decodes bytes. The error is the index of the first byte that is not valid.
fn decode(from: Code, bytes: &[u8], skips: bool) -> Result<String, usize> {
    let units = |width: usize| bytes.chunks(width).enumerate();
    let mut out = String::new();
    match from {
        Code::Ascii | Code::Latin1 => {
            for (at, byte) in bytes.iter().enumerate() {
                match from {
                    Code::Ascii if !byte.is_ascii() && !skips => return Err(at),
                    Code::Ascii if !byte.is_ascii() => {}
                    _ => out.push(char::from(*byte)),
                }
            }
        }
        Code::Utf16 { big, mark } => {
            let mut big = big;
            let mut words: Vec<u16> = Vec::new();
            for (at, pair) in units(2) {
                let &[one, two] = pair else { return Err(at * 2) };
                words.push(if big {
                    u16::from_be_bytes([one, two])
                } else {
                    u16::from_le_bytes([one, two])
                });
                if at == 0 && mark && words[0] == 0xfffe {
                    big = !big;
                }
            }
            let skip = usize::from(mark && matches!(words.first(), Some(0xfeff | 0xfffe)));
            for (at, unit) in char::decode_utf16(words[skip..].iter().copied()).enumerate() {
                match unit {
                    Ok(c) => out.push(c),
                    Err(_) if skips => {}
                    Err(_) => return Err(at * 2),
                }
            }
        }
        Code::Utf32 { big, mark } => {
            let mut big = big;
            for (at, unit) in units(4) {
                let Ok(four) = <[u8; 4]>::try_from(unit) else { return Err(at * 4) };
                let number = if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) };
                match (at, number) {
                    (0, 0xfeff) if mark => continue,
                    (0, 0xfffe_0000) if mark => {
                        big = !big;
                        continue;
                    }
                    _ => {}
                }
                match char::from_u32(number) {
                    Some(c) => out.push(c),
                    None if skips => {}
                    None => return Err(at * 4),
                }
            }
        }
        Code::Web(encoding) => {
            let (text, failed) = encoding.decode_without_bom_handling(bytes);
            if failed && !skips {
                let at = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
                return Err(at);
            }
            out = if failed { text.replace('\u{fffd}', "") } else { text.into_owned() };
        }
    }
    Ok(out)
}

/// Plain spelling of a character, for `//TRANSLIT`.
fn plain(c: char) -> &'static str {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' => "\"",
        '\u{2013}' | '\u{2014}' | '\u{2212}' => "-",
        '\u{2026}' => "...",
        '\u{a0}' => " ",
        '\u{20ac}' => "EUR",
        '\u{e4}' => "ae",
        '\u{f6}' => "oe",
        '\u{fc}' => "ue",
        '\u{c4}' => "Ae",
        '\u{d6}' => "Oe",
        '\u{dc}' => "Ue",
        '\u{df}' => "ss",
        '\u{c0}'..='\u{c5}' => "A",
        '\u{c7}' => "C",
        '\u{c8}'..='\u{cb}' => "E",
        '\u{cc}'..='\u{cf}' => "I",
        '\u{d1}' => "N",
        '\u{d2}'..='\u{d5}' => "O",
        '\u{d9}'..='\u{db}' => "U",
        '\u{e0}'..='\u{e5}' => "a",
        '\u{e7}' => "c",
        '\u{e8}'..='\u{eb}' => "e",
        '\u{ec}'..='\u{ef}' => "i",
        '\u{f1}' => "n",
        '\u{f2}'..='\u{f5}' => "o",
        '\u{f9}'..='\u{fb}' => "u",
        '\u{fd}' | '\u{ff}' => "y",
        _ => "?",
    }
}

/// Encodes one character; `None` if the encoding lacks it.
fn encode(to: Code, c: char, out: &mut Vec<u8>) -> Option<()> {
    let number = u32::from(c);
    match to {
        Code::Ascii => out.push(u8::try_from(number).ok().filter(u8::is_ascii)?),
        Code::Latin1 => out.push(u8::try_from(number).ok()?),
        Code::Utf16 { big, .. } => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.extend(if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
            }
        }
        Code::Utf32 { big, .. } => {
            out.extend(if big { number.to_be_bytes() } else { number.to_le_bytes() });
        }
        Code::Web(encoding) => {
            let mut buf = [0; 4];
            let (bytes, _, failed) = encoding.encode(c.encode_utf8(&mut buf));
            if failed {
                return None;
            }
            out.extend_from_slice(&bytes);
        }
    }
    Some(())
}

pub(crate) fn iconv(args: Vec<OsString>) -> i32 {
    run_iconv(args).unwrap_or_else(|code| code)
}

fn run_iconv(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('f', "from-code", Value::Required),
        ('t', "to-code", Value::Required),
        ('c', "", Value::None),
        ('o', "output", Value::Required),
        ('l', "list", Value::None),
        ('s', "silent", Value::None),
    ];
    let (mut from, mut to) = ("UTF-8".to_owned(), "UTF-8".to_owned());
    let (mut skips, mut target, mut files) = (false, None, Vec::new());
    for item in options::parse(&ICONV, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('f'), Some(name)) => from = name.to_string_lossy().into_owned(),
            Item::Option(Key::Short('t'), Some(name)) => to = name.to_string_lossy().into_owned(),
            Item::Option(Key::Short('c'), _) => skips = true,
            Item::Option(Key::Short('o'), file) => target = file,
            Item::Option(Key::Short('l'), _) => {
                println!(
                    "ASCII// ISO-8859-1// UTF-8// UTF-16// UTF-16LE// UTF-16BE// UTF-32// UTF-32LE// \
                     UTF-32BE// ISO-8859-2// ISO-8859-15// WINDOWS-1250// WINDOWS-1251// \
                     WINDOWS-1252// KOI8-R// SHIFT_JIS// EUC-JP// ISO-2022-JP// EUC-KR// GBK// \
                     GB18030// BIG5//"
                );
                return Ok(super::uutils::flushed(0));
            }
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    let (name, flags) = to.split_once("//").unwrap_or((&to, ""));
    let translits = flags.to_ascii_uppercase().contains("TRANSLIT");
    skips |= flags.to_ascii_uppercase().contains("IGNORE");
    let source = from.split("//").next().unwrap_or("");
    let unsupported = |name: &str, what: &str| {
        eprintln!("iconv: conversion {what} `{name}' is not supported");
        ICONV.trouble
    };
    let from = code(source).ok_or_else(|| unsupported(source, "from"))?;
    let into = code(name).ok_or_else(|| unsupported(name, "to"))?;
    let bytes = read_all("iconv", &files)?;
    let mut status = 0;
    let text = match decode(from, &bytes, skips) {
        Ok(text) => text,
        Err(at) => {
            eprintln!("iconv: illegal input sequence at position {at}");
            status = 1;
            decode(from, &bytes[..at], true).unwrap_or_default()
        }
    };
    let mut made = Vec::new();
    match into {
        Code::Utf16 { mark: true, .. } => made.extend([0xff, 0xfe]),
        Code::Utf32 { mark: true, .. } => made.extend([0xff, 0xfe, 0, 0]),
        Code::Ascii | Code::Latin1 | Code::Utf16 { .. } | Code::Utf32 { .. } | Code::Web(_) => {}
    }
    for (at, c) in text.char_indices() {
        if encode(into, c, &mut made).is_some() {
            continue;
        }
        if translits {
            made.extend_from_slice(plain(c).as_bytes());
        } else if !skips {
            eprintln!("iconv: cannot convert: illegal input sequence at position {at}");
            status = 1;
            break;
        } else {
            status = 1;
        }
    }
    if let Some(target) = target {
        if let Err(error) = std::fs::write(&target, made) {
            eprintln!("iconv: {}: {}", target.to_string_lossy(), reason(&error));
            return Err(ICONV.trouble);
        }
        return Ok(status);
    }
    let mut out = output::stdout();
    let _ = out.write_all(&made);
    Ok(output::finish("iconv", &mut out, status))
}

const ENVSUBST: Usage = Usage {
    name: "envsubst",
    text: "\
Usage: envsubst [OPTION] [SHELL-FORMAT]
Replace $NAME and ${NAME} in standard input by the values of environment variables. With
SHELL-FORMAT, replace only the variables that it names.

  -v, --variables  print the variables that SHELL-FORMAT names
",
    trouble: 1,
};

/// Splits text into plain parts and references; a reference has a name and its source text.
fn references(text: &[u8]) -> Vec<(Option<String>, &[u8])> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    let is_name = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    while at < text.len() {
        let braces = text[at..].starts_with(b"${");
        let from = at + if braces { 2 } else { 1 };
        let len = match text.get(from..) {
            Some(rest) => rest.iter().take_while(|byte| is_name(**byte)).count(),
            None => 0,
        };
        let begins = text.get(from).is_some_and(|byte| is_name(*byte) && !byte.is_ascii_digit());
        let closed = !braces || text.get(from + len) == Some(&b'}');
        if text[at] == b'$' && begins && closed {
            parts.push((None, &text[start..at]));
            let end = from + len + usize::from(braces);
            let name = String::from_utf8_lossy(&text[from..from + len]).into_owned();
            parts.push((Some(name), &text[at..end]));
            at = end;
            start = end;
        } else {
            at += 1;
        }
    }
    parts.push((None, &text[start..]));
    parts
}

pub(crate) fn envsubst(args: Vec<OsString>) -> i32 {
    let specs = [('v', "variables", Value::None)];
    let items = match options::parse(&ENVSUBST, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut lists, mut format) = (false, None);
    for item in items {
        match item {
            Item::Option(..) => lists = true,
            Item::Operand(text) => format = Some(text.to_string_lossy().into_owned()),
        }
    }
    let names = format.map(|format| {
        let found = references(format.as_bytes()).into_iter();
        found.filter_map(|(name, _)| name).collect::<Vec<String>>()
    });
    if lists {
        names.unwrap_or_default().iter().for_each(|name| println!("{name}"));
        return super::uutils::flushed(0);
    }
    let text = match read_all("envsubst", &[]) {
        Ok(text) => text,
        Err(code) => return code,
    };
    let mut out = output::stdout();
    for (name, source) in references(&text) {
        let value = match &name {
            Some(name) if names.as_ref().is_none_or(|names| names.contains(name)) => {
                std::env::var(name).unwrap_or_default().into_bytes()
            }
            _ => source.to_vec(),
        };
        if out.write_all(&value).is_err() {
            break;
        }
    }
    output::finish("envsubst", &mut out, 0)
}

const UUIDGEN: Usage = Usage {
    name: "uuidgen",
    text: "\
Usage: uuidgen [OPTION]...
Print a new UUID.

  -r, --random  a random UUID (the default)
  -t, --time    a UUID from the time
  -C N, --count=N  print N UUIDs
",
    trouble: 1,
};

/// Fills a buffer with random bytes.
pub(crate) fn random(buf: &mut [u8]) -> io::Result<()> {
    File::open("/dev/urandom")?.read_exact(buf)
}

pub(crate) fn uuidgen(args: Vec<OsString>) -> i32 {
    let specs = [
        ('r', "random", Value::None),
        ('t', "time", Value::None),
        ('C', "count", Value::Required),
        ('x', "hex", Value::None),
    ];
    let items = match options::parse(&UUIDGEN, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut count, mut is_time) = (1_u32, false);
    for item in items {
        match item {
            Item::Option(Key::Short('C'), Some(text)) => {
                count = text.to_string_lossy().parse().unwrap_or(1);
            }
            Item::Option(Key::Short('t'), _) => is_time = true,
            Item::Option(..) | Item::Operand(_) => {}
        }
    }
    for _ in 0..count {
        let mut bytes = [0; 16];
        if let Err(error) = random(&mut bytes) {
            eprintln!("uuidgen: {}", reason(&error));
            return 1;
        }
        let mut version = 4;
        if is_time {
            /// Intervals of 100 ns between 1582-10-15 and 1970-01-01.
            const GREGORIAN: u64 = 0x01b2_1dd2_1381_4000;
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let ticks = now.map_or(0, |now| now.as_nanos() as u64 / 100) + GREGORIAN;
            bytes[..4].copy_from_slice(&(ticks as u32).to_be_bytes());
            bytes[4..6].copy_from_slice(&((ticks >> 32) as u16).to_be_bytes());
            bytes[6..8].copy_from_slice(&((ticks >> 48) as u16).to_be_bytes());
            version = 1;
        }
        bytes[6] = bytes[6] & 0x0f | version << 4;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
    }
    super::uutils::flushed(0)
}

/// Runs the checksum command that `-a` chooses.
pub(crate) fn shasum(args: Vec<OsString>) -> i32 {
    const TEXT: &str = "\
Usage: shasum [-a 1|224|256|384|512] [OPTION]... [FILE]...
Print or check SHA checksums. Other options are those of sha1sum.
";
    let (mut bits, mut rest, mut args) = ("1".to_owned(), Vec::new(), args.into_iter().skip(1));
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy().into_owned();
        if text == "--help" {
            print!("{TEXT}");
            return super::uutils::flushed(0);
        }
        if text == "-a" || text == "--algorithm" {
            bits = args.next().map(|bits| bits.to_string_lossy().into_owned()).unwrap_or_default();
        } else if let Some(value) = text.strip_prefix("--algorithm=") {
            bits = value.to_owned();
        } else if let Some(value) = text.strip_prefix("-a").filter(|_| !text.starts_with("--")) {
            bits = value.to_owned();
        } else {
            rest.push(arg);
        }
    }
    let name = match bits.as_str() {
        "1" => "sha1sum",
        "224" => "sha224sum",
        "256" => "sha256sum",
        "384" => "sha384sum",
        "512" => "sha512sum",
        other => {
            eprintln!("shasum: Unrecognized algorithm {other}");
            return 1;
        }
    };
    rest.insert(0, name.into());
    crate::table::find(name).map_or(1, |run| run(rest))
}
