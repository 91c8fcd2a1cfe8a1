//! Copies of embedded guests in files of their own, so that a process maps what it would otherwise
//! make anew.
//!
//! Cells map their initial memory copy-on-write, and the engine maps it only from a file that is
//! the image from its first byte on. The memory of an image inside the program is therefore copied
//! first: 3 MiB for JavaScript, which takes 1.5 ms with the return of the pages, and 24 MiB for
//! Python. A process that runs one tool maps a copy on disk instead, which the first such process
//! makes. A server does not: `faults` has no effect on mapped files, and each of its cells would
//! be slower.
//!
//! A packed guest is unpacked once into such a file, and every process maps it (see `embedded`).
//!
//! Copies are trusted like compiled modules, and for the same reason (see `cache`). No checksum is
//! compared, because that would take as long as the copy; a file that a crash cut off has another
//! length.

use std::borrow::Cow;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};

use crate::cache::{Cache, hex, is_ours_alone, put};

/// Most copies that are kept; the oldest are removed first. A build has eight at most, and the one
/// before it may still be in use.
const MAX_COPIES: usize = 16;

/// Length of the start and of the end of an image that its name covers: the header, and the table
/// of sections with their lengths.
const COVERED: usize = 4096;

/// Content of a copy.
pub(crate) struct Original<'a> {
    /// Name of the copy, which no other content has.
    pub(crate) name: String,
    pub(crate) length: usize,
    /// Returns the bytes; `None` if they cannot be had. Called if there is no copy yet.
    pub(crate) read: &'a dyn Fn() -> Option<Cow<'static, [u8]>>,
}

/// Returns the copy of an original, and makes it if necessary; `None` if there is none and none can
/// be made, or if others can write to the directory.
pub(crate) fn open(directory: &Path, original: &Original<'_>) -> Option<File> {
    let cache = Cache::new(directory.to_owned());
    let folder = cache.open()?;
    let Original { name, length, read } = original;
    open_whole(&folder, name, *length).or_else(|| {
        let bytes = read()?;
        cache.make_room(&folder, MAX_COPIES);
        put(&folder, name, &[&bytes]).then(|| open_whole(&folder, name, *length))?
    })
}

/// Opens a copy that is complete and that nobody else can have written.
fn open_whole(folder: &OwnedFd, name: &str, length: usize) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::openat(folder, name, flags, Mode::empty()).ok()?;
    let found = rustix::fs::fstat(&file).ok()?.st_size as usize;
    (found == length && is_ours_alone(&file)).then(|| File::from(file))
}

/// Returns the name of the copy of an image. `build` tells builds of the program apart.
pub(crate) fn name(image: &[u8], build: &[u8]) -> String {
    let start = &image[..image.len().min(COVERED)];
    let end = &image[image.len().saturating_sub(COVERED)..];
    let digest = Sha256::new().chain_update(build).chain_update(start).chain_update(end).finalize();
    hex(&digest.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    /// Opens the copy of an image.
    fn copy(directory: &Path, image: &'static [u8], build: &[u8]) -> Option<File> {
        let read = || Some(Cow::Borrowed(image));
        let name = name(image, build);
        open(directory, &Original { name, length: image.len(), read: &read })
    }

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("cofferdam-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        path
    }

    fn files(path: &Path) -> Vec<PathBuf> {
        std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }

    fn content(file: Option<File>) -> Vec<u8> {
        let mut bytes = Vec::new();
        file.expect("a copy").read_to_end(&mut bytes).expect("readable");
        bytes
    }

    /// T-PROC-003.
    #[test]
    fn copy_belongs_to_this_user_alone_and_is_made_once() {
        let path = scratch("copy");
        assert_eq!(content(copy(&path, b"image", b"1")), b"image");
        let [file] = files(&path).try_into().expect("one file");
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&file)), (0o700, 0o600));
        // A second call reads what is there.
        std::fs::write(&file, b"other").expect("writable");
        assert_eq!(content(copy(&path, b"image", b"1")), b"other");
        std::fs::remove_dir_all(path).expect("removed");
    }

    #[test]
    fn copy_that_was_cut_off_is_made_anew() {
        let path = scratch("cut");
        drop(copy(&path, b"image", b"1"));
        let [file] = files(&path).try_into().expect("one file");
        std::fs::write(&file, b"ima").expect("writable");
        assert_eq!(content(copy(&path, b"image", b"1")), b"image");
        std::fs::remove_dir_all(path).expect("removed");
    }

    #[test]
    fn another_build_or_image_has_another_copy_and_old_ones_go() {
        let path = scratch("builds");
        for build in 0..20_u8 {
            assert_eq!(content(copy(&path, b"image", &[build])), b"image");
        }
        assert_eq!(content(copy(&path, b"imago", &[19])), b"imago");
        assert_eq!(files(&path).len(), MAX_COPIES);
        std::fs::remove_dir_all(path).expect("removed");
    }

    /// T-PROC-003.
    #[test]
    fn files_that_others_can_write_to_are_not_used() {
        let path = scratch("others");
        drop(copy(&path, b"image", b"1"));
        let [file] = files(&path).try_into().expect("one file");
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("ours");
        };
        std::fs::write(&file, b"other").expect("writable");
        set(&file, 0o666);
        assert_eq!(content(copy(&path, b"image", b"1")), b"image");
        set(&path, 0o777);
        assert!(copy(&path, b"image", b"1").is_none());
        std::fs::remove_dir_all(path).expect("removed");
    }
}
