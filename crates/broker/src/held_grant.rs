//! Grants as the broker holds them in memory, ready to be used.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use cofferdam_caps::dom::Markup;
use cofferdam_caps::{Capability, Request};

use crate::code::Code;
use crate::grant::{Grant, Span};
use crate::id::RunId;
use crate::timestamp::Timestamp;

/// A grant in force, with the number of uses left.
#[derive(Debug)]
pub(crate) struct HeldGrant {
    pub(crate) grant: Grant,
    /// Capability as text, for the audit log.
    pub(crate) text: Arc<str>,
    pub(crate) id: Arc<str>,
    pub(crate) source: Source,
    /// Limits the grant to one run: of a grant for one run, the first that used it.
    run: OnceLock<RunId>,
    left: Left,
}

/// Place where a grant is kept, which determines what can revoke it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Sandbox,
    Ledger,
}

/// Number of permits left.
#[derive(Debug)]
enum Left {
    Unlimited,
    /// Unlimited for one run.
    OneRun,
    Counted(AtomicU32),
    /// Counted in the ledger, because other processes use the grant too.
    InLedger,
}

/// The code, sandbox and run that make a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requester<'a> {
    pub(crate) code: &'a Code,
    /// Start of the run.
    pub(crate) since: Timestamp,
    pub(crate) sandbox: &'a str,
    pub(crate) run: &'a RunId,
}

impl HeldGrant {
    pub(crate) fn new(grant: Grant, source: Source) -> Self {
        let left = match (grant.uses, source) {
            (None, _) if grant.span == Span::Once => Left::OneRun,
            (None, Source::Sandbox | Source::Ledger) => Left::Unlimited,
            (Some(uses), Source::Sandbox) => Left::Counted(AtomicU32::new(uses)),
            (Some(_), Source::Ledger) => Left::InLedger,
        };
        let (text, id) = (grant.capability.to_string().into(), grant.id.as_str().into());
        let run = grant.run.clone().map_or_else(OnceLock::new, OnceLock::from);
        Self { grant, text, id, source, run, left }
    }

    /// Creates a grant that belongs to a run already.
    pub(crate) fn for_run(grant: Grant, run: RunId) -> Self {
        Self { run: OnceLock::from(run), ..Self::new(grant, Source::Sandbox) }
    }

    pub(crate) fn is_for(&self, requester: Requester<'_>, now: Timestamp) -> bool {
        let is_here = |sandbox: &Arc<str>| **sandbox == *requester.sandbox;
        self.grant.holder.tool.as_ref().is_none_or(|tool| self.is_for_code(tool, requester))
            && self.grant.holder.sandbox.as_ref().is_none_or(is_here)
            && self.run.get().is_none_or(|run| run == requester.run)
            && self.grant.lives_at(now)
            && !matches!(&self.left, Left::Counted(left) if left.load(Ordering::Relaxed) == 0)
    }

    /// Returns true if a grant for this tool is for the code of the run. Decisions about this run
    /// stay in force in it when it loads more code; a lasting grant does not.
    // T-PERM-021: a module that changed.
    fn is_for_code(&self, tool: &Arc<str>, requester: Requester<'_>) -> bool {
        let is_about_this_run =
            self.grant.at >= requester.since || self.run() == Some(requester.run);
        requester.code.identity() == tool || (is_about_this_run && requester.code.was(tool))
    }

    /// Returns true if the grant is not bound to another folder of the host than this one.
    // T-PERM-018: another folder at the same path.
    pub(crate) fn is_in(&self, folder: Option<&str>) -> bool {
        match (self.grant.holder.folder.as_deref(), folder) {
            (Some(bound), Some(folder)) => bound == folder,
            (Some(_), None) | (None, _) => true,
        }
    }

    /// Returns true if the grant does not belong to a run.
    pub(crate) fn is_of_any_run(&self) -> bool {
        self.run.get().is_none()
    }

    /// Returns the run that the grant belongs to.
    pub(crate) fn run(&self) -> Option<&RunId> {
        self.run.get()
    }

    /// Returns true if the grant can be used any number of times, at least by the run that it
    /// belongs to.
    pub(crate) fn is_unlimited(&self) -> bool {
        match &self.left {
            Left::Unlimited => true,
            Left::OneRun => self.run.get().is_some(),
            Left::Counted(_) | Left::InLedger => false,
        }
    }

    /// Returns true if the grant is for one run and belongs to none yet.
    pub(crate) fn is_unbound(&self) -> bool {
        matches!(self.left, Left::OneRun) && self.run.get().is_none()
    }

    /// Binds a grant for one run to `run`. Returns false if it belongs to another.
    pub(crate) fn bind(&self, run: &RunId) -> bool {
        self.run.get_or_init(|| run.clone()) == run
    }

    pub(crate) fn is_counted_in_ledger(&self) -> bool {
        matches!(self.left, Left::InLedger)
    }

    /// Consumes one use, unless the ledger counts them; returns false if none is left.
    pub(crate) fn take(&self) -> bool {
        match &self.left {
            Left::Unlimited | Left::OneRun | Left::InLedger => true,
            Left::Counted(left) => {
                let one_less = |left: u32| left.checked_sub(1);
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
            }
        }
    }

    /// Returns the grant with the current number of uses.
    pub(crate) fn snapshot(&self) -> Grant {
        let mut grant = self.grant.clone();
        if let Left::Counted(left) = &self.left {
            grant.uses = Some(left.load(Ordering::Relaxed));
        }
        grant.run = self.run.get().cloned();
        grant
    }

    /// Returns the rank of this grant among those that allow `request`; the greatest is used.
    ///
    /// Prefers, in this order, a grant with headers, one that reaches private addresses, one
    /// without a limit on uses, and one that does not allow raw markup.
    pub(crate) fn preference(&self, request: &Request) -> (bool, bool, bool, bool) {
        let names = match request {
            Request::Network { url, .. } => self.grant.capability.names_origin(url),
            Request::Dom { .. }
            | Request::Env { .. }
            | Request::Fs { .. }
            | Request::Process { .. }
            | Request::State { .. }
            | Request::Storage { .. }
            | Request::Function { .. } => false,
        };
        let is_raw =
            matches!(&self.grant.capability, Capability::Dom(dom) if dom.markup() == Markup::Raw);
        (!self.grant.headers.is_empty(), names, self.is_unlimited(), !is_raw)
    }
}
