//! Random operations, done in a tree and in a real directory: both must answer the same, errno for
//! errno, and end up the same.
#![cfg(unix)]

mod mounts;
mod ops;
mod real;
#[path = "../scratch/mod.rs"]
mod scratch;
mod tree;
