//! Capabilities held, to be found by what is asked for without looking at each.

mod spot;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use cofferdam_caps::{Capability, Kind};

use crate::held::Held;
use crate::id::GrantId;
use spot::Spot;
pub(crate) use spot::Wanted;

/// What is held, by kind and by the part of the scope that is not wild.
#[derive(Debug, Default)]
pub(crate) struct Book {
    shelves: [Shelf; Kind::ALL.len()],
    by_id: HashMap<GrantId, Arc<Held>>,
}

/// What is held of one kind.
#[derive(Debug, Default)]
struct Shelf {
    /// Without a scope.
    all: Vec<Arc<Held>>,
    /// One name, by that name.
    exact: HashMap<Box<str>, Vec<Arc<Held>>>,
    /// Several names, by what they begin with.
    wild: HashMap<Box<str>, Vec<Arc<Held>>>,
    /// How long those beginnings are, and how many there are of each length. People write few
    /// lengths, so trying each is quicker than any tree.
    lengths: BTreeMap<usize, usize>,
    /// Several origins, by host or `*.` and the domain; below that by path.
    hosts: HashMap<Box<str>, Shelf>,
}

impl Book {
    /// Adds one; one of the same id is replaced.
    pub(crate) fn insert(&mut self, held: Arc<Held>) {
        self.remove(&held.grant.id);
        self.by_id.insert(held.grant.id.clone(), held.clone());
        self.list(&held.grant.capability).push(held);
    }

    /// Takes one out; none where it is not there.
    pub(crate) fn remove(&mut self, id: &GrantId) -> Option<Arc<Held>> {
        let held = self.by_id.remove(id)?;
        let capability = &held.grant.capability;
        self.list(capability).retain(|other| other.grant.id != *id);
        self.shelves[capability.kind() as usize].tidy(&Spot::of(capability));
        Some(held)
    }

    /// All of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Held>> {
        self.by_id.values()
    }

    /// Whether any speaks of `kind`, whatever its scope, and `is_meant`.
    pub(crate) fn mentions(&self, kind: Kind, is_meant: impl Fn(&Held) -> bool) -> bool {
        self.shelves[kind as usize].any(&is_meant)
    }

    /// All of `kind`, whatever their scope, in no order.
    pub(crate) fn of_kind(&self, kind: Kind, mut found: impl FnMut(&Arc<Held>)) {
        self.shelves[kind as usize].each(&mut found);
    }

    /// All that allow what is wanted, each by itself, in no order.
    pub(crate) fn allowing(&self, wanted: &Wanted, mut found: impl FnMut(&Arc<Held>)) {
        let mut check = |list: &[Arc<Held>]| {
            let allowing =
                list.iter().filter(|held| held.grant.capability.covers(wanted.capability()));
            allowing.for_each(&mut found);
        };
        let shelf = &self.shelves[wanted.kind() as usize];
        shelf.find(wanted.name(), &mut check);
        if let Some(address) = wanted.address() {
            for host in address.hosts() {
                if let Some(shelf) = shelf.hosts.get(host) {
                    shelf.find(Some(address.path()), &mut check);
                }
            }
        }
    }

    fn list(&mut self, capability: &Capability) -> &mut Vec<Arc<Held>> {
        self.shelves[capability.kind() as usize].list(Spot::of(capability))
    }
}

impl Shelf {
    fn list(&mut self, spot: Spot) -> &mut Vec<Arc<Held>> {
        match spot {
            Spot::All => &mut self.all,
            Spot::Exact(name) => self.exact.entry(name).or_default(),
            Spot::Wild(start) => match self.wild.entry(start) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    *self.lengths.entry(entry.key().len()).or_default() += 1;
                    entry.insert(Vec::new())
                }
            },
            Spot::Host(host, spot) => self.hosts.entry(host).or_default().list(*spot),
        }
    }

    /// Drops the list at `spot` where it is empty, so that what was revoked costs nothing.
    fn tidy(&mut self, spot: &Spot) {
        match spot {
            Spot::All => {}
            Spot::Exact(name) => {
                if self.exact.get(name).is_some_and(Vec::is_empty) {
                    self.exact.remove(name);
                }
            }
            Spot::Wild(start) => {
                if self.wild.get(start).is_some_and(Vec::is_empty) {
                    self.wild.remove(start);
                    let count = self.lengths.entry(start.len()).or_default();
                    *count = count.saturating_sub(1);
                    if *count == 0 {
                        self.lengths.remove(&start.len());
                    }
                }
            }
            Spot::Host(host, spot) => {
                if let Some(shelf) = self.hosts.get_mut(host) {
                    shelf.tidy(spot);
                    if !shelf.any(&|_| true) {
                        self.hosts.remove(host);
                    }
                }
            }
        }
    }

    fn any(&self, is_meant: &impl Fn(&Held) -> bool) -> bool {
        let any = |list: &[Arc<Held>]| list.iter().any(|held| is_meant(held));
        any(&self.all)
            || self.exact.values().any(|list| any(list))
            || self.wild.values().any(|list| any(list))
            || self.hosts.values().any(|shelf| shelf.any(is_meant))
    }

    fn each(&self, found: &mut dyn FnMut(&Arc<Held>)) {
        let lists = self.exact.values().chain(self.wild.values());
        std::iter::once(&self.all).chain(lists).flatten().for_each(&mut *found);
        self.hosts.values().for_each(|shelf| shelf.each(found));
    }

    /// Every list that may have something for `name`; without a name, for the whole.
    fn find(&self, name: Option<&str>, check: &mut impl FnMut(&[Arc<Held>])) {
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
