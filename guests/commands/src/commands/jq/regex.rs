//! Regular expressions.

use std::rc::Rc;

use super::json::{Json, Object};
use super::run::Machine;
use super::stack::Stop;

/// Most expressions that stay compiled.
const MAX_KEPT: usize = 64;
/// Most steps of one match that needs backtracking.
const MAX_STEPS: usize = 1_000_000;

/// A match, with its place in bytes.
pub(super) struct Match {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) groups: Vec<Group>,
}

pub(super) struct Group {
    pub(super) name: Option<String>,
    pub(super) text: Option<String>,
    start: usize,
}

impl Match {
    /// Returns the texts of the groups that have names.
    pub(super) fn captures(&self) -> Object {
        let named = self.groups.iter().filter_map(|group| {
            let text = group.text.clone().map_or(Json::Null, Json::from);
            group.name.clone().map(|name| (Rc::from(name), text))
        });
        named.collect()
    }

    /// Returns the match as a value; offsets and lengths count characters.
    pub(super) fn json(&self, text: &str) -> Json {
        let captures = self.groups.iter().map(|group| {
            let name = group.name.clone().map_or(Json::Null, Json::from);
            match &group.text {
                Some(found) => Json::object([
                    ("offset", text[..group.start].chars().count().into()),
                    ("length", found.chars().count().into()),
                    ("string", found.as_str().into()),
                    ("name", name),
                ]),
                None => Json::object([
                    ("offset", Json::from(-1.0)),
                    ("length", 0_usize.into()),
                    ("string", Json::Null),
                    ("name", name),
                ]),
            }
        });
        let found = &text[self.start..self.end];
        Json::object([
            ("offset", text[..self.start].chars().count().into()),
            ("length", found.chars().count().into()),
            ("string", found.into()),
            ("captures", captures.collect()),
        ])
    }
}

/// Returns the text to match.
pub(super) fn subject(value: &Json) -> Result<Rc<str>, Stop> {
    match value {
        Json::Str(text) => Ok(text.clone()),
        other => {
            Err(format!("{} cannot be matched, as it is not a string", other.described()).into())
        }
    }
}

/// Finds the matches: all of them with the flag `g`, or else the first.
pub(super) fn matches(
    m: &Machine,
    text: &str,
    pattern: &Json,
    flags: &Json,
) -> Result<Vec<Match>, Stop> {
    // A list holds pattern and flags.
    let (pattern, flags) = match pattern {
        Json::Arr(both) if matches!(flags, Json::Null) || !both.items().is_empty() => {
            let at = |at: usize| both.items().get(at).cloned().unwrap_or_default();
            (
                at(0),
                match (at(1), flags) {
                    (Json::Str(own), Json::Str(more)) => Json::from(format!("{own}{more}")),
                    (Json::Null, more) => more.clone(),
                    (own, _) => own,
                },
            )
        }
        other => (other.clone(), flags.clone()),
    };
    let Json::Str(pattern) = &pattern else {
        let shown = pattern.described();
        return Err(format!("{shown} cannot be matched, as it is not a string").into());
    };
    let flags = match &flags {
        Json::Null => "",
        Json::Str(flags) => flags,
        other => return Err(format!("{} is not a string", other.described()).into()),
    };
    let (mut global, mut filled, mut letters) = (false, false, String::new());
    for flag in flags.chars() {
        match flag {
            'g' => global = true,
            'n' => filled = true,
            'i' => letters.push('i'),
            'x' => letters.push('x'),
            's' => letters.push('s'),
            'p' => letters.push('s'),
            'l' => {}
            _ => return Err(format!("{flags} is not a valid modifier string").into()),
        }
    }
    let regex = compiled(m, pattern, &letters)?;
    let names: Vec<Option<String>> =
        regex.capture_names().skip(1).map(|name| name.map(str::to_owned)).collect();
    let mut list = Vec::new();
    for found in regex.captures_iter(text) {
        let found = found.map_err(|why| format!("{pattern} (at offset 0) {why}"))?;
        let Some(whole) = found.get(0) else { continue };
        if filled && whole.start() == whole.end() {
            continue;
        }
        let groups = names.iter().enumerate().map(|(number, name)| {
            let group = found.get(number + 1);
            Group {
                name: name.clone(),
                text: group.map(|group| group.as_str().to_owned()),
                start: group.map_or(0, |group| group.start()),
            }
        });
        list.push(Match { start: whole.start(), end: whole.end(), groups: groups.collect() });
        if !global {
            break;
        }
    }
    Ok(list)
}

fn compiled(m: &Machine, pattern: &str, letters: &str) -> Result<Rc<fancy_regex::Regex>, Stop> {
    let key = (pattern.to_owned(), letters.to_owned());
    if let Some(regex) = m.regexes.borrow().get(&key) {
        return Ok(regex.clone());
    }
    let text =
        if letters.is_empty() { pattern.to_owned() } else { format!("(?{letters}){pattern}") };
    let regex = fancy_regex::RegexBuilder::new(&text).backtrack_limit(MAX_STEPS).build();
    let regex = Rc::new(
        regex.map_err(|why| format!("{pattern} (at offset 0) is not a valid regex: {why}"))?,
    );
    let mut kept = m.regexes.borrow_mut();
    if kept.len() >= MAX_KEPT {
        kept.clear();
    }
    kept.insert(key, regex.clone());
    Ok(regex)
}
