//! Ctrl-C: ends what runs, and with it the verb.

use cofferdam::Sandbox;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::report::Failure;

/// Exit code of what was cancelled.
const CANCELLED: i32 = 125;

/// What Ctrl-C does while nothing runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Idle {
    /// Ends the program.
    Ends,
    /// Nothing: a prompt is about to come, and takes keys by itself.
    Stays,
}

/// From now on Ctrl-C and a request to end cancel what runs in the sandbox. Who asks again, or
/// while nothing runs, ends the program.
pub(crate) fn cancels(sandbox: &Sandbox) -> Result<(), Failure> {
    listen(sandbox, Idle::Ends)
}

/// The same for a prompt, which Ctrl-C does not end between two commands.
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
