//! State that the embedding program publishes to its tools.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cofferdam_abi::Value;

use crate::shared::lock::lock;

/// Most entries; a tool with a grant to write could otherwise fill the host's memory.
const MAX_ENTRIES: usize = 10_000;

/// Artifacts and state that the embedding program shares with its tools.
#[derive(Default)]
pub struct Published {
    artifacts: Mutex<BTreeMap<String, Artifact>>,
}

/// One published artifact.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// The content.
    pub content: Value,
    /// The embedding program's description.
    pub metadata: Value,
}

/// Reason why an artifact could not be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateError {
    /// The number of entries has reached its limit.
    Full,
}

impl Published {
    /// Publishes an artifact, or replaces the one of this name.
    pub fn put(&self, name: &str, artifact: Artifact) -> Result<(), StateError> {
        let mut artifacts = lock(&self.artifacts);
        if artifacts.len() >= MAX_ENTRIES && !artifacts.contains_key(name) {
            return Err(StateError::Full);
        }
        artifacts.insert(name.to_owned(), artifact);
        Ok(())
    }

    /// Replaces the content; the description stays.
    pub fn set_content(&self, name: &str, content: Value) -> Result<(), StateError> {
        let metadata = self.get(name).map_or(Value::Object(Vec::new()), |old| old.metadata);
        self.put(name, Artifact { content, metadata })
    }

    /// Returns a copy of the artifact of this name.
    pub fn get(&self, name: &str) -> Option<Artifact> {
        lock(&self.artifacts).get(name).cloned()
    }

    /// Removes an artifact.
    pub fn remove(&self, name: &str) -> Option<Artifact> {
        lock(&self.artifacts).remove(name)
    }

    /// Returns all names.
    pub fn names(&self) -> Vec<String> {
        lock(&self.artifacts).keys().cloned().collect()
    }
}
