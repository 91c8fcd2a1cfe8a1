//! Open questions: each waits for one answer, from its approver or from elsewhere.
//!
//! A question is shared by all runs that wait for it and belongs to none of them.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cofferdam_caps::{Capability, Request};
use futures_util::FutureExt;
use futures_util::future::Shared;

use crate::audit::{Event, Line, Ruling};
use crate::desk::{Desk, Preview};
use crate::error::{Error, ErrorKind};
use crate::grant::{Grant, Span, Terms};
use crate::held_grant::HeldGrant;
use crate::id::{QuestionId, RequestId, RunId};
use crate::permissions::Permissions;
use crate::question::{Answer, Approver, Decision, Question};

/// The open questions of a broker.
#[derive(Debug, Default)]
pub(crate) struct OpenQuestions {
    lists: Mutex<Lists>,
    /// Held while a question is looked up and opened if there is none, so that two calls cannot
    /// open the same question.
    starting: Mutex<()>,
}

#[derive(Debug, Default)]
struct Lists {
    by_question: HashMap<QuestionId, Weak<OpenQuestion>>,
    /// Lets equal requests of one sandbox wait for the same answer; the number is the serial of
    /// its permissions.
    by_request: HashMap<(u64, RequestId), Weak<OpenQuestion>>,
}

/// A question that waits for its answer; withdrawn when the last reference is dropped.
pub(crate) struct OpenQuestion {
    permissions: Permissions,
    approver: Arc<dyn Approver>,
    tool: Arc<str>,
    run: Arc<str>,
    run_id: RunId,
    question: Question,
    /// The run that asks and its request, to see whether the question is still needed.
    cause: Option<(Desk, Request)>,
    /// Request that caused the question; `None` if a tool asks for everything it declared.
    request: Option<RequestId>,
    stage: Mutex<Stage>,
    /// Asks the approver and settles the question; polled by the runs that wait.
    pub(crate) drive: Drive,
}

pub(crate) type Drive = Shared<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// Progress of a question.
#[derive(Debug)]
enum Stage {
    Open,
    /// An answer was accepted and its grants are being made.
    Settling,
    Settled(Settled),
}

/// Outcome of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settled {
    /// At least one capability was granted.
    Granted,
    /// Nothing was granted, for this reason if one was given.
    Refused(Option<Arc<str>>),
    /// The question was not shown, because the run has asked too many.
    TooMany,
    /// The grant could not be made.
    Failed(Error),
}

/// The parties to a new question: the run that asks, the approver, and the request.
pub(crate) struct Inquiry<'a> {
    pub(crate) permissions: &'a Permissions,
    pub(crate) approver: &'a Arc<dyn Approver>,
    pub(crate) tool: &'a Arc<str>,
    pub(crate) run: &'a Arc<str>,
    pub(crate) run_id: &'a RunId,
    pub(crate) request: Option<RequestId>,
    pub(crate) cause: Option<(Desk, Request)>,
}

impl OpenQuestions {
    pub(crate) fn find(&self, id: &QuestionId) -> Option<Arc<OpenQuestion>> {
        self.lock().by_question.get(id).and_then(Weak::upgrade)
    }

    /// Returns all open questions.
    pub(crate) fn open(&self) -> Vec<Question> {
        let questions: Vec<_> =
            self.lock().by_question.values().filter_map(Weak::upgrade).collect();
        questions.iter().map(|open| open.question.clone()).collect()
    }

    /// Returns the open question about a request, or else the one that `start` opens.
    pub(crate) fn find_or_start(
        &self,
        serial: u64,
        request: &RequestId,
        start: impl FnOnce() -> Option<Arc<OpenQuestion>>,
    ) -> Option<Arc<OpenQuestion>> {
        let _starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (serial, request.clone());
        let found = self.lock().by_request.get(&key).and_then(Weak::upgrade);
        found.or_else(start)
    }

    fn insert(&self, open: &Arc<OpenQuestion>) {
        let mut lists = self.lock();
        lists.by_question.insert(open.question.id().clone(), Arc::downgrade(open));
        if let Some(request) = &open.request {
            let key = (open.permissions.serial(), request.clone());
            lists.by_request.insert(key, Arc::downgrade(open));
        }
    }

