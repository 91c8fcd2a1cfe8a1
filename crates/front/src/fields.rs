//! Fields of the messages that fronts exchange with their clients, each with its JSON Schema.
//!
//! `rpc` makes its table of methods of them, HTTP its OpenAPI document, and MCP the schemas of its
//! tools, so that a parameter is described once.

use serde_json::{Map, Value as Json, json};

/// Name, JSON Schema and need of a parameter or a field of a result.
pub type Field = (&'static str, &'static str, Need);

/// Need of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Must be given.
    Required,
    /// May be left out.
    Optional,
}

use Need::{Optional, Required};

/// Schema of a string.
pub const TEXT: &str = r#"{"type":"string"}"#;
/// Schema of true or false.
pub const FLAG: &str = r#"{"type":"boolean"}"#;
/// Schema of a whole number of 0 or more.
pub const COUNT: &str = r#"{"type":"integer","minimum":0}"#;
/// Schema of any value.
pub const ANY: &str = "{}";
/// Schema of an array of strings.
pub const TEXTS: &str = r#"{"type":"array","items":{"type":"string"}}"#;
/// Schema of environment variables.
pub const ENV: &str = r#"{"type":"object","additionalProperties":{"type":"string"}}"#;
/// Schema of changes of environment variables; null removes one.
pub const ENV_CHANGE: &str =
    r#"{"type":"object","additionalProperties":{"type":["string","null"]}}"#;
/// Schema of limits by name.
pub const LIMITS: &str = r##"{"$ref":"#/$defs/Limits"}"##;
/// Schema of the content of a file.
pub const CONTENT: &str = r##"{"$ref":"#/$defs/Content"}"##;
/// Schema of files by path.
pub const FILES: &str = r##"{"type":"object","additionalProperties":{"$ref":"#/$defs/Content"}}"##;
/// Schema of WASI modules by name.
pub const PROGRAMS: &str =
    r##"{"type":"object","additionalProperties":{"$ref":"#/$defs/Module"}}"##;
/// Schema of a WASI module.
pub const MODULE: &str = r##"{"$ref":"#/$defs/Module"}"##;
/// Schema of folders of the host.
pub const MOUNTS: &str = r##"{"type":"array","items":{"$ref":"#/$defs/Mount"}}"##;
/// Schema of functions that the client lends.
pub const FUNCTIONS: &str = r##"{"type":"array","items":{"$ref":"#/$defs/Function"}}"##;
/// Schema of a kind of run.
pub const KIND: &str = r#"{"enum":["js","ts","python","shell","wasm","native"]}"#;
/// Schema of the globals of tools.
pub const BOUNDARY: &str = r#"{"enum":["worker","iframe"]}"#;
/// Schema of the lifetime of a grant.
pub const SPAN: &str = r#"{"enum":["once","session","always"]}"#;
/// Schema of an object.
pub const OBJECT: &str = r#"{"type":"object"}"#;
/// Schema of an array of objects.
pub const OBJECTS: &str = r#"{"type":"array","items":{"type":"object"}}"#;
/// Schema of a grant.
pub const GRANT: &str = r##"{"$ref":"#/$defs/Grant"}"##;
/// Schema of grants.
pub const GRANTS: &str = r##"{"type":"array","items":{"$ref":"#/$defs/Grant"}}"##;
/// Schema of the wishes of a question.
pub const WISHES: &str = r##"{"type":"array","items":{"$ref":"#/$defs/Wish"}}"##;
/// Schema of one decision for each wish.
pub const DECISIONS: &str =
    r##"{"type":"array","items":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/Decision"}]}}"##;
/// Schema of the id of a request.
pub const ID: &str = r#"{"type":["string","number"]}"#;

/// Shared types of the schema, as JSON.
pub const DEFINITIONS: &str = r##"{
"Limits": {"type":"object","additionalProperties":{"type":"integer","minimum":0}},
"Content": {"anyOf":[{"type":"string"},{"type":"object","properties":{"base64":{"type":"string"}},"required":["base64"]}]},
"Module": {"type":"object","properties":{"path":{"type":"string"},"base64":{"type":"string"}},"additionalProperties":false},
"Mount": {"type":"object","properties":{"host":{"type":"string"},"at":{"type":"string"},"mode":{"enum":["ro","overlay","rw"]}},"required":["host","at"],"additionalProperties":false},
"Function": {"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"},"parameters":{},"returns":{},"handle":{}},"required":["name"],"additionalProperties":false},
"Choice": {"type":"object","properties":{"capability":{"type":"string"},"words":{"type":"string"},"risk":{"enum":["low","medium","high"]},"reason":{"type":"string"}},"required":["capability","words","risk","reason"]},
"Wish": {"type":"object","properties":{"wanted":{"type":"string"},"choices":{"type":"array","items":{"$ref":"#/$defs/Choice"}},"words":{"type":"string"},"details":{"type":"object","additionalProperties":{"type":"string"}},"onHost":{"type":["string","null"]}},"required":["wanted","choices"]},
"Decision": {"type":"object","properties":{"capability":{"type":"string"},"span":{"enum":["once","session","always"]}},"required":["capability"],"additionalProperties":false},
"Grant": {"type":"object","properties":{"id":{"type":"string"},"capability":{"type":"string"},"span":{"enum":["once","session","always"]},"tool":{"type":["string","null"]},"sandbox":{"type":["string","null"]},"by":{"type":"string"},"at":{"type":"string"},"expires":{"type":["string","null"]},"left":{"type":["integer","null"]},"headers":{"type":"array","items":{"type":"string"}}},"required":["id","capability","span"]},
"OutcomeError": {"type":"object","properties":{"code":{"type":"string"},"name":{"type":"string"},"message":{"type":"string"},"stack":{"type":"string"},"line":{"type":"integer"},"column":{"type":"integer"},"limit":{"type":"string"},"allowed":{"type":"integer"},"wanted":{"type":["integer","null"]},"requiredPermission":{"type":"string"},"attemptedAction":{"type":"string"},"requestId":{"type":"string"}},"required":["code","name","message"]}
}"##;

