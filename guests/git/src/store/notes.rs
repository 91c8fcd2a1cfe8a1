//! Notes: texts that belong to objects, kept as the files of a branch of their own.

use std::collections::BTreeMap;

use crate::fault::Result;
use crate::ident;
use crate::repo::Repo;
use crate::store::object::{Commit, Kind, TreeEntry, mode};
use crate::store::oid::Oid;
use crate::tree::changes;

/// Notes by the objects that they belong to.
pub(crate) type Notes = BTreeMap<Oid, Oid>;

/// Returns the reference of the notes that a name or the settings select.
pub(crate) fn reference(repo: &Repo, given: Option<&str>) -> String {
    let from = crate::bytes::variable("GIT_NOTES_REF").map(|name| crate::bytes::text(&name));
    let name = match given {
        Some(given) => given.to_owned(),
        None => from
            .or_else(|| repo.config.get("core.notesref").map(str::to_owned))
            .unwrap_or_else(|| "refs/notes/commits".to_owned()),
    };
    match name.as_str() {
        full if full.starts_with("refs/notes/") => name,
        short if short.starts_with("notes/") => format!("refs/{name}"),
        _ => format!("refs/notes/{name}"),
    }
}

/// Reads the notes of a reference.
pub(crate) fn read(repo: &Repo, name: &str) -> Result<Notes> {
    let Some(tip) = repo.refs.resolve(name.as_bytes())? else { return Ok(Notes::new()) };
    let files = changes::files(&repo.odb, repo.odb.commit(tip)?.tree)?;
    // Many notes are spread over directories, whose names are parts of the identity.
    let each = files.into_iter().filter_map(|(path, (_, oid))| {
        let name: Vec<u8> = path.into_iter().filter(|b| *b != b'/').collect();
        Some((Oid::parse(&name)?, oid))
    });
    Ok(each.collect())
}

/// Writes notes as a new commit.
pub(crate) fn write(repo: &Repo, name: &str, notes: &Notes, message: &str) -> Result<()> {
    let entries = notes.iter().map(|(object, oid)| TreeEntry {
        mode: mode::FILE,
        name: object.to_string().into_bytes(),
        oid: *oid,
    });
    let tree = crate::store::object::write_tree(entries.collect());
    let commit = Commit {
        tree: repo.odb.write(Kind::Tree, &tree)?,
        parents: repo.refs.resolve(name.as_bytes())?.into_iter().collect(),
        author: ident::author(repo, None)?,
        committer: ident::committer(repo)?,
        more: Vec::new(),
        message: format!("{message}\n").into_bytes(),
    };
    let oid = repo.odb.write(Kind::Commit, &commit.write())?;
    repo.update_ref(name.as_bytes(), oid, &format!("notes: {message}"))
}
