//! What runs: the body of an async function of `(btcp, args)`, or a module with a default export.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cofferdam_abi::Value;
use cofferdam_abi::entry::Form;
use cofferdam_broker::Declaration;
use cofferdam_caps::CapabilitySet;
use cofferdam_kernel::KeptCode;

use crate::json;
use crate::script::ScriptPlace;

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
    pub(crate) compiled: Compiled,
    pub(crate) script: ScriptPlace,
    identity: Option<String>,
}

/// What a tool was compiled to. Its clones share it, whatever their arguments.
#[derive(Debug, Clone, Default)]
pub(crate) struct Compiled {
    /// Most tools run once; code is kept for those that run again.
    has_run: Arc<AtomicBool>,
    code: KeptCode,
}

impl Compiled {
    pub(crate) fn code(&self) -> Option<&[u8]> {
        self.code.get().map(|code| &**code)
    }

    /// Where this run is to put its code, if it is worth while.
    pub(crate) fn to_keep(&self) -> Option<KeptCode> {
        let runs_again = self.has_run.swap(true, Ordering::Relaxed);
        (runs_again && self.code.get().is_none()).then(|| self.code.clone())
    }
}

/// It follows from the source.
impl PartialEq for Compiled {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Tool {
    fn new(language: Language, name: &str, source: String) -> Self {
        Tool {
            language,
            form: Form::Detect,
            name: name.into(),
            source,
            args: Value::Undefined,
            compiled: Compiled::default(),
            script: ScriptPlace::default(),
            identity: None,
        }
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
        self.compiled = Compiled::default();
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
        // Code has the name in it.
        self.compiled = Compiled::default();
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
        self.compiled = Compiled::default();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sandbox;

    #[tokio::test]
    async fn code_is_kept_when_a_tool_runs_again() {
        let sandbox = Sandbox::new().expect("a sandbox");
        let tool = Tool::javascript("return args");
        for (run, kept) in [(1, false), (2, true), (3, true)] {
            let tool = tool.clone().args(run.into());
            sandbox.run(&tool).await.expect("an outcome");
            assert_eq!(tool.compiled.code().is_some(), kept, "run {run}");
        }
        let renamed = tool.named("other.js");
        assert!(renamed.compiled.code().is_none());
    }

    #[tokio::test]
    async fn no_code_is_kept_of_what_does_not_compile() {
        let sandbox = Sandbox::new().expect("a sandbox");
        for source in ["return 1 +", "export default () => 1"] {
            let tool = Tool::javascript(source);
            for _ in 0..3 {
                sandbox.run(&tool).await.expect("an outcome");
            }
            assert!(tool.compiled.code().is_none(), "{source}");
        }
    }
}
