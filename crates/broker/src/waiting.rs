//! Futures of runs that wait for a decision.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use cofferdam_caps::Capability;
use futures_util::FutureExt;
use futures_util::future::FusedFuture;

use crate::denial::{Denial, Reason};
use crate::desk::{Desk, Effect, Recheck, RequestsVerdict};
use crate::error::Error;
use crate::id::RequestId;
use crate::open_question::{Drive, OpenQuestion, Settled};
use crate::permit::{Action, Checked, Permit};
use crate::waiters::Waiter;

/// Future of an action that waits for an answer, or for a grant made elsewhere.
///
/// Runs on any executor and blocks no thread. Dropping it withdraws the question, unless another
/// call waits for the same one.
#[must_use = "a question that nobody waits for is withdrawn"]
pub struct Waiting<A> {
    desk: Desk,
    /// `None` once the future has completed.
    action: Option<A>,
    /// Permit of the first request, if that was not the one to ask for.
    permitted: Option<Permit<()>>,
    waiting: RequestWaiting,
}

impl<A: Action> Waiting<A> {
    pub(crate) fn new(
        desk: Desk,
        action: A,
        permitted: Option<Permit<()>>,
        waiting: RequestWaiting,
    ) -> Self {
        Self { desk, action: Some(action), permitted, waiting }
    }

    /// Returns the id by which the request can be granted or denied elsewhere.
    pub fn request_id(&self) -> &RequestId {
        &self.waiting.id
    }

    /// Returns the question that is being asked.
    pub fn question(&self) -> &crate::Question {
        self.waiting.registration.question.question()
    }
}

/// The action is only moved, never pinned.
impl<A> Unpin for Waiting<A> {}

impl<A: Action> Future for Waiting<A> {
    type Output = Result<Permit<A>, Denial>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let Some(mut action) = this.action.take() else { return Poll::Pending };
        loop {
            let permit = match Pin::new(&mut this.waiting).poll(context) {
                Poll::Ready(Ok(permit)) => permit,
                Poll::Ready(Err(denial)) => return Poll::Ready(Err(denial)),
                Poll::Pending => {
                    this.action = Some(action);
                    return Poll::Pending;
                }
            };
            let permit = this.permitted.take().unwrap_or(permit);
            match this.desk.check_further(&mut action) {
                RequestsVerdict::Permit => {
                    return Poll::Ready(match this.desk.commit_for(&action, &permit) {
                        None => Ok(permit.for_action(action)),
                        Some(denial) => Err(denial),
                    });
                }
                RequestsVerdict::Denied(denial) => return Poll::Ready(Err(denial)),
                RequestsVerdict::Ask(waiting) => {
                    this.permitted = Some(permit);
                    this.waiting = waiting;
                }
            }
        }
    }
}

/// Future of one request that waits for an answer, or for a grant made elsewhere.
pub(crate) struct RequestWaiting {
    desk: Desk,
    checked: Arc<Checked>,
    required: Capability,
    id: RequestId,
    effect: Effect,
    registration: Registration,
    /// State of the grants when the request was last checked.
    seen: Seen,
    is_settled: bool,
}

/// Generation of the permissions and mark of the ledger, to detect changes.
pub(crate) type Seen = (u64, u64);

/// An entry in the list of waiters for one question; removed on drop.
struct Registration {
    desk: Desk,
    question: Arc<OpenQuestion>,
    drive: Drive,
    number: Option<u64>,
}

impl RequestWaiting {
    pub(crate) fn new(
        desk: Desk,
        (checked, required, id): (Arc<Checked>, Capability, RequestId),
        effect: Effect,
        question: Arc<OpenQuestion>,
        seen: Seen,
    ) -> Self {
        let registration = Registration::new(desk.clone(), question);
        Self { desk, checked, required, id, effect, registration, seen, is_settled: false }
    }

    fn denied(&self, reason: Reason) -> Poll<Result<Permit<()>, Denial>> {
        Poll::Ready(Err(self.desk.deny(&self.checked, &self.required, &self.id, reason)))
    }
}

