//! Expansion of words to arguments.

mod arith;
mod braces;
mod case;
pub mod glob;
mod param;
mod quiet;
pub mod quote;
mod sink;
mod slice;
mod substitute;
mod tilde;
pub mod transform;
mod value;

use cofferdam_guest_sys as sys;

use crate::pattern::Rules;
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{Op, Part, Text, Word};
use sink::{Mode, Sink};

/// Longest value that an expansion may build; exceeding it is an error.
pub const MAX_VALUE: usize = 16 * 1024 * 1024;

/// Context in which the parts of a word are expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// Inside double quotes.
    Quoted,
    /// Unquoted, in a command.
    Bare,
    /// Inside `${x:-…}`: literal text is split like a value.
    Value,
}

impl Shell {
    /// Expands words to arguments, with field splitting and pathname expansion.
    pub fn expand_words<'a>(
        &mut self,
        words: impl IntoIterator<Item = &'a Word>,
    ) -> Result<Vec<Text>, Flow> {
        let mut args = Vec::new();
        for word in words {
            self.expand_fields(word, &mut args)?;
        }
        Ok(args)
    }

    /// Expands one word to arguments.
    pub fn expand_fields(&mut self, word: &Word, args: &mut Vec<Text>) -> Result<(), Flow> {
        match word.parts.as_slice() {
            // Fast path: most words are plain.
            [Part::Literal(text)] if is_plain(text) => {
                args.push(text.clone());
                return Ok(());
            }
            [Part::Quoted(text)] => {
                args.push(text.clone());
                return Ok(());
            }
            _ => {}
        }
        if word.parts.iter().any(|part| matches!(part, Part::Braces(_) | Part::Sequence(_)))
            && self.options.braceexpand()
        {
            if let [Part::Sequence(sequence)] = word.parts.as_slice() {
                return self.expand_sequence(sequence, args);
            }
            for word in self.expand_braces(word)? {
                self.expand_one(&word, args)?;
            }
            return Ok(());
        }
        self.expand_one(word, args)
    }

    fn expand_one(&mut self, word: &Word, args: &mut Vec<Text>) -> Result<(), Flow> {
        let mut sink = self.sink(Mode::Fields);
        // Outside POSIX mode, the tilde in an argument `name=~` expands as in an assignment.
        let changed = match word.parts.first() {
            Some(Part::Literal(text)) if text.contains(&b'~') && !self.options.posix() => {
                self.tilde_argument(word, text)?
            }
            _ => None,
        };
        let parts = changed.as_ref().map_or(&word.parts, |word| &word.parts);
        self.expand_parts(parts, Quoting::Bare, true, &mut sink)?;
        for field in sink.finish() {
            if field.magic && !self.options.noglob() {
                self.glob_into(field, args)?;
            } else {
                args.push(field.plain());
            }
        }
        Ok(())
    }

    /// Expands a word to one value, without field splitting or pathname expansion.
    pub fn expand_string(&mut self, word: &Word) -> Result<Text, Flow> {
        match word.parts.as_slice() {
            [] => return Ok(Vec::new()),
            [Part::Literal(text)] if text.first() != Some(&b'~') => return Ok(text.clone()),
            [Part::Quoted(text)] => return Ok(text.clone()),
            _ => {}
        }
        self.expand_single(word, Quoting::Bare, true)
    }

    /// Expands a subscript, in which tildes stay as they are.
    pub(crate) fn expand_subscript(&mut self, word: &Word) -> Result<Text, Flow> {
        match word.parts.as_slice() {
            [] => Ok(Vec::new()),
            [Part::Literal(text) | Part::Quoted(text)] => Ok(text.clone()),
            _ => self.expand_single(word, Quoting::Bare, false),
        }
    }

    /// Expands the value of an assignment; tildes after colons expand too.
    pub fn expand_assigned(&mut self, word: &Word) -> Result<Text, Flow> {
        let has_tilde = |part: &Part| matches!(part, Part::Literal(text) if text.contains(&b'~'));
        let has_default = |part: &Part| {
            matches!(part, Part::Param(param)
                if matches!(&param.op, Op::Default(_, _, word) if word.parts.iter().any(has_tilde)))
        };
        if word.parts.iter().any(has_default) {
            // Tildes after colons expand in the default value, too.
            let mut word = word.clone();
            for part in &mut word.parts {
                if let Part::Param(param) = part
                    && let Op::Default(_, _, default) = &mut param.op
                {
                    *default = self.tildes_in_assignment(default)?;
                }
            }
            let word = self.tildes_in_assignment(&word)?;
            return self.expand_single(&word, Quoting::Bare, false);
        }
        if !word.parts.iter().any(has_tilde) {
            return self.expand_string(word);
        }
        let word = self.tildes_in_assignment(word)?;
        self.expand_single(&word, Quoting::Bare, false)
    }

    /// Expands a here-document or arithmetic text, as inside double quotes.
    pub fn expand_quoted(&mut self, word: &Word) -> Result<Text, Flow> {
        match word.parts.as_slice() {
            [] => Ok(Vec::new()),
            [Part::Literal(text) | Part::Quoted(text)] => Ok(text.clone()),
            _ => self.expand_single(word, Quoting::Quoted, false),
        }
    }

    pub(crate) fn expand_single(
        &mut self,
        word: &Word,
        how: Quoting,
        tilde: bool,
    ) -> Result<Text, Flow> {
        let mut sink = self.sink(Mode::Single);
        self.expand_parts(&word.parts, how, tilde, &mut sink)?;
        Ok(sink.single())
    }

    /// Expands a word to a pattern in which quoted characters match literally.
    pub fn expand_pattern(&mut self, word: &Word) -> Result<Text, Flow> {
        let mut sink = self.sink(Mode::Pattern);
        self.expand_parts(&word.parts, Quoting::Bare, true, &mut sink)?;
        Ok(sink.single())
    }

    pub(crate) fn expand_parts(
        &mut self,
        parts: &[Part],
        how: Quoting,
        tilde: bool,
        sink: &mut Sink,
    ) -> Result<(), Flow> {
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) => {
                    let mut text = text.as_slice();
                    if tilde && at == 0 && how != Quoting::Quoted && text.first() == Some(&b'~') {
                        let last = parts.len() == 1;
                        if let Some((home, len)) = self.tilde(text, last, b"/:") {
                            sink.quoted(&home);
                            text = &text[len..];
                        }
                    }
                    match how {
                        Quoting::Quoted => sink.quoted(text),
                        Quoting::Bare => sink.literal(text),
                        Quoting::Value => sink.value(text),
                    }
                }
                Part::Quoted(text) => sink.quoted(text),
                Part::Double(parts) => {
                    let empties = sink.empty_lists;
                    self.expand_parts(parts, Quoting::Quoted, false, sink)?;
                    // `"$@"` without arguments produces no field; any other quotes produce at least
                    // one.
                    if sink.empty_lists == empties {
                        sink.quoted(b"");
                    }
                }
                Part::Param(param) => self.expand_param(param, how == Quoting::Quoted, sink)?,
                Part::Command(list) => {
                    let text = self.command_substitution(list)?;
                    if how == Quoting::Quoted { sink.quoted(&text) } else { sink.value(&text) }
                }
                Part::Arith(expr) => {
                    let number = self.arith_text(expr)?.to_string();
                    if how == Quoting::Quoted {
                        sink.quoted(number.as_bytes());
                    } else {
                        sink.value(number.as_bytes());
                    }
                }
                Part::Process(output, list) => {
                    let path = self.process_substitution(*output, list)?;
                    sink.quoted(&path);
                }
                Part::Braces(_) | Part::Sequence(_) => {
                    let text = braces::source(part);
                    sink.literal(&text);
                }
            }
            if sink.size() > MAX_VALUE {
                let message = format!("expansion: longer than {MAX_VALUE} bytes");
                self.warn_capped(sys::Cap::Expansion, MAX_VALUE, &message);
                return Err(Flow::Discard(1));
            }
        }
        Ok(())
    }

    /// Returns the pattern rules set by the current options.
    pub fn pattern_rules(&self) -> Rules {
        Rules {
            extended: self.options.extglob(),
            fold: self.options.nocasematch(),
            bytes: !self.is_utf8(),
        }
    }

    /// Returns the pattern rules of `${x#…}` and `${x^…}`, which ignore `nocasematch`.
    pub(crate) fn exact_rules(&self) -> Rules {
        Rules { fold: false, ..self.pattern_rules() }
    }

    /// Returns the field separators.
    pub(crate) fn ifs(&self) -> Text {
        match self.vars.get(&b"IFS"[..]) {
            Some(var) => var.first().cloned().unwrap_or_default(),
            None => b" \t\n".to_vec(),
        }
    }

    fn sink(&self, mode: Mode) -> Sink {
        let ifs = if self.vars.contains_key(&b"IFS"[..]) { self.ifs() } else { b" \t\n".to_vec() };
        Sink::new(mode, ifs)
    }
}

/// Returns true if text can be used as an argument without expansion.
fn is_plain(text: &[u8]) -> bool {
    !text.iter().any(|c| matches!(c, b'*' | b'?' | b'[' | b'~' | b'(' | b'\\'))
}

/// Appends a pattern that matches exactly this text.
pub fn escape_pattern(text: &[u8], out: &mut Text) {
    sink::escape(text, out);
}
