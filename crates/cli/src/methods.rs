//! The methods of `rpc`, in one table: the server takes its names and parameters from it, and
//! `cofferdam rpc --schema` prints it as JSON Schema, which the clients are generated from.

use serde_json::{Map, Value as Json, json};

use crate::authority;
use crate::kept::{Failed, Kept};

/// A method that the client may call.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    params: &'static [Field],
    result: &'static [Field],
    pub(crate) call: Call,
}

/// The part of the server that carries out a method.
#[derive(Clone, Copy)]
pub(crate) enum Call {
    /// Starts a run.
    Exec,
    /// Cancels a request.
    Cancel,
    /// Closes a session.
    CloseSession,
    /// Works on what is kept, and returns at once.
    Kept(fn(&Kept, Map<String, Json>) -> Result<Json, Failed>),
}

/// A message that the server sends.
struct Message {
    name: &'static str,
    about: &'static str,
    params: &'static [Field],
    /// Result of a request; `None` for a notification.
    result: Option<&'static str>,
}

/// Name, JSON Schema and need of a parameter or a field of a result.
type Field = (&'static str, &'static str, Need);

/// Need of a field.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    Required,
    Optional,
}

use Need::{Optional, Required};

const TEXT: &str = r#"{"type":"string"}"#;
const FLAG: &str = r#"{"type":"boolean"}"#;
const COUNT: &str = r#"{"type":"integer","minimum":0}"#;
const ANY: &str = "{}";
const TEXTS: &str = r#"{"type":"array","items":{"type":"string"}}"#;
const ENV: &str = r#"{"type":"object","additionalProperties":{"type":"string"}}"#;
const ENV_CHANGE: &str = r#"{"type":"object","additionalProperties":{"type":["string","null"]}}"#;
const LIMITS: &str = r##"{"$ref":"#/$defs/Limits"}"##;
const CONTENT: &str = r##"{"$ref":"#/$defs/Content"}"##;
const FILES: &str = r##"{"type":"object","additionalProperties":{"$ref":"#/$defs/Content"}}"##;
const PROGRAMS: &str = r##"{"type":"object","additionalProperties":{"$ref":"#/$defs/Module"}}"##;
const MODULE: &str = r##"{"$ref":"#/$defs/Module"}"##;
const MOUNTS: &str = r##"{"type":"array","items":{"$ref":"#/$defs/Mount"}}"##;
const FUNCTIONS: &str = r##"{"type":"array","items":{"$ref":"#/$defs/Function"}}"##;
const KIND: &str = r#"{"enum":["js","ts","shell","wasm"]}"#;
const BOUNDARY: &str = r#"{"enum":["worker","iframe"]}"#;
const SPAN: &str = r#"{"enum":["once","session","always"]}"#;
const OBJECT: &str = r#"{"type":"object"}"#;
const OBJECTS: &str = r#"{"type":"array","items":{"type":"object"}}"#;
const GRANT: &str = r##"{"$ref":"#/$defs/Grant"}"##;
const GRANTS: &str = r##"{"type":"array","items":{"$ref":"#/$defs/Grant"}}"##;
const WISHES: &str = r##"{"type":"array","items":{"$ref":"#/$defs/Wish"}}"##;
const DECISIONS: &str =
    r##"{"type":"array","items":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/Decision"}]}}"##;
const ID: &str = r#"{"type":["string","number"]}"#;

/// Shared types of the schema.
const DEFINITIONS: &str = r##"{
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

const SANDBOX: Field = ("sandbox", TEXT, Required);
const PATH: Field = ("path", TEXT, Required);
const MADE: &[Field] = &[("sandbox", TEXT, Required)];

