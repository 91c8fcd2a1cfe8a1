//! Everything that is in `.git`: objects, packs, index, references, reflogs and configuration.

pub(crate) mod config;
pub(crate) mod index;
pub(crate) mod notes;
pub(crate) mod object;
pub(crate) mod odb;
pub(crate) mod oid;
pub(crate) mod pack;
pub(crate) mod reflog;
pub(crate) mod refs;
