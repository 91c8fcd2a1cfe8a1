//! Splits a program into tokens.

/// A token. Keywords are names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Number(String),
    Name(String),
    Text(String),
    Sign(&'static str),
    Line,
    End,
}

/// Operators and punctuation; a sign comes before its own prefixes.
const SIGNS: [&str; 36] = [
    "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "<=", ">=", "!=", "&&", "||", "+", "-",
    "*", "/", "%", "^", "=", "<", ">", "!", "(", ")", "{", "}", "[", "]", ",", ";", ".", "?", ":",
    "&",
];

/// Returns the tokens of a program with their lines. An error carries its line.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, u32)>, (u32, String)> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\\\n") {
            line += 1;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("/*") {
            let Some(end) = after.find("*/") else {
                return Err((line, "comment without end".into()));
            };
            line += after[..end].matches('\n').count() as u32;
            rest = &after[end + 2..];
        } else if c == '#' {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if c == '\n' {
            tokens.push((Token::Line, line));
            line += 1;
            rest = &rest[1..];
        } else if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
        } else if c == '"' {
            let Some(end) = rest[1..].find('"') else {
                return Err((line, "text without end".into()));
            };
            tokens.push((Token::Text(rest[1..=end].to_owned()), line));
            line += rest[1..=end].matches('\n').count() as u32;
            rest = &rest[end + 2..];
        } else if let Some((number, after)) = number(rest) {
            tokens.push((Token::Number(number), line));
            rest = after;
        } else if c.is_ascii_lowercase() {
            let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            tokens.push((Token::Name(rest[..end].to_owned()), line));
            rest = &rest[end..];
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push((Token::Sign(sign), line));
            rest = &rest[sign.len()..];
        } else {
            return Err((line, format!("illegal character: {c}")));
        }
    }
    tokens.push((Token::End, line));
    Ok(tokens)
}

/// Reads a number: digits, including those of larger bases, with at most one point. A backslash
/// joins lines.
fn number(text: &str) -> Option<(String, &str)> {
    let (mut number, mut rest, mut has_point) = (String::new(), text, false);
    loop {
        if let Some(after) = rest.strip_prefix("\\\n").filter(|_| !number.is_empty()) {
            rest = after;
            continue;
        }
        match rest.chars().next() {
            Some(c) if c.is_ascii_digit() || ('A'..='F').contains(&c) => number.push(c),
            Some('.') if !has_point => {
                has_point = true;
                number.push('.');
            }
            _ => break,
        }
        rest = &rest[1..];
    }
    // A lone point is not a number; it denotes the last value.
    (number.len() > usize::from(has_point)).then_some((number, rest))
}
