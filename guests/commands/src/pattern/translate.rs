//! Translates POSIX patterns, with the additions of GNU, to the syntax of the `regex` crate.

use super::bracket;

/// The syntax of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// `grep`, `sed`: groups and counts are written with backslashes.
    Basic,
    /// `grep -E`, `sed -E`, `find -regex`.
    Extended,
    /// Extended, with the escapes of awk.
    Awk,
}

/// The kind of text that the translation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Aim {
    /// True for any characters; false for ASCII only, which is cheaper to build and to run.
    pub(crate) unicode: bool,
    /// True if no part of the pattern may match a newline.
    pub(crate) lines: bool,
}

/// A translated pattern, and the features it uses.
#[derive(Debug, Default)]
pub(crate) struct Translated {
    pub(crate) text: String,
    /// Contains back-references such as `\1`, which no finite automaton can match.
    pub(crate) back_references: bool,
    /// Contains alternatives: POSIX demands the longest, `regex` takes the first.
    pub(crate) alternatives: bool,
    /// True if the pattern means the same for bytes and for characters.
    pub(crate) plain: bool,
}

/// Largest repetition count, as in the C library.
const MAX_COUNT: u32 = 32767;
/// Deepest nesting of groups.
const MAX_DEPTH: usize = 200;

/// Translates a pattern. The error is the text that the C library gives.
pub(crate) fn translate(
    pattern: &str,
    syntax: Syntax,
    aim: Aim,
) -> Result<Translated, &'static str> {
    let mut t = Translator {
        chars: pattern.chars().collect(),
        at: 0,
        syntax,
        aim,
        out: Translated { plain: true, ..Translated::default() },
        depth: 0,
        groups: 0,
        open: Vec::new(),
        closed: Vec::new(),
        atom: None,
        quantified: false,
    };
    t.all()?;
    Ok(t.out)
}

struct Translator {
    chars: Vec<char>,
    at: usize,
    syntax: Syntax,
    aim: Aim,
    out: Translated,
    depth: usize,
    groups: usize,
    /// Start in the output and number of each open group.
    open: Vec<(usize, usize)>,
    closed: Vec<usize>,
    /// Start in the output of the atom to which a count would apply.
    atom: Option<usize>,
    quantified: bool,
}

impl Translator {
    fn all(&mut self) -> Result<(), &'static str> {
        while let Some(c) = self.next() {
            self.one(c)?;
        }
        if self.depth > 0 {
            return Err("Unmatched ( or \\(");
        }
        Ok(())
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied();
        self.at += 1;
        c
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn basic(&self) -> bool {
        self.syntax == Syntax::Basic
    }

