//! The methods of `rpc`, in one table: the server takes its names and parameters from it, and
//! `cofferdam rpc --schema` prints it as JSON Schema, which the clients are generated from.

use cofferdam_front::fields::Need::{Optional, Required};
use cofferdam_front::fields::*;
use serde_json::{Map, Value as Json, json};

use crate::authority;
use crate::kept::{Failed, Kept};
use crate::registered;

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
    /// Starts a run of a registered tool.
    Tool,
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
    method(
        "sandbox.import",
        "Makes a sandbox from an export; sealed says if this store made it",
        IMPORT,
        &[("sandbox", TEXT, Required), ("sealed", FLAG, Required)],
        kept(Kept::import),
    ),
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
    method(
        "tool.add",
        "Registers a tool, or a new version of one",
        MANIFEST,
        &[("tool", OBJECT, Required), ("isNew", FLAG, Required)],
        kept(registered::add),
    ),
    method(
        "tool.list",
        "Lists registered tools",
        &[],
        &[("tools", OBJECTS, Required)],
        kept(registered::list),
    ),
    method(
        "tool.show",
        "Returns a registered tool with its source and earlier versions",
        &[("name", TEXT, Required)],
        &[("tool", OBJECT, Required)],
        kept(registered::show),
    ),
    method(
        "tool.remove",
        "Removes a registered tool with all its versions",
        &[("name", TEXT, Required)],
        &[("removed", FLAG, Required)],
        kept(registered::remove),
    ),
    method("tool.call", "Runs a registered tool", TOOL_CALL, TOOL_OUTCOME, Call::Tool),
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
        names(self.params)
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
