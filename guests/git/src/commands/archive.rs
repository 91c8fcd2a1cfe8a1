//! `git archive`.

mod tar;
mod zip;

use std::io::Write as _;

use super::Call;
use crate::args::{Arg, Valued};
use crate::bytes::{self, join, text};
use crate::fault::{At, Fault, Result, USAGE, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::object::{Commit, Kind, TreeEntry, mode};
use crate::store::oid::Oid;
use crate::tree::attributes::{Attributes, Reader, State};
use crate::tree::convert;

/// Kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Tar,
    TarGz,
    Zip,
}

impl Format {
    fn parse(name: &str) -> Option<Format> {
        match name {
            "tar" => Some(Format::Tar),
            "tgz" | "tar.gz" => Some(Format::TarGz),
            "zip" => Some(Format::Zip),
            _ => None,
        }
    }

    fn of_file(name: &[u8]) -> Option<Format> {
        let ends = [(&b".tar"[..], Format::Tar), (b".tgz", Format::TarGz)];
        let more = [(&b".tar.gz"[..], Format::TarGz), (b".zip", Format::Zip)];
        ends.into_iter().chain(more).find(|(end, _)| name.ends_with(end)).map(|(_, found)| found)
    }
}

/// A file, link or directory of an archive.
pub(super) struct Item {
    /// Directories end with a slash.
    pub(super) name: Vec<u8>,
    pub(super) mode: u32,
    pub(super) data: Vec<u8>,
}

/// Runs `git archive`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let (mut format, mut prefix, mut output, mut operands) = (None, Vec::new(), None, Vec::new());
    let (mut is_list, mut by_work) = (false, false);
    let valued = Valued {
        short: "o",
        long: &["--format", "--prefix", "--output", "--remote", "--exec", "--mtime"],
        ..Valued::default()
    };
    for arg in call.parse(&valued)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "--format" => {
                    let given = text(&value.unwrap_or_default());
                    let found = Format::parse(&given);
                    format = Some(
                        found.ok_or_else(|| fatal(format!("Unknown archive format '{given}'")))?,
                    );
                }
                "--prefix" => prefix = value.unwrap_or_default(),
                "-o" | "--output" => output = value,
                "-l" | "--list" => is_list = true,
                "--worktree-attributes" => by_work = true,
                "--remote" | "--exec" => {
                    return Err(fatal("git archive --remote is not supported; clone it first"));
                }
                "-v" | "--verbose" | "--mtime" => {}
                level if level.len() == 2 && level.as_bytes()[1].is_ascii_digit() => {}
                "-n" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if is_list {
        call.out.text("tar\ntgz\ntar.gz\nzip\n");
        return Ok(0);
    }
    if operands.is_empty() {
        let text =
            "usage: git archive [<options>] <tree-ish> [<path>...]\n   or: git archive --list";
        return Err(Fault { code: USAGE, text: text.to_owned() });
    }
    let repo = call.repo()?;
    let name = operands.remove(0);
    let Some(oid) = revision::find(&repo, &name)? else {
        return Err(fatal(format!("not a valid object name: {}", text(&name))));
    };
    let commit = match revision::peel(&repo, oid, Kind::Commit) {
        Ok(oid) => Some((oid, repo.odb.commit(oid)?)),
        Err(_) => None,
    };
    let tree = revision::peel(&repo, oid, Kind::Tree)?;
    let time = commit.as_ref().map_or_else(Repo::now, |(_, commit)| commit.time());
    let mut items = Vec::new();
    if prefix.ends_with(b"/") {
        items.push(Item { name: prefix.clone(), mode: mode::TREE, data: Vec::new() });
    }
    let paths: Vec<Vec<u8>> =
        operands.iter().map(|path| bytes::normal(&join(&repo.prefix, path))).collect();
    let mut found = vec![false; paths.len()];
    let reader = tree_reader(&repo, tree)?;
    let own = Attributes::with_reader(&repo.config, &repo.common_dir, reader);
    let attributes = if by_work { &repo.attributes } else { &own };
    let mut source = Source {
        repo: &repo,
        attributes,
        prefix,
        commit: commit.as_ref(),
        paths: &paths,
        found: &mut found,
    };
    source.collect(tree, b"", &mut items)?;
    if let Some(at) = found.iter().position(|found| !found) {
        let given = text(&operands[at]);
        return Err(fatal(format!("pathspec '{given}' did not match any files")));
    }
    let format =
        format.or_else(|| output.as_deref().and_then(Format::of_file)).unwrap_or(Format::Tar);
    let id = commit.map(|(oid, _)| oid.to_string());
    let data = match format {
        Format::Tar => tar::write(&items, time, id.as_deref()),
        Format::TarGz => {
            let packed = Vec::new();
            let mut encoder =
                flate2::GzBuilder::new().write(packed, flate2::Compression::default());
            encoder.write_all(&tar::write(&items, time, id.as_deref())).at(b"archive")?;
            encoder.finish().at(b"archive")?
        }
        Format::Zip => zip::write(&items, time, id.as_deref())?,
    };
    match output {
        Some(file) => std::fs::write(bytes::path(&file), data).map_err(|e| {
            let reason = crate::fault::reason(&e);
            fatal(format!("could not create archive file '{}': {reason}", text(&file)))
        })?,
        None => call.out.text(data),
    }
    Ok(0)
}

