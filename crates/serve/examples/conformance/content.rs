//! Tools, prompts and resources of the suite, as JSON.

use serde_json::{Value as Json, json};

/// A picture of one pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/// A sound without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

fn text(text: &str) -> Json {
    json!({ "type": "text", "text": text })
}

fn image() -> Json {
    json!({ "type": "image", "data": PNG, "mimeType": "image/png" })
}

fn embedded(uri: &str, media: &str, text: &str) -> Json {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": media, "text": text } })
}

/// Returns all tools.
pub(crate) fn tools() -> Json {
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_logging",
        "test_error_handling",
        "test_tool_with_progress",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_reconnection",
        "test_missing_capability",
        "test_streaming_elicitation",
        "test_logging_tool",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
        "test_input_required_result_elicitation",
        "test_input_required_result_sampling",
        "test_input_required_result_list_roots",
        "test_input_required_result_request_state",
        "test_input_required_result_multiple_inputs",
        "test_input_required_result_multi_round",
        "test_input_required_result_tampered_state",
        "test_input_required_result_capabilities",
    ];
    let mut tools: Vec<Json> = plain
        .iter()
        .map(|name| tool(name, json!({ "type": "object", "properties": {} })))
        .collect();
    let one = |name: &str, more: Json| json!({ "type": "object", "properties": { name: more }, "required": [name] });
    tools.push(tool("test_sampling", one("prompt", json!({ "type": "string" }))));
    tools.push(tool("test_elicitation", one("message", json!({ "type": "string" }))));
    let header = json!({ "type": "string", "x-mcp-header": "Region" });
    tools.push(tool("test_custom_headers", one("region", header)));
    tools.push(tool("json_schema_2020_12_tool", schema()));
    tools.into()
}

fn tool(name: &str, schema: Json) -> Json {
    json!({ "name": name, "description": format!("{name} of the suite"), "inputSchema": schema })
}

/// Returns a schema with the keywords whose preservation the suite checks.
fn schema() -> Json {
    let text = || json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": { "$anchor": "addressDef", "type": "object",
            "properties": { "street": text(), "city": text() } } },
        "properties": {
            "name": text(),
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text(),
            "email": text(),
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// Returns the content of a tool that only returns some.
pub(crate) fn of_tool(name: &str) -> Option<Json> {
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image()]),
        "test_audio_content" => {
            json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }])
        }
        "test_embedded_resource" => json!([embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )]),
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image(),
            embedded(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#
            ),
        ]),
        "json_schema_2020_12_tool"
        | "test_custom_headers"
        | "test_reconnection"
        | "test_logging_tool" => json!([text("done")]),
        _ => return None,
    };
    Some(json!({ "content": content }))
}

pub(crate) fn prompts() -> Json {
    let argument = |name: &str| json!({ "name": name, "description": name, "required": true });
    let prompt = |name: &str, arguments: Vec<Json>| json!({ "name": name, "description": format!("{name} of the suite"), "arguments": arguments });
    json!([
        prompt("test_simple_prompt", vec![]),
        prompt("test_prompt_with_arguments", vec![argument("arg1"), argument("arg2")]),
        prompt("test_prompt_with_embedded_resource", vec![argument("resourceUri")]),
        prompt("test_prompt_with_image", vec![]),
        prompt("test_input_required_result_prompt", vec![]),
    ])
}

/// Returns a prompt.
pub(crate) fn prompt(name: &str, given: &Json) -> Option<Json> {
    let of = |name: &str| given[name].as_str().unwrap_or_default().to_owned();
    let content = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (one, two) = (of("arg1"), of("arg2"));
            vec![text(&format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))]
        }
        "test_prompt_with_embedded_resource" => vec![
            embedded(&of("resourceUri"), "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.")],
        "test_input_required_result_prompt" => vec![text("The context was taken.")],
        _ => return None,
    };
    let messages: Vec<Json> =
        content.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    Some(json!({ "messages": messages }))
}

pub(crate) fn resources() -> Json {
    let resource = |uri: &str, media: &str| {
        json!({ "uri": uri, "name": uri, "description": "a resource of the suite",
            "mimeType": media })
    };
    json!([
        resource("test://static-text", "text/plain"),
        resource("test://static-binary", "image/png"),
        resource("test://watched-resource", "text/plain"),
    ])
}

pub(crate) fn templates() -> Json {
    json!([{ "uriTemplate": "test://template/{id}/data", "name": "template",
        "description": "a template of the suite", "mimeType": "application/json" }])
}

/// Returns the content of a resource.
pub(crate) fn resource(uri: &str) -> Option<Json> {
    let of_template = || {
        let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
        let data = format!("Data for ID: {id}");
        let text = json!({ "id": id, "templateTest": true, "data": data }).to_string();
        Some(json!({ "uri": uri, "mimeType": "application/json", "text": text }))
    };
    let contents = match uri {
        "test://static-text" => json!({ "uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource." }),
        "test://watched-resource" => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "watched" })
        }
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        _ => of_template()?,
    };
    Some(json!({ "contents": [contents] }))
}
