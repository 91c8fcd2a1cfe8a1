//! Published state behind permits.

use cofferdam_abi::Value;
use cofferdam_broker::{Action, Desk, Permit, Preview};
use cofferdam_caps::state::StateName;
use cofferdam_caps::{Access, Request};

use crate::shared::resources::{Published, StateError};

/// State that the embedding program publishes to its tools.
#[derive(Clone, Copy)]
pub struct State<'a> {
    published: &'a Published,
}

/// Reading one state.
pub struct ReadState {
    name: StateName,
}

/// Changing one state.
pub struct WriteState {
    name: StateName,
}

impl ReadState {
    /// Names a state.
    pub fn new(name: StateName) -> Self {
        ReadState { name }
    }
}

impl WriteState {
    /// Names a state.
    pub fn new(name: StateName) -> Self {
        WriteState { name }
    }
}

impl Action for ReadState {
    fn request(&self) -> Request {
        Request::State { access: Access::Read, name: self.name.clone() }
    }
}

impl Action for WriteState {
    fn request(&self) -> Request {
        Request::State { access: Access::Write, name: self.name.clone() }
    }
}

impl<'a> State<'a> {
    pub(super) fn new(published: &'a Published) -> Self {
        State { published }
    }

    /// Returns a copy of the content.
    pub fn content(self, permit: Permit<ReadState>) -> Option<Value> {
        let ReadState { name } = permit.into_action();
        self.published.get(name.as_str()).map(|artifact| artifact.content)
    }

    /// Returns the embedding program's description.
    pub fn metadata(self, permit: Permit<ReadState>) -> Option<Value> {
        let ReadState { name } = permit.into_action();
        self.published.get(name.as_str()).map(|artifact| artifact.metadata)
    }

    /// Replaces the content; the description stays.
    pub fn set(self, permit: Permit<WriteState>, content: Value) -> Result<(), StateError> {
        let WriteState { name } = permit.into_action();
        self.published.set_content(name.as_str(), content)
    }

    /// Returns the names that the run may read. Other names do not exist for it.
    pub fn readable(self, desk: &Desk) -> Vec<String> {
        let mut names = self.published.names();
        names.retain(|name| match name.parse() {
            Ok(name) => is_granted(desk, &ReadState { name }),
            Err(_) => false,
        });
        names
    }
}

/// Returns true if a grant allows the action now; asks nobody and leaves no trace.
pub(super) fn is_granted(desk: &Desk, action: &impl Action) -> bool {
    matches!(desk.would_grant(&action.request()), Ok(Preview::Granted(..)))
}