/// Returns a function that reads `.gitattributes` of a tree.
fn tree_reader(repo: &Repo, tree: Oid) -> Result<Reader> {
    let mut files = std::collections::HashMap::new();
    for (path, (_, oid)) in crate::tree::changes::files(&repo.odb, tree)? {
        if bytes::base(&path) == b".gitattributes" {
            files.insert(bytes::parent(&path).to_vec(), repo.odb.blob(oid)?);
        }
    }
    Ok(Box::new(move |dir| files.get(dir).cloned()))
}

struct Source<'a> {
    repo: &'a Repo,
    attributes: &'a Attributes,
    prefix: Vec<u8>,
    commit: Option<&'a (Oid, Commit)>,
    paths: &'a [Vec<u8>],
    found: &'a mut [bool],
}

impl Source<'_> {
    fn collect(&mut self, tree: Oid, dir: &[u8], items: &mut Vec<Item>) -> Result<()> {
        crate::tree::changes::check_depth(dir)?;
        for entry in self.repo.odb.tree(tree)? {
            let path = join(dir, &entry.name);
            if self.attributes.state(&path, "export-ignore") == State::Set || !self.wants(&path) {
                continue;
            }
            self.add(&entry, &path, items)?;
        }
        Ok(())
    }

    /// Returns true if a path is wanted, is below a wanted one, or is above one.
    fn wants(&mut self, path: &[u8]) -> bool {
        let below = |one: &[u8], two: &[u8]| {
            one == two || one.starts_with(two) && one.get(two.len()) == Some(&b'/')
        };
        let mut is_wanted = self.paths.is_empty();
        for (wanted, found) in self.paths.iter().zip(self.found.iter_mut()) {
            let is_inside = wanted.is_empty()
                || below(path, wanted)
                || crate::tree::glob::matches(wanted, path, crate::tree::glob::Slash::Plain);
            *found |= is_inside;
            is_wanted |= is_inside || below(wanted, path);
        }
        is_wanted
    }

    fn add(&mut self, entry: &TreeEntry, path: &[u8], items: &mut Vec<Item>) -> Result<()> {
        let name = [self.prefix.as_slice(), path].concat();
        if entry.mode == mode::TREE || entry.mode == mode::SUBMODULE {
            let slashed = [name.as_slice(), b"/"].concat();
            let at = items.len();
            items.push(Item { name: slashed, mode: mode::TREE, data: Vec::new() });
            if entry.mode == mode::TREE {
                self.collect(entry.oid, path, items)?;
                // A directory without files is left out, as in a tree.
                if items.len() == at + 1 {
                    items.pop();
                }
            }
            return Ok(());
        }
        let mut data = self.repo.odb.blob(entry.oid)?;
        if entry.mode != mode::LINK {
            if self.attributes.state(path, "export-subst") == State::Set
                && let Some((oid, commit)) = self.commit
            {
                data = substituted(self.repo, *oid, commit, &data);
            }
            data = convert::to_work(self.repo, path, data);
        }
        items.push(Item { name, mode: entry.mode, data });
        Ok(())
    }
}

/// Replaces `$Format:…$` by what `git log` would print.
fn substituted(repo: &Repo, oid: Oid, commit: &Commit, data: &[u8]) -> Vec<u8> {
    let mut printer =
        crate::report::pretty::Printer::new(repo, crate::report::pretty::Pretty::Medium);
    printer.decorations = crate::report::decorate::Decorations::new(repo).unwrap_or_default();
    let mark = b"$Format:";
    let mut out = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(mark.len()).position(|part| part == mark) {
        let inside = &rest[at + mark.len()..];
        let Some(end) = inside.iter().position(|b| *b == b'$') else { break };
        out.extend(&rest[..at]);
        out.extend(printer.expand(&text(&inside[..end]), oid, commit, None));
        rest = &inside[end + 1..];
    }
    out.extend(rest);
    out
}
