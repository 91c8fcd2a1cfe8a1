//! `${x@Q}` and the other transformations.

use super::quote;
use super::value::{Got, Key, Named};
use crate::shell::value::{Value, Var};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{CaseOp, Text};
use crate::syntax::quote::{Flavour, escape};

impl Shell {
    pub(super) fn transform(&mut self, letter: u8, got: Got, named: &Named) -> Result<Got, Flow> {
        Ok(match letter {
            b'Q' => got.map(|text| quote::single(&text)),
            b'U' => got.map(|text| super::case::change(&text, CaseOp::Upper, true, None)),
            b'u' => got.map(|text| super::case::change(&text, CaseOp::Upper, false, None)),
            b'L' => got.map(|text| super::case::change(&text, CaseOp::Lower, true, None)),
            b'E' => got.map(|text| escaped(&text)),
            b'P' => {
                let mut list = Vec::new();
                let (texts, star, many) = match got {
                    Got::Nothing => return Ok(Got::Nothing),
                    Got::One(text) => (vec![text], false, false),
                    Got::Many(texts, star) => (texts, star, true),
                };
                for text in texts {
                    list.push(self.prompt(&text)?);
                }
                if many { Got::Many(list, star) } else { Got::One(list.remove(0)) }
            }
            b'a' => {
                let place = self.resolve(&named.name);
                match self.vars.get(place.name.as_slice()) {
                    Some(var) => {
                        let letters = Shell::attributes(var).into_bytes();
                        match got {
                            Got::Many(list, star) => {
                                Got::Many(list.iter().map(|_| letters.clone()).collect(), star)
                            }
                            Got::Nothing | Got::One(_) => Got::One(letters),
                        }
                    }
                    None => got.map(|_| Vec::new()),
                }
            }
            b'A' => self.assignment_text(got, named),
            b'K' | b'k' => self.pairs(letter == b'k', got, named),
            _ => got,
        })
    }

    fn assignment_text(&mut self, got: Got, named: &Named) -> Got {
        let place = self.resolve(&named.name);
        if named.name == b"@" || named.name == b"*" {
            let Got::Many(list, star) = got else { return Got::Nothing };
            let mut out = vec![b"set".to_vec(), b"--".to_vec()];
            out.extend(list.iter().map(|text| quote::single(text)));
            return Got::Many(vec![out.join(&b' ')], star);
        }
        let Some(var) = self.vars.get(place.name.as_slice()).cloned() else { return Got::Nothing };
        let letters = Shell::attributes(&var);
        let all = matches!(named.index, Some(Key::At | Key::Star));
        let mut text = if letters.is_empty() {
            Vec::new()
        } else {
            format!("declare -{letters} ").into_bytes()
        };
        text.extend_from_slice(&place.name);
        if all && var.is_array() && !var.is_assigned() {
            // Declared only.
        } else if all && var.is_array() {
            text.push(b'=');
            text.extend_from_slice(&compound(&var));
        } else {
            match got {
                Got::One(value) => {
                    text.push(b'=');
                    text.extend_from_slice(&quote::single(&value));
                }
                Got::Nothing | Got::Many(..) => {
                    if !var.is_array() {
                        return Got::Nothing;
                    }
                }
            }
        }
        Got::One(text)
    }

    fn pairs(&mut self, separate: bool, got: Got, named: &Named) -> Got {
        let place = self.resolve(&named.name);
        let all = matches!(named.index, Some(Key::At | Key::Star));
        let Some(var) = self.vars.get(place.name.as_slice()).filter(|var| all && var.is_array())
        else {
            return got.map(|text| quote::single(&text));
        };
        let mut list = Vec::new();
        for (key, value) in var.keys().into_iter().zip(var.values()) {
            let assoc = matches!(var.value, Value::Assoc(..));
            if separate {
                list.push(key);
                list.push(value);
            } else {
                list.push(if assoc { quote::key(&key) } else { key });
                list.push(quote::double(&value));
            }
        }
        let star = named.index == Some(Key::Star);
        if separate {
            return Got::Many(list, star);
        }
        let mut text = list.join(&b' ');
        if matches!(var.value, Value::Assoc(..)) {
            text.push(b' ');
        }
        Got::One(text)
    }
}

/// Formats an array as it would be assigned: `([0]="a" [1]="b")`.
pub fn compound(var: &Var) -> Text {
    let assoc = matches!(var.value, Value::Assoc(..));
    let mut out = b"(".to_vec();
    for (at, (key, value)) in var.keys().into_iter().zip(var.values()).enumerate() {
        if at > 0 && !assoc {
            out.push(b' ');
        }
        out.push(b'[');
        out.extend_from_slice(&if assoc { quote::key(&key) } else { key });
        out.extend_from_slice(b"]=");
        out.extend_from_slice(&quote::double(&value));
        if assoc {
            out.push(b' ');
        }
    }
    out.push(b')');
    out
}

fn escaped(text: &[u8]) -> Text {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'\\' {
            let (bytes, len) = escape(&text[at..], Flavour::Quote);
            out.extend_from_slice(&bytes);
            at += len;
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}
