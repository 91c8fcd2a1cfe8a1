//! Colours for terminals.

use std::io::IsTerminal;

/// Colours words, or leaves them as they are.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    is_on: bool,
}

/// Role of a word in the output.
#[derive(Clone, Copy)]
pub(crate) enum Tone {
    /// A heading.
    Title,
    /// Success.
    Good,
    /// Failure.
    Bad,
    /// A remark.
    Note,
    /// A command or option to paste.
    Hint,
    /// A detail.
    Faint,
}

impl Paint {
    /// Returns the colours of standard output.
    pub(crate) fn stdout() -> Self {
        Paint { is_on: std::io::stdout().is_terminal() && is_wanted() }
    }

    /// Returns the colours of standard error.
    pub(crate) fn stderr() -> Self {
        Paint { is_on: std::io::stderr().is_terminal() && is_wanted() }
    }

    /// Returns the text in the colour of its role.
    pub(crate) fn tone(self, tone: Tone, text: &str) -> String {
        if !self.is_on {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Title => "1",
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Note => "33",
            Tone::Hint => "36",
            Tone::Faint => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// Returns true if colours are on, which they are only on a terminal.
    pub(crate) fn is_on(self) -> bool {
        self.is_on
    }
}

/// Returns the colour choice for clap. By default, clap assumes colours on any terminal if `CI` is
/// set.
pub(crate) fn of_help() -> clap::ColorChoice {
    if is_wanted() { clap::ColorChoice::Auto } else { clap::ColorChoice::Never }
}

/// Follows <https://no-color.org>, and leaves out colours on terminals without them.
fn is_wanted() -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    !no_color && !is_dumb
}
