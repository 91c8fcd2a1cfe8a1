//! The [`Desk`]: where one run has its requests checked.
//!
//! `decide` finds the grant for a request, `bind` takes it into use, `ask` opens questions, and
//! `record` writes the verdict down. This file holds the state that they share.

mod ask;
mod bind;
mod decide;
mod record;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use cofferdam_caps::{Access, Capability, CapabilitySet, Kind, Request, visible};

use crate::audit::{Cost, Event, Line, Ruling};
use crate::audit_buffer::AuditBuffer;
use crate::code::Code;
use crate::denial::{Denial, Reason};
use crate::error::Error;
use crate::grant::Span;
use crate::grant_index::Query;
use crate::held_grant::{HeldGrant, Requester};
use crate::id::{RequestId, RunId};
use crate::identity::shown_identity;
use crate::ledger_cache::Need;
use crate::permissions::Permissions;
use crate::permit::{Action, Checked, Permit};
use crate::timestamp::Timestamp;
use crate::waiting::{RequestWaiting, Seen, Waiting};

/// Most verdicts that a run caches; when full, the cache is cleared.
const MAX_CACHED_VERDICTS: usize = 512;

/// Most questions that one run may cause. A person faced with more approves without reading.
// T-PERM-006: a person worn down by questions.
pub const MAX_QUESTIONS: u32 = 64;

/// Most denied requests of one run that are recorded.
///
/// Further requests are denied too, but cannot be granted by their id.
// T-PERM-012: denials that fill the disk.
pub const MAX_KEPT_REQUESTS: u32 = 256;

/// The broker as one run sees it: checks the run's requests and writes its audit lines.
///
/// Clones share their state.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    permissions: Permissions,
    run: Arc<str>,
    /// Identifies the run among those of all processes, for grants that belong to it.
    run_id: RunId,
    /// The tool with the modules that it has loaded.
    code: RwLock<Arc<Code>>,
    since: Timestamp,
    /// True if a grant of the ledger may belong to this run.
    has_bound: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    verdicts: HashMap<Request, CachedVerdict>,
    /// Requests that an approver refused during this run.
    refused: HashSet<RequestId>,
    /// Requests of this run that the ledger has recorded.
    kept: HashSet<RequestId>,
    declared: CapabilitySet,
    questions: u32,
    audit: AuditBuffer,
    /// Denied requests in the order in which they were first made.
    denials: Vec<Denial>,
    has_ended: bool,
}

/// A verdict that is valid until grants change.
struct CachedVerdict {
    checked: Arc<Checked>,
    verdict: Result<Arc<HeldGrant>, Denial>,
    seen: Seen,
}

/// Result of checking an action.
#[derive(Debug)]
pub enum Verdict<A> {
    /// The action is permitted.
    Permit(Permit<A>),
    /// The action is denied.
    Denied(Denial),
    /// An approver is being asked; the future resolves to the result.
    Ask(Waiting<A>),
}

/// Result of checking one request.
pub(crate) enum RequestVerdict {
    Permit(Permit<()>),
    Denied(Denial),
    Ask(RequestWaiting),
}

/// Result of checking the further requests of an action.
pub(crate) enum RequestsVerdict {
    Permit,
    Denied(Denial),
    Ask(RequestWaiting),
}

/// Result that a check would have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preview {
    /// Permitted, by a grant of this capability and span.
    Granted(Capability, Span),
    /// An approver would be asked for this capability.
    WouldAsk(Capability),
    /// Denied; this capability would be required.
    WouldDeny(Capability),
}

/// Reach of a call, which decides when its audit line must be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Affects only the sandbox; the line may be written later.
    Inside,
    /// Affects the world outside; the line must be durable before the call.
    Outside,
}

/// Result of checking a waiting request again.
pub(crate) enum Recheck {
    Permit(Permit<()>),
    Denied(Reason),
    Nothing,
}

impl Desk {
    pub(crate) fn new(permissions: Permissions, run: Arc<str>, tool: Arc<str>) -> Self {
        let (run_id, since) = (permissions.broker().shared().ids.run(), permissions.broker().now());
        let (has_bound, state) = Default::default();
        let shown = shown_identity(&tool);
        let code = RwLock::new(Arc::new(Code::new(tool)));
        let desk =
            Self(Arc::new(Inner { permissions, run, run_id, code, since, has_bound, state }));
        let mut line = desk.line(Event::Start);
        line.target = Some(shown.into());
        desk.note(line);
        desk
    }

