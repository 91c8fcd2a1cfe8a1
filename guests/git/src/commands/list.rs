//! `git ls-files`, `git ls-tree` and `git check-ignore`.

use std::io::BufRead as _;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{join, quoted, text};
use crate::fault::{At, Fault, Result, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::object::{Kind, TreeEntry, mode};
use crate::store::oid::Oid;
use crate::tree::changes::{self, Status};
use crate::tree::ignore::Ignore;
use crate::tree::pathspec::Pathspecs;
use crate::tree::untracked::{self, Show};

/// Runs `git ls-files`.
pub(crate) fn ls_files(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut has_stage, mut is_nul, mut is_strict, mut is_full, mut is_standard) =
        (false, false, false, false, false);
    let (
        mut cached,
        mut others,
        mut modified,
        mut deleted,
        mut unmerged,
        mut ignored,
        mut directory,
    ) = (false, false, false, false, false, false, false);
    let (mut has_tag, mut has_case_tag, mut has_eol, mut others_killed) =
        (false, false, false, false);
    let (mut excluded, mut format) = (Vec::new(), None);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued {
        short: "xX",
        long: &["--exclude", "--exclude-from", "--format"],
        ..Valued::default()
    })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-c" | "--cached" => cached = true,
                "-o" | "--others" => others = true,
                "-m" | "--modified" => modified = true,
                "-d" | "--deleted" => deleted = true,
                "-u" | "--unmerged" => unmerged = true,
                "-i" | "--ignored" => ignored = true,
                "-s" | "--stage" => has_stage = true,
                "-z" => is_nul = true,
                "--error-unmatch" => is_strict = true,
                "--full-name" => is_full = true,
                "--exclude-standard" => is_standard = true,
                "--directory" => directory = true,
                "-t" => has_tag = true,
                "-v" | "-f" => has_case_tag = true,
                "--eol" => has_eol = true,
                "-x" | "--exclude" => excluded.extend(value),
                "--format" => format = Some(value_text(&value)),
                "-k" | "--killed" => others_killed = true,
                "--no-empty-directory" | "--deduplicate" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let mut args = operands.clone();
    if args.is_empty() && !repo.prefix.is_empty() {
        args.push(b".".to_vec());
    }
    let paths =
        if repo.work_tree.is_some() { Pathspecs::new(&repo, &args)? } else { Pathspecs::all() };
    let mut index = repo.index()?;
    let shown = |path: &[u8]| {
        let path = if is_full { path.to_vec() } else { repo.shown(path) };
        if is_nul { path } else { quoted(&path) }
    };
    let end: &[u8] = if is_nul { b"\0" } else { b"\n" };
    if is_strict {
        for item in paths.items() {
            if !index.entries.iter().any(|entry| item.selects(&entry.path)) {
                let given = text(&item.given);
                return Err(Fault {
                    code: 1,
                    text: format!(
                        "error: pathspec '{given}' did not match any file(s) known to git\nDid you forget to 'git add'?"
                    ),
                });
            }
        }
    }
    if others {
        let show = if directory { Show::Collapsed } else { Show::All };
        let found = untracked::find(&repo, &index, &paths, show)?;
        let mut list = match (ignored, is_standard) {
            (true, _) => found.ignored,
            (false, true) => found.untracked,
            (false, false) => {
                let mut all = found.untracked;
                all.extend(found.ignored);
                all.sort();
                all
            }
        };
        list.dedup();
        let is_excluded = |path: &[u8]| {
            let name = path.rsplit(|b| *b == b'/').next().unwrap_or_default();
            excluded.iter().any(|pattern| {
                let text = if pattern.contains(&b'/') { path } else { name };
                crate::tree::glob::matches(pattern, text, crate::tree::glob::Slash::Apart)
            })
        };
        list.retain(|path| is_excluded(path) == (ignored && !excluded.is_empty()));
        for path in list {
            if has_tag || has_case_tag {
                call.out.text("? ");
            }
            call.out.text([&shown(&path), end].concat());
        }
    }
    if deleted || modified {
        for change in changes::index_and_work(&repo, &mut index, &paths)? {
            if deleted && change.status == Status::Deleted || modified {
                if has_tag || has_case_tag {
                    call.out.text(if deleted { "R " } else { "C " });
                }
                call.out.text([&shown(&change.path), end].concat());
            }
        }
    }
    if cached || has_stage || unmerged || !(others || modified || deleted || others_killed) {
        for entry in index.entries.iter().filter(|entry| paths.selects(&entry.path)) {
            if unmerged && entry.stage == 0 {
                continue;
            }
            if let Some(format) = &format {
                let line = format
                    .replace("%(objectmode)", &format!("{:06o}", entry.mode))
                    .replace("%(objectname)", &entry.oid.to_string())
                    .replace("%(objecttype)", "blob")
                    .replace("%(stage)", &entry.stage.to_string())
                    .replace("%(path)", &text(&shown(&entry.path)));
                call.out.text([line.as_bytes(), end].concat());
                continue;
            }
            if has_tag || has_case_tag {
                let tag = match (entry.stage > 0, entry.is_skipped) {
                    (true, _) => 'M',
                    (false, true) => 'S',
                    (false, false) => 'H',
                };
                let is_low = has_case_tag && entry.is_assumed;
                call.out.text(format!("{} ", if is_low { tag.to_ascii_lowercase() } else { tag }));
            }
            if has_eol {
                call.out.text(eol(&repo, entry));
            }
            if has_stage || unmerged {
                call.out.text(format!("{:06o} {} {}\t", entry.mode, entry.oid, entry.stage));
            }
            call.out.text([&shown(&entry.path), end].concat());
        }
    }
    Ok(0)
}

