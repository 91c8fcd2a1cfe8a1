//! The [`Broker`] of a process: ledger, audit log, approver and open questions in one place.
//!
//! Decisions about a single request are in `desk`. This file changes grants and keeps the cached
//! copy of the ledger current.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use cofferdam_caps::{Capability, visible};

use crate::audit::{Event, Line, Sink};
use crate::code::Code;
use crate::error::{Error, ErrorKind};
use crate::grant::{Grant, Kept, Span, Terms};
use crate::id::{GrantId, Ids, Key, RequestId};
use crate::identity::shown_identity;
use crate::ledger::{Changes, Ledger, RecordedRequest};
use crate::ledger_cache::{LedgerCache, Need};
use crate::open_question::OpenQuestions;
use crate::question::{Answer, Approver, Question};
use crate::timestamp::{Clock, Timestamp};
use crate::waiters::{Waiter, Waiters};
use crate::watch::Watch;

/// Decides requests: each becomes a permit, a denial or a question.
///
/// A process needs one; clones share their state. The broker caches the ledger in memory and
/// detects at every check whether the ledger has changed.
#[derive(Clone)]
pub struct Broker(Arc<Shared>);

/// Configuration of a broker; see [`Broker::setup`].
pub struct Setup {
    ledger: Arc<dyn Ledger>,
    sink: Arc<dyn Sink>,
    approver: Option<Arc<dyn Approver>>,
    clock: Clock,
    key: Option<Key>,
    keeps_sessions: bool,
}

pub(crate) struct Shared {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) sink: Arc<dyn Sink>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    clock: Clock,
    pub(crate) keeps_sessions: bool,
    /// Key of the ledger, from which request ids are derived.
    pub(crate) key: Key,
    pub(crate) ids: Ids,
    ledger_cache: RwLock<LedgerCache>,
    pub(crate) waiters: Waiters,
    pub(crate) open_questions: OpenQuestions,
    /// Serial number of the next [`Permissions`](crate::Permissions).
    pub(crate) next_serial: AtomicU64,
    /// Held by the question that an approver shows, if it shows one at a time.
    pub(crate) turn: Arc<futures_util::lock::Mutex<()>>,
    watch: Watch,
}

impl Shared {
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }
}

impl Setup {
    /// Sets the approver for sandboxes without one of their own.
    ///
    /// Without an approver, a request that is not granted is denied.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Replaces the system clock.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Derives grant and question ids from `key` instead of random bytes, for tests.
    pub fn fixed_ids(mut self, key: Key) -> Self {
        self.key = Some(key);
        self
    }

    /// Keeps session grants that an approver makes in the ledger, for [`MAX_SESSION`] at most.
    ///
    /// For embedders that give a sandbox the same name in every process, such as a command line: a
    /// session then is the same for an approver and for [`Broker::terms_for`].
    ///
    /// [`MAX_SESSION`]: crate::MAX_SESSION
    pub fn keep_sessions(mut self) -> Self {
        self.keeps_sessions = true;
        self
    }

    /// Creates the broker and reads the ledger.
    pub fn open(self) -> Result<Broker, Error> {
        let mut key = self.key.unwrap_or_default();
        if self.key.is_none() {
            let failed = |error| Error::new(ErrorKind::System, "random numbers", error);
            getrandom::fill(&mut key).map_err(failed)?;
        }
        let broker = Broker(Arc::new(Shared {
            key: self.ledger.key()?,
            ledger: self.ledger,
            sink: self.sink,
            approver: self.approver,
            clock: self.clock,
            keeps_sessions: self.keeps_sessions,
            ids: Ids::new(key),
            ledger_cache: RwLock::default(),
            waiters: Waiters::default(),
            open_questions: OpenQuestions::default(),
            next_serial: AtomicU64::new(0),
            turn: Arc::default(),
            watch: Watch::default(),
        }));
        broker.refresh()?;
        broker.cache_mut().begin(&*broker.0.ledger)?;
        Ok(broker)
    }
}

impl Broker {
    /// Starts the configuration of a broker with a ledger and an audit log.
    pub fn setup(ledger: Arc<dyn Ledger>, sink: Arc<dyn Sink>) -> Setup {
        let clock = Arc::new(Timestamp::now);
        Setup { ledger, sink, approver: None, clock, key: None, keeps_sessions: false }
    }

