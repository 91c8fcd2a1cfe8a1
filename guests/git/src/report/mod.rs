//! Output: patches, statistics, commits.

pub(crate) mod content;
pub(crate) mod decorate;
pub(crate) mod graph;
pub(crate) mod options;
pub(crate) mod patch;
pub(crate) mod pretty;
pub(crate) mod stat;
