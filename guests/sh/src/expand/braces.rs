//! Expansion of brace parts into words.

use cofferdam_guest_sys as sys;

use crate::shell::{Flow, Shell};
use crate::syntax::ast::{Part, Sequence, Text, Word};
use crate::syntax::{is_name_char, is_name_start};

/// Most words that the braces of one word may produce.
const MAX_WORDS: usize = 200_000;

/// Most items of a word that is only a sequence; these need no further expansion.
const MAX_SEQUENCE: usize = 1_000_000;

impl Shell {
    /// Expands a word that is only `{1..100}` directly to arguments.
    pub(super) fn expand_sequence(
        &mut self,
        s: &Sequence,
        args: &mut Vec<Text>,
    ) -> Result<(), Flow> {
        let count = s.to.checked_sub(s.from).map(|span| (span / s.step).unsigned_abs() + 1);
        let Some(count) = count.filter(|count| *count <= MAX_SEQUENCE as u64) else {
            let message = format!("brace expansion: more than {MAX_SEQUENCE} words");
            self.warn_capped(sys::Cap::Expansion, MAX_SEQUENCE, &message);
            return Err(Flow::Discard(1));
        };
        let mut at = s.from;
        args.reserve(count as usize);
        for _ in 0..count {
            args.push(item(s, at));
            at = at.wrapping_add(s.step);
        }
        Ok(())
    }

    pub(super) fn expand_braces(&mut self, word: &Word) -> Result<Vec<Word>, Flow> {
        let is_broken = |part: &Part| matches!(part, Part::Sequence(s) if has_backquote(s));
        if word.parts.iter().any(is_broken) {
            self.warn("bad substitution: no closing \"`\" in `");
            return Err(Flow::Discard(1));
        }
        match expand(&word.parts) {
            Some(list) => Ok(list.into_iter().map(Word::new).collect()),
            None => {
                let message = format!("brace expansion: more than {MAX_WORDS} words");
                self.warn_capped(sys::Cap::Expansion, MAX_WORDS, &message);
                Err(Flow::Discard(1))
            }
        }
    }
}

fn expand(parts: &[Part]) -> Option<Vec<Vec<Part>>> {
    let mut list: Vec<Vec<Part>> = vec![Vec::new()];
    for part in parts {
        let choices = match part {
            Part::Braces(words) => {
                let mut choices = Vec::new();
                for word in words {
                    choices.extend(expand(&word.parts)?);
                    if choices.len() > MAX_WORDS {
                        return None;
                    }
                }
                choices
            }
            Part::Sequence(sequence) => numbers(sequence)?,
            other => {
                for made in &mut list {
                    push(made, other.clone());
                }
                continue;
            }
        };
        if list.len().checked_mul(choices.len())? > MAX_WORDS {
            return None;
        }
        let mut next = Vec::with_capacity(list.len() * choices.len());
        for made in &list {
            for choice in &choices {
                let mut parts = made.clone();
                for part in choice {
                    push(&mut parts, part.clone());
                }
                next.push(parts);
            }
        }
        list = next;
    }
    Some(list)
}

/// Appends a part, merging adjacent text so that tildes and patterns are recognised across parts.
fn push(parts: &mut Vec<Part>, part: Part) {
    match (parts.last_mut(), part) {
        (Some(Part::Literal(before)), Part::Literal(text)) => before.extend_from_slice(&text),
        // As in bash, braces are expanded as text: in `{$a,b}_c` the variable is `a_c`.
        (Some(Part::Param(param)), Part::Literal(text))
            if param.bare
                && param.name.first().copied().is_some_and(is_name_start)
                && text.first().copied().is_some_and(is_name_char) =>
        {
            let len = text.iter().take_while(|c| is_name_char(**c)).count();
            param.name.extend_from_slice(&text[..len]);
            if len < text.len() {
                parts.push(Part::Literal(text[len..].to_vec()));
            }
        }
        (_, part) => parts.push(part),
    }
}

/// Returns true if a sequence of characters contains a backquote, which bash then parses.
fn has_backquote(s: &Sequence) -> bool {
    let (low, high) = (s.from.min(s.to), s.from.max(s.to));
    let quote = i64::from(b'`');
    s.letters && low < quote && quote < high && (quote - s.from) % s.step == 0
}

fn item(s: &Sequence, at: i64) -> Text {
    if s.letters && at == i64::from(b'\\') {
        // bash takes it for an escape of nothing.
        Vec::new()
    } else if s.letters {
        vec![at as u8]
    } else if at < 0 && s.width > 0 {
        format!("-{:0w$}", at.unsigned_abs(), w = s.width - 1).into_bytes()
    } else {
        format!("{at:0w$}", w = s.width).into_bytes()
    }
}

fn numbers(s: &Sequence) -> Option<Vec<Vec<Part>>> {
    let count = (s.to.checked_sub(s.from)? / s.step).unsigned_abs() + 1;
    if count > MAX_WORDS as u64 {
        return None;
    }
    let mut list = Vec::with_capacity(count as usize);
    let mut at = s.from;
    for _ in 0..count {
        let text = item(s, at);
        // Punctuation between `Z` and `a` is literal.
        let part = if s.letters && !at.to_le_bytes()[0].is_ascii_alphabetic() {
            Part::Quoted(text)
        } else {
            Part::Literal(text)
        };
        list.push(vec![part]);
        at = at.wrapping_add(s.step);
    }
    Some(list)
}

/// Returns unexpanded braces as source text.
pub(super) fn source(part: &Part) -> Text {
    let word = Word::new(vec![part.clone()]);
    crate::syntax::word_text(&word)
}
