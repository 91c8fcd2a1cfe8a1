//! What a sandbox owns and its runs use: files, storage, variables, what the embedding program
//! publishes, functions it registered, its page.

mod functions;
mod published;
mod storage;

use std::collections::BTreeMap;
use std::sync::Mutex;

use cofferdam_caps::storage::StorageArea;
use cofferdam_vfs::Tree;

use crate::shared::lock::lock;
use crate::shared::page::Shown;

pub use functions::{CallFailed, Function, Functions};
pub use published::{Artifact, Published, StateError};
pub use storage::{Area, QuotaExceeded, STORAGE_BYTES, Storage};

/// What a sandbox owns. Runs share it; each part has its own lock.
pub struct Resources {
    /// Its files.
    pub files: Tree,
    /// Its key-value storage.
    pub storage: Storage,
    /// Its variables; the host's own are never among them.
    pub variables: Mutex<BTreeMap<String, String>>,
    /// What the embedding program publishes.
    pub published: Published,
    /// Functions that the embedding program registered.
    pub functions: Functions,
    /// The page that tools see as `btcp.dom`, where there is one.
    pub page: Mutex<Shown>,
}

impl Resources {
    /// With these files, and nothing else yet.
    pub fn new(files: Tree) -> Self {
        Resources {
            files,
            storage: Storage::default(),
            variables: Mutex::default(),
            published: Published::default(),
            functions: Functions::default(),
            page: Mutex::default(),
        }
    }

    /// The same for another sandbox, at a cost that does not depend on the files. Session storage
    /// begins empty; a page that is held here is copied.
    pub fn fork(&self) -> Self {
        let fork = Resources::new(self.files.fork());
        let local = self.storage.with(StorageArea::Local, |area| area.clone());
        fork.storage.with(StorageArea::Local, |area| *area = local);
        *lock(&fork.page) = lock(&self.page).fork();
        *lock(&fork.variables) = lock(&self.variables).clone();
        for name in self.published.names() {
            if let Some(artifact) = self.published.get(&name) {
                // It fitted here, so it fits there.
                let _ = fork.published.put(&name, artifact);
            }
        }
        for name in self.functions.names() {
            if let Some(function) = self.functions.get(&name) {
                fork.functions.register(&name, function);
            }
        }
        fork
    }
}
