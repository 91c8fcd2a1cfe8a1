//! Ctrl-C and SIGTERM: cancel the run, then end the program.

use std::sync::{Arc, Mutex, PoisonError};

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

/// Cancels runs for as long as it lives. Its drop releases the sandbox, and with it the store: a
/// store that is never closed leaves its log for every later start to read. The thread stays behind
/// and ends with the process, which does not wait for it.
#[must_use]
pub(crate) struct Interrupts {
    sandbox: Arc<Mutex<Option<Sandbox>>>,
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        drop(self.sandbox.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Makes Ctrl-C and SIGTERM cancel the runs of the sandbox. A second signal, or one that comes
/// while nothing runs, ends the program.
pub(crate) fn cancels(sandbox: &Sandbox) -> Result<Interrupts, Failure> {
    let interrupts = listen(Idle::Ends, || ())?;
    interrupts.cancel(sandbox);
    Ok(interrupts)
}

/// Like [`cancels`], for a prompt: Ctrl-C between two commands does not end the program.
pub(crate) fn cancels_commands(sandbox: &Sandbox) -> Result<Interrupts, Failure> {
    let interrupts = listen(Idle::Stays, || ())?;
    interrupts.cancel(sandbox);
    Ok(interrupts)
}

/// Like [`cancels`], for a sandbox that is named later. The thread that waits for signals first does
/// some work for the caller: a thread of its own would cost a short run more than the work.
pub(crate) fn after(work: impl FnOnce() + Send + 'static) -> Result<Interrupts, Failure> {
    listen(Idle::Ends, work)
}

impl Interrupts {
    /// Makes the signals cancel the runs of this sandbox.
    pub(crate) fn cancel(&self, sandbox: &Sandbox) {
        *self.sandbox.lock().unwrap_or_else(PoisonError::into_inner) = Some(sandbox.clone());
    }
}

fn listen(idle: Idle, work: impl FnOnce() + Send + 'static) -> Result<Interrupts, Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|e| Failure::usage(format!("signals: {}", crate::place::plain(&e))))?;
    let sandbox = Arc::new(Mutex::new(None::<Sandbox>));
    let held = sandbox.clone();
    std::thread::spawn(move || {
        work();
        let mut asked = 0;
        for signal in signals.forever() {
            let sandbox = held.lock().unwrap_or_else(PoisonError::into_inner);
            let running = sandbox.as_ref().filter(|sandbox| sandbox.is_running().unwrap_or(false));
            asked = if running.is_some() { asked + 1 } else { 0 };
            if let (1, Some(sandbox)) = (asked, running) {
                let _ = sandbox.cancel();
                continue;
            }
            if asked == 0 && signal == SIGINT && idle == Idle::Stays {
                continue;
            }
            std::process::exit(if asked == 0 { 128 + signal } else { CANCELLED });
        }
    });
    Ok(Interrupts { sandbox })
}
