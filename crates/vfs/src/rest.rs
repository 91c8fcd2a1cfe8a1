//! The part of a path that is not resolved yet.

use std::sync::Arc;

/// Text still to be resolved: the path itself, and on top of it the targets of links.
#[derive(Debug)]
pub(crate) struct Rest<'a> {
    path: &'a str,
    /// Resolved from the last one down.
    links: Vec<(Arc<str>, usize)>,
}

impl<'a> Rest<'a> {
    pub(crate) fn new(path: &'a str) -> Self {
        Rest { path, links: Vec::new() }
    }

    /// Puts the target of a link before the remaining text.
    pub(crate) fn push(&mut self, target: Arc<str>) {
        self.links.push((target, 0));
    }

    /// Moves the next component into `out`; returns `false` if there is none.
    pub(crate) fn next(&mut self, out: &mut String) -> bool {
        out.clear();
        while let Some((text, at)) = self.links.last_mut() {
            let (name, rest) = first(&text[*at..]);
            out.push_str(name);
            *at = text.len() - rest.len();
            if !out.is_empty() {
                return true;
            }
            self.links.pop();
        }
        let (name, rest) = first(self.path);
        out.push_str(name);
        self.path = rest;
        !out.is_empty()
    }

    /// Returns true if no component is left.
    pub(crate) fn is_done(&self) -> bool {
        self.texts().all(|text| text.bytes().all(|byte| byte == b'/'))
    }

    /// Returns true if a slash is left after the last component, which then must be a directory.
    pub(crate) fn has_slash(&self) -> bool {
        self.texts().any(|text| !text.is_empty())
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(|(text, at)| &text[*at..]).chain([self.path])
    }
}

/// Splits off the first component; the remainder starts with its slash.
fn first(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches('/');
    text.split_at(text.find('/').unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expect: &[&str], slash: bool) {
        let (mut rest, mut name) = (Rest::new(path), String::new());
        for expect in expect {
            assert!(!rest.is_done() && rest.next(&mut name));
            assert_eq!(name, *expect);
        }
        assert!(rest.is_done());
        assert_eq!(rest.has_slash(), slash);
        assert!(!rest.next(&mut name));
    }

    #[test]
    fn slashes_separate_however_many() {
        check("/a//b/.", &["a", "b", "."], false);
        check("a/../b///", &["a", "..", "b"], true);
        check("///", &[], true);
    }

    #[test]
    fn a_link_goes_before_what_is_left_and_keeps_its_slash() {
        let (mut rest, mut name) = (Rest::new("a/b/"), String::new());
        rest.next(&mut name);
        rest.push("x/y".into());
        for expect in ["x", "y", "b"] {
            assert!(rest.next(&mut name));
            assert_eq!(name, expect);
        }
        assert!(rest.is_done() && rest.has_slash());
    }
}
