//! Commands that look after the database: `fsck`, `count-objects` and those without work to do.

use std::fs;

use super::Call;
use crate::bytes::{self, join};
use crate::fault::{Result, silent};
use crate::repo::Repo;
use crate::revision;
use crate::store::object::Kind;
use crate::walk;

/// Succeeds without doing anything: objects are stored loose, and nothing is recorded twice.
pub(crate) fn nothing(call: &mut Call<'_>) -> Result<i32> {
    call.repo()?;
    Ok(0)
}

/// Runs `git fsck`: reads everything that references lead to.
pub(crate) fn fsck(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut problems = Vec::new();
    let mut tips = Vec::new();
    for (name, oid) in repo.refs.list("refs/")? {
        match revision::peel(&repo, oid, Kind::Commit) {
            Ok(commit) => tips.push(commit),
            Err(_) if repo.odb.has(oid) => {}
            Err(_) => {
                problems.push(format!("error: {}: invalid sha1 pointer {oid}", bytes::text(&name)))
            }
        }
    }
    tips.extend(repo.head()?);
    match walk::ancestors(&repo.odb, &tips) {
        Ok(commits) => {
            for oid in commits {
                let read = repo.odb.commit(oid).and_then(|commit| {
                    for (_, (_, blob)) in crate::tree::changes::files(&repo.odb, commit.tree)? {
                        if !repo.odb.has(blob) {
                            problems.push(format!("missing blob {blob}"));
                        }
                    }
                    Ok(())
                });
                problems.extend(read.err().map(|fault| fault.text));
            }
        }
        Err(fault) => problems.push(fault.text),
    }
    problems.sort();
    problems.dedup();
    if problems.is_empty() {
        return Ok(0);
    }
    call.out.note(problems.join("\n"))?;
    Err(silent(2))
}

/// Runs `git count-objects`.
pub(crate) fn count_objects(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let is_verbose = call.args.iter().any(|arg| arg.starts_with(b"-v") || arg.starts_with(b"--v"));
    let (count, size) = loose(&repo);
    if !is_verbose {
        call.out.line(format!("{count} objects, {size} kilobytes"));
        return Ok(0);
    }
    let (mut packs, mut pack_size) = (0, 0);
    for file in files(&join(&repo.common_dir, b"objects/pack")) {
        packs += usize::from(file.0.ends_with(b".pack"));
        pack_size += file.1.div_ceil(1024);
    }
    call.out.text(format!(
        "count: {count}\nsize: {size}\nin-pack: 0\npacks: {packs}\nsize-pack: {pack_size}\nprune-packable: 0\ngarbage: 0\nsize-garbage: 0\n"
    ));
    Ok(0)
}

/// Returns the number of loose objects and their size in KiB.
fn loose(repo: &Repo) -> (usize, u64) {
    let (mut count, mut size) = (0, 0);
    for byte in 0..=255_u8 {
        let dir = join(&repo.common_dir, format!("objects/{byte:02x}").as_bytes());
        for (_, length) in files(&dir) {
            count += 1;
            // Files take whole blocks.
            size += length.div_ceil(4096) * 4;
        }
    }
    (count, size)
}

fn files(dir: &[u8]) -> Vec<(Vec<u8>, u64)> {
    let Ok(list) = fs::read_dir(bytes::path(dir)) else { return Vec::new() };
    let each = list.flatten().filter_map(|entry| {
        let length = entry.metadata().ok()?.len();
        Some((bytes::raw(&entry.file_name()).to_vec(), length))
    });
    each.collect()
}
