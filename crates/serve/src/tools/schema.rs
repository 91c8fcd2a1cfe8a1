//! Schemas that an agent gives: compiled, and bounded in the time that a check with them takes.
//!
//! A reference may lead to a definition of the same schema. References that lead in a circle could
//! be followed for ever, and nested ones could double the work with every level, so the size of a
//! schema is counted with all references expanded.
//!
//! Meets T-MCP-005.

use std::collections::HashMap;

use cofferdam_front::exec::{BadParams, bad};
use jsonschema::{PatternOptions, Validator};
use serde_json::Value as Json;

/// Longest schema, as JSON.
const MAX_BYTES: usize = 64 << 10;

/// Most values in a schema with its references expanded.
const MAX_EXPANDED: u64 = 10_000;

/// Most mistakes that a message names.
const MAX_MISTAKES: usize = 5;

/// Compiles a schema. `name` begins the message of an error.
pub(super) fn compile(name: &str, schema: &Json) -> Result<Validator, BadParams> {
    if !schema.is_object() || schema.to_string().len() > MAX_BYTES {
        return bad(format!("{name}: not an object of at most {MAX_BYTES} bytes"));
    }
    let mut known = HashMap::new();
    match expanded(schema, schema, &mut known) {
        Some(size) if size <= MAX_EXPANDED => {}
        Some(_) => return bad(format!("{name}: references make the schema too large")),
        None => {
            return bad(format!(
                "{name}: a reference leads in a circle, or not to a definition of this schema"
            ));
        }
    }
    jsonschema::options()
        // The other engine backtracks, and patterns are hostile.
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
        .map_err(|error| BadParams(format!("{name}: not a JSON Schema: {error}")))
}

/// Checks a value against a schema.
pub(super) fn check(name: &str, schema: &Json, value: &Json) -> Result<(), BadParams> {
    let validator = compile(name, schema)?;
    let mistakes: Vec<String> = validator
        .iter_errors(value)
        .take(MAX_MISTAKES)
        .map(|mistake| format!("{name}{}: {mistake}", mistake.instance_path()))
        .collect();
    if mistakes.is_empty() { Ok(()) } else { bad(mistakes.join("; ")) }
}

/// Counts the values of a schema with references expanded. Returns `None` for a reference that
/// leads in a circle or elsewhere.
fn expanded<'a>(
    root: &'a Json,
    value: &'a Json,
    known: &mut HashMap<&'a str, Option<u64>>,
) -> Option<u64> {
    match value {
        Json::Object(object) => {
            let mut size = 1_u64;
            for (name, value) in object {
                let more = match (name.as_str(), value) {
                    ("$ref", Json::String(target)) => referenced(root, target, known)?,
                    ("$dynamicRef" | "$recursiveRef" | "$ref", _) => return None,
                    _ => expanded(root, value, known)?,
                };
                size = size.saturating_add(more);
            }
            Some(size)
        }
        Json::Array(items) => items
            .iter()
            .try_fold(1_u64, |size, item| Some(size.saturating_add(expanded(root, item, known)?))),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Some(1),
    }
}

fn referenced<'a>(
    root: &'a Json,
    target: &'a str,
    known: &mut HashMap<&'a str, Option<u64>>,
) -> Option<u64> {
    // An entry without a size is being counted: the reference leads back to it.
    if let Some(size) = known.get(target) {
        return *size;
    }
    let is_definition = ["#/$defs/", "#/definitions/"].iter().any(|at| target.starts_with(at));
    let found = root.pointer(target.strip_prefix('#')?).filter(|_| is_definition)?;
    known.insert(target, None);
    let size = expanded(root, found, known)?;
    known.insert(target, Some(size));
    Some(size)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: Json) -> String {
        compile("s", &schema).err().map(|bad| bad.0).unwrap_or_default()
    }

    #[test]
    fn a_reference_to_a_definition_is_followed() {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/n" } },
            "$defs": { "n": { "type": "number" } } });
        assert!(check("s", &schema, &json!({ "a": 1 })).is_ok());
        assert!(check("s", &schema, &json!({ "a": "1" })).is_err());
    }

    /// T-MCP-005.
    #[test]
    fn references_in_a_circle_are_refused() {
        let circle = json!({ "allOf": [{ "$ref": "#" }] });
        assert!(refused(circle).contains("leads in a circle"));
        let two = json!({ "$ref": "#/$defs/a", "$defs": {
            "a": { "$ref": "#/$defs/b" }, "b": { "allOf": [{ "$ref": "#/$defs/a" }] } } });
        assert!(refused(two).contains("leads in a circle"));
        let dynamic = json!({ "$dynamicAnchor": "x", "allOf": [{ "$dynamicRef": "#x" }] });
        assert!(refused(dynamic).contains("leads in a circle"));
        let file = json!({ "$ref": "file:///etc/passwd" });
        assert!(refused(file).contains("not to a definition"));
    }

    #[test]
    fn references_that_double_with_every_level_are_refused() {
        let mut definitions = serde_json::Map::new();
        for level in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
            definitions.insert(format!("l{level}"), json!({ "allOf": [next, next] }));
        }
        definitions.insert("l40".into(), json!({}));
        let schema = json!({ "$ref": "#/$defs/l0", "$defs": definitions });
        assert!(refused(schema).contains("too large"));
    }
}
