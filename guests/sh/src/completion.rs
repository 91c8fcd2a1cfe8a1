//! Programmable completion: specifications and their candidates.

use std::rc::Rc;

use cofferdam_guest_sys as sys;
use serde::{Deserialize, Serialize};

use crate::builtins::BUILTINS;
use crate::expand::glob::is_dir;
use crate::pattern::Pattern;
use crate::shell::options::{SET, SHOPT, shopt_name};
use crate::shell::traps::signal_name;
use crate::shell::value::flag;
use crate::shell::{Flow, Shell};
use crate::syntax::ast::Text;

/// Actions with their option letters, 0 for those without one, in the order bash generates them.
pub const ACTIONS: &[(u8, &str)] = &[
    (b'a', "alias"),
    (0, "arrayvar"),
    (0, "binding"),
    (b'b', "builtin"),
    (0, "disabled"),
    (0, "enabled"),
    (b'e', "export"),
    (0, "function"),
    (0, "helptopic"),
    (0, "hostname"),
    (b'j', "job"),
    (b'k', "keyword"),
    (0, "running"),
    (0, "setopt"),
    (0, "shopt"),
    (0, "signal"),
    (0, "stopped"),
    (b'v', "variable"),
    (b'c', "command"),
    (b'f', "file"),
    (b'u', "user"),
    (b'g', "group"),
    (b's', "service"),
    (b'd', "directory"),
];

/// Names for `-o`.
pub const OPTIONS: &[&str] = &[
    "bashdefault",
    "default",
    "dirnames",
    "filenames",
    "noquote",
    "nosort",
    "nospace",
    "plusdirs",
];

/// Reserved words, in the order of bash's table.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do",
    "done", "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// A completion specification.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Spec {
    /// Names of actions, from [`ACTIONS`].
    pub actions: Vec<String>,
    /// Names of options, from [`OPTIONS`].
    pub options: Vec<String>,
    /// `-G`
    pub glob: Option<Text>,
    /// `-W`
    pub words: Option<Text>,
    /// `-P`
    pub prefix: Option<Text>,
    /// `-S`
    pub suffix: Option<Text>,
    /// `-X`
    pub filter: Option<Text>,
    /// `-F`
    pub function: Option<Text>,
    /// `-C`
    pub command: Option<Text>,
}

impl Shell {
    /// Returns the candidates that a specification gives for a word.
    pub fn candidates(&mut self, spec: &Spec, word: &[u8]) -> Result<Vec<Text>, Flow> {
        let mut found = Vec::new();
        for (_, action) in
            ACTIONS.iter().filter(|(_, name)| spec.actions.iter().any(|own| own == name))
        {
            let mut names = self.action(action, word);
            names.retain(|name| name.starts_with(word));
            found.append(&mut names);
        }
        if let Some(pattern) = &spec.glob {
            found.append(&mut self.glob(pattern)?);
        }
        if let Some(words) = &spec.words {
            let ifs = self.ifs();
            for piece in split_words(words, &ifs) {
                let name = self.expand_text(&piece)?;
                let names = name.split(|c| ifs.contains(c) && !piece.contains(&b'\\'));
                let names = names.filter(|name| !name.is_empty() && name.starts_with(word));
                found.extend(names.map(<[u8]>::to_vec));
            }
        }
        let mut options = spec.options.clone();
        if let Some(function) = &spec.function {
            let outer = self.completing.replace(options);
            let replies = self.call_completion(function, word);
            options = std::mem::replace(&mut self.completing, outer).unwrap_or_default();
            found.append(&mut replies?);
        }
        if let Some(command) = &spec.command {
            let quote = crate::expand::quote::plain_single;
            let text = [command, &b" compgen "[..], &quote(word), b" ''"].concat();
            let mut lines = self.output_lines(&text)?;
            found.append(&mut lines);
        }
        if let Some(filter) = &spec.filter {
            self.filter(filter, word, &mut found);
        }
        let (prefix, suffix) = (spec.prefix.as_deref(), spec.suffix.as_deref());
        for name in &mut found {
            *name = [prefix.unwrap_or_default(), name, suffix.unwrap_or_default()].concat();
        }
        let has = |name: &str| options.iter().any(|own| own == name);
        if has("plusdirs") || (found.is_empty() && has("dirnames")) {
            found.append(&mut files(self, word, true));
        }
        if found.is_empty() && has("default") {
            found.append(&mut files(self, word, false));
        }
        Ok(found)
    }

