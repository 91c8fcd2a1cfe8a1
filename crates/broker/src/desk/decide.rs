//! The decision on a request: the grant that allows it, a question, or a denial.

use std::sync::Arc;

use cofferdam_caps::{Capability, Request};

use super::{CachedVerdict, Desk, Effect, Recheck, RequestVerdict};
use crate::audit::Ruling;
use crate::denial::Reason;
use crate::error::Error;
use crate::grant_index::Query;
use crate::held_grant::{HeldGrant, Source};
use crate::id::RequestId;
use crate::ledger_cache::Need;
use crate::particulars::Particulars;
use crate::permit::Checked;
use crate::timestamp::Timestamp;
use crate::waiting::{RequestWaiting, Seen};

impl Desk {
    pub(super) fn verdict(
        &self,
        request: &Request,
        effect: Effect,
        about: &dyn Fn() -> Particulars,
    ) -> RequestVerdict {
        let broker = self.permissions().broker();
        let now = broker.now();
        if let Some(rule) = self.permissions().bounds().violated_by(request) {
            return RequestVerdict::Denied(self.deny_out_of_bounds(request, rule));
        }
        let mut state = self.lock();
        if let Some(cached) = state.verdicts.get(request)
            && self.is_current(cached, now)
        {
            let checked = cached.checked.clone();
            return match cached.verdict.clone() {
                Ok(held) => self.permit(&mut state, checked, held, effect, now),
                Err(denial) => {
                    let mut line = self.check_line(&checked, Ruling::Deny, now);
                    line.capability = Some(denial.error().required_permission().into());
                    let _ = state.audit.note(line, &*broker.shared().sink);
                    RequestVerdict::Denied(denial)
                }
            };
        }
        let query = Query::new(request);
        match self.find(request, &query, now) {
            Ok((Some(held), _, seen)) => {
                let checked = Arc::new(Checked::new(request.clone()));
                if held.is_unlimited() {
                    state.remember(checked.clone(), Ok(held.clone()), seen);
                }
                self.permit(&mut state, checked, held, effect, now)
            }
            Ok((None, is_denied, seen)) => {
                let (required, id) = (query.capability(), self.request_id(query.capability()));
                let can_ask = !is_denied && self.may_ask(&state, &id);
                let was_refused = is_denied || state.refused.contains(&id);
                // The facts may come from files, and take their time.
                drop(state);
                let checked = Arc::new(Checked::with(request.clone(), about()));
                if can_ask {
                    return self.inquire(checked, required, id, effect, seen);
                }
                let reason = match was_refused {
                    true => Reason::Refused,
                    false if self.permissions().approver().is_none() => Reason::NotGranted,
                    false => Reason::TooMany,
                };
                let mut state = self.lock();
                let denial = self.refuse(&mut state, &checked, required, &id, reason);
                state.remember(checked, Err(denial.clone()), seen);
                RequestVerdict::Denied(denial)
            }
            Err(error) => {
                let (required, id) = (query.capability(), self.request_id(query.capability()));
                let (reason, checked) = (Reason::Unavailable(error), Checked::new(request.clone()));
                RequestVerdict::Denied(self.refuse(&mut state, &checked, required, &id, reason))
            }
        }
    }

    /// Asks about a request, unless it would fail in any case or there were too many questions.
    fn inquire(
        &self,
        checked: Arc<Checked>,
        required: &Capability,
        id: RequestId,
        effect: Effect,
        seen: Seen,
    ) -> RequestVerdict {
        if let Some(obstacle) = self.obstacle_to(&checked) {
            return RequestVerdict::Denied(self.deny_hopeless(&checked, required, &id, obstacle));
        }
        let Some(question) = self.ask(&checked, &id) else {
            return RequestVerdict::Denied(self.deny(&checked, required, &id, Reason::TooMany));
        };
        let what = (checked, required.clone(), id);
        RequestVerdict::Ask(RequestWaiting::new(self.clone(), what, effect, question, seen))
    }

