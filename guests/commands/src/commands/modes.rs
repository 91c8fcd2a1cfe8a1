//! chmod, chown, chgrp, stat.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;

use cofferdam_guest_sys::{self as sys, FileStatus};

use crate::bytes::{OsStrExt as _, join};
use crate::files::{self, Kind, blocks, mode_text, owner_name, parse_mode, status};
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, reason};
use cofferdam_guest_sys::calendar;

/// Deepest nesting of directories for `-R`.
const MAX_DEPTH: usize = 256;

const CHMOD: Usage = Usage {
    name: "chmod",
    text: "\
Usage: chmod [OPTION]... MODE[,MODE]... FILE...
       chmod [OPTION]... OCTAL-MODE FILE...
       chmod [OPTION]... --reference=RFILE FILE...
Change the mode of each FILE to MODE.

  -c, --changes          like verbose but report only when a change is made
  -f, --silent, --quiet  suppress most error messages
  -v, --verbose          output a diagnostic for every file processed
      --reference=RFILE  use RFILE's mode instead of MODE values
  -R, --recursive        change files and directories recursively
      --help             display this help
",
    trouble: 1,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Report {
    Nothing,
    Changes,
    All,
}

struct Chmod {
    mode: String,
    report: Report,
    quiet: bool,
    recursive: bool,
    mask: u32,
    code: i32,
}

pub(crate) fn chmod(args: Vec<OsString>) -> i32 {
    run_chmod(args).unwrap_or_else(|code| code)
}

fn run_chmod(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('c', "changes", Value::None),
        ('f', "silent", Value::None),
        ('f', "quiet", Value::None),
        ('v', "verbose", Value::None),
        ('R', "recursive", Value::None),
        ('\0', "reference", Value::Required),
        ('\0', "preserve-root", Value::None),
        ('\0', "no-preserve-root", Value::None),
    ];
    // A mode such as `-x` looks like an option; GNU treats it as the mode.
    let is_mode = |arg: &OsString| {
        let bytes = arg.as_bytes();
        bytes.len() > 1
            && bytes[0] == b'-'
            && bytes[1..].iter().all(|b| b"rwxXstugo,+=-".contains(b))
            && bytes[1] != b'-'
    };
    let mut args = args;
    let mut mode = None;
    if let Some(at) = args.iter().position(is_mode) {
        mode = Some(args.remove(at).to_string_lossy().into_owned());
    }
    let (mut report, mut quiet, mut recursive) = (Report::Nothing, false, false);
    let mut operands: Vec<OsString> = Vec::new();
    for item in options::parse(&CHMOD, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('c'), _) => report = Report::Changes,
            Item::Option(Key::Short('v'), _) => report = Report::All,
            Item::Option(Key::Short('f'), _) => quiet = true,
            Item::Option(Key::Short('R'), _) => recursive = true,
            Item::Option(Key::Long("reference"), Some(file)) => {
                let found = status(file.as_bytes(), true).map_err(|error| {
                    eprintln!(
                        "chmod: failed to get attributes of '{}': {}",
                        file.to_string_lossy(),
                        reason(&error)
                    );
                    1
                })?;
                mode = Some(format!("{:o}", found.mode & 0o7777));
            }
            Item::Option(..) => {}
            Item::Operand(operand) => operands.push(operand),
        }
    }
    let mode = match mode {
        Some(mode) => mode,
        None if operands.is_empty() => return Err(CHMOD.wrong("missing operand")),
        None => operands.remove(0).to_string_lossy().into_owned(),
    };
    if operands.is_empty() {
        return Err(CHMOD.wrong(&format!("missing operand after '{mode}'")));
    }
    if parse_mode(&mode, 0, false, 0).is_none() {
        return Err(CHMOD.wrong(&format!("invalid mode: '{mode}'")));
    }
    let mask = files::umask();
    let mut work = Chmod { mode, report, quiet, recursive, mask, code: 0 };
    for file in operands {
        work.file(file.as_bytes(), 0);
    }
    Ok(work.code)
}

impl Chmod {
    fn complain(&mut self, what: &str, path: &[u8], error: &std::io::Error) {
        self.code = 1;
        if !self.quiet {
            eprintln!("chmod: {what} '{}': {}", String::from_utf8_lossy(path), reason(error));
        }
    }

    fn file(&mut self, path: &[u8], depth: usize) {
        let before = match status(path, true) {
            Ok(status) => status,
            Err(error) => return self.complain("cannot access", path, &error),
        };
        let is_dir = Kind::of(before.mode) == Kind::Directory;
        let old = before.mode & 0o7777;
        let Some(new) = parse_mode(&self.mode, before.mode, is_dir, self.mask) else { return };
        if let Err(error) = sys::chmod(path, new) {
            return self.complain("changing permissions of", path, &error);
        }
        let shown = String::from_utf8_lossy(path);
        let text = |mode: u32| mode_text(mode)[1..].to_owned();
        if new != old && self.report != Report::Nothing {
            println!(
                "mode of '{shown}' changed from {old:04o} ({}) to {new:04o} ({})",
                text(old),
                text(new)
            );
        } else if self.report == Report::All {
            println!("mode of '{shown}' retained as {old:04o} ({})", text(old));
        }
        if !self.recursive || !is_dir || depth >= MAX_DEPTH {
            return;
        }
        let entries = match fs::read_dir(OsStr::from_bytes(path)) {
            Ok(entries) => entries,
            Err(error) => return self.complain("cannot read directory", path, &error),
        };
        for entry in entries.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            self.file(&join(path, entry.file_name().as_bytes()), depth + 1);
        }
    }
}

