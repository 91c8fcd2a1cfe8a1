//! Tools started by a program in the same sandbox: the commands `js` and `python3`.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cofferdam_abi::Value;
use cofferdam_broker::Event;
use cofferdam_kernel::{Console, Stream, ToolLine, Tools};

use crate::drive::{self, Course, exceeded};
use crate::error::Error;
use crate::json;
use crate::limits::Limit;
use crate::outcome::{Ending, Exhausted, Outcome};
use crate::sandbox::lock;
use crate::tool::{Language, Tool};

/// Most tools that the programs of a run have under way at once, including those started by the
/// tools' own commands. Each takes the memory of a cell, and a run may use that of four.
const MAX_TOOLS: usize = 4;

/// Count of the tools that programs of a run have under way. Clones share the count.
#[derive(Clone, Default)]
pub(crate) struct Slots(Arc<AtomicUsize>);

struct Slot(Slots);

impl Slots {
    fn take(&self) -> Option<Slot> {
        let more = |used: usize| (used < MAX_TOOLS).then_some(used + 1);
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).ok()?;
        Some(Slot(self.clone()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs tools for the programs of one run, within its time and under its grants.
pub(crate) struct ShellTools {
    pub(crate) course: Course,
    /// Last denial or limit that ended a tool.
    pub(crate) trouble: Arc<Mutex<Option<Ending>>>,
}

impl Tools for ShellTools {
    fn run(&self, line: ToolLine, console: Console) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let course = self.course.anew(Some(console.clone()));
        let trouble = self.trouble.clone();
        Box::pin(async move {
            let Some(_slot) = course.slots.take() else {
                let message = format!("js: more than {MAX_TOOLS} tools at once in one run\n");
                console.print(Stream::Err, message.as_bytes());
                let allowed = course.limits().memory_bytes.saturating_mul(MAX_TOOLS as u64);
                *lock(&trouble) = Some(exceeded(Limit::Memory, allowed, None));
                return console.end(1);
            };
            let language = Tool::from_file_name(&line.name, "").language;
            let ending = run(course, line).await;
            console.end(match ending {
                Ok(ending) => told(ending, language, &console, &trouble),
                Err(error) => {
                    console.print(Stream::Err, format!("js: {error}\n").as_bytes());
                    126
                }
            });
        })
    }
}

async fn run(course: Course, line: ToolLine) -> Result<Ending, Error> {
    let arguments = line.arguments.iter().cloned().map(Value::String).collect();
    let mut tool = Tool::from_file_name(&line.name, line.source)
        .args_value(Value::Array(arguments))
        .argv(line.arguments);
    if let Some(path) = line.path {
        let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
        // Scripts of Node load modules beside their folder; the project is where they are started.
        let project = line.cwd.as_deref().filter(|cwd| {
            let is_inside = folder.strip_prefix(cwd.trim_end_matches('/'));
            is_inside.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let root = match tool.language {
            Language::Python => folder,
            Language::JavaScript | Language::TypeScript => project.unwrap_or(folder),
        };
        let root = root.to_owned();
        tool = tool.at(path, root);
    }
    if let Some(cwd) = line.cwd {
        tool = tool.cwd(cwd);
    }
    // Its output went to the console.
    let (ending, _) = drive::run_on_course(&course, &tool).await?;
    if let Ending::Stopped(Exhausted::Limit { limit, .. }) = &ending {
        course.desk.stopped(Event::Limit, limit.name());
    }
    Ok(ending)
}

/// Prints the ending of a tool as a command would, and returns the exit code.
fn told(
    ending: Ending,
    language: Language,
    console: &Console,
    trouble: &Mutex<Option<Ending>>,
) -> u8 {
    let say = |stream, text: &str| console.print(stream, format!("{text}\n").as_bytes());
    match &ending {
        Ending::Returned(Value::Undefined) => {}
        Ending::Returned(Value::String(text)) => say(Stream::Out, text),
        Ending::Returned(value) => say(Stream::Out, &json::to_json(value).json.to_string()),
        Ending::Denied(_) | Ending::Stopped(Exhausted::Limit { .. }) => {
            *lock(trouble) = Some(ending.clone());
        }
        Ending::Threw(_) | Ending::Exited(_) | Ending::Stopped(_) => {}
    }
    let outcome = Outcome::of(ending);
    match (&outcome.ending, outcome.error()) {
        // The tool's output ends with the denial already, as one line of JSON.
        (Ending::Denied(_), _) | (_, None) => {}
        // As the interpreter prints it.
        (_, Some(error)) if language == Language::Python => {
            if !error.stack.is_empty() {
                say(Stream::Err, error.stack.trim_end());
            }
            let colon = if error.message.is_empty() { "" } else { ": " };
            say(Stream::Err, &format!("{}{colon}{}", error.name, error.message));
        }
        (_, Some(error)) => {
            let name = if error.name.is_empty() { "thrown" } else { &error.name };
            say(Stream::Err, &format!("js: {name}: {}", error.message));
            error.trace().for_each(|line| say(Stream::Err, line));
        }
    }
    outcome.exit_code()
}
