use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::broker::{Broker, Shared};

/// How long a grant of another process can go unseen by a run that waits.
const INTERVAL: Duration = Duration::from_millis(25);

/// One thread that looks at a shared ledger, only while runs wait.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    is_running: AtomicBool,
}

impl Watch {
    /// Starts the thread unless there is one.
    pub(crate) fn start(&self, shared: &Arc<Shared>) {
        if self.is_running.swap(true, Ordering::SeqCst) {
            return;
        }
        let broker = Arc::downgrade(shared);
        let thread = std::thread::Builder::new().name("cofferdam-watch".to_owned());
        if thread.spawn(move || watch(&broker)).is_err() {
            // Without it a run still sees what its own process grants; the next one tries again.
            self.is_running.store(false, Ordering::SeqCst);
        }
    }

    /// Whether the thread may end: not when somebody began to wait a moment ago.
    fn may_end(&self, shared: &Shared) -> bool {
        if !shared.waiters.is_empty() {
            return false;
        }
        self.is_running.store(false, Ordering::SeqCst);
        // One who came in between saw a thread that was still running.
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
            // They find the error themselves, and it is theirs to report.
            broker.shared().waiters.wake(|_| true);
        }
    }
}
