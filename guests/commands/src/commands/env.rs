//! env: runs a command with other variables, or lists them.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::Write;

use super::launch::{OWN_FAILURE, finish};
use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::child::Child;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, reason};

const USAGE: Usage = Usage {
    name: "env",
    text: "\
Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
Set each NAME to VALUE in the environment and run COMMAND.

  -i, --ignore-environment  start with an empty environment
  -0, --null                end each output line with NUL, not newline
  -u, --unset=NAME          remove variable from the environment
  -C, --chdir=DIR           change working directory to DIR
  -S, --split-string=S      process and split S into separate arguments
  -v, --debug               print verbose information for each processing step
      --help                display this help
",
    trouble: OWN_FAILURE,
};

/// Most arguments that `-S` may make, so that strings in strings come to an end.
const MAX_WORDS: usize = 100_000;

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    inner(args).unwrap_or_else(|code| code)
}

/// Prints an error and returns the exit code.
fn failed(message: &str) -> i32 {
    eprintln!("env: {message}");
    OWN_FAILURE
}

fn inner(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('i', "ignore-environment", Value::None),
        ('0', "null", Value::None),
        ('u', "unset", Value::Required),
        ('C', "chdir", Value::Required),
        ('v', "debug", Value::None),
        ('\0', "block-signal", Value::Optional),
        ('\0', "default-signal", Value::Optional),
        ('\0', "ignore-signal", Value::Optional),
    ];
    let items = options::parse(&USAGE, expanded(args)?, &specs, Order::First)?;
    let (mut clear, mut debug, mut end) = (false, false, b'\n');
    let mut unset = Vec::new();
    let mut cwd = None;
    let mut rest: VecDeque<OsString> = VecDeque::new();
    for item in items {
        match item {
            Item::Option(Key::Short('i'), _) => clear = true,
            Item::Option(Key::Short('0'), _) => end = 0,
            Item::Option(Key::Short('v'), _) => debug = true,
            Item::Option(Key::Short('u'), Some(name)) => unset.push(name),
            Item::Option(Key::Short('C'), Some(dir)) => cwd = Some(dir),
            Item::Option(..) => {}
            Item::Operand(operand) => rest.push_back(operand),
        }
    }
    let mut variables: Vec<(OsString, OsString)> =
        if clear { Vec::new() } else { std::env::vars_os().collect() };
    if rest.front().is_some_and(|first| first == "-") {
        rest.pop_front();
        variables.clear();
    }
    for name in unset {
        let shown = name.to_string_lossy();
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(failed(&format!("cannot unset '{shown}': Invalid argument")));
        }
        if debug {
            eprintln!("unset:    {shown}");
        }
        variables.retain(|(known, _)| *known != name);
    }
    while let Some(first) = rest.front() {
        let Some(equals) = memchr::memchr(b'=', first.as_bytes()) else { break };
        if debug {
            eprintln!("setenv:   {}", first.to_string_lossy());
        }
        let bytes = first.as_bytes();
        let name = OsString::from_vec(bytes[..equals].to_vec());
        let value = OsString::from_vec(bytes[equals + 1..].to_vec());
        match variables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => variables.push((name, value)),
        }
        rest.pop_front();
    }
    if rest.is_empty() {
        if cwd.is_some() {
            return Err(USAGE.wrong("must specify command with --chdir (-C)"));
        }
        let mut out = output::stdout();
        for (name, value) in variables {
            let line = [name.as_bytes(), b"=", value.as_bytes(), &[end]].concat();
            let _ = out.write_all(&line);
        }
        return Ok(output::finish("env", &mut out, 0));
    }
    if end == 0 {
        return Err(USAGE.wrong("cannot specify --null (-0) with command"));
    }
    let cwd = match cwd {
        None => None,
        Some(dir) => match std::fs::canonicalize(&dir) {
            Ok(path) => Some(path.into_os_string().into_vec()),
            Err(error) => {
                let (dir, why) = (dir.to_string_lossy(), reason(&error));
                return Err(failed(&format!("cannot change directory to '{dir}': {why}")));
            }
        },
    };
    let argv: Vec<OsString> = rest.into();
    if debug {
        eprintln!("executing: {}", argv[0].to_string_lossy());
        for (at, arg) in argv.iter().enumerate() {
            eprintln!("   arg[{at}]= '{}'", arg.to_string_lossy());
        }
    }
    let ended = Child { env: Some(variables), cwd, ..Child::new(&argv) }.run();
    let blank = argv[0].as_bytes().iter().any(u8::is_ascii_whitespace);
    let hint = ended.is_err() && blank;
    let code = finish("env", &argv, ended);
    if hint {
        eprintln!("env: use -[v]S to pass options in shebang lines");
    }
    code
}

