//! Tools that ask the client for something: inside the call, or by returning and being retried.

use serde_json::{Map, Value as Json, json};

fn form(message: &str, name: &str, kind: &str) -> Json {
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": {
        "type": "object", "properties": { name: { "type": kind } }, "required": [name] } } })
}

fn sampling(text: &str, most: u32) -> Json {
    json!({ "method": "sampling/createMessage", "params": { "messages": [
        { "role": "user", "content": { "type": "text", "text": text } }], "maxTokens": most } })
}

fn roots() -> Json {
    json!({ "method": "roots/list", "params": {} })
}

/// Returns the questions of the first round of a tool or prompt.
pub(crate) fn first(name: &str) -> Option<Json> {
    let requests = match name {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            json!({ "user_name": form("What is your name?", "name", "string") })
        }
        "test_input_required_result_sampling" => {
            json!({ "capital_question": sampling("What is the capital of France?", 100) })
        }
        "test_input_required_result_list_roots" => json!({ "client_roots": roots() }),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => {
            json!({ "confirm": form("Please confirm", "ok", "boolean") })
        }
        "test_input_required_result_multiple_inputs" => json!({
            "user_name": form("What is your name?", "name", "string"),
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": roots(),
        }),
        "test_input_required_result_multi_round" => {
            json!({ "step1": form("Step 1: What is your name?", "name", "string") })
        }
        "test_input_required_result_capabilities" => json!({
            "user_name": form("What is your name?", "name", "string"),
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": roots(),
        }),
        "test_input_required_result_prompt" => {
            json!({ "user_context": form("What context should the prompt use?", "context", "string") })
        }
        _ => return None,
    };
    Some(requests)
}

/// Returns the question of the second round of the tool with several.
pub(crate) fn second() -> Json {
    json!({ "step2": form("Step 2: What is your favorite color?", "color", "string") })
}

/// Returns true if the answer to a question is one.
pub(crate) fn is_answer(request: &Json, answer: &Json) -> bool {
    match request["method"].as_str() {
        Some("elicitation/create") => {
            let fields = request["params"]["requestedSchema"]["required"].as_array();
            let has = |name: &Json| !answer["content"][name.as_str().unwrap_or_default()].is_null();
            answer["action"] == "accept" && fields.is_some_and(|fields| fields.iter().all(has))
        }
        Some("sampling/createMessage") => answer["content"].is_object(),
        Some("roots/list") => answer["roots"].is_array(),
        _ => false,
    }
}

/// Leaves out questions that a client with these capabilities cannot answer.
pub(crate) fn within(requests: Json, capabilities: &Json) -> Json {
    let can = |request: &Json| match request["method"].as_str() {
        Some("elicitation/create") => !capabilities["elicitation"].is_null(),
        Some("sampling/createMessage") => !capabilities["sampling"].is_null(),
        _ => !capabilities["roots"].is_null(),
    };
    let requests = requests.as_object().cloned().unwrap_or_default();
    requests.into_iter().filter(|(_, request)| can(request)).collect::<Map<_, _>>().into()
}

/// Returns the schema of a form that is sent inside the call.
pub(crate) fn schema_inside(name: &str) -> Option<Json> {
    let titled = |values: [(&str, &str); 3]| {
        values.map(|(value, title)| json!({ "const": value, "title": title }))
    };
    let values = [("value1", "First"), ("value2", "Second"), ("value3", "Third")];
    let options = ["option1", "option2", "option3"];
    let properties = match name {
        "test_elicitation" => json!({
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        }),
        "test_elicitation_sep1034_defaults" => json!({
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"],
                "default": "active" },
            "verified": { "type": "boolean", "default": true },
        }),
        "test_elicitation_sep1330_enums" => json!({
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled(values) },
            "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"] },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled(values) } },
        }),
        _ => return None,
    };
    let required =
        if name == "test_elicitation" { json!(["username", "email"]) } else { json!([]) };
    Some(json!({ "type": "object", "properties": properties, "required": required }))
}
