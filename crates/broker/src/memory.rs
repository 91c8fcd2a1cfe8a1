//! Ledger and audit log in memory, for tests and for embedders that keep nothing.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cofferdam_caps::Kind;

use crate::audit::{Line, Offered, Ruling, Sink};
use crate::error::{Error, ErrorKind};
use crate::grant::Grant;
use crate::id::{GrantId, Key, RequestId, RunId};
use crate::ledger::{Changes, Ledger, RecordedRequest, RequestStatus};
use crate::timestamp::Timestamp;

/// Most requests that are kept; beyond this the oldest is dropped.
const MAX_REQUESTS: usize = 10_000;

/// Most audit lines that are kept; beyond this the oldest are dropped.
const MAX_LINES: usize = 100_000;

/// Lines beyond the cap that are tolerated, so that not every line searches the log.
const SLACK: usize = 1_000;

/// A ledger and an audit log that exist only as long as the process.
#[derive(Debug, Default)]
pub struct InMemory {
    key: Key,
    mark: AtomicU64,
    contents: Mutex<Contents>,
    lines: Mutex<VecDeque<Line>>,
}

#[derive(Debug, Default)]
struct Contents {
    grants: HashMap<GrantId, Grant>,
    /// Grants that were bound to a run, so that its end looks at no other.
    bound: HashMap<RunId, Vec<GrantId>>,
    requests: HashMap<RequestId, RecordedRequest>,
    /// Sandbox, tool (empty for every tool) and kind.
    restrictions: HashSet<(String, String, Kind)>,
    /// Changes by the mark that they produced.
    log: BTreeMap<u64, Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Grant(GrantId),
    Status(RequestId),
}

impl InMemory {
    /// Creates an empty ledger and log.
    pub fn new() -> Result<Self, Error> {
        let mut key = Key::default();
        getrandom::fill(&mut key)
            .map_err(|error| Error::new(ErrorKind::System, "random numbers", error))?;
        Ok(Self::with_key(key))
    }

    /// Creates an empty ledger and log with a fixed key, so that tests get the same request ids.
    pub fn with_key(key: Key) -> Self {
        Self { key, ..Self::default() }
    }

    /// Returns the lines of the log, oldest first.
    pub fn lines(&self) -> Vec<Line> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a change and raises the mark.
    ///
    /// Takes the locked contents, so that no reader sees the new mark before the change.
    fn changed(&self, contents: &mut Contents, change: Change) {
        let mark = self.mark.fetch_add(1, Ordering::AcqRel) + 1;
        contents.log.insert(mark, change);
    }

    fn append(&self, lines: Vec<Line>) {
        let mut log = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend(lines);
        let mut excess = log.len().saturating_sub(MAX_LINES);
        if excess > SLACK {
            // A tool can cause denials without end, so they make room first.
            log.retain(|line| {
                let goes = excess > 0 && line.ruling == Some(Ruling::Deny);
                excess -= usize::from(goes);
                !goes
            });
            log.drain(..excess);
        }
    }
}

impl Ledger for InMemory {
    fn key(&self) -> Result<Key, Error> {
        Ok(self.key)
    }

    fn mark(&self) -> Result<u64, Error> {
        Ok(self.mark.load(Ordering::Acquire))
    }

    fn changes(&self, since: u64) -> Result<Changes, Error> {
        let contents = self.contents();
        let mut changes = Changes { at: self.mark.load(Ordering::Acquire), ..Changes::default() };
        for change in contents.log.range(since + 1..).map(|(_, change)| change) {
            match change {
                Change::Grant(id) => match contents.grants.get(id) {
                    Some(grant) => changes.grants.push(grant.clone()),
                    None => changes.gone.push(id.clone()),
                },
                Change::Status(id) => {
                    let status =
                        contents.requests.get(id).map_or(RequestStatus::Open, |p| p.status);
                    changes.requests.push((id.clone(), status));
                }
            }
        }
        Ok(changes)
    }

    fn add(&self, grant: &Grant, answers: Option<&RequestId>) -> Result<(), Error> {
        let mut contents = self.contents();
        contents.grants.insert(grant.id.clone(), grant.clone());
        if let Some(run) = &grant.run {
            contents.bound.entry(run.clone()).or_default().push(grant.id.clone());
        }
        self.changed(&mut contents, Change::Grant(grant.id.clone()));
        if let Some(request) = answers.and_then(|id| contents.requests.get_mut(id)) {
            request.status = RequestStatus::Granted;
            let id = request.id.clone();
            self.changed(&mut contents, Change::Status(id));
        }
        Ok(())
    }