/// Returns the columns of `--eol` for a file.
fn eol(repo: &Repo, entry: &crate::store::index::Entry) -> String {
    use crate::tree::attributes::State;
    let is_file = entry.mode >> 12 == 8;
    let stored = repo.odb.blob(entry.oid).ok().filter(|_| is_file);
    let work = std::fs::read(crate::bytes::path(&repo.work_path(&entry.path))).ok();
    let ends = |data: Option<Vec<u8>>| data.map_or("", |data| crate::tree::convert::ends(&data));
    let text = match repo.attributes.state(&entry.path, "text") {
        State::Set => "text".to_owned(),
        State::Unset => "-text".to_owned(),
        State::Value(value) => format!("text={}", crate::bytes::text(&value)),
        State::Unspecified => String::new(),
    };
    let eol = match repo.attributes.value(&entry.path, "eol") {
        Some(value) if text != "-text" => {
            let gap = if text.is_empty() { "text " } else { " " };
            format!("{gap}eol={}", crate::bytes::text(&value))
        }
        _ => String::new(),
    };
    format!("i/{:<5} w/{:<5} attr/{:<17}\t", ends(stored), ends(work), text + &eol)
}

/// Prints a tree as `git cat-file -p` does.
pub(crate) fn print_tree(call: &mut Call<'_>, repo: &Repo, tree: Oid) -> Result<()> {
    for entry in repo.odb.tree(tree)? {
        let name = quoted(&entry.name);
        call.out.line([line(&entry).as_bytes(), b"\t", &name].concat());
    }
    Ok(())
}

fn line(entry: &TreeEntry) -> String {
    let kind = match entry.mode {
        mode::TREE => Kind::Tree,
        mode::SUBMODULE => Kind::Commit,
        _ => Kind::Blob,
    };
    format!("{:06o} {} {}", entry.mode, kind.name(), entry.oid)
}