    /// Removes the candidates that `-X` names.
    fn filter(&self, filter: &[u8], word: &[u8], found: &mut Vec<Text>) {
        let mut pattern = Vec::new();
        let mut bytes = filter.iter();
        while let Some(c) = bytes.next() {
            match c {
                b'\\' => {
                    let next = bytes.next();
                    if next != Some(&b'&') {
                        pattern.push(b'\\');
                    }
                    pattern.extend(next);
                }
                b'&' => pattern.extend_from_slice(word),
                c => pattern.push(*c),
            }
        }
        let extended = self.options.extglob();
        let inverted =
            pattern.first() == Some(&b'!') && !(extended && pattern.get(1) == Some(&b'('));
        let pattern = Pattern::new(&pattern[usize::from(inverted)..], self.exact_rules());
        found.retain(|name| pattern.matches(name) == inverted);
    }

    /// Calls a completion function and returns what it put into `COMPREPLY`.
    fn call_completion(&mut self, function: &[u8], word: &[u8]) -> Result<Vec<Text>, Flow> {
        let Some(body) = self.functions.get(function).cloned() else {
            let name = String::from_utf8_lossy(function).into_owned();
            self.warn(&format!("compgen: warning: {name}: function not found"));
            return Ok(Vec::new());
        };
        let zero = || b"0".to_vec();
        self.set(b"COMP_LINE", Vec::new())?;
        for name in [&b"COMP_POINT"[..], b"COMP_TYPE", b"COMP_KEY"] {
            self.set(name, zero())?;
        }
        self.set(b"COMP_CWORD", b"-1".to_vec())?;
        self.set_array(b"COMP_WORDS", Vec::new())?;
        let args = vec![b"compgen".to_vec(), word.to_vec(), Vec::new()];
        let answer = self.call_function(function, &Rc::clone(&body), args, Vec::new());
        for name in [
            &b"COMP_LINE"[..],
            b"COMP_POINT",
            b"COMP_TYPE",
            b"COMP_KEY",
            b"COMP_CWORD",
            b"COMP_WORDS",
        ] {
            self.unset(name)?;
        }
        answer?;
        let replies = match self.var(b"COMPREPLY") {
            Some(var) => var.values(),
            None => Vec::new(),
        };
        self.unset(b"COMPREPLY")?;
        Ok(replies)
    }

    /// Runs a command line and returns the lines that it prints.
    fn output_lines(&mut self, text: &[u8]) -> Result<Vec<Text>, Flow> {
        let text = [b"$(", text, b")"].concat();
        let word = match crate::syntax::parse_index(&text) {
            Ok(word) => word,
            Err(error) => {
                self.warn(&error.message);
                return Ok(Vec::new());
            }
        };
        let output = self.expand_string(&word)?;
        let lines = output.split(|c| *c == b'\n').filter(|line| !line.is_empty());
        Ok(lines.map(<[u8]>::to_vec).collect())
    }

