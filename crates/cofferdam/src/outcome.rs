//! Outcomes of runs.

use std::path::PathBuf;
use std::time::Duration;

use cofferdam_abi::Value;
use cofferdam_broker::{Denial, PermissionError};
use cofferdam_caps::Capability;
use cofferdam_kernel::Output;
use serde_json::{Value as Json, json};

use crate::json;
use crate::limits::Limit;

/// The outcome of a run, with the output.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The way the run ended.
    pub ending: Ending,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Requests of the run that were denied, each once and in order, including those whose error
    /// the tool caught and the one that the run ended with.
    pub denials: Vec<Denial>,
    /// Files that the command line of a failed native program names and that the program did not
    /// see, because it has a folder of its own, such as `/tmp`, at their place.
    pub unseen: Vec<Unseen>,
    /// Wall time from the call to the end of the run.
    pub duration: Duration,
}

/// A file of the machine that a native program was not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unseen {
    /// Path of the file or folder.
    pub path: PathBuf,
    /// The capability that shows it to the next run.
    pub required: Capability,
}

/// The way a run ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Ending {
    /// The tool returned this value.
    Returned(Value),
    /// The tool threw, or could not be parsed; a program could not be started or trapped.
    Threw(ScriptError),
    /// The run was denied a capability and failed because of it. The error names the capability to
    /// grant.
    Denied(PermissionError),
    /// The program exited with this code; 128 plus the signal number if a signal killed it.
    Exited(u8),
    /// The run reached a limit or was cancelled.
    Stopped(Exhausted),
}

/// An exception that the tool did not catch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ScriptError {
    /// `error.name`; empty if the thrown value is not an Error.
    pub name: String,
    /// `error.message`, or the thrown value as text.
    pub message: String,
    /// Stack trace; never contains host paths. Properties of a JavaScript error, its cause among
    /// them, follow the last frame in braces.
    pub stack: String,
    /// Position of a syntax error.
    pub position: Option<Position>,
}

impl ScriptError {
    /// Returns the lines of a JavaScript stack below name and message: frames and properties.
    pub fn trace(&self) -> impl Iterator<Item = &str> {
        let is_above = |line: &&str| !is_frame(line) && !line.ends_with(" {");
        self.stack.lines().skip_while(is_above)
    }
}

/// Returns true for a line of a JavaScript stack that names a place.
fn is_frame(line: &str) -> bool {
    line.trim_start().starts_with("at ")
}

/// A place in the source of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line, counted from 1.
    pub line: u32,
    /// Column, counted from 1.
    pub column: u32,
}

/// The reason why a run was stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exhausted {
    /// The time limit was reached.
    Time {
        /// The time limit.
        limit: Duration,
        /// Stack of the tool when it was stopped; empty if the guest could not tell.
        stack: String,
    },
    /// The run was cancelled.
    Cancelled {
        /// Stack of the tool when it was stopped; empty if the guest could not tell.
        stack: String,
    },
    /// A limit other than time was reached.
    Limit {
        /// The limit.
        limit: Limit,
        /// Largest value that the limit allows; 0 if it is not known.
        allowed: u64,
        /// Value that would have been needed, if known.
        wanted: Option<u64>,
    },
}

/// The class of a failure, which callers in other languages tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorClass {
    /// The tool threw or could not be parsed; the program failed or could not be started.
    ExecutionError,
    /// The run reached its time limit.
    Timeout,
    /// The run was cancelled.
    Cancelled,
    /// The run reached a limit other than time.
    LimitExceeded,
    /// The run was denied a capability and ended because of it.
    CapabilityDenied,
}

impl ErrorClass {
    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ErrorClass::ExecutionError => "EXECUTION_ERROR",
            ErrorClass::Timeout => "TIMEOUT",
            ErrorClass::Cancelled => "CANCELLED",
            ErrorClass::LimitExceeded => "LIMIT_EXCEEDED",
            ErrorClass::CapabilityDenied => "CAPABILITY_DENIED",
        }
    }

    /// Returns the exit code of a command line that ends with this failure.
    pub fn exit_code(self) -> u8 {
        match self {
            ErrorClass::ExecutionError
            | ErrorClass::LimitExceeded
            | ErrorClass::CapabilityDenied => 1,
            ErrorClass::Timeout => 124,
            ErrorClass::Cancelled => 125,
        }
    }
}

impl Outcome {
    /// Creates an outcome without output that took no time.
    pub(crate) fn of(ending: Ending) -> Self {
        let (stdout, stderr) = Default::default();
        let (denials, unseen) = (Vec::new(), Vec::new());
        Outcome { ending, stdout, stderr, denials, unseen, duration: Duration::ZERO }
    }

    /// Returns the class of the failure, or `None` if the run did not fail. A program that exits
    /// with another code than 0 has not failed in this sense.
    pub fn error_class(&self) -> Option<ErrorClass> {
        match &self.ending {
            Ending::Returned(_) | Ending::Exited(_) => None,
            Ending::Threw(_) => Some(ErrorClass::ExecutionError),
            Ending::Denied(_) => Some(ErrorClass::CapabilityDenied),
            Ending::Stopped(Exhausted::Time { .. }) => Some(ErrorClass::Timeout),
            Ending::Stopped(Exhausted::Cancelled { .. }) => Some(ErrorClass::Cancelled),
            Ending::Stopped(Exhausted::Limit { .. }) => Some(ErrorClass::LimitExceeded),
        }
    }

