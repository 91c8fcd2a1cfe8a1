use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cofferdam_caps::{Access, Capability, CapabilitySet, Kind, Request, visible};

use crate::asking::{self, Asking};
use crate::audit::{Cost, Event, Line, Ruling};
use crate::book::Wanted;
use crate::denial::{Denial, Reason};
use crate::error::Error;
use crate::grant::Span;
use crate::held::{Asker, Held, Source};
use crate::id::RequestId;
use crate::ledger::{Petition, Standing};
use crate::permit::{Checked, Permit};
use crate::question::{Question, Wish};
use crate::session::Session;
use crate::trail::Trail;
use crate::waiting::{Seen, Waiting, WaitingForAll};

/// Most verdicts that a run remembers; past it, it begins anew.
const MAX_REMEMBERED: usize = 512;

/// Most questions that one run may cause. Nobody reads more, they only say yes in the end.
pub const MAX_QUESTIONS: u32 = 64;

/// Most requests of one run that are kept for later; denials past it are as good, but cannot be
/// granted by their id.
pub const MAX_KEPT_REQUESTS: u32 = 256;

/// Where one run makes its requests. Clones are the same desk.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    session: Session,
    run: Arc<str>,
    tool: Arc<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: HashMap<Request, Known>,
    /// What somebody said no to in this run.
    refused: HashSet<RequestId>,
    /// What is in the ledger already.
    kept: HashSet<RequestId>,
    declared: CapabilitySet,
    questions: u32,
    trail: Trail,
    has_ended: bool,
}

/// A verdict that holds until something changes.
struct Known {
    checked: Arc<Checked>,
    verdict: Result<Arc<Held>, Denial>,
    seen: Seen,
}

/// The answer to a request.
#[derive(Debug)]
pub enum Verdict {
    /// Yes, now.
    Permit(Permit),
    /// No.
    Denied(Denial),
    /// Somebody is asked; the future has the answer.
    Ask(Waiting),
}

/// What a check would say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// Yes, by a grant of this capability and span.
    Granted(Capability, Span),
    /// Somebody would be asked for this.
    WouldAsk(Capability),
    /// No; this would be needed.
    WouldDeny(Capability),
}

/// Where a call acts, and so when the log has to have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// On things that end with the sandbox: soon is enough.
    Inside,
    /// On the world: before.
    Outside,
}

/// What a look at the grants found.
pub(crate) enum Looked {
    Permit(Permit),
    Denied(Reason),
    Nothing,
}

impl Desk {
    pub(crate) fn new(session: Session, run: Arc<str>, tool: Arc<str>) -> Self {
        let desk = Self(Arc::new(Inner { session, run, tool, state: Mutex::default() }));
        let mut line = desk.line(Event::Start);
        line.target = Some(visible(&desk.0.tool).into());
        desk.note(line);
        desk
    }

    /// Permits, denies or asks, and writes the audit.
    pub fn check(&self, request: &Request) -> Verdict {
        self.verdict(request, effect(request))
    }

    /// The same for a call that acts outside the sandbox though its kind does not say so, such
    /// as a write to a folder of the host: the audit log has it before the call is made.
    pub fn check_outside(&self, request: &Request) -> Verdict {
        self.verdict(request, Effect::Outside)
    }

    /// What a check would say. Asks nobody, uses nothing up and writes nothing.
    pub fn would_grant(&self, request: &Request) -> Result<Preview, Error> {
        let (now, wanted) = (self.session().broker().now(), Wanted::new(request));
        let (found, is_denied, _) = self.candidates(request, &wanted, now)?;
        let required = wanted.capability().clone();
        Ok(match found.first() {
            Some(held) => Preview::Granted(held.grant.capability.clone(), held.grant.span),
            None => {
                let id = self.request_id(&required);
                let mut state = self.lock();
                match !is_denied && self.may_ask(&mut state, &id) {
                    true => Preview::WouldAsk(required),
                    false => Preview::WouldDeny(required),
                }
            }
        })
    }

