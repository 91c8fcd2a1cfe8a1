//! Calls that need a permit: the check, the question, and what is done with the answer.

use cofferdam_abi::Malformed;
use cofferdam_broker::{Denial, Desk, Permit, Verdict};
use cofferdam_caps::{Access, Request};
use cofferdam_vfs::{Time, VPath};

use crate::shared::call_error::{CallError, Done, Working};
use crate::shared::resources::Resources;
use crate::tool::kernel::{Kernel, Reply};

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
        requests: Result<Vec<Request>, CallError>,
        answer: &mut Vec<u8>,
        work: impl FnOnce(Vec<Permit>) -> Done + Send + 'static,
    ) -> Result<Reply, Malformed> {
        let mut permits = Vec::new();
        let requests = match requests {
            Ok(requests) => requests,
            Err(refused) => return Ok(Reply::Refused(refused)),
        };
        let mut rest = requests.into_iter();
        while let Some(request) = rest.next() {
            match self.check(&request) {
                Verdict::Permit(permit) => permits.push(permit),
                Verdict::Denied(denial) => return Ok(self.denied(&denial)),
                Verdict::Ask(question) => {
                    let desk = self.settings.desk.clone();
                    let resources = self.settings.resources.clone();
                    let (denials, asking) = (self.denials.clone(), self.asking.clone());
                    return self.pend(Box::pin(async move {
                        let mut question = Some(question);
                        loop {
                            if let Some(asked) = question.take() {
                                let _asking = asking.begin();
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
        Ok(match work(permits) {
            Ok(bytes) => {
                answer.extend_from_slice(&bytes);
                Reply::Done
            }
            Err(refused) => Reply::Refused(refused),
        })
    }

    /// Starts `work`, which takes its time, if the request is permitted.
    pub(crate) fn guarded_work(
        &mut self,
        request: Result<Request, CallError>,
        work: impl FnOnce(Permit) -> Working + Send + 'static,
    ) -> Result<Reply, Malformed> {
        let request = match request {
            Ok(request) => request,
            Err(refused) => return Ok(Reply::Refused(refused)),
        };
        match self.check(&request) {
            Verdict::Denied(denial) => Ok(self.denied(&denial)),
            Verdict::Permit(permit) => self.pend(work(permit)),
            Verdict::Ask(question) => {
                let (denials, asking) = (self.denials.clone(), self.asking.clone());
                self.pend(Box::pin(async move {
                    let asked = asking.begin();
                    let permit = question.await.map_err(|d| denials.note(&d))?;
                    drop(asked);
                    work(permit).await
                }))
            }
        }
    }

    fn denied(&mut self, denial: &Denial) -> Reply {
        Reply::Refused(self.denials.note(denial))
    }
}
