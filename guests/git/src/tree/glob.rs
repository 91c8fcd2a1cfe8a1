//! Patterns of `.gitignore` and of paths.

/// Meaning of a slash in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slash {
    /// Only `**` and a slash match a slash.
    Apart,
    /// `*`, `?` and brackets match a slash too.
    Plain,
}

/// Steps after which a match is given up; a hostile pattern would take exponential time.
const MAX_STEPS: usize = 1_000_000;

/// Returns true if the pattern matches the whole text.
pub(crate) fn matches(pattern: &[u8], text: &[u8], slash: Slash) -> bool {
    let mut steps = 0;
    step(pattern, text, slash, true, &mut steps)
}

/// Returns true if the pattern has special characters.
pub(crate) fn is_pattern(text: &[u8]) -> bool {
    text.iter().any(|b| b"*?[\\".contains(b))
}

fn step(mut p: &[u8], mut t: &[u8], slash: Slash, at_start: bool, steps: &mut usize) -> bool {
    let mut at_start = at_start;
    while let Some((&first, rest)) = p.split_first() {
        *steps += 1;
        if *steps > MAX_STEPS {
            return false;
        }
        match first {
            b'*' => {
                let stars = p.iter().take_while(|b| **b == b'*').count();
                let after = &p[stars..];
                let crosses = slash == Slash::Plain
                    || stars > 1 && at_start && (after.is_empty() || after[0] == b'/');
                // `**/` also matches no directory at all.
                if slash == Slash::Apart
                    && crosses
                    && after.first() == Some(&b'/')
                    && step(&after[1..], t, slash, true, steps)
                {
                    return true;
                }
                if after.is_empty() && (crosses || !t.contains(&b'/')) {
                    return true;
                }
                for at in 0..=t.len() {
                    if step(after, &t[at..], slash, false, steps) {
                        return true;
                    }
                    if at < t.len() && t[at] == b'/' && !crosses {
                        return false;
                    }
                }
                return false;
            }
            b'?' => {
                let Some((&c, tail)) = t.split_first() else { return false };
                if c == b'/' && slash == Slash::Apart {
                    return false;
                }
                (p, t) = (rest, tail);
            }
            b'[' => {
                let Some((&c, tail)) = t.split_first() else { return false };
                let Some((is_in, rest)) = bracket(rest, c) else { return false };
                if !is_in || c == b'/' && slash == Slash::Apart {
                    return false;
                }
                (p, t) = (rest, tail);
            }
            _ => {
                let (literal, rest) = match (first, rest.split_first()) {
                    (b'\\', Some((next, rest))) => (*next, rest),
                    _ => (first, rest),
                };
                let Some((&c, tail)) = t.split_first() else { return false };
                if c != literal {
                    return false;
                }
                (p, t) = (rest, tail);
            }
        }
        at_start = first == b'/';
    }
    t.is_empty()
}

/// Matches one character against the rest of a bracket; `None` if it is not closed.
fn bracket(mut p: &[u8], c: u8) -> Option<(bool, &[u8])> {
    let is_negated = matches!(p.first(), Some(b'!' | b'^'));
    if is_negated {
        p = &p[1..];
    }
    let mut is_in = false;
    let mut is_first = true;
    loop {
        let (&start, rest) = p.split_first()?;
        p = rest;
        if start == b']' && !is_first {
            return Some((is_in != is_negated, p));
        }
        is_first = false;
        if start == b'[' && p.first() == Some(&b':') {
            let end = p.windows(2).position(|pair| pair == b":]")?;
            is_in |= class(&p[1..end], c);
            p = &p[end + 2..];
            continue;
        }
        let start = match (start, p.split_first()) {
            (b'\\', Some((&next, rest))) => {
                p = rest;
                next
            }
            _ => start,
        };
        match p {
            [b'-', end, ..] if *end != b']' => {
                is_in |= (start..=*end).contains(&c);
                p = &p[2..];
            }
            _ => is_in |= start == c,
        }
    }
}

fn class(name: &[u8], c: u8) -> bool {
    match name {
        b"alpha" => c.is_ascii_alphabetic(),
        b"digit" => c.is_ascii_digit(),
        b"alnum" => c.is_ascii_alphanumeric(),
        b"upper" => c.is_ascii_uppercase(),
        b"lower" => c.is_ascii_lowercase(),
        b"space" => c.is_ascii_whitespace(),
        b"punct" => c.is_ascii_punctuation(),
        b"xdigit" => c.is_ascii_hexdigit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, expect: bool) {
        let found = matches(pattern.as_bytes(), text.as_bytes(), Slash::Apart);
        assert_eq!(found, expect, "{pattern} {text}");
    }

    #[test]
    fn stars_stop_at_slashes() {
        check("*.c", "a.c", true);
        check("*.c", "a/b.c", false);
        check("**/b.c", "b.c", true);
        check("**/b.c", "x/y/b.c", true);
        check("a/**", "a/b/c", true);
        check("a/**/b", "a/b", true);
        check("a/**/b", "a/x/y/b", true);
        check("a/**/b", "a/xb", false);
        check("a?c", "a/c", false);
    }

    #[test]
    fn brackets_have_ranges_and_classes() {
        check("[a-c]x", "bx", true);
        check("[!a-c]x", "bx", false);
        check("[[:digit:]]", "7", true);
        check("[]x]", "]", true);
        check("[a", "a", false);
        check("\\*", "*", true);
    }

    #[test]
    fn hostile_patterns_end() {
        let pattern = "*a".repeat(40);
        check(&pattern, &"a".repeat(39), false);
    }
}
