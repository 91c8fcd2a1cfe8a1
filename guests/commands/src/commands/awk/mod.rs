//! awk: POSIX, with the common extensions of gawk.
//!
//! [`lexer`], [`parser`] and [`grammar`] build an [`ast`]. [`machine`] runs it, with statements in
//! [`exec`], expressions in [`eval`], and functions in [`builtins`].

mod array;
mod ast;
mod builtins;
mod eval;
mod exec;
mod format;
mod globals;
mod grammar;
mod lexer;
mod machine;
mod order;
mod parser;
mod split;
mod streams;
mod substitute;
mod value;

use std::ffi::OsString;

use crate::bytes::OsStringExt as _;
use crate::options::{self, Item, Key, Order, Usage, Value::Required};
use crate::output::reason;

const USAGE: Usage = Usage {
    name: "awk",
    text: "\
Usage: awk [-F SEPARATOR] [-v NAME=VALUE]... 'PROGRAM' [FILE | NAME=VALUE]...
       awk [-F SEPARATOR] [-v NAME=VALUE]... -f PROGFILE... [FILE | NAME=VALUE]...
Run PROGRAM for each record of the FILEs or of standard input.

  -F, --field-separator=SEPARATOR  what separates fields (FS)
  -v, --assign=NAME=VALUE          set a variable before the program begins
  -f, --file=PROGFILE              read the program from a file
  -e, --source=PROGRAM             program text; can be combined with -f
      --help                       show this help
      --version                    show the version
",
    trouble: 2,
};

/// Longest program, in bytes.
const MAX_PROGRAM: usize = 16 << 20;

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    match parse_invocation(args) {
        Ok((program, assignments, arguments)) => execute(&program, &assignments, &arguments),
        Err(code) => code,
    }
}

/// The program, the assignments of `-v` and `-F`, and the arguments.
type Invocation = (Vec<u8>, Vec<Vec<u8>>, Vec<Vec<u8>>);

fn parse_invocation(args: Vec<OsString>) -> Result<Invocation, i32> {
    let specs = [
        ('F', "field-separator", Required),
        ('v', "assign", Required),
        ('f', "file", Required),
        ('e', "source", Required),
        ('E', "exec", Required),
        // These choose between dialects; programs for either one run.
        ('P', "posix", options::Value::None),
        ('c', "traditional", options::Value::None),
        ('r', "re-interval", options::Value::None),
        ('n', "non-decimal-data", options::Value::None),
        ('b', "characters-as-bytes", options::Value::None),
        ('N', "use-lc-numeric", options::Value::None),
        ('O', "optimize", options::Value::None),
        ('M', "bignum", options::Value::None),
        ('L', "lint", options::Value::Optional),
        ('t', "lint-old", options::Value::None),
        ('S', "sandbox", options::Value::None),
    ];
    let items = options::parse(&USAGE, args, &specs, Order::First)?;
    let mut program: Option<Vec<u8>> = None;
    let mut assignments = Vec::new();
    let mut arguments = vec![b"awk".to_vec()];
    for item in items {
        match item {
            Item::Option(Key::Short('F'), Some(separator)) => {
                let separator = match separator.into_vec() {
                    text if text == b"t" => b"\\t".to_vec(),
                    text => text,
                };
                assignments.push([b"FS=".as_slice(), &separator].concat());
            }
            Item::Option(Key::Short('v'), Some(assignment)) => {
                assignments.push(assignment.into_vec());
            }
            Item::Option(Key::Short('f' | 'E'), Some(file)) => {
                let text = read_program(&file)?;
                let program = program.get_or_insert_default();
                program.extend_from_slice(&text);
                program.push(b'\n');
            }
            Item::Option(Key::Short('e'), Some(text)) => {
                let program = program.get_or_insert_default();
                program.extend_from_slice(&text.into_vec());
                program.push(b'\n');
            }
            Item::Option(..) => {}
            Item::Operand(text) if program.is_none() => program = Some(text.into_vec()),
            Item::Operand(operand) => arguments.push(operand.into_vec()),
        }
    }
    match program {
        Some(program) if program.len() <= MAX_PROGRAM => Ok((program, assignments, arguments)),
        Some(_) => Err(USAGE.wrong("the program is too long")),
        None => {
            eprint!("{}", USAGE.text);
            Err(2)
        }
    }
}

fn read_program(file: &OsString) -> Result<Vec<u8>, i32> {
    let text = if file == "-" {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut crate::output::Input, &mut text).map(|_| text)
    } else {
        std::fs::read(file)
    };
    text.map_err(|error| {
        let name = file.to_string_lossy();
        eprintln!("awk: cannot open \"{name}\" ({})", reason(&error));
        2
    })
}

/// Exit code of a program that cannot be parsed; other errors have 2.
const BAD_PROGRAM: i32 = 1;

fn execute(program: &[u8], assignments: &[Vec<u8>], arguments: &[Vec<u8>]) -> i32 {
    let program = match parser::parse(program) {
        Ok(program) => program,
        Err(message) => {
            eprintln!("awk: {message}");
            return BAD_PROGRAM;
        }
    };
    let mut machine = machine::Machine::new(&program, arguments);
    for assignment in assignments {
        if !matches!(machine.assign_argument(assignment), Ok(true)) {
            let shown = String::from_utf8_lossy(assignment);
            eprintln!("awk: `{shown}' argument to `-v' not in `var=value' form");
            return 2;
        }
    }
    machine.run().unwrap_or_else(|message| {
        eprintln!("awk: {message}");
        2
    })
}
