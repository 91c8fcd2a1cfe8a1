//! Index of held grants: finds those that allow a request without testing each one.

mod key;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use cofferdam_caps::{Capability, Kind};

use crate::code::Code;
use crate::held_grant::HeldGrant;
use crate::id::{GrantId, RunId};
use key::IndexKey;
pub(crate) use key::Query;
pub use key::{RequestKeys, grant_key};

/// Grants by kind, then by the part of their scope before the first wildcard.
#[derive(Debug, Default)]
pub(crate) struct GrantIndex {
    by_kind: [ScopeIndex; Kind::ALL.len()],
    by_id: ById,
    /// Grants that belong to a run. Every run ends by removing its own, so they are found without
    /// looking at the others.
    by_run: HashMap<RunId, Vec<GrantId>>,
    /// Grants by kind and tool; `None` for every tool.
    by_tool: HashMap<(Kind, Option<Arc<str>>), ById>,
}

type ById = HashMap<GrantId, Arc<HeldGrant>>;

/// Grants of one kind, or of one host.
#[derive(Debug, Default)]
struct ScopeIndex {
    /// Grants without a scope.
    all: Vec<Arc<HeldGrant>>,
    /// Grants for a single name, by that name.
    exact: HashMap<Box<str>, Vec<Arc<HeldGrant>>>,
    /// Grants for several names, by the text that these begin with.
    wild: HashMap<Box<str>, Vec<Arc<HeldGrant>>>,
    /// Lengths of the keys of `wild`, and the number of keys of each length. Few lengths occur in
    /// practice, so trying each is faster than a tree.
    lengths: BTreeMap<usize, usize>,
    /// Grants for several origins, by host or `*.` and domain, then by path.
    hosts: HashMap<Box<str>, ScopeIndex>,
}

impl GrantIndex {
    /// Adds a grant, or replaces the one with the same id.
    pub(crate) fn insert(&mut self, held: Arc<HeldGrant>) {
        self.remove(&held.grant.id);
        self.by_id.insert(held.grant.id.clone(), held.clone());
        if let Some(run) = held.run() {
            self.by_run.entry(run.clone()).or_default().push(held.grant.id.clone());
        }
        let same_tool = self.by_tool.entry(tool_key(&held)).or_default();
        same_tool.insert(held.grant.id.clone(), held.clone());
        self.list(&held.grant.capability).push(held);
    }

    /// Removes and returns a grant, or returns `None` if it is not in the index.
    pub(crate) fn remove(&mut self, id: &GrantId) -> Option<Arc<HeldGrant>> {
        let held = self.by_id.remove(id)?;
        let capability = &held.grant.capability;
        self.list(capability).retain(|other| other.grant.id != *id);
        self.by_kind[capability.kind() as usize].tidy(&IndexKey::of(capability));
        let key = tool_key(&held);
        if let Some(same_tool) = self.by_tool.get_mut(&key) {
            same_tool.remove(id);
            if same_tool.is_empty() {
                self.by_tool.remove(&key);
            }
        }
        if let Some(run) = held.run()
            && let Some(ids) = self.by_run.get_mut(run)
        {
            ids.retain(|other| other != id);
            if ids.is_empty() {
                self.by_run.remove(run);
            }
        }
        Some(held)
    }

    /// Binds a grant for one run to `run`. Returns false if it belongs to another.
    pub(crate) fn bind(&mut self, held: &HeldGrant, run: &RunId) -> bool {
        let is_new = held.run().is_none();
        let is_bound = held.bind(run);
        // A grant that was removed meanwhile is not listed again.
        if is_new && is_bound && self.by_id.contains_key(&held.grant.id) {
            self.by_run.entry(run.clone()).or_default().push(held.grant.id.clone());
        }
        is_bound
    }

    /// Returns true if a grant belongs to the run.
    pub(crate) fn has_of_run(&self, run: &RunId) -> bool {
        self.by_run.contains_key(run)
    }

    /// Removes the grants that belong to the run.
    pub(crate) fn remove_of_run(&mut self, run: &RunId) {
        for id in self.by_run.remove(run).unwrap_or_default() {
            self.remove(&id);
        }
    }

