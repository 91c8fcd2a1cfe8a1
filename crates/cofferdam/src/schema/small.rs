//! A small validator: types, members, items, bounds, choices and references within the schema.
//!
//! A schema with any other keyword is refused when it is given, so that no part of it is passed over
//! in silence.

use serde_json::{Map, Value as Json};

/// Keywords that describe and do not restrict.
const NOTES: [&str; 12] = [
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "format",
    "readOnly",
    "title",
];

/// Deepest nesting of schemas, references included.
const MAX_DEPTH: usize = 64;

/// Returns the reason why a schema cannot be used here.
pub(super) fn check(root: &Json, schema: &Json, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("nests too deep".into());
    }
    let schema = match schema {
        Json::Bool(_) => return Ok(()),
        Json::Object(schema) => schema,
        _ => return Err("a schema must be an object or a boolean".into()),
    };
    let each = |list: &Json| match list.as_array() {
        Some(list) => list.iter().try_for_each(|schema| check(root, schema, depth + 1)),
        None => Err("a choice must be an array of schemas".to_owned()),
    };
    for (keyword, value) in schema {
        let is_number = value.is_number();
        let good = match keyword.as_str() {
            "type" => is_type(value),
            "enum" => value.is_array(),
            "const" => true,
            "required" => value.as_array().is_some_and(|names| names.iter().all(Json::is_string)),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => is_number,
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" => value.is_u64(),
            "properties" => {
                let Some(members) = value.as_object() else {
                    return Err(format!("{keyword}: not an object"));
                };
                members.values().try_for_each(|schema| check(root, schema, depth + 1))?;
                true
            }
            "items" | "additionalProperties" | "not" => {
                check(root, value, depth + 1)?;
                true
            }
            "anyOf" | "oneOf" | "allOf" => {
                each(value)?;
                true
            }
            "$ref" => target(root, value).is_some(),
            other if NOTES.contains(&other) => true,
            other => {
                return Err(format!("{other:?} is a keyword that a browser does not know here"));
            }
        };
        if !good {
            return Err(format!("{keyword}: {value} is not valid"));
        }
    }
    Ok(())
}

fn is_type(value: &Json) -> bool {
    const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let known = |name: &Json| name.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Json::Array(names) => !names.is_empty() && names.iter().all(known),
        name => known(name),
    }
}

/// Returns the part of the schema that a reference names.
fn target<'a>(root: &'a Json, reference: &Json) -> Option<&'a Json> {
    root.pointer(reference.as_str()?.strip_prefix('#')?)
}

