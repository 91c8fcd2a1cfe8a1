//! Functions of makefiles: `$(wildcard …)`, `$(patsubst …)`, `$(shell …)` and the rest.

use std::io::Read as _;

use cofferdam_guest_sys as sys;

use super::{Make, USAGE};
use crate::child::{Child, wait};
use crate::glob;

/// Splits arguments at commas outside brackets, into at most `most` parts.
fn arguments(text: &str, most: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && parts.len() < most => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

/// Returns the stem if a word matches a pattern with `%`.
pub(super) fn stem<'a>(pattern: &str, word: &'a str) -> Option<&'a str> {
    let (front, back) = pattern.split_once('%')?;
    let rest = word.strip_prefix(front)?;
    rest.strip_suffix(back)
}

/// Replaces the words that match a pattern.
pub(super) fn patsubst(from: &str, to: &str, text: &str) -> String {
    let words = text.split_whitespace().map(|word| match stem(from, word) {
        Some(stem) => to.replacen('%', stem, 1),
        None if word == from && !from.contains('%') => to.to_owned(),
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn matches_any(patterns: &str, word: &str) -> bool {
    patterns.split_whitespace().any(|pattern| stem(pattern, word).is_some() || pattern == word)
}

fn each(text: &str, f: impl FnMut(&str) -> String) -> String {
    text.split_whitespace().map(f).collect::<Vec<_>>().join(" ")
}

/// Returns the part of a name after the last dot of its last component.
fn suffix(word: &str) -> &str {
    let name = word.rfind('/').map_or(0, |at| at + 1);
    word[name..].rfind('.').map_or("", |at| &word[name + at..])
}

/// Calls the function that `inside` names. Returns `None` if it names a variable.
pub(super) fn call(make: &mut Make, inside: &str) -> Result<Option<String>, i32> {
    let end = inside.find([' ', '\t']).unwrap_or(inside.len());
    let (name, rest) = (&inside[..end], inside[end..].trim_start());
    let many = usize::MAX;
    let most = match name {
        "subst" | "patsubst" | "foreach" | "if" | "wordlist" | "let" => 3,
        "filter" | "filter-out" | "findstring" | "addprefix" | "addsuffix" | "join" | "word" => 2,
        "call" | "or" | "and" => many,
        "wildcard" | "strip" | "sort" | "dir" | "notdir" | "suffix" | "basename" | "words"
        | "firstword" | "lastword" | "shell" | "info" | "warning" | "error" | "abspath"
        | "realpath" | "origin" | "flavor" | "value" | "eval" | "file" => 1,
        _ => return Ok(None),
    };
    if end == inside.len() && !matches!(name, "shell" | "info" | "warning" | "error") {
        return Ok(None);
    }
    let args = arguments(rest, most);
    let lazy = matches!(name, "foreach" | "if" | "or" | "and");
    let args = match lazy {
        true => args,
        false => args.iter().map(|arg| make.expand(arg)).collect::<Result<_, _>>()?,
    };
    let arg = |at: usize| args.get(at).map_or("", String::as_str);
    Ok(Some(match name {
        "subst" => match arg(0) {
            "" => format!("{}{}", arg(2), arg(1)),
            from => arg(2).replace(from, arg(1)),
        },
        "patsubst" => patsubst(arg(0).trim(), arg(1).trim(), arg(2)),
        "filter" => {
            let words = arg(1).split_whitespace().filter(|word| matches_any(arg(0), word));
            words.collect::<Vec<_>>().join(" ")
        }
        "filter-out" => {
            let words = arg(1).split_whitespace().filter(|word| !matches_any(arg(0), word));
            words.collect::<Vec<_>>().join(" ")
        }
        "findstring" => if arg(1).contains(arg(0)) { arg(0) } else { "" }.to_owned(),
        "strip" => each(arg(0), str::to_owned),
        "sort" => {
            let mut words: Vec<&str> = arg(0).split_whitespace().collect();
            words.sort_unstable();
            words.dedup();
            words.join(" ")
        }
        "dir" => each(arg(0), |word| match word.rfind('/') {
            Some(at) => word[..=at].to_owned(),
            None => "./".to_owned(),
        }),
        "notdir" => each(arg(0), |word| word[word.rfind('/').map_or(0, |at| at + 1)..].to_owned()),
        "suffix" => {
            let all = arg(0).split_whitespace().map(suffix).filter(|suffix| !suffix.is_empty());
            all.collect::<Vec<_>>().join(" ")
        }
        "basename" => each(arg(0), |word| word[..word.len() - suffix(word).len()].to_owned()),
        "addprefix" => each(arg(1), |word| format!("{}{word}", arg(0))),
        "addsuffix" => each(arg(1), |word| format!("{word}{}", arg(0))),
        "join" => {
            let (one, two): (Vec<_>, Vec<_>) =
                (arg(0).split_whitespace().collect(), arg(1).split_whitespace().collect());
            let both = (0..one.len().max(two.len()))
                .map(|at| format!("{}{}", one.get(at).unwrap_or(&""), two.get(at).unwrap_or(&"")));
            both.collect::<Vec<_>>().join(" ")
        }
        "word" => {
            let at = arg(0).trim().parse::<usize>().unwrap_or(0);
            let word = at.checked_sub(1).and_then(|at| arg(1).split_whitespace().nth(at));
            word.unwrap_or("").to_owned()
        }
        "wordlist" => {
            let first = arg(0).trim().parse::<usize>().unwrap_or(1).max(1);
            let last = arg(1).trim().parse::<usize>().unwrap_or(0);
            let words = arg(2).split_whitespace().skip(first - 1);
            words.take((last + 1).saturating_sub(first)).collect::<Vec<_>>().join(" ")
        }
        "words" => arg(0).split_whitespace().count().to_string(),
        "firstword" => arg(0).split_whitespace().next().unwrap_or("").to_owned(),
        "lastword" => arg(0).split_whitespace().last().unwrap_or("").to_owned(),
        "wildcard" => wildcard(arg(0)),
        "abspath" | "realpath" => each(arg(0), |word| {
            let here = std::env::current_dir().unwrap_or_default();
            let mut whole = std::path::PathBuf::new();
            for part in here.join(word).components() {
                match part {
                    std::path::Component::ParentDir => drop(whole.pop()),
                    std::path::Component::CurDir => {}
                    part => whole.push(part),
                }
            }
            whole.to_string_lossy().into_owned()
        }),
        "origin" => origin(make, arg(0)).to_owned(),
        "flavor" => match make.variables.get(arg(0)) {
            None => "undefined",
            Some(variable) if variable.is_simple => "simple",
            Some(_) => "recursive",
        }
        .to_owned(),
        "value" => make.variables.get(arg(0)).map_or(String::new(), |v| v.value.clone()),
        "if" => {
            let holds = !make.expand(arg(0))?.trim().is_empty();
            make.expand(arg(if holds { 1 } else { 2 }))?
        }
        "or" | "and" => {
            let mut last = String::new();
            for arg in &args {
                last = make.expand(arg)?.trim().to_owned();
                if last.is_empty() == (name == "and") {
                    break;
                }
            }
            last
        }
        "foreach" => {
            let variable = make.expand(arg(0))?.trim().to_owned();
            let list = make.expand(arg(1))?;
            let before = make.variables.get(&variable).cloned();
            let mut parts = Vec::new();
            for word in list.split_whitespace() {
                make.variables.remove(&variable);
                make.define(&variable, word, true, super::Origin::File);
                parts.push(make.expand(arg(2))?);
            }
            match before {
                Some(before) => make.variables.insert(variable, before),
                None => make.variables.remove(&variable),
            };
            parts.join(" ")
        }
        "call" => {
            let text = make.variables.get(arg(0).trim()).map(|variable| variable.value.clone());
            make.calls.push(args.clone());
            let answer = make.expand(&text.unwrap_or_default());
            make.calls.pop();
            answer?
        }
        "eval" => {
            let text = arg(0).to_owned();
            make.read_inside(&text)?;
            String::new()
        }
        "shell" => shell(make, arg(0))?,
        "info" => {
            println!("{}", arg(0));
            String::new()
        }
        "warning" => {
            eprintln!("{}: {}", make.place(), arg(0));
            String::new()
        }
        "error" => {
            crate::commands::uutils::flushed(0);
            eprintln!("{}: *** {}.  Stop.", make.place(), arg(0));
            return Err(USAGE.trouble);
        }
        _ => String::new(),
    }))
}

fn origin(make: &Make, name: &str) -> &'static str {
    use super::Origin;
    match make.variables.get(name).map(|variable| variable.origin) {
        None => "undefined",
        Some(Origin::Default) => "default",
        Some(Origin::Environment) => "environment",
        Some(Origin::EnvironmentOverride) => "environment override",
        Some(Origin::File) => "file",
        Some(Origin::CommandLine) => "command line",
        Some(Origin::Override) => "override",
    }
}

/// Returns the files that match patterns, sorted.
pub(super) fn wildcard(patterns: &str) -> String {
    let mut found = Vec::new();
    for pattern in patterns.split_whitespace() {
        let mut names = vec![String::new()];
        if pattern.starts_with('/') {
            names = vec!["/".to_owned()];
        }
        let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        for part in parts {
            let mut next = Vec::new();
            for base in names {
                if !part.contains(['*', '?', '[']) {
                    let name = format!("{base}{part}");
                    if std::fs::symlink_metadata(&name).is_ok() {
                        next.push(format!("{name}/"));
                    }
                    continue;
                }
                let folder = if base.is_empty() { "." } else { &base };
                let Ok(entries) = std::fs::read_dir(folder) else { continue };
                for entry in entries.flatten() {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    let hidden = name.starts_with('.') && !part.starts_with('.');
                    if !hidden && glob::matches(part.as_bytes(), name.as_bytes()) {
                        next.push(format!("{base}{name}/"));
                    }
                }
            }
            next.sort();
            names = next;
        }
        found.extend(names.into_iter().filter(|name| !name.is_empty()).map(|mut name| {
            if name.len() > 1 && !pattern.ends_with('/') {
                name.pop();
            }
            name
        }));
    }
    found.join(" ")
}

/// Runs a command and returns its output on one line.
pub(super) fn shell(make: &mut Make, command: &str) -> Result<String, i32> {
    let argv = ["sh".into(), "-c".into(), command.into()];
    let mut child = Child::new(&argv);
    child.env = Some(make.environment()?);
    let mut text = Vec::new();
    let output = sys::pipe().and_then(|(read, write)| {
        child.descriptors[1] = write;
        let pid = child.start();
        sys::close(write)?;
        let mut reader = Pipe(read);
        reader.read_to_end(&mut text)?;
        sys::close(read)?;
        wait(pid?)
    });
    let status = output.map_or(127, |status| status.code());
    make.define(".SHELLSTATUS", &status.to_string(), true, super::Origin::File);
    let text = String::from_utf8_lossy(&text);
    Ok(text.trim_end_matches('\n').replace('\n', " "))
}

/// The reading end of a pipe.
struct Pipe(sys::Fd);

impl std::io::Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        sys::read(self.0, buf)
    }
}
