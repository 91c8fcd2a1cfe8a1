//! Completion at the prompt: commands in command position, files of the sandbox elsewhere.
//!
//! File names come from guests. Names that a terminal could not show as they are, are not offered.

use cofferdam::{FolderEntry, Sandbox, visible};
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use crate::terminal::STATE;

/// Most bytes of the saved state that are searched for functions.
const MAX_STATE: usize = 1 << 20;

/// Characters with a meaning in the shell, which a backslash removes.
const SPECIAL: &str = " \t\\'\"$`&|;<>()*?[]#~!{}";

/// Words that a command can follow.
const BEFORE_COMMANDS: [&str; 10] =
    ["if", "then", "else", "elif", "while", "until", "do", "!", "time", "exec"];

/// Completes commands and files.
pub(crate) struct Completion {
    sandbox: Sandbox,
    /// Commands, builtins and keywords, sorted.
    words: Vec<String>,
}

impl Completion {
    pub(crate) fn new(sandbox: &Sandbox, mut words: Vec<String>) -> Self {
        words.sort_unstable();
        words.dedup();
        Completion { sandbox: sandbox.clone(), words }
    }

    fn commands(&self, begin: &str) -> Vec<String> {
        let functions = self.functions();
        let all = self.words.iter().chain(&functions);
        let mut found: Vec<String> = all.filter(|word| word.starts_with(begin)).cloned().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the functions that earlier commands defined, from the saved state of the prompt.
    fn functions(&self) -> Vec<String> {
        let state = self.sandbox.read_file(STATE, MAX_STATE).unwrap_or_default();
        let state = String::from_utf8_lossy(&state);
        let named = state.lines().filter_map(|line| line.trim_end().strip_suffix("()"));
        let named = named.map(str::trim_end).filter(|name| {
            !name.is_empty()
                && !name.starts_with("__cofferdam")
                && !name.contains(|c: char| c.is_whitespace() || SPECIAL.contains(c))
        });
        named.filter(|name| visible(name) == *name).map(str::to_owned).collect()
    }

    /// Returns the files whose path begins with `begin`; folders end with a slash.
    fn files(&self, begin: &str) -> Vec<String> {
        let (folder, name) = match begin.rfind('/') {
            Some(at) => begin.split_at(at + 1),
            None => ("", begin),
        };
        let env = self.sandbox.env();
        let variable = |name: &str| env.get(name).cloned().unwrap_or_else(|| "/".to_owned());
        let looked_in = match folder.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", variable("HOME")),
            None if folder.starts_with('/') => folder.to_owned(),
            None => format!("{}/{folder}", variable("PWD")),
        };
        let listed = self.sandbox.list(&looked_in).unwrap_or_default();
        let fits = |entry: &&FolderEntry| {
            let hidden = entry.name.starts_with('.') && !name.starts_with('.');
            entry.name.starts_with(name) && !hidden && visible(&entry.name) == entry.name.as_str()
        };
        let shown = |entry: &FolderEntry| {
            format!("{folder}{}{}", entry.name, if entry.is_folder { "/" } else { "" })
        };
        listed.iter().filter(fits).map(shown).collect()
    }

    fn offered(&self, line: &str) -> (usize, Vec<Pair>) {
        let (start, word) = last_word(line);
        let is_command = begins_command(&line[..start]) && !word.contains('/');
        let found = if is_command { self.commands(&word) } else { self.files(&word) };
        let alone = found.len() == 1;
        let pair = |text: String| {
            let ends = alone && !text.ends_with('/');
            let display = text.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&text);
            let slash = if text.ends_with('/') { "/" } else { "" };
            let display = format!("{display}{slash}");
            let replacement = quoted(&text) + if ends { " " } else { "" };
            Pair { display, replacement }
        };
        (start, found.into_iter().map(pair).collect())
    }
}

/// Returns the start of the last word of a line, and the word without its quotes.
fn last_word(line: &str) -> (usize, String) {
    let (mut start, mut word) = (0, String::new());
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in line.char_indices() {
        if escaped {
            word.push(c);
            escaped = false;
        } else if let Some(end) = quote {
            match c {
                c if c == end => quote = None,
                c => word.push(c),
            }
        } else if c == '\\' {
            escaped = true;
        } else if c == '\'' || c == '"' {
            quote = Some(c);
        } else if c.is_whitespace() || "|&;()<>=".contains(c) {
            start = at + c.len_utf8();
            word.clear();
        } else {
            word.push(c);
        }
    }
    (start, word)
}

/// Returns true if a command can begin after this text.
fn begins_command(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    match before.chars().next_back() {
        None | Some('|' | '&' | ';' | '(' | '\n') => true,
        Some(_) => {
            let word = before.rsplit([' ', '\t', '\n', '|', '&', ';', '(']).next();
            word.is_some_and(|word| BEFORE_COMMANDS.contains(&word))
        }
    }
}

/// Quotes a word for the shell; a leading `~/` keeps its meaning.
fn quoted(text: &str) -> String {
    let (front, rest) = match text.strip_prefix("~/") {
        Some(rest) => ("~/", rest),
        None => ("", text),
    };
    let mut out = front.to_owned();
    for c in rest.chars() {
        if SPECIAL.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok(self.offered(line.get(..at).unwrap_or(line)))
    }
}

impl Hinter for Completion {
    type Hint = String;
}

impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &[&str]) {
        let sandbox = Sandbox::builder()
            .file("/home/user/notes.txt", "")
            .file("/home/user/my file", "")
            .file("/home/user/.hidden", "")
            .file("/home/user/evil\u{1b}[2J", "")
            .file("/home/user/src/main.rs", "")
            .file(STATE, "declare -- a=\"1\"\ngreet () \n{ \n    echo hi\n}\n")
            .build()
            .expect("a sandbox");
        let words = ["grep", "gunzip", "echo"].map(str::to_owned).to_vec();
        let (start, pairs) = Completion::new(&sandbox, words).offered(line);
        let lines: Vec<String> =
            pairs.iter().map(|pair| format!("{}{}", &line[..start], pair.replacement)).collect();
        assert_eq!(lines, expect, "{line:?}");
    }

    #[test]
    fn a_command_is_offered_where_one_begins() {
        check("gre", &["greet", "grep"]);
        check("true | gu", &["true | gunzip "]);
        check("if ec", &["if echo "]);
        check("x=$(ec", &["x=$(echo "]);
        check("echo gre", &[]);
    }

    #[test]
    fn files_are_offered_as_the_shell_reads_them() {
        check("cat n", &["cat notes.txt "]);
        check("cat m", &["cat my\\ file "]);
        check("cat 'my", &["cat my\\ file "]);
        check("cat s", &["cat src/"]);
        check("cat src/", &["cat src/main.rs "]);
        check("cat ~/src/m", &["cat ~/src/main.rs "]);
        check("cat /home/user/no", &["cat /home/user/notes.txt "]);
        check("cat < n", &["cat < notes.txt "]);
    }

    #[test]
    fn what_a_terminal_cannot_show_is_not_offered_and_what_is_hidden_when_asked_for() {
        check("cat e", &[]);
        check("cat .h", &["cat .hidden "]);
    }
}
