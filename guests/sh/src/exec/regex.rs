//! POSIX extended regular expressions, translated for the `regex` crate, which matches in linear
//! time.
//!
//! The crate has no back-references, and takes the first alternative where POSIX takes the longest:
//! [`backtrack`] completes it.

mod backtrack;
mod program;

use std::ops::Range;
use std::rc::Rc;

use regex::bytes::{Regex, RegexBuilder};

use crate::syntax::ast::Text;
use crate::table::Table;

/// Most compiled expressions kept.
const MAX_KEPT: usize = 64;

/// Largest compiled expression, in bytes.
const MAX_COMPILED: usize = 4 * 1024 * 1024;

/// A cache of compiled expressions, keyed by text and case folding.
#[derive(Debug, Default)]
pub struct Regexes {
    kept: Table<(Text, bool), Rc<Compiled>>,
}

/// The range of each group; the first is the whole match.
pub type Groups = Vec<Option<Range<usize>>>;

/// A compiled expression.
#[derive(Debug)]
pub struct Compiled {
    /// The expression without its back-references, if it has none.
    regex: Option<Regex>,
    /// The same expression with all its matches, if it has alternatives or back-references.
    program: Option<program::Program>,
}

impl Compiled {
    /// Returns the groups of the leftmost match and, among those, of the longest.
    pub fn captures(&self, text: &[u8]) -> Option<Groups> {
        let Some(regex) = &self.regex else {
            let program = self.program.as_ref()?;
            return (0..=text.len()).find_map(|at| program.longest(text, at));
        };
        let found = regex.captures(text)?;
        let whole = found.get(0)?.range();
        // A match that reaches the end cannot be longer.
        if whole.end < text.len()
            && let Some(program) = &self.program
            && let Some(longer) = program.longest(text, whole.start)
            && longer[0].as_ref().is_some_and(|range| range.end > whole.end)
        {
            return Some(longer);
        }
        Some(found.iter().map(|group| group.map(|group| group.range())).collect())
    }
}

impl Regexes {
    /// Returns the compiled expression, or `None` if the pattern is invalid.
    pub fn get(&mut self, pattern: &[u8], fold: bool) -> Option<Rc<Compiled>> {
        let key = (pattern.to_vec(), fold);
        if let Some(regex) = self.kept.get(&key) {
            return Some(regex.clone());
        }
        let text = translate(pattern)?;
        let has_references = backtrack::has_references(&text);
        let regex = match has_references {
            true => None,
            false => Some(
                RegexBuilder::new(&text)
                    .case_insensitive(fold)
                    .dot_matches_new_line(true)
                    .size_limit(MAX_COMPILED)
                    .build()
                    .ok()?,
            ),
        };
        let program = match has_references || text.contains('|') {
            true => program::Program::new(&text, fold),
            false => None,
        };
        if has_references && program.is_none() {
            return None;
        }
        if self.kept.len() >= MAX_KEPT {
            self.kept.clear();
        }
        let regex = Rc::new(Compiled { regex, program });
        self.kept.insert(key, regex.clone());
        Some(regex)
    }
}

/// Appends an expression that matches exactly this text.
pub fn escape(text: &[u8], out: &mut Text) {
    for c in text {
        if b".[]{}()*+?^$|\\".contains(c) {
            out.push(b'\\');
        }
        out.push(*c);
    }
}

