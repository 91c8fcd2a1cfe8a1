//! How commands of the uutils family are called.

use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Readies the family's message texts, which are embedded, and runs one of its commands.
pub(crate) fn call(
    name: &str,
    args: Vec<OsString>,
    main: fn(std::vec::IntoIter<OsString>) -> i32,
) -> i32 {
    // Once in a process: a second time is an error.
    static IS_READY: AtomicBool = AtomicBool::new(false);
    if !IS_READY.swap(true, Ordering::Relaxed)
        && let Err(error) = uucore::locale::setup_localization(name)
    {
        eprintln!("{name}: message texts are missing: {error}");
        return 99;
    }
    main(args.into_iter())
}

/// Flushes standard output, whose failure becomes the command's own.
pub(crate) fn flushed(code: i32) -> i32 {
    match std::io::stdout().flush() {
        Err(_) if code == 0 => 1,
        _ => code,
    }
}
