//! `git grep`: options and the files that are searched.

mod pattern;
mod show;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, quoted, text};
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::report::options::coloured;
use crate::revision;
use crate::store::object::{Kind, mode};
use crate::store::oid::Oid;
use crate::tree::changes;
use crate::tree::pathspec::Pathspecs;
use crate::tree::untracked::{self, Show};
use crate::tree::work;
use pattern::{Dialect, Patterns, Token};
use show::{Form, Shown};

const VALUED: Valued = Valued {
    short: "eABCmf",
    attached: "O",
    long: &[
        "--max-depth",
        "--max-count",
        "--after-context",
        "--before-context",
        "--context",
        "--threads",
    ],
};

/// Place of the files.
#[derive(Default)]
struct Place {
    is_cached: bool,
    has_untracked: bool,
    is_outside: bool,
    depth: Option<usize>,
    is_full_name: bool,
}

/// Runs `git grep`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let parsed = call.parse(&VALUED)?;
    let is_outside =
        parsed.iter().any(|arg| matches!(arg, Arg::Option(name, _) if name == "--no-index"));
    let repo = match call.repo() {
        Ok(repo) => repo,
        Err(_) if is_outside => {
            let cwd = crate::repo::current_dir();
            Repo::at(b"/dev/null".to_vec(), Some(cwd.clone()), &cwd, &call.given)?
        }
        Err(fault) => return Err(fault),
    };
    let mut form = Form { is_coloured: coloured(&repo, "color.grep"), ..Form::default() };
    form.has_number = repo.config.flag("grep.linenumber") == Some(true);
    form.has_column = repo.config.flag("grep.column") == Some(true);
    let mut place = Place::default();
    let mut dialect = match repo.config.get("grep.patterntype") {
        Some("extended" | "perl") => Dialect::Extended,
        Some("fixed") => Dialect::Fixed,
        _ => Dialect::Basic,
    };
    let (mut is_insensitive, mut is_word, mut needs_all) = (false, false, false);
    let (mut tokens, mut operands, mut paths, mut has_dashes) =
        (Vec::new(), Vec::new(), Vec::new(), false);
    for arg in parsed {
        let (name, value) = match arg {
            Arg::Operand(operand) if has_dashes => {
                paths.push(operand);
                continue;
            }
            Arg::Operand(operand) if operand == b"(" || operand == b")" => {
                tokens.push(if operand == b"(" { Token::Open } else { Token::Close });
                continue;
            }
            Arg::Operand(operand) => {
                operands.push(operand);
                continue;
            }
            Arg::Dashes => {
                has_dashes = true;
                continue;
            }
            Arg::Option(name, value) => (name, value),
        };
        let number = || -> Result<usize> {
            let given = value_text(&value);
            given.parse().map_err(|_| fatal(format!("invalid number: '{given}'")))
        };
        match name.as_str() {
            "-n" if value.is_some() => (form.before, form.after) = (number()?, number()?),
            "-n" | "--line-number" => form.has_number = true,
            "--no-line-number" => form.has_number = false,
            "--column" => form.has_column = true,
            "-i" | "--ignore-case" => is_insensitive = true,
            "-l" | "--files-with-matches" | "--name-only" => form.shown = Shown::Names,
            "-L" | "--files-without-match" => form.shown = Shown::NamesWithout,
            "-c" | "--count" => form.shown = Shown::Counts,
            "-o" | "--only-matching" => form.shown = Shown::Parts,
            "-q" | "--quiet" => form.shown = Shown::Nothing,
            "-F" | "--fixed-strings" => dialect = Dialect::Fixed,
            "-E" | "--extended-regexp" | "-P" | "--perl-regexp" => dialect = Dialect::Extended,
            "-G" | "--basic-regexp" => dialect = Dialect::Basic,
            "-w" | "--word-regexp" => is_word = true,
            "-v" | "--invert-match" => form.is_inverted = true,
            "-h" => form.has_name = false,
            "-H" => form.has_name = true,
            "-a" | "--text" => form.is_text = true,
            "-I" => form.skips_binary = true,
            "-z" | "--null" => form.is_nul = true,
            "-A" | "--after-context" => form.after = number()?,
            "-B" | "--before-context" => form.before = number()?,
            "-C" | "--context" => (form.before, form.after) = (number()?, number()?),
            "-m" | "--max-count" => form.most = Some(number()?),
            "-p" | "--show-function" => form.has_function = true,
            "-W" | "--function-context" => form.has_whole_functions = true,
            "--heading" => form.has_heading = true,
            "--no-heading" => form.has_heading = false,
            "--break" => form.has_break = true,
            "--no-break" => form.has_break = false,
            "--color" => form.is_coloured = !matches!(value.as_deref(), Some(b"never" | b"auto")),
            "--no-color" => form.is_coloured = false,
            "--cached" => place.is_cached = true,
            "--untracked" => place.has_untracked = true,
            "--no-index" => place.is_outside = true,
            "--full-name" => place.is_full_name = true,
            "--max-depth" => place.depth = number().ok(),
            "-r"
            | "--recursive"
            | "--no-recursive"
            | "--exclude-standard"
            | "--threads"
            | "--no-exclude-standard"
            | "--textconv"
            | "--no-textconv"
            | "--recurse-submodules" => {}
            "-e" => tokens.push(Token::Pattern(value_text(&value))),
            "-f" => {
                let file = value.unwrap_or_default();
                let data = std::fs::read(bytes::path(&file)).map_err(|e| {
                    let reason = crate::fault::reason(&e);
                    fatal(format!("cannot open '{}': {reason}", text(&file)))
                })?;
                let lines = bytes::lines(&data).map(|line| text(line.trim_ascii_end()));
                tokens.extend(lines.map(Token::Pattern));
            }
            "--and" => tokens.push(Token::And),
            "--or" => tokens.push(Token::Or),
            "--not" => tokens.push(Token::Not),
            "--all-match" => needs_all = true,
            "-O" | "--open-files-in-pager" => {
                return Err(fatal("git grep -O needs a terminal; use git grep -l"));
            }
            other => return Err(call.unknown(other)),
        }
    }
    if !tokens.iter().any(|token| matches!(token, Token::Pattern(_))) {
        if operands.is_empty() {
            return Err(fatal("no pattern given"));
        }
        tokens.push(Token::Pattern(text(&operands.remove(0))));
    }
    let patterns = Patterns::new(&tokens, dialect, is_word, is_insensitive, needs_all)?;
    let mut trees = Vec::new();
    while !place.is_outside
        && let Some(first) = operands.first()
        && let Some(oid) = revision::find(&repo, first)?
    {
        trees.push((text(first), revision::peel(&repo, oid, Kind::Tree)?));
        operands.remove(0);
    }
    if !has_dashes && !place.is_outside {
        for operand in &operands {
            let exists = repo
                .relative(operand)
                .is_ok_and(|path| crate::repo::exists(&repo.work_path(&path)));
            let is_magic = operand.starts_with(b":") || crate::tree::glob::is_pattern(operand);
            let is_bare = trees.is_empty() && repo.work_tree.is_none();
            if !exists && !is_magic && !is_bare {
                return Err(revision::unknown(&repo, operand));
            }
        }
    }
    operands.append(&mut paths);
    if operands.is_empty() && !repo.prefix.is_empty() {
        operands.push(b".".to_vec());
    }
    let specs = Pathspecs::new(&repo, &operands)?;
    let mut printer = show::Printer::new(&form, &patterns);
    for (name, oid, path) in files(&repo, &place, &trees)? {
        let depth = path.iter().filter(|b| **b == b'/').count();
        if !specs.selects(&path) || place.depth.is_some_and(|most| depth > most) {
            continue;
        }
        let data = match oid {
            Some(oid) => repo.odb.blob(oid)?,
            None => match work::read(&repo, &path, mode::FILE) {
                Ok(data) => data,
                Err(_) => continue,
            },
        };
        let shown = if place.is_full_name { path.clone() } else { repo.shown(&path) };
        let shown = if form.is_nul { shown } else { quoted(&shown) };
        let name = match name {
            Some(tree) => [tree.as_bytes(), b":", &shown].concat(),
            None => shown,
        };
        let is_binary = match repo.attributes.state(&path, "diff") {
            crate::tree::attributes::State::Unset => true,
            _ => crate::text::compare::is_binary(&data),
        };
        printer.file(&name, &data, is_binary, call.out);
        if form.shown == Shown::Nothing && printer.is_found {
            break;
        }
    }
    Ok(i32::from(!printer.is_found))
}

