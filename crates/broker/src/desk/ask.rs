//! Questions that a run causes, for a single request or for everything its tool declared.
//!
//! Meets T-PERM-006.

use std::sync::Arc;

use cofferdam_caps::Capability;

use super::{Desk, MAX_QUESTIONS, State};
use crate::audit::{Event, Ruling};
use crate::denial::Denial;
use crate::error::Error;
use crate::held_grant::HeldGrant;
use crate::id::RequestId;
use crate::ledger_cache::{LedgerCache, Need};
use crate::open_question::{Inquiry, OpenQuestion};
use crate::permit::Checked;
use crate::place::Place;
use crate::question::{Question, Wish};
use crate::waiting::WaitingForAll;

impl Desk {
    /// Asks one question for all declared capabilities that are not granted yet.
    ///
    /// [`Span::Once`](crate::Span::Once) in the answer grants a capability for this run. Without an
    /// approver, the capabilities are part of [`denials`](Self::denials) once a request was denied,
    /// so that all can be granted together.
    pub fn ask_declared(&self) -> Result<WaitingForAll, Error> {
        let folders = self.permissions().host_folders();
        let declared = |wanted| Wish::declared(wanted, &folders);
        let wishes: Vec<_> = self.missing()?.into_iter().map(declared).collect();
        let question = (!wishes.is_empty()).then(|| self.open_question(wishes, None)).flatten();
        Ok(WaitingForAll::new(self, question))
    }

    /// Returns the declared capabilities that are within bounds and not granted to this run.
    fn missing(&self) -> Result<Vec<Capability>, Error> {
        let now = self.permissions().broker().now();
        let declared = self.lock().declared.clone();
        let folders = self.permissions().host_folders();
        let code = self.code();
        let has = |held: &HeldGrant, wanted: &Capability| {
            held.grant.capability.covers(wanted)
                && held.is_for(self.requester(&code), now)
                && held.is_in(folders.of_capability(wanted).as_deref())
        };
        let mut missing = Vec::new();
        let within = |wanted: &&Capability| !self.permissions().bounds().excludes(wanted);
        for wanted in declared.iter().filter(within) {
            let kind = wanted.kind();
            let in_sandbox =
                self.permissions().read(|grants| grants.mentions(kind, &code, |h| has(h, wanted)));
            let in_ledger =
                |ledger: &LedgerCache| ledger.grants.mentions(kind, &code, |h| has(h, wanted));
            let need = Need::Kinds(std::slice::from_ref(&kind));
            if !in_sandbox && !self.permissions().broker().with_ledger(&code, need, in_ledger)?.0 {
                missing.push(wanted.clone());
            }
        }
        Ok(missing)
    }

    /// Notes the place in the tool that a denied request came from.
    pub fn denied_at(&self, request_id: &str, place: Place) {
        let mut state = self.lock();
        let mut denials = state.denials.iter_mut();
        if let Some(denial) = denials.find(|denial| denial.error().request_id() == request_id) {
            denial.found_at(place);
        }
    }

    /// Returns the requests of this run that were denied so far, each once, including those whose
    /// error the tool caught. At most [`MAX_KEPT_REQUESTS`](crate::MAX_KEPT_REQUESTS).
    ///
    /// If something was denied and there is no approver, the list includes what the tool declared
    /// and was not granted, which is recorded then.
    pub fn denials(&self) -> Vec<Denial> {
        let has_denials = !self.lock().denials.is_empty();
        if has_denials && self.permissions().approver().is_none() {
            for capability in self.missing().unwrap_or_default() {
                let id = self.request_id(&capability);
                self.refuse_declared(&capability, &id);
            }
        }
        self.lock().denials.clone()
    }

    pub(super) fn may_ask(&self, state: &State, id: &RequestId) -> bool {
        self.permissions().approver().is_some()
            && state.questions < MAX_QUESTIONS
            && !state.refused.contains(id)
    }

    /// Counts a question of this run. Returns false if the run may not ask any more.
    pub(crate) fn count_question(&self) -> bool {
        let mut state = self.lock();
        let may_ask = state.questions < MAX_QUESTIONS;
        state.questions += u32::from(may_ask);
        may_ask
    }

    /// Opens a question about a request, or joins the one that is already open.
    ///
    /// Returns `None` if the run may not ask any more questions.
    pub(crate) fn ask(&self, checked: &Checked, id: &RequestId) -> Option<Arc<OpenQuestion>> {
        let open_questions = &self.permissions().broker().shared().open_questions;
        open_questions.find_or_start(self.permissions().serial(), id, || {
            let folders = self.permissions().host_folders();
            let wish =
                Wish::for_request(&checked.request, &folders).with(&checked.particulars, &folders);
            self.open_question(vec![wish], Some((checked, id)))
        })
    }

    pub(super) fn open_question(
        &self,
        wishes: Vec<Wish>,
        about: Option<(&Checked, &RequestId)>,
    ) -> Option<Arc<OpenQuestion>> {
        let permissions = self.permissions();
        let approver = permissions.approver()?;
        // A question that waits for its turn is counted when it is shown.
        let is_counted_later = about.is_some() && approver.asks_one_at_a_time();
        if !is_counted_later && !self.count_question() {
            return None;
        }
        let code = self.code();
        let mut state = self.lock();
        let who = (code.identity().clone(), permissions.name().clone(), self.0.run.clone());
        let id = permissions.broker().shared().ids.question();
        let request = about.map(|(_, id)| id.clone());
        let question = Question::new(id, who, wishes).about(request.clone());
        for wish in question.wishes() {
            let mut line = self.line(Event::Question);
            line.capability = Some(wish.wanted().to_string().into());
            line.target = about.map(|(checked, _)| checked.target.clone());
            line.id = Some(question.id().as_str().into());
            line.ruling = Some(Ruling::Ask);
            state.audit.note(line, &*permissions.broker().shared().sink).ok()?;
        }
        // A person who is asked finds the run in the log while it waits.
        state.audit.hand_over(&*permissions.broker().shared().sink).ok()?;
        drop(state);
        let (tool, run, run_id) = (code.identity(), &self.0.run, &self.0.run_id);
        let cause = about.map(|(checked, _)| (self.clone(), checked.request.clone()));
        let inquiry = Inquiry { permissions, approver, tool, run, run_id, request, cause };
        Some(OpenQuestion::start(inquiry, question))
    }
}
