//! Compiles the patterns and finds their matches.

use std::ops::Range;

use crate::pattern::{Options, Pattern, Syntax};

/// The syntax of the patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    #[default]
    Basic,
    Extended,
    Fixed,
    Perl,
}

/// Options that affect matching.
#[derive(Debug, Clone, Default)]
pub(super) struct Wish {
    pub(super) kind: Kind,
    pub(super) ignore_case: bool,
    pub(super) words: bool,
    pub(super) whole_lines: bool,
    pub(super) line_end: u8,
    /// True if patterns were read from a file; an empty list of patterns then matches nothing.
    pub(super) has_file: bool,
}

/// Steps after which a Perl pattern gives up.
const MAX_BACKTRACKS: usize = 5_000_000;

/// Compiled patterns.
pub(super) struct Matcher {
    engine: Engine,
    words: bool,
}

enum Engine {
    /// No pattern, no match.
    Nothing,
    Pattern(Box<Pattern>),
    /// Patterns with back-references, which cannot be combined into one.
    Several(Vec<Pattern>),
    Literal(Box<memchr::memmem::Finder<'static>>),
    Perl(Box<fancy_regex::Regex>),
}

impl Matcher {
    /// Compiles patterns, one on each line.
    pub(super) fn new(patterns: &[u8], wish: &Wish) -> Result<Self, String> {
        if wish.has_file && patterns.is_empty() {
            return Ok(Matcher { engine: Engine::Nothing, words: false });
        }
        let text = String::from_utf8_lossy(patterns).into_owned();
        let engine = match wish.kind {
            Kind::Perl => Self::perl(&text, wish)?,
            Kind::Fixed => Self::fixed(&text, wish)?,
            Kind::Basic => Self::posix(&text, Syntax::Basic, wish)?,
            Kind::Extended => Self::posix(&text, Syntax::Extended, wish)?,
        };
        let words = wish.words && !wish.whole_lines && wish.kind != Kind::Perl;
        Ok(Matcher { engine, words })
    }

    fn options(wish: &Wish) -> Options {
        let around = if wish.whole_lines { Some(("^(?:", ")$")) } else { None };
        Options {
            ignore_case: wish.ignore_case,
            multi_line: wish.line_end == b'\n',
            lines: wish.line_end == b'\n',
            around,
        }
    }

    fn posix(text: &str, syntax: Syntax, wish: &Wish) -> Result<Engine, String> {
        let options = Self::options(wish);
        // One program for all patterns is faster than several. Group numbers of one pattern must
        // not shift those of another, so patterns with back-references stay separate.
        let lines: Vec<&str> = text.split('\n').collect();
        let plain = |line: &str| !line.bytes().any(|b| b"\\[](){}.*+?^$|".contains(&b));
        if lines.len() == 1 && plain(text) && !wish.ignore_case && !wish.whole_lines {
            return Ok(Engine::Literal(literal(text)));
        }
        if lines.len() == 1 {
            return Ok(Engine::Pattern(Box::new(Pattern::new(text, syntax, options)?)));
        }
        let joined = match syntax {
            Syntax::Basic => {
                lines.iter().map(|line| format!("\\({line}\\)")).collect::<Vec<_>>().join("\\|")
            }
            Syntax::Extended | Syntax::Awk => {
                lines.iter().map(|line| format!("({line})")).collect::<Vec<_>>().join("|")
            }
        };
        for line in &lines {
            Pattern::new(line, syntax, options)?;
        }
        let has_references = lines.iter().any(|line| {
            line.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit())
        });
        if !has_references && let Ok(one) = Pattern::new(&joined, syntax, options) {
            return Ok(Engine::Pattern(Box::new(one)));
        }
        let several = lines.iter().map(|line| Pattern::new(line, syntax, options));
        Ok(Engine::Several(several.collect::<Result<_, _>>()?))
    }

    fn fixed(text: &str, wish: &Wish) -> Result<Engine, String> {
        let lines: Vec<&str> = text.split('\n').collect();
        if let [one] = lines.as_slice()
            && !wish.ignore_case
            && !wish.whole_lines
        {
            return Ok(Engine::Literal(literal(one)));
        }
        let escaped: Vec<String> = lines.iter().map(|line| escape(line)).collect();
        let one = Pattern::new(&escaped.join("|"), Syntax::Extended, Self::options(wish))?;
        Ok(Engine::Pattern(Box::new(one)))
    }

