//! [`Embedded`], the native code of a guest inside the program: plain, or packed to a third.
//!
//! Plain code runs in place and is there at once. Packed code is unpacked on first use, into a file
//! that later processes map (see `copies`), or into memory where there can be no file. From then on
//! it runs in place too.

use std::borrow::Cow;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::OnceLock;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect, munmap};
use wasmtime::{Engine, Module};

use crate::cache::hex;
use crate::code;
use crate::copies::{self, Original};
use crate::guest_files::GuestFiles;
use crate::{Error, ErrorKind};

/// Length of the digest before the frame of zstd.
const DIGEST: usize = 32;

/// Longest code of a guest. A frame that claims more is damaged.
const MAX_CODE: usize = 1 << 28;

/// The native code of a guest.
#[derive(Clone, Copy)]
pub enum Embedded {
    /// The code itself.
    Plain(&'static [u8]),
    /// Code that is unpacked on first use.
    Packed(&'static Packed),
}

/// The output of [`crate::imaging::pack`], and once it was used the code.
pub struct Packed {
    bytes: &'static [u8],
    code: OnceLock<&'static [u8]>,
}

impl Embedded {
    /// Loads the code into an engine.
    ///
    /// # Safety
    ///
    /// The code runs natively: it must be the unmodified output of the engine's compiler. Whoever
    /// can write to the files of this user can replace copies.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn load(self, engine: &Engine, files: &GuestFiles) -> Result<Module, Error> {
        let folder = match files {
            GuestFiles::None => None,
            GuestFiles::Packed(folder) => Some(&**folder),
            GuestFiles::All { folder, build } => {
                let module = self.copy(folder, build).and_then(|file| {
                    // SAFETY: the file is a copy of the code, and only this user can write to it.
                    unsafe { Module::deserialize_open_file(engine, file) }.ok()
                });
                if let Some(module) = module {
                    return Ok(module);
                }
                None
            }
        };
        let code = self.code(folder)?;
        // SAFETY: the caller promises that the code comes from the compiler; wasmtime checks its
        // version and settings. It is never modified and never freed.
        let module = unsafe {
            match code::claim(code) {
                true => Module::deserialize_raw(engine, code.into()),
                false => Module::deserialize(engine, code),
            }
        };
        module.map_err(|e| Error::new(ErrorKind::Image, format!("{e:#}")))
    }

    /// Returns the code. If it is packed, it is mapped from its copy in `directory`, which the first
    /// call makes; without a directory it is unpacked into memory, once in the process.
    pub fn code(self, directory: Option<&Path>) -> Result<&'static [u8], Error> {
        match self {
            Embedded::Plain(code) => Ok(code),
            Embedded::Packed(packed) => packed.code(directory),
        }
    }

    /// Returns a file with the code, in `directory`; `None` if there can be none.
    fn copy(self, directory: &Path, build: &[u8]) -> Option<File> {
        match self {
            Embedded::Plain(code) => {
                let read = || Some(Cow::Borrowed(code));
                let name = copies::name(code, build);
                copies::open(directory, &Original { name, length: code.len(), read: &read })
            }
            Embedded::Packed(packed) => packed.copy(directory),
        }
    }
}

impl Packed {
    /// Takes the output of [`crate::imaging::pack`].
    pub const fn new(bytes: &'static [u8]) -> Self {
        Packed { bytes, code: OnceLock::new() }
    }

    fn code(&self, directory: Option<&Path>) -> Result<&'static [u8], Error> {
        if let Some(code) = self.code.get() {
            return Ok(code);
        }
        let copy = directory.and_then(|directory| self.copy(directory));
        let code = match copy.and_then(|file| map(&file, self.length()?)) {
            Some(code) => code,
            None => self.unpack_into_pages()?,
        };
        // Two threads may both have come here. The code of the second stays mapped and unused.
        Ok(self.code.get_or_init(|| code))
    }

    /// Named by the code alone, so that builds share it.
    fn copy(&self, directory: &Path) -> Option<File> {
        let (digest, frame) = self.bytes.split_first_chunk::<DIGEST>()?;
        let length = self.length()?;
        let read = || zstd::bulk::decompress(frame, length).ok().map(Cow::Owned);
        copies::open(directory, &Original { name: hex(digest), length, read: &read })
    }

    /// Returns the length of the code; `None` if the frame is damaged.
    fn length(&self) -> Option<usize> {
        let frame = self.bytes.get(DIGEST..)?;
        let length = zstd::zstd_safe::get_frame_content_size(frame).ok()??;
        usize::try_from(length).ok().filter(|length| (1..=MAX_CODE).contains(length))
    }

    /// Unpacks the code into pages of its own, as [`crate::code::claim`] asks for.
    #[allow(unsafe_code)]
    fn unpack_into_pages(&self) -> Result<&'static [u8], Error> {
        let damaged = || Error::new(ErrorKind::Image, "a packed guest is damaged");
        let length = self.length().ok_or_else(damaged)?;
        let frame = self.bytes.get(DIGEST..).ok_or_else(damaged)?;
        let flags = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses touches no other memory.
        let at = unsafe {
            mmap_anonymous(std::ptr::null_mut(), length, flags, MapFlags::PRIVATE)
                .map_err(|e| Error::new(ErrorKind::Image, format!("memory of a guest: {e}")))?
        };
        // SAFETY: the mapping is `length` bytes long, zeroed, and nothing else refers to it yet.
        let pages = unsafe { std::slice::from_raw_parts_mut(at.cast::<u8>(), length) };
        let unpacked = zstd::bulk::decompress_to_buffer(frame, &mut *pages);
        // SAFETY: the mapping ends here, or is never written to again: the slice was the only
        // reference to it, and a shared one for good replaces it.
        unsafe {
            if unpacked.ok() != Some(length) {
                let _ = munmap(at, length);
                return Err(damaged());
            }
            let _ = mprotect(at, length, MprotectFlags::READ);
            Ok(std::slice::from_raw_parts(at.cast::<u8>().cast_const(), length))
        }
    }
}

