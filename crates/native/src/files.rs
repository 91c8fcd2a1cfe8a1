//! Files of the host behind permits: a permitted file or folder becomes a mount of the running
//! sandbox.

use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cofferdam_broker::{Action, Desk, Particulars, Permit, Preview};
use cofferdam_caps::fs::FilePath;
use cofferdam_caps::{Access, Capability, Request};
use cofferdam_walls::Sandbox;

use crate::host::{self, HostPath};
use crate::lock;
use crate::world::permitted_bind;

/// Showing a file of the host to the program, to read or to change it.
///
/// A path alone shows nothing, and neither does an action that was not checked:
///
/// ```compile_fail
/// use cofferdam_native::{Files, ShowFile};
///
/// fn show(files: &Files, action: ShowFile) {
///     let _ = files.show(action);
/// }
/// ```
///
/// ```compile_fail
/// use std::path::Path;
/// use cofferdam_native::Files;
///
/// fn show(files: &Files, path: &Path) {
///     let _ = files.show(path);
/// }
/// ```
///
/// ```
/// use cofferdam_broker::Permit;
/// use cofferdam_native::{Files, ShowFile};
///
/// fn show(files: &Files, permit: Permit<ShowFile>) {
///     let _ = files.show(permit);
/// }
/// ```
#[derive(Debug)]
pub struct ShowFile {
    access: Access,
    checked: FilePath,
    /// Path as the program named it.
    named: PathBuf,
    host: HostPath,
    /// The request to read, which a change needs as well.
    reads: Option<Request>,
}

impl ShowFile {
    /// Follows a path of the host. Fails if it has no name that a grant could have.
    pub(crate) fn new(named: PathBuf, access: Access) -> Option<Self> {
        let host = host::follow(&named);
        let checked: FilePath = host.real.to_str()?.parse().ok()?;
        // A mount that can be written can be read as well.
        let reads = match access {
            Access::Read => None,
            Access::Write => Some(Request::Fs { access: Access::Read, path: checked.clone() }),
        };
        Some(ShowFile { access, checked, named, host, reads })
    }

    /// Returns true if the host has no such file.
    pub(crate) fn is_missing(&self) -> bool {
        self.host.found.is_none() && self.access == Access::Read
    }

    /// Returns the path without links.
    pub(crate) fn path(&self) -> &Path {
        &self.host.real
    }
}

impl Action for ShowFile {
    fn request(&self) -> Request {
        Request::Fs { access: self.access, path: self.checked.clone() }
    }

    fn further(&mut self) -> Option<Request> {
        self.reads.take()
    }

    fn acts_outside(&self) -> bool {
        self.access == Access::Write
    }

    fn particulars(&self) -> Particulars {
        match &self.host.found {
            Some(found) if found.is_dir() => Particulars::default().folder(),
            Some(_) | None => Particulars::default(),
        }
    }
}

/// The files of one sandbox, to which permitted ones are added.
pub struct Files {
    sandbox: Arc<Sandbox>,
    desk: Desk,
    /// Entries of the sandbox's own, which no mount may cover.
    fixed: Vec<PathBuf>,
    /// Mounts of granted files and folders, with what they allow.
    added: Mutex<Vec<(PathBuf, Access)>>,
}

impl Files {
    pub(crate) fn new(
        sandbox: Arc<Sandbox>,
        desk: Desk,
        fixed: Vec<PathBuf>,
        granted: Vec<(PathBuf, Access)>,
    ) -> Self {
        Files { sandbox, desk, fixed, added: Mutex::new(granted) }
    }

