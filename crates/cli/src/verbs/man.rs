//! `cofferdam man`: manual pages.

use std::path::PathBuf;

use crate::place::plain;
use crate::report::{self, Failure};

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
        let verb = directory.to_str().and_then(|name| definitions.find_subcommand(name));
        if let Some(verb) = verb.filter(|_| !directory.is_dir()) {
            let name = format!("cofferdam-{}", verb.get_name());
            return print(verb.clone().display_name(name));
        }
        let shown = directory.display();
        let made = std::fs::create_dir_all(&directory);
        made.and_then(|()| clap_mangen::generate_to(definitions, &directory)).map_err(|e| {
            Failure::usage(format!("{shown}: {}", plain(&e)))
                .hint("cofferdam man ~/.local/share/man/man1")
        })?;
        report::note(&format!("the pages are in {shown}"));
        Ok(0)
    }
}

fn print(command: clap::Command) -> Result<u8, Failure> {
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command);
    page.render(&mut text).map_err(|e| Failure::usage(plain(&e)))?;
    report::bytes(&text);
    Ok(0)
}
