//! Patterns of `git grep`, joined by `--and`, `--or` and `--not`.

use regex::bytes::{Regex, RegexBuilder};

use crate::fault::{Result, fatal};

/// Language of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Basic,
    Extended,
    Fixed,
}

/// A word of the expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Pattern(String),
    And,
    Or,
    Not,
    Open,
    Close,
}

/// Deepest brackets of an expression.
const MAX_DEPTH: usize = 64;

enum Expression {
    Match(usize),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
}

/// The whole expression.
pub(super) struct Patterns {
    regexes: Vec<Regex>,
    expression: Expression,
    /// Parts of a top-level `or`, which `--all-match` wants all in a file.
    parts: Vec<Vec<usize>>,
    needs_all: bool,
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    regexes: Vec<Regex>,
    dialect: Dialect,
    is_word: bool,
    is_insensitive: bool,
}

impl Patterns {
    /// Parses an expression.
    pub(super) fn new(
        tokens: &[Token],
        dialect: Dialect,
        is_word: bool,
        is_insensitive: bool,
        needs_all: bool,
    ) -> Result<Patterns> {
        let mut parser =
            Parser { tokens, at: 0, regexes: Vec::new(), dialect, is_word, is_insensitive };
        let expression = parser.or(0)?;
        if parser.at < tokens.len() {
            return Err(fatal("incomplete pattern expression group: )"));
        }
        let mut parts = Vec::new();
        split(&expression, &mut parts);
        Ok(Patterns { regexes: parser.regexes, expression, parts, needs_all })
    }

    /// Returns true if a line fits.
    pub(super) fn matches(&self, line: &[u8]) -> bool {
        self.holds(&self.expression, line)
    }

    fn holds(&self, expression: &Expression, line: &[u8]) -> bool {
        match expression {
            Expression::Match(n) => self.regexes[*n].is_match(line),
            Expression::Not(inner) => !self.holds(inner, line),
            Expression::And(one, two) => self.holds(one, line) && self.holds(two, line),
            Expression::Or(one, two) => self.holds(one, line) || self.holds(two, line),
        }
    }

    /// Returns the parts of a line that fit, in their order and apart from each other.
    pub(super) fn found<'l>(&self, line: &'l [u8]) -> Vec<(usize, &'l [u8])> {
        let mut out: Vec<(usize, &[u8])> = Vec::new();
        let mut at = 0;
        while at <= line.len() {
            let all = self.regexes.iter().filter_map(|regex| regex.find_at(line, at));
            let first = all.min_by_key(|found| (found.start(), std::cmp::Reverse(found.end())));
            let Some(found) = first else { break };
            if found.is_empty() {
                at = found.end() + 1;
                continue;
            }
            out.push((found.start(), found.as_bytes()));
            at = found.end();
        }
        out
    }

    /// Returns true unless `--all-match` misses a part in the file.
    pub(super) fn fits_file(&self, data: &[u8]) -> bool {
        let has = |n: &usize| crate::bytes::lines(data).any(|line| self.regexes[*n].is_match(line));
        !self.needs_all || self.parts.iter().all(|part| part.iter().any(has))
    }
}

fn split(expression: &Expression, out: &mut Vec<Vec<usize>>) {
    match expression {
        Expression::Or(one, two) => {
            split(one, out);
            split(two, out);
        }
        Expression::Match(n) => out.push(vec![*n]),
        Expression::Not(_) | Expression::And(..) => {}
    }
}

impl Parser<'_> {
    fn or(&mut self, depth: usize) -> Result<Expression> {
        if depth > MAX_DEPTH {
            return Err(fatal("pattern expression is nested too deeply"));
        }
        let mut left = self.and(depth)?;
        // Patterns that follow each other are alternatives.
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Close => break,
                Token::Or => self.at += 1,
                _ => {}
            }
            left = Expression::Or(Box::new(left), Box::new(self.and(depth)?));
        }
        Ok(left)
    }

    fn and(&mut self, depth: usize) -> Result<Expression> {
        let mut left = self.not(depth)?;
        while self.tokens.get(self.at) == Some(&Token::And) {
            self.at += 1;
            left = Expression::And(Box::new(left), Box::new(self.not(depth)?));
        }
        Ok(left)
    }

    fn not(&mut self, depth: usize) -> Result<Expression> {
        if depth > MAX_DEPTH {
            return Err(fatal("pattern expression is nested too deeply"));
        }
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(Token::Not) => Ok(Expression::Not(Box::new(self.not(depth + 1)?))),
            Some(Token::Open) => {
                let inner = self.or(depth + 1)?;
                if self.tokens.get(self.at) != Some(&Token::Close) {
                    return Err(fatal("unmatched ( for expression group"));
                }
                self.at += 1;
                Ok(inner)
            }
            Some(Token::Pattern(pattern)) => {
                let regex = self.regex(&pattern)?;
                self.regexes.push(regex);
                Ok(Expression::Match(self.regexes.len() - 1))
            }
            Some(Token::And) => Err(fatal("--and not preceded by pattern expression")),
            Some(Token::Or | Token::Close) | None => Err(fatal("not a pattern expression")),
        }
    }

    fn regex(&self, pattern: &str) -> Result<Regex> {
        let lines = pattern.split('\n').map(|pattern| {
            let pattern = match self.dialect {
                Dialect::Fixed => regex::escape(pattern),
                Dialect::Basic => from_basic(pattern),
                Dialect::Extended => pattern.replace("\\<", "\\b").replace("\\>", "\\b"),
            };
            if self.is_word { format!("\\b(?:{pattern})\\b") } else { format!("(?:{pattern})") }
        });
        let joined = lines.collect::<Vec<_>>().join("|");
        let built = RegexBuilder::new(&joined).case_insensitive(self.is_insensitive).build();
        built.map_err(|_| fatal(format!("command line, '{pattern}': Invalid regular expression")))
    }
}

/// Turns a basic regular expression into an extended one.
fn from_basic(pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('|' | '+' | '?' | '(' | ')' | '{' | '}')) => out.push(c),
                Some('<' | '>') => out.push_str("\\b"),
                Some(c) => {
                    out.push('\\');
                    out.push(c);
                }
                None => out.push_str("\\\\"),
            },
            '|' | '+' | '?' | '(' | ')' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            // A star at the start is itself.
            '*' if out.is_empty() || out == "^" => out.push_str("\\*"),
            c => out.push(c),
        }
    }
    out
}
