//! Output: patches, statistics, commits.

pub(crate) mod beside;
pub(crate) mod check;
pub(crate) mod colour;
mod column;
pub(crate) mod combined;
pub(crate) mod content;
pub(crate) mod decorate;
pub(crate) mod dirstat;
pub(crate) mod graph;
pub(crate) mod options;
pub(crate) mod paint;
pub(crate) mod patch;
pub(crate) mod pickaxe;
pub(crate) mod pretty;
pub(crate) mod same;
pub(crate) mod stat;
pub(crate) mod trailers;
pub(crate) mod words;