/// Translates POSIX syntax to that of the `regex` crate.
fn translate(pattern: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(pattern);
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '[' => at = bracket(&chars, at, &mut out)?,
            '\\' => {
                let next = *chars.get(at + 1)?;
                match next {
                    'w' | 'W' | 's' | 'S' | 'b' | 'B' => {
                        out.push('\\');
                        out.push(next);
                    }
                    '<' => out.push_str("\\b{start}"),
                    '>' => out.push_str("\\b{end}"),
                    '1'..='9' => out.push(backtrack::reference(next)),
                    c => push_literal(c, &mut out),
                }
                at += 2;
            }
            '{' => {
                // A brace that does not start a bound is an ordinary character.
                let rest: String = chars[at + 1..].iter().take_while(|c| **c != '}').collect();
                let bound = chars[at + 1..].contains(&'}')
                    && !rest.is_empty()
                    && rest.chars().all(|c| c.is_ascii_digit() || c == ',')
                    && at > 0;
                if at == 0 {
                    return None;
                }
                if bound && rest.starts_with(',') {
                    out.push_str("{0");
                } else if bound {
                    out.push('{');
                } else {
                    out.push_str("\\{");
                }
                at += 1;
            }
            '}' => {
                let open = out.rfind('{').filter(|open| !out[..*open].ends_with('\\'));
                let is_bound = open.is_some_and(|open| {
                    out[open + 1..].chars().all(|c| c.is_ascii_digit() || c == ',')
                });
                out.push_str(if is_bound { "}" } else { "\\}" });
                at += 1;
            }
            '*' | '+' | '?' if out.ends_with(['*', '+', '?']) && !out.ends_with("\\*") => {
                // POSIX reads `a**` as `a*`; in the crate a second operator has another meaning.
                if !out.ends_with("\\+") && !out.ends_with("\\?") {
                    at += 1;
                    continue;
                }
                out.push(chars[at]);
                at += 1;
            }
            '(' if chars.get(at + 1) == Some(&'?') => {
                return None;
            }
            '&' | '~' | '#' | '-' | ' ' => {
                out.push(chars[at]);
                at += 1;
            }
            c => {
                out.push(c);
                at += 1;
            }
        }
    }
    Some(out)
}

fn push_literal(c: char, out: &mut String) {
    if c.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(c);
}

/// Translates a bracket expression, in which POSIX gives backslash no special meaning.
fn bracket(chars: &[char], start: usize, out: &mut String) -> Option<usize> {
    let mut at = start + 1;
    out.push('[');
    if chars.get(at) == Some(&'^') {
        out.push('^');
        at += 1;
    }
    let first = at;
    loop {
        let c = *chars.get(at)?;
        if c == ']' && at > first {
            out.push(']');
            return Some(at + 1);
        }
        if c == '[' && matches!(chars.get(at + 1), Some(':' | '.' | '=')) {
            let mark = chars[at + 1];
            let end =
                (at + 2..chars.len() - 1).find(|e| chars[*e] == mark && chars[*e + 1] == ']')?;
            let name: String = chars[at + 2..end].iter().collect();
            if mark == ':' {
                out.push_str(&format!("[:{name}:]"));
            } else {
                name.chars().for_each(|c| push_literal(c, out));
            }
            at = end + 2;
            continue;
        }
        let range = c == '-' && at > first && chars.get(at + 1).is_some_and(|c| *c != ']');
        if range {
            out.push('-');
        } else {
            push_literal(c, out);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, expect: &[&str]) {
        let compiled = Regexes::default().get(pattern.as_bytes(), false).unwrap();
        let found = compiled.captures(text.as_bytes()).unwrap_or_default();
        let found: Vec<&str> =
            found.into_iter().map(|range| range.map_or("", |range| &text[range])).collect();
        assert_eq!(found, expect, "{pattern} in {text}");
    }

    #[test]
    fn the_longest_alternative_matches() {
        check("foo|foobar", "xfoobarx", &["foobar"]);
        check("(a|ab)(c|bcd)?x?", "abcdy", &["abcd", "a", "bcd"]);
        check("a|b", "cb", &["b"]);
        check("(x|xy)z", "xyz", &["xyz", "xy"]);
    }

    #[test]
    fn back_references_repeat_their_group() {
        check(r"^(.)(.).?\2\1$", "abcba", &["abcba", "a", "b"]);
        check(r"([a-z]+) \1", "say the the word", &["the the", "the"]);
        check(r"(a)\1", "ab", &[]);
    }

    #[test]
    fn a_reference_to_no_group_is_an_error() {
        assert!(Regexes::default().get(br"(a)\2", false).is_none());
    }

    #[test]
    fn an_endless_search_gives_up() {
        let text = "a".repeat(60) + "b";
        check(r"^(a*)*(a*)*\1c$", &text, &[]);
    }
}
