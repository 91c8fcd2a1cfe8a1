//! Runs git as a process.

use cofferdam_guest_sys as sys;

fn main() {
    sys::report_panics_as("git");
    if cfg!(target_arch = "wasm32")
        && let Ok(me) = sys::myself()
    {
        sys::begin_in(&me.cwd);
    }
    let args = std::env::args_os().skip(1).map(cofferdam_guest_git::bytes_of).collect();
    std::process::exit(cofferdam_guest_git::run(args));
}
