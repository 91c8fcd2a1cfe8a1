//! An open file of a real directory.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use super::budget::Budget;
use super::convert::{bits, errno, stat, times};
use super::real::{Real, RealAccess};
use crate::backend::Opened;
use crate::{Errno, Kind, Mode, Stat, Time};

#[derive(Debug)]
pub(super) struct HostFile {
    file: File,
    access: RealAccess,
    device: u64,
    budget: Arc<Budget>,
    changing: Arc<Mutex<()>>,
}

impl HostFile {
    /// Accepts a regular file; closes and refuses anything else found under the name.
    pub(super) fn new(fd: OwnedFd, mount: &Real) -> Result<Self, Errno> {
        let file = HostFile {
            file: fd.into(),
            access: mount.access,
            device: mount.device,
            budget: Arc::clone(&mount.budget),
            changing: Arc::clone(&mount.changing),
        };
        match file.stat()?.kind {
            Kind::File => Ok(file),
            Kind::Directory => Err(Errno::IsDirectory),
            Kind::Link | Kind::Device(_) | Kind::Other => Err(Errno::NoDevice),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let size = self.stat()?.size;
        let growth = (offset + data.len() as u64).saturating_sub(size);
        self.budget.add_bytes(growth)?;
        self.file.write_all_at(data, offset).map_err(|error| {
            self.budget.drop_bytes(growth);
            // Added bytes are removed again; overwritten ones cannot be restored.
            let _ = self.file.set_len(size);
            io_errno(&error)
        })
    }

    fn writable(&self) -> Result<(), Errno> {
        match self.access {
            RealAccess::Read => Err(Errno::ReadOnly),
            RealAccess::Write => Ok(()),
        }
    }
}

impl Opened for HostFile {
    fn stat(&self) -> Result<Stat, Errno> {
        Ok(stat(&rustix::fs::fstat(&self.file).map_err(errno)?, self.device))
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<usize, Errno> {
        self.file.read_at(out, offset).map_err(|error| io_errno(&error))
    }

    fn without_readahead(&self) {
        // Only advice: a file system that does not take it is read as before.
        #[cfg(target_os = "linux")]
        let _ = rustix::fs::fadvise(&self.file, 0, None, rustix::fs::Advice::Random);
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(offset, data)
    }

    fn append(&self, data: &[u8]) -> Result<u64, Errno> {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let size = self.stat()?.size;
        self.write(size, data)?;
        Ok(size + data.len() as u64)
    }

    fn resize(&self, size: u64) -> Result<(), Errno> {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let old = self.stat()?.size;
        // A hole is charged here, because the real disk decides what it costs.
        self.budget.add_bytes(size.saturating_sub(old))?;
        self.file.set_len(size).map_err(|error| {
            self.budget.drop_bytes(size.saturating_sub(old));
            io_errno(&error)
        })?;
        self.budget.drop_bytes(old.saturating_sub(size));
        Ok(())
    }

    fn set_mode(&self, mode: Mode) -> Result<(), Errno> {
        self.writable()?;
        rustix::fs::fchmod(&self.file, bits(mode)).map_err(errno)
    }

    fn set_times(&self, accessed: Option<Time>, modified: Option<Time>) -> Result<(), Errno> {
        self.writable()?;
        rustix::fs::futimens(&self.file, &times(accessed, modified)).map_err(errno)
    }
}

fn io_errno(error: &std::io::Error) -> Errno {
    rustix::io::Errno::from_io_error(error).map_or(Errno::Io, errno)
}
