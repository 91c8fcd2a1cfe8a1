//! [`Pattern`], the text with `*` and `**` that names, keys and paths are matched against.

use std::fmt::{self, Write};

use crate::error::{Error, ErrorKind};
use crate::glob::{Element, Token, fits};
use crate::scope::Covers;

/// A pattern of segments, which may contain `*`, and `**` between them; see the [crate](crate) for
/// their meaning.
///
/// Kept in canonical form: no two adjacent `**`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern(Vec<Segment>);

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Segment {
    /// One segment; its tokens have no two adjacent stars.
    One(Vec<Token>),
    /// `**`, which matches any number of segments.
    Any,
}

impl Pattern {
    /// Parses segments separated by `/`; `\` escapes a star or a backslash.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let segments = text.split('/').map(|s| Segment::parse(s).map_err(|e| e.within(text)));
        Ok(Self::new(segments.collect::<Result<_, _>>()?))
    }

    /// Returns the pattern that matches only this name; its stars are literal.
    pub(crate) fn literal(name: &str) -> Self {
        let one = |s: &str| Segment::One(s.chars().map(Token::Char).collect());
        Self(name.split('/').map(one).collect())
    }

    pub(crate) fn new(mut segments: Vec<Segment>) -> Self {
        segments.dedup_by(|a, b| *a == Segment::Any && *b == Segment::Any);
        Self(segments)
    }

    /// Returns the pattern for the first `depth` segments and everything below them.
    pub(crate) fn below(&self, depth: usize) -> Self {
        let mut segments = self.0[..depth].to_vec();
        segments.push(Segment::Any);
        Self::new(segments)
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns true if the pattern is only `**`.
    pub(crate) fn is_all(&self) -> bool {
        self.0 == [Segment::Any]
    }

    /// Returns true if the pattern is only `*`.
    pub(crate) fn is_one_star(&self) -> bool {
        matches!(&self.0[..], [Segment::One(tokens)] if tokens[..] == [Token::Star])
    }

    pub(crate) fn shape(&self) -> Shape {
        let literal = |segments: &[Segment]| !segments.iter().any(Segment::has_star);
        match &self.0[..] {
            all if literal(all) => Shape::Literal,
            [folder @ .., Segment::Any] if literal(folder) => Shape::Folder(Self(folder.to_vec())),
            _ => Shape::Other,
        }
    }

    /// Returns the text without escapes, for use in a description.
    pub(crate) fn plain(&self) -> String {
        let mut out = String::new();
        for (i, segment) in self.0.iter().enumerate() {
            if i > 0 {
                out.push('/');
            }
            match segment {
                Segment::Any => out.push_str("**"),
                Segment::One(tokens) => tokens.iter().for_each(|token| match token {
                    Token::Char(c) => out.push(*c),
                    Token::Octet(byte) => write!(out, "%{byte:02X}").unwrap_or_default(),
                    Token::Star => out.push('*'),
                }),
            }
        }
        out
    }
}

/// Classification of a pattern for describing it in words.
pub(crate) enum Shape {
    /// One name.
    Literal,
    /// A name and everything below it.
    Folder(Pattern),
    /// Anything else.
    Other,
}

impl Covers for Pattern {
    fn covers(&self, other: &Self) -> bool {
        fits(&self.0, &other.0)
    }
}

/// Writes the pattern as it is parsed, with escapes.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_char('/')?;
            }
            match segment {
                Segment::Any => f.write_str("**")?,
                Segment::One(tokens) => tokens.iter().try_for_each(|token| match token {
                    Token::Char(c @ ('*' | '\\')) => write!(f, "\\{c}"),
                    Token::Char(c) => f.write_char(*c),
                    Token::Octet(byte) => write!(f, "%{byte:02X}"),
                    Token::Star => f.write_char('*'),
                })?,
            }
        }
        Ok(())
    }
}

