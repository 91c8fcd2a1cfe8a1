//! Files that git does not look at: `.gitignore`, `info/exclude` and the user's list.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::glob::{self, Slash};
use crate::bytes::{self, join};
use crate::repo::Repo;

/// A pattern with the place that it was written in.
pub(crate) struct Rule {
    /// File and line, for `check-ignore -v`.
    pub(crate) file: Vec<u8>,
    pub(crate) line: usize,
    /// The pattern as it was written.
    pub(crate) text: Vec<u8>,
    pattern: Vec<u8>,
    pub(crate) is_negated: bool,
    is_for_directories: bool,
    /// The pattern has a slash, so it is matched against the path and not the name.
    is_anchored: bool,
}

/// The rules of a repository. Files are read when a directory is first asked about.
pub(crate) struct Ignore<'r> {
    repo: &'r Repo,
    general: Vec<Rule>,
    by_directory: RefCell<HashMap<Vec<u8>, Rc<Vec<Rule>>>>,
}

impl<'r> Ignore<'r> {
    /// Reads the rules that hold everywhere.
    pub(crate) fn new(repo: &'r Repo) -> Ignore<'r> {
        let mut general = Vec::new();
        let user = match repo.config.get("core.excludesfile") {
            Some(file) => Some(crate::repo::expand_home(file.as_bytes())),
            None => bytes::variable("XDG_CONFIG_HOME")
                .or_else(|| bytes::variable("HOME").map(|home| join(&home, b".config")))
                .map(|dir| join(&dir, b"git/ignore")),
        };
        for file in user.into_iter().chain([repo.file("info/exclude")]) {
            general.extend(rules(&file, &file));
        }
        Ignore { repo, general, by_directory: RefCell::default() }
    }

    fn of_directory(&self, dir: &[u8]) -> Rc<Vec<Rule>> {
        if let Some(rules) = self.by_directory.borrow().get(dir) {
            return Rc::clone(rules);
        }
        let name = join(dir, b".gitignore");
        let found = Rc::new(rules(&self.repo.work_path(&name), &name));
        self.by_directory.borrow_mut().insert(dir.to_vec(), Rc::clone(&found));
        found
    }

    /// Returns true if the path or a directory above it is ignored.
    pub(crate) fn is_ignored(&self, path: &[u8], is_directory: bool) -> bool {
        self.with_rule(path, is_directory, |rule| !rule.is_negated).unwrap_or(false)
    }

    /// Passes the rule that decides about a path to `f`.
    pub(crate) fn with_rule<T>(
        &self,
        path: &[u8],
        is_directory: bool,
        f: impl Fn(&Rule) -> T + Copy,
    ) -> Option<T> {
        for (at, _) in path.iter().enumerate().filter(|(_, b)| **b == b'/') {
            let parent =
                self.own_rule(&path[..at], true, |rule| (!rule.is_negated).then(|| f(rule)));
            if let Some(Some(found)) = parent {
                return Some(found);
            }
        }
        self.own_rule(path, is_directory, f)
    }

    fn own_rule<T>(&self, path: &[u8], is_directory: bool, f: impl Fn(&Rule) -> T) -> Option<T> {
        let mut dir = bytes::parent(path);
        loop {
            let rules = self.of_directory(dir);
            let below = if dir.is_empty() { path } else { &path[dir.len() + 1..] };
            if let Some(rule) = rules.iter().rev().find(|rule| rule.applies(below, is_directory)) {
                return Some(f(rule));
            }
            if dir.is_empty() {
                break;
            }
            dir = bytes::parent(dir);
        }
        self.general.iter().rev().find(|rule| rule.applies(path, is_directory)).map(f)
    }
}

impl Rule {
    fn applies(&self, path: &[u8], is_directory: bool) -> bool {
        if self.is_for_directories && !is_directory {
            return false;
        }
        let text = if self.is_anchored { path } else { bytes::base(path) };
        glob::matches(&self.pattern, text, Slash::Apart)
    }
}

fn rules(file: &[u8], name: &[u8]) -> Vec<Rule> {
    let data = std::fs::read(bytes::path(file)).unwrap_or_default();
    let lines = data.split(|b| *b == b'\n').enumerate();
    lines.filter_map(|(at, line)| rule(line, name, at + 1)).collect()
}

fn rule(line: &[u8], file: &[u8], number: usize) -> Option<Rule> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut pattern = line;
    while pattern.ends_with(b" ") && !pattern.ends_with(b"\\ ") {
        pattern = &pattern[..pattern.len() - 1];
    }
    if pattern.is_empty() || pattern.starts_with(b"#") {
        return None;
    }
    let is_negated = pattern.starts_with(b"!");
    let mut rest = if is_negated { &pattern[1..] } else { pattern };
    let is_for_directories = rest.ends_with(b"/");
    if is_for_directories {
        rest = &rest[..rest.len() - 1];
    }
    let is_anchored = rest.contains(&b'/');
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    Some(Rule {
        file: file.to_vec(),
        line: number,
        text: pattern.to_vec(),
        pattern: rest.to_vec(),
        is_negated,
        is_for_directories,
        is_anchored,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, path: &str, is_directory: bool, expect: bool) {
        let rule = rule(line.as_bytes(), b"f", 1);
        let found = rule.is_some_and(|rule| rule.applies(path.as_bytes(), is_directory));
        assert_eq!(found, expect, "{line} {path}");
    }

    #[test]
    fn rules_match_names_or_paths() {
        check("*.o", "a/b.o", false, true);
        check("/a.o", "b/a.o", false, false);
        check("build/", "build", true, true);
        check("build/", "build", false, false);
        check("a/b", "x/a/b", false, false);
        check("# c", "# c", false, false);
        check("\\#c", "#c", false, true);
        check("a ", "a", false, true);
    }
}
