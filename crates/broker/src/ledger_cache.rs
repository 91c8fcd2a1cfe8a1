//! The broker's copy of the ledger: of a few grants all of them, of many those that were asked about.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cofferdam_caps::{Capability, Kind};

use crate::code::Code;
use crate::error::Error;
use crate::grant::Grant;
use crate::grant_index::{GrantIndex, Query};
use crate::held_grant::{HeldGrant, Source};
use crate::id::RequestId;
use crate::ledger::{Changes, Ledger, Part, RequestStatus};

/// Most grants for one tool, or for every tool, that are read together. Of more, each request reads
/// those that may allow it.
const FEW: usize = 64;

/// Most tools, and most requests or sandboxes of each, whose grants are known to be cached; beyond
/// this they are read again.
const MAX_KNOWN: usize = 4096;

/// Contents of the ledger as of the last read, without grants that nobody has asked about.
#[derive(Default)]
pub(crate) struct LedgerCache {
    pub(crate) grants: GrantIndex,
    pub(crate) denied: HashSet<RequestId>,
    /// Part of the grants for every tool that is among the grants.
    for_all: Option<Known>,
    /// Part of each tool's own grants that is among the grants.
    tools: HashMap<Arc<str>, Known>,
    /// Mark of the ledger before it was read; `None` if it was never read.
    pub(crate) mark: Option<u64>,
    /// Position to continue reading from; see [`Changes::at`].
    pub(crate) at: u64,
}