    /// Returns the exit code of a process that ran this.
    pub fn exit_code(&self) -> u8 {
        match &self.ending {
            Ending::Exited(code) => *code,
            Ending::Returned(_) | Ending::Threw(_) | Ending::Denied(_) | Ending::Stopped(_) => {
                self.error_class().map_or(0, ErrorClass::exit_code)
            }
        }
    }

    /// Returns the value that the tool returned.
    pub fn result(&self) -> Option<&Value> {
        match &self.ending {
            Ending::Returned(value) => Some(value),
            Ending::Threw(_) | Ending::Denied(_) | Ending::Exited(_) | Ending::Stopped(_) => None,
        }
    }

    /// Returns the value that the tool returned as JSON. Values that JSON cannot hold are changed
    /// as described in [`crate::json`].
    pub fn result_json(&self) -> Option<Json> {
        self.result().map(|value| json::to_json(value).json)
    }

    /// Returns name, message and stack of the failure, to be shown to a person.
    pub fn error(&self) -> Option<ScriptError> {
        let named = |name: &str, message: String, stack: &str| ScriptError {
            name: name.into(),
            message,
            stack: stack.into(),
            position: None,
        };
        match &self.ending {
            Ending::Returned(_) | Ending::Exited(_) => None,
            Ending::Threw(error) => Some(error.clone()),
            Ending::Denied(denied) => {
                Some(named("PermissionError", denied.message().to_owned(), ""))
            }
            Ending::Stopped(Exhausted::Time { limit, stack }) => {
                let message = format!("time limit of {} ms reached", limit.as_millis());
                Some(named("TimeoutError", message, stack))
            }
            Ending::Stopped(Exhausted::Cancelled { stack }) => {
                Some(named("CancelledError", "the run was cancelled".into(), stack))
            }
            Ending::Stopped(Exhausted::Limit { limit, allowed, wanted }) => {
                Some(named("LimitError", limit_message(*limit, *allowed, *wanted), ""))
            }
        }
    }

    /// Converts the whole outcome to one JSON object.
    pub fn to_json(&self) -> Json {
        let (result, notes) = match self.result() {
            Some(value) => {
                let converted = json::to_json(value);
                (converted.json, converted.notes)
            }
            None => (Json::Null, Vec::new()),
        };
        let error = self.error().map(|error| {
            let code = self.error_class().map(ErrorClass::name);
            let mut object = json!({ "code": code, "name": error.name, "message": error.message });
            if !error.stack.is_empty() {
                object["stack"] = error.stack.into();
            }
            if let Some(Position { line, column }) = error.position {
                object["line"] = line.into();
                object["column"] = column.into();
            }
            if let Ending::Stopped(Exhausted::Limit { limit, allowed, wanted }) = &self.ending {
                object["limit"] = limit.name().into();
                object["allowed"] = (*allowed).into();
                object["wanted"] = (*wanted).into();
            }
            if let Ending::Denied(denied) = &self.ending {
                describe(&mut object, denied);
            }
            object
        });
        let mut whole = json!({
            "exitCode": self.exit_code(),
            "stdout": self.stdout.text(),
            "stderr": self.stderr.text(),
            "result": result,
            "errorClass": self.error_class().map(ErrorClass::name),
            "error": error,
            "truncated": { "stdout": self.stdout.is_cut, "stderr": self.stderr.is_cut },
            "executionTimeMs": (self.duration.as_micros() as f64) / 1000.0,
        });
        if !self.denials.is_empty() {
            let denial = |denial: &Denial| {
                let mut object = json!({ "canBeGranted": denial.can_be_granted() });
                describe(&mut object, denial.error());
                if let Some(place) = denial.place() {
                    object["at"] = place.as_str().into();
                }
                object
            };
            whole["denials"] = self.denials.iter().map(denial).collect();
        }
        if !self.unseen.is_empty() {
            let unseen = |Unseen { path, required }: &Unseen| {
                let (path, required) = (path.to_string_lossy(), required.to_string());
                json!({ "path": path, "requiredPermission": required })
            };
            whole["unseen"] = self.unseen.iter().map(unseen).collect();
        }
        if !notes.is_empty() {
            let note = |n: &json::Note| json!({ "path": n.path, "was": n.was, "became": n.became });
            whole["resultNotes"] = notes.iter().map(note).collect();
        }
        whole
    }
}

/// Adds the denied action and the capability to grant.
fn describe(object: &mut Json, denied: &PermissionError) {
    object["code"] = denied.code().into();
    object["requiredPermission"] = denied.required_permission().into();
    object["attemptedAction"] = denied.attempted_action().into();
    object["requestId"] = denied.request_id().into();
}

fn limit_message(limit: Limit, allowed: u64, wanted: Option<u64>) -> String {
    let wanted = wanted.map_or(String::new(), |wanted| format!(", wanted {wanted}"));
    let what = match limit {
        Limit::Time => "time",
        Limit::Memory => "memory",
        Limit::Source => "source",
        Limit::Stdout => "standard output",
        Limit::Stderr => "standard error",
        Limit::Result => "result",
        Limit::FsBytes => "bytes in files",
        Limit::FileCount => "number of files",
        Limit::Processes => "number of processes",
        Limit::Call => "call",
        Limit::Fetch => "fetch",
        Limit::HostMemory => "memory held by the host",
        Limit::Compiling => "memory for compiling the module",
        Limit::Stack if allowed == 0 => return "call stack exhausted".into(),
        Limit::Stack => "call depth",
        Limit::Expansion => "expansion",
    };
    let unit = match limit {
        Limit::FileCount | Limit::Processes | Limit::Stack | Limit::Expansion => "",
        _ => " bytes",
    };
    format!("{what} limit of {allowed}{unit} reached{wanted}")
}
