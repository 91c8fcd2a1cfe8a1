//! Finds the longest match at a position, as POSIX demands; `regex` takes the first alternative.

use std::cell::RefCell;
use std::ops::Range;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::{Groups, Options};

/// Finds the end of the longest match that starts at a given position.
pub(super) struct Longest {
    automaton: DFA,
    cache: RefCell<Cache>,
    /// The pattern anchored at both ends, which finds the groups of a longer match.
    whole: Option<regex::bytes::Regex>,
}

impl Longest {
    pub(super) fn new(text: &str, options: Options, unicode: bool) -> Option<Self> {
        let syntax = syntax::Config::new()
            .unicode(unicode)
            .utf8(false)
            .case_insensitive(options.ignore_case)
            .multi_line(options.multi_line);
        // The automaton does not support Unicode word boundaries; such patterns keep the first
        // match.
        let automaton = DFA::builder()
            .configure(DFA::config().match_kind(MatchKind::All).skip_cache_capacity_check(true))
            .syntax(syntax)
            .build(text)
            .ok()?;
        let cache = RefCell::new(automaton.create_cache());
        let whole = regex::bytes::RegexBuilder::new(&format!("\\A(?:{text})\\z"))
            .unicode(unicode)
            .case_insensitive(options.ignore_case)
            .build()
            .ok();
        Some(Longest { automaton, cache, whole })
    }

    /// Returns the end of the longest match that starts at the start of `found`.
    pub(super) fn end(&self, text: &[u8], found: &Range<usize>) -> usize {
        let input = Input::new(text).range(found.start..).anchored(Anchored::Yes);
        let answer = self.automaton.try_search_fwd(&mut self.cache.borrow_mut(), &input);
        answer.ok().flatten().map_or(found.end, |half| half.offset().max(found.end))
    }

    /// Returns the groups of the match `whole`, or `shorter` if they cannot be determined.
    pub(super) fn groups(&self, text: &[u8], whole: Range<usize>, shorter: Groups) -> Groups {
        let piece = &text[whole.clone()];
        let Some(found) = self.whole.as_ref().and_then(|regex| regex.captures(piece)) else {
            let mut groups = shorter;
            groups[0] = Some(whole);
            return groups;
        };
        let moved = |r: Range<usize>| r.start + whole.start..r.end + whole.start;
        found.iter().map(|group| group.map(|group| moved(group.range()))).collect()
    }
}
