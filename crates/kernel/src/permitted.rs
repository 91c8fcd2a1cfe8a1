//! Resources as guests reach them: every method that touches one takes a [`Permit`] by value, and
//! its target from the permit.
//!
//! The code that serves tools holds a [`Permitted`] and a [`Network`], and has no other way to the
//! sandbox's files, storage, state, variables, functions, page, or to the network. A target is
//! resolved first, into an *action* with private fields; the broker turns the action into a permit,
//! and the permit is what the resource takes.
//!
//! - [`Files`]: resolved paths; [`Storage`]: areas and keys; [`State`], [`Variables`],
//!   [`Functions`]: names; [`Page`] with its [`PageView`]: parts of the page
//! - [`Network`]: HTTP requests, permitted hop by hop
//! - [`StartProgram`]: starting a program; the process side takes the permit
//!
//! ```
//! use cofferdam_broker::{Desk, Verdict};
//! use cofferdam_kernel::permitted::{Files, ReadFile};
//!
//! fn read(files: &Files<'_>, desk: &Desk, path: &str) -> Option<Vec<u8>> {
//!     let action: ReadFile = files.to_read(path, cofferdam_vfs::Follow::Link).ok()?;
//!     match desk.check(action) {
//!         Verdict::Permit(permit) => files.read(permit, 1 << 20).ok(),
//!         Verdict::Denied(_) | Verdict::Ask(_) => None,
//!     }
//! }
//! ```
//!
//! [`Permit`]: cofferdam_broker::Permit
//!
//! Meets T-PERM-001.

mod files;
mod functions;
mod network;
mod page;
mod page_view;
mod start;
mod state;
mod storage;
mod variables;

use std::sync::Arc;

use cofferdam_vfs::Time;

use crate::shared::resources::Resources;

pub(crate) use files::Removal;
pub use files::{Files, MakeFolders, ReadFile, RemoveFile, RenameFile, WriteFile};
pub use functions::{CallFunction, Functions};
pub use network::{Network, SendRequest};
pub(crate) use network::{Outbound, parse_request};
pub use page::{Page, UsePage};
pub use page_view::PageView;
pub use start::StartProgram;
pub use state::{ReadState, State, WriteState};
pub use storage::{ClearArea, ListKeys, ReadKey, Storage, WriteKey};
pub use variables::{ReadVariable, Variables};

/// The resources of a sandbox, each behind permits. Clones share them.
#[derive(Clone)]
pub struct Permitted {
    resources: Arc<Resources>,
}

impl Permitted {
    /// Wraps the resources of a sandbox.
    pub fn new(resources: Arc<Resources>) -> Self {
        Permitted { resources }
    }

    /// Returns the sandbox's files. Changes are marked with the time `now`.
    pub fn files(&self, now: Time) -> Files<'_> {
        Files::new(&self.resources.files, now)
    }

    /// Returns the key-value storage.
    pub fn storage(&self) -> Storage<'_> {
        Storage::new(&self.resources.storage)
    }

    /// Returns the published state.
    pub fn state(&self) -> State<'_> {
        State::new(&self.resources.published)
    }

    /// Returns the variables.
    pub fn variables(&self) -> Variables<'_> {
        Variables::new(&self.resources.variables)
    }

    /// Returns the functions of the embedding program.
    pub fn functions(&self) -> Functions<'_> {
        Functions::new(&self.resources.functions)
    }

    /// Returns the page.
    pub fn page(&self) -> Page<'_> {
        Page::new(&self.resources.page)
    }
}