    /// Notes what a tool says it will need, so that [`sees`](Self::sees) knows.
    pub fn declare(&self, capabilities: &CapabilitySet) {
        let mut state = self.lock();
        for capability in capabilities.iter() {
            state.declared.insert(capability.clone());
        }
    }

    /// Asks for all that was declared and is not granted yet, in one question. `once` in the
    /// answer is for this run.
    pub fn ask_declared(&self) -> Result<WaitingForAll, Error> {
        let now = self.session().broker().now();
        let declared = self.lock().declared.clone();
        let has = |held: &Held, wanted: &Capability| {
            held.grant.capability.covers(wanted) && held.is_for(self.asker(), now)
        };
        let mut wishes = Vec::new();
        for wanted in declared.iter() {
            let kind = wanted.kind();
            let in_session = self.session().read(|book| book.mentions(kind, |h| has(h, wanted)));
            let in_ledger = |durable: &crate::broker::Durable| {
                durable.book.mentions(kind, |held| has(held, wanted))
            };
            if !in_session && !self.session().broker().durable(in_ledger)?.0 {
                wishes.push(Wish::declared(wanted.clone()));
            }
        }
        let asking = (!wishes.is_empty()).then(|| self.start_asking(wishes, None)).flatten();
        Ok(WaitingForAll::new(self, asking))
    }

    /// Whether a guest gets to see that there is such a thing as `kind`: something of it is
    /// granted, or the tool declared that it may ask for it.
    pub fn sees(&self, kind: Kind) -> Result<bool, Error> {
        if self.lock().declared.mentions(kind) {
            return Ok(true);
        }
        let now = self.session().broker().now();
        let is_meant = |held: &Held| held.is_for(self.asker(), now);
        if self.session().read(|book| book.mentions(kind, is_meant)) {
            return Ok(true);
        }
        let durable = self.session().broker();
        Ok(durable.durable(|durable| durable.book.mentions(kind, is_meant))?.0)
    }

    /// Notes what a permitted call took, now that it is done.
    pub fn done(&self, permit: &Permit, cost: Cost) {
        let mut line = self.line(Event::Done);
        line.capability = Some(permit.held().text.clone());
        line.target = Some(permit.checked().target.clone());
        line.cost = cost;
        self.note(line);
    }

    /// Notes a kill, or a limit that the run came to: which, in plain words.
    pub fn stopped(&self, event: Event, what: &str) {
        let mut line = self.line(event);
        line.target = Some(visible(what).into());
        self.note(line);
    }

    /// The run has ended: hands the audit over and takes back what was granted for the run.
    /// Dropping the last clone does the same.
    pub fn end(&self, outcome: &str, cost: Cost) {
        let mut state = self.lock();
        if std::mem::replace(&mut state.has_ended, true) {
            return;
        }
        let mut line = self.line(Event::End);
        line.note = (!outcome.is_empty()).then(|| visible(outcome).into());
        line.cost = cost;
        let sink = &self.session().broker().shared().sink;
        // Nothing comes after this that a failure could still prevent.
        let _ = state.trail.note(line, &**sink);
        let _ = state.trail.hand_over(&**sink);
        drop(state);
        self.session().end_run(&self.0.run);
    }

