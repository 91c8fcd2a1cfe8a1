//! Reports of panics. A panic of the standard library's kind names files of the machine that the
//! guest was built on, and ends as an abort instead of an exit.

use std::io::Write as _;

/// Exit code of a program that panicked, `EX_SOFTWARE` of `sysexits.h`. Codes below 3 mean
/// something else in commands such as `grep` and `cmp`.
const INTERNAL_ERROR: i32 = 70;

/// Beginning of the panic of `println!`, before the reason.
const PRINTING: &str = "failed printing to stdout: ";

/// Exit code of a program that writes to a closed pipe, as if killed by `SIGPIPE`.
const CLOSED_PIPE: i32 = 128 + 13;

/// Turns every later panic of this process into one line on standard error and exit code 70
/// (T-PROC-014). The line names no file of the build machine. Output that cannot be written ends the
/// process as it ends GNU's programs.
pub fn report_panics_as(name: &str) {
    let name = name.to_owned();
    std::panic::set_hook(Box::new(move |info| {
        let panic = info.payload_as_str().unwrap_or_default();
        // `println!` of the standard library panics if its output cannot be written.
        if let Some(reason) = panic.strip_prefix(PRINTING) {
            if !reason.starts_with("Broken pipe") {
                let reason = reason.split(" (os error").next().unwrap_or(reason);
                let _ = writeln!(std::io::stderr(), "{name}: write error: {reason}");
                std::process::exit(1)
            }
            std::process::exit(CLOSED_PIPE)
        }
        let line = line(&name, panic);
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
