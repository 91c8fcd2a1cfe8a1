//! Random operations on a tree and on a real directory: both must return the same results, errno
//! for errno, and end with the same content.
#![cfg(unix)]

mod mounts;
mod ops;
mod real;
#[path = "../scratch/mod.rs"]
mod scratch;
mod tree;