    fn verdict(&self, request: &Request, effect: Effect) -> Verdict {
        let broker = self.session().broker();
        let now = broker.now();
        let mut state = self.lock();
        if let Some(known) = state.known.get(request)
            && self.holds(known, now)
        {
            let checked = known.checked.clone();
            return match known.verdict.clone() {
                Ok(held) => self.permit(&mut state, checked, held, effect, now),
                Err(denial) => {
                    let mut line = self.check_line(&checked, Ruling::Deny, now);
                    line.capability = Some(denial.error().required_permission().into());
                    let _ = state.trail.note(line, &*broker.shared().sink);
                    Verdict::Denied(denial)
                }
            };
        }
        let (wanted, checked) = (Wanted::new(request), Arc::new(Checked::new(request.clone())));
        match self.find(request, &wanted, now) {
            Ok((Some(held), _, seen)) => {
                if held.is_unlimited() {
                    state.remember(checked.clone(), Ok(held.clone()), seen);
                }
                self.permit(&mut state, checked, held, effect, now)
            }
            Ok((None, is_denied, seen)) => {
                let (required, id) = (wanted.capability(), self.request_id(wanted.capability()));
                let reason = match (is_denied, self.may_ask(&mut state, &id)) {
                    (true, _) => Reason::Refused,
                    (false, true) => {
                        drop(state);
                        return match self.ask(&checked, &id) {
                            Some(asking) => {
                                let what = (checked, required.clone(), id);
                                Verdict::Ask(Waiting::new(self.clone(), what, effect, asking, seen))
                            }
                            None => {
                                let reason = Reason::TooMany;
                                Verdict::Denied(self.deny(&checked, required, &id, reason))
                            }
                        };
                    }
                    (false, false) if state.refused.contains(&id) => Reason::Refused,
                    (false, false) if self.session().approver().is_none() => Reason::NotGranted,
                    (false, false) => Reason::TooMany,
                };
                let denial = self.refuse(&mut state, &checked, required, &id, reason);
                state.remember(checked, Err(denial.clone()), seen);
                Verdict::Denied(denial)
            }
            Err(error) => {
                let (required, id) = (wanted.capability(), self.request_id(wanted.capability()));
                let reason = Reason::Unavailable(error);
                Verdict::Denied(self.refuse(&mut state, &checked, required, &id, reason))
            }
        }
    }

    /// Whether nothing has changed that the verdict depends on.
    fn holds(&self, known: &Known, now: crate::Stamp) -> bool {
        let (session, ledger) = known.seen;
        let same_ledger = || self.session().broker().shared().ledger.mark() == Ok(ledger);
        session == self.session().generation()
            && match &known.verdict {
                Ok(held) => {
                    held.grant.lives_at(now)
                        && match held.source {
                            Source::Session => true,
                            Source::Ledger => same_ledger(),
                        }
                }
                Err(_) => same_ledger(),
            }
    }

    /// What allows the request, the one to be used first; whether it was decided against; and
    /// what was seen, to be read before what it stands for.
    fn candidates(
        &self,
        request: &Request,
        wanted: &Wanted,
        now: crate::Stamp,
    ) -> Result<(Vec<Arc<Held>>, bool, Seen), Error> {
        let (session, asker) = (self.session(), self.asker());
        let generation = session.generation();
        let mut found = Vec::new();
        let mut add = |held: &Arc<Held>| {
            if held.is_for(asker, now) {
                found.push(held.clone());
            }
        };
        session.read(|book| book.allowing(wanted, &mut add));
        let is_network = matches!(request, Request::Network { .. });
        if let (Some(held), false) = (found.iter().find(|held| held.is_unlimited()), is_network) {
            // Nothing in the ledger could do better.
            return Ok((vec![held.clone()], false, (generation, 0)));
        }
        let mut add = |held: &Arc<Held>| {
            if held.is_for(asker, now) {
                found.push(held.clone());
            }
        };
        let (is_denied, mark) = session.broker().durable(|durable| {
            durable.book.allowing(wanted, &mut add);
            !durable.denied.is_empty()
                && durable.denied.contains(&self.request_id(wanted.capability()))
        })?;
        found.sort_by_cached_key(|held| std::cmp::Reverse(held.preference(request)));
        Ok((found, is_denied, (generation, mark)))
    }

    /// The grant that is used, after it was used.
    fn find(
        &self,
        request: &Request,
        wanted: &Wanted,
        now: crate::Stamp,
    ) -> Result<(Option<Arc<Held>>, bool, Seen), Error> {
        let (found, is_denied, seen) = self.candidates(request, wanted, now)?;
        let ledger = &self.session().broker().shared().ledger;
        for held in found {
            let is_ours = match held.is_counted_in_ledger() {
                true => ledger.take(&held.grant.id, now)?,
                false => held.take(),
            };
            if is_ours {
                return Ok((Some(held), false, seen));
            }
        }
        Ok((None, is_denied, seen))
    }

