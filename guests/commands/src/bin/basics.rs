//! Runs the common command named by `argv[0]`. Browsers use this program in place of `commands`,
//! which is more than twice as large.

use std::ffi::OsString;
use std::path::Path;

fn main() {
    let args: Vec<OsString> = std::env::args_os().collect();
    let first = args.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
    let name = first.to_string_lossy().trim_start_matches('-').to_owned();
    if let Ok(me) = cofferdam_guest_sys::myself() {
        cofferdam_guest_sys::begin_in(&me.cwd);
    }
    cofferdam_guest_sys::report_panics_as(&name);
    let code = cofferdam_guest_commands::run_basic(&name, args).unwrap_or_else(|| {
        eprintln!("{name}: command not found");
        127
    });
    std::process::exit(code);
}
