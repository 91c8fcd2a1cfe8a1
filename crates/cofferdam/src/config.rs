//! How tools are kept apart, as JSON in the shape that browser pages use:
//! `{"sandbox": "iframe", "iframeOptions": {"sandbox": "allow-scripts"}}`.

use serde_json::{Map, Value as Json};

use crate::error::{Error, ErrorKind};
use crate::page::Boundary;

/// The flags of a frame's `sandbox` attribute that mean something here.
const FLAGS: [&str; 2] = ["allow-scripts", "allow-same-origin"];

/// Reads a configuration. What is unknown in it is an error, and so is a frame that could take
/// off its own sandbox.
pub fn boundary_from_json(config: &Json) -> Result<Boundary, Error> {
    let config = object("config", config)?;
    known("config", config, &["sandbox", "workerOptions", "iframeOptions"])?;
    let boundary = match config.get("sandbox").map(Json::as_str) {
        None => Boundary::default(),
        Some(name) => match Boundary::ALL.into_iter().find(|b| Some(b.name()) == name) {
            Some(boundary) => boundary,
            None => return bad("config.sandbox: either \"worker\" or \"iframe\""),
        },
    };
    if let Some(options) = config.get("workerOptions") {
        known("config.workerOptions", object("config.workerOptions", options)?, &[])?;
    }
    if let Some(options) = config.get("iframeOptions") {
        let options = object("config.iframeOptions", options)?;
        if options.contains_key("csp") {
            return bad("config.iframeOptions.csp: the policy is made of the capabilities; \
                give fewer of them for a narrower one");
        }
        known("config.iframeOptions", options, &["sandbox"])?;
        if let Some(flags) = options.get("sandbox") {
            check_flags(flags)?;
        }
    }
    Ok(boundary)
}

fn check_flags(flags: &Json) -> Result<(), Error> {
    let Some(flags) = flags.as_str() else {
        return bad("config.iframeOptions.sandbox: not a string");
    };
    let flags: Vec<&str> = flags.split_ascii_whitespace().collect();
    if let Some(unknown) = flags.iter().find(|flag| !FLAGS.contains(flag)) {
        return bad(format!(
            "config.iframeOptions.sandbox: unknown flag {unknown:?}; \"allow-scripts\" is all"
        ));
    }
    let has = |flag: &str| flags.contains(&flag);
    match (has("allow-scripts"), has("allow-same-origin")) {
        (true, true) => bad(
            "config.iframeOptions.sandbox: allow-scripts with allow-same-origin is no sandbox: \
             what runs inside could reach its page and take the sandbox off",
        ),
        (false, true) => {
            bad("config.iframeOptions.sandbox: allow-same-origin: a tool has no origin but its own")
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
        Some(unknown) if known.is_empty() => bad(format!("{name}.{unknown}: unknown; it has none")),
        Some(unknown) => bad(format!("{name}.{unknown}: unknown; known are {}", known.join(", "))),
        None => Ok(()),
    }
}

fn bad<T>(what: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Setting, what.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check_refused(config: Json, says: &str) {
        let error = boundary_from_json(&config).expect_err("refused").to_string();
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn boundary_is_read() {
        let read = |config| boundary_from_json(&config).expect("a configuration");
        assert_eq!(read(json!({})), Boundary::Worker);
        assert_eq!(read(json!({ "sandbox": "worker", "workerOptions": {} })), Boundary::Worker);
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
        check_refused(json!({ "iframeOptions": { "x": 1 } }), "config.iframeOptions.x");
        check_refused(json!({ "iframeOptions": { "csp": {} } }), "made of the capabilities");
        let flags = json!({ "iframeOptions": { "sandbox": "allow-scripts allow-forms" } });
        check_refused(flags, "unknown flag \"allow-forms\"");
        check_refused(json!({ "iframeOptions": { "sandbox": "" } }), "without allow-scripts");
    }
}
