//! A content policy that somebody asks for: it bounds where connections go, whatever is granted,
//! and opens nothing.

use cofferdam_broker::Bounds;
use cofferdam_caps::{Capability, CapabilitySet};
use serde_json::{Map, Value as Json};

use super::bad;
use crate::content_policy::ContentPolicy;
use crate::error::Error;
use crate::page::Boundary;

/// Directives about what a document loads or leads to, besides `connect-src`.
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

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Csp {
    /// The only sources of connections; without it the capabilities' own.
    connect: Option<Connect>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Connect {
    /// The directive that says so: without `connect-src` it is `default-src`.
    directive: &'static str,
    /// Each source as a capability.
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
                    "config.iframeOptions.csp.{name}: {place}: nothing is loaded here; only \
                     connect-src has places"
                ));
            }
        }
        if connect.is_none() && directives.contains_key("default-src") {
            connect = Some(Connect { directive: "default-src", sources: Vec::new() });
        }
        Ok(Csp { connect })
    }

    /// What bounds the connections of a sandbox with this policy.
    pub(super) fn bounds(&self) -> Bounds {
        let Some(Connect { directive, sources }) = &self.connect else { return Bounds::default() };
        let mut rule = (*directive).to_owned();
        match sources.is_empty() {
            true => rule.push_str(" 'none'"),
            false => sources.iter().for_each(|source| rule += &format!(" {}", text(source))),
        }
        Bounds::connections(sources.iter().cloned(), &rule)
    }

    /// What this leaves of a policy.
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
                "config.iframeOptions.csp.connect-src: {}: no capability opens it; {source} would",
                text(source)
            )),
        }
    }
}

/// What stands before a source where it is a capability.
const PREFIX: &str = "network:fetch:";

/// A source as a policy has it.
fn text(source: &Capability) -> String {
    let text = source.to_string();
    text.strip_prefix(PREFIX).unwrap_or(&text).to_owned()
}

/// The words of a directive, as one text or as a list.
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

/// Sources of connections: origins by name, or none.
fn origins(sources: &[String]) -> Result<Vec<Capability>, Error> {
    let mut origins = Vec::new();
    for source in sources.iter().filter(|source| *source != "'none'") {
        let wrong = |why: &str| {
            bad(format!(
                "config.iframeOptions.csp.connect-src: {source} {why}; https://api.example.com \
                 would do"
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
