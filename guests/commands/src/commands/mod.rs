//! What the commands do, a file for each or for a family.

pub(crate) mod awk;
pub(crate) mod grep;
pub(crate) mod ls;
pub(crate) mod uutils;
