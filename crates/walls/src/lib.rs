//! Walls of the operating system around real programs of the machine.
//!
//! A [`Sandbox`] is made of namespaces, mounts, Landlock and a filter of system calls. What was
//! not mounted is not there. A path that leads out of the mounts becomes a [`Call`], which the
//! supervisor answers; a call that continues reaches only what is mounted, whatever the program
//! does to its arguments meanwhile.
//!
//! This crate knows no grants and decides nothing. It has all the `unsafe` code.
//!
//! Absent on purpose: a weaker mode. If a piece is [`Missing`], nothing is started.
//!
//! In reading order:
//!
//! - [`Plan`], [`Entry`], [`Bind`]: files, program and limits of a sandbox
//! - [`system`]: the part of the machine that every sandbox sees
//! - [`Sandbox`], [`Starting`], [`Started`]: a sandbox that is being built, and one that runs
//! - [`Call`], [`Attempt`], [`Place`]: system calls that wait for an answer
//! - `launcher`: this program, executed again, which makes the namespaces
//! - `tree`, `rules`, `filter`, `calls`: mounts, Landlock, and the filter with its tables
//! - `group`: a control group, where the system hands one down
//! - [`Piece`], [`Missing`], [`probe`]: pieces of the operating system
//! - `name`: paths in messages
//! - `sys`: system calls

#![cfg(target_os = "linux")]

mod call;
mod calls;
mod filter;
mod group;
mod launcher;
mod message;
mod missing;
mod name;
mod plan;
mod probe;
mod rules;
mod sandbox;
mod sys;
mod tree;
mod view;
mod world;

pub use call::{Access, Attempt, Call, GuestPath};
pub use launcher::{become_launcher, launch_ahead};
pub use missing::{Missing, Piece};
pub use plan::{Bind, Code, Content, Entry, Limits, Plan, UnixSockets, Writing};
pub use probe::{Found, probe};
pub use sandbox::{NetworkSockets, Sandbox, Started, Starting, Streams, Usage, wait_for_any};
pub use view::{Executable, Place};
pub use world::{HOME, PORTS, PROGRAMS, is_inside, system};
