//! Changes of names: `--transform` with expressions of sed, and `--strip-components`.

use crate::commands::sed::replacement::{self, Replacement};
use crate::pattern::{Options, Pattern, Syntax};

/// Most expressions of one command line; each holds a compiled pattern.
const MAX_EXPRESSIONS: usize = 1_000;

/// The kinds of names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Member,
    Symlink,
    HardLink,
}

/// The changes of names, in their order.
#[derive(Default)]
pub(super) struct Transform {
    expressions: Vec<Expression>,
    flags: Option<Flags>,
    /// Number of leading components that are removed after the other changes.
    pub(super) strip: usize,
}

/// The kinds of names that an expression changes.
#[derive(Clone, Copy)]
struct Flags {
    member: bool,
    symlink: bool,
    hard_link: bool,
}

impl Flags {
    const ALL: Flags = Flags { member: true, symlink: true, hard_link: true };
    const NONE: Flags = Flags { member: false, symlink: false, hard_link: false };

    fn set(&mut self, letter: u8) -> bool {
        match letter {
            b'r' => self.member = true,
            b'R' => self.member = false,
            b's' => self.symlink = true,
            b'S' => self.symlink = false,
            b'h' => self.hard_link = true,
            b'H' => self.hard_link = false,
            _ => return false,
        }
        true
    }
}

struct Expression {
    pattern: Pattern,
    with: Replacement,
    flags: Flags,
    /// Number of the first match that is replaced.
    first: usize,
    is_global: bool,
}

/// Adds expressions that are separated by semicolons.
pub(super) fn parse(text: &[u8], to: &mut Transform) -> Result<(), String> {
    let mut rest = text;
    loop {
        while let [b';' | b' ', after @ ..] = rest {
            rest = after;
        }
        if rest.is_empty() {
            return Ok(());
        }
        if let Some(flags) = rest.strip_prefix(b"flags=") {
            let end = flags.iter().position(|b| *b == b';').unwrap_or(flags.len());
            let mut set = Flags::NONE;
            if let Some(unknown) = flags[..end].iter().find(|letter| !set.set(**letter)) {
                return Err(format!("Unknown transform flag: {}", char::from(*unknown)));
            }
            to.flags = Some(set);
            rest = &flags[end..];
            continue;
        }
        let invalid = || "Invalid transform expression".to_owned();
        let [b's', delimiter, body @ ..] = rest else { return Err(invalid()) };
        let (pattern, body) = part(body, *delimiter).ok_or_else(invalid)?;
        let (with, body) = part(body, *delimiter).ok_or_else(invalid)?;
        rest = to.expression(pattern, with, *delimiter, body)?;
        if to.expressions.len() > MAX_EXPRESSIONS {
            return Err("too many transform expressions".to_owned());
        }
    }
}

/// Splits at the next delimiter that is not quoted.
fn part(text: &[u8], delimiter: u8) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b if b == delimiter => return Some((&text[..at], &text[at + 1..])),
            _ => at += 1,
        }
    }
    None
}

