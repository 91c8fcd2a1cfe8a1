//! Forks, snapshots and archives of a sandbox.

use std::collections::BTreeMap;
use std::sync::Arc;

use cofferdam_caps::storage::StorageArea;
use cofferdam_kernel::resources::Area;

use crate::archive;
use crate::error::{Error, ErrorKind};
use crate::sandbox::{Sandbox, SandboxState, lock};

/// The content of a sandbox at one moment: files, local storage, variables, working directory.
/// Cheap to make and to clone for any content. Session storage and kept cells are not included.
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
    /// Creates a sandbox with the same content, limits and given capabilities, at a cost that does
    /// not depend on the content. Later changes to one are not seen by the other, except in mounted
    /// directories of the host. Runs and kept cells stay with the original.
    pub fn fork(&self) -> Result<Sandbox, Error> {
        self.state.check_alive()?;
        Ok(Sandbox { state: Arc::new(self.state.fork(None)) })
    }

    /// Forks the sandbox under a name for grants, requests and the audit log; see
    /// [`SandboxBuilder::name`](crate::SandboxBuilder::name).
    pub fn fork_as(&self, name: &str) -> Result<Sandbox, Error> {
        self.state.check_alive()?;
        Ok(Sandbox { state: Arc::new(self.state.fork(Some(name))) })
    }

    /// Takes a snapshot of the sandbox.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        self.state.check_alive()?;
        Ok(Snapshot::of(&self.state))
    }

    /// Restores a snapshot of this sandbox or of one that it was forked from. Clears session
    /// storage and drops kept cells; mounted directories are left as they are. Fails with
    /// [`ErrorKind::SandboxBusy`] while a run is under way.
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

    /// Encodes the content that [`Sandbox::snapshot`] keeps as one file, with a checksum at its
    /// end. Files of the system and mounts are left out.
    pub fn export(&self) -> Result<Vec<u8>, Error> {
        let snapshot = self.snapshot()?;
        archive::write(&snapshot).map_err(|error| Error::new(ErrorKind::Archive, error))
    }

    /// Creates a sandbox from the bytes that [`Sandbox::export`] returned, with default settings
    /// otherwise. Use [`crate::SandboxBuilder::import`] for other settings.
    pub fn import(archive: impl Into<Vec<u8>>) -> Result<Sandbox, Error> {
        Sandbox::builder().import(archive).build()
    }
}
