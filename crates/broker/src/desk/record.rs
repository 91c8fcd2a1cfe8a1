//! Verdicts put on record: the audit line, the recorded request, the permit or denial.

use std::sync::Arc;

use cofferdam_caps::{Capability, Request, visible};

use super::{Desk, Effect, MAX_KEPT_REQUESTS, RequestVerdict, State};
use crate::audit::{Event, Line, Ruling};
use crate::denial::{Denial, Reason};
use crate::held_grant::HeldGrant;
use crate::id::RequestId;
use crate::ledger::{RecordedRequest, RequestStatus};
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
        let recorded = RecordedRequest {
            id: id.clone(),
            capability: required.clone(),
            tool: self.0.tool.clone(),
            sandbox: self.permissions().name().clone(),
            first: now,
            last: now,
            times: 1,
            status: RequestStatus::Open,
        };
        let written = state.audit.commit(line, &*shared.sink);
        let reason = match written.and_then(|()| shared.ledger.record(&recorded)) {
            Ok(()) => reason,
            Err(error) => Reason::Unavailable(error),
        };
        Denial::new(required, id, reason)
    }

    /// Denies a request that is out of bounds, without recording it: no grant would help.
    pub(super) fn deny_out_of_bounds(&self, request: &Request, rule: &Arc<str>) -> Denial {
        let broker = self.permissions().broker();
        let (required, checked) = (request.required(), Checked::new(request.clone()));
        let mut line = self.check_line(&checked, Ruling::Deny, broker.now());
        line.capability = Some(required.to_string().into());
        line.note = Some(format!("blocked by {}", visible(rule)).into());
        self.note(line);
        Denial::new(&required, &self.request_id(&required), Reason::Outside(rule.clone()))
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
        let parts = [self.0.tool.as_bytes(), self.permissions().sandbox().as_bytes()];
        let capability = required.to_string();
        let key = &self.permissions().broker().shared().key;
        RequestId::derive(key, &[parts[0], parts[1], capability.as_bytes()])
    }
}
