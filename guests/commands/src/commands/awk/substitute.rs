//! `sub`, `gsub` and `gensub`.

use crate::pattern::{Groups, Pattern};

use super::eval::MAX_TEXT;

const TOO_LONG: &str = "substitution makes a string that is too long";

/// Replaces the first match or all matches; returns their number and the new text.
pub(super) fn replace(
    pattern: &Pattern,
    replacement: &[u8],
    text: &[u8],
    all: bool,
) -> Result<(usize, Vec<u8>), String> {
    let plain = memchr::memchr2(b'&', b'\\', replacement).is_none();
    let search = pattern.on(text);
    let mut out = Vec::new();
    let (mut count, mut at, mut copied) = (0, 0, 0);
    // End of the previous match; an empty match must not touch it.
    let mut last = None;
    while let Some(found) = search.find_at(at) {
        if found.is_empty() && last == Some(found.start) {
            if at >= text.len() {
                break;
            }
            at = next_char(text, at);
            last = None;
            continue;
        }
        out.extend_from_slice(&text[copied..found.start]);
        if plain {
            out.extend_from_slice(replacement);
        } else {
            expand(&mut out, replacement, &text[found.clone()]);
        }
        count += 1;
        copied = found.end;
        last = Some(found.end);
        at = found.end;
        if out.len() > MAX_TEXT {
            return Err(TOO_LONG.to_owned());
        }
        if !all {
            break;
        }
        if found.is_empty() {
            if at >= text.len() {
                break;
            }
            at = next_char(text, at);
            last = None;
        }
    }
    out.extend_from_slice(&text[copied..]);
    Ok((count, out))
}

fn next_char(text: &[u8], at: usize) -> usize {
    at + super::format::char_offset(&text[at..], 1).max(1)
}

/// Appends a replacement: `&` is the match, `\&` an ampersand, `\\&` a backslash and the match.
fn expand(out: &mut Vec<u8>, replacement: &[u8], matched: &[u8]) {
    let mut at = 0;
    while at < replacement.len() {
        match &replacement[at..] {
            [b'\\', b'\\', b'&', ..] => {
                out.push(b'\\');
                at += 2;
            }
            [b'\\', b'&', ..] => {
                out.push(b'&');
                at += 2;
            }
            [b'\\', b'\\', ..] => {
                out.push(b'\\');
                at += 2;
            }
            [b'&', ..] => {
                out.extend_from_slice(matched);
                at += 1;
            }
            [byte, ..] => {
                out.push(*byte);
                at += 1;
            }
            [] => {}
        }
    }
}

/// Implements gawk's `gensub`: `\1` to `\9` are groups; `which` is the number of the match to
/// replace, `None` for all.
pub(super) fn general(
    pattern: &Pattern,
    replacement: &[u8],
    text: &[u8],
    which: Option<usize>,
) -> Result<Vec<u8>, String> {
    let search = pattern.on(text);
    let mut out = Vec::new();
    let (mut count, mut at, mut copied) = (0, 0, 0);
    let mut last = None;
    while let Some(groups) = search.groups_at(at) {
        let Some(found) = groups.first().cloned().flatten() else { break };
        if !(found.is_empty() && last == Some(found.start)) {
            count += 1;
            if which.is_none_or(|which| which == count) {
                out.extend_from_slice(&text[copied..found.start]);
                expand_groups(&mut out, replacement, text, &groups);
                copied = found.end;
            }
            if out.len() > MAX_TEXT {
                return Err(TOO_LONG.to_owned());
            }
            if which.is_some_and(|which| which == count) {
                break;
            }
        }
        last = Some(found.end);
        at = found.end;
        if found.is_empty() {
            if at >= text.len() {
                break;
            }
            at = next_char(text, at);
            last = None;
        }
    }
    out.extend_from_slice(&text[copied..]);
    Ok(out)
}

fn expand_groups(out: &mut Vec<u8>, replacement: &[u8], text: &[u8], groups: &Groups) {
    let group = |number: usize| match groups.get(number) {
        Some(Some(range)) => &text[range.clone()],
        _ => b"",
    };
    let mut at = 0;
    while at < replacement.len() {
        match &replacement[at..] {
            [b'\\', digit @ b'0'..=b'9', ..] => {
                out.extend_from_slice(group(usize::from(digit - b'0')));
                at += 2;
            }
            [b'\\', next, ..] => {
                out.push(*next);
                at += 2;
            }
            [b'&', ..] => {
                out.extend_from_slice(group(0));
                at += 1;
            }
            [byte, ..] => {
                out.push(*byte);
                at += 1;
            }
            [] => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Options, Syntax};

    fn check(pattern: &str, replacement: &str, text: &str, expect: &str) {
        let pattern = Pattern::new(pattern, Syntax::Awk, Options::default()).unwrap();
        let (_, out) = replace(&pattern, replacement.as_bytes(), text.as_bytes(), true).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }

    #[test]
    fn empty_matches_stand_between_characters() {
        check("x*", "-", "abc", "-a-b-c-");
        check("b*", "X", "abc", "XaXcX");
        check("x*", "-", "é", "-é-");
    }

    #[test]
    fn an_ampersand_is_the_match_unless_escaped() {
        check("b", "[&]", "abc", "a[b]c");
        check("b", "\\&", "abc", "a&c");
        check("b", "\\\\&", "abc", "a\\bc");
    }

    #[test]
    fn anchors_match_once() {
        check("^a", "", "aaa", "aa");
        check("$", "!", "ab", "ab!");
    }
}