    /// Returns the names of an action, sorted where bash sorts them.
    fn action(&mut self, action: &str, word: &[u8]) -> Vec<Text> {
        let text = |name: &str| name.as_bytes().to_vec();
        let is_off = |name: &str| self.disabled.iter().any(|off| off == name.as_bytes());
        let mut names: Vec<Text> = match action {
            "alias" => self.aliases.keys().cloned().collect(),
            "arrayvar" => {
                let arrays = self.vars.iter().filter(|(_, var)| var.is_array());
                arrays.map(|(name, _)| name.to_vec()).collect()
            }
            "binding" => crate::builtins::readline_functions().map(text).collect(),
            "builtin" | "helptopic" => BUILTINS.iter().map(|b| text(b.name)).collect(),
            "disabled" => {
                BUILTINS.iter().filter(|b| is_off(b.name)).map(|b| text(b.name)).collect()
            }
            "enabled" => {
                BUILTINS.iter().filter(|b| !is_off(b.name)).map(|b| text(b.name)).collect()
            }
            "command" => return self.command_names(word),
            "directory" => return files(self, word, true),
            "file" => return files(self, word, false),
            "export" => {
                let exported = self.vars.iter().filter(|(_, var)| var.has(flag::EXPORT));
                exported.map(|(name, _)| name.to_vec()).collect()
            }
            "function" => self.functions.keys().cloned().collect(),
            "group" => return first_fields("/etc/group", b':'),
            "user" => return first_fields("/etc/passwd", b':'),
            "service" => return first_fields("/etc/services", b'\t'),
            "hostname" => first_fields("/etc/hostname", b' '),
            "job" | "running" => {
                let jobs = self.jobs.list.iter();
                jobs.map(|job| job.text.split(|c| *c == b' ').next().unwrap_or(b"").to_vec())
                    .collect()
            }
            "keyword" => return KEYWORDS.iter().map(|name| text(name)).collect(),
            "setopt" => SET.iter().map(|(_, name)| text(name)).collect(),
            "shopt" => SHOPT.iter().map(|(name, _)| text(shopt_name(name))).collect(),
            "signal" => {
                let names = (1..32).map(|number| format!("SIG{}", signal_name(number)));
                return names.map(String::into_bytes).collect();
            }
            "variable" => {
                let computed = self.computed();
                let all = self.vars.keys().map(|name| name.to_vec());
                all.chain(computed.into_iter().map(|(name, _)| name)).collect()
            }
            _ => Vec::new(),
        };
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the names of everything that can be called.
    fn command_names(&mut self, word: &[u8]) -> Vec<Text> {
        if word.contains(&b'/') {
            let mut names = files(self, word, false);
            names.retain(|name| sys::stat(name, true).is_ok_and(|status| status.mode & 0o111 != 0));
            return names;
        }
        let mut names: Vec<Text> = KEYWORDS.iter().map(|name| name.as_bytes().to_vec()).collect();
        names.extend(self.aliases.keys().cloned());
        names.extend(self.functions.keys().cloned());
        names.extend(BUILTINS.iter().map(|builtin| builtin.name.as_bytes().to_vec()));
        names.extend(crate::command_names().iter().map(|name| name.as_bytes().to_vec()));
        let path = self.get(b"PATH").unwrap_or_default();
        for folder in path.split(|c| *c == b':') {
            let folder = if folder.is_empty() { b"." } else { folder };
            let Ok(entries) = std::fs::read_dir(crate::expand::glob::path(folder)) else {
                continue;
            };
            for entry in entries.flatten() {
                let name = crate::expand::glob::bytes(entry.file_name());
                let full = [folder, b"/", &name].concat();
                let runs =
                    |status: sys::FileStatus| status.mode & 0o111 != 0 && !is_dir(status.mode);
                if name.starts_with(word) && sys::stat(&full, true).is_ok_and(runs) {
                    names.push(name);
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Returns the files whose names begin with the word, hidden ones included.
fn files(shell: &mut Shell, word: &[u8], only_directories: bool) -> Vec<Text> {
    let at = word.iter().rposition(|c| *c == b'/').map_or(0, |at| at + 1);
    let (folder, base) = word.split_at(at);
    let mut place = if folder.is_empty() { b"./".to_vec() } else { folder.to_vec() };
    if let Some(rest) = folder.strip_prefix(b"~/") {
        place = [shell.get(b"HOME").unwrap_or_default(), b"/".to_vec(), rest.to_vec()].concat();
    }
    let Ok(entries) = std::fs::read_dir(crate::expand::glob::path(&place)) else {
        return Vec::new();
    };
    let mut names: Vec<Text> = entries
        .flatten()
        .map(|entry| crate::expand::glob::bytes(entry.file_name()))
        .filter(|name| name.starts_with(base))
        .collect();
    if only_directories {
        names.retain(|name| {
            let full = [place.as_slice(), name].concat();
            sys::stat(&full, true).is_ok_and(|status| is_dir(status.mode))
        });
    }
    names.sort_unstable();
    names.into_iter().map(|name| [folder, &name].concat()).collect()
}

/// Returns the first field of each line of a file.
fn first_fields(path: &str, separator: u8) -> Vec<Text> {
    let text = std::fs::read(path).unwrap_or_default();
    let lines = text.split(|c| *c == b'\n').filter(|line| !line.is_empty() && line[0] != b'#');
    lines
        .filter_map(|line| line.split(|c| *c == separator || *c == b' ').next())
        .map(<[u8]>::to_vec)
        .collect()
}

/// Splits the words of `-W` at separators that are not quoted.
fn split_words(text: &[u8], ifs: &[u8]) -> Vec<Text> {
    let (mut words, mut word) = (Vec::new(), Vec::new());
    let mut quote = None;
    let mut open = 0usize;
    let mut bytes = text.iter().copied().peekable();
    while let Some(c) = bytes.next() {
        match c {
            b'\\' if quote != Some(b'\'') => {
                word.push(c);
                word.extend(bytes.next());
                continue;
            }
            b'\'' | b'"' if quote.is_none() => quote = Some(c),
            c if quote == Some(c) => quote = None,
            b'$' if matches!(bytes.peek(), Some(b'(' | b'{')) => {
                word.push(c);
                word.extend(bytes.next());
                open += 1;
                continue;
            }
            b')' | b'}' => open = open.saturating_sub(1),
            c if quote.is_none() && open == 0 && ifs.contains(&c) => {
                words.push(std::mem::take(&mut word));
                continue;
            }
            _ => {}
        }
        word.push(c);
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}
