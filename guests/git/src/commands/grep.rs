//! `git grep`.

use regex::bytes::RegexBuilder;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{quoted, text};
use crate::fault::{Fault, Result, fatal};
use crate::revision;
use crate::store::object::{Kind, mode};
use crate::tree::changes;
use crate::tree::pathspec::Pathspecs;
use crate::tree::work;

/// Runs `git grep`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (
        mut has_number,
        mut is_insensitive,
        mut names_only,
        mut is_count,
        mut is_fixed,
        mut is_word,
        mut is_inverted,
        mut is_quiet,
    ) = (false, false, false, false, false, false, false, false);
    let (mut is_cached, mut without, mut has_name, mut is_basic, mut only_match) =
        (false, false, true, true, false);
    let (mut patterns, mut operands, mut paths, mut has_dashes) =
        (Vec::new(), Vec::new(), Vec::new(), false);
    for arg in call.parse(&Valued {
        short: "eABCm",
        long: &["--max-depth", "--max-count"],
        ..Valued::default()
    })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-n" | "--line-number" => has_number = true,
                "-i" | "--ignore-case" => is_insensitive = true,
                "-l" | "--files-with-matches" | "--name-only" => names_only = true,
                "-L" | "--files-without-match" => without = true,
                "-c" | "--count" => is_count = true,
                "-F" | "--fixed-strings" => is_fixed = true,
                "-w" | "--word-regexp" => is_word = true,
                "-v" | "--invert-match" => is_inverted = true,
                "-q" | "--quiet" => is_quiet = true,
                "-E" | "--extended-regexp" | "-P" | "--perl-regexp" => is_basic = false,
                "-G" | "--basic-regexp" => is_basic = true,
                "-h" => has_name = false,
                "-H" | "-I" | "-r" | "--recursive" | "--color" | "--no-color" | "--untracked"
                | "--max-depth" | "--full-name" => {}
                "-o" | "--only-matching" => only_match = true,
                "--cached" => is_cached = true,
                "-e" => patterns.push(value_text(&value)),
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) if has_dashes => paths.push(operand),
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => has_dashes = true,
        }
    }
    if patterns.is_empty() {
        if operands.is_empty() {
            return Err(fatal("no pattern given"));
        }
        patterns.push(text(&operands.remove(0)));
    }
    let mut tree = None;
    if let Some(first) = operands.first()
        && let Some(oid) = revision::find(&repo, first)?
    {
        tree = Some((text(first), revision::peel(&repo, oid, Kind::Tree)?));
        operands.remove(0);
    }
    operands.append(&mut paths);
    if operands.is_empty() && !repo.prefix.is_empty() {
        operands.push(b".".to_vec());
    }
    let specs = Pathspecs::new(&repo, &operands)?;
    let joined: Vec<String> = patterns
        .iter()
        .flat_map(|pattern| pattern.split('\n'))
        .map(|pattern| {
            let pattern = match (is_fixed, is_basic) {
                (true, _) => regex::escape(pattern),
                (false, true) => from_basic(pattern),
                (false, false) => pattern.to_owned(),
            };
            if is_word { format!("\\b(?:{pattern})\\b") } else { format!("(?:{pattern})") }
        })
        .collect();
    let regex = RegexBuilder::new(&joined.join("|")).case_insensitive(is_insensitive).build();
    let regex = regex.map_err(|_| Fault {
        code: 128,
        text: format!("fatal: command line, '{}': invalid regular expression", patterns.join("\n")),
    })?;
    let index = repo.index()?;
    let files: Vec<(Vec<u8>, Option<crate::store::oid::Oid>)> = match &tree {
        Some((_, tree)) => changes::files(&repo.odb, *tree)?
            .into_iter()
            .filter(|(_, (mode, _))| mode >> 12 == 8)
            .map(|(path, (_, oid))| (path, Some(oid)))
            .collect(),
        None => index
            .entries
            .iter()
            .filter(|e| e.stage == 0 && e.mode >> 12 == 8)
            .map(|e| (e.path.clone(), is_cached.then_some(e.oid)))
            .collect(),
    };
    let mut code = 1;
    for (path, oid) in files.into_iter().filter(|(path, _)| specs.selects(path)) {
        let data = match oid {
            Some(oid) => repo.odb.blob(oid)?,
            None => match work::read(&repo, &path, mode::FILE) {
                Ok(data) => data,
                Err(_) => continue,
            },
        };
        let name = match &tree {
            Some((name, _)) => [name.as_bytes(), b":", &quoted(&repo.shown(&path))].concat(),
            None => quoted(&repo.shown(&path)),
        };
        let is_binary = crate::text::compare::is_binary(&data);
        let mut count = 0;
        for (number, line) in data.split_inclusive(|b| *b == b'\n').enumerate() {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            if regex.is_match(line) == is_inverted {
                continue;
            }
            count += 1;
            code = if without { code } else { 0 };
            if is_quiet {
                return Ok(0);
            }
            if names_only || without || is_count {
                continue;
            }
            if is_binary {
                call.out.line([b"Binary file ".as_slice(), &name, b" matches"].concat());
                break;
            }
            let mut head = if has_name { [name.as_slice(), b":"].concat() } else { Vec::new() };
            if has_number {
                head.extend(format!("{}:", number + 1).bytes());
            }
            if only_match {
                for found in regex.find_iter(line) {
                    call.out.line([&head, found.as_bytes()].concat());
                }
            } else {
                call.out.line([&head, line].concat());
            }
        }
        if names_only && count > 0 || without && count == 0 {
            code = 0;
            call.out.line(&name);
        } else if is_count && count > 0 {
            call.out.line([&name, format!(":{count}").as_bytes()].concat());
        }
    }
    Ok(code)
}

/// Turns a basic regular expression into an extended one.
fn from_basic(pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('|' | '+' | '?' | '(' | ')' | '{' | '}')) => out.push(c),
                Some('<' | '>') => out.push_str("\\b"),
                Some(c) => {
                    out.push('\\');
                    out.push(c);
                }
                None => out.push_str("\\\\"),
            },
            '|' | '+' | '?' | '(' | ')' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
