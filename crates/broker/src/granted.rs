use std::sync::Arc;

use cofferdam_caps::{Capability, Kind};

use crate::desk::Desk;
use crate::error::Error;
use crate::held_grant::HeldGrant;
use crate::timestamp::Timestamp;
use crate::waiting::Seen;

/// What of some kinds is granted to a run.
///
/// A check says whether it may be used; this says what a call that has leave may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// What can be used as often as one likes, sorted.
    pub lasting: Vec<Capability>,
    /// What a check uses up, sorted. It is nobody's before a check has used it.
    pub counted: Vec<Capability>,
    seen: Seen,
    /// When the first of it ends.
    until: Option<Timestamp>,
}

impl Desk {
    /// What of these kinds is granted to this run now.
    pub fn granted(&self, kinds: &[Kind]) -> Result<Granted, Error> {
        let (permissions, broker) = (self.permissions(), self.permissions().broker());
        let (now, generation) = (broker.now(), permissions.generation());
        let (mut lasting, mut counted) = (Vec::new(), Vec::new());
        let mut until: Option<Timestamp> = None;
        let mut add = |held: &Arc<HeldGrant>| {
            if !held.is_for(self.requester(), now) {
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
        let of_kinds = |ledger: &crate::broker::LedgerCache| {
            kinds.iter().for_each(|kind| ledger.grants.of_kind(*kind, &mut add));
        };
        let mark = broker.with_ledger(of_kinds)?.1;
        for list in [&mut lasting, &mut counted] {
            list.sort_unstable();
            list.dedup();
        }
        Ok(Granted { lasting, counted, seen: (generation, mark), until })
    }

    /// Whether [`granted`](Self::granted) would say the same again.
    pub fn still(&self, granted: &Granted) -> Result<bool, Error> {
        let (permissions, broker) = (self.permissions(), self.permissions().broker());
        let (generation, mark) = granted.seen;
        // Nothing says when what is counted has been used up.
        Ok(granted.counted.is_empty()
            && generation == permissions.generation()
            && mark == broker.shared().ledger.mark()?
            && granted.until.is_none_or(|end| broker.now() < end))
    }
}