/// A file to search: the name of its tree, its blob unless it is in the work tree, and its path.
type File = (Option<String>, Option<Oid>, Vec<u8>);

fn files(repo: &Repo, place: &Place, trees: &[(String, Oid)]) -> Result<Vec<File>> {
    let mut out = Vec::new();
    if place.is_outside {
        let empty = crate::store::index::Index::default();
        let found = untracked::find(repo, &empty, &Pathspecs::all(), Show::All)?;
        let mut all: Vec<Vec<u8>> = found.untracked.into_iter().chain(found.ignored).collect();
        all.sort();
        return Ok(all.into_iter().map(|path| (None, None, path)).collect());
    }
    for (name, tree) in trees {
        for (path, (mode, oid)) in changes::files(&repo.odb, *tree)? {
            if mode >> 12 == 8 {
                out.push((Some(name.clone()), Some(oid), path));
            }
        }
    }
    if !trees.is_empty() {
        return Ok(out);
    }
    let index = repo.index()?;
    let is_file = |mode: u32| mode >> 12 == 8;
    for entry in index.entries.iter().filter(|entry| is_file(entry.mode)) {
        if out.last().is_some_and(|(_, _, path): &File| *path == entry.path) {
            continue;
        }
        out.push((None, place.is_cached.then_some(entry.oid), entry.path.clone()));
    }
    if place.has_untracked {
        let found = untracked::find(repo, &index, &Pathspecs::all(), Show::All)?;
        out.extend(found.untracked.into_iter().map(|path| (None, None, path)));
        out.sort_by(|a, b| a.2.cmp(&b.2));
    }
    Ok(out)
}
