//! Small commands on text and files: `merge-file`, `stripspace`, `check-ref-format`, `mktree`,
//! `whatchanged` and `submodule`.

use std::io::Read as _;

use super::Call;
use crate::args::{Arg, Valued};
use crate::bytes::{self, text};
use crate::fault::{At, Fault, Result, USAGE, error, fatal, silent};
use crate::store::object::{Kind, TreeEntry, mode};
use crate::store::oid::Oid;
use crate::text::merge::{Favor, Labels};
use crate::text::message;

/// Runs `git merge-file`.
pub(crate) fn merge_file(call: &mut Call<'_>) -> Result<i32> {
    let (mut is_printed, mut is_quiet, mut favor) = (false, false, Favor::Neither);
    let (mut labels, mut files) = (Vec::new(), Vec::new());
    for arg in call.parse(&Valued { short: "L", ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-p" | "--stdout" => is_printed = true,
                "-q" | "--quiet" => is_quiet = true,
                "-L" => labels.push(text(&value.unwrap_or_default())),
                "--ours" => favor = Favor::Ours,
                "--theirs" => favor = Favor::Theirs,
                "--union" => favor = Favor::Union,
                "--diff3" | "--zdiff3" => favor = Favor::WithBase,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => files.push(operand),
            Arg::Dashes => {}
        }
    }
    let [ours, base, theirs] = &files[..] else {
        let text = "usage: git merge-file [<options>] [-L <name1> [-L <orig> [-L <name2>]]] <file1> <orig-file> <file2>";
        return Err(Fault { code: USAGE, text: text.to_owned() });
    };
    let read = |file: &Vec<u8>| {
        std::fs::read(bytes::path(file)).map_err(|e| Fault {
            code: 255,
            text: format!("error: Could not stat {}: {}", text(file), crate::fault::reason(&e)),
        })
    };
    let (our_data, base_data, their_data) = (read(ours)?, read(base)?, read(theirs)?);
    if [&our_data, &base_data, &their_data].iter().any(|data| crate::text::compare::is_binary(data))
    {
        let text = format!("error: Cannot merge binary files: {}", text(ours));
        return Err(Fault { code: 255, text });
    }
    let label = |n: usize, file: &[u8]| labels.get(n).cloned().unwrap_or_else(|| text(file));
    let (one, two, three) = (label(0, ours), label(1, base), label(2, theirs));
    let labels = Labels { ours: &one, base: &two, theirs: &three };
    let merged = crate::text::merge::merge(&base_data, &our_data, &their_data, &labels, favor);
    match is_printed {
        true => call.out.text(&merged.data),
        false => std::fs::write(bytes::path(ours), &merged.data).at(ours)?,
    }
    if merged.conflicts > 0 && !is_quiet && !is_printed {
        call.out.flush();
    }
    Ok(merged.conflicts.min(127) as i32)
}

fn input() -> Result<Vec<u8>> {
    let mut data = Vec::new();
    std::io::stdin().read_to_end(&mut data).at(b"standard input")?;
    Ok(data)
}

/// Runs `git stripspace`.
pub(crate) fn stripspace(call: &mut Call<'_>) -> Result<i32> {
    let (mut has_comments, mut is_commenting) = (false, false);
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-s" | "--strip-comments" => has_comments = true,
                "-c" | "--comment-lines" => is_commenting = true,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(_) | Arg::Dashes => {}
        }
    }
    let data = input()?;
    if is_commenting {
        for line in bytes::lines(&data) {
            let mark: &[u8] = if line.trim_ascii().is_empty() { b"#" } else { b"# " };
            call.out.text([mark, line].concat());
        }
        return Ok(0);
    }
    call.out.text(message::cleaned(&data, has_comments));
    Ok(0)
}

