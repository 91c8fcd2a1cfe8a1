//! Calls that need a permit: the check, the question, and the work that takes the permit.

use cofferdam_broker::{Action, Permit, Verdict, Waiting};

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
            Verdict::Denied(denial) => return Err(self.denials.note(&denial).into()),
            Verdict::Ask(question) => question,
        };
        let (decided, resources) = (self.permit_after(question), self.settings.resources.clone());
        self.pend(Box::pin(async move {
            let permit = decided.await?;
            work(&resources, permit)
        }))
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
            Verdict::Denied(denial) => return Err(self.denials.note(&denial).into()),
            Verdict::Ask(question) => question,
        };
        let (decided, resources) = (self.permit_after(question), self.settings.resources.clone());
        self.pend(Box::pin(async move {
            let permit = decided.await?;
            work(&resources, permit).await
        }))
    }

    /// Waits for the permit while a person is asked. The run's time stands still meanwhile.
    fn permit_after<A: Action + Send + 'static>(
        &self,
        question: Waiting<A>,
    ) -> impl Future<Output = Result<Permit<A>, CallError>> + Send + use<A> {
        let (denials, clock) = (self.denials.clone(), self.settings.run_clock.clone());
        async move {
            let _open = clock.question();
            question.await.map_err(|denial| denials.note(&denial))
        }
    }
}
