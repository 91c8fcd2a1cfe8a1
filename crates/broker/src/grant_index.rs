//! Capabilities held, to be found by what is asked for without looking at each.

mod key;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use cofferdam_caps::{Capability, Kind};

use crate::held_grant::HeldGrant;
use crate::id::GrantId;
use key::IndexKey;
pub(crate) use key::Query;

/// What is held, by kind and by the part of the scope that is not wild.
#[derive(Debug, Default)]
pub(crate) struct GrantIndex {
    by_kind: [ScopeIndex; Kind::ALL.len()],
    by_id: HashMap<GrantId, Arc<HeldGrant>>,
}

/// What is held of one kind.
#[derive(Debug, Default)]
struct ScopeIndex {
    /// Without a scope.
    all: Vec<Arc<HeldGrant>>,
    /// One name, by that name.
    exact: HashMap<Box<str>, Vec<Arc<HeldGrant>>>,
    /// Several names, by what they begin with.
    wild: HashMap<Box<str>, Vec<Arc<HeldGrant>>>,
    /// How long those beginnings are, and how many there are of each length. People write few
    /// lengths, so trying each is quicker than any tree.
    lengths: BTreeMap<usize, usize>,
    /// Several origins, by host or `*.` and the domain; below that by path.
    hosts: HashMap<Box<str>, ScopeIndex>,
}

impl GrantIndex {
    /// Adds one; one of the same id is replaced.
    pub(crate) fn insert(&mut self, held: Arc<HeldGrant>) {
        self.remove(&held.grant.id);
        self.by_id.insert(held.grant.id.clone(), held.clone());
        self.list(&held.grant.capability).push(held);
    }

    /// Takes one out; none where it is not there.
    pub(crate) fn remove(&mut self, id: &GrantId) -> Option<Arc<HeldGrant>> {
        let held = self.by_id.remove(id)?;
        let capability = &held.grant.capability;
        self.list(capability).retain(|other| other.grant.id != *id);
        self.by_kind[capability.kind() as usize].tidy(&IndexKey::of(capability));
        Some(held)
    }

    /// All of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<HeldGrant>> {
        self.by_id.values()
    }

    /// Whether any speaks of `kind`, whatever its scope, and `is_meant`.
    pub(crate) fn mentions(&self, kind: Kind, is_meant: impl Fn(&HeldGrant) -> bool) -> bool {
        self.by_kind[kind as usize].any(&is_meant)
    }

    /// All of `kind`, whatever their scope, in no order.
    pub(crate) fn of_kind(&self, kind: Kind, mut found: impl FnMut(&Arc<HeldGrant>)) {
        self.by_kind[kind as usize].each(&mut found);
    }

    /// All that allow what is query, each by itself, in no order.
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

    /// Drops the list at `key` where it is empty, so that what was revoked costs nothing.
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
                    if !index.any(&|_| true) {
                        self.hosts.remove(host);
                    }
                }
            }
        }
    }

    fn any(&self, is_meant: &impl Fn(&HeldGrant) -> bool) -> bool {
        let any = |list: &[Arc<HeldGrant>]| list.iter().any(|held| is_meant(held));
        any(&self.all)
            || self.exact.values().any(|list| any(list))
            || self.wild.values().any(|list| any(list))
            || self.hosts.values().any(|index| index.any(is_meant))
    }

    fn each(&self, found: &mut dyn FnMut(&Arc<HeldGrant>)) {
        let lists = self.exact.values().chain(self.wild.values());
        std::iter::once(&self.all).chain(lists).flatten().for_each(&mut *found);
        self.hosts.values().for_each(|index| index.each(found));
    }

    /// Every list that may have something for `name`; without a name, for the whole.
    fn find(&self, name: Option<&str>, check: &mut impl FnMut(&[Arc<HeldGrant>])) {
        check(&self.all);
        let Some(name) = name else {
            // A request for the whole is for those without a scope alone.
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
