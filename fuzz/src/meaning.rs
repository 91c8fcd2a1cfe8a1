//! The tree of a script without what means nothing: the lines that commands stand on, and which
//! quotes a character stands in.
//!
//! Nor does it matter whether a function has braces around a body that needs none, or whether an
//! `if` stands behind `else` or is an `elif`. `\('$ '` and `'($ '` are the same word, and no printer has to choose between them as their
//! author did. What matters is whether a character that could mean something is quoted at all.

use cofferdam_guest_sh::syntax::ast::Command;
use serde_json::{Value, json};

/// Characters that mean something where they are not quoted: in patterns, braces, and in front.
const SPECIAL: &[u8] = b"*?[]\\!@+()|~{},-^/=:.#&;<> \t\n\"'`";

/// What a command means; nothing where a part of it could only ever be an error.
pub fn of(command: &Command) -> Option<Value> {
    let mut tree = serde_json::to_value(command).expect("a tree is plain data");
    strip(&mut tree);
    (!is_absurd(&tree)).then_some(tree)
}

/// Marks what has no meaning.
const ABSURD: &str = "absurd";

fn is_absurd(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(is_absurd),
        Value::Array(values) => values.iter().any(is_absurd),
        value => value == ABSURD,
    }
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("line");
            fields.values_mut().for_each(strip);
            if fields.contains_key("strip_tabs") {
                end_line(&mut fields["body"]);
            }
            if fields.contains_key("tree") {
                arithmetic(fields);
            }
            if fields.get("fd") == Some(&json!("Implied"))
                && let Some(number) = implied(&fields["to"])
            {
                fields["fd"] = json!({ "Number": number });
            }
            // Where an index ends is not known before the brackets in a command of it are counted,
            // and backquotes count them otherwise than `$( )`.
            if fields.get("index").is_some_and(has_command) {
                fields.insert("index".into(), json!(ABSURD));
            }
            // `f() { :; } |& x`: a definition prints nothing that could be sent anywhere.
            let defines = fields.get("kind").is_some_and(|kind| kind.get("Function").is_some());
            if defines && fields["redirects"] != json!([]) {
                fields.insert("redirects".into(), json!(ABSURD));
            }
            if let Some(Value::Array(function)) = fields.get_mut("Function")
                && function[1]["kind"].get("Group").is_none()
            {
                let body = json!({ "Group": list_of(&function[1]) });
                function[1] = json!({ "kind": body, "redirects": [] });
            }
            if let Some(Value::Array(parts)) =
                fields.get_mut("ArithFor").and_then(|parts| parts.get_mut(0))
            {
                // What is left out is printed as what it stands for.
                let one = |part: &Value| part["tree"] == json!({ "Number": 1 });
                parts.iter_mut().filter(|part| one(part)).for_each(|part| *part = Value::Null);
            }
            if let Some(choice) = fields.get_mut("If") {
                *choice = nested(choice);
            }
            if let Some(Value::Array(parts)) = fields.get_mut("parts") {
                *parts = merged(parts, false);
            }
            if let Some(Value::Array(parts)) = fields.get_mut("Double") {
                *parts = merged(parts, true);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A here-document that ends with what it stands in may lack its last line end, and is given one.
fn end_line(body: &mut Value) {
    let Some(last) = body["parts"].as_array_mut().and_then(|parts| parts.last_mut()) else {
        return;
    };
    let Some(text) = last.get_mut("Text").and_then(Value::as_array_mut) else { return };
    if text.last().is_some_and(|marked| marked[0] != u64::from(b'\n')) {
        text.push(json!([b'\n', false]));
    }
    // In quotes or not, a line end is a line end there.
    let ends = text.iter_mut().filter(|marked| marked[0] == u64::from(b'\n'));
    ends.for_each(|marked| marked[1] = json!(false));
}

/// An expression is its tree; where substitutions decide that, blanks around it mean nothing.
fn arithmetic(fields: &mut serde_json::Map<String, Value>) {
    let has_tree = !fields["tree"].is_null();
    let Some(Value::Array(parts)) = fields["word"].get_mut("parts") else { return };
    // A dollar that begins nothing is none of arithmetic's signs.
    let is_text_with_dollar = |part: &Value| {
        let text = part.get("Text").and_then(Value::as_array);
        text.is_some_and(|text| text.iter().any(|marked| marked[0] == u64::from(b'$')))
    };
    if parts.iter().any(is_text_with_dollar) {
        parts.push(json!(ABSURD));
    }
    if has_tree {
        parts.retain(|part| part.get("Text").is_none());
        return;
    }
    for text in parts.iter_mut().filter_map(|part| part.get_mut("Text")?.as_array_mut()) {
        text.retain(|marked| !marked[0].as_u64().is_some_and(|c| [9, 10, 32].contains(&c)));
    }
    parts.retain(|part| part.get("Text") != Some(&json!([])));
}

/// The descriptor that an operator stands for by itself.
fn implied(to: &Value) -> Option<u32> {
    let (kind, fields) = to.as_object()?.iter().next()?;
    match kind.as_str() {
        "File" if ["Read", "ReadWrite"].contains(&fields[0].as_str()?) => Some(0),
        "Copy" if fields[0] == "Input" => Some(0),
        "File" | "Copy" => Some(1),
        "String" | "Here" => Some(0),
        _ => None,
    }
}

/// `elif` is an `if` behind `else`, and printed as one.
fn nested(choice: &Value) -> Value {
    let (Some(arms), mut rest) = (choice[0].as_array(), choice[1].clone()) else {
        return choice.clone();
    };
    for (at, arm) in arms.iter().enumerate().rev() {
        let one = json!([[arm], rest]);
        if at == 0 {
            return one;
        }
        rest = list_of(&json!({ "kind": { "If": one }, "redirects": [] }));
    }
    rest
}

fn has_command(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.contains_key("Command") || fields.values().any(has_command),
        Value::Array(values) => values.iter().any(has_command),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A list of one command.
fn list_of(command: &Value) -> Value {
    let pipeline = json!({ "negated": false, "timed": null, "stages": [command] });
    json!({ "items": [{ "first": pipeline, "rest": [], "background": false }] })
}

/// Pieces of a word with their text as one list of characters, each with whether its quotes matter.
fn merged(parts: &[Value], in_quotes: bool) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    let mut text: Vec<Value> = Vec::new();
    for part in parts {
        let (bytes, quoted) = match (&part["Literal"], &part["Quoted"]) {
            (Value::Array(bytes), _) => (bytes, in_quotes),
            (_, Value::Array(bytes)) => (bytes, true),
            _ => {
                flush(&mut text, &mut out);
                out.push(part.clone());
                continue;
            }
        };
        let marked = bytes.iter().filter_map(Value::as_u64).map(|byte| {
            let is_special = u8::try_from(byte).is_ok_and(|byte| SPECIAL.contains(&byte));
            json!([byte, quoted && is_special])
        });
        text.extend(marked);
    }
    flush(&mut text, &mut out);
    // Nothing in quotes is an argument; nothing without them is none.
    if out.is_empty() && !parts.is_empty() {
        out.push(json!("empty"));
    }
    out
}

fn flush(text: &mut Vec<Value>, out: &mut Vec<Value>) {
    if !text.is_empty() {
        out.push(json!({ "Text": std::mem::take(text) }));
    }
}
