//! The command line. Verbs are in [`verbs`], one file each; the library never touches the terminal.

mod absent;
mod authority;
mod busy;
mod channel;
mod completion;
mod config_file;
mod interrupt;
mod kept;
mod line;
mod methods;
mod misuse;
mod named;
mod nearby;
mod outlet;
mod paint;
mod panic;
mod permissions;
mod place;
mod prompt;
mod registered;
mod report;
mod request;
mod script;
mod spelling;
mod terminal;
mod verbs;
mod waiting;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

/// Run untrusted code: a fresh WebAssembly cell for every call, nothing allowed by default.
#[derive(Parser)]
#[command(name = "cofferdam", bin_name = "cofferdam", version, arg_required_else_help = true)]
#[command(color = paint::of_help())]
#[command(after_help = "Examples:
  echo 'return 6 * 7' | cofferdam run -
  cofferdam sh -c 'grep -rc TODO /src' --mount ./src:/src:ro
  cofferdam wasm program.wasm
  cofferdam demo

`cofferdam help VERB` describes a verb.")]
struct Cli {
    #[command(subcommand)]
    verb: verbs::Verb,
}

fn main() -> ExitCode {
    cofferdam::become_compiler();
    #[cfg(target_os = "linux")]
    {
        cofferdam::native::become_launcher();
        // A launcher needs milliseconds; it is there when the arguments and the store have been read.
        if std::env::args_os().nth(1).is_some_and(|verb| verb == "exec") {
            cofferdam::native::launch_ahead();
        }
    }
    panic::report_without_paths();
    let done = match parse() {
        Ok(cli) => cli.verb.run(),
        Err(error) => {
            let words: Vec<_> = std::env::args_os().skip(1).collect();
            let words: Vec<_> = words.iter().map(|w| w.to_string_lossy().into_owned()).collect();
            match misuse::explain(&error, &words) {
                Some(failure) => Err(failure),
                // Help, the version, and errors that clap explains best itself.
                None => error.exit(),
            }
        }
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            report::failure(&failure);
            ExitCode::from(failure.code)
        }
    }
}

/// Reads the command line. Behind the file of `run`, everything from the first option on that is
/// not ours belongs to the script.
fn parse() -> Result<Cli, clap::Error> {
    let words: Vec<_> = std::env::args_os().collect();
    if let Some(verb) = verbs::Verb::parse_alone(&words) {
        return Ok(Cli { verb });
    }
    Cli::try_parse_from(&words).or_else(|error| match script::split(&error, &words) {
        Some(words) => Cli::try_parse_from(words).map_err(|_| error),
        None => Err(error),
    })
}

/// Returns all verbs with their options, for completions and manual pages.
pub(crate) fn definitions() -> clap::Command {
    Cli::command()
}
