//! The JSON Schema of the messages, for implementations in other languages.

use alloc::vec;
use alloc::vec::Vec;

use super::{MAX_ID, object, text};
use crate::call::ToolCall;
use crate::value::Value;

/// Returns a JSON Schema (draft 2020-12) of all messages as plain data. Values that JSON lacks,
/// such as a `Map` in a result, are not described.
pub fn schema() -> Value {
    let any = || object(Vec::new());
    let kinds = vec![
        message("execute", vec![("params", execute())], &["params"]),
        message(
            "call",
            vec![("method", methods()), ("params", array(any()))],
            &["method", "params"],
        ),
        message("answer", vec![("result", any())], &["result"]),
        message("answer", vec![("error", failure())], &["error"]),
        message("result", vec![("result", any())], &["result"]),
        message("error", vec![("error", failure())], &["error"]),
    ];
    object(vec![
        ("$schema", text("https://json-schema.org/draft/2020-12/schema")),
        ("title", text("Messages between a page and a sandbox")),
        ("oneOf", Value::Array(kinds)),
    ])
}

fn message(kind: &str, rest: Vec<(&'static str, Value)>, required: &[&str]) -> Value {
    let id = object(vec![
        ("type", text("string")),
        ("minLength", Value::Number(1.0)),
        ("maxLength", Value::Number(MAX_ID as f64)),
    ]);
    let mut properties = vec![("id", id), ("type", object(vec![("const", text(kind))]))];
    properties.extend(rest);
    let mut all = vec!["id", "type"];
    all.extend(required);
    shape(properties, &all)
}

fn execute() -> Value {
    let language = object(vec![("enum", Value::Array(vec![text("js"), text("ts")]))]);
    let properties = vec![
        ("code", string()),
        ("args", object(Vec::new())),
        ("file", string()),
        ("language", language),
        ("capabilities", array(string())),
    ];
    shape(properties, &["code"])
}

fn failure() -> Value {
    let names =
        ["name", "message", "stack", "code", "requiredPermission", "attemptedAction", "requestId"];
    shape(names.map(|name| (name, string())).into(), &["name", "message"])
}

fn methods() -> Value {
    object(vec![(
        "enum",
        Value::Array(ToolCall::ALL.iter().map(|call| text(call.name())).collect()),
    )])
}

fn shape(properties: Vec<(&str, Value)>, required: &[&str]) -> Value {
    object(vec![
        ("type", text("object")),
        ("properties", object(properties)),
        ("required", Value::Array(required.iter().map(|name| text(name)).collect())),
        ("additionalProperties", Value::Bool(false)),
    ])
}

fn string() -> Value {
    object(vec![("type", text("string"))])
}

fn array(items: Value) -> Value {
    object(vec![("type", text("array")), ("items", items)])
}
