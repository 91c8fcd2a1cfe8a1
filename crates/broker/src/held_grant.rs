use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cofferdam_caps::dom::Markup;
use cofferdam_caps::{Capability, Request};

use crate::grant::Grant;
use crate::timestamp::Timestamp;

/// A grant that may be used now.
#[derive(Debug)]
pub(crate) struct HeldGrant {
    pub(crate) grant: Grant,
    /// The capability as the audit names it.
    pub(crate) text: Arc<str>,
    pub(crate) id: Arc<str>,
    pub(crate) source: Source,
    /// This run only: what `once` means for something that was declared.
    run: Option<Arc<str>>,
    left: Left,
}

/// Where it is kept, and so what can take it away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Sandbox,
    Ledger,
}

/// How many permits it is good for.
#[derive(Debug)]
enum Left {
    Unlimited,
    Counted(AtomicU32),
    /// Counted in the ledger, where other processes use it too.
    InLedger,
}

/// Who is asking.
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

    /// For the whole of a run instead of one permit.
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

    pub(crate) fn is_of_run(&self, run: &str) -> bool {
        self.run.as_deref() == Some(run)
    }

    pub(crate) fn is_unlimited(&self) -> bool {
        matches!(self.left, Left::Unlimited)
    }

    pub(crate) fn is_counted_in_ledger(&self) -> bool {
        matches!(self.left, Left::InLedger)
    }

    /// Uses up one permit of what is counted here; false where none is left.
    pub(crate) fn take(&self) -> bool {
        match &self.left {
            Left::Unlimited | Left::InLedger => true,
            Left::Counted(left) => {
                let one_less = |left: u32| left.checked_sub(1);
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
            }
        }
    }

    /// The grant as it is now.
    pub(crate) fn snapshot(&self) -> Grant {
        let mut grant = self.grant.clone();
        if let Left::Counted(left) = &self.left {
            grant.uses = Some(left.load(Ordering::Relaxed));
        }
        grant
    }

    /// Which of several is used, the greatest first: one that brings headers, then one that
    /// reaches what is not public, then one that is not used up by it, then one that gives no
    /// more than is asked for.
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
