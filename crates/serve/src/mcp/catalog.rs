//! The tools of every client: names, descriptions and schemas.
//!
//! A client puts all of it into the context of its model, so the list is kept short: a test bounds
//! it to 6 KB.

use std::sync::Arc;

use cofferdam_front::fields::{self, COUNT, FLAG, Field, LIMITS, Need, OBJECTS, TEXT};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value as Json;

use super::report;
use crate::settings::Settings;

/// Languages of runs; the last needs the operator's permission.
const LANGUAGES: &str = r#"{"enum":["ts","js","python","bash","wasm"]}"#;
const WITH_NATIVE: &str = r#"{"enum":["ts","js","python","bash","wasm","native"],"description":"native: a program of this machine, args is its command line"}"#;

const RUN: &[Field] = &[
    ("language", LANGUAGES, Need::Optional),
    (
        "code",
        r#"{"type":"string","description":"source; wasm: base64 of a WASI module"}"#,
        Need::Optional,
    ),
    ("args", r#"{"description":"value of `args` in a script; strings for wasm"}"#, Need::Optional),
    ("stdin", TEXT, Need::Optional),
    ("files", r#"{"type":"object","description":"text, or {base64}, by path"}"#, Need::Optional),
    (
        "sandbox",
        r#"{"type":"string","description":"kept sandbox; else a fresh one"}"#,
        Need::Optional,
    ),
    (
        "session",
        r#"{"type":"string","description":"keeps variables between runs"}"#,
        Need::Optional,
    ),
    (
        "wants",
        r#"{"type":"array","items":{"type":"string"},"description":"capabilities to ask for first: fs:read:/data/**, network:fetch:https://host/**"}"#,
        Need::Optional,
    ),
    (
        "why",
        r#"{"type":"string","description":"reason, shown to the person who decides"}"#,
        Need::Optional,
    ),
    ("limits", LIMITS, Need::Optional),
    ("outputBytes", COUNT, Need::Optional),
    (
        "resume",
        r#"{"type":"string","description":"run that waits, to go on with; no other arguments"}"#,
        Need::Optional,
    ),
];

const FILES: &[Field] = &[
    ("action", r#"{"enum":["read","write","list"]}"#, Need::Required),
    ("sandbox", TEXT, Need::Required),
    ("path", TEXT, Need::Required),
    ("text", TEXT, Need::Optional),
    ("base64", TEXT, Need::Optional),
    ("executable", FLAG, Need::Optional),
];

const FILES_RESULT: &[Field] = &[
    ("path", TEXT, Need::Required),
    ("bytes", COUNT, Need::Optional),
    ("text", TEXT, Need::Optional),
    ("base64", TEXT, Need::Optional),
    ("entries", OBJECTS, Need::Optional),
    ("whole", TEXT, Need::Optional),
];

const SANDBOX: &[Field] = &[
    (
        "action",
        r#"{"enum":["create","list","fork","snapshot","restore","destroy"]}"#,
        Need::Required,
    ),
    ("sandbox", TEXT, Need::Optional),
    ("snapshot", TEXT, Need::Optional),
    ("name", TEXT, Need::Optional),
    ("files", r#"{"type":"object"}"#, Need::Optional),
    ("env", r#"{"type":"object"}"#, Need::Optional),
    ("limits", LIMITS, Need::Optional),
    ("idleSeconds", COUNT, Need::Optional),
    ("onIdle", r#"{"enum":["save","drop"]}"#, Need::Optional),
];

const SANDBOX_RESULT: &[Field] = &[
    ("sandbox", TEXT, Need::Optional),
    ("name", r#"{"type":["string","null"]}"#, Need::Optional),
    ("status", TEXT, Need::Optional),
    ("snapshot", TEXT, Need::Optional),
    ("sandboxes", OBJECTS, Need::Optional),
];

const REQUESTS: &[Field] = &[
    ("id", TEXT, Need::Optional),
    ("waitSeconds", r#"{"type":"integer","minimum":0,"maximum":600}"#, Need::Optional),
];

const REQUESTS_RESULT: &[Field] = &[("requests", OBJECTS, Need::Required)];

const TOOLS: &[Field] = &[
    ("action", r#"{"enum":["add","list","show","remove"]}"#, Need::Required),
    ("name", TEXT, Need::Optional),
    ("description", TEXT, Need::Optional),
    ("kind", r#"{"enum":["js","ts","python"]}"#, Need::Optional),
    ("source", TEXT, Need::Optional),
    ("parameters", r#"{"type":"object","description":"JSON Schema of args"}"#, Need::Optional),
    ("returns", r#"{"type":"object"}"#, Need::Optional),
    ("wants", r#"{"type":"array","items":{"type":"string"}}"#, Need::Optional),
];

const TOOLS_RESULT: &[Field] = &[
    ("tool", r#"{"type":"object"}"#, Need::Optional),
    ("tools", OBJECTS, Need::Optional),
    ("isNew", FLAG, Need::Optional),
    ("removed", TEXT, Need::Optional),
];

/// Returns the tools of every client.
pub(super) fn tools(settings: &Settings) -> Vec<Tool> {
    let hints = |title: &str| ToolAnnotations::with_title(title).read_only(false);
    let run: Vec<Field> = RUN
        .iter()
        .map(|(name, schema, need)| match *schema {
            LANGUAGES if settings.native => (*name, WITH_NATIVE, *need),
            schema => (*name, schema, *need),
        })
        .collect();
    vec![
        tool(
            "run",
            "Runs a script or program in a sandbox and returns its result and output. If it needs \
             a permission, a person is asked and the run waits; resume goes on with the same run.",
            (&run, report::FIELDS),
            hints("Run code").destructive(true).open_world(true),
        ),
        tool(
            "files",
            "Reads, writes or lists files of a kept sandbox.",
            (FILES, FILES_RESULT),
            hints("Files of a sandbox").destructive(true).idempotent(true).open_world(false),
        ),
        tool(
            "sandbox",
            "Makes, lists, copies, snapshots, restores or destroys kept sandboxes.",
            (SANDBOX, SANDBOX_RESULT),
            hints("Sandboxes").destructive(true).open_world(false),
        ),
        tool(
            "requests",
            "Lists your requests that wait for a person, or waits for one. It decides nothing.",
            (REQUESTS, REQUESTS_RESULT),
            ToolAnnotations::with_title("Requests").read_only(true).open_world(false),
        ),
        tool(
            "tools",
            "Adds a script as a tool of its own, or lists, shows, removes such tools. Adding gives \
             no permission.",
            (TOOLS, TOOLS_RESULT),
            hints("Registered tools").destructive(true).idempotent(true).open_world(false),
        ),
    ]
}

fn tool(
    name: &'static str,
    about: &'static str,
    (takes, gives): (&[Field], &[Field]),
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, about, schema(takes))
        .with_raw_output_schema(schema(gives))
        .with_annotations(annotations)
}

fn schema(fields: &[Field]) -> Arc<JsonObject> {
    let fields: Vec<Field> = fields
        .iter()
        .map(|(name, schema, need)| match *schema {
            // Shared types would have to be repeated in every tool.
            LIMITS => (*name, r#"{"type":"object"}"#, *need),
            _ => (*name, *schema, *need),
        })
        .collect();
    match fields::object(&fields) {
        Json::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Tool> {
        tools(&Settings { native: true, ..Settings::default() })
    }

    #[test]
    fn the_list_is_short() {
        let list = serde_json::to_string(&serde_json::json!({ "tools": all() })).unwrap();
        assert!(list.len() <= 6 * 1024, "{} bytes", list.len());
    }

    #[test]
    fn every_tool_has_hints_and_schemas() {
        for tool in all() {
            let schema = serde_json::json!(*tool.output_schema.unwrap());
            assert!(jsonschema::validator_for(&schema).is_ok(), "{}", tool.name);
            assert!(jsonschema::validator_for(&serde_json::json!(*tool.input_schema)).is_ok());
            let hints = tool.annotations.unwrap();
            assert!(hints.read_only_hint.is_some() && hints.open_world_hint.is_some());
        }
    }

    #[test]
    fn no_tool_has_a_name_that_grants() {
        let names: Vec<_> = all().iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names, ["run", "files", "sandbox", "requests", "tools"]);
        assert!(!serde_json::to_string(&all()).unwrap().contains("grant"));
    }
}
