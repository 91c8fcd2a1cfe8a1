//! Request lines of `cofferdam rpc`.

use serde_json::{Map, Value as Json};

use self::request::{BadLine, Code, Request};
use super::Target;
use crate::cost;

// Included by path, because its crate depends on the engine.
#[path = "../../../crates/cli/src/request.rs"]
#[allow(dead_code, reason = "the program uses the rest")]
mod request;

pub const TARGET: Target = Target {
    name: "requests",
    run,
    words: &[
        "{\"jsonrpc\":\"2.0\"",
        ",\"id\":1",
        ",\"method\":\"exec\"",
        ",\"params\":{}",
        "}",
        "[",
        "]",
        "null",
        "true",
        "1e308",
        "-0",
        "1.5",
        "\\ud800",
        "\\u0000",
        "\"\"",
        ":",
        ",",
        "{\"a\":",
        "\"id\":null",
        "99999999999999999999",
        " ",
    ],
    repeats: &["[", "{\"a\":", "1,", "\"a\",", "{\"jsonrpc\":\"2.0\",", "\\u0041", " ", "-"],
};

pub fn run(data: &[u8]) {
    // The worst line is an object of tiny members, each of which becomes a map entry.
    let parsed = cost::within(data.len(), 256, 1 << 16, || Request::parse(data));
    match parsed {
        Ok(request) => {
            let line = line_of(&request);
            assert_eq!(Request::parse(&line), Ok(request));
        }
        Err(BadLine { id, error }) => {
            assert!(matches!(id, Json::Null | Json::String(_) | Json::Number(_)));
            assert!(matches!(error.0, Code::Parse | Code::Request));
            assert!(error.1.len() < 200, "the answer to a bad line is short: {}", error.1);
        }
    }
}

fn line_of(request: &Request) -> Vec<u8> {
    let mut object = Map::new();
    object.insert("jsonrpc".into(), "2.0".into());
    if let Some(id) = &request.id {
        object.insert("id".into(), id.clone());
    }
    object.insert("method".into(), request.method.clone().into());
    object.insert("params".into(), request.params.clone());
    Json::Object(object).to_string().into_bytes()
}
