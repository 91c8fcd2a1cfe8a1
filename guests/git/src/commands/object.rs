//! Commands on single objects: `cat-file`, `hash-object`, `write-tree`, `commit-tree`, `read-tree`
//! and `update-index`.

use std::io::{BufRead as _, Read as _};

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, text};
use crate::fault::{At, Fault, Result, fatal, silent};
use crate::ident;
use crate::repo::Repo;
use crate::revision;
use crate::store::index::Entry;
use crate::store::object::{Commit, Kind};
use crate::store::oid::Oid;

/// Runs `git cat-file`.
pub(crate) fn cat_file(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut operands = Vec::new();
    let (mut mode, mut batch, mut has_content, mut is_all) = (' ', None, true, false);
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-t" => mode = 't',
                "-s" => mode = 's',
                "-p" => mode = 'p',
                "-e" => mode = 'e',
                "--batch" | "--batch-check" => {
                    has_content = name == "--batch";
                    batch = Some(value.map_or_else(
                        || "%(objectname) %(objecttype) %(objectsize)".to_owned(),
                        |v| text(&v),
                    ));
                }
                "--batch-all-objects" => is_all = true,
                "--buffer"
                | "--unordered"
                | "--allow-unknown-type"
                | "--textconv"
                | "--filters" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if let Some(format) = batch {
        let lines: Box<dyn Iterator<Item = std::io::Result<Vec<u8>>>> = match is_all {
            true => Box::new(
                every_object(&repo).into_iter().map(|oid| Ok(oid.to_string().into_bytes())),
            ),
            false => Box::new(std::io::stdin().lock().split(b'\n')),
        };
        for line in lines {
            let mut line = line.at(b"standard input")?;
            // The text behind the name is kept for the output if the format has a place for it.
            let mut tail = Vec::new();
            if format.contains("%(rest)")
                && let Some(at) = line.iter().position(u8::is_ascii_whitespace)
            {
                tail = line[at..].trim_ascii_start().to_vec();
                line.truncate(at);
            }
            let Some(oid) = revision::find(&repo, &line)?.filter(|oid| repo.odb.has(*oid)) else {
                call.out.line([line.as_slice(), b" missing"].concat());
                continue;
            };
            let (kind, data) = repo.odb.read(oid)?;
            let shown = format
                .replace("%(objectname)", &oid.to_string())
                .replace("%(objecttype)", kind.name())
                .replace("%(objectsize)", &data.len().to_string())
                .replace("%(rest)", &text(&tail));
            call.out.line(shown);
            if has_content {
                call.out.text(&data);
                call.out.text("\n");
            }
        }
        return Ok(0);
    }
    let wanted = match (mode, &operands[..]) {
        (' ', [kind, _]) => Some(
            Kind::parse(kind)
                .ok_or_else(|| fatal(format!("invalid object type \"{}\"", text(kind))))?,
        ),
        (' ', _) => {
            return Err(Fault {
                code: 129,
                text: "usage: git cat-file (-e | -p | -t | -s | <type>) <object>".to_owned(),
            });
        }
        _ => None,
    };
    let name = operands.last().cloned().unwrap_or_default();
    let oid = match revision::find(&repo, &name)? {
        Some(oid) if mode != 'e' || repo.odb.has(oid) => oid,
        Some(_) => return Err(silent(1)),
        None if name.contains(&b':') => return Err(revision::unknown(&repo, &name)),
        None => return Err(fatal(format!("Not a valid object name {}", text(&name)))),
    };
    let oid = match wanted {
        Some(kind) => revision::peel(&repo, oid, kind)?,
        None => oid,
    };
    let (kind, data) = repo.odb.read(oid)?;
    match mode {
        't' => call.out.line(kind.name()),
        's' => call.out.line(data.len().to_string()),
        'e' => {}
        'p' if kind == Kind::Tree => super::list::print_tree(call, &repo, oid)?,
        _ => call.out.text(data),
    }
    Ok(0)
}

