//! Capabilities that a tool declares, in its manifest or in the comments at the top of its source.

use cofferdam_caps::{Capability, CapabilitySet};
use serde::Deserialize;

use crate::error::{Error, ErrorKind};

/// Most capabilities that one tool may declare; a person reads them all in one question.
pub const MAX_DECLARED: usize = 64;

/// Longest manifest, and longest header of a source file that is searched, in bytes.
pub const MAX_DECLARATION_LEN: usize = 64 * 1024;

/// A tool's own description and the capabilities that it says it needs.
///
/// A declaration grants nothing, and its texts are hostile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declaration {
    /// Name that the tool gives itself.
    pub name: Option<String>,
    /// Purpose of the tool.
    pub description: Option<String>,
    /// Capabilities that the tool may ask for.
    pub capabilities: CapabilitySet,
    /// Settings that the tool prefers to run with.
    pub config: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    name: Option<String>,
    description: Option<String>,
    #[serde(default)]
    capabilities: Vec<String>,
    #[serde(default)]
    config: serde_json::Map<String, serde_json::Value>,
}

impl Declaration {
    /// Reads `@capability`, `@name` and `@description` tags from the comments before the first
    /// line of code.
    ///
    /// A tag begins a line of a `//`, `/* */` or `#` comment.
    ///
    /// ```
    /// # use cofferdam_broker::Declaration;
    /// let source = "// @capability fs:read:/data/**\nreturn 1";
    /// let declared = Declaration::from_source(source)?;
    /// assert_eq!(declared.capabilities.iter().count(), 1);
    /// # Ok::<(), cofferdam_broker::Error>(())
    /// ```
    pub fn from_source(source: &str) -> Result<Self, Error> {
        let source = &source[..source.floor_char_boundary(MAX_DECLARATION_LEN)];
        let mut declaration = Self::default();
        for (number, text) in comment_lines(source) {
            let Some((tag, rest)) = split_tag(text) else { continue };
            match tag {
                "capability" => declaration.add(rest, &format!("line {number}"))?,
                "name" => declaration.name = Some(rest.to_owned()),
                "description" => declaration.description = Some(rest.to_owned()),
                // Other tags belong to documentation tools.
                _ => {}
            }
        }
        Ok(declaration)
    }

    /// Reads a JSON manifest: `{"name", "description", "capabilities": [], "config": {}}`.
    ///
    /// Every field is optional; an unknown field is an error.
    pub fn from_manifest(json: &str) -> Result<Self, Error> {
        let bad =
            |reason: &dyn std::fmt::Display| Error::new(ErrorKind::BadManifest, "manifest", reason);
        if json.len() > MAX_DECLARATION_LEN {
            return Err(bad(&format_args!("longer than {MAX_DECLARATION_LEN} bytes")));
        }
        let manifest: Manifest = serde_json::from_str(json).map_err(|error| bad(&error))?;
        let (name, description) = (manifest.name, manifest.description);
        let mut declaration =
            Self { name, description, config: manifest.config, ..Self::default() };
        for (index, text) in manifest.capabilities.iter().enumerate() {
            declaration.add(text, &format!("capabilities[{index}]"))?;
        }
        Ok(declaration)
    }

    fn add(&mut self, text: &str, place: &str) -> Result<(), Error> {
        let bad =
            |reason: &dyn std::fmt::Display| Error::new(ErrorKind::BadManifest, place, reason);
        let capability = text.parse::<Capability>().map_err(|error| bad(&error))?;
        self.capabilities.insert(capability);
        match self.capabilities.iter().count() > MAX_DECLARED {
            true => Err(bad(&format_args!("more than {MAX_DECLARED} capabilities"))),
            false => Ok(()),
        }
    }
}

/// Splits a line such as `@name value` into tag and value.
fn split_tag(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().trim_start_matches('*').trim();
    let (tag, rest) = text.strip_prefix('@')?.split_once(char::is_whitespace)?;
    Some((tag, rest.trim()))
}