/// A request that nobody decided about is recorded, so that it can be granted for the next run.
impl Drop for RequestWaiting {
    fn drop(&mut self) {
        if !self.is_settled {
            self.desk.record_withdrawn(&self.required, &self.id);
        }
    }
}

impl Future for RequestWaiting {
    type Output = Result<Permit<()>, Denial>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let settled = this.poll_settled(context);
        this.is_settled = settled.is_ready();
        settled
    }
}

impl RequestWaiting {
    fn poll_settled(&mut self, context: &mut Context<'_>) -> Poll<Result<Permit<()>, Denial>> {
        let this = self;
        let wanted = Some((this.id.clone(), this.required.clone()));
        loop {
            // Registers before checking, so that a later change wakes this future.
            this.registration.register(wanted.clone(), context);
            match this.desk.recheck_if_changed(&this.checked, this.effect, &mut this.seen) {
                Recheck::Permit(permit) => return Poll::Ready(Ok(permit)),
                Recheck::Denied(reason) => return this.denied(reason),
                Recheck::Nothing => {}
            }
            match this.registration.poll(context) {
                None => return Poll::Pending,
                Some(Settled::Failed(error)) => return this.denied(Reason::Unavailable(error)),
                Some(Settled::Refused(None)) => return this.denied(Reason::Refused),
                Some(Settled::Refused(Some(because))) => {
                    return this.denied(Reason::RefusedBecause(because));
                }
                Some(Settled::TooMany) => return this.denied(Reason::TooMany),
                Some(Settled::Granted) => {
                    if let Recheck::Permit(permit) =
                        this.desk.recheck(&this.checked, this.effect, &mut this.seen)
                    {
                        return Poll::Ready(Ok(permit));
                    }
                    // The grant was for another run, which waited for the same answer: ask again.
                    match this.desk.ask(&this.checked, &this.id) {
                        Some(question) => {
                            this.registration = Registration::new(this.desk.clone(), question)
                        }
                        None => return this.denied(Reason::TooMany),
                    }
                }
            }
        }
    }
}

/// Future of the question for everything that a tool declared.
#[must_use = "a question that nobody waits for is withdrawn"]
pub struct WaitingForAll {
    /// `None` if there is nothing to ask for, or no approver.
    registration: Option<Registration>,
}

impl WaitingForAll {
    pub(crate) fn new(desk: &Desk, question: Option<Arc<OpenQuestion>>) -> Self {
        Self { registration: question.map(|question| Registration::new(desk.clone(), question)) }
    }
}

/// Completes when the question is answered, whatever the answer: a tool starts even if something
/// was refused, and its calls are then denied.
impl Future for WaitingForAll {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(registration) = &mut self.registration else { return Poll::Ready(Ok(())) };
        registration.register(None, context);
        match registration.poll(context) {
            None => Poll::Pending,
            Some(Settled::Granted | Settled::Refused(_) | Settled::TooMany) => Poll::Ready(Ok(())),
            Some(Settled::Failed(error)) => Poll::Ready(Err(error)),
        }
    }
}

impl Registration {
    fn new(desk: Desk, question: Arc<OpenQuestion>) -> Self {
        let drive = question.drive.clone();
        Self { desk, question, drive, number: None }
    }

    /// Polls the approver; returns `None` until the question is settled, which wakes this future.
    fn poll(&mut self, context: &mut Context<'_>) -> Option<Settled> {
        if !self.drive.is_terminated() {
            let _ = self.drive.poll_unpin(context);
        }
        self.question.settled()
    }

    /// Joins the waiters, or replaces the waker if already among them.
    fn register(&mut self, request: Option<(RequestId, Capability)>, context: &Context<'_>) {
        let permissions = self.desk.permissions();
        match self.number {
            Some(number) => {
                permissions.broker().shared().waiters.set_waker(number, context.waker())
            }
            None => {
                let waiter = Waiter {
                    serial: permissions.serial(),
                    question: self.question.id().clone(),
                    request,
                    waker: context.waker().clone(),
                };
                self.number = Some(permissions.broker().wait(waiter));
            }
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.desk.permissions().broker().shared().waiters.leave(number);
        }
    }
}

impl<A> std::fmt::Debug for Waiting<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Waiting").field(&self.waiting.id).finish()
    }
}
