//! Small commands that belong to no family: true, false, yes, sync, clear, rev, which, dos2unix,
//! unix2dos.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write};

use crate::bytes::OsStrExt as _;
use crate::child;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};
use crate::table::uu;

use super::uutils;

fn operands<'a>(
    usage: &Usage,
    args: Vec<OsString>,
    specs: &[options::Spec<'a>],
) -> Result<(Vec<Key<'a>>, Vec<OsString>), i32> {
    let mut keys = Vec::new();
    let mut operands = Vec::new();
    for item in options::parse(usage, args, specs, Order::Anywhere)? {
        match item {
            Item::Option(key, _) => keys.push(key),
            Item::Operand(operand) => operands.push(operand),
        }
    }
    Ok((keys, operands))
}

pub(crate) fn succeed(args: Vec<OsString>) -> i32 {
    if args.len() == 2 && args[1] == "--help" {
        println!(
            "Usage: true [ignored command line arguments]\nExit with a status code indicating success."
        );
    }
    0
}

/// Stands for a command that another guest contains.
pub(crate) fn absent(args: Vec<OsString>) -> i32 {
    let name = args.first().map(|name| name.to_string_lossy()).unwrap_or_default();
    eprintln!("{name}: a program of its own, which is not part of this one");
    127
}

pub(crate) fn fail(args: Vec<OsString>) -> i32 {
    if args.len() == 2 && args[1] == "--help" {
        println!(
            "Usage: false [ignored command line arguments]\nExit with a status code indicating failure."
        );
    }
    1
}

pub(crate) fn sync(args: Vec<OsString>) -> i32 {
    const USAGE: Usage = Usage {
        name: "sync",
        text: "Usage: sync [FILE]...\nWrite cached data out; a sandbox caches none.\n",
        trouble: 1,
    };
    let specs = [('d', "data", Value::None), ('f', "file-system", Value::None)];
    operands(&USAGE, args, &specs).map_or_else(|code| code, |_| 0)
}

pub(crate) fn clear(args: Vec<OsString>) -> i32 {
    const USAGE: Usage =
        Usage { name: "clear", text: "Usage: clear [-x]\nClear the screen.\n", trouble: 1 };
    match operands(&USAGE, args, &[('x', "", Value::None), ('T', "", Value::Required)]) {
        Ok(_) => {
            print!("\x1b[H\x1b[2J\x1b[3J");
            0
        }
        Err(code) => code,
    }
}

/// Calls `each` with every file; no file, or `-`, means standard input.
fn each_file(
    name: &str,
    files: &[OsString],
    mut each: impl FnMut(&mut dyn Read) -> io::Result<()>,
) -> i32 {
    let dash = [OsString::from("-")];
    let mut code = 0;
    for file in if files.is_empty() { &dash } else { files } {
        let done = if file == "-" {
            each(&mut Input)
        } else {
            File::open(file).and_then(|mut opened| each(&mut opened))
        };
        if let Err(error) = done {
            eprintln!("{name}: {}: {}", file.to_string_lossy(), reason(&error));
            code = 1;
        }
    }
    code
}

pub(crate) fn rev(args: Vec<OsString>) -> i32 {
    const USAGE: Usage = Usage {
        name: "rev",
        text: "Usage: rev [FILE]...\nReverse the characters of each line.\n",
        trouble: 1,
    };
    let (_, files) = match operands(&USAGE, args, &[]) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let mut out = output::stdout();
    let code = each_file("rev", &files, |source| {
        let mut reader = BufReader::new(source);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            let newline = line.last() == Some(&b'\n');
            if newline {
                line.pop();
            }
            match std::str::from_utf8(&line) {
                Ok(text) => {
                    let reversed: String = text.chars().rev().collect();
                    out.write_all(reversed.as_bytes())?;
                }
                Err(_) => {
                    line.reverse();
                    out.write_all(&line)?;
                }
            }
            if newline {
                out.write_all(b"\n")?;
            }
            line.clear();
        }
        Ok(())
    });
    output::finish("rev", &mut out, code)
}

