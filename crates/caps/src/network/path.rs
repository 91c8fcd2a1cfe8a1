//! Parsing the path of a URL into segments that can be matched.

use crate::error::{Error, ErrorKind};
use crate::glob::Token;
use crate::pattern::{LONE_STARS, Pattern, Segment};

/// The meaning of a star in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stars {
    Letters,
    Wild,
}

/// Parses a path that the `url` crate has normalised, including the leading slash.
///
/// Percent-encoding is removed where it is only a matter of spelling (letters, digits, `-._~`).
/// A literal star is kept as `%2A`. An encoded slash or backslash stays encoded, and no `*`
/// matches it. Segments that some servers would still treat as the parent folder are refused:
/// `..%2F`, `..;`.
pub(super) fn read(path: &str, stars: Stars) -> Result<Pattern, Error> {
    let bad = |reason| Error::new(ErrorKind::BadUrl, path, reason);
    let mut segments = Vec::new();
    for text in path.split('/') {
        if stars == Stars::Wild && text == "**" {
            segments.push(Segment::Any);
            continue;
        }
        let tokens = tokens(text, stars);
        if tokens.contains(&Token::Octet(0)) {
            return Err(bad("a path must not contain NUL"));
        }
        if tokens.split(is_separator).any(is_dots) {
            return Err(bad("a path must not contain . or .., in any spelling"));
        }
        let star = Error::new(ErrorKind::BadPattern, path, LONE_STARS);
        segments.push(Segment::one(tokens).ok_or(star)?);
    }
    Ok(Pattern::new(segments))
}

/// Returns true if the `url` crate would silently resolve this segment of a pattern.
pub(super) fn is_dot_segment(text: &str) -> bool {
    is_dots(&tokens(text, Stars::Letters))
}

fn tokens(text: &str, stars: Stars) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let decoded = (byte == b'%').then(|| hex_pair(bytes.get(at + 1..at + 3)?)).flatten();
        tokens.push(match (byte, decoded) {
            (_, Some(code)) if code.is_ascii_alphanumeric() || b"-._~".contains(&code) => {
                Token::Char(code.into())
            }
            (_, Some(code)) => Token::Octet(code),
            (b'*', None) if stars == Stars::Wild => Token::Star,
            // A lone percent sign could form a new escape with decoded text after it.
            (b'*' | b'%', None) => Token::Octet(byte),
            (0x21..=0x7e, None) => Token::Char(byte.into()),
            (_, None) => Token::Octet(byte),
        });
        at += if decoded.is_some() { 3 } else { 1 };
    }
    tokens
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    }
}

fn is_separator(token: &Token) -> bool {
    matches!(token, Token::Octet(b'/' | b'\\'))
}

/// Returns true for `.` and `..`, with or without parameters that some servers cut off.
fn is_dots(tokens: &[Token]) -> bool {
    let is_end = |token: &Token| matches!(token, Token::Char(';') | Token::Octet(b';'));
    let name = tokens.split(is_end).next().unwrap_or_default();
    let dot = Token::Char('.');
    name == [dot] || name == [dot, dot]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, letters: &str, wild: &str) {
        assert_eq!(read(input, Stars::Letters).unwrap().to_string(), letters);
        assert_eq!(read(input, Stars::Wild).unwrap().to_string(), wild);
    }

    #[test]
    fn spelling_is_undone_and_meaning_kept() {
        check("/%61%7E%2d", "/a~-", "/a~-");
        check("/a%3ab%c3%a9", "/a%3Ab%C3%A9", "/a%3Ab%C3%A9");
        check("/a:b;c=d,e", "/a:b;c=d,e", "/a:b;c=d,e");
    }

    #[test]
    fn star_that_is_meant_is_encoded() {
        check("/*/**/%2A", "/%2A/%2A%2A/%2A", "/*/**/%2A");
    }

    #[test]
    fn lone_percent_sign_makes_no_new_escape() {
        check("/%2%46", "/%252F", "/%252F");
        check("/%/%zz/%4", "/%25/%25zz/%254", "/%25/%25zz/%254");
    }

    #[test]
    fn hidden_ways_upwards_are_refused() {
        for path in
            ["/a/..%2Fb", "/%2e%2E%5Cb", "/a%2f..", "/..;/b", "/..;x=1/b", "/a%2F.%2Fb", "/..%3b/"]
        {
            assert_eq!(read(path, Stars::Letters).unwrap_err().kind(), ErrorKind::BadUrl, "{path}");
        }
    }

    #[test]
    fn dots_in_a_name_are_a_name() {
        check("/a..b/...;x/.well-known", "/a..b/...;x/.well-known", "/a..b/...;x/.well-known");
    }

    #[test]
    fn nul_is_refused() {
        assert!(read("/a%00b", Stars::Letters).is_err());
    }
}
