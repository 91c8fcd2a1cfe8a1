//! Resources of a sandbox, shared by its runs: files, storage, variables, published state,
//! functions, and the page.

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

/// Resources of a sandbox. Each part has its own lock. Only the embedder's side holds this type;
/// guests reach the parts through [`crate::permitted`].
pub struct Resources {
    /// Files.
    pub files: Tree,
    /// Key-value storage.
    pub storage: Storage,
    /// Variables; those of the host are never among them.
    pub variables: Mutex<BTreeMap<String, String>>,
    /// State that the embedding program publishes.
    pub published: Published,
    /// Functions that the embedding program registered.
    pub functions: Functions,
    /// The page that tools see as `btcp.dom`.
    pub page: Mutex<Shown>,
}

impl Resources {
    /// Creates resources with these files and nothing else.
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

    /// Copies the resources for a fork, at a cost that does not depend on the files. Session
    /// storage begins empty; a page that is held here is copied.
    pub fn fork(&self) -> Self {
        let fork = Resources::new(self.files.fork());
        let local = self.storage.with(StorageArea::Local, |area| area.clone());
        fork.storage.with(StorageArea::Local, |area| *area = local);
        *lock(&fork.page) = lock(&self.page).fork();
        *lock(&fork.variables) = lock(&self.variables).clone();
        for name in self.published.names() {
            if let Some(artifact) = self.published.get(&name) {
                // The fork has the same limits, so the artifact fits.
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
