//! The [`Permissions`] of one sandbox.
//!
//! They are apart from the broker because they end with the sandbox, and apart from the desk
//! because its runs share them.

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockWriteGuard};

use cofferdam_caps::{Capability, CapabilitySet, Kind};

use crate::audit::{Event, Line};
use crate::bounds::Bounds;
use crate::broker::Broker;
use crate::desk::Desk;
use crate::error::Error;
use crate::grant::{Grant, Kept, Span, Terms};
use crate::grant_index::GrantIndex;
use crate::held_grant::{HeldGrant, Source};
use crate::host_folders::HostFolders;
use crate::id::{GrantId, RunId};
use crate::question::Approver;

/// The grants of one sandbox: those it started with and those made during its lifetime.
///
/// Clones share their grants, which end with the last clone.
#[derive(Clone)]
pub struct Permissions(Arc<Inner>);

struct Inner {
    broker: Broker,
    serial: u64,
    sandbox: Arc<str>,
    approver: Option<Arc<dyn Approver>>,
    bounds: Bounds,
    grants: RwLock<GrantIndex>,
    /// Changes with every change of the grants.
    generation: AtomicU64,
    /// Kinds of which something was ever granted to the whole sandbox, one bit each.
    restricted: AtomicU32,
    folders: OnceLock<HostFolders>,
}

impl Broker {
    /// Creates the permissions of a sandbox, beginning with the capabilities `given`.
    ///
    /// Request ids depend on the name of the sandbox. To find the requests of an earlier process
    /// again, use the same name.
    pub fn permissions(&self, sandbox: &str, given: &CapabilitySet) -> Permissions {
        self.permissions_within(sandbox, given, self.approver(), Bounds::default())
    }

    /// Creates the permissions of a sandbox with its own approver, or none, and with bounds that
    /// no capability exceeds, given or granted.
    pub fn permissions_within(
        &self,
        sandbox: &str,
        given: &CapabilitySet,
        approver: Option<Arc<dyn Approver>>,
        bounds: Bounds,
    ) -> Permissions {
        let mut grants = GrantIndex::default();
        let now = self.now();
        for capability in given.iter() {
            let terms = Terms::new(capability.clone(), Span::Session);
            // These terms are always valid.
            if let Ok(grant) = terms.sign(self.shared().ids.grant(), now, Kept::InMemory) {
                grants.insert(Arc::new(HeldGrant::new(grant, Source::Sandbox)));
            }
        }
        Permissions(Arc::new(Inner {
            serial: self.shared().next_serial.fetch_add(1, Ordering::Relaxed),
            broker: self.clone(),
            sandbox: sandbox.into(),
            approver,
            bounds,
            grants: RwLock::new(grants),
            generation: AtomicU64::new(0),
            folders: OnceLock::new(),
            restricted: AtomicU32::new(
                given.iter().fold(0, |kinds, capability| kinds | bit(capability.kind())),
            ),
        }))
    }
}

impl Permissions {
    /// Creates the desk of one run of a tool.
    ///
    /// Grants for a tool match its whole [`identity`](crate::identity): a name alone would be
    /// vouched for by whoever chose it.
    pub fn desk(&self, run: impl Into<Arc<str>>, tool: impl Into<Arc<str>>) -> Desk {
        Desk::new(self.clone(), run.into(), tool.into())
    }

    /// Names the folders of the host that the sandbox has. Call it once, before the first run.
    pub fn set_host_folders(&self, folders: HostFolders) {
        let _ = self.0.folders.set(folders);
    }

    /// Returns the folders of the host that the sandbox has.
    pub fn host_folders(&self) -> HostFolders {
        self.0.folders.get().cloned().unwrap_or_default()
    }

    /// Returns the name of the sandbox.
    pub fn sandbox(&self) -> &str {
        &self.0.sandbox
    }

    /// Returns the rule that leaves nothing of a capability in this sandbox, if there is one.
    pub fn barred(&self, capability: &Capability) -> Option<&str> {
        self.0.bounds.excludes(capability).then(|| self.0.bounds.rule()).flatten()
    }

    /// Makes a grant for this sandbox.
    ///
    /// [`Span::Always`] goes to the ledger, where it applies to other sandboxes too unless the
    /// terms limit it.
    pub fn grant(&self, terms: Terms) -> Result<Grant, Error> {
        match terms.span() {
            Span::Always => {
                let grant = self.0.broker.grant(terms)?;
                if self.applies_to_all_tools(&grant) {
                    self.restrict(grant.capability.kind());
                }
                Ok(grant)
            }
            Span::Once | Span::Session => {
                let grant = self.sign(terms)?;
                self.hold(HeldGrant::new(grant.clone(), Source::Sandbox));
                Ok(grant)
            }
        }
    }

