//! POSIX regular expressions, executed by the `regex` crate.

mod bracket;
mod longest;
mod translate;

use std::cell::OnceCell;
use std::ops::Range;

use longest::Longest;
pub(crate) use translate::Syntax;
use translate::{Aim, Translated, translate};

/// Largest size of a compiled pattern, in bytes.
const MAX_COMPILED: usize = 16 << 20;
/// Steps after which a search with back-references gives up.
const MAX_BACKTRACKS: usize = 5_000_000;

/// Options of a pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) ignore_case: bool,
    /// `^` and `$` also match at newlines inside the text.
    pub(crate) multi_line: bool,
    /// No part of the pattern may match a newline.
    pub(crate) lines: bool,
    /// Text placed around the translated pattern, such as `\b(?:` and `)\b`.
    pub(crate) around: Option<(&'static str, &'static str)>,
}

/// A compiled pattern.
///
/// It consists of two programs: one for ASCII text, built immediately, and one for other text,
/// built on first use because Unicode classes are expensive to build.
pub(crate) struct Pattern {
    source: Source,
    ascii: Engine,
    wide: OnceCell<Option<Engine>>,
}

struct Source {
    text: String,
    syntax: Syntax,
    options: Options,
    plain: bool,
}

enum Engine {
    Automaton { regex: regex::bytes::Regex, longest: Option<Box<Longest>> },
    Backtracking(Box<fancy_regex::Regex>),
}

impl Pattern {
    /// Compiles a pattern. The error is the text that the C library gives.
    pub(crate) fn new(text: &str, syntax: Syntax, options: Options) -> Result<Self, String> {
        let aim = Aim { unicode: false, lines: options.lines };
        let translated = translate(text, syntax, aim)?;
        let plain = translated.plain && !options.ignore_case && options.around.is_none();
        let ascii = Engine::new(translated, options, false)?;
        let source = Source { text: text.to_owned(), syntax, options, plain };
        Ok(Pattern { source, ascii, wide: OnceCell::new() })
    }

    /// Prepares a search in `text` with the program that suits it.
    pub(crate) fn on<'a>(&'a self, text: &'a [u8]) -> Search<'a> {
        let engine = if self.source.plain || text.is_ascii() { &self.ascii } else { self.wide() };
        Search { engine, text }
    }

    /// Returns the pattern as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.source.text
    }

    /// Returns the number of groups.
    pub(crate) fn group_count(&self) -> usize {
        match &self.ascii {
            Engine::Automaton { regex, .. } => regex.captures_len() - 1,
            Engine::Backtracking(regex) => regex.captures_len() - 1,
        }
    }

    /// Returns true if the text contains a match.
    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        self.on(text).is_match()
    }

    /// Returns the program for text outside ASCII, building it on first use. Falls back to the
    /// ASCII program if it cannot be built.
    fn wide(&self) -> &Engine {
        let built = self.wide.get_or_init(|| {
            let Source { text, syntax, options, .. } = &self.source;
            let aim = Aim { unicode: true, lines: options.lines };
            Engine::new(translate(text, *syntax, aim).ok()?, *options, true).ok()
        });
        built.as_ref().unwrap_or(&self.ascii)
    }
}

/// A pattern and the text to be searched.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    engine: &'a Engine,
    text: &'a [u8],
}

/// The range of each group; the first is the whole match.
pub(crate) type Groups = Vec<Option<Range<usize>>>;

impl Search<'_> {
    /// Returns true if the text contains a match.
    pub(crate) fn is_match(&self) -> bool {
        match self.engine {
            Engine::Automaton { regex, .. } => regex.is_match(self.text),
            Engine::Backtracking(_) => self.find_at(0).is_some(),
        }
    }

    /// Returns the leftmost match at or after `at`, and of those the longest.
    pub(crate) fn find_at(&self, at: usize) -> Option<Range<usize>> {
        if at > self.text.len() {
            return None;
        }
        match self.engine {
            Engine::Automaton { regex, longest } => {
                let found = regex.find_at(self.text, at)?.range();
                Some(match longest {
                    Some(longest) => found.start..longest.end(self.text, &found),
                    None => found,
                })
            }
            Engine::Backtracking(regex) => {
                let text = std::str::from_utf8(self.text).ok()?;
                let found = regex.find_from_pos(text, at).ok()??;
                Some(found.start()..found.end())
            }
        }
    }

    /// Returns the leftmost match at or after `at`, with its groups.
    pub(crate) fn groups_at(&self, at: usize) -> Option<Groups> {
        if at > self.text.len() {
            return None;
        }
        match self.engine {
            Engine::Automaton { regex, longest } => {
                let found = regex.captures_at(self.text, at)?;
                let mut groups: Groups =
                    found.iter().map(|group| group.map(|group| group.range())).collect();
                if let (Some(longest), Some(whole)) = (longest, groups[0].clone()) {
                    let end = longest.end(self.text, &whole);
                    if end > whole.end {
                        groups = longest.groups(self.text, whole.start..end, groups);
                    }
                }
                Some(groups)
            }
            Engine::Backtracking(regex) => {
                let text = std::str::from_utf8(self.text).ok()?;
                let found = regex.captures_from_pos(text, at).ok()??;
                Some(found.iter().map(|group| group.map(|g| g.start()..g.end())).collect())
            }
        }
    }
}