/// Runs `git ls-tree`.
pub(crate) fn ls_tree(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (
        mut is_recursive,
        mut only_trees,
        mut with_trees,
        mut names_only,
        mut has_size,
        mut is_nul,
        mut is_full,
    ) = (false, false, false, false, false, false, false);
    let (mut digits, mut objects_only, mut format) = (None, false, None);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued { long: &["--format"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-r" => is_recursive = true,
                "-d" => only_trees = true,
                "-t" => with_trees = true,
                "--name-only" | "--name-status" => names_only = true,
                "-l" | "--long" => has_size = true,
                "-z" => is_nul = true,
                "--full-tree" | "--full-name" => is_full = true,
                "--abbrev" => digits = Some(value_text(&value).parse().unwrap_or(7)),
                "--object-only" => objects_only = true,
                "--format" => format = Some(value_text(&value)),
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if operands.is_empty() {
        return Err(Fault {
            code: 129,
            text: "usage: git ls-tree [<options>] <tree-ish> [<path>...]".to_owned(),
        });
    }
    let name = operands.remove(0);
    let Some(oid) = revision::find(&repo, &name)? else {
        return Err(fatal(format!("Not a valid object name {}", text(&name))));
    };
    let tree = revision::peel(&repo, oid, Kind::Tree)?;
    let prefix = if is_full { Vec::new() } else { repo.prefix.clone() };
    let mut wanted: Vec<Vec<u8>> = operands.iter().map(|path| join(&prefix, path)).collect();
    if wanted.is_empty() && !prefix.is_empty() {
        wanted.push([prefix.as_slice(), b"/"].concat());
    }
    let mut entries = Vec::new();
    collect(&repo, tree, b"", &wanted, is_recursive, &mut entries)?;
    for (path, entry) in entries {
        let is_tree = entry.mode == mode::TREE;
        if only_trees && !is_tree || is_tree && is_recursive && !with_trees && !only_trees {
            continue;
        }
        let path = match path.strip_prefix(prefix.as_slice()) {
            Some(rest) if !prefix.is_empty() => rest.strip_prefix(b"/").unwrap_or(rest).to_vec(),
            _ => path,
        };
        let shown = if is_nul { path } else { quoted(&path) };
        let id = match digits {
            Some(digits) => repo.odb.short_by(entry.oid, digits),
            None => entry.oid.to_string(),
        };
        if let Some(format) = &format {
            let full = line(&entry);
            let kind = full.split(' ').nth(1).unwrap_or_default();
            let size = match is_tree {
                true => "-".to_owned(),
                false if format.contains("objectsize") => {
                    repo.odb.blob(entry.oid)?.len().to_string()
                }
                false => String::new(),
            };
            let shown = format
                .replace("%(objectmode)", &format!("{:06o}", entry.mode))
                .replace("%(objecttype)", kind)
                .replace("%(objectname)", &id)
                .replace("%(objectsize:padded)", &format!("{size:>7}"))
                .replace("%(objectsize)", &size)
                .replace("%(path)", &text(&shown));
            call.out.text([shown.as_bytes(), if is_nul { b"\0" } else { b"\n" }].concat());
            continue;
        }
        if objects_only {
            call.out.text([id.as_bytes(), if is_nul { b"\0" } else { b"\n" }].concat());
            continue;
        }
        if !names_only {
            call.out.text(line(&entry).replace(&entry.oid.to_string(), &id));
            if has_size {
                let size = if is_tree {
                    "-".to_owned()
                } else {
                    repo.odb.blob(entry.oid)?.len().to_string()
                };
                call.out.text(format!(" {size:>7}"));
            }
            call.out.text("\t");
        }
        call.out.text([shown.as_slice(), if is_nul { b"\0" } else { b"\n" }].concat());
    }
    Ok(0)
}

fn collect(
    repo: &Repo,
    tree: Oid,
    dir: &[u8],
    wanted: &[Vec<u8>],
    is_recursive: bool,
    out: &mut Vec<(Vec<u8>, TreeEntry)>,
) -> Result<()> {
    crate::tree::changes::check_depth(dir)?;
    for entry in repo.odb.tree(tree)? {
        let path = join(dir, &entry.name);
        let below = [path.as_slice(), b"/"].concat();
        let is_above = wanted.iter().any(|want| want.starts_with(&below));
        let is_wanted = wanted.is_empty()
            || wanted.iter().any(|want| {
                let bare = want.strip_suffix(b"/").unwrap_or(want);
                path == bare && !want.ends_with(b"/") || path.starts_with(&[bare, b"/"].concat())
            });
        let is_tree = entry.mode == mode::TREE;
        if is_wanted {
            out.push((path.clone(), entry.clone()));
        }
        if is_tree && (is_recursive && is_wanted || is_above) {
            collect(repo, entry.oid, &path, wanted, is_recursive, out)?;
        }
    }
    Ok(())
}

/// Runs `git check-ignore`.
pub(crate) fn check_ignore(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let (mut is_quiet, mut is_verbose, mut has_input, mut shows_others, mut no_index) =
        (false, false, false, false, false);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-q" | "--quiet" => is_quiet = true,
                "-v" | "--verbose" => is_verbose = true,
                "--stdin" => has_input = true,
                "-n" | "--non-matching" => shows_others = true,
                "--no-index" => no_index = true,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if has_input {
        for line in std::io::stdin().lock().split(b'\n') {
            operands.push(line.at(b"standard input")?);
        }
    }
    if operands.is_empty() {
        return Err(fatal("no path specified"));
    }
    let index = repo.index()?;
    let ignore = Ignore::new(&repo);
    let mut code = 1;
    for operand in operands {
        let path = repo.relative(&operand)?;
        let is_directory =
            operand.ends_with(b"/") || crate::bytes::path(&repo.work_path(&path)).is_dir();
        let is_known = !no_index && index.get(&path).is_some();
        let rule = match is_known {
            true => None,
            false => ignore.with_rule(&path, is_directory, |rule| {
                let place = format!("{}:{}:{}\t", text(&rule.file), rule.line, text(&rule.text));
                (rule.is_negated, place)
            }),
        };
        match rule {
            Some((is_negated, place)) if !is_negated || is_verbose => {
                code = 0;
                if !is_quiet {
                    let place = if is_verbose { place } else { String::new() };
                    call.out.line([place.as_bytes(), &quoted(&operand)].concat());
                }
            }
            _ if is_verbose && shows_others => {
                call.out.line([b"::\t", operand.as_slice()].concat())
            }
            _ => {}
        }
    }
    Ok(code)
}
