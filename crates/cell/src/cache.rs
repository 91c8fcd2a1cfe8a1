//! Compiled programs on disk.
//!
//! Code loaded from here runs natively outside any sandbox. The files are trusted because nobody
//! else could have written them: the directory and each file belong to this user and are writable
//! only by this user (T-PROC-003). A checksum detects truncation and damage. It includes the hash
//! of the module and the settings, so a file under the wrong name is refused too.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags};
use sha2::{Digest, Sha256};
use wasmtime::Module;

/// Longest file that is read back, in bytes.
const MAX_FILE: u64 = 1 << 30;

/// Most files that are kept; the oldest are removed first.
const MAX_FILES: usize = 256;

const MAGIC: &[u8; 16] = b"cofferdam/wasm/1";

pub(crate) struct Cache {
    path: PathBuf,
}

impl Cache {
    pub(crate) fn new(path: PathBuf) -> Self {
        Cache { path }
    }

    /// Opens the directory, creating it if necessary; `None` if others can write to it.
    pub(crate) fn open(&self) -> Option<OwnedFd> {
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.path).ok()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let directory = rustix::fs::open(&self.path, flags, Mode::empty()).ok()?;
        is_ours_alone(&directory).then_some(directory)
    }

    #[allow(unsafe_code)]
    pub(crate) fn load(&self, engine: &wasmtime::Engine, key: &[u8; 32]) -> Option<Module> {
        let directory = self.open()?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = rustix::fs::openat(&directory, hex(key), flags, Mode::empty()).ok()?;
        let length = rustix::fs::fstat(&file).ok()?.st_size as u64;
        if !is_ours_alone(&file) || length > MAX_FILE {
            return None;
        }
        let mut bytes = Vec::with_capacity(length as usize);
        File::from(file).take(MAX_FILE).read_to_end(&mut bytes).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (sum, native) = rest.split_at_checked(32)?;
        if *sum != checksum(key, native) {
            return None;
        }
        // SAFETY: the checksum shows that these are the bytes that `save` received for this key,
        // the output of `Module::serialize`. Only this user can write to the file, so nobody
        // else could have forged them. wasmtime checks its version and settings.
        unsafe { Module::deserialize(engine, native) }.ok()
    }

    /// Saves a compiled module. Errors are ignored, because the cache is optional.
    pub(crate) fn save(&self, key: &[u8; 32], native: &[u8]) {
        let Some(directory) = self.open() else { return };
        self.make_room(&directory, MAX_FILES);
        put(&directory, &hex(key), &[MAGIC, &checksum(key, native), native]);
    }

    /// Removes the oldest files, so that with one more there are at most `most`.
    pub(crate) fn make_room(&self, directory: &OwnedFd, most: usize) {
        let Ok(entries) = std::fs::read_dir(&self.path) else { return };
        let mut files: Vec<_> = entries
            .flatten()
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.file_name())))
            .collect();
        files.sort();
        for (_, name) in files.iter().take((files.len() + 1).saturating_sub(most)) {
            let _ = rustix::fs::unlinkat(directory, &**name, AtFlags::empty());
        }
    }
}

/// Writes a file under a temporary name and renames it. Returns false if that failed.
pub(crate) fn put(directory: &OwnedFd, name: &str, parts: &[&[u8]]) -> bool {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = format!(".{}-{next}", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o600);
    let Ok(file) = rustix::fs::openat(directory, &*temporary, flags, mode) else { return false };
    let mut file = File::from(file);
    // On the disk before it has its name: a file that a power cut emptied would be run as code.
    let written =
        parts.iter().try_for_each(|part| file.write_all(part)).and_then(|()| file.sync_data());
    let renamed =
        written.is_ok() && rustix::fs::renameat(directory, &*temporary, directory, name).is_ok();
    if !renamed {
        let _ = rustix::fs::unlinkat(directory, &*temporary, AtFlags::empty());
    }
    renamed
}

pub(crate) fn is_ours_alone(fd: &OwnedFd) -> bool {
    rustix::fs::fstat(fd).is_ok_and(|stat| {
        stat.st_uid == rustix::process::geteuid().as_raw() && stat.st_mode & 0o022 == 0
    })
}

/// Writes a key as hexadecimal digits, for the name of a file.
pub(crate) fn hex(key: &[u8; 32]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn checksum(key: &[u8; 32], native: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(key).chain_update(native).finalize().into()
}
