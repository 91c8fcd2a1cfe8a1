//! xargs: builds command lines from standard input.

use std::ffi::OsString;
use std::io::Read as _;

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::child::{Child, failure};
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{Input, reason};

const USAGE: Usage = Usage {
    name: "xargs",
    text: "\
Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...
Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.

  -0, --null                   items are separated by a null, not whitespace
  -a, --arg-file=FILE          read arguments from FILE, not standard input
  -d, --delimiter=CHARACTER    items in input stream are separated by CHARACTER
  -E END                       set logical EOF string
  -I R, --replace=R            replace R in INITIAL-ARGS with names read from input
  -L, --max-lines=MAX-LINES    use at most MAX-LINES non-blank input lines per command
  -n, --max-args=MAX-ARGS      use at most MAX-ARGS arguments per command line
  -P, --max-procs=MAX-PROCS    accepted; commands run one after another
  -p, --interactive            accepted; nobody is asked
  -r, --no-run-if-empty        if there are no arguments, do not run COMMAND
  -s, --max-chars=MAX-CHARS    limit length of command line to MAX-CHARS
  -t, --verbose                print commands before executing them
      --process-slot-var=NAME  set NAME to 0 for commands
  -x, --exit                   exit if the size (see -s) is exceeded
      --help                   display this help
",
    trouble: 1,
};

/// Longest command line, in bytes.
const MAX_CHARS: usize = 128 * 1024;
/// Largest status of a command that a signal ended.
const LAST_SIGNAL: i32 = 128 + 64;

struct Settings {
    delimiter: Option<u8>,
    end: Option<Vec<u8>>,
    replace: Option<Vec<u8>>,
    lines: Option<usize>,
    most: Option<usize>,
    chars: usize,
    skip_empty: bool,
    verbose: bool,
    /// Variable with the number of the running command, which is always 0.
    slot: Option<OsString>,
    file: Option<OsString>,
    command: Vec<OsString>,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    settings(args).and_then(|settings| execute(&settings)).unwrap_or_else(|code| code)
}

fn settings(args: Vec<OsString>) -> Result<Settings, i32> {
    let specs = [
        ('0', "null", Value::None),
        ('a', "arg-file", Value::Required),
        ('d', "delimiter", Value::Required),
        ('E', "", Value::Required),
        ('e', "eof", Value::Optional),
        ('I', "", Value::Required),
        ('i', "replace", Value::Optional),
        ('L', "max-lines", Value::Required),
        ('l', "", Value::Optional),
        ('n', "max-args", Value::Required),
        ('P', "max-procs", Value::Required),
        ('p', "interactive", Value::None),
        ('r', "no-run-if-empty", Value::None),
        ('s', "max-chars", Value::Required),
        ('t', "verbose", Value::None),
        ('x', "exit", Value::None),
        ('\0', "process-slot-var", Value::Required),
    ];
    let mut s = Settings {
        delimiter: None,
        end: None,
        replace: None,
        lines: None,
        most: None,
        chars: MAX_CHARS,
        skip_empty: false,
        verbose: false,
        slot: None,
        file: None,
        command: Vec::new(),
    };
    for item in options::parse(&USAGE, args, &specs, Order::First)? {
        let (key, value) = match item {
            Item::Operand(operand) => {
                s.command.push(operand);
                continue;
            }
            Item::Option(key, value) => (key, value),
        };
        let text = value.clone().unwrap_or_default();
        let number = |option: char| match text.to_string_lossy().parse::<usize>() {
            Ok(0) if option != 'P' => {
                Err(USAGE.wrong(&format!("value 0 for -{option} option should be >= 1")))
            }
            Ok(number) => Ok(number),
            Err(_) => {
                let shown = text.to_string_lossy();
                Err(USAGE.wrong(&format!("invalid number \"{shown}\" for -{option} option")))
            }
        };
        match key {
            Key::Short('0') => s.delimiter = Some(0),
            Key::Short('a') => s.file = value,
            Key::Short('d') => s.delimiter = Some(delimiter(text.as_bytes())?),
            Key::Short('E' | 'e') => s.end = Some(text.into_vec()).filter(|end| !end.is_empty()),
            Key::Short('I' | 'i') => {
                let mark = if text.is_empty() { b"{}".to_vec() } else { text.into_vec() };
                s.replace = Some(mark);
            }
            Key::Short('L') => s.lines = Some(number('L')?),
            Key::Short('l') => s.lines = Some(if text.is_empty() { 1 } else { number('l')? }),
            Key::Short('n') => s.most = Some(number('n')?),
            Key::Short('s') => s.chars = number('s')?.min(MAX_CHARS),
            Key::Short('r') => s.skip_empty = true,
            Key::Short('t') => s.verbose = true,
            Key::Long("process-slot-var") => s.slot = value,
            _ => {}
        }
    }
    if s.command.is_empty() {
        s.command.push("echo".into());
    }
    Ok(s)
}

