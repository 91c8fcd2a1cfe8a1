//! Real directories. Only this module touches the machine that the crate runs on.
//!
//! All system calls work below an open directory, with paths made of plain names, and none follows
//! a link. The sandbox's resolver reads a link in a mount as text and interprets it as a path of
//! the sandbox. No link and no `..` can therefore leave the directory, not even one created during
//! the call.

mod below;
mod budget;
mod convert;
mod file;
mod real;

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{Mode as Bits, OFlags};

use self::budget::Budget;
use self::real::{Real, RealAccess};
use crate::backend::Backend;
use crate::tree::Tree;
use crate::{Error, Limits, Mount, Time, VPath};

/// A real directory, held open: the authority to use everything below it.
#[derive(Clone, Debug)]
pub struct HostDir {
    root: Arc<OwnedFd>,
}

impl HostDir {
    /// Opens a directory by its path on the real machine. This is where authority comes from:
    /// never call it with a path a guest had a say in.
    pub fn open_ambient(path: impl AsRef<Path>) -> std::io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(path.as_ref(), flags, Bits::empty())?;
        Ok(HostDir { root: Arc::new(root) })
    }
}

impl Tree {
    /// Mounts a real directory at a path. Creates the directories above it if needed. The path must
    /// not exist or must be an empty directory.
    pub fn mount(
        &self,
        at: &VPath,
        directory: HostDir,
        mount: Mount,
        now: Time,
    ) -> Result<(), Error> {
        let real = |access, device, limits: Limits| -> Arc<dyn Backend> {
            Arc::new(Real {
                root: directory.root,
                access,
                device,
                budget: Arc::new(Budget::new(limits)),
                changing: Arc::default(),
            })
        };
        match mount {
            Mount::ReadOnly => self.mount_backend(at, now, |device, state| {
                real(RealAccess::Read, device, state.limits)
            }),
            Mount::ReadWrite => self.mount_backend(at, now, |device, state| {
                real(RealAccess::Write, device, state.limits)
            }),
            // Guests write to the tree; only applying the changes writes to the real directory.
            Mount::Overlay => {
                self.mount_overlay(at, now, |device| real(RealAccess::Write, device, Limits::NONE))
            }
        }
    }
}
