//! What is left of a path while it is walked.

use std::sync::Arc;

/// Text still to be walked: the path itself, and above it the links met on the way.
#[derive(Debug)]
pub(crate) struct Rest<'a> {
    path: &'a str,
    /// The last one is walked first.
    links: Vec<(Arc<str>, usize)>,
}

impl<'a> Rest<'a> {
    pub(crate) fn new(path: &'a str) -> Self {
        Rest { path, links: Vec::new() }
    }

    /// Puts the text of a link before what is left.
    pub(crate) fn push(&mut self, target: Arc<str>) {
        self.links.push((target, 0));
    }

    /// Takes the next component into `out`; `false` when there is none.
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

    /// Whether no component is left.
    pub(crate) fn is_done(&self) -> bool {
        self.texts().all(|text| text.bytes().all(|byte| byte == b'/'))
    }

    /// Whether a slash is left after the last component, which so has to be a directory.
    pub(crate) fn has_slash(&self) -> bool {
        self.texts().any(|text| !text.is_empty())
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(|(text, at)| &text[*at..]).chain([self.path])
    }
}

/// The first component, and what follows it from its slash on.
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
