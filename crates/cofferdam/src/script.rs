//! A tool that is a script of the sandbox: its file, command line and standard input.

use std::future::Future;
use std::pin::Pin;

use cofferdam_abi::entry::{Form, Script};
use cofferdam_kernel::{Console, TypesFailed, TypesStripper};

use crate::drive::Course;
use crate::files::HOME;
use crate::outcome::{Ending, Outcome};
use crate::tool::{Language, Tool};
use crate::typescript;

/// File, command line and standard input of a tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScriptPlace {
    path: String,
    root: String,
    cwd: Option<String>,
    arguments: Vec<String>,
    pub(crate) input: Option<Console>,
}

/// Standard input is not compared: two tools are the same whatever they read.
impl PartialEq for ScriptPlace {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, &self.root, &self.cwd, &self.arguments)
            == (&other.path, &other.root, &other.cwd, &other.arguments)
    }
}

impl ScriptPlace {
    /// Returns the form that a guest takes; `cwd` is the sandbox's working directory.
    pub(crate) fn to_abi<'a>(&'a self, cwd: &'a str) -> Script<'a> {
        let cwd = self.cwd.as_deref().unwrap_or(cwd);
        Script {
            path: &self.path,
            root: &self.root,
            cwd: if cwd == HOME { "" } else { cwd },
            arguments: self.arguments.iter().map(String::as_str).collect(),
        }
    }
}

impl Tool {
    /// Says which file of the sandbox the tool is, and the folder that its modules come from: files
    /// it names relative to its own, and packages in `node_modules`. The tool needs a grant to
    /// read them.
    pub fn at(mut self, path: impl Into<String>, root: impl Into<String>) -> Self {
        self.script.path = path.into();
        self.script.root = root.into();
        self
    }

    /// Sets the working directory of relative paths and `process.cwd()`, in place of the sandbox's.
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.script.cwd = Some(cwd.into());
        self
    }

    /// Sets the arguments behind the script in `process.argv`.
    pub fn argv(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.script.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// Gives the tool standard input that is fed while it runs. Without it the input is empty.
    pub fn stream_stdin(mut self) -> (Input, Self) {
        let console = Console::default();
        self.script.input = Some(console.clone());
        (Input(console), self)
    }
}

/// Standard input of a tool.
#[derive(Debug, Clone)]
pub struct Input(Console);

impl Input {
    /// Waits until the tool reads.
    pub async fn wanted(&self) {
        self.0.input_wanted().await;
    }

    /// Hands over the next bytes; none for the end.
    pub fn feed(&self, bytes: &[u8]) {
        self.0.feed(bytes);
    }
}

/// Strips the types of files that a tool imports, each in a cell of its own.
pub(crate) struct Types(pub(crate) Course);

impl TypesStripper for Types {
    fn strip(
        &self,
        name: String,
        source: String,
    ) -> Pin<Box<dyn Future<Output = Result<String, TypesFailed>> + Send>> {
        let course = self.0.clone();
        Box::pin(async move {
            let failed = |name: &'static str, message: String| TypesFailed { name, message };
            let len = source.len() as u64;
            if len > course.limits().source_bytes {
                let message = format!("{name}: longer than the limit on sources");
                return Err(failed("RangeError", message));
            }
            let tool = Tool::typescript(source).named(name).language(Language::TypeScript);
            match typescript::strip(&course, &tool, Form::Detect).await {
                Ok((_, text)) => Ok(text),
                Err(interrupted) => Err(match interrupted.ending() {
                    Ok(ending) => explained(ending, tool.name()),
                    Err(error) => failed("Error", error.to_string()),
                }),
            }
        })
    }
}

fn explained(ending: Ending, file: &str) -> TypesFailed {
    let is_syntax = matches!(&ending, Ending::Threw(error) if error.name == "SyntaxError");
    let name = if is_syntax { "SyntaxError" } else { "Error" };
    match Outcome::of(ending).error() {
        Some(error) => {
            let place = error
                .position
                .map_or(String::new(), |at| format!(" ({file}:{}:{})", at.line, at.column));
            TypesFailed { name, message: format!("{}{place}", error.message) }
        }
        None => TypesFailed { name, message: "no JavaScript came of it".into() },
    }
}
