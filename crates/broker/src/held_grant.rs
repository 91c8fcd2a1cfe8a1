//! Grants as the broker holds them in memory, ready to be used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cofferdam_caps::dom::Markup;
use cofferdam_caps::{Capability, Request};

use crate::grant::Grant;
use crate::timestamp::Timestamp;

/// A grant in force, with the number of uses left.
#[derive(Debug)]
pub(crate) struct HeldGrant {
    pub(crate) grant: Grant,
    /// Capability as text, for the audit log.
    pub(crate) text: Arc<str>,
    pub(crate) id: Arc<str>,
    pub(crate) source: Source,
    /// Limits the grant to one run; set if a declared capability was granted once.
    run: Option<Arc<str>>,
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
    Counted(AtomicU32),
    /// Counted in the ledger, because other processes use the grant too.
    InLedger,
}

/// The tool, sandbox and run that make a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requester<'a> {
    pub(crate) tool: &'a str,
    pub(crate) sandbox: &'a str,
    pub(crate) run: &'a str,
}

impl HeldGrant {
    pub(crate) fn new(grant: Grant, source: Source) -> Self {
        let left = match (grant.uses, source) {
            (None, Source::Sandbox | Source::Ledger) => Left::Unlimited,
            (Some(uses), Source::Sandbox) => Left::Counted(AtomicU32::new(uses)),
            (Some(_), Source::Ledger) => Left::InLedger,
        };
        let (text, id) = (grant.capability.to_string().into(), grant.id.as_str().into());
        Self { grant, text, id, source, run: None, left }
    }

    /// Creates a grant that is unlimited within one run.
    pub(crate) fn for_run(grant: Grant, run: Arc<str>) -> Self {
        let held = Self::new(grant, Source::Sandbox);
        Self { run: Some(run), left: Left::Unlimited, ..held }
    }

    pub(crate) fn is_for(&self, requester: Requester<'_>, now: Timestamp) -> bool {
        let fits = |limit: &Option<Arc<str>>, who: &str| limit.as_deref().is_none_or(|l| l == who);
        fits(&self.grant.holder.tool, requester.tool)
            && fits(&self.grant.holder.sandbox, requester.sandbox)
            && fits(&self.run, requester.run)
            && self.grant.lives_at(now)
            && !matches!(&self.left, Left::Counted(left) if left.load(Ordering::Relaxed) == 0)
    }

    /// Returns true if the grant is not for one run only.
    pub(crate) fn is_of_any_run(&self) -> bool {
        self.run.is_none()
    }

    pub(crate) fn is_of_run(&self, run: &str) -> bool {
        self.run.as_deref() == Some(run)
    }

    pub(crate) fn is_unlimited(&self) -> bool {
        matches!(self.left, Left::Unlimited)
    }

    pub(crate) fn is_counted_in_ledger(&self) -> bool {
        matches!(self.left, Left::InLedger)
    }

    /// Consumes one use, unless the ledger counts them; returns false if none is left.
    pub(crate) fn take(&self) -> bool {
        match &self.left {
            Left::Unlimited | Left::InLedger => true,
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
