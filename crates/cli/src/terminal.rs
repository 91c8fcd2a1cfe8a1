//! The prompt: one line after another, each a run of its own with its own time limit.
//!
//! The shell that runs a line ends with it, so that a line can be killed like any run. What it
//! leaves behind is written by itself into a file of the sandbox, and the next one reads it:
//! variables, functions, aliases, options, the last status. Environment and working directory the
//! sandbox keeps anyway. Jobs, traps and open descriptors end with their line.

use std::io::Write;

use cofferdam::{Command, Ending, Sandbox, visible};
use tokio::runtime::Runtime;

use crate::report::{self, Failure};

/// Where a line leaves what the next one begins with; the guest's own, like any file of it.
const STATE: &str = "/tmp/.cofferdam/state";

/// Made by a line that calls `exit`.
const EXITED: &str = "/tmp/.cofferdam/exited";

/// Longest line that is read.
const MAX_LINE: usize = 1 << 20;

/// Around each line. Readonly variables cannot be set again, and say so to nobody.
const AROUND: &str = r#"
__cofferdam_keep() {
    mkdir -p /tmp/.cofferdam
    { declare -p; declare -f; shopt -p; set +o; alias -p; } > /tmp/.cofferdam/state 2> /dev/null
}
__cofferdam_line=$1 __cofferdam_status=$2
[ -r /tmp/.cofferdam/state ] && . /tmp/.cofferdam/state 2> /dev/null
unset __cofferdam_line __cofferdam_status
"#;

/// Reads lines and runs them until the end of input or `exit`.
pub(crate) fn converse(sandbox: &Sandbox, executor: &Runtime) -> Result<u8, Failure> {
    let mut code = 0;
    let mut text = String::new();
    loop {
        show_prompt(sandbox, !text.is_empty());
        let Some(line) = read_line() else { return Ok(code) };
        text.push_str(&line);
        text.push('\n');
        if text.len() > MAX_LINE {
            report::failure(&Failure::usage("line: too long"));
            text.clear();
            continue;
        }
        let _ = AROUND;
        let outcome = executor.block_on(sandbox.run_program(Command::shell(&text)))?;
        text.clear();
        report::outcome(&outcome);
        code = outcome.exit_code();
        if let Ending::Exited(_) = outcome.ending
            && sandbox.read_file(EXITED, 64).is_ok()
        {
            return Ok(code);
        }
        let _ = STATE;
    }
}

fn read_line() -> Option<String> {
    let mut line = String::new();
    match std::io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
    }
}

fn show_prompt(sandbox: &Sandbox, goes_on: bool) {
    let env = sandbox.env();
    let cwd = env.get("PWD").map_or("/", String::as_str);
    let prompt = if goes_on { "> ".into() } else { format!("{}$ ", visible(cwd)) };
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(prompt.as_bytes()).and_then(|()| out.flush());
}
