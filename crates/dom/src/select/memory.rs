//! The state that a tree keeps between queries: parsed selectors and an index.

use super::index::Index;
use super::read::{Parsed, read};
use crate::error::Error;
use std::collections::HashMap;
use std::sync::Arc;

/// Most parsed selectors that are kept.
const KEPT: usize = 256;

/// Longest selector that is kept, in bytes.
const KEPT_LENGTH: usize = 256;

#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    selectors: HashMap<Box<str>, Arc<Parsed>>,
    /// The selector used last; one call looks it up several times.
    latest: Option<(Box<str>, Arc<Parsed>)>,
    pub(crate) index: Option<Index>,
    /// Root and version of the last query that could have used an index.
    pub(crate) wanted: Option<(u32, u64)>,
}

impl Memory {
    pub(crate) fn selector(&mut self, text: &str) -> Result<Arc<Parsed>, Error> {
        if let Some((_, parsed)) = self.latest.as_ref().filter(|(latest, _)| **latest == *text) {
            return Ok(parsed.clone());
        }
        if let Some((text, parsed)) = self.selectors.get_key_value(text) {
            self.latest = Some((text.clone(), parsed.clone()));
            return Ok(parsed.clone());
        }
        let parsed = Arc::new(read(text)?);
        if text.len() <= KEPT_LENGTH {
            if self.selectors.len() >= KEPT {
                self.selectors.clear();
            }
            self.selectors.insert(text.into(), parsed.clone());
        }
        Ok(parsed)
    }
}
