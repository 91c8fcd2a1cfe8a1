//! The toolchain of the guests, and the commands that are run with it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::Result;

/// The toolchain of the guests, as found by `scripts/guest-toolchain`.
pub(crate) struct Toolchain {
    guests: PathBuf,
    variables: Vec<(String, String)>,
}

impl Toolchain {
    pub(crate) fn find(root: &Path, what: &str) -> Result<Self> {
        let mut script = Command::new(root.join("scripts/guest-toolchain"));
        script.arg(what).env_remove("RUSTC");
        let lines = String::from_utf8(run(script)?.stdout)?;
        let pairs = lines.lines().filter_map(|line| line.split_once('='));
        let variables = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Ok(Toolchain { guests: root.join("guests"), variables })
    }

    /// Returns a cargo command for the guests' workspace.
    pub(crate) fn cargo(&self) -> Command {
        let named = self.variables.iter().find(|(key, _)| key == "CARGO");
        let program = named.map(|(_, value)| value.clone()).or_else(|| std::env::var("CARGO").ok());
        let mut command = Command::new(program.unwrap_or_else(|| "cargo".into()));
        // Variables set by the outer cargo apply to the host, not to the guest.
        for (key, _) in std::env::vars() {
            let keep = ["CARGO_HOME", "CARGO_HTTP_CAINFO", "CARGO_NET_OFFLINE", "CARGO_TERM_COLOR"];
            let is_outer = ["CARGO", "RUST", "DEP_"].iter().any(|start| key.starts_with(start));
            if is_outer && !keep.contains(&key.as_str()) && !key.starts_with("RUSTUP") {
                command.env_remove(key);
            }
        }
        command.envs(self.variables.iter().map(|(key, value)| (key, value)));
        command.current_dir(&self.guests);
        command
    }
}

/// Runs a command and passes each line of its standard error to `line`. The error holds the whole
/// log.
pub(crate) fn watched(mut command: Command, mut line: impl FnMut(&str)) -> Result<()> {
    let program = command.get_program().to_owned();
    let spawned = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|e| format!("cannot run {program:?}: {e}"))?;
    let mut log = String::new();
    for read in child.stderr.take().into_iter().flat_map(|err| BufReader::new(err).split(b'\n')) {
        let text = String::from_utf8_lossy(&read?).into_owned();
        line(&text);
        log.push_str(&text);
        log.push('\n');
    }
    match child.wait()?.success() {
        true => Ok(()),
        false => Err(log.into()),
    }
}

/// Runs a command and returns its output. The error holds its standard error.
pub(crate) fn run(mut command: Command) -> Result<Output> {
    let program = command.get_program().to_owned();
    let output = command.output().map_err(|e| format!("cannot run {program:?}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}