/// Runs `git check-ref-format`.
pub(crate) fn check_ref_format(call: &mut Call<'_>) -> Result<i32> {
    let (mut is_branch, mut is_normal, mut one_level, mut name) = (false, false, false, None);
    for arg in std::mem::take(&mut call.args) {
        match arg.as_slice() {
            b"--branch" => is_branch = true,
            b"--normalize" | b"--print" => is_normal = true,
            b"--allow-onelevel" => one_level = true,
            b"--no-allow-onelevel" => one_level = false,
            _ => name = Some(arg),
        }
    }
    let Some(name) = name else {
        let text = "usage: git check-ref-format [--normalize] [<options>] <refname>\n   or: git check-ref-format --branch <branchname-shorthand>";
        return Err(Fault { code: USAGE, text: text.to_owned() });
    };
    if is_branch {
        if !crate::store::refs::is_valid_name(&name) || name.starts_with(b"-") {
            return Err(fatal(format!("'{}' is not a valid branch name", text(&name))));
        }
        call.out.line(name);
        return Ok(0);
    }
    let normal = match is_normal {
        true => {
            let parts = name.split(|b| *b == b'/').filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join(&b'/')
        }
        false => name,
    };
    if !crate::store::refs::is_valid_name(&normal) || !one_level && !normal.contains(&b'/') {
        return Err(silent(1));
    }
    if is_normal {
        call.out.line(normal);
    }
    Ok(0)
}

/// Runs `git mktree`.
pub(crate) fn mktree(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut end, mut may_miss) = (b'\n', false);
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-z" => end = 0,
                "--missing" => may_miss = true,
                "--batch" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(_) | Arg::Dashes => {}
        }
    }
    let mut entries = Vec::new();
    for line in input()?.split(|b| *b == end).filter(|line| !line.is_empty()) {
        let bad = || fatal(format!("input format error: {}", text(line)));
        let tab = line.iter().position(|b| *b == b'\t').ok_or_else(bad)?;
        let words: Vec<&[u8]> = line[..tab].split(|b| *b == b' ').collect();
        let [octal, kind, oid] = words[..] else { return Err(bad()) };
        let number = std::str::from_utf8(octal).ok().and_then(|n| u32::from_str_radix(n, 8).ok());
        let (mode, oid) = number.zip(Oid::parse(oid)).ok_or_else(bad)?;
        let wanted = match mode {
            mode::TREE => Kind::Tree,
            mode::SUBMODULE => Kind::Commit,
            _ => Kind::Blob,
        };
        let name = line[tab + 1..].to_vec();
        if kind != wanted.name().as_bytes() {
            return Err(fatal(format!(
                "entry '{}' object type ({}) doesn't match mode type ({})",
                text(&name),
                text(kind),
                wanted.name()
            )));
        }
        if mode != mode::SUBMODULE && !may_miss && !repo.odb.has(oid) {
            return Err(fatal(format!("entry '{}' object {oid} is unavailable", text(&name))));
        }
        if name.contains(&b'/') || name.is_empty() {
            return Err(fatal(format!("path {} contains slash", text(&name))));
        }
        entries.push(TreeEntry { mode, name, oid });
    }
    let tree = crate::store::object::write_tree(entries);
    call.out.line(repo.odb.write(Kind::Tree, &tree)?.to_string());
    Ok(0)
}

/// Runs `git whatchanged`, an old name of `git log --raw`.
pub(crate) fn whatchanged(call: &mut Call<'_>) -> Result<i32> {
    let has_format = call.args.iter().any(|arg| {
        let known: [&[u8]; 6] =
            [b"-p", b"--stat", b"--raw", b"--name-only", b"--name-status", b"--patch"];
        known.contains(&arg.as_slice())
    });
    if !has_format {
        call.args.insert(0, b"--raw".to_vec());
    }
    call.args.insert(0, b"--no-merges".to_vec());
    call.name = "log".to_owned();
    super::log::log(call)
}

/// Runs `git submodule` in repositories without submodules, where it has nothing to do.
pub(crate) fn submodule(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let index = repo.index()?;
    let verb = call.args.iter().find(|arg| !arg.starts_with(b"-")).map(|arg| text(arg));
    let has_none = !index.entries.iter().any(|entry| entry.mode == mode::SUBMODULE);
    match verb.as_deref() {
        None | Some("status" | "update" | "init" | "foreach" | "sync" | "deinit" | "summary")
            if has_none =>
        {
            Ok(0)
        }
        Some("status") | None => {
            for entry in index.entries.iter().filter(|entry| entry.mode == mode::SUBMODULE) {
                call.out.line([format!("-{} ", entry.oid).as_bytes(), &entry.path].concat());
            }
            Ok(0)
        }
        Some(verb) => Err(error(format!(
            "git submodule {verb} is not available in a sandbox: clone the other repository into a directory"
        ))),
    }
}
