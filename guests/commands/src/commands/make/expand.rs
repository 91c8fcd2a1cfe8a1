//! Expansion of variables and function calls.

use super::{Make, Origin, fatal, functions};

/// Deepest nesting of expansions; each level uses stack.
const MAX_DEPTH: usize = 200;

/// Longest value that an expansion may give.
const MAX_VALUE: usize = 64 << 20;

/// Returns the index of the bracket that closes the one before `from`.
pub(super) fn closing(text: &[u8], from: usize, open: u8, close: u8) -> Option<usize> {
    let mut depth = 1;
    for (at, byte) in text.iter().enumerate().skip(from) {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

impl Make {
    /// Expands all references in a text.
    pub(super) fn expand(&mut self, text: &str) -> Result<String, i32> {
        if !text.contains('$') {
            return Ok(text.to_owned());
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth = 0;
            return Err(fatal(self, "Recursive variable references itself (eventually)"));
        }
        let answer = self.expand_parts(text);
        self.depth = self.depth.saturating_sub(1);
        answer
    }

    fn expand_parts(&mut self, text: &str) -> Result<String, i32> {
        let bytes = text.as_bytes();
        let mut out = String::new();
        let mut at = 0;
        while let Some(dollar) = text[at..].find('$') {
            out.push_str(&text[at..at + dollar]);
            at += dollar + 1;
            match bytes.get(at) {
                None => out.push('$'),
                Some(b'$') => {
                    out.push('$');
                    at += 1;
                }
                Some(open @ (b'(' | b'{')) => {
                    let close = if *open == b'(' { b')' } else { b'}' };
                    let Some(end) = closing(bytes, at + 1, *open, close) else {
                        return Err(fatal(self, "unterminated variable reference"));
                    };
                    let value = self.reference(&text[at + 1..end])?;
                    out.push_str(&value);
                    at = end + 1;
                }
                Some(_) => {
                    let name: String = text[at..].chars().take(1).collect();
                    at += name.len();
                    out.push_str(&self.value(&name)?);
                }
            }
            if out.len() > MAX_VALUE {
                return Err(fatal(self, "the value of a variable is too long"));
            }
        }
        out.push_str(&text[at..]);
        Ok(out)
    }

    /// Expands the inside of `$(…)`: a function call, a substitution or a name.
    fn reference(&mut self, inside: &str) -> Result<String, i32> {
        if let Some(value) = functions::call(self, inside)? {
            return Ok(value);
        }
        let inside = self.expand(inside)?;
        if let Some((name, change)) = inside.split_once(':')
            && let Some((from, to)) = change.split_once('=')
        {
            let value = self.value(name)?;
            let (from, to) = match from.contains('%') {
                true => (from.to_owned(), to.to_owned()),
                false => (format!("%{from}"), format!("%{to}")),
            };
            return Ok(functions::patsubst(&from, &to, &value));
        }
        self.value(&inside)
    }

    /// Returns the expanded value of a variable.
    pub(super) fn value(&mut self, name: &str) -> Result<String, i32> {
        if let Some(value) = self.automatic(name) {
            return Ok(value);
        }
        if let (Some(args), Ok(number)) = (self.calls.last(), name.parse::<usize>()) {
            return Ok(args.get(number).cloned().unwrap_or_default());
        }
        match self.variables.get(name) {
            Some(variable) if variable.is_simple => Ok(variable.value.clone()),
            Some(variable) => {
                let value = variable.value.clone();
                self.expand(&value)
            }
            None if name == "MAKEFILE_LIST" => Ok(format!(" {}", self.files_read.join(" "))),
            None => {
                if self.options.warn_undefined {
                    eprintln!("{}: warning: undefined variable '{name}'", self.name());
                }
                Ok(String::new())
            }
        }
    }

    /// Returns the value of a variable if it is defined.
    pub(super) fn variable(&mut self, name: &str) -> Option<String> {
        self.variables.get(name)?;
        self.value(name).ok()
    }

    /// Returns the value of an automatic variable, such as `@`, `@D` or `<F`.
    fn automatic(&self, name: &str) -> Option<String> {
        let values = self.automatic.last()?;
        if let Some(value) = values.get(name) {
            return Some(value.clone());
        }
        let part = name.chars().last().filter(|part| matches!(part, 'D' | 'F'))?;
        let value = values.get(&name[..name.len() - 1])?;
        let parts = value.split_whitespace().map(|word| match (word.rfind('/'), part) {
            (Some(0), 'D') => "/",
            (Some(at), 'D') => &word[..at],
            (None, 'D') => ".",
            (Some(at), _) => &word[at + 1..],
            (None, _) => word,
        });
        Some(parts.collect::<Vec<_>>().join(" "))
    }

    /// Carries out an assignment with any operator.
    pub(super) fn assign(
        &mut self,
        name: &str,
        operator: &str,
        value: &str,
        origin: Origin,
    ) -> Result<(), i32> {
        match operator {
            ":=" | "::=" => {
                let value = self.expand(value)?;
                self.define(name, &value, true, origin);
            }
            "?=" => {
                if !self.variables.contains_key(name) {
                    self.define(name, value, false, origin);
                }
            }
            "+=" => {
                let old = self.variables.get(name).cloned();
                let Some(old) = old else {
                    self.define(name, value, false, origin);
                    return Ok(());
                };
                let more = if old.is_simple { self.expand(value)? } else { value.to_owned() };
                let joined = match old.value.is_empty() {
                    true => more,
                    false => format!("{} {more}", old.value),
                };
                self.define(name, &joined, old.is_simple, origin.max(Origin::File));
            }
            "!=" => {
                let command = self.expand(value)?;
                let output = functions::shell(self, &command)?;
                self.define(name, &output.replace('$', "$$"), false, origin);
            }
            _ => self.define(name, value, false, origin),
        }
        Ok(())
    }
}
