//! The command line. Verbs are in [`verbs`], one file each; the library never touches the terminal.

mod completion;
mod exec;
mod interrupt;
mod kept;
mod line;
mod permissions;
mod place;
mod prompt;
mod report;
mod terminal;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

/// Runs code that nobody should trust: a fresh WebAssembly cell for every call, nothing by default.
#[derive(Parser)]
#[command(name = "cofferdam", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    verb: verbs::Verb,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.verb.run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            report::failure(&failure);
            ExitCode::from(failure.code)
        }
    }
}
