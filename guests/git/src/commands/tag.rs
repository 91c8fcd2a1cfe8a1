//! `git tag`.

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, text};
use crate::fault::{At, Result, fatal};
use crate::ident;
use crate::repo::Repo;
use crate::revision;
use crate::store::object::{Kind, Tag, subject};
use crate::store::refs;
use crate::text::message;
use crate::tree::glob::{self, Slash};
use crate::walk;

const VALUED: Valued = Valued {
    short: "mF",
    attached: "n",
    long: &[
        "--message",
        "--file",
        "--sort",
        "--format",
        "--points-at?",
        "--contains?",
        "--merged?",
        "--no-contains?",
        "--no-merged?",
    ],
};

/// Runs `git tag`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_delete, mut is_forced, mut is_annotated, mut is_list) =
        (false, false, false, false);
    let (mut messages, mut file, mut sort, mut format) = (Vec::new(), None, None, None);
    let (mut lines, mut contains, mut points_at, mut merged) = (None, None, None, None);
    let (mut without, mut unmerged) = (None, None);
    let mut operands = Vec::new();
    for arg in call.parse(&VALUED)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) => {
                operands.push(operand);
                continue;
            }
            Arg::Dashes => continue,
        };
        match name.as_str() {
            "-d" | "--delete" => is_delete = true,
            "-f" | "--force" => is_forced = true,
            "-a" | "--annotate" => is_annotated = true,
            "-l" | "--list" => is_list = true,
            "-m" | "--message" => messages.extend(value),
            "-F" | "--file" => file = value,
            "-n" => lines = Some(value_text(&value).parse::<usize>().unwrap_or(1)),
            "--sort" => sort = Some(value_text(&value)),
            "--format" => format = Some(value_text(&value)),
            "--contains" => contains = Some(value.unwrap_or_else(|| b"HEAD".to_vec())),
            "--merged" => merged = Some(value.unwrap_or_else(|| b"HEAD".to_vec())),
            "--no-contains" => without = Some(value.unwrap_or_else(|| b"HEAD".to_vec())),
            "--no-merged" => unmerged = Some(value.unwrap_or_else(|| b"HEAD".to_vec())),
            "--points-at" => points_at = Some(value.unwrap_or_else(|| b"HEAD".to_vec())),
            "-s" | "--sign" | "-u" | "--local-user" | "-v" | "--verify" => {
                return Err(fatal("tags cannot be signed in a sandbox; use git tag -a"));
            }
            "--no-sign" | "--no-column" | "--column" | "--color" | "--no-color" => {}
            other => return Err(call.unknown(other)),
        }
    }
    if is_delete {
        return delete(call, &repo, &operands);
    }
    is_list |= operands.is_empty()
        || lines.is_some()
        || contains.is_some()
        || points_at.is_some()
        || merged.is_some()
        || without.is_some()
        || unmerged.is_some();
    if is_list {
        let mut tags = repo.refs.list("refs/tags/")?;
        if !operands.is_empty() {
            tags.retain(|(name, _)| {
                operands
                    .iter()
                    .any(|pattern| glob::matches(pattern, refs::short_name(name), Slash::Plain))
            });
        }
        if let Some(name) = contains {
            let oid = revision::commit(&repo, &name)?;
            tags.retain(|(_, tag)| {
                revision::peel(&repo, *tag, Kind::Commit)
                    .and_then(|tag| walk::is_ancestor(&repo.odb, oid, tag))
                    .unwrap_or(false)
            });
        }
        if let Some(name) = merged {
            let of = walk::ancestors(&repo.odb, &[revision::commit(&repo, &name)?])?;
            tags.retain(|(_, tag)| {
                revision::peel(&repo, *tag, Kind::Commit).is_ok_and(|tag| of.contains(&tag))
            });
        }
        if let Some(name) = without {
            let oid = revision::commit(&repo, &name)?;
            tags.retain(|(_, tag)| {
                let tag = revision::peel(&repo, *tag, Kind::Commit);
                !tag.and_then(|tag| walk::is_ancestor(&repo.odb, oid, tag)).unwrap_or(false)
            });
        }
        if let Some(name) = unmerged {
            let of = walk::ancestors(&repo.odb, &[revision::commit(&repo, &name)?])?;
            tags.retain(|(_, tag)| {
                revision::peel(&repo, *tag, Kind::Commit).is_ok_and(|tag| !of.contains(&tag))
            });
        }
        if let Some(name) = points_at {
            let oid = revision::object(&repo, &name)?;
            tags.retain(|(_, tag)| {
                *tag == oid || revision::peeled(&repo, *tag).is_ok_and(|tag| tag == oid)
            });
        }
        if let Some(sort) = &sort {
            super::refs::sort(&repo, &mut tags, sort)?;
        }
        for (name, oid) in tags {
            let short = text(refs::short_name(&name));
            if let Some(format) = &format {
                call.out.line(super::refs::expand(&repo, format, &name, oid, false)?);
            } else if let Some(count) = lines {
                let message = match repo.odb.read(oid)? {
                    (Kind::Tag, _) => repo.odb.tag(oid)?.message,
                    (Kind::Commit, _) => repo.odb.commit(oid)?.message,
                    _ => Vec::new(),
                };
                let mut shown = format!("{short:<15} {}", text(&subject(&message)));
                for line in message
                    .trim_ascii_end()
                    .split(|b| *b == b'\n')
                    .skip(1)
                    .take(count.saturating_sub(1))
                {
                    shown += &format!("\n    {}", text(line));
                }
                call.out.line(shown);
            } else {
                call.out.line(short);
            }
        }
        return Ok(0);
    }
    let name = &operands[0];
    let shown = text(name);
    if !refs::is_valid_name(name) {
        return Err(fatal(format!("'{shown}' is not a valid tag name.")));
    }
    let target = operands.get(1).cloned().unwrap_or_else(|| b"HEAD".to_vec());
    let Some(mut oid) = revision::find(&repo, &target)? else {
        return Err(fatal(format!("Failed to resolve '{}' as a valid ref.", text(&target))));
    };
    let full = [b"refs/tags/".as_slice(), name].concat();
    let before = repo.refs.resolve(&full)?;
    if before.is_some() && !is_forced {
        return Err(fatal(format!("tag '{shown}' already exists")));
    }
    if let Some(file) = file {
        messages.push(std::fs::read(bytes::path(&file)).at(&file)?);
        is_annotated = true;
    }
    if is_annotated || !messages.is_empty() {
        if messages.is_empty() {
            call.out.flush();
            let comment =
                b"\n# Write a message for the tag. Lines starting with '#' will be ignored.\n";
            messages.push(crate::editor::edit(&repo, "TAG_EDITMSG", comment)?);
        }
        let message = message::cleaned(&messages.join(&b"\n\n"[..]), is_annotated);
        if message.is_empty() {
            return Err(fatal("no tag message?"));
        }
        let kind = repo.odb.read(oid)?.0;
        let tag = Tag {
            target: oid,
            kind,
            name: name.clone(),
            tagger: ident::committer(&repo)?,
            message,
        };
        oid = repo.odb.write(Kind::Tag, &tag.write())?;
    }
    repo.refs.write(&full, &refs::Ref::Direct(oid))?;
    if let Some(before) = before.filter(|before| *before != oid) {
        call.out.line(format!("Updated tag '{shown}' (was {})", repo.odb.short(before)));
    }
    Ok(0)
}

fn delete(call: &mut Call<'_>, repo: &Repo, names: &[Vec<u8>]) -> Result<i32> {
    let mut code = 0;
    for name in names {
        let full = [b"refs/tags/".as_slice(), name].concat();
        match repo.refs.resolve(&full)? {
            Some(oid) => {
                repo.refs.delete(&full)?;
                call.out.line(format!(
                    "Deleted tag '{}' (was {})",
                    text(name),
                    repo.odb.short(oid)
                ));
            }
            None => {
                call.out.note(format!("error: tag '{}' not found.", text(name)))?;
                code = 1;
            }
        }
    }
    Ok(code)
}