    /// Returns all grants, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<HeldGrant>> {
        self.by_id.values()
    }

    /// Returns true if any grant of `kind` for this code, whatever its scope, satisfies `is_meant`.
    pub(crate) fn mentions(
        &self,
        kind: Kind,
        code: &Code,
        is_meant: impl Fn(&HeldGrant) -> bool,
    ) -> bool {
        let tools = code.earlier().chain([code.identity()]).map(|tool| Some(tool.clone()));
        tools.chain([None]).any(|tool| {
            let same_tool = self.by_tool.get(&(kind, tool));
            same_tool.is_some_and(|grants| grants.values().any(|held| is_meant(held)))
        })
    }

    /// Calls `found` with every grant of `kind`, in no particular order.
    pub(crate) fn of_kind(&self, kind: Kind, mut found: impl FnMut(&Arc<HeldGrant>)) {
        self.by_kind[kind as usize].each(&mut found);
    }

    /// Calls `found` with every grant that allows the request, in no particular order.
    pub(crate) fn allowing(&self, query: &Query, mut found: impl FnMut(&Arc<HeldGrant>)) {
        let mut check = |list: &[Arc<HeldGrant>]| {
            let allowing =
                list.iter().filter(|held| held.grant.capability.covers(query.capability()));
            allowing.for_each(&mut found);
        };
        let index = &self.by_kind[query.kind() as usize];
        index.find(query.name(), &mut check);
        if let Some(address) = query.address() {
            for host in address.hosts() {
                if let Some(index) = index.hosts.get(host) {
                    index.find(Some(address.path()), &mut check);
                }
            }
        }
    }

    fn list(&mut self, capability: &Capability) -> &mut Vec<Arc<HeldGrant>> {
        self.by_kind[capability.kind() as usize].list(IndexKey::of(capability))
    }
}

fn tool_key(held: &HeldGrant) -> (Kind, Option<Arc<str>>) {
    (held.grant.capability.kind(), held.grant.holder.tool.clone())
}

impl ScopeIndex {
    fn list(&mut self, key: IndexKey) -> &mut Vec<Arc<HeldGrant>> {
        match key {
            IndexKey::All => &mut self.all,
            IndexKey::Exact(name) => self.exact.entry(name).or_default(),
            IndexKey::Wild(start) => match self.wild.entry(start) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    *self.lengths.entry(entry.key().len()).or_default() += 1;
                    entry.insert(Vec::new())
                }
            },
            IndexKey::Host(host, key) => self.hosts.entry(host).or_default().list(*key),
        }
    }

    /// Removes the list at `key` if it is empty, so that revoked grants leave nothing behind.
    fn tidy(&mut self, key: &IndexKey) {
        match key {
            IndexKey::All => {}
            IndexKey::Exact(name) => {
                if self.exact.get(name).is_some_and(Vec::is_empty) {
                    self.exact.remove(name);
                }
            }
            IndexKey::Wild(start) => {
                if self.wild.get(start).is_some_and(Vec::is_empty) {
                    self.wild.remove(start);
                    let count = self.lengths.entry(start.len()).or_default();
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        self.lengths.remove(&start.len());
                    }
                }
            }
            IndexKey::Host(host, key) => {
                if let Some(index) = self.hosts.get_mut(host) {
                    index.tidy(key);
                    if index.is_empty() {
                        self.hosts.remove(host);
                    }
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        let lists = self.exact.values().chain(self.wild.values());
        std::iter::once(&self.all).chain(lists).all(Vec::is_empty)
            && self.hosts.values().all(ScopeIndex::is_empty)
    }

    fn each(&self, found: &mut dyn FnMut(&Arc<HeldGrant>)) {
        let lists = self.exact.values().chain(self.wild.values());
        std::iter::once(&self.all).chain(lists).flatten().for_each(&mut *found);
        self.hosts.values().for_each(|index| index.each(found));
    }

    /// Calls `check` with every list that may contain a grant for `name`.
    fn find(&self, name: Option<&str>, check: &mut impl FnMut(&[Arc<HeldGrant>])) {
        check(&self.all);
        let Some(name) = name else {
            // A request without a name needs a grant without a scope.
            return;
        };
        if let Some(list) = self.exact.get(name) {
            check(list);
        }
        for &length in self.lengths.range(..=name.len()).map(|(length, _)| length) {
            if let Some(list) = name.get(..length).and_then(|start| self.wild.get(start)) {
                check(list);
            }
        }
    }
}

#[cfg(test)]
mod tests;
