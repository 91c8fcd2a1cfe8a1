//! Request lines of `cofferdam rpc`.

use serde_json::{Map, Value as Json};

use self::request::{BadLine, Code, Incoming};
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
        ",\"result\":{}",
        ",\"error\":{\"message\":\"\"}",
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
    let parsed = cost::within(data.len(), 256, 1 << 16, || Incoming::parse(data));
    match parsed {
        Ok(incoming) => {
            let line = line_of(&incoming);
            assert_eq!(Incoming::parse(&line), Ok(incoming));
        }
        Err(BadLine { id, error }) => {
            assert!(matches!(id, Json::Null | Json::String(_) | Json::Number(_)));
            assert!(matches!(error.0, Code::Parse | Code::Request));
            assert!(error.1.len() < 200, "the answer to a bad line is short: {}", error.1);
        }
    }
}

fn line_of(incoming: &Incoming) -> Vec<u8> {
    let mut object = Map::new();
    object.insert("jsonrpc".into(), "2.0".into());
    match incoming {
        Incoming::Request(request) => {
            if let Some(id) = &request.id {
                object.insert("id".into(), id.clone());
            }
            object.insert("method".into(), request.method.clone().into());
            object.insert("params".into(), request.params.clone());
        }
        Incoming::Response(response) => {
            object.insert("id".into(), response.id.clone());
            match &response.result {
                Ok(result) => object.insert("result".into(), result.clone()),
                Err(message) => object.insert("error".into(), message.clone().into()),
            };
        }
    }
    Json::Object(object).to_string().into_bytes()
}
