//! Messages on standard error, and results on standard output.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use cofferdam::permissions::{Denial, Obstacle, shortened};
use cofferdam::{
    Ending, ErrorKind, Exhausted, Limit, Limits, Outcome, PermissionError, Stream, Watcher,
    shell_word, visible,
};

use crate::outlet;
use crate::paint::{Paint, Tone};
use crate::permissions;

/// Exit code of a wrong call, the same as clap's.
pub(crate) const USAGE: u8 = 2;

/// Exit code if the program itself failed.
const OURS: u8 = 70;

/// Time that a reader who makes no progress is waited for, once a run was killed.
const PATIENCE: Duration = Duration::from_secs(1);

/// Most characters of a message about a denial; paths can be longer.
const MAX_MESSAGE: usize = 400;

/// Failure of a verb.
pub(crate) struct Failure {
    pub(crate) message: String,
    /// Ways out, as text that can be pasted.
    pub(crate) hints: Vec<String>,
    pub(crate) code: u8,
}

impl Failure {
    /// Creates a failure of a wrong call.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { message: message.into(), hints: Vec::new(), code: USAGE }
    }

    /// Creates a failure of a machine that lacks something.
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Failure { message: message.into(), hints: Vec::new(), code: OURS }
    }

    /// Creates a failure from an error of the grants or the audit log.
    pub(crate) fn from_broker(error: cofferdam::permissions::Error) -> Self {
        let code = match error.kind() {
            cofferdam::permissions::ErrorKind::NotFound
            | cofferdam::permissions::ErrorKind::NotEnough
            | cofferdam::permissions::ErrorKind::BadGrant => USAGE,
            _ => OURS,
        };
        let hints = error.hint().map(str::to_owned).into_iter().collect();
        Failure { message: error.to_string(), hints, code }
    }

    /// Adds a way out, as text that can be pasted.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a way out if there is none yet.
    pub(crate) fn or_hint(self, hint: &str) -> Self {
        match self.hints.is_empty() {
            true => self.hint(hint),
            false => self,
        }
    }
}

impl From<cofferdam::Error> for Failure {
    fn from(error: cofferdam::Error) -> Self {
        let code = match error.kind() {
            ErrorKind::BadOption
            | ErrorKind::NotFound
            | ErrorKind::File
            | ErrorKind::Mount
            | ErrorKind::Archive
            | ErrorKind::Limit
            | ErrorKind::SandboxBusy => USAGE,
            _ => OURS,
        };
        let failure = Failure { message: error.to_string(), hints: Vec::new(), code };
        match error.kind() {
            ErrorKind::Mount => {
                failure.hint("--mount SRC:/work   (a path that the sandbox does not use itself)")
            }
            ErrorKind::Engine => failure.hint("cofferdam doctor   (checks this machine)"),
            ErrorKind::Walls => match error.hint() {
                Some(hint) => failure.hint(hint),
                None => failure,
            },
            _ => failure,
        }
    }
}

/// Prints a failure and its hints.
pub(crate) fn failure(failure: &Failure) {
    labelled(Tone::Bad, "error", &visible_lines(&failure.message));
    for hint in &failure.hints {
        labelled(Tone::Hint, "hint", &visible_lines(hint));
    }
}

/// Prints the failure of a run, if it failed, and hints, after the output of the run.
pub(crate) fn outcome(outcome: &Outcome) {
    // A killed run waits for no reader.
    let is_killed = matches!(
        outcome.ending,
        Ending::Stopped(Exhausted::Time { .. } | Exhausted::Cancelled { .. })
    );
    if !is_killed {
        outlet::settle();
    } else if !outlet::settle_while_read(PATIENCE) {
        outlet::give_up();
    }
    if let Some(why) = outlet::failure() {
        lost(&why);
    }
    for (stream, output, name, limit) in [
        (Stream::Out, &outcome.stdout, "standard output", "stdoutBytes"),
        (Stream::Err, &outcome.stderr, "standard error", "stderrBytes"),
    ] {
        // A reader who has closed the stream misses nothing.
        if output.is_cut && !outlet::has_ended(stream) {
            let kept = output.bytes.len();
            labelled(Tone::Note, "note", &format!("{name} was cut after {kept} bytes"));
            labelled(Tone::Hint, "hint", &format!("--limit {limit}={}", kept.max(1) * 10));
        }
    }
    let Some(error) = outcome.error() else {
        denials(outcome);
        return;
    };
    // Indented, so that later lines of a tool's message cannot pass for a line of this program.
    let message = visible_lines(&error.message).replace('\n', "\n    ");
    let name = if error.name.is_empty() { "thrown" } else { &error.name };
    labelled(Tone::Bad, "error", &format!("{}: {message}", visible(name)));
    // JavaScript's stack repeats the message; Python's traceback does not.
    let is_python = error.stack.starts_with("Traceback") || error.stack.starts_with("  File");
    let lines: Vec<&str> =
        if is_python { error.stack.lines().collect() } else { error.trace().collect() };
    // Indented for the same reason as the message; frames of JavaScript are already.
    let is_indented = |text: &str| !is_python && text.starts_with("    at ");
    for text in lines {
        let indent = if is_indented(text) { "" } else { "    " };
        line(&format!("{indent}{}", visible_lines(text)));
    }
    denials(outcome);
    if let Ending::Stopped(exhausted) = &outcome.ending
        && let Some(hint) = hint(exhausted)
    {
        labelled(Tone::Hint, "hint", &hint);
    }
}

