mod ask;
mod decide;
mod record;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cofferdam_caps::{Access, Capability, CapabilitySet, Kind, Request, visible};

use crate::audit::{Cost, Event, Line, Ruling};
use crate::audit_buffer::AuditBuffer;
use crate::denial::{Denial, Reason};
use crate::error::Error;
use crate::grant::Span;
use crate::grant_index::Query;
use crate::held_grant::{HeldGrant, Requester};
use crate::id::RequestId;
use crate::permissions::Permissions;
use crate::permit::{Checked, Permit};
use crate::waiting::{Seen, Waiting};

/// Most verdicts that a run remembers; past it, it begins anew.
const MAX_CACHED_VERDICTS: usize = 512;

/// Most questions that one run may cause. Nobody reads more, they only say yes in the end.
pub const MAX_QUESTIONS: u32 = 64;

/// Most requests of one run that are kept for later; denials past it are as good, but cannot be
/// granted by their id.
pub const MAX_KEPT_REQUESTS: u32 = 256;

/// Where one run makes its requests. Clones are the same desk.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    permissions: Permissions,
    run: Arc<str>,
    tool: Arc<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    verdicts: HashMap<Request, CachedVerdict>,
    /// What somebody said no to in this run.
    refused: HashSet<RequestId>,
    /// What is in the ledger already.
    kept: HashSet<RequestId>,
    declared: CapabilitySet,
    questions: u32,
    audit: AuditBuffer,
    has_ended: bool,
}

/// A verdict that holds until something changes.
struct CachedVerdict {
    checked: Arc<Checked>,
    verdict: Result<Arc<HeldGrant>, Denial>,
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
pub(crate) enum Recheck {
    Permit(Permit),
    Denied(Reason),
    Nothing,
}

impl Desk {
    pub(crate) fn new(permissions: Permissions, run: Arc<str>, tool: Arc<str>) -> Self {
        let desk = Self(Arc::new(Inner { permissions, run, tool, state: Mutex::default() }));
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
        let (now, query) = (self.permissions().broker().now(), Query::new(request));
        let (found, is_denied, _) = self.candidates(request, &query, now)?;
        let required = query.capability().clone();
        if self.permissions().bounds().violated_by(request).is_some() {
            return Ok(Preview::WouldDeny(required));
        }
        Ok(match found.first() {
            Some(held) => Preview::Granted(held.grant.capability.clone(), held.grant.span),
            None => {
                let id = self.request_id(&required);
                let state = self.lock();
                match !is_denied && self.may_ask(&state, &id) {
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

    /// Whether a guest gets to see that there is such a thing as `kind`: something of it is
    /// granted, or the tool declared that it may ask for it.
    pub fn sees(&self, kind: Kind) -> Result<bool, Error> {
        Ok(self.seen(&[kind])?[0])
    }

    /// The same for several kinds, in their order, with one look at the grants.
    pub fn seen(&self, kinds: &[Kind]) -> Result<Vec<bool>, Error> {
        let broker = self.permissions().broker();
        let now = broker.now();
        let is_meant = |held: &HeldGrant| held.is_for(self.requester(), now);
        let mentioned = |grants: &crate::grant_index::GrantIndex| -> Vec<bool> {
            kinds.iter().map(|kind| grants.mentions(*kind, is_meant)).collect()
        };
        let mut seen = self.permissions().read(mentioned);
        let state = self.lock();
        for (is_seen, kind) in seen.iter_mut().zip(kinds) {
            *is_seen |= state.declared.mentions(*kind);
        }
        drop(state);
        // The ledger is asked only for what is not known without it.
        if seen.contains(&false) {
            let in_ledger = broker.with_ledger(|ledger| mentioned(&ledger.grants))?.0;
            seen.iter_mut().zip(in_ledger).for_each(|(is_seen, ledger)| *is_seen |= ledger);
        }
        Ok(seen)
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

    /// Notes that a program changes something outside the sandbox, and who it is. When this
    /// returns the log has it; where it fails, the change must not be made.
    pub fn change(&self, what: &str, by: &str) -> Result<(), Error> {
        let mut line = self.line(Event::Change);
        line.target = Some(visible(what).into());
        line.ruling = Some(Ruling::Permit);
        line.note = Some(visible(by).into());
        self.lock().audit.commit(line, &*self.permissions().broker().shared().sink)
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
        let sink = &self.permissions().broker().shared().sink;
        // Nothing comes after this that a failure could still prevent.
        let _ = state.audit.note(line, &**sink);
        let _ = state.audit.hand_over(&**sink);
        drop(state);
        self.permissions().end_run(&self.0.run);
    }

    pub(crate) fn permissions(&self) -> &Permissions {
        &self.0.permissions
    }

    pub(crate) fn requester(&self) -> Requester<'_> {
        Requester { tool: &self.0.tool, sandbox: self.permissions().sandbox(), run: &self.0.run }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a request does to the world outside the sandbox.
fn effect(request: &Request) -> Effect {
    match request {
        Request::Network { .. } | Request::Function { .. } => Effect::Outside,
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
    fn remember(
        &mut self,
        checked: Arc<Checked>,
        verdict: Result<Arc<HeldGrant>, Denial>,
        seen: Seen,
    ) {
        if self.verdicts.len() >= MAX_CACHED_VERDICTS {
            self.verdicts.clear();
        }
        self.verdicts.insert(checked.request.clone(), CachedVerdict { checked, verdict, seen });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !state.has_ended {
            let sink = &self.permissions.broker().shared().sink;
            let mut line = Line::new(self.permissions.broker().now(), Event::End);
            line.sandbox = Some(self.permissions.name().clone());
            line.run = Some(self.run.clone());
            line.note = Some("dropped".into());
            let _ = state.audit.note(line, &**sink);
            let _ = state.audit.hand_over(&**sink);
            self.permissions.end_run(&self.run);
        }
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Desk").field(&self.0.run).finish()
    }
}