    /// Permits or denies an action, or asks the approver; writes the audit lines.
    // T-PERM-001: use of something not granted.
    pub fn check<A: Action>(&self, mut action: A) -> Verdict<A> {
        let request = action.request();
        let permit = match self.verdict(&request, effect(&request), &|| action.particulars()) {
            RequestVerdict::Permit(permit) => permit,
            RequestVerdict::Denied(denial) => return Verdict::Denied(denial),
            RequestVerdict::Ask(waiting) => {
                return Verdict::Ask(Waiting::new(self.clone(), action, None, waiting));
            }
        };
        match self.check_further(&mut action) {
            RequestsVerdict::Permit => match self.commit_for(&action, &permit) {
                None => Verdict::Permit(permit.for_action(action)),
                Some(denial) => Verdict::Denied(denial),
            },
            RequestsVerdict::Denied(denial) => Verdict::Denied(denial),
            RequestsVerdict::Ask(waiting) => {
                Verdict::Ask(Waiting::new(self.clone(), action, Some(permit), waiting))
            }
        }
    }

    /// Checks the further requests of an action until one is denied or has to be asked for.
    pub(crate) fn check_further(&self, action: &mut impl Action) -> RequestsVerdict {
        while let Some(request) = action.further() {
            match self.verdict(&request, effect(&request), &|| action.particulars()) {
                // The permit of an action is the one of its first request.
                RequestVerdict::Permit(permit) => drop(permit),
                RequestVerdict::Denied(denial) => return RequestsVerdict::Denied(denial),
                RequestVerdict::Ask(waiting) => return RequestsVerdict::Ask(waiting),
            }
        }
        RequestsVerdict::Permit
    }

    /// Makes the audit lines of an action outside the sandbox durable, all of its requests together.
    /// Returns a denial if that fails: what cannot be recorded is not done.
    pub(crate) fn commit_for(&self, action: &impl Action, permit: &Permit<()>) -> Option<Denial> {
        if !action.acts_outside() {
            return None;
        }
        let sink = &*self.permissions().broker().shared().sink;
        let error = self.lock().audit.commit_noted(sink).err()?;
        let required = permit.request().required();
        let id = self.request_id(&required);
        Some(Denial::new(&required, &id, Reason::Unavailable(error)))
    }

    /// Returns the result that a check would have, without asking, consuming a use or logging.
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

    /// Returns the capabilities of these kinds that this run's sandbox was granted, in no particular
    /// order, without those of the ledger.
    pub fn granted_kinds(&self, kinds: &[Kind]) -> Vec<Capability> {
        self.permissions().read(|grants| {
            let mut all = Vec::new();
            let mut add = |held: &Arc<HeldGrant>| all.push(held.grant.capability.clone());
            kinds.iter().for_each(|kind| grants.of_kind(*kind, &mut add));
            all
        })
    }

    /// Records the capabilities that a tool declares; [`sees`](Self::sees) takes them into account.
    pub fn declare(&self, capabilities: &CapabilitySet) {
        let mut state = self.lock();
        for capability in capabilities.iter() {
            state.declared.insert(capability.clone());
        }
    }

    /// Returns true if the guest may see that `kind` exists: something of that kind is granted to
    /// the run, or the tool declared it.
    pub fn sees(&self, kind: Kind) -> Result<bool, Error> {
        Ok(self.seen(&[kind])?[0])
    }

    /// Returns true if the sandbox has only what it is granted of `kind`: something of that kind is
    /// granted to the run, or was ever granted to the sandbox.
    ///
    /// For resources that are open as long as nothing is granted by name. A grant that is revoked
    /// or used up must not open them again.
    pub fn is_restricted(&self, kind: Kind) -> Result<bool, Error> {
        if self.sees(kind)? {
            self.permissions().restrict(kind);
        }
        let was_restricted = self.was_restricted(kind)?;
        Ok(was_restricted || self.permissions().is_restricted(kind))
    }

