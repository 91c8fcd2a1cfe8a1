//! `cofferdam man`: manual pages.

use std::path::PathBuf;

use crate::place::plain;
use crate::report::{self, Failure};

/// Print the manual page, or write the pages of all verbs into a directory.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam man | man -l -
  cofferdam man ~/.local/share/man/man1 && man cofferdam-run")]
pub(crate) struct Man {
    /// Where the pages are written; made if it is not there
    directory: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let Some(directory) = self.directory else {
            let mut text = Vec::new();
            let page = clap_mangen::Man::new(crate::definitions());
            page.render(&mut text).map_err(|e| Failure::usage(plain(&e)))?;
            report::bytes(&text);
            return Ok(0);
        };
        let write = || {
            std::fs::create_dir_all(&directory)?;
            clap_mangen::generate_to(crate::definitions(), &directory)
        };
        let shown = directory.display();
        write().map_err(|e| {
            Failure::usage(format!("{shown}: {}", plain(&e)))
                .hint("cofferdam man ~/.local/share/man/man1")
        })?;
        report::note(&format!("the pages are in {shown}"));
        Ok(0)
    }
}
