//! The prompt: each command is a run of its own with its own time limit.
//!
//! The shell that runs a command ends with it, so that it can be killed like any run. It saves its
//! variables, functions, aliases, options and last status to a file of the sandbox, and the next
//! shell loads that file. The sandbox itself keeps the environment and the working directory. Jobs,
//! traps and open descriptors end with their command.

use std::path::PathBuf;

use cofferdam::{Command, Runtime, Sandbox, visible};
use tokio::runtime::Runtime as Executor;

use crate::completion::Completion;
use crate::line::{Line, Lines};
use crate::report::{self, Failure};

/// File with the state that one command leaves for the next. It belongs to the guest like any other
/// file.
pub(crate) const STATE: &str = "/tmp/.cofferdam/state";

/// File that is not empty once a command has ended the shell.
const EXITED: &str = "/tmp/.cofferdam/exited";

/// Status after Ctrl-C at the prompt, as in bash.
const INTERRUPTED: u8 = 130;

/// Longest command that is read.
const MAX_TEXT: usize = 1 << 20;

/// Script around each command. `$1` is the command, `$2` the status of the previous one. Errors
/// about variables that are readonly are discarded.
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

/// Prints the builtins and keywords of the shell.
const WORDS: &str = "compgen -A builtin; compgen -A keyword";

/// Folders of commands: those of the sandbox, and programs of the embedder.
const COMMANDS_AT: [&str; 2] = ["/usr/bin", "/usr/local/bin"];

/// Reads commands and runs them until the end of input or `exit`. The file `history` keeps them.
pub(crate) fn converse(
    sandbox: &Sandbox,
    runtime: &Runtime,
    executor: &Executor,
    history: Option<PathBuf>,
) -> Result<u8, Failure> {
    // Checks whether a command is complete, without printing.
    let reader = Sandbox::builder().runtime(runtime).build()?;
    // If a guest makes these files unusable, commands inherit nothing from each other.
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
        // An error that ends a script does not end the prompt.
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

/// Returns true if the command is not complete: a quote, a bracket or a `do` is open.
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
