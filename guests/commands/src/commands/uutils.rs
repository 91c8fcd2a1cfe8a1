//! Calls the commands of the uutils family.

use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs a uutils command, after loading the embedded message texts.
pub(crate) fn call(
    name: &str,
    args: Vec<OsString>,
    main: fn(std::vec::IntoIter<OsString>) -> i32,
) -> i32 {
    // The setup fails if called twice in a process.
    static IS_READY: AtomicBool = AtomicBool::new(false);
    if !IS_READY.swap(true, Ordering::Relaxed)
        && let Err(error) = uucore::locale::setup_localization(name)
    {
        eprintln!("{name}: message texts are missing: {error}");
        return 99;
    }
    main(args.into_iter())
}

/// Flushes standard output; a failure becomes the exit code of the command.
pub(crate) fn flushed(code: i32) -> i32 {
    match std::io::stdout().flush() {
        Err(_) if code == 0 => 1,
        _ => code,
    }
}