    /// Revokes a grant of this sandbox, or else of the ledger, with effect from the next check.
    pub fn revoke(&self, id: &GrantId, by: &str) -> Result<Grant, Error> {
        let held = self.change().remove(id);
        let Some(held) = held else { return self.0.broker.revoke(id, by) };
        let mut line = Line::new(self.0.broker.now(), Event::Revoke);
        line.sandbox = Some(self.0.sandbox.clone());
        line.capability = Some(held.text.clone());
        line.id = Some(id.as_str().into());
        self.0.broker.shared().sink.commit(vec![line])?;
        Ok(held.snapshot())
    }

    /// Returns the grants of this sandbox, latest first, without those of the ledger.
    pub fn grants(&self) -> Vec<Grant> {
        let grants = self.0.grants.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = grants.iter().map(|held| held.snapshot()).collect();
        all.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        all
    }

    /// Returns true if something of this kind was ever granted to the sandbox, even if that grant
    /// has been revoked or used up.
    pub fn is_restricted(&self, kind: Kind) -> bool {
        self.0.restricted.load(Ordering::Relaxed) & bit(kind) != 0
    }

    /// Marks the sandbox as one that has only what it is granted of this kind.
    // T-PERM-023: a grant that is gone.
    pub fn restrict(&self, kind: Kind) {
        self.0.restricted.fetch_or(bit(kind), Ordering::Relaxed);
    }

    fn applies_to_all_tools(&self, grant: &Grant) -> bool {
        let is_here = |sandbox: &Arc<str>| **sandbox == *self.0.sandbox;
        grant.holder.tool.is_none() && grant.holder.sandbox.as_ref().is_none_or(is_here)
    }

    pub(crate) fn broker(&self) -> &Broker {
        &self.0.broker
    }

    pub(crate) fn serial(&self) -> u64 {
        self.0.serial
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.0.sandbox
    }

    pub(crate) fn approver(&self) -> Option<&Arc<dyn Approver>> {
        self.0.approver.as_ref()
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        &self.0.bounds
    }

    pub(crate) fn generation(&self) -> u64 {
        self.0.generation.load(Ordering::Acquire)
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce(&GrantIndex) -> T) -> T {
        read(&self.0.grants.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes a grant to be held in memory, after logging it.
    pub(crate) fn sign(&self, terms: Terms) -> Result<Grant, Error> {
        let broker = &self.0.broker;
        let grant = terms.sign(broker.shared().ids.grant(), broker.now(), Kept::InMemory)?;
        let mut line = broker.grant_line(&grant);
        line.sandbox = Some(self.0.sandbox.clone());
        broker.shared().sink.commit(vec![line])?;
        Ok(grant)
    }

    /// Puts a grant in force and wakes the runs that wait for it.
    pub(crate) fn hold(&self, held: HeldGrant) {
        let capability = held.grant.capability.clone();
        if held.is_of_any_run() && self.applies_to_all_tools(&held.grant) {
            self.restrict(capability.kind());
        }
        self.change().insert(Arc::new(held));
        self.0.broker.shared().waiters.wake(|waiter| {
            let wanted = waiter.request.as_ref().map(|(_, wanted)| wanted);
            waiter.serial == self.0.serial && wanted.is_some_and(|w| capability.covers(w))
        });
    }

    /// Removes the grants that belong to one run.
    pub(crate) fn end_run(&self, run: &RunId) {
        if self.read(|grants| grants.has_of_run(run)) {
            self.change().remove_of_run(run);
        }
    }

    /// Binds a grant of this sandbox to a run. Returns false if it belongs to another.
    pub(crate) fn bind(&self, held: &HeldGrant, run: &RunId) -> bool {
        self.change().bind(held, run)
    }

    fn change(&self) -> RwLockWriteGuard<'_, GrantIndex> {
        let grants = self.0.grants.write().unwrap_or_else(PoisonError::into_inner);
        // Changed under the lock: a reader that sees the new number and then reads the grants
        // sees the change.
        self.0.generation.fetch_add(1, Ordering::AcqRel);
        grants
    }
}

fn bit(kind: Kind) -> u32 {
    1 << kind as u32
}

impl fmt::Debug for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permissions").field(&self.0.sandbox).finish()
    }
}
