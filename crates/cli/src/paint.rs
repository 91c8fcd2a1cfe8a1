//! Colour, where somebody looks at it.

use std::io::IsTerminal;

/// Colours words, or leaves them alone.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    is_on: bool,
}

/// What a word is to a reader.
#[derive(Clone, Copy)]
pub(crate) enum Tone {
    /// A heading.
    Title,
    /// It worked.
    Good,
    /// It did not.
    Bad,
    /// Worth a look.
    Note,
    /// The way out, something to paste.
    Hint,
    /// Beside the point.
    Faint,
}

impl Paint {
    /// For standard output.
    pub(crate) fn stdout() -> Self {
        Paint { is_on: std::io::stdout().is_terminal() && is_wanted() }
    }

    /// For standard error.
    pub(crate) fn stderr() -> Self {
        Paint { is_on: std::io::stderr().is_terminal() && is_wanted() }
    }

    /// The text in its colour.
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

    /// Whether a person sits before it.
    pub(crate) fn is_on(self) -> bool {
        self.is_on
    }
}

/// What clap's own pages do. Left alone, it takes any terminal for a colourful one where `CI` is set.
pub(crate) fn of_help() -> clap::ColorChoice {
    if is_wanted() { clap::ColorChoice::Auto } else { clap::ColorChoice::Never }
}

/// As <https://no-color.org> has it, and for terminals that know no colour.
fn is_wanted() -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    !no_color && !is_dumb
}
