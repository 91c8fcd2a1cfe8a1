//! Names and patterns that select members, and prefixes that names must not have.

use crate::glob;

/// The way a pattern is compared with names.
#[derive(Clone, Copy)]
pub(super) struct Style {
    wildcards: bool,
    anchored: bool,
    ignore_case: bool,
    /// Wildcards match slashes.
    slash: bool,
}

impl Style {
    /// The style of members named on the command line.
    pub(super) const NAME: Style =
        Style { wildcards: false, anchored: true, ignore_case: false, slash: true };
    /// The style of patterns that exclude.
    pub(super) const PATTERN: Style =
        Style { wildcards: true, anchored: false, ignore_case: false, slash: true };

    /// Applies an option; returns false if the option is another one.
    pub(super) fn set(&mut self, option: &str) -> bool {
        match option {
            "wildcards" => self.wildcards = true,
            "no-wildcards" => self.wildcards = false,
            "anchored" => self.anchored = true,
            "no-anchored" => self.anchored = false,
            "ignore-case" => self.ignore_case = true,
            "no-ignore-case" => self.ignore_case = false,
            "wildcards-match-slash" => self.slash = true,
            "no-wildcards-match-slash" => self.slash = false,
            _ => return false,
        }
        true
    }
}

/// A name or pattern, and the way it is compared.
pub(super) struct Rule {
    pub(super) text: Vec<u8>,
    style: Style,
}

impl Rule {
    pub(super) fn new(text: Vec<u8>, style: Style) -> Self {
        Rule { text, style }
    }

    /// Returns true if the name would be a pattern, but is compared as it is.
    pub(super) fn looks_like_pattern(&self) -> bool {
        !self.style.wildcards && self.text.iter().any(|b| matches!(b, b'*' | b'?' | b'['))
    }

    /// Returns true if the rule matches the name itself.
    pub(super) fn is(&self, name: &[u8]) -> bool {
        self.one(self.bare(), name)
    }

    fn bare(&self) -> &[u8] {
        self.text.strip_suffix(b"/").filter(|text| !text.is_empty()).unwrap_or(&self.text)
    }

    /// Returns true if the rule matches a name or a directory above it.
    pub(super) fn covers(&self, name: &[u8]) -> bool {
        let text = self.bare();
        let mut start = 0;
        loop {
            let rest = &name[start..];
            if self.one(text, rest)
                || memchr::memchr_iter(b'/', rest).any(|end| self.one(text, &rest[..end]))
            {
                return true;
            }
            match memchr::memchr(b'/', rest).filter(|_| !self.style.anchored) {
                Some(slash) => start += slash + 1,
                None => return false,
            }
        }
    }

    fn one(&self, text: &[u8], name: &[u8]) -> bool {
        let Style { wildcards, ignore_case, slash, .. } = self.style;
        if !wildcards {
            return if ignore_case { text.eq_ignore_ascii_case(name) } else { text == name };
        }
        let slashes = |text: &[u8]| memchr::memchr_iter(b'/', text).count();
        // With as many slashes on both sides, each part has to match its own.
        if slash || slashes(text) == 0 && slashes(name) == 0 {
            return glob::matches_as(text, name, ignore_case);
        }
        slashes(text) == slashes(name)
            && text
                .split(|b| *b == b'/')
                .zip(name.split(|b| *b == b'/'))
                .all(|(text, name)| glob::matches_as(text, name, ignore_case))
    }
}

/// Returns the length of the prefix that leads to the root or above the working directory.
pub(super) fn unsafe_prefix(name: &[u8]) -> usize {
    let mut end = 0;
    let mut at = 0;
    for part in name.split(|b| *b == b'/') {
        at += part.len();
        if part == b".." {
            end = at;
        }
        at += 1;
    }
    while name.get(end) == Some(&b'/') {
        end += 1;
    }
    end
}
