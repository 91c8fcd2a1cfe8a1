//! Runs the command named by `argv[0]` or, for tests on a real Unix, by the first argument.

use std::ffi::OsString;
use std::path::Path;

fn main() {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let mut name = called(&args);
    if cfg!(target_arch = "wasm32") {
        if let Ok(me) = cofferdam_guest_sys::myself() {
            cofferdam_guest_sys::begin_in(&me.cwd);
        }
    } else if cofferdam_guest_commands::summary(&name).is_empty() && args.len() > 1 {
        args.remove(0);
        name = called(&args);
    }
    let code = cofferdam_guest_commands::run(&name, args).unwrap_or_else(|| {
        eprintln!("{name}: command not found");
        127
    });
    std::process::exit(code);
}

/// Returns the command name of `argv[0]`, without the leading `-` that a login shell adds.
fn called(args: &[OsString]) -> String {
    let first = args.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
    first.to_string_lossy().trim_start_matches('-').to_owned()
}
