//! Content of one side of a change.

use crate::fault::Result;
use crate::repo::Repo;
use crate::store::object::mode;
use crate::store::oid::Oid;
use crate::text::compare;
use crate::tree::attributes::State;
use crate::tree::changes::{Change, Side};
use crate::tree::work;

/// Reads the content of a side; empty if the file is not there.
pub(crate) fn read(repo: &Repo, side: &Side, path: &[u8]) -> Result<Vec<u8>> {
    if !side.is_there() {
        return Ok(Vec::new());
    }
    if side.mode == mode::SUBMODULE {
        return Ok(format!("Subproject commit {}\n", side.oid).into_bytes());
    }
    if side.is_work {
        return work::read(repo, path, side.mode);
    }
    repo.odb.blob(side.oid)
}

/// Returns true if a change is shown as one of binary files: as attributes say, or by content.
pub(crate) fn is_binary(repo: &Repo, change: &Change, old: &[u8], new: &[u8]) -> bool {
    let by = |path: &[u8], data: &[u8]| match repo.attributes.state(path, "diff") {
        State::Unset => true,
        State::Set => false,
        State::Value(_) | State::Unspecified => compare::is_binary(data),
    };
    by(&change.old_path, old) || by(&change.path, new)
}

/// Returns the identity of a side; hashes a file of the work tree.
pub(crate) fn identity(repo: &Repo, side: &Side, path: &[u8]) -> Result<Oid> {
    if side.is_work && side.is_there() {
        return Ok(Oid::of("blob", &work::read(repo, path, side.mode)?));
    }
    Ok(side.oid)
}
