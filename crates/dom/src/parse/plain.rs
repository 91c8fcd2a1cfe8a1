//! A fast path for common text and tags, without the tokenizer's state machine.
//!
//! A tokenizer reads HTML character by character and has some eighty states. Between two tags it
//! is always in the same state, and most of the input is text without character references or tags
//! with quoted values. Only these are parsed here. For everything else the caller feeds the
//! tokenizer from the same position until it is between two tags again.

use html5ever::interface::Attribute;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token};
use html5ever::{LocalName, QualName, ns};

/// Most attributes of a tag on this path; each name is compared with all names before it.
const MAX_ATTRIBUTES: usize = 16;

/// Longest name of a tag or attribute on this path.
const MAX_NAME: usize = 32;

/// Returns the token at `at` and its length in bytes, if it is simple enough.
pub(super) fn read(whole: &StrTendril, at: usize) -> Option<(Token, usize)> {
    let bytes = whole.as_bytes().get(at..)?;
    match bytes {
        [b'<', b'/', rest @ ..] => {
            let name = name(rest)?;
            let closes = rest.get(name.len()) == Some(&b'>');
            let tag = tag(TagKind::EndTag, local(name), Vec::new(), false);
            closes.then(|| (Token::TagToken(tag), name.len() + 3))
        }
        [b'<', rest @ ..] => start(whole, at + 1, rest).map(|(tag, len)| (tag, len + 1)),
        _ => {
            let len = text(bytes);
            let token = || Token::CharacterTokens(part(whole, at, len));
            (len > 0).then(|| (token(), len))
        }
    }
}

/// Returns the length of the leading text that needs no interpretation.
fn text(bytes: &[u8]) -> usize {
    let is_special = |byte: &u8| matches!(byte, b'<' | b'&' | b'\r' | 0);
    // Checks sixteen bytes at a time, without a branch between them.
    let plain = bytes
        .chunks_exact(16)
        .take_while(|chunk| !chunk.iter().fold(false, |found, byte| found | is_special(byte)))
        .count();
    let begun = &bytes[plain * 16..];
    plain * 16 + begun.iter().position(is_special).unwrap_or(begun.len())
}

fn start(whole: &StrTendril, at: usize, bytes: &[u8]) -> Option<(Token, usize)> {
    let name = name(bytes)?;
    if changes_how_text_is_read(name) {
        return None;
    }
    let mut attributes: Vec<Attribute> = Vec::new();
    let mut here = name.len();
    loop {
        let blank = bytes[here..].iter().take_while(|byte| is_blank(**byte)).count();
        here += blank;
        match bytes[here..] {
            [b'>', ..] => {
                let tag = tag(TagKind::StartTag, local(name), attributes, false);
                return Some((Token::TagToken(tag), here + 1));
            }
            [b'/', b'>', ..] => {
                let tag = tag(TagKind::StartTag, local(name), attributes, true);
                return Some((Token::TagToken(tag), here + 2));
            }
            _ if blank == 0 || attributes.len() >= MAX_ATTRIBUTES => return None,
            _ => {}
        }
        let (attribute, len) = attribute(whole, at + here, &bytes[here..])?;
        if attributes.iter().any(|other| other.name.local == attribute.name.local) {
            return None;
        }
        attributes.push(attribute);
        here += len;
    }
}