/// Most denials that are listed after a run.
const MAX_LISTED: usize = 20;

/// Lists what the run was denied, including errors that the tool caught, and prints one command that
/// grants it all.
fn denials(outcome: &Outcome) {
    let ended_by = match &outcome.ending {
        Ending::Denied(denied) => Some(denied.request_id()),
        _ => None,
    };
    let listed = &outcome.denials[..outcome.denials.len().min(MAX_LISTED)];
    for denial in listed.iter().filter(|denial| Some(denial.error().request_id()) != ended_by) {
        let message = shortened(&visible(denial.error().message()), MAX_MESSAGE);
        let place = denial.place().map_or(String::new(), |place| format!(", at {place}"));
        labelled(Tone::Note, "note", &format!("{message}{place}"));
    }
    let more = outcome.denials.len() - listed.len();
    if more > 0 {
        labelled(Tone::Note, "note", &format!("{more} more requests were denied"));
        labelled(Tone::Hint, "hint", "cofferdam requests   (lists all of them)");
    }
    let hints: std::collections::BTreeSet<_> = listed.iter().filter_map(way_around).collect();
    hints.iter().for_each(|hint| labelled(Tone::Hint, "hint", hint));
    let to_grant: Vec<_> = listed.iter().filter(|denial| denial.can_be_granted()).collect();
    let ids: Vec<_> = to_grant.iter().map(|denial| denial.error().request_id()).collect();
    if !ids.is_empty() {
        let grant = format!("cofferdam grant {}  (then run it again)", ids.join(" "));
        labelled(Tone::Hint, "hint", &grant);
    }
    if let [only] = to_grant[..] {
        let capability = only.error().required_permission();
        labelled(Tone::Hint, "hint", &format!("--allow {}", permissions::quoted(capability)));
    }
}

/// Returns the options without which a grant would not help.
fn way_around(denial: &Denial) -> Option<String> {
    let needed = denial.error().required_permission();
    Some(match denial.obstacle()? {
        Obstacle::NotThere => {
            let path = needed.split_once(":/").map_or("", |(_, path)| path);
            let folder = match path.rsplit_once('/') {
                Some((folder, _)) if !path.starts_with("home/user/") => folder,
                _ => "home/user",
            };
            let mount = shell_word(&format!(".:/{folder}"));
            format!("--mount {mount}   (shows this folder to the tool)")
        }
        Obstacle::ReadOnly => {
            "--mount SRC:DST:rw, or :overlay to keep changes in the sandbox".to_owned()
        }
        _ => return None,
    })
}

fn hint(exhausted: &Exhausted) -> Option<String> {
    match exhausted {
        Exhausted::Time { limit, .. } => {
            Some(format!("--limit timeoutMs={}", limit.as_millis().max(1) * 2))
        }
        Exhausted::Limit { limit, allowed, wanted } if Limit::SETTABLE.contains(limit) => {
            let enough = wanted.unwrap_or(0).max(allowed.saturating_mul(2));
            Some(format!("--limit {}={enough}", limit.name()))
        }
        _ => None,
    }
}

/// Prints a value as one line on standard output.
pub(crate) fn json(value: &serde_json::Value) {
    print(&for_reader(value.to_string()));
}

/// Prints a line on standard output.
pub(crate) fn print(text: &str) {
    bytes(format!("{text}\n").as_bytes());
}

/// Writes to standard output. A closed pipe is ignored; any other error, such as a full disk, is
/// reported and ends the program.
pub(crate) fn bytes(bytes: &[u8]) {
    outlet::settle();
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        Err(error) => {
            lost(&crate::place::plain(&error));
        }
    }
}