    /// Shows a permitted file: the widest folder that the grant covers, or the file alone.
    pub fn show(&self, permit: Permit<ShowFile>) -> io::Result<()> {
        let capability = permit.capability().clone();
        let ShowFile { access, named, host, .. } = permit.into_action();
        let HostPath { real, mut found, link } = host;
        if let Some(folder) = self.granted_folder(&real, access, &capability) {
            // The folder itself was checked, not a link to another one.
            if fs::canonicalize(&folder)? != folder {
                return Err(io::Error::from(io::ErrorKind::StaleNetworkFileHandle));
            }
            self.mount(&folder, access, &fs::symlink_metadata(&folder)?)?;
        } else if found.as_ref().is_some_and(|found| found.is_dir()) {
            // A grant for the folder's own path is not one for what is in it.
            self.sandbox.make_folder(&real)?;
        } else {
            if found.is_none() && access == Access::Write {
                let created = OpenOptions::new().write(true).create_new(true).open(&real);
                found = created.and_then(|file| file.metadata()).ok();
            }
            match found {
                Some(found) => self.mount(&real, access, &found)?,
                None => return Ok(()),
            }
        }
        match link.filter(|_| named != real) {
            Some((at, target)) => match self.sandbox.make_link(&at, &target) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                other => other,
            },
            None => Ok(()),
        }
    }

    /// Returns true if a path is below a mount that was added for reading only.
    pub(crate) fn is_read_only(&self, path: &Path) -> bool {
        let added = lock(&self.added);
        let below = added.iter().filter(|(at, _)| path.starts_with(at));
        let nearest = below.max_by_key(|(at, _)| at.components().count());
        nearest.is_some_and(|(_, access)| *access == Access::Read)
    }

    /// Takes away mounts whose grant no longer allows them.
    pub(crate) fn retain(&self, mut is_granted: impl FnMut(&Request) -> bool) {
        let mut added = lock(&self.added);
        added.retain(|(at, access)| {
            let Some(path) = at.to_str().and_then(|at| at.parse().ok()) else { return true };
            let is_kept = is_granted(&Request::Fs { access: *access, path });
            if !is_kept {
                let _ = self.sandbox.unmount(at);
            }
            is_kept
        });
    }

    fn mount(&self, at: &Path, access: Access, checked: &Metadata) -> io::Result<()> {
        self.sandbox.mount(at, permitted_bind(at, access, &self.desk), checked)?;
        let mut added = lock(&self.added);
        added.retain(|(known, _)| known != at);
        added.push((at.to_owned(), access));
        Ok(())
    }

    /// Returns the outermost folder around a path of which a grant covers everything. A folder that
    /// can be changed can be read as well, so that all of it has to be granted for reading too.
    fn granted_folder(&self, path: &Path, access: Access, grant: &Capability) -> Option<PathBuf> {
        let is_covered = |folder: &Path| {
            let covers = whole(folder, access).is_some_and(|whole| grant.covers(&whole));
            covers && (access == Access::Read || is_granted_whole(&self.desk, folder, Access::Read))
        };
        let is_usable = |folder: &&Path| {
            is_covered(folder)
                && folder.is_dir()
                && !self.fixed.iter().any(|fixed| fixed.starts_with(folder))
        };
        let mut folders: Vec<_> = path.ancestors().filter(|at| at.parent().is_some()).collect();
        folders.reverse();
        folders.iter().copied().find(is_usable).map(Path::to_owned)
    }
}

/// Returns true if a grant allows a request.
pub(crate) fn is_granted(desk: &Desk, request: &Request) -> bool {
    matches!(desk.would_grant(request), Ok(Preview::Granted(..)))
}

/// Returns true if one grant allows everything in a folder.
pub(crate) fn is_granted_whole(desk: &Desk, folder: &Path, access: Access) -> bool {
    let Some(path) = inner(folder) else { return false };
    match (desk.would_grant(&Request::Fs { access, path }), whole(folder, access)) {
        (Ok(Preview::Granted(grant, _)), Some(whole)) => grant.covers(&whole),
        (Ok(_) | Err(_), _) => false,
    }
}

/// Returns the capability for everything in a folder.
fn whole(folder: &Path, access: Access) -> Option<Capability> {
    Request::Fs { access, path: inner(folder)? }.suggestions().into_iter().nth(1)
}

/// Returns a path in a folder.
fn inner(folder: &Path) -> Option<FilePath> {
    folder.join("x").to_str()?.parse().ok()
}
