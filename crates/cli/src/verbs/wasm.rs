//! `cofferdam wasm`: one WASI program.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use cofferdam::{Command, Sandbox, shell_word};

use crate::interrupt;
use crate::named::Named;
use crate::permissions::Noted;
use crate::place::{self, Place};
use crate::report::{self, Failure};

/// Run a WASI preview 1 program.
///
/// The program sees the files of the sandbox as `/`: mounts, a home, `/tmp`, and nothing else of
/// this machine. Standard input, output and error are passed through.
///
/// Exit codes: that of the program; 1 it could not run or reached a limit, 124 time limit, 125
/// cancelled, 2 wrong call.
#[derive(clap::Args)]
#[command(override_usage = "cofferdam wasm [OPTIONS] PROGRAM.wasm [ARGUMENT]...")]
#[command(after_help = "Examples:
  cofferdam wasm program.wasm --flag argument
  cofferdam wasm --mount ./data:/data:ro --limit memoryBytes=268435456 program.wasm /data/in.txt
  cofferdam wasm --json program.wasm | jq .exitCode")]
pub(crate) struct Wasm {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    noted: Noted,

    #[command(flatten)]
    named: Named,

    /// Print the whole outcome, including the output, as JSON
    #[arg(long)]
    json: bool,

    /// Program and its arguments; every word after the program is an argument
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl Wasm {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let mut words = self.program.iter().cloned();
        let file = words.next().unwrap_or_default().to_string_lossy().into_owned();
        let module = place::read(&file, place::MAX_MODULE, "cofferdam wasm FILE [ARGUMENT]…")?;
        if !module.starts_with(b"\0asm") {
            return Err(not_a_module(&file));
        }
        let limits = self.place.limits()?;
        let runtime = place::runtime_for_one_run(place::cells(&limits))?;
        let kept = self.named.open()?;
        let sandbox = Sandbox::builder().runtime(&runtime).limits(limits);
        let sandbox = kept.iter().fold(sandbox, |sandbox, kept| kept.fill(sandbox));
        let (mut sandbox, broker) = self.noted.fill(self.place.fill(sandbox)?)?;
        if !self.json {
            sandbox = sandbox.watcher(report::streams(&limits));
        }
        let sandbox = match &kept {
            Some(kept) => sandbox.build().map_err(|error| kept.blamed(error))?,
            None => sandbox.build()?,
        };
        let name = Path::new(&file).file_name().unwrap_or_default().to_string_lossy();
        let args = words.map(OsStringExt::into_vec);
        let mut command = Command::wasm(&name, module).args(args);
        if let Some(cwd) = &self.place.cwd {
            command = command.cwd(cwd);
        }
        self.place.check_cwd(&sandbox)?;
        let _interrupts = interrupt::cancels(&sandbox)?;
        let command = place::with_stdin(command);
        let executor = tokio::runtime::Builder::new_current_thread().build();
        let executor = executor.map_err(|e| Failure::usage(format!("executor: {e}")))?;
        let outcome = executor.block_on(sandbox.run_program(command))?;
        match self.json {
            true => report::json(&outcome.to_json()),
            false => report::outcome(&outcome),
        }
        broker.flush().map_err(Failure::from_broker)?;
        if let Some(kept) = &kept {
            kept.save(&sandbox)?;
        }
        Ok(outcome.exit_code())
    }
}

/// Explains a file that is not a module, and names the verb to use if its ending tells.
fn not_a_module(file: &str) -> Failure {
    let word = shell_word(file);
    let hint = match Path::new(file).extension().and_then(|end| end.to_str()) {
        Some("js" | "mjs" | "ts" | "mts" | "py") => format!("cofferdam run {word}"),
        Some("sh" | "bash") => format!("cofferdam sh {word}"),
        Some("wat") => format!("wat2wasm {word}"),
        Some("rs") => format!("rustc --target wasm32-wasip1 {word}"),
        _ => "cofferdam wasm PROGRAM.wasm".to_owned(),
    };
    Failure::usage(format!("{file}: is not a WebAssembly module")).hint(hint)
}
