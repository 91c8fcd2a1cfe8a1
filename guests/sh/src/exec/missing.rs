//! Handling of commands that are not found.

use cofferdam_guest_sys::{self as sys, Pid};
use strsim::osa_distance;

use super::instead::instead_of;
use super::spawn::shown;
use crate::builtins::BUILTINS;
use crate::expand::quote;
use crate::shell::Shell;
use crate::syntax::ast::{Arg, Command, Kind, Part, Simple, Text, Word};

/// Exit status of a command that is not found.
const NOT_FOUND: i32 = 127;

/// Function that bash calls instead of a command it does not find.
const HANDLER: &[u8] = b"command_not_found_handle";

/// Largest edit distance between a typed name and a suggestion.
const MAX_TYPOS: usize = 2;

/// Longest name that gets a suggestion.
const MAX_GUESSED: usize = 40;

impl Shell {
    /// Runs the script's own handler, or prints an error and returns the status.
    pub(super) fn missing(&mut self, args: &[Text]) -> Result<Pid, i32> {
        let name = &args[0];
        let has_no_path = self.get(b"PATH").is_none_or(|path| path.is_empty());
        if name.contains(&b'/') {
            self.warn(&format!("{}: No such file or directory", printable(name)));
            return Err(NOT_FOUND);
        }
        if !self.functions.contains_key(HANDLER) {
            // As in bash, a search without a path looks in the working directory only.
            let what = if has_no_path && !name.is_empty() {
                "No such file or directory"
            } else {
                "command not found"
            };
            self.warn(&format!("{}: {what}", printable(name)));
            match instead_of(name) {
                Some(advice) => self.print_error(format!("hint: {advice}\n").as_bytes()),
                None => self.suggest(name),
            }
            return Err(NOT_FOUND);
        }
        let word = |text: &[u8]| Arg::Word(Word::new(vec![Part::Quoted(text.to_vec())]));
        let words = [HANDLER].into_iter().chain(args.iter().map(Vec::as_slice)).map(word);
        let simple = Simple { args: words.collect(), ..Simple::default() };
        let kind = Kind::Simple(simple);
        let body = Command { line: self.line, kind, redirects: Vec::new() };
        let fds = self.fds.clone();
        self.spawn_shell(&body, &fds).map_err(|_| NOT_FOUND)
    }

    /// Suggests a similar command on a terminal. Scripts see exactly bash's output.
    fn suggest(&mut self, name: &[u8]) {
        if !self.fds.fd(2).is_ok_and(sys::is_terminal) {
            return;
        }
        let functions = self.functions.keys().map(Vec::as_slice);
        let aliases = self.aliases.keys().map(Vec::as_slice);
        let builtins = BUILTINS.iter().map(|builtin| builtin.name.as_bytes());
        let commands = crate::command_names().iter().map(|name| name.as_bytes());
        let known = functions.chain(aliases).chain(builtins).chain(commands);
        if let Some(meant) = nearest(name, known) {
            let text = format!("hint: did you mean {}?\n", shown(meant));
            self.print_error(text.as_bytes());
        }
    }
}

/// Shows a command name in a message; control characters and broken UTF-8 are quoted as in `$'…'`.
fn printable(name: &[u8]) -> String {
    if quote::needs_ansi(name) { shown(&quote::ansi(name)) } else { shown(name) }
}

/// Returns the known name closest to the typed one, if it is close enough.
fn nearest<'a>(typed: &[u8], known: impl Iterator<Item = &'a [u8]>) -> Option<&'a [u8]> {
    if typed.len() > MAX_GUESSED {
        return None;
    }
    // Two wrong letters would be most of a short name.
    let most = MAX_TYPOS.min(typed.len() / 2);
    let near = known.filter(|name| name.len().abs_diff(typed.len()) <= most);
    let typed = letters(typed);
    let typos = |name| (osa_distance(&typed, &letters(name)), name);
    let (typos, name) = near.map(typos).min()?;
    (typos <= most).then_some(name)
}

/// Maps each byte to one character, because names need not be UTF-8.
fn letters(name: &[u8]) -> String {
    name.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, meant: Option<&str>) {
        let known = ["cat", "cd", "grep", "ls", "mkdir", "sort"];
        let found = nearest(typed.as_bytes(), known.iter().map(|name| name.as_bytes()));
        assert_eq!(found, meant.map(str::as_bytes), "{typed}");
    }

    #[test]
    fn names_one_or_two_edits_apart_are_near() {
        check("grpe", Some("grep"));
        check("mkdri", Some("mkdir"));
        check("srot", Some("sort"));
        check("sl", Some("ls"));
        check("gr", None);
        check("frobnicate", None);
        check("", None);
        check(&"x".repeat(1000), None);
    }
}
