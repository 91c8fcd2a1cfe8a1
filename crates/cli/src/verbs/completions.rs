//! `cofferdam completions`: prints a completion script for a shell.

use crate::report::{self, Failure};

/// Print a completion script for a shell.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  source <(cofferdam completions bash)    # for this shell; in ~/.bashrc for every one
  source <(cofferdam completions zsh)     # the same in ~/.zshrc, after compinit
  cofferdam completions fish | source     # the same in ~/.config/fish/config.fish")]
pub(crate) struct Completions {
    /// Shell to print it for
    shell: Shell,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Completions {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let mut text = Vec::new();
        let mut definitions = crate::definitions();
        let shell = match self.shell {
            Shell::Bash => clap_complete::Shell::Bash,
            Shell::Zsh => clap_complete::Shell::Zsh,
            Shell::Fish => clap_complete::Shell::Fish,
        };
        clap_complete::generate(shell, &mut definitions, "cofferdam", &mut text);
        report::bytes(&text);
        Ok(0)
    }
}
