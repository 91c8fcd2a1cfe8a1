//! A content policy that somebody asks for: it may narrow what the capabilities make, never widen.

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
    connect: Option<Vec<String>>,
}

impl Csp {
    pub(super) fn from_json(directives: &Map<String, Json>) -> Result<Self, Error> {
        let mut connect = None;
        for (name, value) in directives {
            let sources = sources(name, value)?;
            if name == "connect-src" {
                connect = Some(origins(sources)?);
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
            connect = Some(Vec::new());
        }
        Ok(Csp { connect })
    }

    pub(super) fn permits(&self, capability: &Capability) -> bool {
        let Some(connect) = &self.connect else { return true };
        sources_of([capability].into_iter()).iter().all(|source| connect.contains(source))
    }

    pub(super) fn check_covered<'a>(
        &self,
        capabilities: impl Iterator<Item = &'a Capability>,
    ) -> Result<(), Error> {
        let opened = sources_of(capabilities);
        match self.connect.iter().flatten().find(|source| !opened.contains(source)) {
            None => Ok(()),
            Some(source) => bad(format!(
                "config.iframeOptions.csp.connect-src: {source}: no capability opens it; \
                 network:fetch:{source} would"
            )),
        }
    }
}

/// Origins of the capabilities, as sources of a policy.
fn sources_of<'a>(capabilities: impl Iterator<Item = &'a Capability>) -> Vec<String> {
    let mut given = CapabilitySet::default();
    capabilities.for_each(|capability| {
        given.insert(capability.clone());
    });
    let policy = ContentPolicy::new(&given, Boundary::Iframe);
    policy.connect_sources().map(str::to_owned).collect()
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
fn origins(sources: Vec<String>) -> Result<Vec<String>, Error> {
    if let Some(vague) = sources.iter().find(|s| !s.contains("://") && *s != "'none'") {
        return bad(format!(
            "config.iframeOptions.csp.connect-src: {vague} names no origin; https://api.example.com \
             would"
        ));
    }
    Ok(sources.into_iter().filter(|source| source != "'none'").collect())
}
