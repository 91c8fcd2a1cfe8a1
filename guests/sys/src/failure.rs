//! Reports of panics. A panic of the standard library's kind names files of the machine that the
//! guest was built on, and ends as an abort instead of an exit.

use std::io::Write as _;

/// Exit code of a program that panicked, `EX_SOFTWARE` of `sysexits.h`. Codes below 3 mean
/// something else in commands such as `grep` and `cmp`.
const INTERNAL_ERROR: i32 = 70;

/// Turns every later panic of this process into one line on standard error and exit code 70
/// (T-PROC-014). The line names no file of the build machine.
pub fn report_panics_as(name: &str) {
    let name = name.to_owned();
    std::panic::set_hook(Box::new(move |info| {
        let line = line(&name, info.payload_as_str().unwrap_or_default());
        // Not `eprintln!`, which panics if standard error is closed.
        let _ = writeln!(std::io::stderr(), "{line}");
        std::process::exit(INTERNAL_ERROR)
    }));
}

/// Returns the message for a panic. Libraries panic with `unimplemented!` for what they do not
/// support on this target, which is an error of the call and not of the program.
fn line(name: &str, panic: &str) -> String {
    match panic.strip_prefix("not implemented: ") {
        Some(what) => format!("{name}: not supported in a sandbox: {what}"),
        None => format!("{name}: internal error"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error_without_details() {
        assert_eq!(line("od", "index out of bounds: /home/x/od.rs"), "od: internal error");
    }

    #[test]
    fn an_unsupported_feature_is_named() {
        let got = line("sed", "not implemented: the 'e' flag");
        assert_eq!(got, "sed: not supported in a sandbox: the 'e' flag");
    }
}
