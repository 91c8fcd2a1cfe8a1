//! Recognition of brace expressions while parsing: they apply to source text, before any expansion.

use super::ast::{Part, Sequence, Text, Word};

/// Deepest nesting of braces in one word.
const MAX_BRACES: usize = 50;

/// Replaces `{a,b}` and `{1..3}` in a word with brace parts.
pub(super) fn expand(word: Word) -> Word {
    let has =
        |c| word.parts.iter().any(|part| matches!(part, Part::Literal(text) if text.contains(&c)));
    if !has(b'{') || !has(b'}') {
        return word;
    }
    let items: Vec<Item> = word.parts.into_iter().flat_map(items_of).collect();
    Word { parts: parts_of(&items, 0), source: word.source }
}

/// A character that may be syntax, or an opaque part.
#[derive(Clone)]
enum Item {
    Char(u8),
    Part(Part),
}

fn items_of(part: Part) -> Vec<Item> {
    match part {
        Part::Literal(text) => text.into_iter().map(Item::Char).collect(),
        other => vec![Item::Part(other)],
    }
}

fn is(item: &Item, wanted: u8) -> bool {
    matches!(item, Item::Char(c) if *c == wanted)
}

fn parts_of(items: &[Item], depth: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while at < items.len() {
        match &items[at] {
            Item::Char(b'{') if depth < MAX_BRACES => {
                if let Some((part, len)) = group(&items[at..], depth) {
                    flush(&mut text, &mut parts);
                    parts.push(part);
                    at += len;
                    continue;
                }
                text.push(b'{');
            }
            Item::Char(c) => text.push(*c),
            Item::Part(part) => {
                flush(&mut text, &mut parts);
                parts.push(part.clone());
            }
        }
        at += 1;
    }
    flush(&mut text, &mut parts);
    parts
}

fn flush(text: &mut Text, parts: &mut Vec<Part>) {
    if !text.is_empty() {
        parts.push(Part::Literal(std::mem::take(text)));
    }
}

/// Parses the brace group that begins here; returns it with its length.
fn group(items: &[Item], depth: usize) -> Option<(Part, usize)> {
    let mut level = 0usize;
    let mut commas = Vec::new();
    let end = items.iter().enumerate().position(|(at, item)| {
        if is(item, b'{') {
            level += 1;
        } else if is(item, b'}') {
            level -= 1;
        } else if is(item, b',') && level == 1 {
            commas.push(at);
        }
        level == 0
    })?;
    let inside = &items[1..end];
    if commas.is_empty() {
        let text: Option<Text> = inside
            .iter()
            .map(|item| match item {
                Item::Char(c) => Some(*c),
                Item::Part(_) => None,
            })
            .collect();
        return sequence(&text?).map(|sequence| (Part::Sequence(sequence), end + 1));
    }
    let mut words = Vec::new();
    let mut start = 1;
    for stop in commas.into_iter().chain([end]) {
        words.push(Word::new(parts_of(&items[start..stop], depth + 1)));
        start = stop + 1;
    }
    Some((Part::Braces(words), end + 1))
}

fn sequence(text: &[u8]) -> Option<Sequence> {
    let text = std::str::from_utf8(text).ok()?;
    let mut pieces = text.split("..");
    let (from, to, step) = (pieces.next()?, pieces.next()?, pieces.next());
    if pieces.next().is_some() {
        return None;
    }
    let step: i64 = match step {
        Some(step) => step.parse().ok()?,
        None => 1,
    };
    let (first, last, width, letters) = match (number(from), number(to)) {
        (Some(first), Some(last)) => {
            let padded = is_padded(from) || is_padded(to);
            let width = if padded { from.len().max(to.len()) } else { 0 };
            (first, last, width, false)
        }
        _ => (letter(from)?, letter(to)?, 0, true),
    };
    let size = step.checked_abs()?.max(1);
    let step = if first <= last { size } else { -size };
    Some(Sequence { from: first, to: last, step, width, letters })
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [c] if c.is_ascii_alphabetic() => Some(i64::from(*c)),
        _ => None,
    }
}

fn is_padded(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0')
}
