//! Messages between a page and a sandbox, as JSON. [`Message`] describes their shapes.

use serde_json::Value as Json;

pub use cofferdam_abi::message::{Execute, Failure, Invalid, Message};

use crate::json;

/// Parses a message. Unknown fields are errors.
pub fn from_json(message: Json) -> Result<Message, Invalid> {
    Message::from_value(json::from_json(message))
}

/// Converts a message to JSON. Values that JSON cannot hold are changed as in results.
pub fn to_json(message: Message) -> Json {
    json::to_json(&message.into_value()).json
}

/// Returns a JSON Schema that covers every message.
pub fn schema() -> Json {
    json::to_json(&cofferdam_abi::message::schema()).json
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Checks that schema and parser agree on a message, and that the parser keeps it unchanged.
    #[track_caller]
    fn check(message: Json, is_valid: bool) {
        let schema = jsonschema::validator_for(&schema()).expect("a schema");
        assert_eq!(schema.is_valid(&message), is_valid, "schema: {message}");
        match from_json(message.clone()) {
            Ok(read) => {
                assert!(is_valid, "{message}");
                assert_eq!(to_json(read), message);
            }
            Err(error) => assert!(!is_valid, "{message}: {error}"),
        }
    }

    #[test]
    fn the_schema_takes_what_is_read() {
        let error = json!({ "name": "Error", "message": "no" });
        for message in [
            json!({ "id": "1", "type": "execute", "params": { "code": "return 1" } }),
            json!({ "id": "1", "type": "execute", "params": {
                "code": "x", "args": { "n": [1, null] }, "file": "a.ts", "language": "ts",
                "capabilities": ["fs:read"] } }),
            json!({ "id": "2", "type": "call", "method": "storage.get", "params": [0, "k"] }),
            json!({ "id": "2", "type": "answer", "result": null }),
            json!({ "id": "2", "type": "answer", "error": error }),
            json!({ "id": "1", "type": "result", "result": { "sum": 6 } }),
            json!({ "id": "1", "type": "error", "error": error }),
        ] {
            check(message, true);
        }
    }

    #[test]
    fn the_schema_refuses_what_is_refused() {
        for message in [
            json!(null),
            json!({}),
            json!({ "id": 1, "type": "result", "result": 1 }),
            json!({ "id": "", "type": "result", "result": 1 }),
            json!({ "id": "x".repeat(129), "type": "result", "result": 1 }),
            json!({ "id": "1", "type": "result" }),
            json!({ "id": "1", "type": "result", "result": 1, "more": 1 }),
            json!({ "id": "1", "type": "execute", "params": { "args": 1 } }),
            json!({ "id": "1", "type": "execute", "params": { "code": "", "language": "py" } }),
            json!({ "id": "1", "type": "execute", "params": { "code": "", "capabilities": [1] } }),
            json!({ "id": "1", "type": "call", "method": "host.exec", "params": [] }),
            json!({ "id": "1", "type": "call", "method": "storage.get", "params": {} }),
            json!({ "id": "1", "type": "answer" }),
            json!({ "id": "1", "type": "answer", "error": { "name": "Error" } }),
            json!({ "id": "1", "type": "error", "error": "no" }),
        ] {
            check(message, false);
        }
    }
}