    /// Looks whether something was granted since `seen`.
    pub(crate) fn look(&self, checked: &Arc<Checked>, effect: Effect, seen: &mut Seen) -> Looked {
        let ledger = match self.session().broker().shared().ledger.mark() {
            Ok(mark) => mark,
            Err(error) => return Looked::Denied(Reason::Unavailable(error)),
        };
        match *seen == (self.session().generation(), ledger) {
            true => Looked::Nothing,
            false => self.look_again(checked, effect, seen),
        }
    }

    pub(crate) fn look_again(
        &self,
        checked: &Arc<Checked>,
        effect: Effect,
        seen: &mut Seen,
    ) -> Looked {
        let now = self.session().broker().now();
        let wanted = Wanted::new(&checked.request);
        match self.find(&checked.request, &wanted, now) {
            Ok((Some(held), _, _)) => {
                let mut state = self.lock();
                match self.permit(&mut state, checked.clone(), held, effect, now) {
                    Verdict::Permit(permit) => Looked::Permit(permit),
                    Verdict::Denied(denial) => Looked::Denied(denial.reason().clone()),
                    Verdict::Ask(_) => Looked::Nothing,
                }
            }
            Ok((None, true, _)) => Looked::Denied(Reason::Refused),
            Ok((None, false, now_seen)) => {
                *seen = now_seen;
                Looked::Nothing
            }
            Err(error) => Looked::Denied(Reason::Unavailable(error)),
        }
    }

    fn permit(
        &self,
        state: &mut State,
        checked: Arc<Checked>,
        held: Arc<Held>,
        effect: Effect,
        now: crate::Stamp,
    ) -> Verdict {
        let mut line = self.check_line(&checked, Ruling::Permit, now);
        line.capability = Some(held.text.clone());
        line.id = Some(held.id.clone());
        let sink = &*self.session().broker().shared().sink;
        let written = match effect {
            Effect::Inside => state.trail.note(line, sink),
            Effect::Outside => state.trail.commit(line, sink),
        };
        match written {
            Ok(()) => Verdict::Permit(Permit::new(checked, held)),
            Err(error) => {
                let required = checked.request.required();
                let id = self.request_id(&required);
                Verdict::Denied(Denial::new(&required, &id, Reason::Unavailable(error)))
            }
        }
    }

    /// Denies after somebody was asked, and remembers that in this run.
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

    fn refuse(
        &self,
        state: &mut State,
        checked: &Checked,
        required: &Capability,
        id: &RequestId,
        reason: Reason,
    ) -> Denial {
        let broker = self.session().broker();
        let (shared, now) = (broker.shared(), broker.now());
        let mut line = self.check_line(checked, Ruling::Deny, now);
        line.capability = Some(required.to_string().into());
        line.id = Some(id.as_str().into());
        let is_new = state.kept.len() < MAX_KEPT_REQUESTS as usize && state.kept.insert(id.clone());
        if !is_new {
            // A tool that tries again and again makes no work for the disk.
            let _ = state.trail.note(line, &*shared.sink);
            return Denial::new(required, id, reason);
        }
        let petition = Petition {
            id: id.clone(),
            capability: required.clone(),
            tool: self.0.tool.clone(),
            sandbox: self.session().name().clone(),
            first: now,
            last: now,
            times: 1,
            standing: Standing::Open,
        };
        let written = state.trail.commit(line, &*shared.sink);
        let reason = match written.and_then(|()| shared.ledger.remember(&petition)) {
            Ok(()) => reason,
            Err(error) => Reason::Unavailable(error),
        };
        Denial::new(required, id, reason)
    }

    fn may_ask(&self, state: &mut State, id: &RequestId) -> bool {
        self.session().approver().is_some()
            && state.questions < MAX_QUESTIONS
            && !state.refused.contains(id)
    }

