//! From a request to what allows it.

use std::sync::Arc;

use cofferdam_caps::Request;

use super::{Desk, Effect, Known, Looked, Verdict};
use crate::audit::Ruling;
use crate::book::Wanted;
use crate::denial::Reason;
use crate::error::Error;
use crate::held::{Held, Source};
use crate::permit::Checked;
use crate::stamp::Stamp;
use crate::waiting::{Seen, Waiting};

impl Desk {
    pub(super) fn verdict(&self, request: &Request, effect: Effect) -> Verdict {
        let broker = self.permissions().broker();
        let now = broker.now();
        if let Some(rule) = self.permissions().bounds().against(request) {
            return Verdict::Denied(self.turn_away(request, rule));
        }
        let mut state = self.lock();
        if let Some(known) = state.known.get(request)
            && self.holds(known, now)
        {
            let checked = known.checked.clone();
            return match known.verdict.clone() {
                Ok(held) => self.permit(&mut state, checked, held, effect, now),
                Err(denial) => {
                    let mut line = self.check_line(&checked, Ruling::Deny, now);
                    line.capability = Some(denial.error().required_permission().into());
                    let _ = state.trail.note(line, &*broker.shared().sink);
                    Verdict::Denied(denial)
                }
            };
        }
        let (wanted, checked) = (Wanted::new(request), Arc::new(Checked::new(request.clone())));
        match self.find(request, &wanted, now) {
            Ok((Some(held), _, seen)) => {
                if held.is_unlimited() {
                    state.remember(checked.clone(), Ok(held.clone()), seen);
                }
                self.permit(&mut state, checked, held, effect, now)
            }
            Ok((None, is_denied, seen)) => {
                let (required, id) = (wanted.capability(), self.request_id(wanted.capability()));
                let reason = match (is_denied, self.may_ask(&state, &id)) {
                    (true, _) => Reason::Refused,
                    (false, true) => {
                        drop(state);
                        return match self.ask(&checked, &id) {
                            Some(asking) => {
                                let what = (checked, required.clone(), id);
                                Verdict::Ask(Waiting::new(self.clone(), what, effect, asking, seen))
                            }
                            None => {
                                let reason = Reason::TooMany;
                                Verdict::Denied(self.deny(&checked, required, &id, reason))
                            }
                        };
                    }
                    (false, false) if state.refused.contains(&id) => Reason::Refused,
                    (false, false) if self.permissions().approver().is_none() => Reason::NotGranted,
                    (false, false) => Reason::TooMany,
                };
                let denial = self.refuse(&mut state, &checked, required, &id, reason);
                state.remember(checked, Err(denial.clone()), seen);
                Verdict::Denied(denial)
            }
            Err(error) => {
                let (required, id) = (wanted.capability(), self.request_id(wanted.capability()));
                let reason = Reason::Unavailable(error);
                Verdict::Denied(self.refuse(&mut state, &checked, required, &id, reason))
            }
        }
    }

    /// Whether nothing has changed that the verdict depends on.
    pub(super) fn holds(&self, known: &Known, now: Stamp) -> bool {
        let (generation, ledger) = known.seen;
        let same_ledger = || self.permissions().broker().shared().ledger.mark() == Ok(ledger);
        generation == self.permissions().generation()
            && match &known.verdict {
                Ok(held) => {
                    held.grant.lives_at(now)
                        && match held.source {
                            Source::Sandbox => true,
                            Source::Ledger => same_ledger(),
                        }
                }
                Err(_) => same_ledger(),
            }
    }

    /// What allows the request, the one to be used first; whether it was decided against; and
    /// what was seen, to be read before what it stands for.
    pub(super) fn candidates(
        &self,
        request: &Request,
        wanted: &Wanted,
        now: Stamp,
    ) -> Result<(Vec<Arc<Held>>, bool, Seen), Error> {
        let (permissions, asker) = (self.permissions(), self.asker());
        let generation = permissions.generation();
        let mut found = Vec::new();
        let mut add = |held: &Arc<Held>| {
            if held.is_for(asker, now) {
                found.push(held.clone());
            }
        };
        permissions.read(|book| book.allowing(wanted, &mut add));
        let is_network = matches!(request, Request::Network { .. });
        if let (Some(held), false) = (found.iter().find(|held| held.is_unlimited()), is_network) {
            // Nothing in the ledger could do better.
            return Ok((vec![held.clone()], false, (generation, 0)));
        }
        let mut add = |held: &Arc<Held>| {
            if held.is_for(asker, now) {
                found.push(held.clone());
            }
        };
        let (is_denied, mark) = permissions.broker().durable(|durable| {
            durable.book.allowing(wanted, &mut add);
            !durable.denied.is_empty()
                && durable.denied.contains(&self.request_id(wanted.capability()))
        })?;
        found.sort_by_cached_key(|held| std::cmp::Reverse(held.preference(request)));
        Ok((found, is_denied, (generation, mark)))
    }

    /// The grant that is used, after it was used.
    pub(super) fn find(
        &self,
        request: &Request,
        wanted: &Wanted,
        now: Stamp,
    ) -> Result<(Option<Arc<Held>>, bool, Seen), Error> {
        let (found, is_denied, seen) = self.candidates(request, wanted, now)?;
        let ledger = &self.permissions().broker().shared().ledger;
        for held in found {
            let is_ours = match held.is_counted_in_ledger() {
                true => ledger.take(&held.grant.id, now)?,
                false => held.take(),
            };
            if is_ours {
                return Ok((Some(held), false, seen));
            }
        }
        Ok((None, is_denied, seen))
    }

    /// Looks whether something was granted since `seen`.
    pub(crate) fn look(&self, checked: &Arc<Checked>, effect: Effect, seen: &mut Seen) -> Looked {
        let ledger = match self.permissions().broker().shared().ledger.mark() {
            Ok(mark) => mark,
            Err(error) => return Looked::Denied(Reason::Unavailable(error)),
        };
        match *seen == (self.permissions().generation(), ledger) {
            true => Looked::Nothing,
            false => self.look_again(checked, effect, seen),
        }
    }

    pub(crate) fn look_again(
        &self,
        checked: &Arc<Checked>,
        effect: Effect,
        seen: &mut Seen,
    ) -> Looked {
        let now = self.permissions().broker().now();
        let wanted = Wanted::new(&checked.request);
        match self.find(&checked.request, &wanted, now) {
            Ok((Some(held), _, _)) => {
                let mut state = self.lock();
                match self.permit(&mut state, checked.clone(), held, effect, now) {
                    Verdict::Permit(permit) => Looked::Permit(permit),
                    Verdict::Denied(denial) => Looked::Denied(denial.reason().clone()),
                    Verdict::Ask(_) => Looked::Nothing,
                }
            }
            Ok((None, true, _)) => Looked::Denied(Reason::Refused),
            Ok((None, false, now_seen)) => {
                *seen = now_seen;
                Looked::Nothing
            }
            Err(error) => Looked::Denied(Reason::Unavailable(error)),
        }
    }
}
