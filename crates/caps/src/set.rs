//! [`CapabilitySet`], the capabilities that one holder has.

use std::collections::BTreeSet;

use crate::capability::Capability;
use crate::kind::Kind;
use crate::request::Request;

/// A set of capabilities, empty by default.
///
/// Overlapping capabilities are not merged, so each one can be listed and removed by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapabilitySet(BTreeSet<Capability>);

impl CapabilitySet {
    /// Adds a capability. Returns false if the set already contained it.
    pub fn insert(&mut self, capability: Capability) -> bool {
        self.0.insert(capability)
    }

    /// Removes exactly this capability, not those that it covers. Returns false if it was absent.
    pub fn remove(&mut self, capability: &Capability) -> bool {
        self.0.remove(capability)
    }

    /// Returns the capabilities that allow `request` without help from another.
    pub fn allowing(&self, request: &Request) -> impl Iterator<Item = &Capability> {
        let required = request.required();
        self.0.iter().filter(move |capability| capability.covers(&required))
    }

    /// Returns true if any capability is of this kind, whatever its scope.
    pub fn mentions(&self, kind: Kind) -> bool {
        self.0.iter().any(|capability| capability.kind() == kind)
    }

    /// Returns all capabilities, sorted so that those of one kind are adjacent.
    pub fn iter(&self) -> impl Iterator<Item = &Capability> {
        self.0.iter()
    }
}

impl FromIterator<Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        Self(capabilities.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;

    fn set(texts: &[&str]) -> CapabilitySet {
        texts.iter().map(|text| text.parse::<Capability>().unwrap()).collect()
    }

    fn check(texts: &[&str], path: &str, expect: &[&str]) {
        let request = Request::Fs { access: Access::Read, path: path.parse().unwrap() };
        let set = set(texts);
        let allowing: Vec<_> = set.allowing(&request).map(Capability::to_string).collect();
        assert_eq!(allowing, expect);
    }

    #[test]
    fn nothing_is_allowed_by_default() {
        check(&[], "/", &[]);
        assert_eq!(CapabilitySet::default().iter().count(), 0);
    }

    #[test]
    fn every_capability_that_allows_is_named() {
        let held = ["fs:read:/a/**", "fs:read:/b", "fs:write", "fs:read:/a/x"];
        check(&held, "/a/x", &["fs:read:/a/x", "fs:read:/a/**"]);
    }

    #[test]
    fn two_narrow_ones_do_not_add_up() {
        let held = set(&["network:fetch:GET@http://a", "network:fetch:https://a"]);
        let url = "http://a/".parse().unwrap();
        let request = Request::Network { method: "POST".parse().unwrap(), url };
        assert_eq!(held.allowing(&request).count(), 0);
    }

    #[test]
    fn spelling_does_not_make_two_of_one() {
        let mut held = set(&["fs:read:/**"]);
        assert!(!held.insert("fs:read".parse().unwrap()));
        assert!(held.remove(&"fs:read:/**/**".parse().unwrap()));
        assert!(!held.mentions(Kind::FsRead));
    }
}
