//! File name patterns: `*`, `?`, `[a-z]`, and a backslash that quotes the next character.

/// Returns true if the glob matches the whole name; a slash is an ordinary character.
pub(crate) fn matches(glob: &[u8], name: &[u8]) -> bool {
    matches_as(glob, name, false)
}

/// Like [`matches`], optionally ignoring case.
pub(crate) fn matches_as(glob: &[u8], name: &[u8], ignore_case: bool) -> bool {
    let (mut g, mut n) = (0, 0);
    // The last star, and the position in the name where it was tried.
    let mut star: Option<(usize, usize)> = None;
    loop {
        if g < glob.len() && glob[g] == b'*' {
            star = Some((g, n));
            g += 1;
            continue;
        }
        if n == name.len() {
            return g == glob.len();
        }
        let step = (g < glob.len()).then(|| one(&glob[g..], &name[n..], ignore_case)).flatten();
        if let Some((glob_len, name_len)) = step {
            g += glob_len;
            n += name_len;
            continue;
        }
        let Some((at, tried)) = star else { return false };
        star = Some((at, tried + 1));
        g = at + 1;
        n = tried + 1;
    }
}

fn char_len(text: &[u8]) -> usize {
    let len = match text[0] {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    };
    if text.get(..len).is_some_and(|head| std::str::from_utf8(head).is_ok()) { len } else { 1 }
}

fn decode(text: &[u8]) -> (char, usize) {
    let len = char_len(text);
    let c = std::str::from_utf8(&text[..len]).ok().and_then(|head| head.chars().next());
    (c.unwrap_or(char::from(text[0])), len)
}

/// Matches one element of the pattern at the start of `name`; returns the lengths consumed of both.
fn one(glob: &[u8], name: &[u8], ignore_case: bool) -> Option<(usize, usize)> {
    let (c, name_len) = decode(name);
    let fold = |c: char| if ignore_case { c.to_lowercase().next().unwrap_or(c) } else { c };
    match glob[0] {
        b'?' => Some((1, name_len)),
        b'[' => match bracket(&glob[1..], c, &fold) {
            Some((true, len)) => Some((1 + len, name_len)),
            Some((false, _)) => None,
            None => (c == '[').then_some((1, name_len)),
        },
        b'\\' if glob.len() > 1 => {
            let (want, len) = decode(&glob[1..]);
            (fold(want) == fold(c)).then_some((1 + len, name_len))
        }
        _ => {
            let (want, len) = decode(glob);
            (fold(want) == fold(c)).then_some((len, name_len))
        }
    }
}

/// Returns true if `c` is in the brackets, and their length. Returns `None` if they are not closed.
fn bracket(glob: &[u8], c: char, fold: &dyn Fn(char) -> char) -> Option<(bool, usize)> {
    let negated = matches!(glob.first(), Some(b'!' | b'^'));
    let mut at = usize::from(negated);
    let first = at;
    let mut inside = false;
    loop {
        let byte = *glob.get(at)?;
        if byte == b']' && at > first {
            return Some((inside != negated, at + 1));
        }
        if byte == b'[' && glob.get(at + 1) == Some(&b':') {
            let len = glob[at + 2..].windows(2).position(|pair| pair == b":]")?;
            inside |= class(&glob[at + 2..at + 2 + len], c);
            at += len + 4;
            continue;
        }
        if byte == b'\\' && at + 1 < glob.len() {
            at += 1;
        }
        let (low, len) = decode(&glob[at..]);
        at += len;
        if glob.get(at) == Some(&b'-') && glob.get(at + 1).is_some_and(|next| *next != b']') {
            let (high, len) = decode(&glob[at + 1..]);
            at += 1 + len;
            inside |= (fold(low)..=fold(high)).contains(&fold(c));
        } else {
            inside |= fold(low) == fold(c);
        }
    }
}

fn class(name: &[u8], c: char) -> bool {
    match name {
        b"alpha" => c.is_alphabetic(),
        b"digit" => c.is_ascii_digit(),
        b"alnum" => c.is_alphanumeric(),
        b"upper" => c.is_uppercase(),
        b"lower" => c.is_lowercase(),
        b"space" => c.is_whitespace(),
        b"blank" => c == ' ' || c == '\t',
        b"punct" => c.is_ascii_punctuation(),
        b"cntrl" => c.is_control(),
        b"xdigit" => c.is_ascii_hexdigit(),
        b"print" => !c.is_control(),
        b"graph" => !c.is_control() && !c.is_whitespace(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(glob: &str, name: &str, expect: bool) {
        assert_eq!(matches(glob.as_bytes(), name.as_bytes()), expect, "{glob} {name}");
    }

    #[test]
    fn stars_try_every_place() {
        check("*.rs", "a.rs", true);
        check("a*b*c", "aXbYbZc", true);
        check("a*b*c", "aXbYbZ", false);
        check("*", "", true);
    }

    #[test]
    fn brackets_hold_ranges_and_classes() {
        check("[a-c]?", "bz", true);
        check("[!a-c]", "b", false);
        check("[[:digit:]]*", "1x", true);
        check("[", "[", true);
        check("\\*", "*", true);
        check("?", "é", true);
    }
}
