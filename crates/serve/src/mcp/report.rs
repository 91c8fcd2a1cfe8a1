//! The outcome of a run as the result of a call: structured, and short enough for a model.
//!
//! Long output is shown with its head and tail; the whole is a resource. A result that is too long
//! is left out and is a resource as well: JSON is never cut.

use cofferdam_front::fields::{self, Need, TEXT};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Map, Value as Json, json};

/// Bytes of each output, and of the result, that a call returns by default.
pub(super) const OUTPUT_BYTES: usize = 16 << 10;

/// Most bytes that a call may ask for.
pub(super) const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// Fields of the result of a run.
pub(super) const FIELDS: &[fields::Field] = &[
    ("run", TEXT, Need::Required),
    ("status", r#"{"enum":["ended","waiting"]}"#, Need::Required),
    ("exitCode", r#"{"type":"integer"}"#, Need::Optional),
    ("result", "{}", Need::Optional),
    ("stdout", TEXT, Need::Optional),
    ("stderr", TEXT, Need::Optional),
    ("error", r#"{"type":["object","null"]}"#, Need::Optional),
    ("unseen", r#"{"type":"array","items":{"type":"object"}}"#, Need::Optional),
    ("waiting", r#"{"type":"array","items":{"type":"object"}}"#, Need::Optional),
    ("whole", r#"{"type":"object"}"#, Need::Optional),
];

/// Returns the address of a part of a run's outcome.
pub(super) fn uri(run: &str, part: &str) -> String {
    format!("cofferdam://runs/{run}/{part}")
}

/// Converts an outcome. `most` bounds each output and the result.
pub(super) fn ended(run: &str, outcome: &Json, most: usize) -> CallToolResult {
    let mut object = Map::new();
    object.insert("run".into(), run.into());
    object.insert("status".into(), "ended".into());
    object.insert("exitCode".into(), outcome["exitCode"].clone());
    let mut whole = Map::new();
    let result = outcome["result"].to_string();
    match result.len() > most {
        true => drop(whole.insert("result".into(), uri(run, "result").into())),
        false => drop(object.insert("result".into(), outcome["result"].clone())),
    }
    for name in ["stdout", "stderr"] {
        let text = outcome[name].as_str().unwrap_or_default();
        if text.len() > most {
            whole.insert(name.into(), uri(run, name).into());
        }
        object.insert(name.into(), cut(text, most).into());
    }
    object.insert("error".into(), outcome["error"].clone());
    // A native program that failed may have lacked a file that `wants` can ask for.
    object.extend(outcome.get("unseen").map(|unseen| ("unseen".to_owned(), unseen.clone())));
    let links: Vec<_> = whole
        .iter()
        .filter_map(|(name, uri)| {
            let resource = Resource::new(uri.as_str()?, format!("{name} of {run}"));
            Some(ContentBlock::resource_link(resource))
        })
        .collect();
    if !whole.is_empty() {
        object.insert("whole".into(), whole.into());
    }
    let mut result = CallToolResult::structured(Json::Object(object));
    result.content.extend(links);
    result.is_error = Some(!outcome["errorClass"].is_null());
    result
}

/// Converts the outcome of a registered tool: its result alone, or what went wrong.
pub(super) fn of_tool(
    run: &str,
    outcome: &Json,
    mistake: Option<&str>,
    most: usize,
) -> CallToolResult {
    if !outcome["errorClass"].is_null() {
        return ended(run, outcome, most);
    }
    if let Some(mistake) = mistake {
        let text = format!("the tool returned something else than it promises: {mistake}");
        return CallToolResult::error(vec![ContentBlock::text(text)]);
    }
    let mut result = CallToolResult::structured(outcome["result"].clone());
    // Earlier revisions know structured content as an object alone.
    if !outcome["result"].is_object() {
        result.structured_content = None;
    }
    let printed = outcome["stdout"].as_str().unwrap_or_default();
    if !printed.is_empty() {
        result.content.push(ContentBlock::text(cut(printed, most)));
    }
    result
}

/// Reports that a run waits for a person. `words` say what to do.
pub(super) fn waiting(run: &str, waiting: Vec<Json>, words: String) -> CallToolResult {
    let object = json!({ "run": run, "status": "waiting", "waiting": waiting });
    let mut result = CallToolResult::structured(object);
    result.content.insert(0, ContentBlock::text(words));
    result.is_error = Some(true);
    result
}

/// Returns a text, or the head and tail of one that is too long.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - (most - most / 2));
    let left_out = tail - head;
    format!("{}\n[{left_out} bytes left out]\n{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_keeps_its_head_and_tail() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefgh", 4), "ab\n[4 bytes left out]\ngh");
        assert_eq!(cut("ä€ä€ä€", 6), "ä\n[10 bytes left out]\n€");
    }

    #[test]
    fn a_long_result_is_left_out_whole() {
        let outcome = json!({ "exitCode": 0, "stdout": "x".repeat(30), "stderr": "",
            "result": { "a": "y".repeat(30) }, "error": null, "errorClass": null });
        let result = ended("run_1", &outcome, 20);
        let object = result.structured_content.unwrap();
        assert!(object.get("result").is_none());
        assert_eq!(object["whole"]["result"], "cofferdam://runs/run_1/result");
        assert_eq!(object["whole"]["stdout"], "cofferdam://runs/run_1/stdout");
        assert_eq!(object["stdout"], "xxxxxxxxxx\n[10 bytes left out]\nxxxxxxxxxx");
        assert_eq!((result.is_error, result.content.len()), (Some(false), 3));
        let short = ended("run_1", &outcome, 64);
        assert_eq!(short.structured_content.unwrap()["result"], outcome["result"]);
    }
}
