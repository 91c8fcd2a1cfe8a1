//! rg, built from ripgrep's own libraries, which provide patterns, ignore files, file types and
//! output.

mod search;
mod settings;
mod walk;

use std::ffi::OsString;

use crate::output::{self, reason};
use settings::{Mode, Settings};

/// Exit codes.
const FOUND: i32 = 0;
const NOTHING: i32 = 1;
const TROUBLE: i32 = 2;

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let settings = match Settings::parse(args) {
        Ok(settings) => settings,
        Err(code) => return code,
    };
    let done = match settings.mode {
        Mode::Types => types(&settings),
        Mode::Files => walk::list(&settings),
        Mode::Search => search::run(&settings),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            eprintln!("rg: {message}");
            TROUBLE
        }
    }
}

/// Prints the file types that `-t` accepts.
fn types(settings: &Settings) -> Result<i32, String> {
    use std::io::Write as _;
    let mut out = output::stdout();
    for definition in settings.types()?.definitions() {
        let globs = definition.globs().join(", ");
        writeln!(out, "{}: {globs}", definition.name()).map_err(|e| reason(&e))?;
    }
    Ok(output::finish("rg", &mut out, FOUND))
}
