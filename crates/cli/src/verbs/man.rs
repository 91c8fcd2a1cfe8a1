//! `cofferdam man`: manual pages.

use std::path::PathBuf;

use crate::place::plain;
use crate::report::{self, Failure};
use crate::spelling;

/// Print a manual page, or write all pages to a directory.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam man | man -l -
  cofferdam man run | man -l -
  cofferdam man ~/.local/share/man/man1 && man cofferdam-run")]
pub(crate) struct Man {
    /// Verb to print the page of, or directory to write all pages to
    #[arg(value_name = "VERB|DIRECTORY")]
    what: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let definitions = crate::definitions();
        let Some(directory) = self.what else { return print(definitions) };
        if let Some(word) = directory.to_str().filter(|_| !directory.is_dir()) {
            if let Some(verb) = definitions.find_subcommand(word) {
                let (page, call) = (format!("cofferdam-{word}"), format!("cofferdam {word}"));
                return print(verb.clone().display_name(page).bin_name(call));
            }
            // A bare word is a mistyped verb rather than a directory to create.
            if !word.contains('/') {
                return Err(unknown(word, &definitions));
            }
        }
        let shown = directory.display();
        let made = std::fs::create_dir_all(&directory);
        made.and_then(|()| clap_mangen::generate_to(definitions, &directory)).map_err(|e| {
            Failure::usage(format!("{shown}: {}", plain(&e)))
                .hint("cofferdam man ~/.local/share/man/man1")
        })?;
        report::note(&format!("wrote the manual pages to {shown}"));
        Ok(0)
    }
}

/// Explains a word that is neither a verb nor a directory.
fn unknown(word: &str, definitions: &clap::Command) -> Failure {
    let verbs = definitions.get_subcommands().map(clap::Command::get_name);
    let failure = Failure::usage(format!("{word}: neither a verb nor a directory"));
    let failure = match spelling::nearest(word, verbs) {
        Some(verb) => failure.hint(format!("cofferdam man {verb}")),
        None => failure.hint("cofferdam --help   (lists the verbs)"),
    };
    failure.hint(format!("cofferdam man ./{word}   (writes all pages to a new directory)"))
}

fn print(command: clap::Command) -> Result<u8, Failure> {
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command);
    page.render(&mut text).map_err(|e| Failure::usage(plain(&e)))?;
    report::bytes(&text);
    Ok(0)
}