    /// Removes a settled or withdrawn question, but not one that has replaced it.
    fn remove(&self, open: &OpenQuestion) {
        let mut lists = self.lock();
        lists.by_question.remove(open.question.id());
        if let Some(request) = &open.request {
            let key = (open.permissions.serial(), request.clone());
            let is_this = |other: &Weak<OpenQuestion>| std::ptr::eq(other.as_ptr(), open);
            if lists.by_request.get(&key).is_some_and(is_this) {
                lists.by_request.remove(&key);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenQuestion {
    pub(crate) fn start(inquiry: Inquiry<'_>, question: Question) -> Arc<Self> {
        let open = Arc::new_cyclic(|this: &Weak<Self>| {
            let (this, asked) = (this.clone(), question.clone());
            let approver = inquiry.approver.clone();
            let turn = inquiry.permissions.broker().shared().turn.clone();
            let drive = async move {
                let _turn = match approver.asks_one_at_a_time() {
                    true => Some(turn.lock_owned().await),
                    false => None,
                };
                if this.upgrade().is_some_and(|open| open.settle_before_it_is_shown()) {
                    return;
                }
                let answer = approver.ask(asked).await;
                if let Some(open) = this.upgrade() {
                    // The approver cannot act on an error, so a late answer is dropped.
                    let _ = open.settle(answer, Unfit::IsNo);
                }
            };
            Self {
                permissions: inquiry.permissions.clone(),
                approver: inquiry.approver.clone(),
                tool: inquiry.tool.clone(),
                run: inquiry.run.clone(),
                run_id: inquiry.run_id.clone(),
                question,
                request: inquiry.request,
                cause: inquiry.cause,
                stage: Mutex::new(Stage::Open),
                drive: (Box::pin(drive) as Pin<Box<dyn Future<Output = ()> + Send>>).shared(),
            }
        });
        inquiry.permissions.broker().shared().open_questions.insert(&open);
        open
    }

    pub(crate) fn id(&self) -> &QuestionId {
        self.question.id()
    }

    pub(crate) fn question(&self) -> &Question {
        &self.question
    }

    pub(crate) fn settled(&self) -> Option<Settled> {
        match &*self.stage() {
            Stage::Open | Stage::Settling => None,
            Stage::Settled(settled) => Some(settled.clone()),
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts an answer that did not come from the approver.
    pub(crate) fn take(&self, answer: Answer) -> Result<(), Error> {
        self.settle(answer, Unfit::IsRefused)
    }

    /// Settles a question whose turn has come but that need not or must not be shown: an answer to
    /// another one has granted the request, or the run has asked too many. Returns false if the
    /// question is to be shown.
    fn settle_before_it_is_shown(&self) -> bool {
        let Some((desk, request)) = &self.cause else { return false };
        let (settled, note) = match desk.would_grant(request) {
            Ok(Preview::Granted(..)) => (Settled::Granted, "granted meanwhile"),
            Ok(Preview::WouldAsk(_) | Preview::WouldDeny(_)) | Err(_) => {
                if !self.approver.asks_one_at_a_time() || desk.count_question() {
                    return false;
                }
                (Settled::TooMany, "the run has asked too many questions")
            }
        };
        *self.stage() = Stage::Settled(settled.clone());
        let shared = self.permissions.broker().shared();
        shared.open_questions.remove(self);
        self.note(&settled, Some(note), "");
        shared.waiters.wake(|waiter| waiter.question == *self.question.id());
        true
    }

    fn settle(&self, answer: Answer, unfit: Unfit) -> Result<(), Error> {
        let refuse = |kind, reason: &str| Err(Error::new(kind, self.question.id(), reason));
        let is_meant =
            answer.question == *self.question.id() && answer.seal == self.question.seal();
        let is_enough = is_meant && self.question.takes(&answer);
        let mut stage = self.stage();
        match (&*stage, is_enough, unfit) {
            (Stage::Settling | Stage::Settled(_), _, _) => {
                return refuse(ErrorKind::Late, "the question was already answered");
            }
            (Stage::Open, false, Unfit::IsRefused) if is_meant => {
                return refuse(
                    ErrorKind::NotEnough,
                    "the answer does not cover what was asked for",
                );
            }
            (Stage::Open, false, Unfit::IsRefused) => {
                return refuse(ErrorKind::Late, "the question has changed");
            }
            (Stage::Open, true, _) | (Stage::Open, false, Unfit::IsNo) => *stage = Stage::Settling,
        }
        // Making grants wakes waiting runs, which lock the stage.
        drop(stage);
        let (result, note) = match is_enough {
            true => (self.carry_out(&answer), None),
            false => (Ok(Vec::new()), Some("the answer does not fit the question")),
        };
        let result = match result {
            Ok(grants) if grants.is_empty() => Settled::Refused(answer.because.clone()),
            Ok(grants) => {
                // An approver whose question was answered elsewhere may be busy showing it.
                if let Unfit::IsNo = unfit {
                    self.approver.granted(&self.question, &grants);
                }
                Settled::Granted
            }
            Err(error) => Settled::Failed(error),
        };
        *self.stage() = Stage::Settled(result.clone());
        let shared = self.permissions.broker().shared();
        shared.open_questions.remove(self);
        self.note(&result, note, &answer.by);
        shared.waiters.wake(|waiter| waiter.question == *self.question.id());
        match result {
            Settled::Granted | Settled::Refused(_) | Settled::TooMany => Ok(()),
            Settled::Failed(error) => Err(error),
        }
    }

    /// Returns the host folder that a grant is bound to: that of the request, unless the person chose
    /// all files.
    fn folder_for(&self, capability: &Capability) -> Option<Arc<str>> {
        let folders = self.permissions.host_folders();
        let of_capability = folders.of_capability(capability)?;
        let of_request = self.cause.as_ref().and_then(|(_, request)| folders.of_request(request));
        Some(of_request.unwrap_or(of_capability))
    }

    /// Makes the grants of an answer.
    fn carry_out(&self, answer: &Answer) -> Result<Vec<Grant>, Error> {
        let broker = self.permissions.broker();
        let mut granted = Vec::new();
        for decision in &answer.decisions {
            let Decision::Grant(capability, span) = decision else { continue };
            let terms = Terms::new(capability.clone(), *span)
                .for_tool(&self.tool)
                .in_folder(self.folder_for(capability))
                .by(&answer.by);
            granted.push(match span {
                Span::Always => broker.add(terms, self.request.as_ref())?,
                Span::Session if broker.shared().keeps_sessions => broker
                    .add(terms.for_sandbox(self.permissions.sandbox()), self.request.as_ref())?,
                Span::Session => self.permissions.grant(terms)?,
                Span::Once => {
                    let grant = self.permissions.sign(terms)?;
                    let held = HeldGrant::for_run(grant.clone(), self.run_id.clone());
                    self.permissions.hold(held);
                    grant
                }
            });
        }
        Ok(granted)
    }

    fn note(&self, settled: &Settled, note: Option<&str>, by: &str) {
        let broker = self.permissions.broker();
        let mut line = Line::new(broker.now(), Event::Answer);
        line.sandbox = Some(self.permissions.name().clone());
        line.run = Some(self.run.clone());
        line.id = Some(self.question.id().as_str().into());
        line.ruling = Some(match settled {
            Settled::Granted => Ruling::Permit,
            Settled::Refused(_) | Settled::TooMany | Settled::Failed(_) => Ruling::Deny,
        });
        let because = match settled {
            Settled::Refused(Some(reason)) => format!(": {}", cofferdam_caps::visible(reason)),
            Settled::Refused(None) | Settled::Granted | Settled::TooMany | Settled::Failed(_) => {
                String::new()
            }
        };
        let by = (!by.is_empty()).then(|| format!("by {}{because}", cofferdam_caps::visible(by)));
        line.note = note.map(str::to_owned).or(by).map(Into::into);
        // Grants are already in the log. This line only names the person, so it may be written
        // late.
        broker.shared().sink.offer(vec![line]);
    }
}

/// Treatment of an answer that does not fit the question.
#[derive(Clone, Copy)]
enum Unfit {
    /// The question is settled as refused.
    IsNo,
    /// The answer is rejected and the question stays open.
    IsRefused,
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        if self.settled().is_none() {
            self.permissions.broker().shared().open_questions.remove(self);
            self.note(&Settled::Refused(None), Some("withdrawn"), "");
        }
    }
}

impl std::fmt::Debug for OpenQuestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OpenQuestion").field(self.question.id()).finish()
    }
}
