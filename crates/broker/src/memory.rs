use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::audit::{Line, Offered, Sink};
use crate::error::{Error, ErrorKind};
use crate::grant::Grant;
use crate::id::{GrantId, Key, RequestId};
use crate::ledger::{Changes, Ledger, Petition, Standing};
use crate::stamp::Stamp;

/// Most requests that are remembered; the oldest make room.
const MAX_PETITIONS: usize = 10_000;

/// Most lines of the log that are kept; the oldest make room.
const MAX_LINES: usize = 100_000;

/// A ledger and an audit log that end with the process.
#[derive(Debug, Default)]
pub struct InMemory {
    key: Key,
    mark: AtomicU64,
    pages: Mutex<Pages>,
    lines: Mutex<VecDeque<Line>>,
}

#[derive(Debug, Default)]
struct Pages {
    grants: HashMap<GrantId, Grant>,
    petitions: HashMap<RequestId, Petition>,
    /// What changed, by when.
    log: BTreeMap<u64, Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Grant(GrantId),
    Standing(RequestId),
}

impl InMemory {
    /// An empty one.
    pub fn new() -> Result<Self, Error> {
        let mut key = Key::default();
        getrandom::fill(&mut key)
            .map_err(|error| Error::new(ErrorKind::System, "random numbers", error))?;
        Ok(Self::with_key(key))
    }

    /// An empty one that makes the same ids every time, for tests.
    pub fn with_key(key: Key) -> Self {
        Self { key, ..Self::default() }
    }

    /// The lines of the log, from the oldest.
    pub fn lines(&self) -> Vec<Line> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called with the pages still locked, so that nobody sees the mark before the change.
    fn changed(&self, pages: &mut Pages, change: Change) {
        let mark = self.mark.fetch_add(1, Ordering::AcqRel) + 1;
        pages.log.insert(mark, change);
    }

    fn append(&self, lines: Vec<Line>) {
        let mut log = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend(lines);
        let excess = log.len().saturating_sub(MAX_LINES);
        log.drain(..excess);
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
        let pages = self.pages();
        let mut changes = Changes { at: self.mark.load(Ordering::Acquire), ..Changes::default() };
        for change in pages.log.range(since + 1..).map(|(_, change)| change) {
            match change {
                Change::Grant(id) => match pages.grants.get(id) {
                    Some(grant) => changes.grants.push(grant.clone()),
                    None => changes.gone.push(id.clone()),
                },
                Change::Standing(id) => {
                    let standing = pages.petitions.get(id).map_or(Standing::Open, |p| p.standing);
                    changes.requests.push((id.clone(), standing));
                }
            }
        }
        Ok(changes)
    }

    fn add(&self, grant: &Grant, answers: Option<&RequestId>) -> Result<(), Error> {
        let mut pages = self.pages();
        pages.grants.insert(grant.id.clone(), grant.clone());
        self.changed(&mut pages, Change::Grant(grant.id.clone()));
        if let Some(petition) = answers.and_then(|id| pages.petitions.get_mut(id)) {
            petition.standing = Standing::Granted;
            let id = petition.id.clone();
            self.changed(&mut pages, Change::Standing(id));
        }
        Ok(())
    }

    fn revoke(&self, id: &GrantId) -> Result<Option<Grant>, Error> {
        let mut pages = self.pages();
        let grant = pages.grants.remove(id);
        if grant.is_some() {
            self.changed(&mut pages, Change::Grant(id.clone()));
        }
        Ok(grant)
    }

    fn take(&self, id: &GrantId, now: Stamp) -> Result<bool, Error> {
        let mut pages = self.pages();
        let Some(grant) = pages.grants.get_mut(id).filter(|g| g.lives_at(now) && g.uses != Some(0))
        else {
            return Ok(false);
        };
        let Some(uses) = &mut grant.uses else { return Ok(true) };
        *uses = uses.saturating_sub(1);
        if *uses == 0 {
            pages.grants.remove(id);
            self.changed(&mut pages, Change::Grant(id.clone()));
        }
        Ok(true)
    }

    fn remember(&self, petition: &Petition) -> Result<(), Error> {
        let mut pages = self.pages();
        if let Some(known) = pages.petitions.get_mut(&petition.id) {
            known.last = petition.last;
            known.times = known.times.saturating_add(1);
            // It is denied again: what was granted is used up, has ended or was revoked.
            if known.standing == Standing::Granted {
                known.standing = Standing::Open;
            }
            return Ok(());
        }
        if pages.petitions.len() >= MAX_PETITIONS {
            let oldest = pages.petitions.values().min_by_key(|p| p.last).map(|p| p.id.clone());
            oldest.and_then(|id| pages.petitions.remove(&id));
        }
        pages.petitions.insert(petition.id.clone(), petition.clone());
        Ok(())
    }

    fn deny(&self, id: &RequestId) -> Result<Option<Petition>, Error> {
        let mut pages = self.pages();
        let Some(petition) = pages.petitions.get_mut(id) else { return Ok(None) };
        petition.standing = Standing::Denied;
        let petition = petition.clone();
        self.changed(&mut pages, Change::Standing(id.clone()));
        Ok(Some(petition))
    }

    fn petition(&self, id: &RequestId) -> Result<Option<Petition>, Error> {
        Ok(self.pages().petitions.get(id).cloned())
    }

    fn petitions(&self) -> Result<Vec<Petition>, Error> {
        let mut all: Vec<_> = self.pages().petitions.values().cloned().collect();
        all.sort_by(|a, b| (b.last, &b.id).cmp(&(a.last, &a.id)));
        Ok(all)
    }

    fn grants(&self) -> Result<Vec<Grant>, Error> {
        let mut all: Vec<_> = self.pages().grants.values().cloned().collect();
        all.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        Ok(all)
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