/// Maps a file for good; `None` if that fails, or if code in it must not be executed.
#[allow(unsafe_code)]
fn map(file: &File, length: usize) -> Option<&'static [u8]> {
    let flags = ProtFlags::READ | ProtFlags::EXEC;
    // SAFETY: a new mapping at an address that the kernel chooses touches no other memory. It is
    // mapped as executable at first because a file system that forbids this is found out here.
    let at = unsafe {
        mmap(std::ptr::null_mut(), length, flags, MapFlags::PRIVATE, file.as_fd(), 0).ok()?
    };
    // SAFETY: the mapping is `length` bytes long and is never removed. Only this user can write to
    // the file, and what `copies` writes, it never changes.
    unsafe {
        let _ = mprotect(at, length, MprotectFlags::READ);
        Some(std::slice::from_raw_parts(at.cast::<u8>().cast_const(), length))
    }
}

#[cfg(all(test, feature = "imaging"))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;
    use crate::imaging::pack;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("cofferdam-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        path
    }

    /// Returns code of a few pages, and a guest that was not used yet for each call.
    fn code() -> Vec<u8> {
        (0..50_000_u32).flat_map(|number| (number / 7).to_le_bytes()).collect()
    }

    fn guest(bytes: Vec<u8>) -> Embedded {
        Embedded::Packed(Box::leak(Box::new(Packed::new(bytes.leak()))))
    }

    fn files(path: &Path) -> Vec<PathBuf> {
        std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }

    #[test]
    fn packed_code_is_the_same_with_and_without_a_copy() {
        let path = scratch("packed");
        let packed = pack(&code()).expect("packed");
        assert!(packed.len() < code().len() / 2);
        for directory in [None, Some(&*path), Some(&*path), Some(Path::new("/proc/none"))] {
            let code_now = guest(packed.clone()).code(directory).expect("code");
            assert_eq!(code_now, code());
            assert!(code_now.as_ptr().addr().is_multiple_of(rustix::param::page_size()));
        }
        // All builds of the program have the same copy.
        assert_eq!(files(&path).len(), 1);
        guest(packed).copy(&path, b"another build").expect("a copy");
        assert_eq!(files(&path).len(), 1);
        std::fs::remove_dir_all(path).expect("removed");
    }

    /// T-PROC-003.
    #[test]
    fn copies_that_were_cut_off_or_that_others_can_write_to_are_not_used() {
        let path = scratch("packed-others");
        let packed = pack(&code()).expect("packed");
        guest(packed.clone()).code(Some(&path)).expect("code");
        let [file] = files(&path).try_into().expect("one file");
        std::fs::write(&file, b"cut").expect("writable");
        assert_eq!(guest(packed.clone()).code(Some(&path)).expect("code"), code());
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("ours");
        };
        std::fs::write(&file, vec![0; code().len()]).expect("writable");
        set(&file, 0o666);
        assert_eq!(guest(packed.clone()).code(Some(&path)).expect("code"), code());
        set(&path, 0o777);
        assert!(guest(packed.clone()).copy(&path, b"1").is_none());
        assert_eq!(guest(packed).code(Some(&path)).expect("code"), code());
        std::fs::remove_dir_all(path).expect("removed");
    }

    #[test]
    fn a_damaged_guest_is_an_error() {
        let packed = pack(&code()).expect("packed");
        let path = scratch("packed-damaged");
        let mut flipped = packed.clone();
        *flipped.last_mut().expect("bytes") ^= 1;
        for bytes in
            [Vec::new(), packed[..40].to_vec(), packed[..packed.len() / 2].to_vec(), flipped]
        {
            for directory in [None, Some(&*path)] {
                let error = guest(bytes.clone()).code(directory).expect_err("damaged");
                assert!(error.to_string().contains("damaged"), "{error}");
            }
        }
        assert_eq!(files(&path).len(), 0);
        std::fs::remove_dir_all(path).expect("removed");
    }
}
