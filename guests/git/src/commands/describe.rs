//! `git describe`.

use std::collections::HashMap;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Result, fatal};
use crate::revision;
use crate::store::object::Kind;
use crate::store::oid::Oid;
use crate::store::refs::short_name;
use crate::tree::glob::{self, Slash};
use crate::tree::pathspec::Pathspecs;
use crate::walk::{self, Walk};

/// Runs `git describe`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut has_light, mut has_all, mut is_always, mut is_long, mut is_exact) =
        (false, false, false, false, false);
    let (mut excluded, mut contains) = (Vec::new(), false);
    let (mut dirty, mut digits, mut name, mut pattern) = (None, None, None, None);
    for arg in call
        .parse(&Valued { long: &["--match", "--exclude", "--candidates"], ..Valued::default() })?
    {
        match arg {
            Arg::Option(option, value) => match option.as_str() {
                "--tags" => has_light = true,
                "--all" => has_all = true,
                "--always" => is_always = true,
                "--long" => is_long = true,
                "--exact-match" => is_exact = true,
                "--dirty" => {
                    dirty = Some(value.map_or_else(|| "-dirty".to_owned(), |value| text(&value)))
                }
                "--abbrev" => digits = value_text(&value).parse::<usize>().ok(),
                "--match" => pattern = value,
                "--exclude" => excluded.extend(value),
                "--contains" => contains = true,
                "--candidates" => is_exact |= value_text(&value) == "0",
                "--first-parent" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => name = Some(operand),
            Arg::Dashes => {}
        }
    }
    if contains {
        let names = super::name_rev::names(
            &repo,
            &super::name_rev::Choice {
                tags_only: !has_all,
                is_short: true,
                patterns: pattern.iter().map(|pattern| text(pattern)).collect(),
                excluded: excluded.iter().map(|pattern| text(pattern)).collect(),
            },
        )?;
        let name = name.unwrap_or_else(|| b"HEAD".to_vec());
        let oid = revision::commit(&repo, &name)?;
        let found = names.get(&oid).cloned();
        let found = found.or_else(|| is_always.then(|| repo.odb.short(oid)));
        call.out.line(found.ok_or_else(|| fatal(format!("cannot describe '{oid}'")))?);
        return Ok(0);
    }
    let name = name.unwrap_or_else(|| b"HEAD".to_vec());
    let Some(oid) = revision::find(&repo, &name)? else {
        return Err(fatal(format!("Not a valid object name {}", text(&name))));
    };
    let start = revision::peel(&repo, oid, Kind::Commit)?;
    let mut has_skipped = false;
    let mut tags: HashMap<Oid, (bool, Vec<u8>)> = HashMap::new();
    for (full, oid) in repo.refs.list(if has_all { "refs/" } else { "refs/tags/" })? {
        let is_annotated = repo.odb.read(oid)?.0 == Kind::Tag;
        if !is_annotated && !has_light && !has_all {
            has_skipped = true;
            continue;
        }
        let short =
            if has_all { full["refs/".len()..].to_vec() } else { short_name(&full).to_vec() };
        if pattern.as_ref().is_some_and(|pattern| !glob::matches(pattern, &short, Slash::Plain)) {
            continue;
        }
        if excluded.iter().any(|pattern| glob::matches(pattern, &short, Slash::Plain)) {
            continue;
        }
        let Ok(commit) = revision::peel(&repo, oid, Kind::Commit) else { continue };
        // An annotated tag is preferred.
        if tags.get(&commit).is_none_or(|(annotated, _)| is_annotated && !annotated) {
            tags.insert(commit, (is_annotated, short));
        }
    }
    let mut all = Walk::new(&repo.odb, Default::default());
    all.push(start)?;
    let mut found = None;
    while let Some((oid, commit)) = all.pop() {
        if let Some((_, tag)) = tags.get(&oid) {
            found = Some((oid, text(tag)));
            break;
        }
        for parent in walk::parents(&repo.odb, &commit) {
            all.push(parent)?;
        }
    }
    let suffix = match dirty {
        Some(mark) => {
            let mut index = repo.index()?;
            let changes = crate::tree::changes::tree_and_work(
                &repo,
                repo.head_tree()?,
                &mut index,
                &Pathspecs::all(),
            )?;
            if changes.is_empty() { String::new() } else { mark }
        }
        None => String::new(),
    };
    let short = || match digits {
        Some(n) if n > 0 => repo.odb.short_by(start, n),
        _ => repo.odb.short(start),
    };
    let Some((oid, tag)) = found.filter(|(oid, _)| !is_exact || *oid == start) else {
        if is_always {
            call.out.line(short() + &suffix);
            return Ok(0);
        }
        return Err(fatal(match (is_exact, tags.is_empty()) {
            (true, _) => format!("no tag exactly matches '{start}'"),
            (false, true) if has_skipped => format!(
                "No annotated tags can describe '{start}'.\nHowever, there were unannotated tags: try --tags."
            ),
            (false, true) => "No names found, cannot describe anything.".to_owned(),
            (false, false) => {
                format!("No tags can describe '{start}'.\nTry --always, or create some tags.")
            }
        }));
    };
    let distance = walk::ahead_behind(&repo.odb, start, oid)?.0;
    if (distance == 0 && !is_long) || digits == Some(0) {
        call.out.line(tag + &suffix);
    } else {
        call.out.line(format!("{tag}-{distance}-g{}{suffix}", short()));
    }
    Ok(0)
}
