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
        if reason == Reason::Refused {
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
        let folders = self.permissions().host_folders();
        let obstacle = checked.particulars.obstacle_to(&checked.request, &folders);
        let denial = Denial::new(required, id, reason).with_obstacle(obstacle);
        state.denials.push(denial.clone());
        denial
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

    fn to_record(&self, required: &Capability, id: &RequestId) -> RecordedRequest {
        let now = self.permissions().broker().now();
        RecordedRequest {
            id: id.clone(),
            capability: required.clone(),
            tool: self.0.tool.clone(),
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
        let is_told = match obstacle {
            // A tool that reads a variable with a default does nothing wrong.
            Obstacle::NotSet => false,
            Obstacle::NotThere | Obstacle::ReadOnly => true,
        };
        if is_told && state.kept.len() < MAX_KEPT_REQUESTS as usize && state.kept.insert(id.clone())
        {
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
        let parts = [&*self.0.tool, self.permissions().sandbox(), &*capability];
        // The same path in another folder of the host is another request.
        let folder = folder.as_deref().filter(|folder| !folder.is_empty());
        let parts: Vec<&[u8]> = parts.into_iter().chain(folder).map(str::as_bytes).collect();
        RequestId::derive(&self.permissions().broker().shared().key, &parts)
    }
}