fn attribute(whole: &StrTendril, at: usize, bytes: &[u8]) -> Option<(Attribute, usize)> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':');
    let len = bytes.iter().position(|byte| !is_name(byte))?;
    if len == 0 || len > MAX_NAME {
        return None;
    }
    let name = QualName::new(None, ns!(), local(&bytes[..len]));
    let (from, to, end) = match bytes[len..] {
        [b'=', quote @ (b'"' | b'\''), ref rest @ ..] => {
            let is_end = |byte: &u8| *byte == quote || matches!(byte, b'&' | b'\r' | 0);
            let to = rest.iter().position(is_end).filter(|end| rest[*end] == quote)?;
            (len + 2, len + 2 + to, len + 3 + to)
        }
        [b'=', ref rest @ ..] => {
            let is_value = |byte: &u8| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'-' | b'_' | b':' | b'.' | b'/' | b'#' | b'%' | b'+' | b',')
            };
            let to = rest.iter().position(|byte| !is_value(byte)).filter(|len| *len > 0)?;
            (len + 1, len + 1 + to, len + 1 + to)
        }
        [byte, ..] if is_blank(byte) || byte == b'>' || byte == b'/' => (len, len, len),
        _ => return None,
    };
    let follows = *bytes.get(end)?;
    let is_apart = is_blank(follows) || follows == b'>' || follows == b'/';
    is_apart.then(|| (Attribute { name, value: part(whole, at + from, to - from) }, end))
}

/// Returns the name at the start of a tag, if it has only common characters.
fn name(bytes: &[u8]) -> Option<&[u8]> {
    let len = bytes.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')?;
    let ends = is_blank(bytes[len]) || matches!(bytes[len], b'>' | b'/');
    let is_plain = len <= MAX_NAME && ends && bytes.first()?.is_ascii_alphabetic();
    is_plain.then(|| &bytes[..len])
}

fn local(name: &[u8]) -> LocalName {
    let mut lower = [0; MAX_NAME];
    let lower = &mut lower[..name.len().min(MAX_NAME)];
    lower.iter_mut().zip(name).for_each(|(to, from)| *to = from.to_ascii_lowercase());
    // Names consist of ASCII letters, digits and punctuation.
    LocalName::from(std::str::from_utf8(lower).unwrap_or_default())
}

fn tag(kind: TagKind, name: LocalName, attrs: Vec<Attribute>, self_closing: bool) -> Tag {
    Tag { kind, name, self_closing, attrs, had_duplicate_attributes: false }
}

fn part(whole: &StrTendril, at: usize, len: usize) -> StrTendril {
    // A source is shorter than 4 GiB, and both offsets are at ASCII characters or its ends.
    whole.subtendril(at as u32, len as u32)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\x0c')
}

/// Returns true for elements whose text follows other rules, which the tokenizer must know about.
fn changes_how_text_is_read(name: &[u8]) -> bool {
    const THEM: [&[u8]; 10] = [
        b"iframe",
        b"noembed",
        b"noframes",
        b"noscript",
        b"plaintext",
        b"script",
        b"style",
        b"textarea",
        b"title",
        b"xmp",
    ];
    THEM.iter().any(|one| one.eq_ignore_ascii_case(name))
}

