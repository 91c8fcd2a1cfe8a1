//! Reduces the tree of a script to its meaning, so that a script and its printed form can be
//! compared.
//!
//! Dropped are line numbers and the kind of quotes around a character: `\('$ '` and `'($ '` are the
//! same word, and a printer may choose either. It only counts if a character with a special meaning
//! is quoted at all. Also normalised are braces around a function body that needs none, `elif`
//! against an `if` inside `else`, and `[[ a ]]` against `[[ -n a ]]`.

use cofferdam_guest_sh::syntax::ast::Command;
use serde_json::{Value, json};

/// Characters with a special meaning when unquoted: in patterns, in braces, or at the start of a
/// word.
const SPECIAL: &[u8] = b"*?[]\\!@+()|~{},-^/=:.#&;<> \t\n\"'`";

/// Returns the meaning of a command, or `None` if some part of it could only ever be an error.
pub fn of(command: &Command) -> Option<Value> {
    let mut tree = serde_json::to_value(command).expect("a tree is plain data");
    strip(&mut tree);
    (!is_absurd(&tree)).then_some(tree)
}

/// Marks a part without a meaning.
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
            // Positions, the layout of lines, and the spelling of a word.
            for name in ["line", "newline", "source", "bare", "names_command"] {
                fields.remove(name);
            }
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
            // The end of an index depends on the brackets of the commands in it, and backquotes
            // count brackets differently from `$( )`.
            if fields.get("index").is_some_and(has_command) {
                fields.insert("index".into(), json!(ABSURD));
            }
            // `f() { :; } |& x`: a definition has no output to redirect.
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
                // An omitted part is printed as its default, 1.
                let one = |part: &Value| part["tree"] == json!({ "Number": 1 });
                parts.iter_mut().filter(|part| one(part)).for_each(|part| *part = Value::Null);
            }
            // A bad substitution is an error whatever its text, which is printed decoded.
            if fields.get("op").is_some_and(|op| op.get("Bad").is_some()) {
                fields.insert("op".into(), json!("Bad"));
            }
            if let Some(test) = fields.get_mut("Test") {
                with_operators(test);
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

/// Adds the final newline that a here-document may lack if the text around it ends first.
fn end_line(body: &mut Value) {
    let Some(last) = body["parts"].as_array_mut().and_then(|parts| parts.last_mut()) else {
        return;
    };
    let Some(text) = last.get_mut("Text").and_then(Value::as_array_mut) else { return };
    if text.last().is_some_and(|marked| marked[0] != u64::from(b'\n')) {
        text.push(json!([b'\n', false]));
    }
    // In a here-document, quotes do not change a newline.
    let ends = text.iter_mut().filter(|marked| marked[0] == u64::from(b'\n'));
    ends.for_each(|marked| marked[1] = json!(false));
}

/// Reduces an expression to its tree. If substitutions decide the tree, only blanks are dropped.
fn arithmetic(fields: &mut serde_json::Map<String, Value>) {
    let has_tree = !fields["tree"].is_null();
    let Some(Value::Array(parts)) = fields["word"].get_mut("parts") else { return };
    // A literal dollar is not an arithmetic operator.
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

/// Returns the descriptor that an operator redirects by default.
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

/// Gives a word that stands alone in `[[ ]]` the operator that it is printed with, `-n`.
fn with_operators(test: &mut Value) {
    let Value::Object(fields) = test else { return };
    if let Some(word) = fields.remove("Word") {
        fields.insert("Unary".into(), json!([b'n', word]));
        return;
    }
    for name in ["And", "Or", "Not", "Group"] {
        match fields.get_mut(name) {
            Some(Value::Array(operands)) => operands.iter_mut().for_each(with_operators),
            Some(operand) => with_operators(operand),
            None => {}
        }
    }
}

/// Rewrites `elif` as an `if` inside `else`, which is how it is printed.
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

/// Returns a list that consists of one command.
fn list_of(command: &Value) -> Value {
    let pipeline = json!({ "negated": false, "timed": null, "stages": [command] });
    json!({ "items": [{ "first": pipeline, "rest": [], "background": false }] })
}

/// Merges the text of a word's parts into lists of characters, each marked if its quoting matters.
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
    // An empty quoted word is an argument; an empty unquoted word is not.
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
