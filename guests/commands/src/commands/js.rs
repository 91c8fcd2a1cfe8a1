//! js: runs a tool in a cell of its own. This process passes the source to the host, prints the
//! tool's output, and supplies standard input on demand.

use std::ffi::OsString;
use std::io::{self, Read, Write};

use cofferdam_guest_sys::{self as sys, Heard, HostError};

use crate::bytes::OsStrExt as _;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

const USAGE: Usage = Usage {
    name: "js",
    text: "\
Usage: js [OPTION]... FILE [ARGUMENT]...
  or:  js [OPTION]... -e CODE [ARGUMENT]...
  or:  js [OPTION]... - [ARGUMENT]...
Run JavaScript or TypeScript: the body of an async function of (btcp, args), or a module with a
default export. args is the list of ARGUMENTs; await btcp.stdin() is the text of standard input.

  -e, --eval CODE      run CODE
  -p, --print CODE     run CODE, an expression, and print its value
      --ts             CODE or standard input is TypeScript; a FILE says so by its name
      --help           show this
  -                    run what standard input holds

console.log and what the tool returns go to standard output, console.error to standard error. A
string is printed as it is, anything else as JSON, undefined not at all.

The tool has what the run was granted and nothing else: unlike commands, it needs fs:read to read a
file. It runs within the time of the run, and with the memory of one process.

Exit status is 0, or 1 if the tool threw, was denied something or hit a limit.
",
    trouble: 2,
};

/// Longest source that is read; the limit of the run is usually lower.
const MAX_SOURCE: u64 = 4 << 20;

/// Size of the pieces in which input is supplied.
const PIECE: usize = 64 << 10;

/// The source of the tool.
enum From {
    Code(String),
    Expression(String),
    File(String),
    Stdin,
}

/// Relation of a tool to the folder that it is started in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Folder {
    /// None: the tool is text, wherever it came from.
    None,
    /// The tool is a script of the folder, and can load modules beside it.
    Current,
}

/// Runs `js` under the name `node`: `--version` answers like Node, no argument reads the source
/// from standard input, and `require` finds the modules of the working directory.
pub(crate) fn node(mut args: Vec<OsString>) -> i32 {
    match args.get(1).map(|arg| arg.to_string_lossy().into_owned()).as_deref() {
        Some("-v" | "--version") => {
            println!("v20.20.0");
            return super::uutils::flushed(0);
        }
        None => args.push("-".into()),
        Some(_) => {}
    }
    start(args, Folder::Current)
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    start(args, Folder::None)
}

fn start(args: Vec<OsString>, folder: Folder) -> i32 {
    let specs = [
        ('e', "eval", Value::Required),
        ('p', "print", Value::Required),
        ('\0', "ts", Value::None),
    ];
    let items = match options::parse(&USAGE, args, &specs, Order::First) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut from, mut is_typescript) = (None, false);
    let mut arguments = Vec::new();
    for item in items {
        match item {
            Item::Option(Key::Short(letter), Some(code)) => {
                let Ok(code) = code.into_string() else {
                    return USAGE.wrong("the code is not UTF-8");
                };
                let is_expression = letter == 'p';
                from = Some(if is_expression { From::Expression(code) } else { From::Code(code) });
            }
            Item::Option(..) => is_typescript = true,
            Item::Operand(file) if from.is_none() => {
                from = Some(match file.to_string_lossy().into_owned() {
                    file if file == "-" => From::Stdin,
                    file => From::File(file),
                });
            }
            Item::Operand(argument) => {
                arguments.push(String::from_utf8_lossy(argument.as_bytes()).into_owned());
            }
        }
    }
    let Some(from) = from else {
        return USAGE.wrong("a file, -e CODE or - is needed");
    };
    let plain = if is_typescript { "tool.ts" } else { "tool.js" };
    let (name, source, is_whole) = match from {
        From::Code(code) => (plain.to_owned(), code, false),
        From::Expression(code) => (plain.to_owned(), format!("return (\n{code}\n)"), false),
        From::File(file) => match source(&file) {
            Ok(source) => (file, source, false),
            Err(code) => return code,
        },
        From::Stdin => match source("-") {
            Ok(source) => (plain.to_owned(), source, true),
            Err(code) => return code,
        },
    };
    let cwd = std::env::current_dir().map_or("/".to_owned(), |cwd| cwd.display().to_string());
    let path = match name.starts_with('/') {
        true => name.clone(),
        false => format!("{}/{name}", cwd.trim_end_matches('/')),
    };
    let placed = [("cwd", cwd.as_str()), ("path", path.as_str())];
    let more = if folder == Folder::Current { &placed[..] } else { &[] };
    let started = sys::tool_start_with(&name, &source, &arguments, more);
    match started.and_then(|()| converse("js", is_whole)) {
        Ok(code) => code,
        Err(refused) => {
            eprintln!("js: {}", refused.message);
            1
        }
    }
}

fn source(file: &str) -> Result<String, i32> {
    let mut text = read_source(file).map_err(|what| {
        eprintln!("js: {file}: {what}");
        USAGE.trouble
    })?;
    // Turns a `#!` line into a comment, which keeps the line numbers.
    if text.starts_with("#!") {
        text.insert_str(0, "//");
    }
    Ok(text)
}

/// Reads the source of a tool from a file, or from standard input for `-`. The error says what is
/// wrong with it.
pub(crate) fn read_source(file: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = match file {
        "-" => Input.take(MAX_SOURCE + 1).read_to_end(&mut bytes),
        file => std::fs::File::open(file)
            .and_then(|file| file.take(MAX_SOURCE + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|e| reason(&e))?;
    if bytes.len() as u64 > MAX_SOURCE {
        return Err(format!("longer than {MAX_SOURCE} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
}

/// Runs a tool that was started to its end. `is_whole` is true if standard input was the source, so
/// that no input is left.
pub(super) fn converse(command: &str, is_whole: bool) -> Result<i32, HostError> {
    let (mut out, mut err) = (output::Descriptor(1), io::stderr());
    let mut input = vec![0; PIECE];
    loop {
        match sys::tool_read()? {
            Heard::Ended(code) => return Ok(i32::from(code)),
            Heard::Output(bytes) => {
                if let Err(error) = out.write_all(&bytes) {
                    eprintln!("{command}: write error: {}", reason(&error));
                    return Ok(2);
                }
            }
            Heard::Error(bytes) => drop(err.write_all(&bytes)),
            Heard::WantsInput if is_whole => sys::tool_feed(&[])?,
            Heard::WantsInput => {
                let len = match Input.read(&mut input) {
                    Ok(len) => len,
                    Err(error) => {
                        eprintln!("{command}: standard input: {}", reason(&error));
                        0
                    }
                };
                sys::tool_feed(&input[..len])?;
            }
        }
    }
}
