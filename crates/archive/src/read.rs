//! Reads an archive into an empty tree. An archive is hostile input.

use std::collections::BTreeMap;

use cofferdam_vfs::{Time, Tree};
use sha2::{Digest, Sha256};

use crate::error::{Error, bad};
use crate::fill::Fill;
use crate::record::{Rest, tag};
use crate::seal::without_seal;
use crate::{MAGIC, SUM, VERSION};

/// Largest number of variables in an archive, and largest total size of their names and values.
const MAX_VARIABLES: usize = 10_000;
const MAX_VARIABLE_BYTES: usize = 1 << 20;

/// The parts of an archive that are neither files nor local storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Environment variables.
    pub variables: BTreeMap<String, String>,
    /// Working directory.
    pub cwd: String,
}

/// Reads an archive into `tree` and passes each entry of local storage to `store`, which returns
/// false if the entry does not fit.
///
/// The tree must be unused and have no mounts. The checksum is verified first; it detects damage,
/// not malice, so every record after it is checked like a request from a guest (T-BOX-001,
/// T-BOX-002).
pub fn read(
    bytes: &[u8],
    tree: &Tree,
    now: Time,
    mut store: impl FnMut(&str, &str) -> bool,
) -> Result<Imported, Error> {
    let mut into = Fill::new(tree, now);
    let mut rest = Rest(records(bytes)?);
    let mut found = Imported { variables: BTreeMap::new(), cwd: String::new() };
    let mut variable_bytes = 0;
    while !rest.0.is_empty() {
        match rest.tag()? {
            tag::VARIABLE => {
                let (name, value) = (rest.text()?, rest.text()?);
                let is_fit = !name.is_empty() && !name.contains(['=', '\0']);
                if !is_fit || value.contains('\0') {
                    return bad(format!("variable {name:?}: invalid name or value"));
                }
                variable_bytes += name.len() + value.len();
                let is_full = found.variables.len() >= MAX_VARIABLES;
                if is_full || variable_bytes > MAX_VARIABLE_BYTES {
                    return bad("too many variables");
                }
                found.variables.insert(name.to_owned(), value.to_owned());
            }
            tag::STORED => {
                let (key, text) = (rest.text()?, rest.text()?);
                if !store(key, text) {
                    return bad("local storage is full");
                }
            }
            tag::DIRECTORY => into.directory(&rest.path()?, rest.attributes()?)?,
            tag::FILE => into.file(&rest.path()?, rest.attributes()?, &mut rest)?,
            tag::FIFO => into.fifo(&rest.path()?, rest.attributes()?)?,
            tag::LINK => into.link(&rest.path()?, rest.text()?)?,
            tag::NAME => into.name(&rest.path()?, &rest.path()?)?,
            tag::CWD => {
                let cwd = rest.path()?;
                if !rest.0.is_empty() {
                    return bad("data after its end");
                }
                found.cwd = cwd.as_str().to_owned();
            }
            other => return bad(format!("record of unknown kind {other}")),
        }
    }
    if found.cwd.is_empty() {
        return bad("last record is missing");
    }
    into.finish()?;
    Ok(found)
}

/// Checks the header and the checksum, and returns the records between them. A seal is left aside:
/// without its key it proves nothing.
fn records(bytes: &[u8]) -> Result<&[u8], Error> {
    let bytes = without_seal(bytes);
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return bad("not an export of a sandbox") };
    let Some((body, sum)) = rest.split_at_checked(rest.len().saturating_sub(SUM)) else {
        return bad("cut off");
    };
    let Some((version, body)) = body.split_first_chunk() else { return bad("cut off") };
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return bad(format!("version {version}; this program reads version {VERSION}"));
    }
    if Sha256::digest(&bytes[..bytes.len() - SUM]).as_slice() != sum {
        return bad("damaged: checksum mismatch");
    }
    Ok(body)
}