/// Fields of an outcome.
const OUTCOME: &[Field] = &[
    ("exitCode", COUNT, Required),
    ("stdout", TEXT, Required),
    ("stderr", TEXT, Required),
    ("result", ANY, Required),
    ("errorClass", r#"{"type":["string","null"]}"#, Required),
    ("error", r##"{"anyOf":[{"type":"null"},{"$ref":"#/$defs/OutcomeError"}]}"##, Required),
    ("truncated", OBJECT, Required),
    ("executionTimeMs", r#"{"type":"number"}"#, Required),
    ("denied", OBJECT, Optional),
    ("resultNotes", OBJECTS, Optional),
    ("pageHtml", TEXT, Optional),
];

const EXEC: &[Field] = &[
    ("kind", KIND, Required),
    ("command", TEXT, Optional),
    ("wasm", MODULE, Optional),
    ("argv", TEXTS, Optional),
    ("preopens", TEXTS, Optional),
    ("code", TEXT, Optional),
    ("args", ANY, Optional),
    ("capabilities", TEXTS, Optional),
    ("limits", LIMITS, Optional),
    ("stdin", TEXT, Optional),
    ("env", ENV, Optional),
    ("files", FILES, Optional),
    ("cwd", TEXT, Optional),
    ("name", TEXT, Optional),
    ("session", TEXT, Optional),
    ("boundary", BOUNDARY, Optional),
    ("config", OBJECT, Optional),
    ("page", TEXT, Optional),
    ("language", TEXT, Optional),
    ("sandbox", TEXT, Optional),
    ("programs", PROGRAMS, Optional),
    ("mounts", MOUNTS, Optional),
    ("functions", FUNCTIONS, Optional),
    ("ask", ANY, Optional),
    ("stream", FLAG, Optional),
];

const CREATE: &[Field] = &[
    ("limits", LIMITS, Optional),
    ("stdin", TEXT, Optional),
    ("cwd", TEXT, Optional),
    ("env", ENV, Optional),
    ("files", FILES, Optional),
    ("capabilities", TEXTS, Optional),
    ("programs", PROGRAMS, Optional),
    ("mounts", MOUNTS, Optional),
    ("functions", FUNCTIONS, Optional),
    ("ask", ANY, Optional),
    ("boundary", BOUNDARY, Optional),
    ("config", OBJECT, Optional),
    ("page", TEXT, Optional),
];

const IMPORT: &[Field] = &[
    ("base64", TEXT, Required),
    ("limits", LIMITS, Optional),
    ("stdin", TEXT, Optional),
    ("env", ENV, Optional),
    ("capabilities", TEXTS, Optional),
    ("programs", PROGRAMS, Optional),
    ("mounts", MOUNTS, Optional),
    ("functions", FUNCTIONS, Optional),
    ("ask", ANY, Optional),
    ("boundary", BOUNDARY, Optional),
    ("config", OBJECT, Optional),
    ("page", TEXT, Optional),
];

/// Every method.
pub(crate) const METHODS: &[Method] = &[
    method("exec", "Runs a tool or program", EXEC, OUTCOME, Call::Exec),
    method("sandbox.exec", "Same as exec", EXEC, OUTCOME, Call::Exec),
    method(
        "cancel",
        "Cancels a request by its id",
        &[("id", ID, Required)],
        &[("cancelled", FLAG, Required)],
        Call::Cancel,
    ),
    method(
        "session.close",
        "Closes a session",
        &[("session", TEXT, Required), ("sandbox", TEXT, Optional)],
        &[("closed", FLAG, Required)],
        Call::CloseSession,
    ),
    method("sandbox.create", "Makes a sandbox that is kept", CREATE, MADE, kept(Kept::create)),
    method("sandbox.import", "Makes a sandbox from an export", IMPORT, MADE, kept(Kept::import)),
    method(
        "sandbox.write",
        "Writes a file",
        &[SANDBOX, PATH, ("content", CONTENT, Required), ("executable", FLAG, Optional)],
        &[("bytes", COUNT, Required)],
        kept(Kept::write),
    ),
    method(
        "sandbox.read",
        "Reads a file, as text if it is UTF-8",
        &[
            SANDBOX,
            PATH,
            ("maxBytes", COUNT, Optional),
            ("encoding", r#"{"enum":["base64"]}"#, Optional),
        ],
        &[("text", TEXT, Optional), ("base64", TEXT, Optional)],
        kept(Kept::read),
    ),
    method(
        "sandbox.list",
        "Lists a folder",
        &[SANDBOX, PATH],
        &[("entries", OBJECTS, Required)],
        kept(Kept::list),
    ),
    method(
        "sandbox.getEnv",
        "Returns the variables of later runs",
        &[SANDBOX],
        &[("env", ENV, Required)],
        kept(Kept::get_env),
    ),
    method(
        "sandbox.setEnv",
        "Sets variables for later runs; null removes one",
        &[SANDBOX, ("env", ENV_CHANGE, Required)],
        &[("env", ENV, Required)],
        kept(Kept::set_env),
    ),
    method(
        "sandbox.isRunning",
        "Returns true if a run is under way",
        &[SANDBOX],
        &[("running", FLAG, Required)],
        kept(Kept::is_running),
    ),
    method(
        "sandbox.cancel",
        "Cancels every run under way in a sandbox",
        &[SANDBOX],
        &[("cancelled", FLAG, Required)],
        kept(Kept::cancel),
    ),
    method("sandbox.fork", "Copies a sandbox", &[SANDBOX], MADE, kept(Kept::fork)),
    method(
        "sandbox.snapshot",
        "Takes a snapshot",
        &[SANDBOX],
        &[("snapshot", TEXT, Required)],
        kept(Kept::snapshot),
    ),
    method(
        "sandbox.restore",
        "Restores a snapshot; refused while a run is under way",
        &[SANDBOX, ("snapshot", TEXT, Required)],
        &[("restored", FLAG, Required)],
        kept(Kept::restore),
    ),
    method(
        "sandbox.export",
        "Encodes the content of a sandbox",
        &[SANDBOX],
        &[("base64", TEXT, Required)],
        kept(Kept::export),
    ),
    method(
        "sandbox.destroy",
        "Cancels every run and drops the sandbox",
        &[SANDBOX],
        &[("destroyed", FLAG, Required)],
        kept(Kept::destroy),
    ),
    method(
        "snapshot.drop",
        "Drops a snapshot",
        &[("snapshot", TEXT, Required)],
        &[("dropped", FLAG, Required)],
        kept(Kept::drop_snapshot),
    ),
    method(
        "functions.list",
        "Lists the functions lent to a sandbox, for a model",
        &[SANDBOX],
        &[("functions", FUNCTIONS, Required)],
        kept(Kept::functions),
    ),
    method(
        "page.set",
        "Replaces the page of a sandbox",
        &[SANDBOX, ("html", TEXT, Required)],
        &[("set", FLAG, Required)],
        kept(Kept::set_page),
    ),
    method(
        "page.html",
        "Returns the page as HTML; null if there is none",
        &[SANDBOX],
        &[("html", r#"{"type":["string","null"]}"#, Required)],
        kept(Kept::page_html),
    ),
    method(
        "page.events",
        "Takes the events that tools caused on the page",
        &[SANDBOX],
        &[("events", OBJECTS, Required)],
        kept(Kept::page_events),
    ),
    method(
        "state.publish",
        "Publishes a value to tools",
        &[
            SANDBOX,
            ("name", TEXT, Required),
            ("content", ANY, Required),
            ("metadata", ANY, Optional),
        ],
        &[("published", FLAG, Required)],
        kept(Kept::publish),
    ),
    method(
        "state.read",
        "Returns a published value, as tools may have changed it",
        &[SANDBOX, ("name", TEXT, Required)],
        &[("found", FLAG, Required), ("content", ANY, Required)],
        kept(Kept::published),
    ),
    method(
        "question.answer",
        "Answers a question: allows or denies all of it, or decides each wish",
        &[
            ("question", TEXT, Required),
            ("allow", FLAG, Optional),
            ("span", SPAN, Optional),
            ("decisions", DECISIONS, Optional),
            ("by", TEXT, Optional),
        ],
        &[("answered", FLAG, Required)],
        kept(authority::answer),
    ),
    method(
        "question.list",
        "Lists the questions that wait for an answer",
        &[],
        &[("questions", OBJECTS, Required)],
        kept(authority::questions),
    ),
    method(
        "grants.list",
        "Lists grants: of the server, and of a sandbox",
        &[("sandbox", TEXT, Optional)],
        &[("grants", GRANTS, Required)],
        kept(authority::grants),
    ),
    method(
        "grants.grant",
        "Grants a capability or a recorded request",
        &[
            ("capability", TEXT, Optional),
            ("request", TEXT, Optional),
            ("sandbox", TEXT, Optional),
            ("span", SPAN, Optional),
            ("tool", TEXT, Optional),
            ("by", TEXT, Optional),
            ("expiresInMs", COUNT, Optional),
            ("maxUses", COUNT, Optional),
            ("headers", ENV, Optional),
        ],
        &[("grant", GRANT, Required)],
        kept(authority::grant),
    ),
    method(
        "grants.revoke",
        "Revokes a grant",
        &[("grant", TEXT, Required), ("sandbox", TEXT, Optional), ("by", TEXT, Optional)],
        &[("grant", GRANT, Required)],
        kept(authority::revoke),
    ),
    method(
        "requests.list",
        "Lists denied requests, latest first",
        &[("all", FLAG, Optional)],
        &[("requests", OBJECTS, Required)],
        kept(authority::requests),
    ),
    method(
        "requests.deny",
        "Denies a recorded request",
        &[("request", TEXT, Required), ("by", TEXT, Optional)],
        &[("request", OBJECT, Required)],
        kept(authority::deny),
    ),
    method(
        "audit.read",
        "Returns lines of the audit log, oldest first",
        &[
            ("last", COUNT, Optional),
            ("sandbox", TEXT, Optional),
            ("run", TEXT, Optional),
            ("event", TEXT, Optional),
            ("verdict", TEXT, Optional),
            ("id", TEXT, Optional),
        ],
        &[("lines", OBJECTS, Required)],
        kept(authority::audit),
    ),
];

/// Every message that the server sends by itself.
const MESSAGES: &[Message] = &[
    Message {
        name: "question",
        about: "A run waits for a decision; question.answer gives it",
        params: &[
            ("question", TEXT, Required),
            ("tool", TEXT, Required),
            ("sandbox", TEXT, Required),
            ("run", TEXT, Required),
            ("wishes", WISHES, Required),
            ("at", r#"{"type":["string","null"]}"#, Optional),
            ("handle", ANY, Required),
        ],
        result: None,
    },
    Message {
        name: "question.closed",
        about: "A question was answered, or no run waits for it any more",
        params: &[("question", TEXT, Required)],
        result: None,
    },
    Message {
        name: "output",
        about: "A run with stream: true printed something",
        params: &[
            ("id", ID, Required),
            ("stream", r#"{"enum":["stdout","stderr"]}"#, Required),
            ("text", TEXT, Required),
        ],
        result: None,
    },
    Message {
        name: "function.call",
        about: "A tool calls a function that the client lent; respond with a result or an error",
        params: &[("name", TEXT, Required), ("handle", ANY, Required), ("args", ANY, Required)],
        result: Some(ANY),
    },
];

const fn method(
    name: &'static str,
    about: &'static str,
    params: &'static [Field],
    result: &'static [Field],
    call: Call,
) -> Method {
    Method { name, about, params, result, call }
}

const fn kept(call: fn(&Kept, Map<String, Json>) -> Result<Json, Failed>) -> Call {
    Call::Kept(call)
}

/// Returns a method by its name.
pub(crate) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

impl Method {
    /// Returns the names of the parameters.
    pub(crate) fn known(&self) -> Vec<&'static str> {
        self.params.iter().map(|(name, ..)| *name).collect()
    }
}

/// Returns a JSON Schema of everything that crosses the channel.
pub(crate) fn schema() -> Json {
    let methods = METHODS.iter().map(|method| {
        let about = json!({
            "description": method.about,
            "params": object(method.params),
            "result": object(method.result),
        });
        (method.name.to_owned(), about)
    });
    let message = |message: &Message| {
        let mut about = json!({ "description": message.about, "params": object(message.params) });
        if let Some(result) = message.result {
            about["result"] = parse(result);
        }
        (message.name.to_owned(), about)
    };
    let (requests, notifications): (Vec<&Message>, Vec<&Message>) =
        MESSAGES.iter().partition(|message| message.result.is_some());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cofferdam rpc",
        "$defs": parse(DEFINITIONS),
        "methods": methods.collect::<Map<_, _>>(),
        "notifications": notifications.into_iter().map(message).collect::<Map<_, _>>(),
        "requests": requests.into_iter().map(message).collect::<Map<_, _>>(),
    })
}

fn object(fields: &[Field]) -> Json {
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
fn parse(schema: &str) -> Json {
    serde_json::from_str(schema).unwrap_or(Json::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_of_the_tables_is_json() {
        let fields = METHODS.iter().flat_map(|method| method.params.iter().chain(method.result));
        let messages = MESSAGES.iter().flat_map(|message| message.params);
        for (name, schema, _) in fields.chain(messages) {
            assert!(parse(schema).is_object(), "{name}: {schema}");
        }
        assert!(parse(DEFINITIONS).is_object());
    }

    #[test]
    fn names_are_unique_and_every_method_is_documented() {
        let documents = [
            ("docs/reference.md", include_str!("../../../docs/reference.md")),
            ("SPECIFICATION.md", include_str!("../../../SPECIFICATION.md")),
        ];
        let mut names: Vec<_> = METHODS.iter().map(|method| method.name).collect();
        names.extend(MESSAGES.iter().map(|message| message.name));
        for (file, text) in documents {
            for name in &names {
                assert!(text.contains(&format!("`{name}`")), "{file} lacks `{name}`");
            }
            for method in METHODS {
                for (param, ..) in method.params {
                    assert!(text.contains(param), "{file} lacks {param} of {}", method.name);
                }
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
