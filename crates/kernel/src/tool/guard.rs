//! Calls that need a permit: the check, the question, and the work that takes the permit.

use std::future::ready;

use cofferdam_broker::{Action, Denial, Permit, Verdict, Waiting};

use crate::permitted::Permitted;
use crate::shared::call_error::{CallError, Done, Working};
use crate::shared::crossing::Reply;
use crate::tool::kernel::{Kernel, Served};

impl Kernel {
    /// Does `work` with the permit for an action. The call is pending while a person is asked.
    pub(crate) fn with_permit<A: Action + Send + 'static>(
        &mut self,
        action: A,
        answer: &mut Vec<u8>,
        work: impl FnOnce(&Permitted, Permit<A>) -> Done + Send + 'static,
    ) -> Served {
        let question = match self.settings.desk.check(action) {
            Verdict::Permit(permit) => {
                answer.extend_from_slice(&work(&self.settings.resources, permit)?);
                return Ok(Reply::Done);
            }
            Verdict::Denied(denial) => return Err(self.denied(&denial).into()),
            Verdict::Ask(question) => question,
        };
        self.ask(question, move |resources, permit| Box::pin(ready(work(resources, permit))))
    }

    /// Starts `work`, which takes its time, with the permit for an action.
    pub(crate) fn start_with_permit<A: Action + Send + 'static>(
        &mut self,
        action: A,
        work: impl FnOnce(&Permitted, Permit<A>) -> Working + Send + 'static,
    ) -> Served {
        let question = match self.settings.desk.check(action) {
            Verdict::Permit(permit) => {
                let work = work(&self.settings.resources, permit);
                return self.pend(work);
            }
            Verdict::Denied(denial) => return Err(self.denied(&denial).into()),
            Verdict::Ask(question) => question,
        };
        self.ask(question, work)
    }

    /// Notes a denial, and returns it as the error that the guest receives.
    fn denied(&mut self, denial: &Denial) -> CallError {
        self.last_denial = Some(denial.error().request_id().to_owned());
        self.denials.note(denial)
    }

    /// Does `work` after a person has decided. The reply says that one is asked, so that the guest
    /// tells its place.
    fn ask<A: Action + Send + 'static>(
        &mut self,
        question: Waiting<A>,
        work: impl FnOnce(&Permitted, Permit<A>) -> Working + Send + 'static,
    ) -> Served {
        let slot = question.question().place_slot().clone();
        let resources = self.settings.resources.clone();
        let decided = self.permit_after(question);
        let pending = self.pend(Box::pin(async move {
            let permit = decided.await?;
            work(&resources, permit).await
        }))?;
        let Reply::Pending(ticket) = pending else { return Ok(pending) };
        self.last_question = Some((ticket, slot));
        Ok(Reply::Asked(ticket))
    }

    /// Waits for the permit while a person is asked. The run's time stands still meanwhile.
    fn permit_after<A: Action + Send + 'static>(
        &self,
        question: Waiting<A>,
    ) -> impl Future<Output = Result<Permit<A>, CallError>> + Send + use<A> {
        let (denials, clock) = (self.denials.clone(), self.settings.run_clock.clone());
        let (desk, slot) = (self.settings.desk.clone(), question.question().place_slot().clone());
        async move {
            let _open = clock.question();
            question.await.map_err(|denial| {
                if let Some(place) = slot.get() {
                    desk.denied_at(denial.error().request_id(), place.clone());
                }
                denials.note(&denial)
            })
        }
    }
}