#[cfg(test)]
thread_local! {
    /// Disables this path, so that tests can compare it with the tokenizer.
    pub(super) static IS_OFF: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Tree};
    use proptest::prelude::*;
    use proptest::sample::select;

    fn parsed(source: &str, context: &str) -> (String, String, usize) {
        let mut tree = Tree::new(Budget::default());
        let document = tree.parse_html(source).unwrap();
        let whole = tree.outer_html(document).unwrap();
        let element = tree.create_element(document, crate::tree::html_name(context)).unwrap();
        let fragment = tree.parse_fragment(element, source).unwrap();
        (whole, tree.inner_html(fragment).unwrap(), tree.usage().bytes)
    }

    #[track_caller]
    fn check(source: &str) {
        for context in ["div", "textarea", "table", "script"] {
            let ours = parsed(source, context);
            IS_OFF.set(true);
            let theirs = parsed(source, context);
            IS_OFF.set(false);
            assert_eq!(ours, theirs, "{source:?} in {context}");
        }
    }

    fn plain(source: &str) -> Option<usize> {
        read(&StrTendril::from_slice(source), 0).map(|(_, len)| len)
    }

    #[test]
    fn what_most_people_write_is_read_here() {
        assert_eq!(plain("a b\nc<p>"), Some(5));
        assert_eq!(plain("</Section>x"), Some(10));
        assert_eq!(plain("<A Href=\"/x?a\" data-n='1' hidden>t"), Some(33));
        assert_eq!(plain("<br/>"), Some(5));
        assert_eq!(plain("<img src=/a/b.png\nalt=''\n/>"), Some(27));
    }

    #[test]
    fn what_is_unusual_is_left_to_the_tokenizer() {
        for source in [
            "&amp;",
            "\0",
            "\r\n",
            "<!--",
            "<?x",
            "</a >",
            "</a x>",
            "<a",
            "<a b",
            "<a b=\"",
            "<a/b>",
            "<a b =c>",
            "<a b= c>",
            "<a b=>",
            "<a b=\"&\">",
            "<a b='\r'>",
            "<a b=\"c\"d>",
            "<a b b>",
            "<a B b>",
            "<a b=c=d>",
            "<a b=`>",
            "<a\0>",
            "<é>",
            "<a é>",
            "<script>",
            "<TITLE>",
            "<1>",
            "<>",
        ] {
            assert_eq!(plain(source), None, "{source:?}");
        }
        let many: String = (0..MAX_ATTRIBUTES + 1).map(|n| format!(" a{n}")).collect();
        assert_eq!(plain(&format!("<a{many}>")), None);
    }

    #[test]
    fn both_read_the_same() {
        for source in [
            "\u{feff}a<b>\u{feff}c",
            "<!DOCTYPE html><title>a<b></title><p>c&amp;d<p>e",
            "<script>a < b > c</script>d<style>e>f</style>g",
            "<textarea>\n<b></textarea>x",
            "<pre>\n\nx</pre><pre>\r\nx",
            "<svg><title><b>x</b></title><![CDATA[a>b]]>c</svg>d<e/>",
            "<a title='x>y'>z</a>",
            "<!-- > -->a<!-->b",
            "<plaintext><b>",
            "</>a</ >b",
            "a\0b<svg>c\0d",
            "<table>a<tr>b<td>c</table>d",
            "<select><option>a<option selected>b</select>",
            "<noscript><p>a</noscript>b<template><tr><td>c</template>d",
            "<a href=x/>y",
            "&am<b>p;",
        ] {
            check(source);
        }
    }

    #[test]
    fn both_read_long_stretches_the_same() {
        let signs = ">.".repeat(20_000);
        for source in [
            format!("<!--{signs}--><p>a</p>b"),
            format!("<script>{signs}</script><p>a</p>b"),
            format!("<a title='{signs}' title=x>b</a><p>c"),
            format!("{}<p>a", "<i>&amp;</i>".repeat(3_000)),
        ] {
            check(&source);
        }
    }

    fn parts() -> impl Strategy<Value = String> {
        let part = select(vec![
            "a",
            " ",
            "\n",
            "\r",
            "\0",
            "é",
            "&",
            "&amp;",
            "&am",
            "<",
            ">",
            "/",
            "=",
            "\"",
            "'",
            "`",
            "!",
            "--",
            "<p>",
            "</p>",
            "<b>",
            "</b>",
            "<a href=x>",
            "<a href=\"y\" b='c'>",
            "<br/>",
            "<table>",
            "<td>",
            "<script>",
            "</script>",
            "<style>",
            "</style>",
            "<title>",
            "</title>",
            "<textarea>",
            "</textarea>",
            "<svg>",
            "</svg>",
            "<math>",
            "<mi>",
            "<![CDATA[",
            "]]>",
            "<!--",
            "-->",
            "<!DOCTYPE html>",
            "<template>",
            "</template>",
            "<select>",
            "<option>",
            "<plaintext>",
            "<pre>",
            "<noscript>",
            "<B ID=A>",
            "<foreignObject>",
            "<frameset>",
            "<form>",
            "</form>",
            "<li>",
            "<h1>",
            "<image>",
            "<iframe>",
            "</iframe>",
            "<xmp>",
        ]);
        prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn both_read_anything_the_same(source in parts()) {
            check(&source);
        }
    }
}
