//! sqlite3, based on the SQLite library.

mod database;
mod dot;
mod show;
#[cfg(target_arch = "wasm32")]
mod vfs;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};

use crate::bytes::OsStrExt as _;
use crate::output::{self, Input, reason};
use database::{Database, Trouble};
use show::{Form, Mode, Rows};

const HELP: &str = "\
Usage: sqlite3 [OPTIONS] [FILENAME [SQL...]]
Run SQL on a database in FILENAME, which is made if it is not there; without one, or for
:memory:, on one that is gone at the end. Without SQL, standard input is read.

  -bail                 stop after an error
  -batch                accepted; nothing to change
  -box -column -csv -json -line -list -markdown -quote -table -tabs
                        how rows are shown
  -cmd COMMAND          run COMMAND first
  -header, -noheader    names of columns, or not
  -nullvalue TEXT       what NULL is shown as
  -readonly             change nothing
  -separator TEXT       between columns
  -version              SQLite's version
  -help                 show this

Lines that begin with a point are commands; .help lists them. One process at a time has a database:
others wait for it, for 5 seconds at most. There are no extensions and no write-ahead log.
";

/// Longest statement, in bytes.
const MAX_SQL: usize = 4 << 20;

/// The decision to continue after a command or statement.
enum Next {
    On,
    Quit(i32),
}

pub(super) struct Shell {
    database: Database,
    form: Form,
    out: Box<dyn Write>,
    /// Output returns to standard output after the next statement.
    is_once: bool,
    bail: bool,
    errors: u32,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    #[cfg(target_arch = "wasm32")]
    vfs::install();
    match start(args) {
        Ok(code) | Err(code) => code,
    }
}

fn start(args: Vec<OsString>) -> Result<i32, i32> {
    let (mut form, mut first) = (Form::default(), Vec::new());
    let (mut bail, mut is_read_only) = (false, false);
    let (mut file, mut texts) = (None, Vec::new());
    let mut args = args.into_iter().skip(1);
    while let Some(arg) = args.next() {
        let text = String::from_utf8_lossy(arg.as_bytes()).into_owned();
        let option = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
        let Some(option) = option.filter(|option| !option.is_empty()) else {
            match file {
                None => file = Some(text),
                Some(_) => texts.push(text),
            }
            continue;
        };
        let mut value = || match args.next() {
            Some(value) => Ok(value.to_string_lossy().into_owned()),
            None => Err(wrong(&format!("missing argument to -{option}"))),
        };
        match option {
            "header" | "headers" => form.headers = Some(true),
            "noheader" => form.headers = Some(false),
            "separator" => form.separator = Some(value()?),
            "nullvalue" => form.null = value()?,
            "cmd" => first.push(value()?),
            "bail" => bail = true,
            "batch" | "interactive" => {}
            "readonly" => is_read_only = true,
            "version" => {
                println!("{}", database::version());
                return Ok(crate::commands::uutils::flushed(0));
            }
            "help" => {
                print!("{HELP}");
                return Ok(crate::commands::uutils::flushed(0));
            }
            option => match Mode::named(option) {
                Some(mode) => form.mode = mode,
                None => return Err(wrong(&format!("unknown option: -{option}"))),
            },
        }
    }
    let file = file.unwrap_or_else(|| ":memory:".to_owned());
    let database = Database::open(&file, is_read_only).map_err(|message| {
        eprintln!("Error: unable to open database \"{file}\": {message}");
        1
    })?;
    let out = Box::new(output::stdout());
    let mut shell = Shell { database, form, out, is_once: false, bail, errors: 0 };
    let code = shell.all(first, texts);
    let flushed = shell.out.flush();
    flushed.map(|()| code).map_err(|e| {
        eprintln!("sqlite3: write error: {}", reason(&e));
        1
    })
}

fn wrong(message: &str) -> i32 {
    eprintln!("sqlite3: Error: {message}\nUse -help for a list of options.");
    1
}

impl Shell {
    fn all(&mut self, first: Vec<String>, texts: Vec<String>) -> i32 {
        let is_given = !texts.is_empty();
        for text in first.iter().chain(&texts) {
            match self.given(text) {
                Next::Quit(code) => return code,
                Next::On if self.errors > 0 => return 1,
                Next::On => {}
            }
        }
        if is_given {
            return 0;
        }
        match self.read(BufReader::new(Input)) {
            Next::Quit(code) => code,
            Next::On => i32::from(self.errors > 0),
        }
    }

    /// Runs an argument of the command line: a dot command, or SQL.
    fn given(&mut self, text: &str) -> Next {
        if text.starts_with('.') {
            return self.dot(text);
        }
        if let Err(trouble) = self.sql(text) {
            let message = match trouble {
                Trouble::Prepare(message) => format!("in prepare, {message}"),
                Trouble::Run(message) => format!("stepping, {message}"),
                Trouble::Output(message) => message,
            };
            self.error(&format!("Error: {message}"));
        }
        Next::On
    }

    fn error(&mut self, message: &str) {
        let _ = self.out.flush();
        eprintln!("{message}");
        self.errors += 1;
    }

    /// Runs statements and prints their rows.
    fn sql(&mut self, text: &str) -> Result<(), Trouble> {
        let mut rows = Rows::new(&self.form);
        let out = &mut self.out;
        let ran = self.database.run(text, |names, cells| rows.row(&mut **out, names, cells));
        let ended = rows.end(&mut *self.out).map_err(Trouble::Output);
        if std::mem::take(&mut self.is_once) {
            let _ = self.out.flush();
            self.out = Box::new(output::stdout());
        }
        ran.and(ended)
    }

    /// Runs lines as they arrive: dot commands, and statements as soon as they are complete.
    fn read(&mut self, mut input: impl BufRead) -> Next {
        let (mut text, mut line, mut begin) = (String::new(), 0, 1);
        loop {
            let mut bytes = Vec::new();
            let len = match input.read_until(b'\n', &mut bytes) {
                Ok(len) => len,
                Err(error) => {
                    self.error(&format!("Error: {}", reason(&error)));
                    0
                }
            };
            line += 1;
            let added = String::from_utf8_lossy(&bytes);
            if text.trim().is_empty() {
                text.clear();
                begin = line;
                if added.starts_with('.') {
                    match self.dot(added.trim_end()) {
                        Next::On if self.bail && self.errors > 0 => return Next::Quit(1),
                        Next::On => continue,
                        quit @ Next::Quit(_) => return quit,
                    }
                }
            }
            text.push_str(&added);
            if text.len() > MAX_SQL {
                self.error(&format!("Error near line {begin}: longer than {MAX_SQL} bytes"));
                return Next::Quit(1);
            }
            let is_end = len == 0;
            if !text.trim().is_empty() && (is_end || database::is_complete(&text)) {
                match self.sql(&text) {
                    Ok(()) => {}
                    Err(Trouble::Prepare(message)) => {
                        self.error(&format!("Parse error near line {begin}: {message}"));
                    }
                    Err(Trouble::Run(message)) => {
                        self.error(&format!("Runtime error near line {begin}: {message}"));
                    }
                    Err(Trouble::Output(message)) => {
                        self.error(&format!("Error: {message}"));
                        return Next::Quit(1);
                    }
                }
                if self.bail && self.errors > 0 {
                    return Next::Quit(1);
                }
                text.clear();
            }
            if is_end {
                return Next::On;
            }
        }
    }
}