/// Grants that a reader of the cache needs.
#[derive(Clone, Copy)]
pub(crate) enum Need<'a> {
    /// Those that may allow a request.
    Request(&'a Query),
    /// All of these kinds.
    Kinds(&'a [Kind]),
    /// One of each of these kinds that the runs of a sandbox hold, if there is one.
    Sign(&'a [Kind], &'a str),
}

/// The part of the grants for one tool, or for every tool, that was read. Later changes of all
/// grants arrive with [`Changes`].
enum Known {
    All,
    Some(Parts),
}

#[derive(Default)]
struct Parts {
    /// Kinds that were read as a whole, one bit each.
    kinds: u32,
    /// Narrowest capabilities of the requests whose grants were read.
    requests: HashSet<Capability>,
    /// Kinds of which one grant was read, by sandbox. Another may take its place with any change.
    signs: HashMap<Box<str>, u32>,
}

impl Known {
    fn has(&self, need: Need<'_>) -> bool {
        let Known::Some(parts) = self else { return true };
        let has_all =
            |kinds: u32, wanted: &[Kind]| wanted.iter().all(|kind| kinds & bit(*kind) != 0);
        match need {
            Need::Request(query) => {
                parts.kinds & bit(query.kind()) != 0 || parts.requests.contains(query.capability())
            }
            Need::Kinds(kinds) => has_all(parts.kinds, kinds),
            Need::Sign(kinds, sandbox) => {
                has_all(parts.kinds | parts.signs.get(sandbox).unwrap_or(&0), kinds)
            }
        }
    }
}

impl Parts {
    /// Reads what is needed and not known.
    fn read(
        &mut self,
        need: Need<'_>,
        tool: Option<&str>,
        ledger: &dyn Ledger,
    ) -> Result<Vec<Grant>, Error> {
        match need {
            Need::Request(query) => {
                let grants = ledger.grants_for(tool, Part::Keys(&query.keys()))?;
                if self.requests.len() >= MAX_KNOWN {
                    self.requests.clear();
                }
                self.requests.insert(query.capability().clone());
                Ok(grants)
            }
            Need::Kinds(kinds) => {
                let mut found = Vec::new();
                for kind in kinds {
                    if self.kinds & bit(*kind) == 0 {
                        found.extend(ledger.grants_for(tool, Part::Kind(*kind))?);
                        self.kinds |= bit(*kind);
                    }
                }
                Ok(found)
            }
            Need::Sign(kinds, sandbox) => {
                if self.signs.len() >= MAX_KNOWN {
                    self.signs.clear();
                }
                let signs = self.signs.entry(sandbox.into()).or_default();
                let known = self.kinds | *signs;
                let unknown = |kind: &Kind| known & bit(*kind) == 0;
                let kinds: Vec<Kind> = kinds.iter().copied().filter(unknown).collect();
                let found = ledger.grants_for(tool, Part::Signs { kinds: &kinds, sandbox })?;
                *signs = kinds.iter().fold(*signs, |signs, kind| signs | bit(*kind));
                Ok(found)
            }
        }
    }
}

impl LedgerCache {
    /// Returns true if the needed grants for the code of a run were read.
    pub(crate) fn has(&self, code: &Code, need: Need<'_>) -> bool {
        let has = |known: Option<&Known>| known.is_some_and(|known| known.has(need));
        has(self.for_all.as_ref()) && has(self.tools.get(code.identity()))
    }

    /// Reads the needed grants for the code of a run.
    pub(crate) fn read(
        &mut self,
        code: &Code,
        need: Need<'_>,
        ledger: &dyn Ledger,
    ) -> Result<(), Error> {
        if self.tools.len() >= MAX_KNOWN {
            // Their grants stay, and reading them again changes nothing.
            self.tools.clear();
        }
        let mut for_all = self.for_all.take();
        let read = self.read_of(None, &mut for_all, need, ledger);
        self.for_all = for_all;
        read?;
        // Decisions about a run stay in force when it loads more code. They are few, and only
        // their time tells them from the other grants for that code.
        for tool in code.earlier() {
            if !matches!(self.tools.get(tool), Some(Known::All)) {
                ledger.grants_for(Some(tool), Part::All)?.into_iter().for_each(|g| self.insert(g));
                self.tools.insert(tool.clone(), Known::All);
            }
        }
        let tool = code.identity();
        let mut known = self.tools.remove(tool);
        let read = self.read_of(Some(tool), &mut known, need, ledger);
        if let Some(known) = known {
            self.tools.insert(tool.clone(), known);
        }
        read
    }

    /// Reads the grants for every tool, if they are few. A ledger with a grant that cannot be read is
    /// noticed here.
    pub(crate) fn begin(&mut self, ledger: &dyn Ledger) -> Result<(), Error> {
        if self.for_all.is_none() {
            self.for_all = Some(self.read_few(None, ledger)?);
        }
        Ok(())
    }

    fn read_few(&mut self, tool: Option<&str>, ledger: &dyn Ledger) -> Result<Known, Error> {
        if ledger.has_more_than(tool, FEW)? {
            return Ok(Known::Some(Parts::default()));
        }
        ledger.grants_for(tool, Part::All)?.into_iter().for_each(|grant| self.insert(grant));
        Ok(Known::All)
    }

    fn read_of(
        &mut self,
        tool: Option<&str>,
        known: &mut Option<Known>,
        need: Need<'_>,
        ledger: &dyn Ledger,
    ) -> Result<(), Error> {
        if known.is_none() {
            *known = Some(self.read_few(tool, ledger)?);
        }
        if let Some(Known::Some(parts)) = known {
            parts.read(need, tool, ledger)?.into_iter().for_each(|grant| self.insert(grant));
        }
        Ok(())
    }

    fn insert(&mut self, grant: Grant) {
        self.grants.insert(Arc::new(HeldGrant::new(grant, Source::Ledger)));
    }

    pub(crate) fn apply(&mut self, changes: &Changes) {
        if changes.whole {
            self.grants = GrantIndex::default();
            self.denied.clear();
            self.for_all = None;
            self.tools.clear();
        }
        for known in self.tools.values_mut().chain(self.for_all.as_mut()) {
            if let Known::Some(parts) = known {
                parts.signs.clear();
            }
        }
        for id in &changes.gone {
            self.grants.remove(id);
        }
        changes.grants.iter().for_each(|grant| self.insert(grant.clone()));
        for (id, status) in &changes.requests {
            match status {
                RequestStatus::Denied => self.denied.insert(id.clone()),
                RequestStatus::Open | RequestStatus::Granted => self.denied.remove(id),
            };
        }
        self.at = changes.at;
    }
}

fn bit(kind: Kind) -> u32 {
    1 << kind as u32
}