/// The field that names a kept sandbox.
pub const SANDBOX: Field = ("sandbox", TEXT, Required);
/// The field that names a file or folder.
pub const PATH: Field = ("path", TEXT, Required);
/// Fields of the result of making a sandbox.
pub const MADE: &[Field] = &[("sandbox", TEXT, Required)];

/// Fields of an outcome.
pub const OUTCOME: &[Field] = &[
    ("exitCode", COUNT, Required),
    ("stdout", TEXT, Required),
    ("stderr", TEXT, Required),
    ("result", ANY, Required),
    ("errorClass", r#"{"type":["string","null"]}"#, Required),
    ("error", r##"{"anyOf":[{"type":"null"},{"$ref":"#/$defs/OutcomeError"}]}"##, Required),
    ("truncated", OBJECT, Required),
    ("executionTimeMs", r#"{"type":"number"}"#, Required),
    ("denials", OBJECTS, Optional),
    ("unseen", OBJECTS, Optional),
    ("resultNotes", OBJECTS, Optional),
    ("pageHtml", TEXT, Optional),
];

/// Makes a table of these fields and of those that every run and every sandbox takes.
macro_rules! with_settings {
    ($($field:expr),* $(,)?) => {
        &[
            $($field,)*
            ("limits", LIMITS, Optional),
            ("stdin", TEXT, Optional),
            ("env", ENV, Optional),
            ("capabilities", TEXTS, Optional),
            ("programs", PROGRAMS, Optional),
            ("mounts", MOUNTS, Optional),
            ("functions", FUNCTIONS, Optional),
            ("ask", ANY, Optional),
        ]
    };
}

/// Parameters of a run.
pub const EXEC: &[Field] = with_settings![
    ("kind", KIND, Required),
    ("command", TEXT, Optional),
    ("wasm", MODULE, Optional),
    ("argv", TEXTS, Optional),
    ("preopens", TEXTS, Optional),
    ("code", TEXT, Optional),
    ("args", ANY, Optional),
    ("files", FILES, Optional),
    ("cwd", TEXT, Optional),
    ("name", TEXT, Optional),
    ("session", TEXT, Optional),
    ("boundary", BOUNDARY, Optional),
    ("config", OBJECT, Optional),
    ("page", TEXT, Optional),
    ("language", TEXT, Optional),
    ("sandbox", TEXT, Optional),
    ("stream", FLAG, Optional),
];

/// Parameters of a sandbox.
pub const CREATE: &[Field] = with_settings![
    ("cwd", TEXT, Optional),
    ("files", FILES, Optional),
    ("boundary", BOUNDARY, Optional),
    ("config", OBJECT, Optional),
    ("page", TEXT, Optional),
];

/// Parameters of a sandbox that is made from an export.
pub const IMPORT: &[Field] = with_settings![
    ("base64", TEXT, Required),
    ("boundary", BOUNDARY, Optional),
    ("config", OBJECT, Optional),
    ("page", TEXT, Optional),
    ("sealed", FLAG, Optional),
];

/// Fields of a registered tool.
pub const MANIFEST: &[Field] = &[
    ("name", TEXT, Required),
    ("description", TEXT, Required),
    ("kind", r#"{"enum":["js","ts","python"]}"#, Optional),
    ("source", TEXT, Required),
    ("parameters", OBJECT, Optional),
    ("returns", OBJECT, Optional),
    ("wants", TEXTS, Optional),
];

/// Parameters of a call of a registered tool: its name and arguments, and those of a run.
pub const TOOL_CALL: &[Field] = with_settings![
    ("name", TEXT, Required),
    ("args", ANY, Optional),
    ("files", FILES, Optional),
    ("cwd", TEXT, Optional),
    ("sandbox", TEXT, Optional),
    ("session", TEXT, Optional),
    ("stream", FLAG, Optional),
];

/// Fields of the result of such a call. `mistake` says that the result does not fit the schema.
pub const TOOL_OUTCOME: &[Field] = &[("outcome", OBJECT, Required), ("mistake", TEXT, Optional)];

/// Returns the names of fields.
pub fn names(fields: &[Field]) -> Vec<&'static str> {
    fields.iter().map(|(name, ..)| *name).collect()
}

/// Returns the schema of an object with these fields and no others.
pub fn object(fields: &[Field]) -> Json {
    let properties = fields.iter().map(|(name, schema, _)| ((*name).to_owned(), parse(schema)));
    let required = fields.iter().filter(|(.., need)| *need == Required).map(|(name, ..)| *name);
    json!({
        "type": "object",
        "properties": properties.collect::<Map<_, _>>(),
        "required": required.collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

/// Parses a schema of the tables. A test parses all of them.
pub fn parse(schema: &str) -> Json {
    serde_json::from_str(schema).unwrap_or(Json::Null)
}
