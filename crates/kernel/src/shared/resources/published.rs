use std::collections::BTreeMap;
use std::sync::Mutex;

use cofferdam_abi::Value;

use crate::shared::lock::lock;

/// Most entries; a tool that may write could otherwise fill the host's memory.
const MAX_ENTRIES: usize = 10_000;

/// Artifacts and state that the embedding program shares with its tools.
#[derive(Default)]
pub struct Published {
    artifacts: Mutex<BTreeMap<String, Artifact>>,
}

/// One published thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// What it is.
    pub content: Value,
    /// What the embedding program says about it.
    pub metadata: Value,
}

/// Why something could not be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateError {
    /// There are as many as there may be.
    Full,
}

impl Published {
    /// Publishes, or replaces.
    pub fn put(&self, name: &str, artifact: Artifact) -> Result<(), StateError> {
        let mut artifacts = lock(&self.artifacts);
        if artifacts.len() >= MAX_ENTRIES && !artifacts.contains_key(name) {
            return Err(StateError::Full);
        }
        artifacts.insert(name.to_owned(), artifact);
        Ok(())
    }

    /// Replaces the content; what is said about it stays.
    pub fn set_content(&self, name: &str, content: Value) -> Result<(), StateError> {
        let metadata = self.get(name).map_or(Value::Object(Vec::new()), |old| old.metadata);
        self.put(name, Artifact { content, metadata })
    }

    /// A copy of what was published under a name.
    pub fn get(&self, name: &str) -> Option<Artifact> {
        lock(&self.artifacts).get(name).cloned()
    }

    /// Takes it back.
    pub fn remove(&self, name: &str) -> Option<Artifact> {
        lock(&self.artifacts).remove(name)
    }

    /// Every name.
    pub fn names(&self) -> Vec<String> {
        lock(&self.artifacts).keys().cloned().collect()
    }
}
