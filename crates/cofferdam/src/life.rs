//! Forks and snapshots: a sandbox at one moment, and going back to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use cofferdam_caps::storage::StorageArea;
use cofferdam_kernel::resources::Area;

use crate::archive;
use crate::error::{Error, ErrorKind};
use crate::sandbox::{Sandbox, SandboxState, lock};

/// What a sandbox held at one moment: files, local storage, variables, working directory. Cheap
/// to make and to clone, whatever is in it; session storage and kept cells are not part of it.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) files: cofferdam_vfs::Snapshot,
    pub(crate) local: Arc<Area>,
    pub(crate) variables: Arc<BTreeMap<String, String>>,
    pub(crate) cwd: String,
}

impl Snapshot {
    fn of(state: &SandboxState) -> Self {
        let local = state.resources.storage.with(StorageArea::Local, |area| area.clone());
        Snapshot {
            files: state.resources.files.snapshot(),
            local: Arc::new(local),
            variables: Arc::new(lock(&state.resources.variables).clone()),
            cwd: lock(&state.cwd).clone(),
        }
    }
}

impl Sandbox {
    /// Another sandbox with the same content, limits and given capabilities, at a cost that does
    /// not depend on the content. What either does later the other does not see, but for real
    /// directories, which both have. Runs and kept cells stay here.
    pub fn fork(&self) -> Result<Sandbox, Error> {
        self.state.check_alive()?;
        Ok(Sandbox { state: Arc::new(self.state.fork()) })
    }

    /// What the sandbox holds now.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        self.state.check_alive()?;
        Ok(Snapshot::of(&self.state))
    }

    /// Goes back to a snapshot, of this sandbox or of one it comes from. Session storage is
    /// emptied and kept cells are dropped; real directories stay as they are. Refused while
    /// something runs.
    pub fn restore(&self, snapshot: &Snapshot) -> Result<(), Error> {
        let runs = self.state.idle()?;
        let resources = &self.state.resources;
        resources.files.restore(&snapshot.files);
        resources.storage.with(StorageArea::Local, |area| *area = (*snapshot.local).clone());
        resources.storage.with(StorageArea::Session, Area::clear);
        *lock(&resources.variables) = (*snapshot.variables).clone();
        *lock(&self.state.cwd) = snapshot.cwd.clone();
        lock(&self.state.sessions).clear();
        drop(runs);
        Ok(())
    }

    /// All that [`Sandbox::snapshot`] keeps, as one file with a checksum at its end. What the
    /// system brings and what is mounted is left out.
    pub fn export(&self) -> Result<Vec<u8>, Error> {
        let snapshot = self.snapshot()?;
        archive::write(&snapshot).map_err(|error| Error::new(ErrorKind::Archive, error))
    }

    /// A sandbox with what [`Sandbox::export`] wrote, and otherwise the usual settings; with
    /// others, see [`crate::SandboxBuilder::import`].
    pub fn import(archive: impl Into<Vec<u8>>) -> Result<Sandbox, Error> {
        Sandbox::builder().import(archive).build()
    }
}
