//! JSON Schemas of the arguments and results of functions.
//!
//! The server has a complete validator. In a browser it would be a third of the download, so a small
//! one takes its place, which knows the keywords that functions are described with.

#[cfg(any(target_family = "wasm", test))]
mod small;

use serde_json::Value as Json;

/// A schema that values can be checked against.
#[cfg(not(target_family = "wasm"))]
pub(crate) struct Schema(jsonschema::Validator);

#[cfg(not(target_family = "wasm"))]
impl Schema {
    /// Reads a schema, or returns the reason why it is none.
    pub(crate) fn new(schema: &Json) -> Result<Self, String> {
        jsonschema::validator_for(schema).map(Schema).map_err(|e| e.to_string())
    }

    /// Describes in one line why a value does not match, or returns `None` if it does.
    pub(crate) fn complaint(&self, value: &Json) -> Option<String> {
        let error = self.0.validate(value).err()?;
        let path = error.instance_path().to_string();
        let at = if path.is_empty() { String::new() } else { format!(" at {path}") };
        Some(format!("{error}{at}"))
    }
}

/// A schema that values can be checked against.
#[cfg(target_family = "wasm")]
pub(crate) struct Schema(Json);

#[cfg(target_family = "wasm")]
impl Schema {
    /// Reads a schema, or returns the reason why it is none that is known here.
    pub(crate) fn new(schema: &Json) -> Result<Self, String> {
        small::check(schema, schema, 0).map(|()| Schema(schema.clone()))
    }

    /// Describes in one line why a value does not match, or returns `None` if it does.
    pub(crate) fn complaint(&self, value: &Json) -> Option<String> {
        small::complaint(&self.0, &self.0, value, "", 0)
    }
}
