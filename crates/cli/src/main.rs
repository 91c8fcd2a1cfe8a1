//! The command line. Verbs are in [`verbs`], one file each; the library never touches the terminal.

mod absent;
mod completion;
mod exec;
mod interrupt;
mod kept;
mod line;
mod paint;
mod permissions;
mod place;
mod prompt;
mod report;
mod request;
mod spelling;
mod terminal;
mod verbs;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

/// Runs code that nobody should trust: a fresh WebAssembly cell for every call, nothing by default.
#[derive(Parser)]
#[command(name = "cofferdam", bin_name = "cofferdam", version, arg_required_else_help = true)]
#[command(after_help = "Examples:
  echo 'return 6 * 7' | cofferdam run -
  cofferdam sh -c 'grep -rc TODO /src' --mount ./src:/src:ro
  cofferdam wasm program.wasm
  cofferdam demo

`cofferdam help VERB` has more of each.")]
struct Cli {
    #[command(subcommand)]
    verb: verbs::Verb,
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| suggest(error).exit());
    match cli.verb.run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            report::failure(&failure);
            ExitCode::from(failure.code)
        }
    }
}

/// All verbs with their options, for completions and man pages.
pub(crate) fn definitions() -> clap::Command {
    Cli::command()
}

/// Names the verb that was probably meant, where clap finds none.
fn suggest(mut error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand
        || error.get(ContextKind::SuggestedSubcommand).is_some()
    {
        return error;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let definitions = definitions();
    let verbs = definitions.get_subcommands().map(clap::Command::get_name);
    if let Some(meant) = spelling::nearest(typed, verbs) {
        let meant = ContextValue::Strings(vec![meant.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}
