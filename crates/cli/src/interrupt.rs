//! Ctrl-C and SIGTERM: cancel the run, then end the program.

use cofferdam::Sandbox;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::report::Failure;

/// Exit code of a cancelled run.
const CANCELLED: i32 = 125;

/// Effect of Ctrl-C while nothing runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Idle {
    /// Ends the program.
    Ends,
    /// Has no effect: a prompt is about to appear and handles keys itself.
    Stays,
}

/// Makes Ctrl-C and SIGTERM cancel the runs of the sandbox. A second signal, or one that comes
/// while nothing runs, ends the program.
pub(crate) fn cancels(sandbox: &Sandbox) -> Result<(), Failure> {
    listen(sandbox, Idle::Ends)
}

/// Like [`cancels`], for a prompt: Ctrl-C between two commands does not end the program.
pub(crate) fn cancels_commands(sandbox: &Sandbox) -> Result<(), Failure> {
    listen(sandbox, Idle::Stays)
}

fn listen(sandbox: &Sandbox, idle: Idle) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|e| Failure::usage(format!("signals: {}", crate::place::plain(&e))))?;
    let sandbox = sandbox.clone();
    std::thread::spawn(move || {
        let mut asked = 0;
        for signal in signals.forever() {
            asked = if sandbox.is_running().unwrap_or(false) { asked + 1 } else { 0 };
            if asked == 1 {
                let _ = sandbox.cancel();
                continue;
            }
            if asked == 0 && signal == SIGINT && idle == Idle::Stays {
                continue;
            }
            std::process::exit(if asked == 0 { 128 + signal } else { CANCELLED });
        }
    });
    Ok(())
}