fn has_type(value: &Json, name: &str) -> bool {
    match name {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        "null" => value.is_null(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        _ => value.is_string(),
    }
}

/// Describes why a value does not match a schema that was checked.
pub(super) fn complaint(
    root: &Json,
    schema: &Json,
    value: &Json,
    path: &str,
    depth: usize,
) -> Option<String> {
    let at = if path.is_empty() { String::new() } else { format!(" at {path}") };
    if depth > MAX_DEPTH {
        return Some(format!("nests too deep{at}"));
    }
    let rules = match schema {
        Json::Bool(true) => return None,
        Json::Object(rules) => rules,
        _ => return Some(format!("{value} is not allowed{at}")),
    };
    rules.iter().find_map(|(keyword, rule)| {
        let own = || plain(keyword, rule, value).map(|what| format!("{what}{at}"));
        own().or_else(|| nested(root, (rules, keyword, rule), value, path, depth + 1))
    })
}

/// Checks a rule that needs no other schema.
fn plain(keyword: &str, rule: &Json, value: &Json) -> Option<String> {
    let list = rule.as_array().map_or(&[][..], Vec::as_slice);
    let bound = rule.as_f64().unwrap_or_default();
    let number = value.as_f64();
    let has = |name: &Json| name.as_str().is_some_and(|name| has_type(value, name));
    let count = match keyword {
        "minLength" | "maxLength" => value.as_str().map(|text| text.chars().count()),
        "minItems" | "maxItems" => value.as_array().map(Vec::len),
        "minProperties" | "maxProperties" => value.as_object().map(|object| object.len()),
        _ => None,
    };
    let is_wrong = match keyword {
        "type" if rule.is_array() => !list.iter().any(has),
        "type" => !has(rule),
        "enum" => !list.contains(value),
        "const" => value != rule,
        "minimum" => number.is_some_and(|number| number < bound),
        "maximum" => number.is_some_and(|number| number > bound),
        "exclusiveMinimum" => number.is_some_and(|number| number <= bound),
        "exclusiveMaximum" => number.is_some_and(|number| number >= bound),
        "minLength" | "minItems" | "minProperties" => count.is_some_and(|n| (n as f64) < bound),
        "maxLength" | "maxItems" | "maxProperties" => count.is_some_and(|n| (n as f64) > bound),
        "required" => {
            let object = value.as_object()?;
            let name =
                list.iter().find(|name| !object.contains_key(name.as_str().unwrap_or("")))?;
            return Some(format!("{name} is a required property"));
        }
        _ => false,
    };
    is_wrong.then(|| match keyword {
        "type" => format!("{value} is not of type {rule}"),
        "enum" => format!("{value} is not one of {rule}"),
        "const" => format!("{rule} was expected"),
        _ => format!("{value} is not within {keyword} {rule}"),
    })
}

/// Checks a rule that is made of other schemas: `rule`, the value of `keyword` among `rules`.
fn nested(
    root: &Json,
    (rules, keyword, rule): (&Map<String, Json>, &str, &Json),
    value: &Json,
    path: &str,
    depth: usize,
) -> Option<String> {
    let list = rule.as_array().map_or(&[][..], Vec::as_slice);
    let here = |schema: &Json| complaint(root, schema, value, path, depth);
    let below = |schema: &Json, value: &Json, name: &str| {
        complaint(root, schema, value, &format!("{path}/{name}"), depth)
    };
    let fitting = || list.iter().filter(|schema| here(schema).is_none()).count();
    let is_wrong = match keyword {
        "properties" => {
            let object = value.as_object()?;
            let of_member =
                |(name, schema): (&String, &Json)| below(schema, object.get(name)?, name);
            return rule.as_object()?.iter().find_map(of_member);
        }
        "additionalProperties" => {
            let known = rules.get("properties").and_then(Json::as_object);
            let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
            let others = value.as_object()?.iter().filter(|(name, _)| !is_known(name));
            return others.map(|(name, value)| below(rule, value, name)).find_map(|said| said);
        }
        "items" => {
            let of_item = |(place, item): (usize, &Json)| below(rule, item, &place.to_string());
            return value.as_array()?.iter().enumerate().find_map(of_item);
        }
        "allOf" => return list.iter().find_map(here),
        "$ref" => return target(root, rule).and_then(here),
        "anyOf" => fitting() == 0,
        "oneOf" => fitting() != 1,
        "not" => here(rule).is_none(),
        _ => false,
    };
    let at = if path.is_empty() { String::new() } else { format!(" at {path}") };
    is_wrong.then(|| format!("{value} is not valid under the schemas of {keyword}{at}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Checks that both validators agree on a value.
    fn check_both(schema: Json, value: Json, is_valid: bool) {
        check(&schema, &schema, 0).expect("a schema");
        let said = complaint(&schema, &schema, &value, "", 0);
        assert_eq!(said.is_none(), is_valid, "{schema} {value}: {said:?}");
        assert_eq!(jsonschema::is_valid(&schema, &value), is_valid, "{schema} {value}");
    }

    #[test]
    fn the_small_validator_agrees_with_the_complete_one() {
        let person = json!({
            "type": "object", "required": ["name"], "additionalProperties": false,
            "properties": { "name": { "type": "string", "minLength": 1, "maxLength": 3 }, "age": { "type": "integer", "minimum": 0, "exclusiveMaximum": 9 } }
        });
        check_both(person.clone(), json!({ "name": "é" }), true);
        check_both(person.clone(), json!({ "name": "abcd" }), false);
        check_both(person.clone(), json!({ "name": "a", "age": 9 }), false);
        check_both(person.clone(), json!({ "name": "a", "age": 1.0 }), true);
        check_both(person.clone(), json!({ "name": "a", "x": 1 }), false);
        check_both(person.clone(), json!({ "age": 1 }), false);
        check_both(person, json!([]), false);
        let tree = json!({ "$defs": { "t": { "type": "array", "items": { "$ref": "#/$defs/t" }, "maxItems": 2 } }, "$ref": "#/$defs/t" });
        check_both(tree.clone(), json!([[], [[]]]), true);
        check_both(tree.clone(), json!([[], [[], [], []]]), false);
        check_both(tree, json!([1]), false);
        let choice =
            json!({ "oneOf": [{ "type": "number" }, { "const": 5 }], "not": { "enum": [7] } });
        check_both(choice.clone(), json!(4), true);
        check_both(choice.clone(), json!(5), false);
        check_both(choice.clone(), json!(7), false);
        check_both(choice, json!("x"), false);
        check_both(
            json!({ "anyOf": [{ "type": ["string", "null"] }], "allOf": [true] }),
            json!(null),
            true,
        );
        check_both(json!({ "minProperties": 1, "maxProperties": 1 }), json!({}), false);
    }

    #[test]
    fn what_is_unknown_is_refused_by_name() {
        let refused = |schema: Json| check(&schema, &schema, 0).expect_err("no schema");
        assert!(refused(json!({ "pattern": "a" })).contains("\"pattern\""));
        assert!(refused(json!({ "type": "strange" })).contains("type"));
        assert!(
            refused(json!({ "properties": { "a": { "$ref": "#/nothing" } } })).contains("$ref")
        );
        assert!(refused(json!(5)).contains("must be"));
    }
}
