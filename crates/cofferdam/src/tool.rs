//! Tools: the body of an async function of `(btcp, args)`, or a module with a default export; in
//! Python, a script, which may define the function `tool`.
//!
//! Meets T-PERM-008.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use cofferdam_abi::Value;
use cofferdam_abi::entry::Form;
use cofferdam_broker::Declaration;
use cofferdam_caps::CapabilitySet;
use cofferdam_kernel::KeptCode;

use crate::json;
use crate::script::ScriptPlace;

/// The language of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// JavaScript.
    JavaScript,
    /// TypeScript; its types are removed before it runs.
    TypeScript,
    /// Python 3.13.
    Python,
}

/// The interpreter that runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    JavaScript,
    Python,
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
    wants: Vec<cofferdam_caps::Capability>,
}

/// Words of a source that uses Node's modules.
const LIBRARY_WORDS: [&str; 4] = ["require", "import", "process", "Buffer"];

/// Compiled code and identity of a tool, which follow from name, language and source. Clones of the
/// tool share the code, whatever their arguments.
#[derive(Debug, Clone, Default)]
pub(crate) struct Compiled {
    /// Set by the first run. Most tools run once; code is kept only for those that run again.
    has_run: Arc<AtomicBool>,
    code: KeptCode,
    /// Identity by name and source, once it was computed.
    identity: OnceLock<Arc<str>>,
    /// Set once the source was searched; see [`Tool::uses_library`].
    uses_library: OnceLock<bool>,
}

impl Compiled {
    pub(crate) fn code(&self) -> Option<&[u8]> {
        self.code.get().map(|code| &**code)
    }

    /// Returns the slot for the code of this run, if the tool has run before and has no code yet.
    pub(crate) fn to_keep(&self) -> Option<KeptCode> {
        let runs_again = self.has_run.swap(true, Ordering::Relaxed);
        (runs_again && self.code.get().is_none()).then(|| self.code.clone())
    }
}

/// Compiled code follows from the source, so it never makes two tools unequal.
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
            wants: Vec::new(),
        }
    }

    /// Shares the compiled code of another tool if both have the same name, language and source.
    /// Returns false, and does nothing, if they differ.
    ///
    /// For servers whose clients send a tool again: clones of a tool share their code anyway.
    pub fn share_code(&mut self, other: &Tool) -> bool {
        let is_same = self.language == other.language
            && self.form == other.form
            && self.name == other.name
            && self.source == other.source;
        if is_same {
            self.compiled = other.compiled.clone();
        }
        is_same
    }

    /// Creates a tool from JavaScript source.
    pub fn javascript(source: impl Into<String>) -> Self {
        Tool::new(Language::JavaScript, "tool.js", source.into())
    }

    /// Creates a tool from TypeScript source.
    pub fn typescript(source: impl Into<String>) -> Self {
        Tool::new(Language::TypeScript, "tool.ts", source.into())
    }

    /// Creates a tool from Python source: a script. If it defines a function `tool`, that is called
    /// with `btcp` and the arguments, and returns the result.
    pub fn python(source: impl Into<String>) -> Self {
        Tool::new(Language::Python, "tool.py", source.into())
    }

    /// Creates a tool from a file. The extension of its name selects the language, and whether the
    /// source is a module.
    // T-CELL-023: host paths in stack traces.
    pub fn from_file_name(name: &str, source: impl Into<String>) -> Self {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let ending = base.rsplit_once('.').map_or("", |(_, ending)| ending);
        let language = match ending {
            "ts" | "mts" | "cts" => Language::TypeScript,
            "py" | "pyw" => Language::Python,
            _ => Language::JavaScript,
        };
        let mut tool = Tool::new(language, base, source.into());
        if matches!(ending, "mjs" | "mts") {
            tool.form = Form::Module;
        }
        tool
    }

    /// Sets the language.
    pub fn language(mut self, language: Language) -> Self {
        self.language = language;
        self.compiled = Compiled::default();
        self
    }

    /// Returns the capabilities declared in the comments at the top of the source. An unknown name
    /// there is an error.
    pub(crate) fn declared(&self) -> Result<CapabilitySet, cofferdam_broker::Error> {
        // Most tools declare nothing.
        let mut declared = match self.source.contains("@capability") {
            true => Declaration::from_source(&self.source)?.capabilities,
            false => CapabilitySet::default(),
        };
        for wanted in &self.wants {
            declared.insert(wanted.clone());
        }
        Ok(declared)
    }

    /// Declares a capability that the tool needs, as a comment in its source would. It is asked for
    /// before the tool starts, together with all others.
    pub fn wants(mut self, capability: cofferdam_caps::Capability) -> Self {
        self.wants.push(capability);
        self
    }

    /// Returns the interpreter that runs the tool.
    pub(crate) fn engine(&self) -> Engine {
        match self.language {
            Language::JavaScript | Language::TypeScript => Engine::JavaScript,
            Language::Python => Engine::Python,
        }
    }

    /// Returns the source as it was given.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the name that stack traces show.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        // Compiled code and identity contain the name.
        self.compiled = Compiled::default();
        self
    }

    /// Sets the identity that grants are given to and requests are made by, in place of the name
    /// and the hash of the source. The caller who chooses it chooses which grants the tool has.
    pub fn identified_as(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Returns the identity that grants are given to and requests are made by.
    pub fn identity(&self) -> Arc<str> {
        if let Some(identity) = &self.identity {
            return identity.as_str().into();
        }
        let hash = || cofferdam_broker::identity(&self.name, self.source.as_bytes()).into();
        self.compiled.identity.get_or_init(hash).clone()
    }

    /// Returns true if the tool is likely to use Node's modules. One that uses them all the same
    /// gets them too, after they were compiled.
    pub(crate) fn uses_library(&self) -> bool {
        let search = || LIBRARY_WORDS.iter().any(|word| self.source.contains(word));
        *self.compiled.uses_library.get_or_init(search)
    }

    /// Declares that the source is a module, instead of detecting it.
    pub fn module(mut self) -> Self {
        self.form = Form::Module;
        self.compiled = Compiled::default();
        self
    }

    /// Sets the arguments, from JSON.
    pub fn args(mut self, args: serde_json::Value) -> Self {
        self.args = json::from_json(args);
        self
    }

    /// Sets the arguments, from any value that structured clone can hold.
    pub fn args_value(mut self, args: Value) -> Self {
        self.args = args;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sandbox;

    /// T-CELL-027.
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