pub(crate) fn chown(args: Vec<OsString>) -> i32 {
    owners("chown", args)
}

pub(crate) fn chgrp(args: Vec<OsString>) -> i32 {
    owners("chgrp", args)
}

/// Implements chown and chgrp. A sandbox has one user, so setting that owner changes nothing, and
/// setting any other is not permitted.
fn owners(name: &'static str, args: Vec<OsString>) -> i32 {
    let usage = Usage {
        name,
        text: "Usage: chown|chgrp [OPTION]... OWNER[:GROUP] FILE...\nChange the owner and group of each FILE. A sandbox has one user, so only that one is permitted.\n",
        trouble: 1,
    };
    let specs = [
        ('R', "recursive", Value::None),
        ('h', "no-dereference", Value::None),
        ('v', "verbose", Value::None),
        ('c', "changes", Value::None),
        ('f', "silent", Value::None),
    ];
    let items = match options::parse(&usage, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let mut operands = items.into_iter().filter_map(|item| match item {
        Item::Operand(operand) => Some(operand),
        Item::Option(..) => None,
    });
    let Some(owner) = operands.next() else { return usage.wrong("missing operand") };
    let owner = owner.to_string_lossy().into_owned();
    let mut code = 0;
    let mut wanted = Vec::new();
    for part in owner.split([':', '.']).filter(|part| !part.is_empty()) {
        match files::owner_id(part) {
            Some(id) => wanted.push(id),
            None => {
                eprintln!("{name}: invalid user: '{owner}'");
                return 1;
            }
        }
    }
    let operands: Vec<OsString> = operands.collect();
    if operands.is_empty() {
        return usage.wrong(&format!("missing operand after '{owner}'"));
    }
    for file in operands {
        let shown = file.to_string_lossy();
        match status(file.as_bytes(), true) {
            Ok(status) if wanted.iter().all(|id| *id == status.uid || *id == status.gid) => {}
            Ok(_) => {
                eprintln!("{name}: changing ownership of '{shown}': Operation not permitted");
                code = 1;
            }
            Err(error) => {
                eprintln!("{name}: cannot access '{shown}': {}", reason(&error));
                code = 1;
            }
        }
    }
    code
}

const STAT: Usage = Usage {
    name: "stat",
    text: "\
Usage: stat [OPTION]... FILE...
Display file status.

  -L, --dereference     follow links
  -c, --format=FORMAT   use the specified FORMAT instead of the default;
                        output a newline after each use of FORMAT
      --printf=FORMAT   like --format, but interpret backslash escapes,
                        and do not output a mandatory trailing newline
  -t, --terse           print the information in terse form
      --help            display this help

Formats: %a %A access rights, %b %B blocks, %d device, %f raw mode, %F file type, %g %G group,
%h links, %i inode, %n name, %N quoted name, %s size, %u %U owner, %x %X access, %y %Y
modification, %z %Z change, %w %W birth
",
    trouble: 1,
};

pub(crate) fn stat(args: Vec<OsString>) -> i32 {
    let specs = [
        ('L', "dereference", Value::None),
        ('f', "file-system", Value::None),
        ('c', "format", Value::Required),
        ('\0', "printf", Value::Required),
        ('t', "terse", Value::None),
    ];
    let items = match options::parse(&STAT, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut follow, mut format, mut escapes) = (false, None, false);
    let mut operands = Vec::new();
    for item in items {
        match item {
            Item::Option(Key::Short('L'), _) => follow = true,
            Item::Option(Key::Short('c'), value) => (format, escapes) = (value, false),
            Item::Option(Key::Long("printf"), value) => (format, escapes) = (value, true),
            Item::Option(Key::Short('t'), _) => {
                format = Some("%n %s %b %f %u %g %d %i %h 0 0 %X %Y %Z %W 4096".into());
            }
            Item::Option(..) => {}
            Item::Operand(operand) => operands.push(operand),
        }
    }
    if operands.is_empty() {
        return STAT.wrong("missing operand");
    }
    let mut out = output::stdout();
    let mut code = 0;
    for file in operands {
        let status = match status(file.as_bytes(), follow) {
            Ok(status) => status,
            Err(error) => {
                let _ = out.flush();
                eprintln!("stat: cannot statx '{}': {}", file.to_string_lossy(), reason(&error));
                code = 1;
                continue;
            }
        };
        let text = match &format {
            Some(format) => {
                let mut text = filled(format.as_bytes(), file.as_bytes(), &status, escapes);
                if !escapes {
                    text.push(b'\n');
                }
                text
            }
            None => filled(DEFAULT, file.as_bytes(), &status, true),
        };
        let _ = out.write_all(&text);
    }
    output::finish("stat", &mut out, code)
}

const DEFAULT: &[u8] = b"  File: %\x01\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %d\tInode: %-11i Links: %h\nAccess: (%04a/%10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n";

/// Returns the byte that an escape stands for, and the length of the escape after its backslash.
fn escape(text: &[u8]) -> (u8, usize) {
    let digits = |base: u32, from: usize, most: usize| {
        let digits = text[from..].iter().take(most).map_while(|b| char::from(*b).to_digit(base));
        digits.fold((0_u8, from), |(value, len), digit| {
            (value.wrapping_mul(base as u8).wrapping_add(digit as u8), len + 1)
        })
    };
    let Some(first) = text.first() else {
        eprintln!("stat: warning: backslash at end of format");
        return (b'\\', 0);
    };
    let byte = match first {
        b'0'..=b'7' => return digits(8, 0, 3),
        b'x' if text.get(1).is_some_and(u8::is_ascii_hexdigit) => return digits(16, 1, 2),
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' => 0x1b,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'"' | b'\\' => *first,
        other => {
            eprintln!("stat: warning: unrecognized escape '\\{}'", char::from(*other));
            *other
        }
    };
    (byte, 1)
}

fn filled(format: &[u8], name: &[u8], status: &FileStatus, escapes: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < format.len() {
        if escapes && format[at] == b'\\' {
            let (byte, len) = escape(&format[at + 1..]);
            out.push(byte);
            at += 1 + len;
            continue;
        }
        if format[at] != b'%' {
            out.push(format[at]);
            at += 1;
            continue;
        }
        at += 1;
        let left = format.get(at) == Some(&b'-');
        at += usize::from(left);
        let zero = format.get(at) == Some(&b'0');
        let mut width = 0_usize;
        while let Some(digit) = format.get(at).filter(|b| b.is_ascii_digit()) {
            width = (width * 10 + usize::from(digit - b'0')).min(4096);
            at += 1;
        }
        let value = match format.get(at) {
            Some(letter) => field(*letter, name, status),
            None => b"%".to_vec(),
        };
        at += 1;
        let fill = width.saturating_sub(value.len());
        if !left {
            out.resize(out.len() + fill, if zero { b'0' } else { b' ' });
        }
        out.extend_from_slice(&value);
        if left {
            out.resize(out.len() + fill, b' ');
        }
    }
    out
}

fn field(letter: u8, name: &[u8], status: &FileStatus) -> Vec<u8> {
    let seconds = |nanoseconds: u64| (nanoseconds / 1_000_000_000).to_string();
    let moment = |nanoseconds: u64| {
        let part = |format: &[u8]| {
            let text = calendar::local(format, (nanoseconds / 1_000_000_000) as i64);
            String::from_utf8_lossy(&text).into_owned()
        };
        format!("{}.{:09} {}", part(b"%F %T"), nanoseconds % 1_000_000_000, part(b"%z"))
    };
    let text = match letter {
        b'n' => return name.to_vec(),
        // The name in the default format, which has no quotes.
        1 => {
            let mut shown = name.to_vec();
            if Kind::of(status.mode) == Kind::Link
                && let Ok(to) = fs::read_link(OsStr::from_bytes(name))
            {
                shown.extend_from_slice(b" -> ");
                shown.extend_from_slice(to.as_os_str().as_bytes());
            }
            return shown;
        }
        b'N' => {
            let mut quoted = [b"'".as_slice(), name, b"'"].concat();
            if Kind::of(status.mode) == Kind::Link
                && let Ok(to) = fs::read_link(OsStr::from_bytes(name))
            {
                quoted.extend_from_slice(b" -> '");
                quoted.extend_from_slice(to.as_os_str().as_bytes());
                quoted.push(b'\'');
            }
            return quoted;
        }
        b'a' => format!("{:o}", status.mode & 0o7777),
        b'A' => mode_text(status.mode),
        b'b' => blocks(status).to_string(),
        b'B' => "512".to_owned(),
        b'o' => "4096".to_owned(),
        b'd' => status.device.to_string(),
        b'D' => format!("{:x}", status.device),
        b'f' => format!("{:x}", status.mode),
        b'F' => Kind::of(status.mode).name(status.size).to_owned(),
        b'g' => status.gid.to_string(),
        b'G' => owner_name(status.gid),
        b'u' => status.uid.to_string(),
        b'U' => owner_name(status.uid),
        b'h' => status.links.to_string(),
        b'i' => status.inode.to_string(),
        b's' => status.size.to_string(),
        b't' | b'T' => "0".to_owned(),
        b'x' => moment(status.accessed),
        b'X' => seconds(status.accessed),
        b'y' => moment(status.modified),
        b'Y' => seconds(status.modified),
        b'z' => moment(status.changed),
        b'Z' => seconds(status.changed),
        b'w' => "-".to_owned(),
        b'W' => "0".to_owned(),
        b'm' => "/".to_owned(),
        b'%' => "%".to_owned(),
        other => format!("%{}", char::from(other)),
    };
    text.into_bytes()
}
