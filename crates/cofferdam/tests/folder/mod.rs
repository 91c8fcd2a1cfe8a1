//! A folder of the host for one test, removed at its end.

use std::path::{Path, PathBuf};

use cofferdam::HostDir;

pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates a folder with this many empty files in `d`.
    pub(crate) fn new(name: &str, files: usize) -> Self {
        let name = format!("cofferdam-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(path.join("d")).expect("room");
        for file in 0..files {
            std::fs::write(path.join(format!("d/{file}")), "").expect("room");
        }
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn open(&self) -> HostDir {
        HostDir::open_ambient(&self.0).expect("a folder")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