impl Engine {
    fn new(translated: Translated, options: Options, unicode: bool) -> Result<Self, String> {
        const TOO_BIG: &str = "Regular expression too big";
        let (before, after) = options.around.unwrap_or(("", ""));
        let text = format!("{before}{}{after}", translated.text);
        if translated.back_references {
            let flags = match (options.ignore_case, options.multi_line) {
                (true, true) => "(?im)",
                (true, false) => "(?i)",
                (false, true) => "(?m)",
                (false, false) => "",
            };
            let regex = fancy_regex::RegexBuilder::new(&format!("{flags}{text}"))
                .backtrack_limit(MAX_BACKTRACKS)
                .delegate_size_limit(MAX_COMPILED)
                .build()
                .map_err(|_| TOO_BIG)?;
            return Ok(Engine::Backtracking(Box::new(regex)));
        }
        let regex = regex::bytes::RegexBuilder::new(&text)
            .unicode(unicode)
            .case_insensitive(options.ignore_case)
            .multi_line(options.multi_line)
            .size_limit(MAX_COMPILED)
            .build()
            .map_err(|_| TOO_BIG)?;
        let longest = translated.alternatives.then(|| Longest::new(&text, options, unicode));
        Ok(Engine::Automaton { regex, longest: longest.flatten().map(Box::new) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(syntax: Syntax, pattern: &str, text: &str, expect: Option<(usize, usize)>) {
        let pattern = Pattern::new(pattern, syntax, Options::default()).unwrap();
        let found = pattern.on(text.as_bytes()).find_at(0);
        assert_eq!(found.map(|r| (r.start, r.end)), expect);
    }

    #[test]
    fn the_longest_alternative_wins() {
        check(Syntax::Extended, "a|ab|abc", "xabcd", Some((1, 4)));
        check(Syntax::Basic, "a\\|ab", "ab", Some((0, 2)));
    }

    #[test]
    fn a_star_at_the_start_is_a_star() {
        check(Syntax::Basic, "*a", "b*a", Some((1, 3)));
        check(Syntax::Basic, "\\(*a\\)", "*a", Some((0, 2)));
    }

    #[test]
    fn a_brace_that_is_no_count_is_a_brace() {
        check(Syntax::Extended, "a{b", "a{b", Some((0, 3)));
        check(Syntax::Extended, "{1", "{1", Some((0, 2)));
        check(Syntax::Extended, "a{2}", "aaa", Some((0, 2)));
    }

    #[test]
    fn two_counts_do_not_become_a_lazy_one() {
        check(Syntax::Extended, "a+?", "aaa", Some((0, 3)));
    }

    #[test]
    fn brackets_hold_brackets_and_classes() {
        check(Syntax::Extended, "[]a]+", "x]a]", Some((1, 4)));
        check(Syntax::Extended, "[^]a]", "]ab", Some((2, 3)));
        check(Syntax::Extended, "[[:digit:].-]+", "a1.2-3b", Some((1, 6)));
        check(Syntax::Basic, "[\\n]", "n", Some((0, 1)));
        check(Syntax::Awk, "[\\t]", "a\t", Some((1, 2)));
    }

    #[test]
    fn back_references_match_what_was_matched() {
        check(Syntax::Basic, "\\(a*\\)b\\1", "aabaa", Some((0, 5)));
        check(Syntax::Extended, "(.)\\1", "abccd", Some((2, 4)));
    }

    #[test]
    fn anchors_are_anchors_only_at_the_borders() {
        check(Syntax::Basic, "a^b$c", "a^b$c", Some((0, 5)));
        check(Syntax::Basic, "\\(^a\\)", "ba", None);
        check(Syntax::Extended, "x*$", "abx", Some((2, 3)));
    }

    #[test]
    fn characters_are_whole() {
        check(Syntax::Extended, "^.$", "é", Some((0, 2)));
        check(Syntax::Extended, "[é]", "é", Some((0, 2)));
        check(Syntax::Extended, "[[:alpha:]]+", "1é2", Some((1, 3)));
        check(Syntax::Extended, "é*", "éé", Some((0, 4)));
    }

    #[test]
    fn what_is_wrong_is_said_as_the_c_library_does() {
        let error = |p, s| Pattern::new(p, s, Options::default()).err().unwrap();
        assert_eq!(error("\\(a", Syntax::Basic), "Unmatched ( or \\(");
        assert_eq!(error("a)", Syntax::Extended), "Unmatched ) or \\)");
        assert_eq!(error("[a", Syntax::Basic), "Unmatched [, [^, [:, [., or [=");
        assert_eq!(error("a\\", Syntax::Basic), "Trailing backslash");
        assert_eq!(error("\\1", Syntax::Basic), "Invalid back reference");
        assert_eq!(error("[b-a]", Syntax::Basic), "Invalid range end");
        assert_eq!(error("a{99999}", Syntax::Extended), "Regular expression too big");
    }
}