impl Transform {
    /// Adds one expression, and returns the text after its flags.
    fn expression<'a>(
        &mut self,
        pattern: &[u8],
        with: &[u8],
        delimiter: u8,
        after: &'a [u8],
    ) -> Result<&'a [u8], String> {
        let mut flags = self.flags.unwrap_or(Flags::ALL);
        let (mut syntax, mut options) = (Syntax::Basic, Options::default());
        let (mut first, mut is_global) = (0, false);
        let mut at = 0;
        while let Some(letter) = after.get(at).filter(|letter| **letter != b';') {
            match letter {
                b'g' => is_global = true,
                b'i' => options.ignore_case = true,
                b'x' => syntax = Syntax::Extended,
                b'0'..=b'9' => {
                    first = usize::saturating_add(
                        usize::saturating_mul(first, 10),
                        usize::from(letter - b'0'),
                    );
                }
                letter if flags.set(*letter) => {}
                letter => {
                    return Err(format!(
                        "Unknown flag in transform expression: {}",
                        char::from(*letter)
                    ));
                }
            }
            at += 1;
        }
        // A quoted delimiter is the plain character.
        let mut text = Vec::with_capacity(pattern.len());
        let mut bytes = pattern.iter().peekable();
        while let Some(byte) = bytes.next() {
            match (byte, bytes.peek()) {
                (b'\\', Some(next)) if **next == delimiter => {}
                (b'\\', Some(next)) => {
                    text.extend([b'\\', **next]);
                    bytes.next();
                }
                (byte, _) => text.push(*byte),
            }
        }
        let pattern = Pattern::new(&String::from_utf8_lossy(&text), syntax, options)
            .map_err(|message| format!("Invalid transform expression: {message}"))?;
        let with = replacement::parse(with, delimiter);
        self.expressions.push(Expression { pattern, with, flags, first: first.max(1), is_global });
        Ok(&after[at..])
    }

    /// Changes a name, which must not end with a slash. `None` means that nothing is left of it.
    pub(super) fn apply(&self, name: &[u8], target: Target) -> Option<Vec<u8>> {
        let mut name = name.to_vec();
        for expression in &self.expressions {
            let Flags { member, symlink, hard_link } = expression.flags;
            let applies = match target {
                Target::Member => member,
                Target::Symlink => symlink,
                Target::HardLink => hard_link,
            };
            if applies {
                name = expression.apply(&name);
            }
        }
        Some(name).filter(|name| !name.is_empty())
    }

    /// Removes leading components, except from the targets of symbolic links. `None` means that
    /// nothing is left.
    pub(super) fn stripped<'a>(&self, name: &'a [u8]) -> Option<&'a [u8]> {
        let mut rest = name;
        for _ in 0..self.strip {
            rest = &rest[memchr::memchr(b'/', rest)? + 1..];
            while let [b'/', after @ ..] = rest {
                rest = after;
            }
        }
        Some(rest).filter(|rest| !rest.is_empty())
    }
}

impl Expression {
    fn apply(&self, name: &[u8]) -> Vec<u8> {
        let search = self.pattern.on(name);
        let mut out = Vec::with_capacity(name.len());
        let (mut at, mut copied, mut count) = (0, 0, 0);
        while let Some(groups) = search.groups_at(at) {
            let Some(Some(found)) = groups.first().cloned() else { break };
            count += 1;
            if count >= self.first {
                out.extend_from_slice(&name[copied..found.start]);
                self.with.write(name, &groups, &mut out);
                copied = found.end;
                if !self.is_global {
                    break;
                }
            }
            at = if found.is_empty() { found.end + 1 } else { found.end };
            if at > name.len() {
                break;
            }
        }
        out.extend_from_slice(&name[copied..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, name: &str, expect: &str) {
        let mut transform = Transform::default();
        parse(expression.as_bytes(), &mut transform).unwrap();
        let changed = transform.apply(name.as_bytes(), Target::Member).unwrap_or_default();
        assert_eq!(String::from_utf8_lossy(&changed), expect);
    }

    #[test]
    fn expressions_are_those_of_sed() {
        check("s,^a/,b/,", "a/x", "b/x");
        check("s/A/c/i;s/c/d/", "axa", "dxa");
        check("s/[xy]/<&>/g", "xay", "<x>a<y>");
        check("s/x/z/2g", "xxx", "xzz");
        check(r"s#(.*)\.c#\1.o#x", "a.c", "a.o");
        check("flags=r;s/a/b/", "a", "b");
        check("s/a/b/R", "a", "a");
    }

    #[test]
    fn leading_components_are_removed() {
        let strip = |name: &'static [u8], strip| {
            Transform { strip, ..Transform::default() }.stripped(name).map(<[u8]>::to_vec)
        };
        assert_eq!(strip(b"a/b/c", 1), Some(b"b/c".to_vec()));
        assert_eq!(strip(b"a/b", 2), None);
        assert_eq!(strip(b"a//b", 1), Some(b"b".to_vec()));
    }
}