/// Returns all objects of the database, in the order of their identities.
fn every_object(repo: &Repo) -> Vec<Oid> {
    (0..=255_u8).flat_map(|byte| repo.odb.beginning_with(&format!("{byte:02x}"))).collect()
}

/// Runs `git hash-object`.
pub(crate) fn hash_object(call: &mut Call<'_>) -> Result<i32> {
    let (mut is_stored, mut has_input, mut kind, mut files) =
        (false, false, Kind::Blob, Vec::new());
    for arg in call.parse(&Valued { short: "t", long: &["--path"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-w" => is_stored = true,
                "--stdin" => has_input = true,
                "--stdin-paths" => {
                    for line in std::io::stdin().lock().split(b'\n') {
                        files.push(line.at(b"standard input")?);
                    }
                }
                "-t" => {
                    let given = value.unwrap_or_default();
                    kind = Kind::parse(&given).ok_or_else(|| {
                        fatal(format!("invalid object type \"{}\"", text(&given)))
                    })?;
                }
                "--path" | "--no-filters" | "--literally" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => files.push(operand),
            Arg::Dashes => {}
        }
    }
    let mut all = Vec::new();
    if has_input {
        let mut data = Vec::new();
        std::io::stdin().read_to_end(&mut data).at(b"standard input")?;
        all.push(data);
    }
    for file in files {
        let data = std::fs::read(bytes::path(&file));
        all.push(data.map_err(|e| {
            fatal(format!(
                "could not open '{}' for reading: {}",
                text(&file),
                crate::fault::reason(&e)
            ))
        })?);
    }
    for data in all {
        let oid = match is_stored {
            true => call.repo()?.odb.write(kind, &data)?,
            false => Oid::of(kind.name(), &data),
        };
        call.out.line(oid.to_string());
    }
    Ok(0)
}

/// Runs `git write-tree`.
pub(crate) fn write_tree(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let index = repo.index()?;
    if let Some(path) = index.conflicts().first() {
        return Err(Fault {
            code: 128,
            text: format!("{}: unmerged\nfatal: git-write-tree: error building trees", text(path)),
        });
    }
    call.out.line(index.write_tree(&repo.odb)?.to_string());
    Ok(0)
}

/// Runs `git read-tree`.
pub(crate) fn read_tree(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_updated, mut name) = (false, None);
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(option, _) => match option.as_str() {
                "-u" => is_updated = true,
                "-m" | "--reset" | "-q" => {}
                "--empty" => {
                    let mut index = repo.index()?;
                    index.entries.clear();
                    repo.write_index(&mut index)?;
                    return Ok(0);
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => name = Some(operand),
            Arg::Dashes => {}
        }
    }
    let tree = revision::tree(&repo, &name.unwrap_or_default())?;
    let mut index = repo.index()?;
    match is_updated {
        true => crate::tree::checkout::force(&repo, &mut index, tree)?,
        false => super::reset::read_tree(&repo, &mut index, tree)?,
    }
    repo.write_index(&mut index)?;
    Ok(0)
}

/// Runs `git commit-tree`.
pub(crate) fn commit_tree(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut tree, mut parents, mut messages) = (None, Vec::new(), Vec::new());
    for arg in call.parse(&Valued { short: "pmF", ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-p" => parents.push(revision::commit(&repo, &value.unwrap_or_default())?),
                "-m" => messages.extend(value),
                "-F" => {
                    let file = value.unwrap_or_default();
                    messages.push(std::fs::read(bytes::path(&file)).at(&file)?);
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => tree = Some(operand),
            Arg::Dashes => {}
        }
    }
    let tree = revision::tree(&repo, &tree.unwrap_or_default())?;
    let mut message = messages.join(&b"\n\n"[..]);
    if messages.is_empty() {
        std::io::stdin().read_to_end(&mut message).at(b"standard input")?;
    }
    if !message.ends_with(b"\n") {
        message.push(b'\n');
    }
    let commit = Commit {
        tree,
        parents,
        author: ident::author(&repo, None)?,
        committer: ident::committer(&repo)?,
        more: Vec::new(),
        message,
    };
    call.out.line(repo.odb.write(Kind::Commit, &commit.write())?.to_string());
    Ok(0)
}

