//! Ctrl-C and SIGTERM: cancel the run, then end the program.

use std::thread::JoinHandle;

use cofferdam::Sandbox;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

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

/// Listens for signals until it is dropped. The thread holds the sandbox, and with it the store:
/// a store that is never closed leaves its log for every later start to read.
#[must_use]
pub(crate) struct Interrupts {
    signals: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        self.signals.close();
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed, and there is nothing left to cancel.
            let _ = thread.join();
        }
    }
}

/// Makes Ctrl-C and SIGTERM cancel the runs of the sandbox. A second signal, or one that comes
/// while nothing runs, ends the program.
pub(crate) fn cancels(sandbox: &Sandbox) -> Result<Interrupts, Failure> {
    listen(sandbox, Idle::Ends)
}

/// Like [`cancels`], for a prompt: Ctrl-C between two commands does not end the program.
pub(crate) fn cancels_commands(sandbox: &Sandbox) -> Result<Interrupts, Failure> {
    listen(sandbox, Idle::Stays)
}

fn listen(sandbox: &Sandbox, idle: Idle) -> Result<Interrupts, Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|e| Failure::usage(format!("signals: {}", crate::place::plain(&e))))?;
    let sandbox = sandbox.clone();
    let handle = signals.handle();
    let thread = std::thread::spawn(move || {
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
    Ok(Interrupts { signals: handle, thread: Some(thread) })
}
