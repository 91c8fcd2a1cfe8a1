//! The prompt: one command after another, each a run of its own with its own time limit.
//!
//! The shell that runs a command ends with it, so that it can be killed like any run. What it
//! leaves behind it writes into a file of the sandbox, and the next one reads it: variables,
//! functions, aliases, options, the last status. Environment and working directory the sandbox
//! keeps anyway. Jobs, traps and open descriptors end with their command.

use std::path::PathBuf;

use cofferdam::{Command, Runtime, Sandbox, visible};
use tokio::runtime::Runtime as Executor;

use crate::completion::Completion;
use crate::line::{Line, Lines};
use crate::report::{self, Failure};

/// Where a command leaves what the next one begins with; the guest's own, like any file of it.
pub(crate) const STATE: &str = "/tmp/.cofferdam/state";

/// Not empty once a command has ended the shell.
const EXITED: &str = "/tmp/.cofferdam/exited";

/// The status after Ctrl-C at the prompt, as bash has it.
const INTERRUPTED: u8 = 130;

/// Longest command that is read.
const MAX_TEXT: usize = 1 << 20;

/// Around each command, which is `$1`; `$2` is the status of the one before. Variables that are
/// readonly cannot be set again, and say so to nobody.
const AROUND: &str = r#"
__cofferdam_keep() {
    { declare -p; declare -f; shopt -p; alias -p; set +o; } > /tmp/.cofferdam/state 2> /dev/null
}
shopt -s expand_aliases
. /tmp/.cofferdam/state 2> /dev/null
trap '__cofferdam_keep; echo yes > /tmp/.cofferdam/exited' EXIT
__cofferdam_text=$1 __cofferdam_status=$2
set --
(exit "$__cofferdam_status")
eval "$__cofferdam_text"
__cofferdam_status=$?
trap - EXIT
__cofferdam_keep
exit "$__cofferdam_status"
"#;

/// Says which words the shell itself knows.
const WORDS: &str = "compgen -A builtin; compgen -A keyword";

/// Where commands are: those that come along, and those that the embedding program brought.
const COMMANDS_AT: [&str; 2] = ["/usr/bin", "/usr/local/bin"];

/// Reads commands and runs them until the end of input or `exit`. They are remembered in the file
/// `history`.
pub(crate) fn converse(
    sandbox: &Sandbox,
    runtime: &Runtime,
    executor: &Executor,
    history: Option<PathBuf>,
) -> Result<u8, Failure> {
    // Says whether a command is whole, and prints nothing.
    let reader = Sandbox::builder().runtime(runtime).build()?;
    // Where a guest makes these files impossible, its commands have nothing from each other.
    let _ = sandbox.write_file(STATE, b"");
    let listed = executor.block_on(reader.run_program(Command::shell(WORDS).stdin("")))?;
    let mut words: Vec<String> = listed.stdout.text().lines().map(str::to_owned).collect();
    for folder in COMMANDS_AT {
        words.extend(sandbox.list(folder).unwrap_or_default().into_iter().map(|entry| entry.name));
    }
    let mut lines = Lines::new(Completion::new(sandbox, words), history);
    let mut code = 0;
    let mut text = String::new();
    loop {
        match lines.read(&prompt(sandbox, text.is_empty())) {
            Line::Text(line) => text.push_str(&line),
            Line::Cancelled => {
                text.clear();
                code = INTERRUPTED;
                continue;
            }
            Line::End => return Ok(code),
        }
        text.push('\n');
        if text.len() <= MAX_TEXT && goes_on(&reader, executor, &text)? {
            continue;
        }
        let text = std::mem::take(&mut text);
        if text.trim().is_empty() {
            continue;
        }
        lines.remember(&text);
        let _ = sandbox.write_file(EXITED, b"");
        // An error that ends a script does not end a conversation.
        let may_end = text.contains("exit") || text.contains("logout");
        let command = Command::shell(AROUND).arg("bash").arg(text).arg(code.to_string());
        let outcome = executor.block_on(sandbox.run_program(command))?;
        report::outcome(&outcome);
        code = outcome.exit_code();
        if may_end && sandbox.read_file(EXITED, 64).is_ok_and(|said| !said.is_empty()) {
            return Ok(code);
        }
    }
}

/// Whether the shell would read on: a quote, a bracket, a `do` is open.
fn goes_on(reader: &Sandbox, executor: &Executor, text: &str) -> Result<bool, Failure> {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    if backslashes % 2 == 1 {
        return Ok(true);
    }
    let check = Command::shell("bash -n -c \"$1\"").arg("bash").arg(text).stdin("");
    let outcome = executor.block_on(reader.run_program(check))?;
    let said = outcome.stderr.text();
    Ok(said.contains("unexpected end of file") || said.contains("unexpected EOF"))
}

fn prompt(sandbox: &Sandbox, is_first: bool) -> String {
    let env = sandbox.env();
    let cwd = env.get("PWD").map_or("/", String::as_str);
    if is_first { format!("{}$ ", visible(cwd)) } else { "> ".into() }
}
