//! What the commands do, a file for each or for a family.

pub(crate) mod awk;
pub(crate) mod cat;
pub(crate) mod column;
pub(crate) mod condition;
pub(crate) mod copy;
pub(crate) mod diff;
pub(crate) mod dump;
pub(crate) mod file;
pub(crate) mod find;
pub(crate) mod grep;
pub(crate) mod gzip;
pub(crate) mod identity;
pub(crate) mod jq;
pub(crate) mod launch;
pub(crate) mod ls;
pub(crate) mod modes;
pub(crate) mod plain;
pub(crate) mod sort;
pub(crate) mod tar;
pub(crate) mod tree;
pub(crate) mod uutils;
pub(crate) mod xargs;
