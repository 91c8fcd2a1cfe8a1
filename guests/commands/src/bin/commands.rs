//! Runs a command natively, for tests: by the name it is called with, or by its first argument.

use std::ffi::OsString;
use std::path::Path;

fn main() {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let mut name = called(&args);
    if cofferdam_guest_commands::summary(&name).is_empty() && args.len() > 1 {
        args.remove(0);
        name = called(&args);
    }
    let code = cofferdam_guest_commands::run(&name, args).unwrap_or_else(|| {
        eprintln!("{name}: command not found");
        127
    });
    std::process::exit(code);
}

fn called(args: &[OsString]) -> String {
    let first = args.first().map(Path::new).and_then(Path::file_name);
    first.unwrap_or_default().to_string_lossy().into_owned()
}
