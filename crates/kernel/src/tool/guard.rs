//! Calls that need a permit: the check, the question, and what is done with the answer.

use cofferdam_broker::{Desk, Permit, Verdict};
use cofferdam_caps::{Access, Request};
use cofferdam_vfs::{Time, VPath};

use crate::shared::call_error::{Done, Working};
use crate::shared::crossing::Reply;
use crate::shared::resources::Resources;
use crate::tool::kernel::{Kernel, Served};

/// Permits, denies or asks. What changes files of the host is in the audit log before it happens.
pub(crate) fn check(desk: &Desk, resources: &Resources, request: &Request) -> Verdict {
    match request {
        Request::Fs { access: Access::Write, path } => {
            let path = VPath::new(path.as_str());
            let files = resources.files.as_guest(Time(0));
            match path.is_ok_and(|path| files.changes_outside(&path)) {
                true => desk.check_outside(request),
                false => desk.check(request),
            }
        }
        _ => desk.check(request),
    }
}

impl Kernel {
    /// Does `work` if every request is permitted; asks where that has to be asked about.
    pub(crate) fn guarded(
        &mut self,
        requests: Vec<Request>,
        answer: &mut Vec<u8>,
        work: impl FnOnce(Vec<Permit>) -> Done + Send + 'static,
    ) -> Served {
        let mut permits = Vec::new();
        let mut rest = requests.into_iter();
        while let Some(request) = rest.next() {
            match self.check(&request) {
                Verdict::Permit(permit) => permits.push(permit),
                Verdict::Denied(denial) => return Err(self.denials.note(&denial).into()),
                Verdict::Ask(question) => {
                    let desk = self.settings.desk.clone();
                    let resources = self.settings.resources.clone();
                    let (denials, clock) = (self.denials.clone(), self.settings.run_clock.clone());
                    return self.pend(Box::pin(async move {
                        let mut question = Some(question);
                        loop {
                            if let Some(asked) = question.take() {
                                let _open = clock.question();
                                permits.push(asked.await.map_err(|d| denials.note(&d))?);
                            }
                            let Some(request) = rest.next() else { break };
                            match check(&desk, &resources, &request) {
                                Verdict::Permit(permit) => permits.push(permit),
                                Verdict::Denied(denial) => return Err(denials.note(&denial)),
                                Verdict::Ask(asked) => question = Some(asked),
                            }
                        }
                        work(permits)
                    }));
                }
            }
        }
        answer.extend_from_slice(&work(permits)?);
        Ok(Reply::Done)
    }

    /// Starts `work`, which takes its time, if the request is permitted.
    pub(crate) fn guarded_work(
        &mut self,
        request: Request,
        work: impl FnOnce(Permit) -> Working + Send + 'static,
    ) -> Served {
        match self.check(&request) {
            Verdict::Denied(denial) => Err(self.denials.note(&denial).into()),
            Verdict::Permit(permit) => self.pend(work(permit)),
            Verdict::Ask(question) => {
                let (denials, clock) = (self.denials.clone(), self.settings.run_clock.clone());
                self.pend(Box::pin(async move {
                    let open = clock.question();
                    let permit = question.await.map_err(|d| denials.note(&d))?;
                    drop(open);
                    work(permit).await
                }))
            }
        }
    }
}
