//! Verdicts put on record: the audit line, the recorded request, the permit or denial.

use std::sync::Arc;

use cofferdam_caps::{Capability, Request, visible};

use super::{Desk, Effect, MAX_KEPT_REQUESTS, RequestVerdict, State};
use crate::audit::{Event, Line, Ruling};
use crate::denial::{Denial, Reason};
use crate::held_grant::HeldGrant;
use crate::id::RequestId;
use crate::ledger::{RecordedRequest, RequestStatus};
use crate::particulars::Obstacle;
use crate::permit::{Checked, Permit};
use crate::timestamp::Timestamp;

impl Desk {
    pub(super) fn permit(
        &self,
        state: &mut State,
        checked: Arc<Checked>,
        held: Arc<HeldGrant>,
        effect: Effect,
        now: Timestamp,
    ) -> RequestVerdict {
        let mut line = self.check_line(&checked, Ruling::Permit, now);
        line.capability = Some(held.text.clone());
        line.id = Some(held.id.clone());
        let sink = &*self.permissions().broker().shared().sink;
        let written = match effect {
            Effect::Inside => state.audit.note(line, sink),
            Effect::Outside => state.audit.commit(line, sink),
        };
        match written {
            Ok(()) => RequestVerdict::Permit(Permit::new(checked, held)),
            Err(error) => {
                let required = checked.request.required();
                let id = self.request_id(&required);
                RequestVerdict::Denied(Denial::new(&required, &id, Reason::Unavailable(error)))
            }
        }
    }

    /// Denies a request after a question; a refusal holds for the rest of the run.
    pub(crate) fn deny(
        &self,
        checked: &Arc<Checked>,
        required: &Capability,
        id: &RequestId,
        reason: Reason,
    ) -> Denial {
        let mut state = self.lock();
        if matches!(reason, Reason::Refused | Reason::RefusedBecause(_)) {
            state.refused.insert(id.clone());
        }
        self.refuse(&mut state, checked, required, id, reason)
    }

    pub(super) fn refuse(
        &self,
        state: &mut State,
        checked: &Checked,
        required: &Capability,
        id: &RequestId,
        reason: Reason,
    ) -> Denial {
        let broker = self.permissions().broker();
        let (shared, now) = (broker.shared(), broker.now());
        let mut line = self.check_line(checked, Ruling::Deny, now);
        line.capability = Some(required.to_string().into());
        line.id = Some(id.as_str().into());
        let is_new = state.kept.len() < MAX_KEPT_REQUESTS as usize && state.kept.insert(id.clone());
        if !is_new {
            // A repeated denial is not recorded again, so that it causes no disk writes.
            let _ = state.audit.note(line, &*shared.sink);
            return Denial::new(required, id, reason);
        }
        let recorded = self.to_record(required, id);
        let written = state.audit.commit(line, &*shared.sink);
        let reason = match written.and_then(|()| shared.ledger.record(&recorded)) {
            Ok(()) => reason,
            Err(error) => Reason::Unavailable(error),
        };
        let denial = Denial::new(required, id, reason).with_obstacle(self.obstacle_to(checked));
        state.denials.push(denial.clone());
        denial
    }

    /// Returns the reason why a checked request would fail even if it were permitted.
    pub(super) fn obstacle_to(&self, checked: &Checked) -> Option<Obstacle> {
        checked.particulars.obstacle_to(&checked.request, &self.permissions().host_folders())
    }

    /// Records a declared capability that was not granted, so that it can be granted by its id.
    pub(super) fn refuse_declared(&self, capability: &Capability, id: &RequestId) {
        let mut state = self.lock();
        let is_new = state.kept.len() < MAX_KEPT_REQUESTS as usize && state.kept.insert(id.clone());
        let ledger = &self.permissions().broker().shared().ledger;
        if is_new && ledger.record(&self.to_record(capability, id)).is_ok() {
            state.denials.push(Denial::new(capability, id, Reason::NotGranted));
        }
    }

