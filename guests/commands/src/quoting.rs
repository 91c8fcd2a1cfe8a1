//! Names in the forms that GNU's programs print: quoted for a shell, or as in C.

use std::ffi::OsStr;

use uucore::i18n::UEncoding;
use uucore::quoting_style::{QuotingStyle, escape_name};

use crate::bytes::{OsStrExt as _, OsStringExt as _};

/// The form of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// The bytes themselves.
    Literal,
    /// A question mark in place of each character that cannot be printed.
    Hidden,
    /// Backslashes before blanks and in place of characters that cannot be printed.
    Escape,
    /// In double quotes, as in C.
    C,
    /// In single quotes, as messages have them.
    Locale,
    /// In quotes if a shell needs them.
    Shell,
    ShellAlways,
    /// As the two before, with question marks for what cannot be printed.
    ShellHidden,
    ShellAlwaysHidden,
    /// In quotes if a shell needs them, with `$'…'` around what cannot be printed.
    ShellEscape,
    ShellEscapeAlways,
}

impl Quoting {
    /// Returns the style that an option or a variable names; the name may be abbreviated.
    pub(crate) fn named(name: &str) -> Option<Quoting> {
        const STYLES: [(&str, Quoting); 9] = [
            ("literal", Quoting::Literal),
            ("locale", Quoting::Locale),
            ("clocale", Quoting::C),
            ("escape", Quoting::Escape),
            ("c", Quoting::C),
            ("shell", Quoting::Shell),
            ("shell-always", Quoting::ShellAlways),
            ("shell-escape", Quoting::ShellEscape),
            ("shell-escape-always", Quoting::ShellEscapeAlways),
        ];
        let exact = STYLES.iter().find(|(known, _)| *known == name);
        let mut fitting = STYLES.iter().filter(|(known, _)| known.starts_with(name));
        let found = exact.or_else(|| fitting.next().filter(|_| fitting.next().is_none()));
        found.filter(|_| !name.is_empty()).map(|(_, quoting)| *quoting)
    }

    /// Returns the style with question marks for what cannot be printed, if it does not escape that
    /// anyway.
    pub(crate) fn hidden(self) -> Quoting {
        match self {
            Quoting::Literal => Quoting::Hidden,
            Quoting::Shell => Quoting::ShellHidden,
            Quoting::ShellAlways => Quoting::ShellAlwaysHidden,
            Quoting::Hidden
            | Quoting::Escape
            | Quoting::C
            | Quoting::Locale
            | Quoting::ShellHidden
            | Quoting::ShellAlwaysHidden
            | Quoting::ShellEscape
            | Quoting::ShellEscapeAlways => self,
        }
    }

    /// Returns a name in this form.
    pub(crate) fn of(self, name: &[u8]) -> Vec<u8> {
        let style = match self {
            Quoting::Literal => return name.to_vec(),
            Quoting::Hidden => QuotingStyle::Literal { show_control: false },
            Quoting::Escape => QuotingStyle::C_NO_QUOTES,
            Quoting::C => QuotingStyle::C_DOUBLE,
            Quoting::Locale => {
                let inner = Quoting::C.of(name);
                let inner = &inner[1..inner.len() - 1];
                return [&b"'"[..], &unescaped_quotes(inner), b"'"].concat();
            }
            Quoting::Shell => QuotingStyle::SHELL.show_control(true),
            Quoting::ShellAlways => QuotingStyle::SHELL_QUOTE.show_control(true),
            Quoting::ShellHidden => QuotingStyle::SHELL,
            Quoting::ShellAlwaysHidden => QuotingStyle::SHELL_QUOTE,
            Quoting::ShellEscape => QuotingStyle::SHELL_ESCAPE,
            Quoting::ShellEscapeAlways => QuotingStyle::SHELL_ESCAPE_QUOTE,
        };
        escape_name(OsStr::from_bytes(name), style, UEncoding::Utf8).into_vec()
    }
}

/// Turns the double quotes that C escapes into single ones that this form escapes.
fn unescaped_quotes(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).replace("\\\"", "\"");
    text.replace('\'', "\\'").into_bytes()
}

/// Returns a file's name for a message, quoted only if a shell needs that.
pub(crate) fn named(name: &(impl AsRef<OsStr> + ?Sized)) -> String {
    text(Quoting::ShellEscape.of(name.as_ref().as_bytes()))
}

/// Returns a file's name for a message, always quoted.
pub(crate) fn quoted(name: &(impl AsRef<OsStr> + ?Sized)) -> String {
    text(Quoting::ShellEscapeAlways.of(name.as_ref().as_bytes()))
}

/// Escapes have removed everything that is not UTF-8.
fn text(name: Vec<u8>) -> String {
    String::from_utf8_lossy(&name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(quoting: Quoting, name: &[u8], expect: &str) {
        assert_eq!(String::from_utf8_lossy(&quoting.of(name)), expect);
    }

    #[test]
    fn bytes_that_are_not_text_are_escaped() {
        check(Quoting::ShellEscape, b"b\x80.txt", "'b'$'\\200''.txt'");
        check(Quoting::Escape, b"b\x80 t", "b\\200\\ t");
        check(Quoting::C, b"b\x80", "\"b\\200\"");
        check(Quoting::Hidden, b"a\nb", "a?b");
    }

    #[test]
    fn a_single_quote_is_put_in_double_quotes() {
        check(Quoting::ShellEscape, b"it's", "\"it's\"");
        check(Quoting::ShellEscape, b"plain", "plain");
        check(Quoting::ShellEscapeAlways, b"plain", "'plain'");
        check(Quoting::Locale, b"it's", "'it\\'s'");
    }
}
