//! Files of a sandbox that are read and written in pieces, so that a long file is never whole in
//! memory twice.

use std::sync::Arc;

use cofferdam_vfs::{Kind, Mode, Open, OpenFile};

use crate::error::{Error, ErrorKind};
use crate::files;
use crate::sandbox::{Sandbox, SandboxState};

/// A file that is read in pieces. It stays readable if its name is removed or replaced.
pub struct FileReader {
    file: OpenFile,
    len: u64,
}

impl FileReader {
    /// Returns the length at the time of opening.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns true if the file was empty at the time of opening.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads up to `most` bytes at an offset; none at or past the end.
    pub fn read_at(&self, offset: u64, most: usize) -> Result<Vec<u8>, Error> {
        let left = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; most.min(left)];
        let len = self.file.read_at(offset, &mut bytes, files::now())?;
        bytes.truncate(len);
        Ok(bytes)
    }
}

/// A file that is written in pieces. It appears under its name when it is complete, and not at all
/// if it is dropped before.
pub struct FileWriter {
    state: Arc<SandboxState>,
    file: OpenFile,
    /// Name until the file is complete.
    part: String,
    path: String,
    len: u64,
    is_done: bool,
}

impl FileWriter {
    /// Adds bytes at the end. Fails at the limits of the sandbox.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.state.check_alive()?;
        let written = self.file.write_at(self.len, bytes, files::now());
        let tree = &self.state.resources.files;
        written.map_err(|error| files::write_error(tree, &self.state.limits, &error))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Puts the file in its place and returns its length. `is_executable` lets it be started by its
    /// path.
    pub fn finish(mut self, is_executable: bool) -> Result<u64, Error> {
        self.state.check_alive()?;
        if is_executable {
            self.file.set_mode(Mode::new(0o755), files::now())?;
        }
        let files = self.state.resources.files.as_guest(files::now());
        files.rename(self.part.as_str(), self.path.as_str())?;
        self.is_done = true;
        Ok(self.len)
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        if !self.is_done {
            let files = self.state.resources.files.as_guest(files::now());
            // The sandbox may have removed the folder.
            let _ = files.remove_file(self.part.as_str());
        }
    }
}

impl Sandbox {
    /// Opens a file to read it in pieces.
    pub fn open_file(&self, path: &str) -> Result<FileReader, Error> {
        self.state.check_alive()?;
        let files = self.state.resources.files.as_host(files::now());
        let file = files.open(path, Open::to_read())?;
        let stat = file.stat()?;
        if stat.kind != Kind::File {
            return Err(Error::new(ErrorKind::File, format!("{path}: not a file")));
        }
        Ok(FileReader { len: stat.size, file })
    }

    /// Creates a file, and the folders above it, to write it in pieces. A file of this name stays as
    /// it is until the new one is complete.
    pub fn create_file(&self, path: &str) -> Result<FileWriter, Error> {
        self.state.check_alive()?;
        let tree = &self.state.resources.files;
        let files = tree.as_guest(files::now());
        let failed =
            |error: cofferdam_vfs::Error| files::write_error(tree, &self.state.limits, &error);
        let path = files::absolute(path, files::HOME);
        if let Some((folder, _)) = path.rsplit_once('/').filter(|(folder, _)| !folder.is_empty()) {
            files.make_directories(folder, Mode::DIRECTORY).map_err(failed)?;
        }
        // A link is followed, as in every other write.
        let path = files.resolve(path.as_str()).map_or(path, |found| found.as_str().to_owned());
        let number = self.state.next_part();
        let part = format!("{path}.{number}.part");
        let how = Open::to_write().create_new();
        let file = files.open(part.as_str(), how).map_err(failed)?;
        let state = self.state.clone();
        Ok(FileWriter { state, file, part, path, len: 0, is_done: false })
    }
}
