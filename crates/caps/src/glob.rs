//! Wildcard matching, shared by characters within a segment and segments within a pattern.

/// One element of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Token {
    /// Exactly this character.
    Char(char),
    /// A byte of a URL that stays percent-encoded, since decoding it would change its meaning.
    Octet(u8),
    /// Any sequence of characters.
    Star,
}

/// An element of the sequences that [`fits`] compares.
pub(crate) trait Element {
    /// Returns true if this element matches any sequence of elements.
    fn is_wild(&self) -> bool;
    /// Returns true if a wild element may match this one.
    fn is_reached(&self) -> bool;
    /// Returns true if this element, which is not wild, matches everything that `other` matches.
    fn takes_in(&self, other: &Self) -> bool;
}

impl Element for Token {
    fn is_wild(&self) -> bool {
        matches!(self, Self::Star)
    }

    fn is_reached(&self) -> bool {
        // A server that decodes early ends the segment here.
        !matches!(self, Self::Octet(b'/' | b'\\'))
    }

    fn takes_in(&self, other: &Self) -> bool {
        self == other
    }
}

/// Returns true if `pattern` matches everything that `subject` matches. A wild element of the
/// subject is only matched by a wild element of the pattern.
///
/// Backtracks only to the last wild element. That suffices, since an earlier one could only match
/// more to arrive at the same position. The cost is at most the product of the two lengths,
/// whatever the pattern.
pub(crate) fn fits<T: Element>(pattern: &[T], subject: &[T]) -> bool {
    let (mut p, mut s) = (0, 0);
    // The position after the last wild element, and the end of its match so far.
    let mut last_wild = None;
    while s < subject.len() {
        match pattern.get(p) {
            Some(wild) if wild.is_wild() => {
                p += 1;
                last_wild = Some((p, s));
            }
            Some(one) if one.takes_in(&subject[s]) => {
                p += 1;
                s += 1;
            }
            _ => match last_wild {
                Some((after, run)) if subject[run].is_reached() => {
                    last_wild = Some((after, run + 1));
                    p = after;
                    s = run + 1;
                }
                _ => return false,
            },
        }
    }
    pattern[p..].iter().all(Element::is_wild)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns text into tokens; `/` becomes an encoded slash and `*` a wildcard.
    fn tokens(text: &str) -> Vec<Token> {
        let token = |c| match c {
            '*' => Token::Star,
            '/' => Token::Octet(b'/'),
            c => Token::Char(c),
        };
        text.chars().map(token).collect()
    }

    fn check(pattern: &str, subject: &str, expect: bool) {
        assert_eq!(fits(&tokens(pattern), &tokens(subject)), expect, "{pattern} on {subject}");
    }

    #[test]
    fn text_without_stars_fits_itself_only() {
        check("abc", "abc", true);
        check("abc", "ab", false);
        check("abc", "abcd", false);
        check("", "", true);
    }

    #[test]
    fn star_takes_any_run() {
        check("a*c", "ac", true);
        check("a*c", "abbc", true);
        check("a*c", "abcb", false);
        check("*a*b", "xaxaxb", true);
    }

    #[test]
    fn star_of_the_subject_needs_a_star() {
        check("a*", "ab*", true);
        check("*", "*a*", true);
        check("a*b", "a*", false);
        check("ab", "a*", false);
    }

    #[test]
    fn star_stops_at_an_encoded_slash() {
        check("*", "a/b", false);
        check("*/*", "a/b", true);
        check("*b", "a/b", false);
        check("*a*b", "a/ab", false);
        check("*x/*b", "axx/aab", true);
    }

    #[test]
    fn hostile_patterns_cost_no_more_than_the_product() {
        let pattern = "*a".repeat(2000) + "b";
        let subject = "a".repeat(4000);
        check(&pattern, &subject, false);
    }
}
