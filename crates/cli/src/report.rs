//! What people read on standard error.

use std::io::{IsTerminal, Write};

use cofferdam::{Ending, Exhausted, Limit, Outcome, Stream, Watcher, visible};

/// Exit code for a wrong call, as clap uses it.
pub(crate) const USAGE: u8 = 2;

/// Why a verb could not do its work.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) code: u8,
}

impl Failure {
    /// The call was wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { message: message.into(), hint: None, code: USAGE }
    }

    /// Grants or audit log could not be used.
    pub(crate) fn from_broker(error: cofferdam::permissions::Error) -> Self {
        let code = match error.kind() {
            cofferdam::permissions::ErrorKind::NotFound
            | cofferdam::permissions::ErrorKind::NotEnough
            | cofferdam::permissions::ErrorKind::BadGrant => USAGE,
            _ => 70,
        };
        Failure { message: error.to_string(), hint: None, code }
    }

    /// The way out, in words that can be pasted.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<cofferdam::Error> for Failure {
    fn from(error: cofferdam::Error) -> Self {
        let code = match error.kind() {
            cofferdam::ErrorKind::Setting | cofferdam::ErrorKind::Limit => USAGE,
            _ => 70,
        };
        Failure { message: error.to_string(), hint: None, code }
    }
}

/// Prints why a verb could not do its work.
pub(crate) fn failure(failure: &Failure) {
    line(&format!("error: {}", failure.message));
    if let Some(hint) = &failure.hint {
        line(&format!("hint: {hint}"));
    }
}

/// Prints how a run failed, if it did, and what to do about it.
pub(crate) fn outcome(outcome: &Outcome) {
    for (output, name, limit) in [
        (&outcome.stdout, "standard output", "stdoutBytes"),
        (&outcome.stderr, "standard error", "stderrBytes"),
    ] {
        if output.is_cut {
            let kept = output.bytes.len();
            line(&format!("note: {name} was cut after {kept} bytes"));
            line(&format!("hint: --limit {limit}={}", kept.max(1) * 10));
        }
    }
    let Some(error) = outcome.error() else { return };
    // What a tool writes on further lines must not look like a line of ours.
    let message = visible_lines(&error.message).replace('\n', "\n    ");
    let name = if error.name.is_empty() { "thrown" } else { &error.name };
    line(&format!("error: {}: {message}", visible(name)));
    let frames = error.stack.lines().filter(|line| line.trim_start().starts_with("at "));
    frames.for_each(|frame| line(&visible_lines(frame)));
    if let Ending::Denied(denied) = &outcome.ending {
        let (id, capability) = (visible(denied.request_id()), denied.required_permission());
        line(&format!("hint: cofferdam grant {id}  (then run it again)"));
        line(&format!("hint: --allow '{}'", visible(capability)));
    }
    if let Ending::Stopped(exhausted) = &outcome.ending
        && let Some(hint) = hint(exhausted)
    {
        line(&format!("hint: {hint}"));
    }
}

fn hint(exhausted: &Exhausted) -> Option<String> {
    match exhausted {
        Exhausted::Time { limit, .. } => {
            Some(format!("--limit timeoutMs={}", limit.as_millis().max(1) * 2))
        }
        Exhausted::Cancelled { .. } => None,
        Exhausted::Limit { limit: Limit::Stack | Limit::Expansion, .. } => None,
        Exhausted::Limit { limit, allowed, wanted } => {
            let enough = wanted.unwrap_or(0).max(allowed.saturating_mul(2));
            Some(format!("--limit {}={enough}", limit.name()))
        }
    }
}

/// Shows console output while a run goes on. On a terminal, what would move the cursor or hide
/// text is spelled out.
pub(crate) fn console() -> Watcher {
    let is_terminal = std::io::stderr().is_terminal();
    std::sync::Arc::new(move |_: Stream, bytes: &[u8]| {
        let mut err = std::io::stderr().lock();
        // Nobody reads it any more: nothing to do about that.
        let _ = match is_terminal {
            true => err.write_all(visible_lines(&String::from_utf8_lossy(bytes)).as_bytes()),
            false => err.write_all(bytes),
        };
    })
}

/// Passes a program's output on as it comes. On a terminal, what would move the cursor or hide text
/// is spelled out.
pub(crate) fn streams() -> Watcher {
    let out_is_terminal = std::io::stdout().is_terminal();
    let err = console();
    std::sync::Arc::new(move |stream: Stream, bytes: &[u8]| match stream {
        Stream::Err => err(stream, bytes),
        Stream::Out => {
            let mut out = std::io::stdout().lock();
            // Nobody reads it any more: nothing to do about that.
            let _ = match out_is_terminal {
                true => out.write_all(visible_lines(&String::from_utf8_lossy(bytes)).as_bytes()),
                false => out.write_all(bytes),
            };
            let _ = out.flush();
        }
    })
}

/// As [`visible`], with line ends and tabs left as they are.
fn visible_lines(text: &str) -> String {
    let line = |line: &str| line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn line(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
