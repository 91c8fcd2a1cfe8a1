//! Settings of a client, and the state that its connections share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::connect::{Dialer, Direct};
use crate::hop::Shared;
use crate::reach::Never;
use crate::resolver::Resolver;
use crate::tls::{Roots, Tls};

/// Settings of a [`Client`](crate::Client).
#[derive(Clone)]
pub struct Settings {
    /// Turns names into addresses.
    pub resolver: Arc<dyn Resolver>,
    /// Maps checked addresses to dialled ones; a hook for tests.
    pub dialer: Arc<dyn Dialer>,
    /// Trusted root certificates.
    pub roots: Roots,
    /// Addresses that are never dialled, whatever was granted.
    pub never: Never,
    /// Most connections at once. A further fetch waits, and the wait counts against its time limit.
    pub connections: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            resolver: default_resolver(),
            dialer: Arc::new(Direct),
            roots: Roots::System,
            never: Never::default(),
            connections: 256,
        }
    }
}

/// Returns the resolver that can be interrupted, where the files of the machine say how names are
/// resolved.
#[cfg(target_os = "linux")]
fn default_resolver() -> Arc<dyn Resolver> {
    Arc::new(crate::dns::MachineResolver::new())
}

#[cfg(not(target_os = "linux"))]
fn default_resolver() -> Arc<dyn Resolver> {
    Arc::new(crate::resolver::SystemResolver)
}

impl Settings {
    /// Returns the state of a client with these settings.
    pub(crate) fn open(self) -> Shared {
        let Settings { resolver, dialer, roots, never, connections } = self;
        let connections = Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS)));
        Shared { resolver, dialer, tls: Tls::new(roots), never, connections }
    }
}
