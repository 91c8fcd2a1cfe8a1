//! file: guesses the type of a file from its first bytes.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read as _, Write};

use crate::bytes::OsStrExt as _;
use crate::files::{Kind, status};
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};
use crate::width;

const USAGE: Usage = Usage {
    name: "file",
    text: "\
Usage: file [-bhiL] [--mime-type] FILE...
Determine the type of FILEs.

  -b, --brief        do not prepend file names to output lines
  -i, --mime         output MIME type and encoding
      --mime-type    output the MIME type
  -L, --dereference  follow links
  -h                 don't follow links (default)
",
    trouble: 1,
};

/// Number of bytes examined.
const LOOK: u64 = 64 * 1024;

/// Signatures: offset, bytes, description, MIME type.
const MAGIC: &[(usize, &[u8], &str, &str)] = &[
    (0, b"\x89PNG\r\n\x1a\n", "PNG image data", "image/png"),
    (0, b"\xff\xd8\xff", "JPEG image data", "image/jpeg"),
    (0, b"GIF87a", "GIF image data, version 87a", "image/gif"),
    (0, b"GIF89a", "GIF image data, version 89a", "image/gif"),
    (8, b"WEBP", "RIFF (little-endian) data, Web/P image", "image/webp"),
    (0, b"%PDF-", "PDF document", "application/pdf"),
    (0, b"PK\x03\x04", "Zip archive data", "application/zip"),
    (0, b"PK\x05\x06", "Zip archive data (empty)", "application/zip"),
    (0, b"\x1f\x8b", "gzip compressed data", "application/gzip"),
    (0, b"BZh", "bzip2 compressed data", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "XZ compressed data", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard compressed data", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-zip archive data", "application/x-7z-compressed"),
    (0, b"\x7fELF", "ELF", "application/x-executable"),
    (0, b"\0asm", "WebAssembly (wasm) binary module", "application/wasm"),
    (0, b"SQLite format 3\0", "SQLite 3.x database", "application/vnd.sqlite3"),
    (257, b"ustar", "POSIX tar archive", "application/x-tar"),
    (0, b"OggS", "Ogg data", "application/ogg"),
    (0, b"ID3", "Audio file with ID3", "audio/mpeg"),
    (0, b"\xca\xfe\xba\xbe", "compiled Java class data", "application/x-java-applet"),
];

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let specs = [
        ('b', "brief", Value::None),
        ('i', "mime", Value::None),
        ('\0', "mime-type", Value::None),
        ('L', "dereference", Value::None),
        ('h', "no-dereference", Value::None),
    ];
    let items = match options::parse(&USAGE, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut brief, mut mime, mut encoding, mut follow) = (false, false, false, false);
    let mut files = Vec::new();
    for item in items {
        match item {
            Item::Option(Key::Short('b'), _) => brief = true,
            Item::Option(Key::Short('i'), _) => (mime, encoding) = (true, true),
            Item::Option(Key::Long("mime-type"), _) => mime = true,
            Item::Option(Key::Short('L'), _) => follow = true,
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    if files.is_empty() {
        return USAGE.wrong("missing operand");
    }
    let widest = files.iter().map(|file| width::of(named(file).as_bytes())).max().unwrap_or(0);
    let mut out = output::stdout();
    for file in files {
        let (text, kind, charset) = describe(&file, follow);
        let file = named(&file);
        let shown = match (mime, encoding) {
            (false, _) => text,
            (true, false) => kind.to_owned(),
            (true, true) => format!("{kind}; charset={charset}"),
        };
        if brief {
            let _ = writeln!(out, "{shown}");
        } else {
            let fill = widest - width::of(file.as_bytes()) + 1;
            let _ = writeln!(out, "{}:{}{shown}", file.to_string_lossy(), " ".repeat(fill));
        }
    }
    output::finish("file", &mut out, 0)
}

/// Returns the name of a file as it is shown.
fn named(file: &OsStr) -> &OsStr {
    if file == "-" { OsStr::new("/dev/stdin") } else { file }
}

/// Returns the description of a file, its MIME type and its encoding.
fn describe(file: &OsStr, follow: bool) -> (String, &'static str, &'static str) {
    let mut head = Vec::new();
    if file == "-" {
        let _ = Input.take(LOOK).read_to_end(&mut head);
        return content(&head);
    }
    let found = match status(file.as_bytes(), follow) {
        Ok(found) => found,
        Err(error) => {
            let name = file.to_string_lossy();
            return (
                format!("cannot open `{name}' ({})", reason(&error)),
                "inode/x-unknown",
                "binary",
            );
        }
    };
    match Kind::of(found.mode) {
        Kind::Directory => return ("directory".to_owned(), "inode/directory", "binary"),
        Kind::Link => {
            let to = std::fs::read_link(file).unwrap_or_default();
            let broken = if status(file.as_bytes(), true).is_err() { "broken " } else { "" };
            return (
                format!("{broken}symbolic link to {}", to.display()),
                "inode/symlink",
                "binary",
            );
        }
        Kind::Pipe => return ("fifo (named pipe)".to_owned(), "inode/fifo", "binary"),
        Kind::Socket => return ("socket".to_owned(), "inode/socket", "binary"),
        Kind::Block => return ("block special".to_owned(), "inode/blockdevice", "binary"),
        Kind::Character => return ("character special".to_owned(), "inode/chardevice", "binary"),
        Kind::Regular => {}
    }
    match File::open(file).and_then(|file| file.take(LOOK).read_to_end(&mut head)) {
        Ok(_) => content(&head),
        Err(error) => (format!("cannot open ({})", reason(&error)), "inode/x-unknown", "binary"),
    }
}

/// Returns size and kind of a picture, as they follow its format; nothing for other files.
fn picture(head: &[u8]) -> String {
    let number =
        |at: usize| head.get(at..at + 4).map(|n| u32::from_be_bytes([n[0], n[1], n[2], n[3]]));
    if head.starts_with(b"\x89PNG")
        && let (Some(width), Some(height)) = (number(16), number(20))
        && let Some([depth, kind, _, _, interlaced]) = head.get(24..29)
    {
        let colour = match kind {
            0 => " grayscale",
            2 => "/color RGB",
            3 => " colormap",
            4 => " gray+alpha",
            6 => "/color RGBA",
            _ => "",
        };
        let interlaced = if *interlaced == 0 { "non-interlaced" } else { "interlaced" };
        return format!(", {width} x {height}, {depth}-bit{colour}, {interlaced}");
    }
    if head.starts_with(b"GIF8")
        && let Some(&[a, b, c, d]) = head.get(6..10)
    {
        let (width, height) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        return format!(", {width} x {height}");
    }
    String::new()
}

fn content(head: &[u8]) -> (String, &'static str, &'static str) {
    if head.is_empty() {
        return ("empty".to_owned(), "inode/x-empty", "binary");
    }
    for (at, magic, text, mime) in MAGIC {
        if head.get(*at..).is_some_and(|rest| rest.starts_with(magic)) {
            return (format!("{text}{}", picture(head)), mime, "binary");
        }
    }
    // The last character may be cut off.
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && head.len() as u64 == LOOK,
    };
    let control = head.iter().any(|b| matches!(b, 0..=6 | 14..=26 | 28..=31));
    if control || !valid {
        return ("data".to_owned(), "application/octet-stream", "binary");
    }
    let ascii = head.is_ascii();
    let (charset, name) =
        if ascii { ("us-ascii", "ASCII text") } else { ("utf-8", "Unicode text, UTF-8 text") };
    let text = String::from_utf8_lossy(head);
    let start = text.trim_start();
    let ends = if text.contains("\r\n") {
        ", with CRLF line terminators"
    } else if !text.contains('\n') {
        ", with no line terminators"
    } else {
        ""
    };
    let lower = start.get(..start.len().min(64)).unwrap_or("").to_ascii_lowercase();
    let (what, mime): (String, &'static str) = if let Some(line) = text.strip_prefix("#!") {
        let program = line.lines().next().unwrap_or("").trim();
        let base = program.rsplit('/').next().unwrap_or(program);
        let name_of = base.strip_prefix("env ").unwrap_or(base).split(' ').next().unwrap_or("");
        match name_of {
            "bash" => {
                (format!("Bourne-Again shell script, {name} executable"), "text/x-shellscript")
            }
            "sh" => (format!("POSIX shell script, {name} executable"), "text/x-shellscript"),
            n if n.starts_with("python") => {
                (format!("Python script, {name} executable"), "text/x-script.python")
            }
            "node" => (format!("Node.js script, {name} executable"), "application/javascript"),
            _ => (format!("a {program} script, {name} executable"), "text/plain"),
        }
    } else if lower.starts_with("<?xml") {
        (format!("XML 1.0 document, {name}"), "text/xml")
    } else if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        (format!("HTML document, {name}"), "text/html")
    } else if matches!(start.as_bytes().first(), Some(b'{' | b'['))
        && !deep(head)
        && jaq_json::read::parse_single(head).is_ok()
    {
        ("JSON text data".to_owned(), "application/json")
    } else {
        (format!("{name}{ends}"), "text/plain")
    };
    (what, mime, charset)
}

/// Returns true if brackets may nest too deep to be parsed.
fn deep(text: &[u8]) -> bool {
    text.iter().filter(|b| matches!(b, b'[' | b'{')).count() > 1000
}
