//! Describes the grants of a sandbox as a content security policy.

use std::collections::BTreeSet;
use std::fmt;

use cofferdam_caps::{Capability, CapabilitySet, Scope};

use crate::page::Boundary;

/// A content security policy derived from capabilities. It describes what the broker enforces on
/// each request and widens nothing: nothing may be loaded, and connections go only where grants
/// allow.
///
/// A policy names origins only. The methods and paths of a grant are narrower than the policy
/// shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentPolicy {
    connect: BTreeSet<String>,
    boundary: Boundary,
}

impl ContentPolicy {
    /// Derives the policy of a sandbox with these capabilities.
    pub fn new(capabilities: &CapabilitySet, boundary: Boundary) -> Self {
        let connect = capabilities.iter().flat_map(sources).collect();
        ContentPolicy { connect, boundary }
    }

    /// Restricts the policy to these sources, given as capabilities.
    pub(crate) fn within(self, sources: &[Capability]) -> Self {
        let capability = |source: &str| format!("network:fetch:{source}").parse::<Capability>();
        let whole = |source: &&Capability| source.to_string().split_off("network:fetch:".len());
        let mut connect = BTreeSet::new();
        for own in &self.connect {
            match capability(own) {
                Ok(opened) if sources.iter().any(|source| source.covers(&opened)) => {
                    connect.insert(own.clone());
                }
                Ok(opened) => {
                    let inside = sources.iter().filter(|source| opened.covers(source));
                    connect.extend(inside.map(|source| whole(&source)));
                }
                // A bare scheme stands for every origin of that scheme.
                Err(_) => {
                    let of_scheme = |source: &String| source.starts_with(own.as_str());
                    connect.extend(sources.iter().map(|s| whole(&s)).filter(of_scheme));
                }
            }
        }
        ContentPolicy { connect, ..self }
    }

    /// Returns the origins that requests may go to, as sources of the policy.
    pub fn connect_sources(&self) -> impl Iterator<Item = &str> {
        self.connect.iter().map(String::as_str)
    }
}

impl fmt::Display for ContentPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("default-src 'none'")?;
        if !self.connect.is_empty() {
            f.write_str("; connect-src")?;
            self.connect_sources().try_for_each(|source| write!(f, " {source}"))?;
        }
        match self.boundary {
            Boundary::Worker => Ok(()),
            // The frame has an opaque origin; `allow-same-origin` is never present.
            Boundary::Iframe => f.write_str("; sandbox allow-scripts"),
        }
    }
}

/// Returns the sources of one capability: scheme, host and port of its pattern.
fn sources(capability: &Capability) -> Vec<String> {
    let Capability::Network(network) = capability else { return Vec::new() };
    let Scope::Only(fetches) = network.scope() else {
        return vec!["http:".to_owned(), "https:".to_owned()];
    };
    let text = fetches.urls().to_string();
    let authority = text.find("://").map_or(0, |at| at + 3);
    let end = text[authority..].find('/').map_or(text.len(), |at| authority + at);
    vec![text[..end].to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &[&str], boundary: Boundary, expect: &str) {
        let mut capabilities = CapabilitySet::default();
        for text in given {
            capabilities.insert(text.parse().expect("a capability"));
        }
        assert_eq!(ContentPolicy::new(&capabilities, boundary).to_string(), expect);
    }

    #[test]
    fn nothing_granted_is_nothing_loaded() {
        check(&[], Boundary::Worker, "default-src 'none'");
        check(&["fs:read", "dom:write"], Boundary::Worker, "default-src 'none'");
    }

    #[test]
    fn connections_go_to_granted_origins() {
        check(
            &[
                "network:fetch:GET@https://api.example/v1/**",
                "network:fetch:https://*.b.example:*",
                "network:fetch:POST@https://api.example/v2",
            ],
            Boundary::Worker,
            "default-src 'none'; connect-src https://*.b.example:* https://api.example",
        );
        check(&["network:fetch"], Boundary::Worker, "default-src 'none'; connect-src http: https:");
    }

    #[test]
    fn a_frame_has_an_origin_of_its_own() {
        check(&[], Boundary::Iframe, "default-src 'none'; sandbox allow-scripts");
    }
}
