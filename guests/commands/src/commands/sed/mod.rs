//! sed.
//!
//! Regular expressions are those of `grep`: POSIX's, with the additions of GNU. In reading order:
//! - [`script`]: a script becomes commands
//! - [`replacement`]: the right side of `s`
//! - [`input`]: lines and files
//! - [`run`]: the commands are run

mod input;
pub(super) mod replacement;
mod run;
mod script;

use std::ffi::OsString;
use std::io::{self, Read as _};

use input::{Input, Mode};
use run::{Machine, Settings, WIDTH};
use script::Dialect;

use crate::bytes::OsStrExt as _;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, reason};
use crate::pattern::Syntax;

const USAGE: Usage = Usage {
    name: "sed",
    text: "\
Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...
Edit a stream of lines.

  -n, --quiet, --silent      print lines only if the script says so
  -e SCRIPT, --expression=SCRIPT
                             add a script
  -f FILE, --file=FILE       add the script in a file
  -E, -r, --regexp-extended  use extended regular expressions
  -i[SUFFIX], --in-place[=SUFFIX]
                             edit files in place; keep the old ones with SUFFIX
  -l N, --line-length=N      line length of `l'
  -s, --separate             treat files as separate streams
  -u, --unbuffered           read and write each line at once
  -z, --null-data            lines end with NUL
      --posix                N on the last line prints nothing
      --debug                has no effect
      --sandbox              refuse e, r and w
      --help                 display this help
",
    trouble: 1,
};

const SPECS: &[options::Spec] = &[
    ('n', "quiet", Value::None),
    ('n', "silent", Value::None),
    ('e', "expression", Value::Required),
    ('f', "file", Value::Required),
    ('E', "regexp-extended", Value::None),
    ('r', "", Value::None),
    ('i', "in-place", Value::Optional),
    ('l', "line-length", Value::Required),
    ('s', "separate", Value::None),
    ('u', "unbuffered", Value::None),
    ('z', "null-data", Value::None),
    ('b', "binary", Value::None),
    ('\0', "posix", Value::None),
    ('\0', "debug", Value::None),
    ('\0', "sandbox", Value::None),
    ('\0', "follow-symlinks", Value::None),
];

/// Exit code if input or output failed.
const TROUBLE: i32 = 4;

/// Runs `sed`.
pub(crate) fn run(args: Vec<OsString>) -> i32 {
    match edit(args) {
        Ok(code) | Err(code) => code,
    }
}

fn edit(args: Vec<OsString>) -> Result<i32, i32> {
    let mut script: Option<Vec<u8>> = None;
    let mut settings = Settings {
        is_silent: false,
        end: b'\n',
        width: WIDTH,
        is_unbuffered: false,
        is_posix: false,
    };
    let mut dialect = Dialect { syntax: Syntax::Basic, is_safe: false };
    let mut mode = Mode::Joined;
    let mut files = Vec::new();
    let add = |script: &mut Option<Vec<u8>>, text: &[u8]| match script {
        Some(script) => script.extend([b"\n", text].concat()),
        None => *script = Some(text.to_vec()),
    };
    for item in options::parse(&USAGE, args, SPECS, Order::Anywhere)? {
        let (key, value) = match item {
            Item::Option(key, value) => (key, value.unwrap_or_default()),
            Item::Operand(operand) => {
                files.push(operand);
                continue;
            }
        };
        match key {
            Key::Short('n') => settings.is_silent = true,
            Key::Short('e') => add(&mut script, value.as_bytes()),
            Key::Short('f') => {
                let text = content(&value).map_err(|error| {
                    let shown = value.to_string_lossy();
                    eprintln!("sed: couldn't open file {shown}: {}", reason(&error));
                    TROUBLE
                })?;
                add(&mut script, text.strip_suffix(b"\n").unwrap_or(&text));
            }
            Key::Short('E' | 'r') => dialect.syntax = Syntax::Extended,
            Key::Short('i') => mode = Mode::InPlace(value.as_bytes().to_vec()),
            Key::Short('l') => {
                let number = value.to_string_lossy().parse();
                settings.width = number.map_err(|_| {
                    USAGE.wrong(&format!("invalid line length: {}", value.to_string_lossy()))
                })?;
            }
            Key::Short('s') if mode == Mode::Joined => mode = Mode::Separate,
            Key::Short('u') => settings.is_unbuffered = true,
            Key::Short('z') => settings.end = 0,
            Key::Long("posix") => settings.is_posix = true,
            Key::Long("sandbox") => dialect.is_safe = true,
            Key::Short(_) | Key::Long(_) => {}
        }
    }
    let script = match script {
        Some(script) => script,
        None if files.is_empty() => {
            eprint!("{}", USAGE.text);
            return Err(1);
        }
        None => files.remove(0).as_bytes().to_vec(),
    };
    let script = script::parse(&script, dialect).map_err(|error| {
        eprintln!("sed: {error}");
        if error.starts_with("can't find label") { TROUBLE } else { 1 }
    })?;
    if files.is_empty() {
        if let Mode::InPlace(_) = mode {
            eprintln!("sed: no input files");
            return Err(1);
        }
        files.push("-".into());
    }
    let mut input = Input::new(files, mode, settings.end, settings.is_unbuffered);
    let done = Machine::new(&script, settings).and_then(|mut machine| {
        let code = machine.run(&mut input)?;
        input.finish()?;
        Ok(code)
    });
    match done {
        Ok(code) => Ok(code.filter(|code| *code > 0).unwrap_or(input.trouble)),
        Err(error) => {
            // Keeps the output of the lines before the error.
            let _ = input.stdout().flush();
            eprintln!("sed: {}", reason(&error));
            Err(TROUBLE)
        }
    }
}

fn content(file: &OsString) -> io::Result<Vec<u8>> {
    if file == "-" {
        let mut text = Vec::new();
        output::Input.read_to_end(&mut text)?;
        return Ok(text);
    }
    std::fs::read(file)
}
