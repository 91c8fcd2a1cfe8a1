//! Questions that a run causes, for a single request or for everything its tool declared.

use std::sync::Arc;

use cofferdam_caps::Capability;

use super::{Desk, MAX_QUESTIONS, State};
use crate::audit::{Event, Ruling};
use crate::broker::LedgerCache;
use crate::error::Error;
use crate::held_grant::HeldGrant;
use crate::id::RequestId;
use crate::open_question::{Inquiry, OpenQuestion};
use crate::permit::Checked;
use crate::question::{Question, Wish};
use crate::waiting::WaitingForAll;

impl Desk {
    /// Asks one question for all declared capabilities that are not granted yet.
    ///
    /// [`Span::Once`](crate::Span::Once) in the answer grants a capability for this run.
    pub fn ask_declared(&self) -> Result<WaitingForAll, Error> {
        let now = self.permissions().broker().now();
        let declared = self.lock().declared.clone();
        let has = |held: &HeldGrant, wanted: &Capability| {
            held.grant.capability.covers(wanted) && held.is_for(self.requester(), now)
        };
        let mut wishes = Vec::new();
        let within = |wanted: &&Capability| !self.permissions().bounds().excludes(wanted);
        for wanted in declared.iter().filter(within) {
            let kind = wanted.kind();
            let in_sandbox =
                self.permissions().read(|grants| grants.mentions(kind, |h| has(h, wanted)));
            let in_ledger =
                |ledger: &LedgerCache| ledger.grants.mentions(kind, |held| has(held, wanted));
            if !in_sandbox && !self.permissions().broker().with_ledger(in_ledger)?.0 {
                wishes.push(Wish::declared(wanted.clone()));
            }
        }
        let question = (!wishes.is_empty()).then(|| self.open_question(wishes, None)).flatten();
        Ok(WaitingForAll::new(self, question))
    }

    pub(super) fn may_ask(&self, state: &State, id: &RequestId) -> bool {
        self.permissions().approver().is_some()
            && state.questions < MAX_QUESTIONS
            && !state.refused.contains(id)
    }

    /// Opens a question about a request, or joins the one that is already open.
    ///
    /// Returns `None` if the run may not ask any more questions.
    pub(crate) fn ask(&self, checked: &Checked, id: &RequestId) -> Option<Arc<OpenQuestion>> {
        let open_questions = &self.permissions().broker().shared().open_questions;
        open_questions.find_or_start(self.permissions().serial(), id, || {
            self.open_question(vec![Wish::for_request(&checked.request)], Some((checked, id)))
        })
    }

    pub(super) fn open_question(
        &self,
        wishes: Vec<Wish>,
        about: Option<(&Checked, &RequestId)>,
    ) -> Option<Arc<OpenQuestion>> {
        let permissions = self.permissions();
        let approver = permissions.approver()?;
        let mut state = self.lock();
        if state.questions >= MAX_QUESTIONS {
            return None;
        }
        state.questions += 1;
        let who = (self.0.tool.clone(), permissions.name().clone(), self.0.run.clone());
        let question = Question::new(permissions.broker().shared().ids.question(), who, wishes);
        for wish in question.wishes() {
            let mut line = self.line(Event::Question);
            line.capability = Some(wish.wanted().to_string().into());
            line.target = about.map(|(checked, _)| checked.target.clone());
            line.id = Some(question.id().as_str().into());
            line.ruling = Some(Ruling::Ask);
            state.audit.note(line, &*permissions.broker().shared().sink).ok()?;
        }
        drop(state);
        let request = about.map(|(_, id)| id.clone());
        let inquiry =
            Inquiry { permissions, approver, tool: &self.0.tool, run: &self.0.run, request };
        Some(OpenQuestion::start(inquiry, question))
    }
}