/// Runs `git update-index`.
pub(crate) fn update_index(call: &mut Call<'_>) -> Result<i32> {
    let repo: Repo = call.repo()?;
    let mut index = repo.index()?;
    let (mut may_add, mut may_remove, mut assume, mut mode) = (false, false, None, None);
    let (mut skip, mut is_quiet, mut code) = (None, false, 0);
    for arg in call.parse(&Valued { long: &["--cacheinfo", "--chmod"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "--add" => may_add = true,
                "--remove" => may_remove = true,
                "--skip-worktree" => skip = Some(true),
                "--no-skip-worktree" => skip = Some(false),
                "--assume-unchanged" => assume = Some(true),
                "--no-assume-unchanged" => assume = Some(false),
                "--chmod" => mode = Some(value_text(&value)),
                "--cacheinfo" => {
                    let given = value_text(&value);
                    let parts: Vec<&str> = given.splitn(3, ',').collect();
                    let [mode, oid, path] = parts[..] else {
                        return Err(fatal(format!(
                            "option 'cacheinfo' expects <mode>,<sha1>,<path>: {given}"
                        )));
                    };
                    let mode = u32::from_str_radix(mode, 8)
                        .map_err(|_| fatal(format!("bad mode: {mode}")))?;
                    let oid = Oid::parse(oid.as_bytes())
                        .ok_or_else(|| fatal(format!("bad object: {oid}")))?;
                    crate::tree::checkout::check_path(path.as_bytes())?;
                    if !may_add && index.get(path.as_bytes()).is_none() {
                        return Err(Fault {
                            code: crate::fault::FATAL,
                            text: format!(
                                "error: {path}: cannot add to the index - missing --add option?\nfatal: git update-index: --cacheinfo cannot add {path}"
                            ),
                        });
                    }
                    index.put(Entry::new(path.as_bytes().to_vec(), mode, oid));
                }
                "-q" => is_quiet = true,
                "--refresh" | "--really-refresh" | "--again" => {
                    let all = crate::tree::pathspec::Pathspecs::all();
                    let found = crate::tree::changes::index_and_work(&repo, &mut index, &all)?;
                    for change in found.iter().filter(|_| !is_quiet) {
                        call.out.line([change.path.as_slice(), b": needs update"].concat());
                        code = 1;
                    }
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => {
                let path = repo.relative(&operand)?;
                let exists = crate::repo::exists(&repo.work_path(&path));
                if let Some(skip) = skip {
                    match index.get_mut(&path) {
                        Some(entry) => entry.is_skipped = skip,
                        None => {
                            let shown = text(&operand);
                            return Err(fatal(format!("Unable to mark file {shown}")));
                        }
                    }
                } else if let Some(assume) = assume {
                    if let Some(entry) = index.get_mut(&path) {
                        entry.is_assumed = assume;
                    }
                } else if exists && (may_add || index.get(&path).is_some()) {
                    super::add::stage(&repo, &mut index, &path)?;
                } else if !exists && may_remove {
                    index.remove(&path);
                } else {
                    let shown = text(&operand);
                    let reason = match exists {
                        true => "cannot add to the index - missing --add option?",
                        false => "does not exist and --remove not passed",
                    };
                    return Err(Fault {
                        code: crate::fault::FATAL,
                        text: format!(
                            "error: {shown}: {reason}\nfatal: Unable to process path {shown}"
                        ),
                    });
                }
                if let (Some(mode), Some(entry)) = (&mode, index.get_mut(&path)) {
                    entry.mode = if mode == "+x" { 0o100_755 } else { 0o100_644 };
                }
            }
            Arg::Dashes => {}
        }
    }
    repo.write_index(&mut index)?;
    Ok(code)
}