    /// Returns true if nothing that the cached verdict depends on has changed.
    pub(super) fn is_current(&self, cached: &CachedVerdict, now: Timestamp) -> bool {
        let (generation, ledger) = cached.seen;
        let same_ledger = || self.permissions().broker().shared().ledger.mark() == Ok(ledger);
        generation == self.permissions().generation()
            && match &cached.verdict {
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

    /// Returns the grants that allow a request, best first; whether the request was denied for
    /// good; and the marks of the grants.
    ///
    /// The marks are read before the grants, so that a concurrent change is never missed.
    pub(super) fn candidates(
        &self,
        request: &Request,
        query: &Query,
        now: Timestamp,
    ) -> Result<(Vec<Arc<HeldGrant>>, bool, Seen), Error> {
        let (permissions, code) = (self.permissions(), self.code());
        let requester = self.requester(&code);
        let generation = permissions.generation();
        let mut found = Vec::new();
        let folder = permissions.host_folders().of_request(request);
        let mut add = |held: &Arc<HeldGrant>| {
            if held.is_for(requester, now) && held.is_in(folder.as_deref()) {
                found.push(held.clone());
            }
        };
        permissions.read(|grants| grants.allowing(query, &mut add));
        let is_network = matches!(request, Request::Network { .. });
        if let (Some(held), false) = (found.iter().find(|held| held.is_unlimited()), is_network) {
            // No grant of the ledger would be preferred over this one.
            return Ok((vec![held.clone()], false, (generation, 0)));
        }
        let mut add = |held: &Arc<HeldGrant>| {
            if held.is_for(requester, now) && held.is_in(folder.as_deref()) {
                found.push(held.clone());
            }
        };
        let (is_denied, mark) =
            permissions.broker().with_ledger(&code, Need::Request(query), |ledger| {
                ledger.grants.allowing(query, &mut add);
                !ledger.denied.is_empty()
                    && ledger.denied.contains(&self.request_id(query.capability()))
            })?;
        found.sort_by_cached_key(|held| std::cmp::Reverse(held.preference(request)));
        Ok((found, is_denied, (generation, mark)))
    }

    /// Returns the grant to use, after consuming one of its uses.
    pub(super) fn find(
        &self,
        request: &Request,
        query: &Query,
        now: Timestamp,
    ) -> Result<(Option<Arc<HeldGrant>>, bool, Seen), Error> {
        let (found, is_denied, seen) = self.candidates(request, query, now)?;
        for held in found {
            if self.bind_or_take(&held, now)? {
                return Ok((Some(held), false, seen));
            }
        }
        Ok((None, is_denied, seen))
    }

    /// Checks a waiting request again if grants have changed since `seen`.
    pub(crate) fn recheck_if_changed(
        &self,
        checked: &Arc<Checked>,
        effect: Effect,
        seen: &mut Seen,
    ) -> Recheck {
        let ledger = match self.permissions().broker().shared().ledger.mark() {
            Ok(mark) => mark,
            Err(error) => return Recheck::Denied(Reason::Unavailable(error)),
        };
        match *seen == (self.permissions().generation(), ledger) {
            true => Recheck::Nothing,
            false => self.recheck(checked, effect, seen),
        }
    }

    pub(crate) fn recheck(
        &self,
        checked: &Arc<Checked>,
        effect: Effect,
        seen: &mut Seen,
    ) -> Recheck {
        let now = self.permissions().broker().now();
        let query = Query::new(&checked.request);
        match self.find(&checked.request, &query, now) {
            Ok((Some(held), _, _)) => {
                let mut state = self.lock();
                match self.permit(&mut state, checked.clone(), held, effect, now) {
                    RequestVerdict::Permit(permit) => Recheck::Permit(permit),
                    RequestVerdict::Denied(denial) => Recheck::Denied(denial.reason().clone()),
                    RequestVerdict::Ask(_) => Recheck::Nothing,
                }
            }
            Ok((None, true, _)) => Recheck::Denied(Reason::Refused),
            Ok((None, false, now_seen)) => {
                *seen = now_seen;
                Recheck::Nothing
            }
            Err(error) => Recheck::Denied(Reason::Unavailable(error)),
        }
    }
}
