//! Polling of a ledger that other processes can change.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::broker::{Broker, Shared};

/// Longest time until a waiting run notices a grant made by another process.
const INTERVAL: Duration = Duration::from_millis(25);

/// The thread that polls a shared ledger; runs only while runs wait.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    is_running: AtomicBool,
}

impl Watch {
    /// Starts the thread unless it is running.
    pub(crate) fn start(&self, shared: &Arc<Shared>) {
        if self.is_running.swap(true, Ordering::SeqCst) {
            return;
        }
        let broker = Arc::downgrade(shared);
        let thread = std::thread::Builder::new().name("cofferdam-watch".to_owned());
        if thread.spawn(move || watch(&broker)).is_err() {
            // Without the thread a run still sees grants of its own process. The next waiter tries
            // to start it again.
            self.is_running.store(false, Ordering::SeqCst);
        }
    }

    /// Returns true if the thread may end, because no run waits.
    fn may_end(&self, shared: &Shared) -> bool {
        if !shared.waiters.is_empty() {
            return false;
        }
        self.is_running.store(false, Ordering::SeqCst);
        // A waiter that joined in between saw the thread running and did not start another.
        shared.waiters.is_empty() || self.is_running.swap(true, Ordering::SeqCst)
    }
}

fn watch(shared: &Weak<Shared>) {
    loop {
        std::thread::park_timeout(INTERVAL);
        let Some(shared) = shared.upgrade() else { return };
        if shared.watch().may_end(&shared) {
            return;
        }
        let broker = Broker::from_shared(shared);
        if broker.refresh().is_err() {
            // The waiting runs meet the same error and report it.
            broker.shared().waiters.wake(|_| true);
        }
    }
}