/// Reports that output was lost, and ends the program.
fn lost(why: &str) -> ! {
    failure(&Failure::usage(format!("standard output: {why}")));
    std::process::exit(i32::from(OURS));
}

/// Prints a remark on standard error.
pub(crate) fn note(text: &str) {
    line(text);
}

/// Escapes a value for a terminal, if standard output is one.
fn for_reader(json: String) -> String {
    if std::io::stdout().is_terminal() { plain_json(json) } else { json }
}

/// Escapes characters that would move the cursor or hide text. The escapes are those of JSON, so
/// the value stays the same.
pub(crate) fn plain_json(json: String) -> String {
    if visible(&json) == json {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        let mut text = [0; 4];
        if visible(c.encode_utf8(&mut text)) == *c.encode_utf8(&mut [0; 4]) {
            escaped.push(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| escaped += &format!("\\u{unit:04x}"));
        }
    }
    escaped
}

/// Returns a watcher that shows console output while a run is under way. On a terminal, characters
/// that would move the cursor or hide text are made visible.
// T-CELL-016: escapes that move the cursor or hide text.
pub(crate) fn console() -> Arc<dyn Watcher> {
    let is_terminal = std::io::stderr().is_terminal();
    Arc::new(move |_: Stream, bytes: &[u8]| match is_terminal {
        true => outlet::put(Stream::Err, for_person(&String::from_utf8_lossy(bytes)).as_bytes()),
        false => outlet::put(Stream::Err, bytes),
    })
}

/// Formats console output for a terminal. A denial, which is a line of JSON, becomes a short
/// sentence.
fn for_person(text: &str) -> String {
    let line = |line: &str| match line.starts_with(r#"{"code":"PERMISSION_DENIED""#) {
        true => match PermissionError::find_in(line).first() {
            Some(denied) => {
                let (action, id) = (denied.attempted_action(), denied.request_id());
                format!("denied: {} ({})", visible(action), visible(id))
            }
            None => visible_lines(line),
        },
        false => visible_lines(line),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a watcher that passes the output of a run on as it comes. On a terminal, characters that
/// would move the cursor or hide text are made visible. A stream is cut only if the user has set a
/// limit for it.
pub(crate) fn streams(limits: &Limits) -> Arc<dyn Watcher> {
    let usual = Limits::default();
    Arc::new(Streams {
        out_is_terminal: std::io::stdout().is_terminal(),
        passes_out_on: limits.stdout_bytes() == usual.stdout_bytes(),
        passes_err_on: limits.stderr_bytes() == usual.stderr_bytes(),
        err: console(),
    })
}

struct Streams {
    out_is_terminal: bool,
    passes_out_on: bool,
    passes_err_on: bool,
    err: Arc<dyn Watcher>,
}

impl Watcher for Streams {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Err => self.err.saw(stream, bytes),
            Stream::Out if self.out_is_terminal => {
                outlet::put(stream, visible_lines(&String::from_utf8_lossy(bytes)).as_bytes());
            }
            Stream::Out => outlet::put(stream, bytes),
        }
    }

    fn is_read(&self, stream: Stream) -> bool {
        !outlet::has_ended(stream)
    }

    fn passes_on(&self, stream: Stream) -> bool {
        match stream {
            Stream::Out => self.passes_out_on,
            Stream::Err => self.passes_err_on,
        }
    }

    fn poll_room(&self, stream: Stream, cx: &mut Context<'_>) -> Poll<()> {
        outlet::poll_room(stream, cx)
    }
}

/// Applies [`visible`], but keeps line endings and tabs.
fn visible_lines(text: &str) -> String {
    let line = |line: &str| line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Prints a line that begins with a label.
pub(crate) fn labelled(tone: Tone, label: &str, text: &str) {
    line(&format!("{} {text}", Paint::stderr().tone(tone, &format!("{label}:"))));
}

fn line(text: &str) {
    outlet::settle();
    if outlet::is_given_up(Stream::Err) {
        return;
    }
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_a_denial_as_one_short_line() {
        let denial = r#"{"code":"PERMISSION_DENIED","requiredPermission":"fs:read:/a","attemptedAction":"read the file /a","requestId":"req_6aq2m9x0zt","message":"not allowed"}"#;
        let text = format!("before\n{denial}\nafter\n");
        let read = "before\ndenied: read the file /a (req_6aq2m9x0zt)\nafter\n";
        assert_eq!(for_person(&text), read);
    }

    #[test]
    fn what_only_looks_like_a_denial_is_shown_as_it_is() {
        let text = "{\"code\":\"PERMISSION_DENIED\" and then nothing\n\u{1b}[2J";
        assert_eq!(for_person(text), visible_lines(text));
    }
}