    fn revoke(&self, id: &GrantId) -> Result<Option<Grant>, Error> {
        let mut contents = self.contents();
        let grant = contents.grants.remove(id);
        if grant.is_some() {
            self.changed(&mut contents, Change::Grant(id.clone()));
        }
        Ok(grant)
    }

    fn take(&self, id: &GrantId, now: Timestamp) -> Result<bool, Error> {
        let mut contents = self.contents();
        let Some(grant) =
            contents.grants.get_mut(id).filter(|g| g.lives_at(now) && g.uses != Some(0))
        else {
            return Ok(false);
        };
        let Some(uses) = &mut grant.uses else { return Ok(true) };
        *uses = uses.saturating_sub(1);
        if *uses == 0 {
            contents.grants.remove(id);
            self.changed(&mut contents, Change::Grant(id.clone()));
        }
        Ok(true)
    }

    fn bind(&self, id: &GrantId, run: &RunId, now: Timestamp) -> Result<bool, Error> {
        let mut contents = self.contents();
        let Some(grant) = contents.grants.get_mut(id).filter(|grant| grant.lives_at(now)) else {
            return Ok(false);
        };
        if let Some(bound) = &grant.run {
            return Ok(bound == run);
        }
        grant.bind(run, now);
        contents.bound.entry(run.clone()).or_default().push(id.clone());
        self.changed(&mut contents, Change::Grant(id.clone()));
        Ok(true)
    }

    fn end_run(&self, run: &RunId) -> Result<(), Error> {
        let mut contents = self.contents();
        for id in contents.bound.remove(run).unwrap_or_default() {
            // One that was revoked meanwhile is gone already.
            if contents.grants.remove(&id).is_some() {
                self.changed(&mut contents, Change::Grant(id));
            }
        }
        Ok(())
    }

    fn record(&self, request: &RecordedRequest) -> Result<(), Error> {
        let mut contents = self.contents();
        if let Some(known) = contents.requests.get_mut(&request.id) {
            known.last = request.last;
            known.times = known.times.saturating_add(1);
            // Denied again, so the earlier grant was used up, expired or revoked.
            if known.status == RequestStatus::Granted {
                known.status = RequestStatus::Open;
            }
            return Ok(());
        }
        if contents.requests.len() >= MAX_REQUESTS {
            let oldest = contents.requests.values().min_by_key(|p| p.last).map(|p| p.id.clone());
            oldest.and_then(|id| contents.requests.remove(&id));
        }
        contents.requests.insert(request.id.clone(), request.clone());
        Ok(())
    }

    fn deny(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        let mut contents = self.contents();
        let Some(request) = contents.requests.get_mut(id) else { return Ok(None) };
        request.status = RequestStatus::Denied;
        let request = request.clone();
        self.changed(&mut contents, Change::Status(id.clone()));
        Ok(Some(request))
    }

    fn request(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        Ok(self.contents().requests.get(id).cloned())
    }

    fn requests(&self) -> Result<Vec<RecordedRequest>, Error> {
        let mut all: Vec<_> = self.contents().requests.values().cloned().collect();
        all.sort_by(|a, b| (b.last, &b.id).cmp(&(a.last, &a.id)));
        Ok(all)
    }

    fn grants(&self) -> Result<Vec<Grant>, Error> {
        let mut all: Vec<_> = self.contents().grants.values().cloned().collect();
        all.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        Ok(all)
    }

    fn restrict(&self, sandbox: &str, tool: Option<&str>, kind: Kind) -> Result<(), Error> {
        let entry = (sandbox.to_owned(), tool.unwrap_or_default().to_owned(), kind);
        self.contents().restrictions.insert(entry);
        Ok(())
    }

    fn is_restricted(&self, sandbox: &str, tool: &str, kind: Kind) -> Result<bool, Error> {
        let restrictions = &self.contents().restrictions;
        let is_in =
            |tool: &str| restrictions.contains(&(sandbox.to_owned(), tool.to_owned(), kind));
        Ok(is_in("") || is_in(tool))
    }

    fn is_shared(&self) -> bool {
        false
    }
}

impl Sink for InMemory {
    fn offer(&self, lines: Vec<Line>) -> Offered {
        self.append(lines);
        Offered::Taken
    }

    fn commit(&self, lines: Vec<Line>) -> Result<(), Error> {
        self.append(lines);
        Ok(())
    }

    fn flush(&self) -> Result<(), Error> {
        Ok(())
    }
}
