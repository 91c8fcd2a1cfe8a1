//! Attributes of paths: `.gitattributes`, `info/attributes` and the user's file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::glob::{self, Slash};
use crate::bytes::{self, join};
use crate::store::config::Config;

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    Unspecified,
    Set,
    Unset,
    Value(Vec<u8>),
}

/// Most macros inside macros.
const MAX_DEPTH: usize = 8;

/// Name and value in a rule.
type Assignment = (Vec<u8>, State);

/// A line of a file.
struct Rule {
    pattern: Vec<u8>,
    /// The pattern has a slash, so it is matched against the path and not the name.
    is_anchored: bool,
    assignments: Vec<Assignment>,
}

/// Rules of one file, and the macros that it defines.
#[derive(Default)]
struct Rules {
    rules: Vec<Rule>,
    macros: Vec<(Vec<u8>, Vec<Assignment>)>,
}

/// Reads the file of attributes in a directory.
pub(crate) type Reader = Box<dyn Fn(&[u8]) -> Option<Vec<u8>>>;

/// The attributes of a repository. Files are read when a directory is first asked about.
pub(crate) struct Attributes {
    reader: Reader,
    /// The user's file and `info/attributes`.
    user: Rules,
    own: Rules,
    by_directory: RefCell<HashMap<Vec<u8>, Rc<Rules>>>,
}

impl Attributes {
    /// Creates attributes that are read from the work tree.
    pub(crate) fn new(config: &Config, common_dir: &[u8], work_tree: Option<&[u8]>) -> Attributes {
        let root = work_tree.map(<[u8]>::to_vec);
        let reader = move |dir: &[u8]| {
            let file = join(&join(root.as_ref()?, dir), b".gitattributes");
            bytes::read_if_exists(&file).ok().flatten()
        };
        Attributes::with_reader(config, common_dir, Box::new(reader))
    }

    /// Creates attributes whose files another function reads.
    pub(crate) fn with_reader(config: &Config, common_dir: &[u8], reader: Reader) -> Attributes {
        let file = match config.get("core.attributesfile") {
            Some(file) => Some(crate::repo::expand_home(file.as_bytes())),
            None => bytes::variable("XDG_CONFIG_HOME")
                .or_else(|| bytes::variable("HOME").map(|home| join(&home, b".config")))
                .map(|dir| join(&dir, b"git/attributes")),
        };
        let read = |file: &[u8]| bytes::read_if_exists(file).ok().flatten().unwrap_or_default();
        Attributes {
            reader,
            user: file.map(|file| parse(&read(&file))).unwrap_or_default(),
            own: parse(&read(&join(common_dir, b"info/attributes"))),
            by_directory: RefCell::default(),
        }
    }

    /// Forgets what was read, since a file was written.
    pub(crate) fn forget(&self) {
        self.by_directory.borrow_mut().clear();
    }

    fn of_directory(&self, dir: &[u8]) -> Rc<Rules> {
        if let Some(rules) = self.by_directory.borrow().get(dir) {
            return Rc::clone(rules);
        }
        let found = Rc::new((self.reader)(dir).map(|data| parse(&data)).unwrap_or_default());
        self.by_directory.borrow_mut().insert(dir.to_vec(), Rc::clone(&found));
        found
    }

    /// Returns all attributes of a path that have a value, in the order of git.
    pub(crate) fn all(&self, path: &[u8]) -> Vec<(Vec<u8>, State)> {
        let name = bytes::base(path);
        let mut files = Vec::new();
        let mut dir = bytes::parent(path);
        loop {
            files.push((dir, self.of_directory(dir)));
            if dir.is_empty() {
                break;
            }
            dir = bytes::parent(dir);
        }
        files.reverse();
        let top = files.first().map(|(_, rules)| Rc::clone(rules));
        let mut found = Found { names: Vec::new(), states: HashMap::new() };
        let macros: Vec<&(Vec<u8>, Vec<Assignment>)> =
            [Some(&self.own), top.as_deref(), Some(&self.user)]
                .into_iter()
                .flatten()
                .flat_map(|rules| rules.macros.iter().rev())
                .collect();
        let mut apply = |rules: &Rules, below: &[u8]| {
            for rule in &rules.rules {
                let text = if rule.is_anchored { below } else { name };
                if glob::matches(&rule.pattern, text, Slash::Apart) {
                    found.take(&rule.assignments, &macros, 0);
                }
            }
        };
        apply(&self.user, path);
        for (dir, rules) in &files {
            let below = if dir.is_empty() { path } else { &path[dir.len() + 1..] };
            apply(rules, below);
        }
        apply(&self.own, path);
        let Found { names, mut states } = found;
        let order = [&b"binary"[..], b"diff", b"merge", b"text"];
        let mut sorted: Vec<Vec<u8>> =
            order.iter().filter(|name| states.contains_key(**name)).map(|n| n.to_vec()).collect();
        sorted.extend(names.into_iter().filter(|name| !order.contains(&name.as_slice())));
        let each = sorted.into_iter().filter_map(|name| {
            let state = states.remove(&name)?;
            (state != State::Unspecified).then_some((name, state))
        });
        each.collect()
    }