/// Replaces each `-S` by the words of its string, which may be options themselves.
fn expanded(args: Vec<OsString>) -> Result<Vec<OsString>, i32> {
    let mut rest: VecDeque<OsString> = args.into();
    let mut out: Vec<OsString> = Vec::new();
    out.extend(rest.pop_front());
    let mut words = 0;
    while let Some(arg) = rest.pop_front() {
        let bytes = arg.as_bytes();
        if bytes == b"--" || bytes == b"-" || !bytes.starts_with(b"-") {
            out.push(arg);
            break;
        }
        let missing =
            |option: &str| USAGE.wrong(&format!("option requires an argument -- {option}"));
        let (text, before) = match bytes {
            b"--split-string" => (rest.pop_front().ok_or_else(|| missing("'S'"))?, None),
            _ if bytes.starts_with(b"--split-string=") => {
                (OsString::from_vec(bytes[b"--split-string=".len()..].to_vec()), None)
            }
            b"--unset" | b"--chdir" => {
                out.push(arg);
                out.extend(rest.pop_front());
                continue;
            }
            _ if bytes.starts_with(b"--") => {
                out.push(arg);
                continue;
            }
            cluster => match cluster.iter().position(|b| matches!(b, b'S' | b'u' | b'C')) {
                Some(at) if cluster[at] == b'S' => {
                    let text = match &cluster[at + 1..] {
                        b"" => rest.pop_front().ok_or_else(|| missing("'S'"))?,
                        attached => OsString::from_vec(attached.to_vec()),
                    };
                    (text, (at > 1).then(|| OsString::from_vec(cluster[..at].to_vec())))
                }
                Some(at) if at + 1 == cluster.len() => {
                    out.push(arg);
                    out.extend(rest.pop_front());
                    continue;
                }
                _ => {
                    out.push(arg);
                    continue;
                }
            },
        };
        out.extend(before);
        let made = split(text.as_bytes())?;
        words += made.len();
        if words > MAX_WORDS {
            return Err(failed("too many words in -S strings"));
        }
        for word in made.into_iter().rev() {
            rest.push_front(OsString::from_vec(word));
        }
    }
    out.extend(rest);
    Ok(out)
}

/// The quotes around a part of a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
}

/// Splits the string of `-S` into words.
fn split(text: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quotes = Quotes::None;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        match (byte, quotes) {
            (b'\'', Quotes::None | Quotes::Single) | (b'"', Quotes::None | Quotes::Double) => {
                let kind = if byte == b'"' { Quotes::Double } else { Quotes::Single };
                quotes = if quotes == Quotes::None { kind } else { Quotes::None };
                word.get_or_insert_default();
            }
            (b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r', Quotes::None) => words.extend(word.take()),
            (b'#', Quotes::None) if word.is_none() => break,
            (b'\\', Quotes::Single) if !matches!(text.get(at), Some(b'\\' | b'\'')) => {
                word.get_or_insert_default().push(byte);
            }
            (b'\\', _) => {
                let Some(next) = text.get(at).copied() else {
                    return Err(failed("invalid backslash at end of string in -S"));
                };
                at += 1;
                let made = match (next, quotes) {
                    (b'_', Quotes::None) => {
                        words.extend(word.take());
                        continue;
                    }
                    (b'c', Quotes::None) => break,
                    (b'c', _) => {
                        return Err(failed("'\\c' must not appear in double-quoted -S string"));
                    }
                    (b'_', _) => b' ',
                    (b'f', _) => 0x0c,
                    (b'n', _) => b'\n',
                    (b'r', _) => b'\r',
                    (b't', _) => b'\t',
                    (b'v', _) => 0x0b,
                    (b'"' | b'#' | b'$' | b'\'' | b'\\', _) => next,
                    _ => {
                        let shown = char::from(next);
                        return Err(failed(&format!("invalid sequence '\\{shown}' in -S")));
                    }
                };
                word.get_or_insert_default().push(made);
            }
            (b'$', Quotes::None | Quotes::Double) => {
                let name = text[at..].strip_prefix(b"{").and_then(|rest| {
                    let name = &rest[..memchr::memchr(b'}', rest)?];
                    let fits = name.first().is_some_and(|b| !b.is_ascii_digit())
                        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
                    fits.then_some(name)
                });
                let Some(name) = name else {
                    let shown = String::from_utf8_lossy(&text[at - 1..]).into_owned();
                    let message = "only ${VARNAME} expansion is supported, error at:";
                    return Err(failed(&format!("{message} {shown}")));
                };
                at += name.len() + 2;
                let value = std::env::var_os(OsString::from_vec(name.to_vec()));
                if let Some(value) = value {
                    word.get_or_insert_default().extend_from_slice(value.as_bytes());
                }
            }
            (byte, _) => word.get_or_insert_default().push(byte),
        }
    }
    if quotes != Quotes::None {
        return Err(failed("no terminating quote in -S string"));
    }
    words.extend(word);
    Ok(words)
}
