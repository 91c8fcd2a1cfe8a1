//! `git clone` of a repository on the same machine.

use std::fs;

use super::Call;
use super::init;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, base, join, normal, text};
use crate::fault::{At, Result, fatal};
use crate::repo::{Repo, current_dir};
use crate::store::config::{self, Write};
use crate::store::oid::Oid;
use crate::store::refs::Ref;
use crate::tree::checkout;

const VALUED: Valued = Valued {
    short: "bojc",
    attached: "",
    long: &[
        "--branch",
        "--origin",
        "--depth",
        "--config",
        "--reference",
        "--jobs",
        "--filter",
        "--template",
    ],
};

/// Returns the reason why an address cannot be reached, or `None` if it is a path.
pub(crate) fn refused(address: &[u8]) -> Option<String> {
    let shown = text(address);
    let is_remote = match shown.find("://") {
        Some(at) => &shown[..at] != "file",
        // `host:path`, unless a slash comes first.
        None => shown.find(':').is_some_and(|colon| !shown[..colon].contains('/')),
    };
    is_remote.then(|| format!("unable to access '{shown}': git speaks no network protocol in a sandbox\nhint: download an archive with curl, or mount the repository and clone its path"))
}

/// Returns the path of an address.
pub(crate) fn local_path(address: &[u8]) -> Vec<u8> {
    let path = address.strip_prefix(b"file://").unwrap_or(address);
    normal(&join(&current_dir(), path))
}

/// Opens the repository at an address on this machine.
pub(crate) fn open(address: &[u8]) -> Result<Repo> {
    if let Some(reason) = refused(address) {
        return Err(fatal(reason));
    }
    let path = local_path(address);
    Repo::open(&path)
        .or_else(|| Repo::open(&[path.as_slice(), b".git"].concat()))
        .ok_or_else(|| fatal(format!("'{}' does not appear to be a git repository", text(address))))
}

/// Runs `git clone`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let (mut is_quiet, mut is_bare, mut has_checkout, mut branch, mut has_tags) =
        (false, false, true, None, true);
    let mut origin = "origin".to_owned();
    let mut settings = Vec::new();
    let mut operands = Vec::new();
    for arg in call.parse(&VALUED)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-q" | "--quiet" => is_quiet = true,
                "--bare" | "--mirror" => is_bare = true,
                "-n" | "--no-checkout" => has_checkout = false,
                "-b" | "--branch" => branch = Some(value_text(&value)),
                "-o" | "--origin" => origin = value_text(&value),
                "-c" | "--config" => settings.push(value_text(&value)),
                "--no-tags" => has_tags = false,
                // A path is always copied as a whole.
                "--depth"
                | "--single-branch"
                | "--no-single-branch"
                | "-l"
                | "--local"
                | "--no-local"
                | "--no-hardlinks"
                | "-s"
                | "--shared"
                | "--progress"
                | "-v"
                | "--verbose"
                | "--recurse-submodules"
                | "--recursive"
                | "--filter"
                | "-j"
                | "--jobs"
                | "--template"
                | "--shallow-submodules"
                | "--tags" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let Some(address) = operands.first() else {
        return Err(fatal("You must specify a repository to clone."));
    };
    let source = match open(address) {
        Ok(source) => source,
        Err(fault) => {
            let is_missing =
                refused(address).is_none() && !crate::repo::exists(&local_path(address));
            return Err(if is_missing {
                fatal(format!("repository '{}' does not exist", text(address)))
            } else {
                fault
            });
        }
    };
    let name = match operands.get(1) {
        Some(dir) => dir.clone(),
        None => {
            let path = local_path(address);
            let path = path.strip_suffix(b"/.git").unwrap_or(&path);
            let name = base(path).strip_suffix(b".git").unwrap_or(base(path)).to_vec();
            if is_bare { [name.as_slice(), b".git"].concat() } else { name }
        }
    };
    let root = normal(&join(&current_dir(), &name));
    let is_occupied = fs::read_dir(bytes::path(&root)).is_ok_and(|mut list| list.next().is_some());
    if is_occupied {
        return Err(fatal(format!(
            "destination path '{}' already exists and is not an empty directory.",
            text(&name)
        )));
    }
    if !is_quiet {
        let kind = if is_bare { " bare repository" } else { "" };
        call.out.note(format!("Cloning into{kind} '{}'...", text(&name)))?;
    }
    let head_branch =
        source.refs.branch()?.map(|name| text(name.strip_prefix(b"refs/heads/").unwrap_or(&name)));
    let wanted = branch.clone().or(head_branch).unwrap_or_else(|| "master".to_owned());
    let git_dir = if is_bare { root.clone() } else { join(&root, b".git") };
    init::create(&git_dir, is_bare, &wanted)?;
    copy_objects(&source, &git_dir)?;
    let file = join(&git_dir, b"config");
    let url = match address.starts_with(b"file://") {
        true => text(address),
        false => text(&local_path(address)),
    };
    config::set(&file, &format!("remote.{origin}.url"), &url, Write::ReplaceAll)?;
    if !is_bare {
        config::set(
            &file,
            &format!("remote.{origin}.fetch"),
            &format!("+refs/heads/*:refs/remotes/{origin}/*"),
            Write::ReplaceAll,
        )?;
    }
    for setting in &settings {
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        config::set(&file, key, value, Write::Add)?;
    }
    let repo = Repo::at(git_dir, (!is_bare).then(|| root.clone()), &root, &call.given)?;
    let mut packed = b"# pack-refs with: peeled fully-peeled sorted \n".to_vec();
    for (name, oid) in source.refs.list("refs/heads/")? {
        let short = text(&name["refs/heads/".len()..]);
        let to = if is_bare { text(&name) } else { format!("refs/remotes/{origin}/{short}") };
        packed.extend(format!("{oid} {to}\n").bytes());
    }
    if has_tags {
        for (name, oid) in source.refs.list("refs/tags/")? {
            packed.extend(format!("{oid} {}\n", text(&name)).bytes());
            if let Ok(peeled) = crate::revision::peeled(&source, oid)
                && peeled != oid
            {
                packed.extend(format!("^{peeled}\n").bytes());
            }
        }
    }
    repo.set_state("packed-refs", &packed)?;
    let tip = source.refs.resolve(format!("refs/heads/{wanted}").as_bytes())?;
    let tag = match (&tip, &branch) {
        (None, Some(name)) => source.refs.resolve(format!("refs/tags/{name}").as_bytes())?,
        _ => None,
    };
    let Some(mut oid) = tip.or(tag) else {
        if let Some(name) = branch {
            // The new directory is of no use.
            let _ = fs::remove_dir_all(bytes::path(&root));
            return Err(fatal(format!("Remote branch {name} not found in upstream {origin}")));
        }
        if !is_quiet {
            call.out.note("warning: You appear to have cloned an empty repository.")?;
        }
        return Ok(0);
    };
    oid = crate::revision::peeled(&repo, oid)?;
    if is_bare {
        return Ok(0);
    }
    if tip.is_some() {
        let full = format!("refs/heads/{wanted}");
        repo.refs.write(
            format!("refs/remotes/{origin}/HEAD").as_bytes(),
            &Ref::Symbolic(format!("refs/remotes/{origin}/{wanted}").into_bytes()),
        )?;
        repo.refs.write(full.as_bytes(), &Ref::Direct(oid))?;
        config::set(&file, &format!("branch.{wanted}.remote"), &origin, Write::ReplaceAll)?;
        config::set(&file, &format!("branch.{wanted}.merge"), &full, Write::ReplaceAll)?;
        // A machine without an identity can clone.
        let _ = repo.record(full.as_bytes(), Oid::ZERO, oid, &format!("clone: from {url}"));
    } else {
        repo.refs.write(b"HEAD", &Ref::Direct(oid))?;
    }
    let _ = repo.record(b"HEAD", Oid::ZERO, oid, &format!("clone: from {url}"));
    if has_checkout {
        let mut index = repo.index()?;
        checkout::force(&repo, &mut index, repo.odb.commit(oid)?.tree)?;
        repo.write_index(&mut index)?;
    }
    if !is_quiet {
        call.out.note("done.")?;
    }
    Ok(0)
}

