//! Reading, writing and resizing open files.

use std::sync::PoisonError;

use crate::chunk::Staged;
use crate::content::Content;
use crate::inode::{Area, Body};
use crate::open_file::{OpenFile, Target};
use crate::overlay;
use crate::state::State;
use crate::{Errno, Error, Ino, Limits, Time, Usage};

impl OpenFile {
    /// Reads at the position and advances it; returns 0 at the end.
    pub fn read(&self, out: &mut [u8], now: Time) -> Result<usize, Error> {
        let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let len = self.read_at(*position, out, now)?;
        *position += len as u64;
        Ok(len)
    }

    /// Reads at an offset; returns 0 at or past the end.
    pub fn read_at(&self, offset: u64, out: &mut [u8], now: Time) -> Result<usize, Error> {
        self.on(|| {
            if !self.how.read {
                return Err(Errno::BadHandle);
            }
            match &self.target {
                Target::Node { ino, .. } => self.read_node(*ino, offset, out, now),
                Target::Mounted(file) => file.read_at(offset, out),
                Target::MountedDirectory { .. } => Err(Errno::IsDirectory),
                Target::MountedDevice(..) => Err(Errno::NoDevice),
            }
        })
    }

    /// Writes at the position, or at the end in append mode, and moves the position behind the
    /// data. Writes all of `data` or nothing.
    pub fn write(&self, data: &[u8], now: Time) -> Result<usize, Error> {
        let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = if self.appends() { None } else { Some(*position) };
        *position = self.on(|| self.put(offset, data, now))?;
        Ok(data.len())
    }

    /// Writes at an offset, in append mode too; does not move the position.
    pub fn write_at(&self, offset: u64, data: &[u8], now: Time) -> Result<usize, Error> {
        self.on(|| self.put(Some(offset), data, now))?;
        Ok(data.len())
    }

    /// Truncates the file, or extends it with a hole.
    pub fn set_size(&self, size: u64, now: Time) -> Result<(), Error> {
        self.on(|| {
            if !self.how.write {
                return Err(Errno::BadHandle);
            }
            match &self.target {
                Target::Node { ino, .. } => {
                    let mut state = self.lock_for_writing(*ino)?;
                    if size > file_limit(&state) {
                        return Err(Errno::FileTooLarge);
                    }
                    if size == 0 {
                        return state.set_content(*ino, Content::default(), now);
                    }
                    state.edit(*ino, |inode| {
                        if let Body::File(content) = &mut inode.body {
                            content.resize(size);
                        }
                        inode.touch(now);
                    })
                }
                Target::Mounted(file) => {
                    if size > file_limit(&self.tree.lock()) {
                        return Err(Errno::FileTooLarge);
                    }
                    file.resize(size)
                }
                Target::MountedDirectory { .. } => Err(Errno::IsDirectory),
                Target::MountedDevice(..) => Err(Errno::NoDevice),
            }
        })
    }

    fn read_node(&self, ino: Ino, offset: u64, out: &mut [u8], now: Time) -> Result<usize, Errno> {
        let mut state = self.tree.lock();
        let inode = state.get(ino)?;
        let shared = match &inode.body {
            Body::File(content) => Some(content.share(offset, out.len())),
            Body::Lower(_) => None,
            Body::Directory(_) | Body::Mount { .. } => return Err(Errno::IsDirectory),
            Body::Link(_) => return Err(Errno::Invalid),
            Body::Device(_) => return Err(Errno::NoDevice),
        };
        if inode.access_is_news(now) {
            state.edit(ino, |inode| inode.accessed = now)?;
        }
        drop(state);
        match shared {
            Some(shared) => Ok(shared.copy_to(out)),
            None => {
                self.open_lower()?;
                match &self.target {
                    Target::Node { lower, .. } => match lower.get() {
                        Some(file) => file.read_at(offset, out),
                        // Copied up in between, so it is an ordinary file now.
                        None => self.read_node(ino, offset, out, now),
                    },
                    Target::Mounted(_) | Target::MountedDirectory { .. } => Err(Errno::Io),
                    Target::MountedDevice(..) => Err(Errno::Io),
                }
            }
        }
    }

    /// Writes at the offset, or at the end if it is `None`. Returns the end of the data.
    fn put(&self, offset: Option<u64>, data: &[u8], now: Time) -> Result<u64, Errno> {
        if !self.how.write {
            return Err(Errno::BadHandle);
        }
        match &self.target {
            Target::Node { ino, .. } => {
                // Full chunks are copied before the lock is taken. An append cannot do that,
                // because the end is known only under the lock.
                let staged = match offset {
                    Some(offset) => {
                        end_of(offset, data, Limits::FILE_MAX)?;
                        Some(Staged::new(offset, data))
                    }
                    None => None,
                };
                let mut state = self.lock_for_writing(*ino)?;
                let Body::File(content) = &state.get(*ino)?.body else { return Err(Errno::Io) };
                let offset = offset.unwrap_or(content.size());
                if data.is_empty() {
                    return Ok(offset);
                }
                let end = end_of(offset, data, file_limit(&state))?;
                if state.get(*ino)?.area != Area::System {
                    let more = content.cost_after(offset, data.len()) - content.cost();
                    state.afford(Usage::bytes(more))?;
                }
                let staged = staged.unwrap_or_else(|| Staged::new(offset, data));
                state.edit(*ino, |inode| {
                    if let Body::File(content) = &mut inode.body {
                        content.write(offset, data, staged);
                    }
                    inode.touch(now);
                })?;
                Ok(end)
            }
            Target::Mounted(file) => match offset {
                Some(offset) => {
                    let end = end_of(offset, data, file_limit(&self.tree.lock()))?;
                    file.write_at(offset, data).map(|()| end)
                }
                None => {
                    end_of(file.stat()?.size, data, file_limit(&self.tree.lock()))?;
                    file.append(data)
                }
            },
            Target::MountedDirectory { .. } => Err(Errno::IsDirectory),
            Target::MountedDevice(..) => Err(Errno::NoDevice),
        }
    }

    /// Returns the lock with the content of the file in the tree; copies up a file of an overlay
    /// first.
    fn lock_for_writing(&self, ino: Ino) -> Result<crate::tree::Locked<'_>, Errno> {
        loop {
            let state = self.tree.lock();
            match &state.get(ino)?.body {
                Body::File(_) => return Ok(state),
                Body::Lower(_) => {}
                Body::Directory(_) | Body::Mount { .. } => return Err(Errno::IsDirectory),
                Body::Link(_) => return Err(Errno::Invalid),
                Body::Device(_) => return Err(Errno::NoDevice),
            }
            drop(state);
            overlay::copy_up(&self.tree, ino)?;
        }
    }
}

fn file_limit(state: &State) -> u64 {
    state.limits.file.min(Limits::FILE_MAX)
}

/// Returns the end of data at an offset that a guest chose.
fn end_of(offset: u64, data: &[u8], limit: u64) -> Result<u64, Errno> {
    let end = offset.checked_add(data.len() as u64);
    end.filter(|end| *end <= limit).ok_or(Errno::FileTooLarge)
}
