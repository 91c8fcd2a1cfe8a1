//! Limits that apply before any grant is considered.
//!
//! They come from the configuration of a sandbox, such as a content security policy.
//!
//! Meets T-DOM-008.

use std::sync::Arc;

use cofferdam_caps::{Capability, Request};

/// Limits on the connections of a sandbox that no grant can exceed.
///
/// The default sets no limit. A request out of bounds is denied without asking the approver.
#[derive(Debug, Clone, Default)]
pub struct Bounds(Option<Connections>);

#[derive(Debug, Clone)]
struct Connections {
    within: Arc<[Capability]>,
    rule: Arc<str>,
}

impl Bounds {
    /// Limits connections to those that one of `within` allows; an empty list allows none.
    ///
    /// Denials quote `rule`, such as `connect-src 'none'`.
    pub fn connections(within: impl IntoIterator<Item = Capability>, rule: &str) -> Self {
        Self(Some(Connections { within: within.into_iter().collect(), rule: rule.into() }))
    }

    /// Returns the rule that `request` violates, if any.
    pub(crate) fn violated_by(&self, request: &Request) -> Option<&Arc<str>> {
        let connections = self.0.as_ref()?;
        let Request::Network { .. } = request else { return None };
        let required = request.required();
        let is_within = connections.within.iter().any(|allowed| allowed.covers(&required));
        (!is_within).then_some(&connections.rule)
    }

    /// Returns the rule that the bounds come from, as denials quote it.
    pub(crate) fn rule(&self) -> Option<&str> {
        self.0.as_ref().map(|connections| &*connections.rule)
    }

    /// Returns true if the bounds rule out everything that `capability` allows.
    ///
    /// Judges by the text of the patterns, so it may return false for some that never meet.
    pub(crate) fn excludes(&self, capability: &Capability) -> bool {
        let (Some(connections), Capability::Network(_)) = (&self.0, capability) else {
            return false;
        };
        let meets = |allowed: &Capability| allowed.covers(capability) || capability.covers(allowed);
        !connections.within.iter().any(meets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(within: &[&str]) -> Bounds {
        Bounds::connections(within.iter().map(|text| text.parse().unwrap()), "connect-src x")
    }

    fn check(within: &[&str], url: &str, expect: bool) {
        let request =
            Request::Network { method: "GET".parse().unwrap(), url: url.parse().unwrap() };
        assert_eq!(bounds(within).violated_by(&request).is_none(), expect, "{within:?} {url}");
    }

    #[test]
    fn nothing_is_out_of_bounds_by_default() {
        let request = Request::Network {
            method: "GET".parse().unwrap(),
            url: "https://a.example".parse().unwrap(),
        };
        assert_eq!(Bounds::default().violated_by(&request), None);
    }

    #[test]
    fn connections_stay_within() {
        let within = ["network:fetch:https://a.example", "network:fetch:https://*.b.example:*"];
        check(&within, "https://a.example/x?y", true);
        check(&within, "https://c.b.example:8443/x", true);
        check(&within, "https://a.example:8443/x", false);
        check(&within, "http://a.example/x", false);
        check(&within, "https://b.example/", false);
        check(&[], "https://a.example/", false);
    }

    #[test]
    fn only_connections_are_bounded() {
        let request = Request::Env { name: "A".parse().unwrap() };
        assert_eq!(bounds(&[]).violated_by(&request), None);
        assert!(!bounds(&[]).excludes(&"env:read".parse().unwrap()));
    }

    #[test]
    fn what_lies_within_in_part_is_not_shut_out() {
        let bounds = bounds(&["network:fetch:https://a.example"]);
        for (capability, expect) in [
            ("network:fetch", false),
            ("network:fetch:GET@https://a.example/v1", false),
            ("network:fetch:https://b.example", true),
        ] {
            assert_eq!(bounds.excludes(&capability.parse().unwrap()), expect, "{capability}");
        }
    }
}