fn delimiter(text: &[u8]) -> Result<u8, i32> {
    Ok(match text {
        [one] => *one,
        b"\\n" => b'\n',
        b"\\t" => b'\t',
        b"\\r" => b'\r',
        b"\\0" => 0,
        b"\\\\" => b'\\',
        _ => {
            return Err(USAGE.wrong(
                "invalid input delimiter specification: the delimiter must be a single character",
            ));
        }
    })
}

/// An item, and true if it ends a line.
type Word = (Vec<u8>, bool);

fn execute(s: &Settings) -> Result<i32, i32> {
    let mut text = Vec::new();
    let read = match &s.file {
        Some(file) => std::fs::read(file).map(|content| text = content),
        None => Input.read_to_end(&mut text).map(drop),
    };
    if let Err(error) = read {
        eprintln!("xargs: {}", reason(&error));
        return Err(1);
    }
    let (words, broken) = words(s, &text)?;
    drop(text);
    let mut code = 0;
    if let Some(mark) = &s.replace {
        for (word, _) in words {
            let argv: Vec<OsString> = s
                .command
                .iter()
                .map(|arg| OsString::from_vec(replaced(arg.as_bytes(), mark, &word)))
                .collect();
            launch(s, &argv, &mut code)?;
        }
        return Ok(code);
    }
    let base: usize = s.command.iter().map(|arg| arg.len() + 1).sum();
    let mut batch = s.command.clone();
    let (mut size, mut lines, mut ran) = (base, 0, false);
    for (word, ends_line) in words {
        let count = batch.len() - s.command.len();
        let full = s.most.is_some_and(|most| count >= most)
            || s.lines.is_some_and(|most| lines >= most)
            || (count > 0 && size + word.len() + 1 > s.chars);
        if full {
            launch(s, &batch, &mut code)?;
            ran = true;
            batch.truncate(s.command.len());
            (size, lines) = (base, 0);
        }
        if base + word.len() + 1 > s.chars {
            eprintln!("xargs: argument line too long");
            return Err(1);
        }
        size += word.len() + 1;
        lines += usize::from(ends_line);
        batch.push(OsString::from_vec(word));
    }
    let has_words = batch.len() > s.command.len();
    if has_words || !(ran || s.skip_empty || broken != 0) {
        launch(s, &batch, &mut code)?;
    }
    Ok(if broken == 0 { code } else { broken })
}

