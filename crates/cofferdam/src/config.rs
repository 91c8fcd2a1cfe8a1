//! Reads the boundary of tools from JSON, in the shape that browser pages use: `{"sandbox":
//! "iframe", "iframeOptions": {"sandbox": "allow-scripts", "csp": {…}}}`.

mod csp;

use cofferdam_broker::Bounds;
use cofferdam_caps::CapabilitySet;
use serde_json::{Map, Value as Json};

use crate::content_policy::ContentPolicy;
use crate::error::{Error, ErrorKind};
use crate::page::Boundary;
use csp::Csp;

/// Flags of an iframe's `sandbox` attribute that are recognised.
const FLAGS: [&str; 2] = ["allow-scripts", "allow-same-origin"];

/// Flags that only a frame on a screen can have.
const SHOWN: [&str; 3] = ["allow-forms", "allow-popups", "allow-modals"];

/// A boundary and a content security policy, read from JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    boundary: Boundary,
    csp: Csp,
}

impl Config {
    /// Parses a configuration. Unknown fields are errors, and so are flags that would let a frame
    /// remove its own sandbox.
    #[inline(never)] // see `archive::read`
    pub fn from_json(config: &Json) -> Result<Self, Error> {
        let config = object("config", config)?;
        known("config", config, &["sandbox", "workerOptions", "iframeOptions"])?;
        let boundary = match config.get("sandbox").map(Json::as_str) {
            None => Boundary::default(),
            Some(name) => match Boundary::ALL.iter().find(|b| Some(b.name()) == name) {
                Some(boundary) => *boundary,
                None => return bad("config.sandbox: must be \"worker\" or \"iframe\""),
            },
        };
        if let Some(options) = config.get("workerOptions") {
            check_worker(object("config.workerOptions", options)?)?;
        }
        let mut csp = Csp::default();
        if let Some(options) = config.get("iframeOptions") {
            let options = object("config.iframeOptions", options)?;
            known("config.iframeOptions", options, &["sandbox", "csp"])?;
            if let Some(flags) = options.get("sandbox") {
                check_flags(flags)?;
            }
            // A worker has no frame that the policy could apply to.
            if let (Some(directives), Boundary::Iframe) = (options.get("csp"), boundary) {
                csp = Csp::from_json(object("config.iframeOptions.csp", directives)?)?;
            }
        }
        Ok(Config { boundary, csp })
    }

    /// Returns the boundary between tools and their page.
    pub fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// Returns the bounds that the policy puts on connections. They hold for every grant, whoever
    /// makes it. Nothing else is bounded because nothing else is loaded.
    pub fn bounds(&self) -> Bounds {
        self.csp.bounds()
    }

    /// Restricts a policy that was made from capabilities to the sources of this one.
    pub fn narrow(&self, policy: ContentPolicy) -> ContentPolicy {
        self.csp.narrow(policy)
    }

    /// Checks that the given capabilities open every source of the policy. A source that none of
    /// them opens is a mistake if nothing can be granted later, because it would never allow
    /// anything.
    pub fn check_covered(&self, given: &CapabilitySet) -> Result<(), Error> {
        self.csp.check_covered(given)
    }
}

/// Checks the options of `new Worker`. None of them widens what a tool may do.
fn check_worker(options: &Map<String, Json>) -> Result<(), Error> {
    known("config.workerOptions", options, &["name", "type", "credentials"])?;
    let among = |name: &str, allowed: &[&str]| match options.get(name) {
        None => Ok(()),
        Some(Json::String(given)) if allowed.is_empty() || allowed.contains(&given.as_str()) => {
            Ok(())
        }
        Some(_) if allowed.is_empty() => bad(format!("config.workerOptions.{name}: not a string")),
        Some(_) => {
            bad(format!("config.workerOptions.{name}: must be one of {}", allowed.join(", ")))
        }
    };
    among("name", &[])?;
    among("type", &["classic", "module"])?;
    among("credentials", &["omit"])
}

fn check_flags(flags: &Json) -> Result<(), Error> {
    let Some(flags) = flags.as_str() else {
        return bad("config.iframeOptions.sandbox: not a string");
    };
    let flags: Vec<&str> = flags.split_ascii_whitespace().collect();
    if let Some(shown) = flags.iter().find(|flag| SHOWN.contains(flag)) {
        return bad(format!(
            "config.iframeOptions.sandbox: {shown}: nobody sees a frame here; leave the flag out"
        ));
    }
    if let Some(unknown) = flags.iter().find(|flag| !FLAGS.contains(flag)) {
        return bad(format!(
            "config.iframeOptions.sandbox: unknown flag {unknown:?}; the only flag is \"allow-scripts\""
        ));
    }
    let has = |flag: &str| flags.contains(&flag);
    match (has("allow-scripts"), has("allow-same-origin")) {
        (true, true) => bad(
            "config.iframeOptions.sandbox: allow-scripts with allow-same-origin is not a sandbox: \
             code inside could reach its page and take the sandbox off",
        ),
        (false, true) => {
            bad("config.iframeOptions.sandbox: allow-same-origin: a tool always has its own origin")
        }
        (false, false) => {
            bad("config.iframeOptions.sandbox: without allow-scripts no tool could run")
        }
        (true, false) => Ok(()),
    }
}

fn object<'a>(name: &str, json: &'a Json) -> Result<&'a Map<String, Json>, Error> {
    match json.as_object() {
        Some(object) => Ok(object),
        None => bad(format!("{name}: not an object")),
    }
}

