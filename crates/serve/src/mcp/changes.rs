//! Changes of the list of tools, by this process or another one that uses the same store.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use cofferdam_store::{Pulse, Store};
use tokio::sync::watch;

/// Interval at which the store is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// Counts changes of the registry. It looks at the store once somebody listens.
pub(super) struct Changes {
    store: Store,
    count: OnceLock<watch::Sender<u64>>,
}

impl Changes {
    pub(super) fn new(store: &Store) -> Arc<Self> {
        Arc::new(Changes { store: store.clone(), count: OnceLock::new() })
    }

    /// Returns the number of changes from now on.
    pub(super) fn listen(self: &Arc<Self>) -> watch::Receiver<u64> {
        let begin = || {
            let (count, _) = watch::channel(0);
            let begun = self.store.pulse().map_err(|error| error.to_string()).and_then(|pulse| {
                let work = Work { changes: Arc::downgrade(self), pulse, last: self.hashes() };
                std::thread::Builder::new()
                    .name("cofferdam-tools".to_owned())
                    .spawn(move || work.run())
                    .map_err(|error| error.to_string())
            });
            if let Err(error) = begun {
                tracing::error!(error, "changes of the registry are not noticed");
            }
            count
        };
        self.count.get_or_init(begin).subscribe()
    }

    fn hashes(&self) -> Vec<[String; 3]> {
        self.store.tool_hashes().unwrap_or_default()
    }
}

struct Work {
    changes: Weak<Changes>,
    pulse: Pulse,
    last: Vec<[String; 3]>,
}

impl Work {
    fn run(mut self) {
        loop {
            std::thread::sleep(INTERVAL);
            let Some(changes) = self.changes.upgrade() else { return };
            if !self.pulse.has_changed().unwrap_or(false) {
                continue;
            }
            let hashes = changes.hashes();
            if hashes != self.last
                && let Some(count) = changes.count.get()
            {
                self.last = hashes;
                count.send_modify(|count| *count += 1);
            }
        }
    }
}