    /// Returns the approver for sandboxes without one of their own.
    pub fn approver(&self) -> Option<Arc<dyn Approver>> {
        self.0.approver.clone()
    }

    /// Adds a grant to the ledger and wakes the runs that wait for it.
    pub fn grant(&self, terms: Terms) -> Result<Grant, Error> {
        self.add(terms, None)
    }

    /// Returns terms that grant exactly a recorded request, to the tool that made it.
    ///
    /// With [`Span::Session`] the terms are also limited to the sandbox of the request.
    pub fn terms_for(&self, id: &RequestId, span: Span) -> Result<Terms, Error> {
        let request = self.request(id)?;
        let terms =
            Terms::new(request.capability, span).for_tool(&request.tool).in_folder(request.folder);
        Ok(match span {
            Span::Session => terms.for_sandbox(&request.sandbox),
            Span::Once | Span::Always => terms,
        })
    }

    /// Grants a recorded request.
    ///
    /// Fails with [`ErrorKind::NotEnough`] if the terms do not cover the request.
    pub fn grant_request(&self, id: &RequestId, terms: Terms) -> Result<Grant, Error> {
        self.check_terms(id, &terms)?;
        self.add(terms, Some(id))
    }

    /// Fails with [`ErrorKind::NotEnough`] if the terms do not cover a recorded request.
    pub fn check_terms(&self, id: &RequestId, terms: &Terms) -> Result<(), Error> {
        let request = self.request(id)?;
        if !terms.capability().covers(&request.capability) {
            let reason = format!("does not allow {}", request.capability);
            return Err(Error::new(ErrorKind::NotEnough, terms.capability(), reason));
        }
        Ok(())
    }

    /// Denies a recorded request until something is granted for it.
    ///
    /// A run that waits for the request continues with a denial.
    pub fn deny_request(&self, id: &RequestId, by: &str) -> Result<RecordedRequest, Error> {
        let request = self.request(id)?;
        let mut line = self.line(Event::Deny, &request.capability);
        line.sandbox = Some(request.sandbox.clone());
        line.id = Some(id.as_str().into());
        line.note = note(by);
        self.0.sink.commit(vec![line])?;
        let request = self.0.ledger.deny(id)?.ok_or_else(|| no_such(id))?;
        self.refresh()?;
        Ok(request)
    }

    /// Revokes a grant of the ledger, with effect from the next check.
    pub fn revoke(&self, id: &GrantId, by: &str) -> Result<Grant, Error> {
        // Revokes before logging: a log that cannot be written must not keep a grant alive.
        let grant = self.0.ledger.revoke(id)?.ok_or_else(|| no_such(id))?;
        self.refresh()?;
        let mut line = self.line(Event::Revoke, &grant.capability);
        line.id = Some(id.as_str().into());
        line.note = note(by);
        self.0.sink.commit(vec![line])?;
        Ok(grant)
    }

    /// Returns the grants of the ledger, latest first.
    pub fn grants(&self) -> Result<Vec<Grant>, Error> {
        self.0.ledger.grants()
    }

    /// Returns the recorded requests, latest first.
    pub fn requests(&self) -> Result<Vec<RecordedRequest>, Error> {
        self.0.ledger.requests()
    }

    /// Returns one recorded request, or `None` if no request has this id.
    pub fn recorded(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        self.0.ledger.request(id)
    }

    /// Returns the questions that wait for an answer.
    pub fn questions(&self) -> Vec<Question> {
        self.0.open_questions.open()
    }

    /// Answers an open question in place of its approver.
    ///
    /// On success the grants are durable and the run has been woken. Fails with
    /// [`ErrorKind::Late`] if the question is no longer open or its seal differs.
    pub fn answer(&self, answer: Answer) -> Result<(), Error> {
        let open = self.0.open_questions.find(&answer.question);
        let open = open.ok_or_else(|| {
            Error::new(ErrorKind::Late, &answer.question, "no run waits for this any more")
        })?;
        open.take(answer)
    }

    /// Writes every audit line that runs have offered to the sink.
    pub fn flush(&self) -> Result<(), Error> {
        self.0.sink.flush()
    }

