//! Matching with a wildcard, once for characters in a segment and once for segments.

/// A piece of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Token {
    /// This very character.
    Char(char),
    /// A byte of a URL that stays percent-encoded, since decoding it would change its meaning.
    Octet(u8),
    /// Any run of characters.
    Star,
}

/// Something a pattern is a sequence of.
pub(crate) trait Element {
    /// Stands for any run of elements.
    fn is_wild(&self) -> bool;
    /// A wild element may run over this one.
    fn is_reached(&self) -> bool;
    /// This one, not wild, takes in all that the other stands for.
    fn takes_in(&self, other: &Self) -> bool;
}

impl Element for Token {
    fn is_wild(&self) -> bool {
        matches!(self, Self::Star)
    }

    fn is_reached(&self) -> bool {
        // Servers that decode early see the end of a segment here.
        !matches!(self, Self::Octet(b'/' | b'\\'))
    }

    fn takes_in(&self, other: &Self) -> bool {
        self == other
    }
}

/// Whether all that `subject` stands for fits `pattern`; a wild element of the subject is taken
/// in by a wild one only.
///
/// Goes back to the last wild element alone, which is enough: an earlier one could only have
/// run further to end up at the same place. So the cost is at most the product of the lengths,
/// whatever the pattern.
pub(crate) fn fits<T: Element>(pattern: &[T], subject: &[T]) -> bool {
    let (mut p, mut s) = (0, 0);
    // Where to go on after the last wild element, and how far it has run.
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

    /// `/` in the text is an encoded slash, `*` a star.
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