impl Segment {
    fn parse(text: &str) -> Result<Self, Error> {
        if text == "**" {
            return Ok(Self::Any);
        }
        let mut tokens = Vec::with_capacity(text.len());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            tokens.push(match c {
                '*' => Token::Star,
                '\\' => match chars.next() {
                    Some(c @ ('*' | '\\')) => Token::Char(c),
                    _ => return Err(Error::new(ErrorKind::BadPattern, text, LONE_BACKSLASH)),
                },
                c => Token::Char(c),
            });
        }
        Self::one(tokens).ok_or_else(|| Error::new(ErrorKind::BadPattern, text, LONE_STARS))
    }

    /// Returns `None` if two stars are adjacent.
    pub(crate) fn one(tokens: Vec<Token>) -> Option<Self> {
        let twice = tokens.windows(2).any(|pair| pair == [Token::Star, Token::Star]);
        (!twice).then_some(Self::One(tokens))
    }

    fn has_star(&self) -> bool {
        match self {
            Self::Any => true,
            Self::One(tokens) => tokens.contains(&Token::Star),
        }
    }
}

const LONE_BACKSLASH: &str = r"a backslash must precede * or \; write \\ for a literal backslash";
pub(crate) const LONE_STARS: &str = "** must be a whole segment, as in a/**/b";

impl Element for Segment {
    fn is_wild(&self) -> bool {
        matches!(self, Self::Any)
    }

    fn is_reached(&self) -> bool {
        true
    }

    fn takes_in(&self, other: &Self) -> bool {
        match (self, other) {
            // Servers may drop empty segments, and a grant for `a/*/b` must not extend to `a/b`.
            (Self::One(mine), Self::One(theirs)) if theirs.is_empty() => mine.is_empty(),
            (Self::One(mine), Self::One(theirs)) => fits(mine, theirs),
            (Self::One(_) | Self::Any, Self::Any) | (Self::Any, Self::One(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, name: &str, expect: bool) {
        let covers = Pattern::parse(pattern).unwrap().covers(&Pattern::literal(name));
        assert_eq!(covers, expect, "{pattern} on {name}");
    }

    fn check_order(wide: &str, narrow: &str, expect: bool) {
        let covers = Pattern::parse(wide).unwrap().covers(&Pattern::parse(narrow).unwrap());
        assert_eq!(covers, expect, "{wide} over {narrow}");
    }

    #[test]
    fn star_stays_in_its_segment() {
        check("a/*", "a/b", true);
        check("a/*", "a/b/c", false);
        check("a/*.txt", "a/x.txt", true);
        check("*", "a/b", false);
    }

    #[test]
    fn two_stars_go_any_depth_and_none() {
        check("a/**", "a", true);
        check("a/**", "a/b/c", true);
        check("a/**/z", "a/z", true);
        check("a/**/z", "a/b/c/z", true);
        check("a/**", "ab", false);
        check("**", "", true);
    }

    #[test]
    fn lone_star_is_not_nothing() {
        check("a/*", "a/", false);
        check("a/*/b", "a//b", false);
        check("a/x*", "a/x", true);
        check("a/**", "a/", true);
    }

    #[test]
    fn escaped_star_is_a_letter() {
        check(r"a\*", "a*", true);
        check(r"a\*", "ab", false);
        check(r"a\\b", r"a\b", true);
    }

    #[test]
    fn star_in_a_name_is_a_letter() {
        check("a", "*", false);
        check("*", "*", true);
        check("a/b", "**", false);
    }

    #[test]
    fn order_follows_the_stars() {
        check_order("a/**", "a/*/b*", true);
        check_order("a/*", "a/**", false);
        check_order("**/x", "a/**/x", true);
        check_order("a*", "ab*c", true);
        check_order("ab*", "a*", false);
        check_order("*", "**", false);
    }

    #[test]
    fn stars_side_by_side_are_refused_inside_a_segment() {
        for text in ["a**", "**a", "***", "a/**b/c"] {
            assert_eq!(Pattern::parse(text).unwrap_err().kind(), ErrorKind::BadPattern, "{text}");
        }
    }

    #[test]
    fn lone_backslash_is_refused() {
        let error = Pattern::parse(r"a/b\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            r"a/b\n: a backslash must precede * or \; write \\ for a literal backslash"
        );
    }

    #[test]
    fn repeated_two_stars_are_one() {
        assert_eq!(Pattern::parse("a/**/**/**").unwrap().to_string(), "a/**");
    }

    #[test]
    fn hostile_pattern_ends_quickly() {
        let pattern = format!("{}*a*a*a*a*a*a*a*b", "**/x*/".repeat(600));
        check(&pattern, &"xa/".repeat(1300), false);
    }
}
