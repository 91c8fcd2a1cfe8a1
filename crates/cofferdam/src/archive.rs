//! Exports a sandbox as one file and imports it again. [`cofferdam_archive`] has the format; this
//! module connects it with a sandbox.

use std::collections::BTreeMap;

use cofferdam_archive::Contents;
use cofferdam_kernel::resources::Area;
use cofferdam_vfs::Tree;

use crate::error::{Error, ErrorKind};
use crate::files;
use crate::life::Snapshot;
use crate::limits::Limits;

/// Contents of an archive other than files.
pub(crate) struct Imported {
    pub(crate) local: Area,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) cwd: String,
}

/// Encodes a snapshot. The error names the content that an archive cannot hold.
pub(crate) fn write(snapshot: &Snapshot) -> Result<Vec<u8>, String> {
    let keys = snapshot.local.keys();
    let stored = keys.iter().map(|key| (&**key, snapshot.local.get(key).unwrap_or_default()));
    let contents = Contents {
        files: &snapshot.files,
        stored: stored.collect(),
        variables: &snapshot.variables,
        cwd: &snapshot.cwd,
    };
    cofferdam_archive::write(&contents).map_err(|error| error.to_string())
}

/// Fills a tree from an archive. The tree must be unused and have no mounts.
///
/// Not inlined: a browser compiles a function whole when it is first called.
#[inline(never)]
pub(crate) fn read(bytes: &[u8], tree: &Tree, limits: &Limits) -> Result<Imported, Error> {
    let mut local = Area::default();
    let read = cofferdam_archive::read(bytes, tree, files::now(), |key, text| {
        local.set(key, text).is_ok()
    });
    match read {
        Ok(found) => Ok(Imported { local, variables: found.variables, cwd: found.cwd }),
        Err(cofferdam_archive::Error::Refused(error)) => {
            Err(files::write_error(tree, limits, &error))
        }
        Err(error) => Err(Error::new(ErrorKind::Archive, error.to_string())),
    }
}