    /// Returns the value of one attribute.
    pub(crate) fn state(&self, path: &[u8], name: &str) -> State {
        let all = self.all(path).into_iter();
        all.rev().find(|(known, _)| known == name.as_bytes()).map_or(State::Unspecified, |it| it.1)
    }

    /// Returns the value of an attribute that has a text.
    pub(crate) fn value(&self, path: &[u8], name: &str) -> Option<Vec<u8>> {
        match self.state(path, name) {
            State::Value(value) => Some(value),
            State::Unspecified | State::Set | State::Unset => None,
        }
    }
}

/// Attributes that the rules gave so far.
struct Found {
    names: Vec<Vec<u8>>,
    states: HashMap<Vec<u8>, State>,
}

impl Found {
    fn take(
        &mut self,
        assignments: &[Assignment],
        macros: &[&(Vec<u8>, Vec<Assignment>)],
        depth: usize,
    ) {
        for (name, state) in assignments {
            if self.states.insert(name.clone(), state.clone()).is_none() {
                self.names.push(name.clone());
            }
            if *state != State::Set || depth >= MAX_DEPTH {
                continue;
            }
            if let Some((_, inner)) = macros.iter().find(|(known, _)| known == name) {
                self.take(inner, macros, depth + 1);
            } else if name == b"binary" {
                let off = |name: &[u8]| (name.to_vec(), State::Unset);
                self.take(&[off(b"diff"), off(b"merge"), off(b"text")], macros, depth + 1);
            }
        }
    }
}

fn parse(data: &[u8]) -> Rules {
    let mut rules = Rules::default();
    for line in data.split(|b| *b == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let (pattern, rest) = match bytes::unquoted(line) {
            Some((name, rest)) => (name, rest),
            None => {
                let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
                (line[..end].to_vec(), &line[end..])
            }
        };
        let words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let assignments: Vec<Assignment> = words.map(assignment).collect();
        if let Some(name) = pattern.strip_prefix(b"[attr]") {
            rules.macros.push((name.to_vec(), assignments));
            continue;
        }
        // Negative patterns and those of directories have no meaning for attributes.
        if pattern.starts_with(b"!") || pattern.ends_with(b"/") {
            continue;
        }
        let is_anchored = pattern.contains(&b'/');
        let pattern = pattern.strip_prefix(b"/").unwrap_or(&pattern).to_vec();
        rules.rules.push(Rule { pattern, is_anchored, assignments });
    }
    rules
}

fn assignment(word: &[u8]) -> Assignment {
    match (word[0], word.iter().position(|b| *b == b'=')) {
        (b'-', _) => (word[1..].to_vec(), State::Unset),
        (b'!', _) => (word[1..].to_vec(), State::Unspecified),
        (_, Some(at)) => (word[..at].to_vec(), State::Value(word[at + 1..].to_vec())),
        (_, None) => (word.to_vec(), State::Set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, path: &str, expect: &str) {
        let data = file.as_bytes().to_vec();
        let reader = move |dir: &[u8]| dir.is_empty().then(|| data.clone());
        let none = Config::default();
        let attributes = Attributes::with_reader(&none, b"/nonexistent", Box::new(reader));
        let found = attributes.all(path.as_bytes()).into_iter().map(|(name, state)| {
            let name = bytes::text(&name);
            match state {
                State::Set => name,
                State::Unset => format!("-{name}"),
                State::Unspecified => format!("!{name}"),
                State::Value(value) => format!("{name}={}", bytes::text(&value)),
            }
        });
        assert_eq!(found.collect::<Vec<_>>().join(" "), expect, "{path}");
    }

    #[test]
    fn later_rules_win_and_macros_are_expanded() {
        check("*.txt text eol=lf\nb.txt -text", "a.txt", "text eol=lf");
        check("*.txt text eol=lf\nb.txt -text", "d/b.txt", "-text eol=lf");
        check("*.bin binary", "a.bin", "binary -diff -merge -text");
        check("[attr]gen -diff linguist\n*.lock gen", "a.lock", "-diff gen linguist");
        check("/a x\nd/* y\n!c z", "d/a", "y");
        check("* x\na !x", "a", "");
    }
}
