//! Calls the commands of the uutils family.

use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs a uutils command, after loading the embedded message texts.
pub(crate) fn call(
    name: &str,
    args: Vec<OsString>,
    main: fn(std::vec::IntoIter<OsString>) -> i32,
    help: fn() -> String,
) -> i32 {
    // The setup fails if called twice in a process.
    static IS_READY: AtomicBool = AtomicBool::new(false);
    if !IS_READY.swap(true, Ordering::Relaxed)
        && let Err(error) = uucore::locale::setup_localization(name)
    {
        eprintln!("{name}: message texts are missing: {error}");
        return 99;
    }
    if args.len() == 2 && args[1] == "--help" {
        print!("{}", usage_first(&help()));
        return flushed(0);
    }
    main(args.into_iter())
}

/// Returns a help text with its usage at the beginning, as in the commands of GNU.
fn usage_first(text: &str) -> String {
    let Some(at) = text.find("Usage:") else { return text.to_owned() };
    let end = text[at..].find("\n\n").map_or(text.len(), |len| at + len);
    let (before, after) = (text[..at].trim_end(), text[end..].trim_start_matches('\n'));
    format!("{}\n{before}\n\n{after}", text[at..end].trim_end())
}

/// Joins options with values that begin with a minus sign and a digit, which would be taken for
/// options themselves.
pub(crate) fn negative_values(args: Vec<OsString>, options: &[&str]) -> Vec<OsString> {
    let is_negative = |arg: &OsString| {
        let text = arg.to_string_lossy();
        text.starts_with('-') && text[1..].starts_with(|c: char| c.is_ascii_digit())
    };
    let mut out: Vec<OsString> = Vec::with_capacity(args.len());
    for arg in args {
        match out.last_mut() {
            Some(last) if is_negative(&arg) && options.iter().any(|option| last == option) => {
                last.push(&arg);
            }
            _ => out.push(arg),
        }
    }
    out
}

/// Flushes standard output; a failure becomes the exit code of the command.
pub(crate) fn flushed(code: i32) -> i32 {
    match std::io::stdout().flush() {
        Err(_) if code == 0 => 1,
        _ => code,
    }
}