    /// Reads changes that other processes made to the ledger and wakes the runs they concern.
    ///
    /// Every check does this too, and so does a background thread while runs wait.
    pub fn refresh(&self) -> Result<(), Error> {
        self.read_ledger(None, |_| ()).map(|_| ())
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    pub(crate) fn from_shared(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.0.clock)()
    }

    /// Calls `read` with the current contents of the ledger, which have what the code of a run
    /// needs; returns its result and the mark.
    pub(crate) fn with_ledger<T>(
        &self,
        code: &Code,
        need: Need<'_>,
        read: impl FnOnce(&LedgerCache) -> T,
    ) -> Result<(T, u64), Error> {
        self.read_ledger(Some((code, need)), read)
    }

    fn read_ledger<T>(
        &self,
        needed: Option<(&Code, Need<'_>)>,
        read: impl FnOnce(&LedgerCache) -> T,
    ) -> Result<(T, u64), Error> {
        let mark = self.0.ledger.mark()?;
        let known = self.0.ledger_cache.read().unwrap_or_else(PoisonError::into_inner);
        if known.mark == Some(mark) && needed.is_none_or(|(code, need)| known.has(code, need)) {
            return Ok((read(&known), mark));
        }
        drop(known);
        let mut cache = self.cache_mut();
        let mut changes = Changes::default();
        if cache.mark != Some(mark) {
            changes = self.0.ledger.changes(cache.at)?;
            cache.apply(&changes);
            cache.mark = Some(mark);
        }
        if let Some((code, need)) = needed
            && !cache.has(code, need)
        {
            cache.read(code, need, &*self.0.ledger)?;
        }
        let result = read(&cache);
        drop(cache);
        self.wake(&changes);
        Ok((result, mark))
    }

    fn cache_mut(&self) -> RwLockWriteGuard<'_, LedgerCache> {
        self.0.ledger_cache.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a waiter, and starts the thread that watches a shared ledger.
    pub(crate) fn wait(&self, waiter: Waiter) -> u64 {
        let number = self.0.waiters.join(waiter);
        if self.0.ledger.is_shared() {
            self.0.watch.start(&self.0);
        }
        number
    }

    pub(crate) fn add(&self, terms: Terms, answers: Option<&RequestId>) -> Result<Grant, Error> {
        let grant = terms.sign(self.0.ids.grant(), self.now(), Kept::InLedger)?;
        self.0.sink.commit(vec![self.grant_line(&grant)])?;
        self.0.ledger.add(&grant, answers)?;
        self.refresh()?;
        Ok(grant)
    }

    pub(crate) fn grant_line(&self, grant: &Grant) -> Line {
        let mut line = self.line(Event::Grant, &grant.capability);
        line.sandbox = grant.holder.sandbox.clone();
        line.id = Some(grant.id.as_str().into());
        let mut words = grant.span.to_string();
        if let Some(tool) = &grant.holder.tool {
            words += &format!(" for {}", shown_identity(tool));
        }
        if !grant.by.is_empty() {
            words += &format!(" by {}", visible(&grant.by));
        }
        line.note = Some(words.into());
        line
    }

    fn line(&self, event: Event, capability: &Capability) -> Line {
        let mut line = Line::new(self.now(), event);
        line.capability = Some(capability.to_string().into());
        line
    }

    fn request(&self, id: &RequestId) -> Result<RecordedRequest, Error> {
        self.0.ledger.request(id)?.ok_or_else(|| no_such(id))
    }

    fn wake(&self, changes: &Changes) {
        if changes.grants.is_empty() && changes.requests.is_empty() && !changes.whole {
            return;
        }
        self.0.waiters.wake(|waiter| {
            let Some((id, wanted)) = &waiter.request else { return false };
            // A whole list leaves out grants, and any of them may be new.
            changes.whole
                || changes.grants.iter().any(|grant| grant.capability.covers(wanted))
                || changes.requests.iter().any(|(decided, _)| decided == id)
        });
    }
}

fn note(by: &str) -> Option<Arc<str>> {
    (!by.is_empty()).then(|| format!("by {}", visible(by)).into())
}

fn no_such(id: &impl fmt::Display) -> Error {
    Error::new(ErrorKind::NotFound, id, "nothing has this id")
}

impl fmt::Debug for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Broker")
    }
}