    fn perl(text: &str, wish: &Wish) -> Result<Engine, String> {
        let joined = text.split('\n').map(unquoted).collect::<Vec<_>>().join("|");
        let flags = if wish.ignore_case { "(?im)" } else { "(?m)" };
        let body = match (wish.whole_lines, wish.words) {
            (true, _) => format!("{flags}^(?:{joined})$"),
            (false, true) => format!("{flags}\\b(?:{joined})\\b"),
            (false, false) => format!("{flags}{joined}"),
        };
        let regex = fancy_regex::RegexBuilder::new(&body)
            .backtrack_limit(MAX_BACKTRACKS)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Engine::Perl(Box::new(regex)))
    }

    /// Returns true if a block of several lines can be searched at once.
    pub(super) fn takes_blocks(&self) -> bool {
        match &self.engine {
            Engine::Pattern(_) | Engine::Literal(_) => !self.words,
            Engine::Nothing | Engine::Several(_) | Engine::Perl(_) => false,
        }
    }

    /// Returns the first match at or after `at`.
    pub(super) fn find_at(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        if !self.words {
            return self.raw_find(text, at);
        }
        let mut from = at;
        loop {
            let found = self.raw_find(text, from)?;
            if let Some(word) = self.as_word(text, found.clone()) {
                return Some(word);
            }
            from = found.start + 1;
            if from > text.len() {
                return None;
            }
        }
    }

    /// Returns the match, or a shorter match at the same position, if it is a whole word.
    fn as_word(&self, text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
        if found.start > 0 && ends_in_word(&text[..found.start]) {
            return None;
        }
        let mut end = found.end;
        loop {
            if !starts_with_word(&text[end..]) {
                return (end > found.start || found.is_empty()).then_some(found.start..end);
            }
            if end <= found.start + 1 {
                return None;
            }
            // Tries a shorter match, as GNU grep does.
            let shorter = self.raw_find(&text[..end - 1], found.start)?;
            if shorter.start != found.start {
                return None;
            }
            end = shorter.end;
        }
    }

    fn raw_find(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        if at > text.len() {
            return None;
        }
        match &self.engine {
            Engine::Nothing => None,
            Engine::Pattern(pattern) => pattern.on(text).find_at(at),
            Engine::Several(patterns) => patterns
                .iter()
                .filter_map(|pattern| pattern.on(text).find_at(at))
                .min_by_key(|found| (found.start, std::cmp::Reverse(found.end))),
            Engine::Literal(finder) => {
                let start = at + finder.find(&text[at..])?;
                Some(start..start + finder.needle().len())
            }
            Engine::Perl(regex) => {
                let text = std::str::from_utf8(text).ok()?;
                let at = (at..=text.len()).find(|at| text.is_char_boundary(*at))?;
                let found = regex.find_from_pos(text, at).ok()??;
                Some(found.start()..found.end())
            }
        }
    }
}

fn literal(text: &str) -> Box<memchr::memmem::Finder<'static>> {
    Box::new(memchr::memmem::Finder::new(text).into_owned())
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        if "\\[](){}.*+?^$|".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn ends_in_word(text: &[u8]) -> bool {
    let mut start = text.len() - 1;
    while start > 0 && text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    first_char(&text[start..]).is_some_and(is_word)
}

fn starts_with_word(text: &[u8]) -> bool {
    first_char(text).is_some_and(is_word)
}

fn first_char(text: &[u8]) -> Option<char> {
    let head = &text[..text.len().min(4)];
    match std::str::from_utf8(head) {
        Ok(head) => head.chars().next(),
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).ok()?.chars().next(),
    }
}

/// Replaces the literal text between `\Q` and `\E` by its escaped form.
fn unquoted(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(literal) = after.strip_prefix('Q') {
            let end = literal.find("\\E").unwrap_or(literal.len());
            out.push_str(&fancy_regex::escape(&literal[..end]));
            rest = literal.get(end + 2..).unwrap_or_default();
            continue;
        }
        let next = after.chars().next();
        if next != Some('E') {
            out.push('\\');
            out.extend(next);
        }
        rest = &after[next.map_or(0, char::len_utf8)..];
    }
    out.push_str(rest);
    out
}