/// Copies all objects of another repository, loose and packed.
pub(crate) fn copy_objects(source: &Repo, git_dir: &[u8]) -> Result<()> {
    let mut todo = vec![Vec::new()];
    let (from, to) = (source.file("objects"), join(git_dir, b"objects"));
    while let Some(dir) = todo.pop() {
        let place = join(&from, &dir);
        for entry in fs::read_dir(bytes::path(&place)).at(&place)?.flatten() {
            let name = join(&dir, bytes::raw(&entry.file_name()));
            let target = join(&to, &name);
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                let name = text(&name);
                return Err(fatal(format!("symlink '{name}' exists, refusing to clone")));
            }
            if entry.path().is_dir() {
                fs::create_dir_all(bytes::path(&target)).at(&target)?;
                todo.push(name);
            } else if !bytes::path(&target).exists()
                && !name.starts_with(b"info/")
                && !base(&name).starts_with(b"tmp_")
            {
                let data = fs::read(entry.path()).at(&name)?;
                fs::write(bytes::path(&target), data).at(&target)?;
                cofferdam_guest_sys::chmod(&target, 0o444).at(&target)?;
            }
        }
    }
    // Objects that the source borrows have to be borrowed from the same place.
    let borrowed = fs::read(bytes::path(&join(&from, b"info/alternates"))).unwrap_or_default();
    let mut list = Vec::new();
    for line in borrowed.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        list.extend(normal(&join(&from, line)));
        list.push(b'\n');
    }
    if !list.is_empty() {
        let file = join(&to, b"info/alternates");
        bytes::replace(&file, &list).at(&file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_can_be_cloned() {
        for address in
            ["https://example.com/a.git", "git@example.com:a.git", "ssh://x/y", "git://x/y"]
        {
            assert!(refused(address.as_bytes()).is_some(), "{address}");
        }
        for address in ["a", "../a", "/a/b:c", "file:///a"] {
            assert!(refused(address.as_bytes()).is_none(), "{address}");
        }
    }
}
