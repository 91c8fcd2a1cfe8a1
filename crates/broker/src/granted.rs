//! The list of capabilities that a run holds, for calls whose result depends on it.

use std::sync::Arc;

use cofferdam_caps::{Capability, Kind};

use crate::desk::Desk;
use crate::error::Error;
use crate::held_grant::HeldGrant;
use crate::ledger_cache::{LedgerCache, Need};
use crate::timestamp::Timestamp;
use crate::waiting::Seen;

/// Capabilities of some kinds that a run holds at one moment.
///
/// A check decides whether a call may be made. This list decides what a permitted call shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// Capabilities without a limit on uses, sorted.
    pub lasting: Vec<Capability>,
    /// Capabilities with a limited number of uses, sorted; usable only through a check.
    pub counted: Vec<Capability>,
    seen: Seen,
    /// Time at which the first of the grants expires.
    until: Option<Timestamp>,
}

impl Desk {
    /// Returns the capabilities of `kinds` that are granted to this run now.
    pub fn granted(&self, kinds: &[Kind]) -> Result<Granted, Error> {
        let (permissions, broker) = (self.permissions(), self.permissions().broker());
        let (now, generation) = (broker.now(), permissions.generation());
        let (mut lasting, mut counted) = (Vec::new(), Vec::new());
        let mut until: Option<Timestamp> = None;
        let code = self.code();
        let mut add = |held: &Arc<HeldGrant>| {
            if !held.is_for(self.requester(&code), now) {
                return;
            }
            if let Some(end) = held.grant.expires {
                until = Some(until.map_or(end, |until| until.min(end)));
            }
            let capability = held.grant.capability.clone();
            match held.is_unlimited() {
                true => lasting.push(capability),
                false => counted.push(capability),
            }
        };
        permissions.read(|grants| kinds.iter().for_each(|kind| grants.of_kind(*kind, &mut add)));
        let of_kinds = |ledger: &LedgerCache| {
            kinds.iter().for_each(|kind| ledger.grants.of_kind(*kind, &mut add));
        };
        let mark = broker.with_ledger(&code, Need::Kinds(kinds), of_kinds)?.1;
        for list in [&mut lasting, &mut counted] {
            list.sort_unstable();
            list.dedup();
        }
        Ok(Granted { lasting, counted, seen: (generation, mark), until })
    }

    /// Returns true if [`granted`](Self::granted) would return the same list again.
    pub fn still(&self, granted: &Granted) -> Result<bool, Error> {
        let (permissions, broker) = (self.permissions(), self.permissions().broker());
        let (generation, mark) = granted.seen;
        // Use of a counted grant changes no mark, so such a list is never known to be current.
        Ok(granted.counted.is_empty()
            && generation == permissions.generation()
            && mark == broker.shared().ledger.mark()?
            && granted.until.is_none_or(|end| broker.now() < end))
    }
}