    /// Records a request whose question was withdrawn, because its run has ended.
    pub(crate) fn record_withdrawn(&self, capability: &Capability, id: &RequestId) {
        let mut state = self.lock();
        let is_new = state.kept.len() < MAX_KEPT_REQUESTS as usize && state.kept.insert(id.clone());
        drop(state);
        if is_new {
            let ledger = &self.permissions().broker().shared().ledger;
            // Nobody waits for the request any more, so nobody can be told of a failure.
            let _ = ledger.record(&self.to_record(capability, id));
        }
    }

    fn to_record(&self, required: &Capability, id: &RequestId) -> RecordedRequest {
        let now = self.permissions().broker().now();
        RecordedRequest {
            id: id.clone(),
            capability: required.clone(),
            tool: self.code().identity().clone(),
            sandbox: self.permissions().name().clone(),
            folder: self.permissions().host_folders().of_capability(required),
            first: now,
            last: now,
            times: 1,
            status: RequestStatus::Open,
        }
    }

    /// Denies a request that would fail even if it were permitted, without asking or recording it.
    pub(super) fn deny_hopeless(
        &self,
        checked: &Checked,
        required: &Capability,
        id: &RequestId,
        obstacle: Obstacle,
    ) -> Denial {
        let mut line = self.check_line(checked, Ruling::Deny, self.permissions().broker().now());
        line.capability = Some(required.to_string().into());
        line.note = Some(obstacle.to_string().into());
        self.note(line);
        let denial = Denial::new(required, id, Reason::Hopeless(obstacle));
        let mut state = self.lock();
        if state.kept.len() < MAX_KEPT_REQUESTS as usize && state.kept.insert(id.clone()) {
            state.denials.push(denial.clone());
        }
        denial
    }

    /// Denies a request that is out of bounds, without recording it: no grant would help.
    pub(super) fn deny_out_of_bounds(&self, request: &Request, rule: &Arc<str>) -> Denial {
        let broker = self.permissions().broker();
        let (required, checked) = (request.required(), Checked::new(request.clone()));
        let mut line = self.check_line(&checked, Ruling::Deny, broker.now());
        line.capability = Some(required.to_string().into());
        line.note = Some(format!("blocked by {}", visible(rule)).into());
        self.note(line);
        let id = self.request_id(&required);
        let denial = Denial::new(&required, &id, Reason::Outside(rule.clone()));
        let mut state = self.lock();
        if state.kept.len() < MAX_KEPT_REQUESTS as usize && state.kept.insert(id) {
            state.denials.push(denial.clone());
        }
        denial
    }

    pub(super) fn note(&self, line: Line) {
        // The buffer remembers a failure and fails the next check.
        let _ = self.lock().audit.note(line, &*self.permissions().broker().shared().sink);
    }

    pub(super) fn check_line(&self, checked: &Checked, ruling: Ruling, now: Timestamp) -> Line {
        let mut line = Line::new(now, Event::Check);
        line.sandbox = Some(self.permissions().name().clone());
        line.run = Some(self.0.run.clone());
        line.target = Some(checked.target.clone());
        line.ruling = Some(ruling);
        line
    }

    pub(super) fn line(&self, event: Event) -> Line {
        let mut line = Line::new(self.permissions().broker().now(), event);
        line.sandbox = Some(self.permissions().name().clone());
        line.run = Some(self.0.run.clone());
        line
    }

    pub(super) fn request_id(&self, required: &Capability) -> RequestId {
        let capability = required.to_string();
        let folder = self.permissions().host_folders().of_capability(required);
        let code = self.code();
        let parts = [&**code.identity(), self.permissions().sandbox(), &*capability];
        // The same path in another folder of the host is another request.
        let folder = folder.as_deref().filter(|folder| !folder.is_empty());
        let parts: Vec<&[u8]> = parts.into_iter().chain(folder).map(str::as_bytes).collect();
        RequestId::derive(&self.permissions().broker().shared().key, &parts)
    }
}