/// Returns the comment lines at the top of a source with their line numbers, without comment
/// markers.
fn comment_lines(source: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (index, line) in source.trim_start_matches('\u{feff}').lines().enumerate() {
        let mut rest = line;
        loop {
            if in_block {
                let end = rest.find("*/");
                found.push((index + 1, &rest[..end.unwrap_or(rest.len())]));
                let Some(end) = end else { break };
                rest = &rest[end + 2..];
                in_block = false;
            }
            rest = rest.trim_start();
            if let Some(text) = rest.strip_prefix("//").or_else(|| rest.strip_prefix('#')) {
                found.push((index + 1, text));
                break;
            }
            match rest.strip_prefix("/*") {
                Some(text) => {
                    in_block = true;
                    rest = text;
                }
                None if rest.is_empty() => break,
                None => return found,
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expect: &[&str]) {
        let declaration = Declaration::from_source(source).unwrap();
        let found: Vec<_> = declaration.capabilities.iter().map(ToString::to_string).collect();
        assert_eq!(found, expect, "{source}");
    }

    fn check_refused(result: Result<Declaration, Error>, expect: &str) {
        assert_eq!(result.unwrap_err().to_string(), expect);
    }

    #[test]
    fn tags_are_read_from_every_kind_of_comment() {
        check("// @capability fs:read", &["fs:read"]);
        check("#!/usr/bin/env x\n# @capability fs:read\n", &["fs:read"]);
        check("\u{feff}/**\n * @capability fs:read:/a/*\n * @name x\n */", &["fs:read:/a/*"]);
        check("/* @capability fs:read */ // @capability fs:write\n", &["fs:read", "fs:write"]);
        check("\n\n  // a\n\n//@capability env:read\n", &["env:read"]);
    }

    #[test]
    fn code_ends_the_header() {
        check("1; // @capability fs:read", &[]);
        check("'use strict'\n// @capability fs:read", &[]);
        check("/* a */ f() /* @capability fs:read */", &[]);
        check("// about @capability fs:read", &[]);
    }

    #[test]
    fn unknown_capability_is_an_error_that_says_where() {
        check_refused(
            Declaration::from_source("//\n// @capability fs:raed:/a"),
            "line 2: fs:raed:/a: no such capability, did you mean fs:read:/a",
        );
        let manifest = r#"{"capabilities":["fs:read","fs:fly"]}"#;
        let error = Declaration::from_manifest(manifest).unwrap_err();
        assert!(error.to_string().starts_with("capabilities[1]: fs:fly: no such"), "{error}");
    }

    #[test]
    fn manifest_has_four_fields() {
        let manifest =
            r#"{"name":"n","description":"d","capabilities":["env:read"],"config":{"a":1}}"#;
        let read = Declaration::from_manifest(manifest).unwrap();
        assert_eq!((read.name.as_deref(), read.description.as_deref()), (Some("n"), Some("d")));
        assert_eq!(read.config["a"], 1);
        let error = Declaration::from_manifest(r#"{"capabilites":[]}"#).unwrap_err();
        assert!(error.to_string().starts_with("manifest: unknown field `capabilites`"), "{error}");
    }

    #[test]
    fn sizes_are_bounded() {
        let many: String =
            (0..=MAX_DECLARED).map(|i| format!("// @capability env:read:A{i}\n")).collect();
        check_refused(Declaration::from_source(&many), "line 65: more than 64 capabilities");
        assert!(Declaration::from_manifest(&" ".repeat(MAX_DECLARATION_LEN + 1)).is_err());
        assert!(Declaration::from_manifest(&"[".repeat(10_000)).is_err());
        check(&format!("//{}", "é".repeat(MAX_DECLARATION_LEN)), &[]);
        check(&"/*".repeat(20_000), &[]);
    }
}
