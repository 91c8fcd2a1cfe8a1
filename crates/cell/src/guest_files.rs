//! [`GuestFiles`], the use of files for the code of embedded guests.

use std::path::PathBuf;

/// Files that hold native code of embedded guests outside the program.
#[derive(Clone)]
pub enum GuestFiles {
    /// There are none: packed code is unpacked into the memory of the process.
    None,
    /// Packed code is unpacked into files of this folder, and later processes map them.
    Packed(PathBuf),
    /// All code that is used is in files of this folder, and the memory of cells is mapped from them
    /// too. Loading copies nothing then, but each further cell is slightly slower: for a process
    /// that ends after one run.
    All {
        /// Folder of the files.
        folder: PathBuf,
        /// Mark of the program's build, which tells copies of different builds apart.
        build: Vec<u8>,
    },
}
