//! A content security policy given by the caller. It restricts connections, whatever is granted,
//! and opens nothing.

use cofferdam_broker::Bounds;
use cofferdam_caps::{Capability, CapabilitySet};
use serde_json::{Map, Value as Json};

use super::bad;
use crate::content_policy::ContentPolicy;
use crate::error::Error;
use crate::page::Boundary;

/// Directives other than `connect-src` that name places to load from or to go to.
const LOADING: [&str; 15] = [
    "default-src",
    "script-src",
    "style-src",
    "img-src",
    "font-src",
    "media-src",
    "object-src",
    "frame-src",
    "child-src",
    "worker-src",
    "manifest-src",
    "base-uri",
    "form-action",
    "frame-ancestors",
    "navigate-to",
];

/// Sources that name no place to load from.
const HARMLESS: [&str; 4] = ["'none'", "'self'", "'unsafe-inline'", "'unsafe-eval'"];

/// The part of a policy that has an effect here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Csp {
    /// The only sources that connections may go to. `None` leaves that to the capabilities.
    connect: Option<Connect>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Connect {
    /// Directive that the sources come from: `connect-src`, or `default-src` if that is absent.
    directive: &'static str,
    /// Sources as capabilities.
    sources: Vec<Capability>,
}

impl Csp {
    pub(super) fn from_json(directives: &Map<String, Json>) -> Result<Self, Error> {
        let mut connect = None;
        for (name, value) in directives {
            let sources = sources(name, value)?;
            if name == "connect-src" {
                connect = Some(Connect { directive: "connect-src", sources: origins(&sources)? });
            } else if !LOADING.contains(&name.as_str()) {
                return bad(format!("config.iframeOptions.csp.{name}: unknown"));
            } else if let Some(place) = sources.iter().find(|s| !HARMLESS.contains(&s.as_str())) {
                return bad(format!(
                    "config.iframeOptions.csp.{name}: {place}: nothing is loaded in a \
                     sandbox; only connect-src may name places"
                ));
            }
        }
        if connect.is_none() && directives.contains_key("default-src") {
            connect = Some(Connect { directive: "default-src", sources: Vec::new() });
        }
        Ok(Csp { connect })
    }

    /// Returns the bounds of a sandbox with this policy.
    pub(super) fn bounds(&self) -> Bounds {
        let Some(Connect { directive, sources }) = &self.connect else { return Bounds::default() };
        let mut rule = (*directive).to_owned();
        match sources.is_empty() {
            true => rule.push_str(" 'none'"),
            false => sources.iter().for_each(|source| rule += &format!(" {}", text(source))),
        }
        Bounds::connections(sources.iter().cloned(), &rule)
    }

    /// Restricts another policy to the sources of this one.
    pub(super) fn narrow(&self, policy: ContentPolicy) -> ContentPolicy {
        match &self.connect {
            None => policy,
            Some(connect) => policy.within(&connect.sources),
        }
    }

    pub(super) fn check_covered(&self, given: &CapabilitySet) -> Result<(), Error> {
        let policy = self.narrow(ContentPolicy::new(given, Boundary::Iframe));
        let opened: Vec<&str> = policy.connect_sources().collect();
        let sources = self.connect.iter().flat_map(|connect| &connect.sources);
        let covers = |source: &&Capability| {
            let is_meant = |opened: &&str| {
                let opened = format!("{PREFIX}{opened}").parse::<Capability>();
                opened.is_ok_and(|opened| source.covers(&opened))
            };
            !opened.iter().any(is_meant)
        };
        match sources.into_iter().find(covers) {
            None => Ok(()),
            Some(source) => bad(format!(
                "config.iframeOptions.csp.connect-src: {}: no capability opens it; grant {source}",
                text(source)
            )),
        }
    }
}

/// Prefix that turns a source into a capability.
const PREFIX: &str = "network:fetch:";

/// Formats a source as a policy writes it.
fn text(source: &Capability) -> String {
    let text = source.to_string();
    text.strip_prefix(PREFIX).unwrap_or(&text).to_owned()
}

/// Splits a directive, given as one string or as an array of strings, into its sources.
fn sources(name: &str, value: &Json) -> Result<Vec<String>, Error> {
    let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    match value {
        Json::String(text) => Ok(words(text)),
        Json::Array(items) if items.iter().all(Json::is_string) => {
            Ok(items.iter().filter_map(Json::as_str).flat_map(words).collect())
        }
        _ => bad(format!("config.iframeOptions.csp.{name}: not a string or an array of strings")),
    }
}

/// Parses the sources of connections; each must be an origin or `'none'`.
fn origins(sources: &[String]) -> Result<Vec<Capability>, Error> {
    let mut origins = Vec::new();
    for source in sources.iter().filter(|source| *source != "'none'") {
        let wrong = |why: &str| {
            bad(format!(
                "config.iframeOptions.csp.connect-src: {source} {why}; write an origin \
                 such as https://api.example.com"
            ))
        };
        let Some(at) = source.find("://") else { return wrong("names no origin") };
        let origin = source.strip_suffix('/').unwrap_or(source);
        if source[..at].contains('@') || origin[at + 3..].contains('/') {
            return wrong("is more than an origin");
        }
        match format!("{PREFIX}{origin}").parse() {
            Ok(origin) => origins.push(origin),
            Err(_) => return wrong("is no origin of http or https"),
        }
    }
    Ok(origins)
}