/// Runs one command; `Err` carries the exit code that ends xargs.
fn launch(s: &Settings, argv: &[OsString], code: &mut i32) -> Result<(), i32> {
    if s.verbose {
        let shown: Vec<_> = argv.iter().map(|arg| arg.to_string_lossy()).collect();
        eprintln!("{}", shown.join(" "));
    }
    let name = argv.first().map(|arg| arg.to_string_lossy()).unwrap_or_default();
    // Unless the arguments come from a file, xargs itself reads standard input, and the command gets
    // an empty one.
    let null = match s.file {
        Some(_) => None,
        None => cofferdam_guest_sys::open(b"/dev/null", libc::O_RDONLY, 0).ok(),
    };
    let env = s.slot.as_ref().map(|slot| {
        let others = std::env::vars_os().filter(|(name, _)| name != slot);
        others.chain([(slot.clone(), "0".into())]).collect()
    });
    let ended = Child { env, descriptors: [null.unwrap_or(0), 1, 2], ..Child::new(argv) }.run();
    if let Some(null) = null {
        let _ = cofferdam_guest_sys::close(null);
    }
    match ended {
        Ok(0) => Ok(()),
        Ok(255) => {
            eprintln!("xargs: {name}: exited with status 255; aborting");
            Err(124)
        }
        Ok(status @ 126..=127) => Err(status),
        Ok(status @ 129..=LAST_SIGNAL) => {
            eprintln!("xargs: {name}: terminated by signal {}", status - 128);
            Err(125)
        }
        Ok(_) => {
            *code = 123;
            Ok(())
        }
        Err(error) => {
            eprintln!("xargs: {name}: {}", reason(&error));
            Err(failure(&error))
        }
    }
}

/// Splits the input. The words come with the exit code for an open quote behind them, or 0: as in
/// GNU, the words before it are used.
fn words(s: &Settings, text: &[u8]) -> Result<(Vec<Word>, i32), i32> {
    if let Some(delimiter) = s.delimiter {
        let whole = text.strip_suffix(&[delimiter]).unwrap_or(text);
        if text.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let words = whole.split(|b| *b == delimiter).map(|word| (word.to_vec(), true));
        return Ok((words.collect(), 0));
    }
    if s.replace.is_some() {
        let trimmed = |line: &[u8]| -> Vec<u8> {
            let start = line.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(line.len());
            line[start..].to_vec()
        };
        let lines = text.split(|b| *b == b'\n').map(trimmed).filter(|line| !line.is_empty());
        let words: Result<Vec<Word>, i32> =
            lines.map(|line| Ok((unquoted(&line)?, true))).collect();
        return words.map(|words| (words, 0));
    }
    let mut words: Vec<Word> = Vec::new();
    let mut current: Option<Vec<u8>> = None;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b'\t' | b'\n' => {
                words.extend(current.take().map(|word| (word, false)));
                if *byte == b'\n'
                    && let Some(last) = words.last_mut()
                {
                    last.1 = true;
                }
                if words.last().is_some_and(|last| Some(&last.0) == s.end.as_ref()) {
                    words.pop();
                    return Ok((words, 0));
                }
            }
            b'\\' => {
                let word = current.get_or_insert_default();
                word.extend(bytes.next());
            }
            quote @ (b'"' | b'\'') => {
                let word = current.get_or_insert_default();
                loop {
                    match bytes.next() {
                        Some(end) if end == quote => break,
                        Some(b'\n') | None => return Ok((words, unmatched(*quote))),
                        Some(other) => word.push(*other),
                    }
                }
            }
            other => current.get_or_insert_default().push(*other),
        }
    }
    words.extend(current.map(|word| (word, true)));
    Ok((words, 0))
}

fn unmatched(quote: u8) -> i32 {
    let kind = if quote == b'"' { "double" } else { "single" };
    eprintln!(
        "xargs: unmatched {kind} quote; by default quotes are special to xargs unless you use the -0 option"
    );
    1
}

fn unquoted(line: &[u8]) -> Result<Vec<u8>, i32> {
    let mut out = Vec::new();
    let mut bytes = line.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => out.extend(bytes.next()),
            quote @ (b'"' | b'\'') => loop {
                match bytes.next() {
                    Some(end) if end == quote => break,
                    Some(other) => out.push(*other),
                    None => return Err(unmatched(*quote)),
                }
            },
            other => out.push(*other),
        }
    }
    Ok(out)
}

fn replaced(text: &[u8], mark: &[u8], word: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for found in memchr::memmem::find_iter(text, mark) {
        out.extend_from_slice(&text[at..found]);
        out.extend_from_slice(word);
        at = found + mark.len();
    }
    out.extend_from_slice(&text[at..]);
    out
}
