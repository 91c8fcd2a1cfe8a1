//! Splits a program into tokens.

use super::ast::Builtin;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Newline,
    Number(f64),
    Text(Vec<u8>),
    Name(String),
    /// A name immediately followed by `(`.
    FunctionName(String),
    Builtin(Builtin),
    Keyword(&'static str),
    Sign(&'static str),
    End,
}

const KEYWORDS: &[&str] = &[
    "BEGIN", "END", "function", "func", "if", "else", "while", "for", "do", "break", "continue",
    "next", "nextfile", "exit", "return", "delete", "in", "getline", "print", "printf", "switch",
    "case", "default",
];

/// Operators and punctuation, longest first.
const SIGNS: &[&str] = &[
    "**=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", "==", "<=", ">=",
    "!=", "!~", ">>", "|&", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^",
    "!", ">", "<", "|", "?", ":", "~", "$", "=",
];

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    pub(super) line: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a [u8]) -> Self {
        Lexer { source, at: 0, line: 1 }
    }

    fn peek(&self) -> u8 {
        self.source.get(self.at).copied().unwrap_or(0)
    }

    pub(super) fn next(&mut self) -> Result<Token, String> {
        self.blanks();
        let Some(&c) = self.source.get(self.at) else {
            return Ok(Token::End);
        };
        match c {
            b'\n' => {
                self.at += 1;
                self.line += 1;
                Ok(Token::Newline)
            }
            b'"' => {
                self.at += 1;
                self.text()
            }
            b'0'..=b'9' => Ok(self.number()),
            b'.' if self.source.get(self.at + 1).is_some_and(u8::is_ascii_digit) => {
                Ok(self.number())
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => Ok(self.word()),
            _ => {
                let rest = &self.source[self.at..];
                let sign = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes()));
                let Some(sign) = sign else {
                    return Err(self.error(&format!("unexpected character '{}'", char::from(c))));
                };
                self.at += sign.len();
                Ok(Token::Sign(match *sign {
                    "**" => "^",
                    "**=" => "^=",
                    other => other,
                }))
            }
        }
    }

    pub(super) fn error(&self, message: &str) -> String {
        format!("cmd. line:{}: {message}", self.line)
    }

    fn blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.source.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 2;
                    self.line += 1;
                }
                b'\\' if self.source[self.at + 1..].starts_with(b"\r\n") => {
                    self.at += 3;
                    self.line += 1;
                }
                b'#' => {
                    while self.at < self.source.len() && self.peek() != b'\n' {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn number(&mut self) -> Token {
        let rest = &self.source[self.at..];
        if rest.len() > 2 && rest[0] == b'0' && matches!(rest[1], b'x' | b'X') {
            let len = rest[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
            if len > 0 {
                let digits = String::from_utf8_lossy(&rest[2..2 + len]).into_owned();
                self.at += 2 + len;
                return Token::Number(u64::from_str_radix(&digits, 16).unwrap_or(u64::MAX) as f64);
            }
        }
        let (number, len) = super::value::leading_number(rest);
        self.at += len;
        Token::Number(number)
    }

    fn word(&mut self) -> Token {
        let start = self.at;
        while matches!(self.peek(), b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9') {
            self.at += 1;
        }
        let word = String::from_utf8_lossy(&self.source[start..self.at]).into_owned();
        if let Some(keyword) = KEYWORDS.iter().find(|keyword| **keyword == word) {
            return Token::Keyword(if *keyword == "func" { "function" } else { keyword });
        }
        if let Some(builtin) = Builtin::named(&word) {
            return Token::Builtin(builtin);
        }
        if self.peek() == b'(' { Token::FunctionName(word) } else { Token::Name(word) }
    }

    fn text(&mut self) -> Result<Token, String> {
        let mut out = Vec::new();
        loop {
            let Some(&c) = self.source.get(self.at) else {
                return Err(self.error("unterminated string"));
            };
            self.at += 1;
            match c {
                b'"' => return Ok(Token::Text(out)),
                b'\n' => return Err(self.error("unterminated string")),
                b'\\' => {
                    if self.peek() == b'\n' {
                        self.line += 1;
                    }
                    self.at += escape(&self.source[self.at..], &mut out);
                }
                _ => out.push(c),
            }
        }
    }

    /// Reads a regular expression after its opening slash; `start` is the part already consumed.
    pub(super) fn regex(&mut self, start: &str) -> Result<String, String> {
        let mut out = start.as_bytes().to_vec();
        let mut bracket: Option<usize> = None;
        loop {
            let Some(&c) = self.source.get(self.at) else {
                return Err(self.error("unterminated regexp"));
            };
            self.at += 1;
            match c {
                b'\n' => return Err(self.error("unterminated regexp")),
                b'/' if bracket.is_none() => {
                    return Ok(String::from_utf8_lossy(&out).into_owned());
                }
                b'\\' => {
                    let next = self.peek();
                    if next != b'/' {
                        out.push(b'\\');
                    }
                    if next != 0 {
                        out.push(next);
                        self.at += 1;
                    }
                    continue;
                }
                b'[' if bracket.is_none() => {
                    out.push(c);
                    bracket = Some(out.len());
                    if self.peek() == b'^' {
                        self.at += 1;
                        out.push(b'^');
                        bracket = Some(out.len());
                    }
                    continue;
                }
                b'[' if matches!(self.peek(), b':' | b'.' | b'=') => {
                    let rest = &self.source[self.at..];
                    let close = [rest[0], b']'];
                    if let Some(len) = rest[1..].windows(2).position(|pair| pair == close) {
                        out.push(c);
                        out.extend_from_slice(&rest[..len + 3]);
                        self.at += len + 3;
                        continue;
                    }
                }
                b']' if bracket.is_some_and(|start| out.len() > start) => bracket = None,
                _ => {}
            }
            out.push(c);
        }
    }
}

/// Appends the character of one escape, given the text after the backslash, and returns the number
/// of bytes read.
pub(super) fn escape(rest: &[u8], out: &mut Vec<u8>) -> usize {
    let Some(&c) = rest.first() else {
        out.push(b'\\');
        return 0;
    };
    match c {
        b'n' => out.push(b'\n'),
        b't' => out.push(b'\t'),
        b'r' => out.push(b'\r'),
        b'\\' | b'"' | b'/' => out.push(c),
        b'a' => out.push(7),
        b'b' => out.push(8),
        b'f' => out.push(12),
        b'v' => out.push(11),
        b'\n' => {}
        b'0'..=b'7' => {
            let len = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let value = rest[..len].iter().fold(0_u32, |sum, b| sum * 8 + u32::from(b - b'0'));
            out.push(value as u8);
            return len;
        }
        b'x' => {
            let len = rest[1..].iter().take(2).take_while(|b| b.is_ascii_hexdigit()).count();
            if len > 0 {
                let digits = std::str::from_utf8(&rest[1..1 + len]).unwrap_or("0");
                out.push(u8::from_str_radix(digits, 16).unwrap_or(0));
                return 1 + len;
            }
            out.extend_from_slice(b"\\x");
        }
        _ => {
            // POSIX leaves unknown escapes undefined. Keeping the backslash suits patterns that are
            // written as strings.
            out.push(b'\\');
            out.push(c);
        }
    }
    1
}

/// Processes the escapes of a value given with `-v`, `-F` or as `name=value`.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'\\' && at + 1 < text.len() {
            at += 1 + escape(&text[at + 1..], &mut out);
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}
