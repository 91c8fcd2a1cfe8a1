//! State that the embedding program publishes to its tools.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cofferdam_abi::Value;

use crate::shared::lock::lock;

/// Most bytes of content that tools have set, as encoded for the crossing.
const MAX_SET_BYTES: usize = 64 << 20;

/// Most entries; a tool with a grant to write could otherwise fill the host's memory.
const MAX_ENTRIES: usize = 10_000;

/// Artifacts and state that the embedding program shares with its tools.
#[derive(Default)]
pub struct Published {
    /// Each artifact, and the bytes it is charged with if a tool set its content.
    artifacts: Mutex<BTreeMap<String, (Artifact, usize)>>,
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
    /// Tools have set as many bytes as they may.
    TooLong,
}

impl Published {
    /// Publishes an artifact, or replaces the one of this name.
    pub fn put(&self, name: &str, artifact: Artifact) -> Result<(), StateError> {
        self.insert(name, artifact, 0)
    }

    fn insert(&self, name: &str, artifact: Artifact, bytes: usize) -> Result<(), StateError> {
        let mut artifacts = lock(&self.artifacts);
        if artifacts.len() >= MAX_ENTRIES && !artifacts.contains_key(name) {
            return Err(StateError::Full);
        }
        let others = artifacts.iter().filter(|(other, _)| other.as_str() != name);
        let held: usize = others.map(|(_, (_, bytes))| *bytes).sum();
        if bytes > 0 && held.saturating_add(bytes) > MAX_SET_BYTES {
            return Err(StateError::TooLong);
        }
        artifacts.insert(name.to_owned(), (artifact, bytes));
        Ok(())
    }

    /// Replaces the content on behalf of a tool, charged with `bytes` (T-CELL-031); the
    /// description stays.
    pub fn set_content(&self, name: &str, content: Value, bytes: usize) -> Result<(), StateError> {
        let metadata = self.get(name).map_or(Value::Object(Vec::new()), |old| old.metadata);
        self.insert(name, Artifact { content, metadata }, bytes)
    }

    /// Returns a copy of the artifact of this name.
    pub fn get(&self, name: &str) -> Option<Artifact> {
        lock(&self.artifacts).get(name).map(|(artifact, _)| artifact.clone())
    }

    /// Removes an artifact.
    pub fn remove(&self, name: &str) -> Option<Artifact> {
        lock(&self.artifacts).remove(name).map(|(artifact, _)| artifact)
    }

    /// Returns all names.
    pub fn names(&self) -> Vec<String> {
        lock(&self.artifacts).keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_set_64_mebibytes_and_may_replace_them() {
        let published = Published::default();
        let set = |name: &str, bytes| published.set_content(name, Value::Null, bytes);
        assert_eq!(set("a", MAX_SET_BYTES), Ok(()));
        assert_eq!(set("b", 1), Err(StateError::TooLong));
        assert_eq!(set("a", 1), Ok(()));
        assert_eq!(set("b", MAX_SET_BYTES - 1), Ok(()));
        assert_eq!(set("c", usize::MAX), Err(StateError::TooLong));
    }
}
