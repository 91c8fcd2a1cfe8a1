//! The code that makes the requests of a run: its tool, and the modules that the tool has loaded.
//!
//! A grant for a tool is a grant for its code. A module that changed makes another tool of it, from
//! the moment at which it is loaded (T-PERM-021).

use std::collections::HashSet;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::identity::identity_of_digest;

/// Most earlier identities of a run that are remembered; a question may wait under each.
const MAX_EARLIER: usize = 4096;

/// Identity of the code of a run, now and earlier.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    now: Arc<str>,
    earlier: HashSet<Arc<str>>,
}

impl Code {
    pub(crate) fn new(tool: Arc<str>) -> Self {
        Code { now: tool, earlier: HashSet::new() }
    }

    /// Returns the identity that requests are made under.
    pub(crate) fn identity(&self) -> &Arc<str> {
        &self.now
    }

    /// Returns the identities that the run had before it loaded more code.
    pub(crate) fn earlier(&self) -> impl Iterator<Item = &Arc<str>> {
        self.earlier.iter()
    }

    /// Returns true if the run had this identity before it loaded more code.
    pub(crate) fn was(&self, identity: &Arc<str>) -> bool {
        self.earlier.contains(identity)
    }

    /// Returns the code together with a module that is loaded now. The order of loading counts: it
    /// is the same in every run that does the same.
    pub(crate) fn with(&self, path: &str, module: &[u8]) -> Self {
        let digest = Sha256::new()
            .chain_update((self.now.len() as u64).to_le_bytes())
            .chain_update(self.now.as_bytes())
            .chain_update((path.len() as u64).to_le_bytes())
            .chain_update(path.as_bytes())
            .chain_update(module)
            .finalize();
        let mut earlier = self.earlier.clone();
        if earlier.len() < MAX_EARLIER {
            earlier.insert(self.now.clone());
        }
        Code { now: identity_of_digest(&self.now, digest.into()).into(), earlier }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{identity, shown_identity};

    fn code() -> Code {
        Code::new(identity("a.js", b"1").into())
    }

    /// T-PERM-021.
    #[test]
    fn every_module_its_content_its_path_and_the_order_count() {
        let base = code().with("/m.js", b"1").with("/n.js", b"2");
        for other in [
            code(),
            code().with("/m.js", b"1"),
            code().with("/m.js", b"1").with("/n.js", b"3"),
            code().with("/m.js", b"1").with("/o.js", b"2"),
            code().with("/n.js", b"2").with("/m.js", b"1"),
            code().with("/m.js", b"1/n.js2"),
        ] {
            assert_ne!(base.identity(), other.identity());
        }
        assert_eq!(base.identity(), code().with("/m.js", b"1").with("/n.js", b"2").identity());
    }

    #[test]
    fn name_stays_and_earlier_identities_are_known() {
        let (before, after) = (code(), code().with("/m.js", b"1"));
        assert!(shown_identity(after.identity()).starts_with("a.js#"));
        assert_eq!(before.identity().len(), after.identity().len());
        assert!(after.was(before.identity()) && !after.was(after.identity()));
        let prompt = Code::new("shell prompt".into()).with("/m.js", b"1");
        assert!(shown_identity(prompt.identity()).starts_with("shell prompt#"));
    }
}
