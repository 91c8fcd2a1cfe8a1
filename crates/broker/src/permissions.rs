use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use cofferdam_caps::CapabilitySet;

use crate::audit::{Event, Line};
use crate::bounds::Bounds;
use crate::broker::Broker;
use crate::desk::Desk;
use crate::error::Error;
use crate::grant::{Grant, Kept, Span, Terms};
use crate::grant_index::GrantIndex;
use crate::held_grant::{HeldGrant, Source};
use crate::id::GrantId;
use crate::question::Approver;

/// What one sandbox may do: what it was given, and what was granted while it lives.
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
    /// Another number after each change of the book.
    generation: AtomicU64,
}

impl Broker {
    /// Creates the permissions of a sandbox, beginning with the capabilities `given`.
    ///
    /// The id is part of the ids of its requests. A sandbox that comes again in another process
    /// and shall have its requests known again needs the same id.
    pub fn permissions(&self, sandbox: &str, given: &CapabilitySet) -> Permissions {
        self.permissions_within(sandbox, given, self.approver(), Bounds::default())
    }

    /// The same with somebody else to ask, or nobody, and bounds that nothing goes beyond, given
    /// or granted.
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
            // Such terms have nothing that could be wrong with them.
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
        }))
    }
}

impl Permissions {
    /// Where a run of a tool makes its requests.
    ///
    /// Both names are the embedding program's word. A grant for a tool goes by its name, so a
    /// program that lets strangers name their tools should put something of its own into it.
    pub fn desk(&self, run: &str, tool: &str) -> Desk {
        Desk::new(self.clone(), run.into(), tool.into())
    }

    /// Which sandbox.
    pub fn sandbox(&self) -> &str {
        &self.0.sandbox
    }

    /// Grants something for as long as the sandbox lives, or for one permit in it; `always` is
    /// kept in the ledger, for other sandboxes too unless the terms say otherwise.
    pub fn grant(&self, terms: Terms) -> Result<Grant, Error> {
        match terms.span() {
            Span::Always => self.0.broker.grant(terms),
            Span::Once | Span::Session => {
                let grant = self.sign(terms)?;
                self.hold(HeldGrant::new(grant.clone(), Source::Sandbox));
                Ok(grant)
            }
        }
    }

    /// Takes away a grant of this sandbox, or else of the ledger, for the next check and all
    /// after it.
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

    /// What the sandbox was given and granted, without what the ledger holds.
    pub fn grants(&self) -> Vec<Grant> {
        let grants = self.0.grants.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = grants.iter().map(|held| held.snapshot()).collect();
        all.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        all
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

    /// Makes a grant to be held in memory, once the log has it.
    pub(crate) fn sign(&self, terms: Terms) -> Result<Grant, Error> {
        let broker = &self.0.broker;
        let grant = terms.sign(broker.shared().ids.grant(), broker.now(), Kept::InMemory)?;
        let mut line = broker.grant_line(&grant);
        line.sandbox = Some(self.0.sandbox.clone());
        broker.shared().sink.commit(vec![line])?;
        Ok(grant)
    }

    pub(crate) fn hold(&self, held: HeldGrant) {
        let capability = held.grant.capability.clone();
        self.change().insert(Arc::new(held));
        self.0.broker.shared().waiters.wake(|waiter| {
            let wanted = waiter.request.as_ref().map(|(_, wanted)| wanted);
            waiter.serial == self.0.serial && wanted.is_some_and(|w| capability.covers(w))
        });
    }

    /// Takes out what was granted for one run.
    pub(crate) fn end_run(&self, run: &str) {
        let of_run = |grants: &GrantIndex| -> Vec<GrantId> {
            let of_run = grants.iter().filter(|held| held.is_of_run(run));
            of_run.map(|held| held.grant.id.clone()).collect()
        };
        let ids = self.read(of_run);
        if !ids.is_empty() {
            let mut grants = self.change();
            ids.iter().for_each(|id| drop(grants.remove(id)));
        }
    }

    fn change(&self) -> RwLockWriteGuard<'_, GrantIndex> {
        let grants = self.0.grants.write().unwrap_or_else(PoisonError::into_inner);
        // With the book locked: one who sees the new number and then reads sees the change.
        self.0.generation.fetch_add(1, Ordering::AcqRel);
        grants
    }
}

impl fmt::Debug for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permissions").field(&self.0.sandbox).finish()
    }
}