    /// Asks, or joins those who wait for the same; none where nobody can be asked any more.
    pub(crate) fn ask(&self, checked: &Checked, id: &RequestId) -> Option<Arc<Asking>> {
        let askings = &self.session().broker().shared().askings;
        askings.about(self.session().serial(), id, || {
            self.start_asking(vec![Wish::for_request(&checked.request)], Some((checked, id)))
        })
    }

    fn start_asking(
        &self,
        wishes: Vec<Wish>,
        about: Option<(&Checked, &RequestId)>,
    ) -> Option<Arc<Asking>> {
        let session = self.session();
        let approver = session.approver()?;
        let mut state = self.lock();
        if state.questions >= MAX_QUESTIONS {
            return None;
        }
        state.questions += 1;
        let who = (self.0.tool.clone(), session.name().clone(), self.0.run.clone());
        let question = Question::new(session.broker().shared().ids.question(), who, wishes);
        for wish in question.wishes() {
            let mut line = self.line(Event::Question);
            line.capability = Some(wish.wanted().to_string().into());
            line.target = about.map(|(checked, _)| checked.target.clone());
            line.id = Some(question.id().as_str().into());
            line.ruling = Some(Ruling::Ask);
            state.trail.note(line, &*session.broker().shared().sink).ok()?;
        }
        drop(state);
        let request = about.map(|(_, id)| id.clone());
        let asker =
            asking::Asker { session, approver, tool: &self.0.tool, run: &self.0.run, request };
        Some(Asking::start(asker, question))
    }

    fn request_id(&self, required: &Capability) -> RequestId {
        let parts = [self.0.tool.as_bytes(), self.session().sandbox().as_bytes()];
        let capability = required.to_string();
        let key = &self.session().broker().shared().key;
        RequestId::derive(key, &[parts[0], parts[1], capability.as_bytes()])
    }

    fn check_line(&self, checked: &Checked, ruling: Ruling, now: crate::Stamp) -> Line {
        let mut line = Line::new(now, Event::Check);
        line.sandbox = Some(self.session().name().clone());
        line.run = Some(self.0.run.clone());
        line.target = Some(checked.target.clone());
        line.ruling = Some(ruling);
        line
    }

    fn line(&self, event: Event) -> Line {
        let mut line = Line::new(self.session().broker().now(), event);
        line.sandbox = Some(self.session().name().clone());
        line.run = Some(self.0.run.clone());
        line
    }

    fn note(&self, line: Line) {
        // What went wrong is kept in the trail, and denies the next call that is checked.
        let _ = self.lock().trail.note(line, &*self.session().broker().shared().sink);
    }

    pub(crate) fn session(&self) -> &Session {
        &self.0.session
    }

    fn asker(&self) -> Asker<'_> {
        Asker { tool: &self.0.tool, sandbox: self.session().sandbox(), run: &self.0.run }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a request does to the world outside the sandbox.
fn effect(request: &Request) -> Effect {
    match request {
        Request::Network { .. } | Request::Tool { .. } => Effect::Outside,
        Request::State { access: Access::Write, .. } => Effect::Outside,
        Request::State { access: Access::Read, .. }
        | Request::Dom { .. }
        | Request::Env { .. }
        | Request::Fs { .. }
        | Request::Process { .. }
        | Request::Storage { .. } => Effect::Inside,
    }
}

impl State {
    fn remember(&mut self, checked: Arc<Checked>, verdict: Result<Arc<Held>, Denial>, seen: Seen) {
        if self.known.len() >= MAX_REMEMBERED {
            self.known.clear();
        }
        self.known.insert(checked.request.clone(), Known { checked, verdict, seen });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !state.has_ended {
            let sink = &self.session.broker().shared().sink;
            let mut line = Line::new(self.session.broker().now(), Event::End);
            line.sandbox = Some(self.session.name().clone());
            line.run = Some(self.run.clone());
            line.note = Some("dropped".into());
            let _ = state.trail.note(line, &**sink);
            let _ = state.trail.hand_over(&**sink);
            self.session.end_run(&self.run);
        }
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Desk").field(&self.0.run).finish()
    }
}