fn known(name: &str, object: &Map<String, Json>, known: &[&str]) -> Result<(), Error> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(unknown) if known.is_empty() => bad(format!("{name}.{unknown}: unknown field")),
        Some(unknown) => {
            bad(format!("{name}.{unknown}: unknown field; known are {}", known.join(", ")))
        }
        None => Ok(()),
    }
}

fn bad<T>(what: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(ErrorKind::BadOption, what.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check_refused(config: Json, says: &str) {
        let error = Config::from_json(&config).expect_err("refused").to_string();
        assert!(error.contains(says), "{error}");
    }

    fn with_csp(csp: Json) -> Json {
        json!({
            "sandbox": "iframe",
            "iframeOptions": { "sandbox": "allow-scripts", "csp": csp },
        })
    }

    #[test]
    fn boundary_is_read() {
        let read = |config| Config::from_json(&config).expect("a configuration").boundary();
        assert_eq!(read(json!({})), Boundary::Worker);
        let options = json!({ "name": "tool", "type": "module", "credentials": "omit" });
        assert_eq!(
            read(json!({ "sandbox": "worker", "workerOptions": options })),
            Boundary::Worker
        );
        let frame = json!({ "sandbox": "iframe", "iframeOptions": { "sandbox": "allow-scripts" } });
        assert_eq!(read(frame), Boundary::Iframe);
    }

    #[test]
    fn a_frame_that_could_free_itself_is_refused_with_the_reason() {
        let flags = "allow-scripts allow-same-origin";
        check_refused(json!({ "iframeOptions": { "sandbox": flags } }), "take the sandbox off");
    }

    #[test]
    fn what_is_unknown_is_refused_by_name() {
        check_refused(json!([]), "config: not an object");
        check_refused(json!({ "sandbox": "window" }), "config.sandbox");
        check_refused(json!({ "sandbox": 1 }), "config.sandbox");
        check_refused(json!({ "frame": {} }), "config.frame: unknown");
        check_refused(json!({ "workerOptions": { "x": 1 } }), "config.workerOptions.x");
        check_refused(json!({ "workerOptions": { "type": "x" } }), "one of classic, module");
        check_refused(json!({ "iframeOptions": { "x": 1 } }), "config.iframeOptions.x");
        let flags = json!({ "iframeOptions": { "sandbox": "allow-scripts allow-x" } });
        check_refused(flags, "unknown flag \"allow-x\"");
        let flags = json!({ "iframeOptions": { "sandbox": "allow-scripts allow-forms" } });
        check_refused(flags, "allow-forms: nobody sees a frame here");
        check_refused(json!({ "iframeOptions": { "sandbox": "" } }), "without allow-scripts");
    }

    #[test]
    fn a_policy_that_would_load_something_is_refused() {
        check_refused(with_csp(json!({ "img-src": "https://a.example" })), "nothing is loaded");
        check_refused(with_csp(json!({ "default-src": "*" })), "nothing is loaded");
        check_refused(with_csp(json!({ "trusted": "'none'" })), "csp.trusted: unknown");
        check_refused(with_csp(json!({ "connect-src": 1 })), "not a string");
        check_refused(with_csp(json!({ "connect-src": "*" })), "names no origin");
    }

    #[test]
    fn a_source_is_an_origin() {
        for source in ["*", "https:", "'self'", "a.example"] {
            check_refused(with_csp(json!({ "connect-src": source })), "names no origin");
        }
        for source in ["https://a.example/v1", "https://a.example//", "GET@https://a.example"] {
            check_refused(with_csp(json!({ "connect-src": source })), "more than an origin");
        }
        check_refused(with_csp(json!({ "connect-src": "ws://a.example" })), "no origin of http");
    }

    #[test]
    fn a_policy_narrows_where_connections_go() {
        let set = |texts: &[&str]| -> CapabilitySet {
            texts.iter().map(|text| text.parse().expect("a capability")).collect()
        };
        let (a, b) =
            ("network:fetch:GET@https://a.example/v1/**", "network:fetch:https://b.example");
        let check = |csp: Json, given: &[&str], expect: &str| {
            let config = Config::from_json(&with_csp(csp)).expect("a configuration");
            let policy = ContentPolicy::new(&set(given), Boundary::Worker);
            assert_eq!(config.narrow(policy).to_string(), expect);
        };
        let only_a = || json!({ "default-src": "'none'", "connect-src": ["https://a.example/"] });
        let is_a = "default-src 'none'; connect-src https://a.example";
        check(only_a(), &[a, b, "fs:read"], is_a);
        check(only_a(), &["network:fetch"], is_a);
        check(only_a(), &[b], "default-src 'none'");
        // As in the standard, `default-src` stands in for directives that are absent.
        let nothing = || json!({ "default-src": "'none'", "script-src": "'unsafe-inline'" });
        check(nothing(), &[a], "default-src 'none'");
        check(json!({}), &[a], is_a);
        let config = Config::from_json(&with_csp(only_a())).expect("a configuration");
        let error = config.check_covered(&set(&[b])).expect_err("not covered").to_string();
        assert!(error.contains("https://a.example: no capability opens it"), "{error}");
        for given in [&[a, b][..], &["network:fetch"], &["network:fetch:https://*.example"]] {
            config.check_covered(&set(given)).expect("covered");
        }
    }
}
