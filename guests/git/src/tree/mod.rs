//! Trees: comparison of commits, index and work tree; ignored files; paths on the command line.

pub(crate) mod attributes;
pub(crate) mod changes;
pub(crate) mod checkout;
pub(crate) mod convert;
pub(crate) mod glob;
pub(crate) mod ignore;
pub(crate) mod merge;
mod moved;
pub(crate) mod pathspec;
pub(crate) mod renames;
pub(crate) mod untracked;
pub(crate) mod work;