pub(crate) fn which(args: Vec<OsString>) -> i32 {
    const USAGE: Usage = Usage {
        name: "which",
        text: "Usage: which [-a] COMMAND...\nWrite the full names of commands.\n",
        trouble: 2,
    };
    let (keys, names) = match operands(&USAGE, args, &[('a', "all", Value::None)]) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut code = i32::from(names.is_empty());
    for name in names {
        let mut found = false;
        let bytes = name.as_bytes();
        let candidates: Vec<Vec<u8>> = if bytes.contains(&b'/') {
            vec![bytes.to_vec()]
        } else {
            path.as_bytes()
                .split(|b| *b == b':')
                .map(|dir| crate::bytes::join(dir, bytes))
                .collect()
        };
        for candidate in candidates {
            if child::is_program(&candidate) {
                println!("{}", String::from_utf8_lossy(&candidate));
                found = true;
                if keys.is_empty() {
                    break;
                }
            }
        }
        if !found && crate::table::is_known(&name.to_string_lossy()) {
            println!("/bin/{}", name.to_string_lossy());
            found = true;
        }
        code |= i32::from(!found);
    }
    code
}

/// The line ending that is produced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Unix,
    Dos,
}

pub(crate) fn dos2unix(args: Vec<OsString>) -> i32 {
    line_ends("dos2unix", Ends::Unix, args)
}

pub(crate) fn unix2dos(args: Vec<OsString>) -> i32 {
    line_ends("unix2dos", Ends::Dos, args)
}

fn line_ends(name: &'static str, ends: Ends, args: Vec<OsString>) -> i32 {
    let usage = Usage {
        name,
        text: "Usage: dos2unix|unix2dos [-q] [FILE]...\nChange line ends in place, or from standard input to standard output.\n",
        trouble: 1,
    };
    let specs =
        [('q', "quiet", Value::None), ('f', "force", Value::None), ('k', "keepdate", Value::None)];
    let (_, files) = match operands(&usage, args, &specs) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let convert = |text: &[u8]| {
        let mut out = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|b| *b == b'\n') {
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            let ended = body.len() < line.len();
            let body = if ended { body.strip_suffix(b"\r").unwrap_or(body) } else { body };
            out.extend_from_slice(body);
            if ended {
                out.extend_from_slice(if ends == Ends::Dos { b"\r\n" } else { b"\n" });
            }
        }
        out
    };
    if files.is_empty() {
        let mut text = Vec::new();
        let mut out = output::stdout();
        let done = Input.read_to_end(&mut text).and_then(|_| out.write_all(&convert(&text)));
        return output::finish(name, &mut out, i32::from(done.is_err()));
    }
    let mut code = 0;
    for file in files {
        let done = std::fs::read(&file).and_then(|text| std::fs::write(&file, convert(&text)));
        if let Err(error) = done {
            eprintln!("{name}: {}: {}", file.to_string_lossy(), reason(&error));
            code = 1;
        }
    }
    code
}

/// Runs expand. A last tab stop `+N`, which the implementation lacks, is written out as a list.
pub(crate) fn expand(args: Vec<OsString>) -> i32 {
    /// Columns up to which stops are written out.
    const LAST_COLUMN: u32 = 20_000;
    let listed = |text: &str| -> Option<String> {
        let (front, step) = text.rsplit_once(",+")?;
        let step: u32 = step.parse().ok().filter(|step| *step > 0)?;
        let last: u32 = front.rsplit(',').next()?.parse().ok()?;
        let stops = (1..).map(|at| last + at * step).take_while(|stop| *stop < LAST_COLUMN);
        Some(stops.fold(front.to_owned(), |list, stop| format!("{list},{stop}")))
    };
    let mut changed = Vec::new();
    let mut is_value = false;
    for arg in args {
        let text = arg.to_string_lossy().into_owned();
        let value = match text.as_str() {
            _ if is_value => Some(("", text.as_str())),
            _ => text
                .strip_prefix("--tabs=")
                .map(|value| ("--tabs=", value))
                .or_else(|| text.strip_prefix("-t").map(|value| ("-t", value))),
        };
        is_value = matches!(text.as_str(), "-t" | "--tabs");
        changed.push(match value.and_then(|(front, value)| Some((front, listed(value)?))) {
            Some((front, list)) => format!("{front}{list}").into(),
            None => arg,
        });
    }
    uu!(uu_expand, "expand")(changed)
}
/// yes: the uutils version, which never ends if standard output is closed.
pub(crate) fn yes(args: Vec<OsString>) -> i32 {
    match cofferdam_guest_sys::write(1, b"") {
        Err(error) if error.raw_os_error() == Some(libc::EBADF) => {
            eprintln!("yes: standard output: Bad file descriptor");
            1
        }
        _ => uu!(uu_yes, "yes")(args),
    }
}
