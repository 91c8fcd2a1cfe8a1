//! What runs: the body of an async function of `(btcp, args)`, or a module with a default export.

use cofferdam_abi::Value;
use cofferdam_abi::entry::Form;
use cofferdam_broker::Declaration;
use cofferdam_caps::CapabilitySet;

use crate::json;

/// What a tool is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// JavaScript.
    JavaScript,
    /// TypeScript, whose types are taken out before it runs.
    TypeScript,
}

/// A tool and its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub(crate) language: Language,
    pub(crate) form: Form,
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) args: Value,
    identity: Option<String>,
}

impl Tool {
    fn new(language: Language, name: &str, source: String) -> Self {
        let args = Value::Undefined;
        Tool { language, form: Form::Detect, name: name.into(), source, args, identity: None }
    }

    /// A tool in JavaScript.
    pub fn javascript(source: impl Into<String>) -> Self {
        Tool::new(Language::JavaScript, "tool.js", source.into())
    }

    /// A tool in TypeScript.
    pub fn typescript(source: impl Into<String>) -> Self {
        Tool::new(Language::TypeScript, "tool.ts", source.into())
    }

    /// A tool from a file of this name, whose ending says what it is written in and whether it
    /// is a module.
    pub fn from_file_name(name: &str, source: impl Into<String>) -> Self {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let ending = base.rsplit_once('.').map_or("", |(_, ending)| ending);
        let language = match ending {
            "ts" | "mts" | "cts" => Language::TypeScript,
            _ => Language::JavaScript,
        };
        let mut tool = Tool::new(language, base, source.into());
        if matches!(ending, "mjs" | "mts") {
            tool.form = Form::Module;
        }
        tool
    }

    /// Says what it is written in.
    pub fn language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// What it says that it will need, in the comments at its top. An unknown name there is an
    /// error.
    pub(crate) fn declared(&self) -> Result<CapabilitySet, cofferdam_broker::Error> {
        // Most tools begin with code.
        if !self.source.contains("@capability") {
            return Ok(CapabilitySet::default());
        }
        Ok(Declaration::from_source(&self.source)?.capabilities)
    }

    /// The source as it was given.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name that stack traces show.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// What grants are given to and requests are made by, in place of its name. Whoever chooses
    /// it chooses whose grants the tool has.
    pub fn identified_as(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    pub(crate) fn identity(&self) -> &str {
        self.identity.as_deref().unwrap_or(&self.name)
    }

    /// Says that the source is a module, in place of finding out.
    pub fn module(mut self) -> Self {
        self.form = Form::Module;
        self
    }

    /// The arguments, from JSON.
    pub fn args(mut self, args: serde_json::Value) -> Self {
        self.args = json::from_json(args);
        self
    }

    /// The arguments, with all that structured clone can hold.
    pub fn args_value(mut self, args: Value) -> Self {
        self.args = args;
        self
    }
}