    fn one(&mut self, c: char) -> Result<(), &'static str> {
        match c {
            '\\' => return self.escape(),
            '[' => {
                let class = bracket::parse(&self.chars, self.at, self.syntax == Syntax::Awk)?;
                self.at = class.end;
                self.out.plain = false;
                self.push_atom(&class.write(self.aim));
            }
            '.' => {
                self.out.plain = false;
                self.push_atom(if self.aim.lines { "[^\\n]" } else { "(?s:.)" });
            }
            '^' if !self.basic() || self.at_start() => self.push_anchor("^"),
            '$' if !self.basic() || self.at_end() => self.push_anchor("$"),
            '*' => {
                if self.atom.is_none() {
                    self.push_literal('*');
                } else {
                    self.quantify("*");
                }
            }
            '+' | '?' if !self.basic() => {
                if self.atom.is_none() {
                    self.push_literal(c);
                } else {
                    self.quantify(if c == '+' { "+" } else { "?" });
                }
            }
            '{' if !self.basic() => {
                if self.atom.is_some() && self.looks_like_count() {
                    self.count()?;
                } else {
                    self.push_literal('{');
                }
            }
            '(' if !self.basic() => self.open_group()?,
            ')' if !self.basic() => self.close_group()?,
            '|' if !self.basic() => self.alternative(),
            _ => self.push_literal(c),
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), &'static str> {
        let Some(c) = self.next() else {
            return Err("Trailing backslash");
        };
        if self.syntax == Syntax::Awk && self.awk_escape(c) {
            return Ok(());
        }
        let lines = self.aim.lines;
        match c {
            '(' if self.basic() => self.open_group()?,
            ')' if self.basic() => self.close_group()?,
            '{' if self.basic() => {
                if self.atom.is_none() {
                    return Err("Invalid preceding regular expression");
                }
                self.count()?;
            }
            '|' if self.basic() => self.alternative(),
            '+' | '?' if self.basic() && self.atom.is_some() => {
                self.quantify(if c == '+' { "+" } else { "?" });
            }
            '1'..='9' if self.syntax != Syntax::Awk => {
                let number = c as usize - '0' as usize;
                if !self.closed.contains(&number) {
                    return Err("Invalid back reference");
                }
                self.out.back_references = true;
                self.push_atom(&format!("\\{number}"));
            }
            'w' => self.push_class("[[:word:]]", "\\w"),
            'W' => {
                let (ascii, wide) =
                    if lines { ("[^[:word:]\\n]", "[^\\w\\n]") } else { ("[^[:word:]]", "\\W") };
                self.push_class(ascii, wide);
            }
            's' => self.push_class(
                if lines { "[\\t\\x0b\\x0c\\r ]" } else { "[\\t\\n\\x0b\\x0c\\r ]" },
                if lines { "[\\s--\\n]" } else { "\\s" },
            ),
            'S' => self.push_class("[^\\t\\n\\x0b\\x0c\\r ]", "\\S"),
            'b' | 'y' if c == 'b' || self.syntax == Syntax::Awk => self.push_border("\\b"),
            'B' => self.push_border("\\B"),
            '<' => self.push_border("\\b{start}"),
            '>' => self.push_border("\\b{end}"),
            '`' => self.push_anchor("\\A"),
            '\'' => self.push_anchor("\\z"),
            'n' if self.basic() || self.syntax == Syntax::Extended => self.push_literal('\n'),
            _ => self.push_literal(c),
        }
        Ok(())
    }

    /// Translates an escape of awk that denotes a character; returns false if `c` is not one.
    fn awk_escape(&mut self, c: char) -> bool {
        let literal = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            'a' => '\x07',
            'b' => '\x08',
            '/' | '"' | '&' => c,
            '0'..='7' => {
                let mut value = c as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(digit) = self.peek(0).and_then(|d| d.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    self.at += 1;
                }
                char::from_u32(value).unwrap_or('\0')
            }
            _ => return false,
        };
        self.push_literal(literal);
        true
    }

    /// Returns true if an anchor here is at the start of the pattern, a group or an alternative.
    fn at_start(&self) -> bool {
        let before = self.at - 1;
        before == 0
            || (before >= 2
                && self.chars[before - 2] == '\\'
                && matches!(self.chars[before - 1], '(' | '|')
                && !(before >= 3 && self.chars[before - 3] == '\\'))
            || (before >= 1 && self.chars[before - 1] == '\n')
    }

    fn at_end(&self) -> bool {
        match self.peek(0) {
            None | Some('\n') => true,
            Some('\\') => matches!(self.peek(1), Some(')' | '|')),
            Some(_) => false,
        }
    }

    fn push_atom(&mut self, text: &str) {
        self.atom = Some(self.out.text.len());
        self.quantified = false;
        self.out.text.push_str(text);
    }

    fn push_class(&mut self, ascii: &str, wide: &str) {
        self.out.plain = false;
        self.push_atom(if self.aim.unicode { wide } else { ascii });
    }

    fn push_border(&mut self, text: &str) {
        self.out.plain = false;
        self.push_anchor(text);
    }

    fn push_anchor(&mut self, text: &str) {
        self.out.text.push_str(text);
        self.atom = None;
        self.quantified = false;
    }

    fn push_literal(&mut self, c: char) {
        let mut buf = [0; 4];
        let text = c.encode_utf8(&mut buf);
        if c.is_ascii() {
            let escaped = regex::escape(text);
            self.push_atom(&escaped);
        } else {
            // Grouped, so that a count applies to the character and not to its last byte.
            self.push_atom(&format!("(?:{text})"));
        }
    }

    fn quantify(&mut self, mark: &str) {
        let Some(start) = self.atom else { return };
        if self.quantified {
            self.out.text.insert_str(start, "(?:");
            self.out.text.push(')');
        }
        self.out.text.push_str(mark);
        self.quantified = true;
    }

    /// Returns true if `{` starts a count here; otherwise it is a literal.
    fn looks_like_count(&self) -> bool {
        let mut ahead = 0;
        let mut digits = false;
        let mut comma = false;
        loop {
            match self.peek(ahead) {
                Some(c) if c.is_ascii_digit() => digits = true,
                Some(',') if !comma => comma = true,
                Some('}') => return digits || comma,
                _ => return false,
            }
            ahead += 1;
        }
    }

    fn count(&mut self) -> Result<(), &'static str> {
        const BAD: &str = "Invalid content of \\{\\}";
        let least = self.number()?;
        let mut most = least;
        if self.peek(0) == Some(',') {
            self.at += 1;
            most = self.number()?;
        } else if least.is_none() {
            return Err(BAD);
        }
        if self.basic() && self.next() != Some('\\') {
            return Err("Unmatched \\{");
        }
        if self.next() != Some('}') {
            return Err(BAD);
        }
        let least = least.unwrap_or(0);
        match most {
            Some(most) if most < least => return Err(BAD),
            Some(most) if most > MAX_COUNT => return Err("Regular expression too big"),
            Some(most) => self.quantify(&format!("{{{least},{most}}}")),
            None => self.quantify(&format!("{{{least},}}")),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Option<u32>, &'static str> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek(0).and_then(|c| c.to_digit(10)) {
            let next = value.unwrap_or(0).saturating_mul(10).saturating_add(digit);
            if next > MAX_COUNT {
                return Err("Regular expression too big");
            }
            value = Some(next);
            self.at += 1;
        }
        Ok(value)
    }

    fn open_group(&mut self) -> Result<(), &'static str> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("Regular expression too big");
        }
        self.groups += 1;
        self.open.push((self.out.text.len(), self.groups));
        self.out.text.push('(');
        self.atom = None;
        Ok(())
    }

    fn close_group(&mut self) -> Result<(), &'static str> {
        let Some((start, number)) = self.open.pop() else {
            return Err("Unmatched ) or \\)");
        };
        self.depth -= 1;
        self.closed.push(number);
        self.out.text.push(')');
        self.atom = Some(start);
        self.quantified = false;
        Ok(())
    }

    fn alternative(&mut self) {
        self.out.alternatives = true;
        self.out.text.push('|');
        self.atom = None;
    }
}