    /// Returns true if an earlier process found the sandbox restricted. Records it if a lasting
    /// grant restricts this run.
    // T-PERM-023: a grant that is gone.
    fn was_restricted(&self, kind: Kind) -> Result<bool, Error> {
        let broker = self.permissions().broker();
        let (ledger, sandbox) = (&broker.shared().ledger, self.permissions().sandbox());
        if !broker.shared().keeps_sessions {
            return Ok(false);
        }
        let (code, now) = (self.code(), broker.now());
        if ledger.is_restricted(sandbox, code.identity(), kind)? {
            return Ok(true);
        }
        let is_meant = |held: &HeldGrant| held.is_for(self.requester(&code), now);
        let for_all = |held: &HeldGrant| is_meant(held) && held.grant.holder.tool.is_none();
        let (is_seen, is_for_all) = broker
            .with_ledger(&code, Need::Sign(&[kind], sandbox), |cache| {
                let mentions = |is_meant: &dyn Fn(&HeldGrant) -> bool| {
                    cache.grants.mentions(kind, &code, is_meant)
                };
                (mentions(&is_meant), mentions(&for_all))
            })?
            .0;
        if is_seen {
            let tool = (!is_for_all).then_some(&**code.identity());
            ledger.restrict(sandbox, tool, kind)?;
        }
        Ok(is_seen)
    }

    /// Returns [`sees`](Self::sees) for each of `kinds`, reading the grants once.
    pub fn seen(&self, kinds: &[Kind]) -> Result<Vec<bool>, Error> {
        let broker = self.permissions().broker();
        let now = broker.now();
        let code = self.code();
        let is_meant = |held: &HeldGrant| held.is_for(self.requester(&code), now);
        let mentioned = |grants: &crate::grant_index::GrantIndex| -> Vec<bool> {
            kinds.iter().map(|kind| grants.mentions(*kind, &code, is_meant)).collect()
        };
        let mut seen = self.permissions().read(mentioned);
        let state = self.lock();
        for (is_seen, kind) in seen.iter_mut().zip(kinds) {
            *is_seen |= state.declared.mentions(*kind);
        }
        drop(state);
        // Reads the ledger only if the sandbox's own grants do not settle every kind.
        if seen.contains(&false) {
            let need = Need::Sign(kinds, self.permissions().sandbox());
            let in_ledger = broker.with_ledger(&code, need, |ledger| mentioned(&ledger.grants))?.0;
            seen.iter_mut().zip(in_ledger).for_each(|(is_seen, ledger)| *is_seen |= ledger);
        }
        Ok(seen)
    }

    /// Logs the cost of a permitted call that has finished.
    pub fn done<A>(&self, permit: &Permit<A>, cost: Cost) {
        let mut line = self.line(Event::Done);
        line.capability = Some(permit.held().text.clone());
        line.target = Some(permit.checked().target.clone());
        line.cost = cost;
        self.note(line);
    }

    /// Logs that the run was killed or reached a limit; `what` describes the cause.
    pub fn stopped(&self, event: Event, what: &str) {
        let mut line = self.line(event);
        line.target = Some(visible(what).into());
        self.note(line);
    }

    /// Logs that the program `by` is about to change something outside the sandbox.
    ///
    /// On success the line is durable. On failure the change must not be made.
    pub fn change(&self, what: &str, by: &str) -> Result<(), Error> {
        let mut line = self.line(Event::Change);
        line.target = Some(visible(what).into());
        line.ruling = Some(Ruling::Permit);
        line.note = Some(visible(by).into());
        self.lock().audit.commit(line, &*self.permissions().broker().shared().sink)
    }

    /// Ends the run: offers its audit lines to the sink and drops grants made for this run only.
    ///
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
        // The run is over, so a failure has nothing left to prevent.
        let _ = state.audit.note_end(line, &**sink);
        let _ = state.audit.hand_over(&**sink);
        drop(state);
        self.0.end_grants();
    }

    pub(crate) fn permissions(&self) -> &Permissions {
        &self.0.permissions
    }

    /// Records that the run has loaded a module, before the module runs. From now on the run holds
    /// the grants of the tool with this module, and not those of the tool without it.
    // T-PERM-021: a module that changed.
    pub fn loaded(&self, path: &str, module: &[u8]) {
        let mut code = self.0.code.write().unwrap_or_else(PoisonError::into_inner);
        *code = Arc::new(code.with(path, module));
        drop(code);
        self.lock().verdicts.clear();
    }

    pub(crate) fn code(&self) -> Arc<Code> {
        self.0.code.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn requester<'a>(&'a self, code: &'a Code) -> Requester<'a> {
        let (sandbox, run) = (self.permissions().sandbox(), &self.0.run_id);
        Requester { code, since: self.0.since, sandbox, run }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the reach of a request, judged by its kind.
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
            let _ = state.audit.note_end(line, &**sink);
            let _ = state.audit.hand_over(&**sink);
            self.end_grants();
        }
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Desk").field(&self.0.run).finish()
    }
}
