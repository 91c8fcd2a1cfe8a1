//! tar: creates, lists, extracts, compares and changes archives, compressed or not.
//!
//! In the order of a run: [`settings`] reads the options, [`create`] writes archives with
//! [`member`] and [`writer`], [`read`] goes through them for [`list`], [`extract`] and [`compare`].
//! [`select`] and [`transform`] decide which names are meant and what becomes of them; [`remove`]
//! takes members out.

mod compare;
mod create;
mod extract;
mod list;
mod member;
mod read;
mod remove;
mod select;
mod settings;
mod transform;
mod usage;
mod writer;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::files::umask;
use crate::output::{self, reason};
use settings::{Job, Settings};

/// Exit code for members that differ.
const DIFFERENT: i32 = 1;
/// Exit code after any other failure.
const FAILURE: i32 = 2;

/// Text of the error for an archive that is not compressed as `-z` says.
const NO_GZIP: &str = "invalid gzip header";

/// A run of the command: its settings, and what it has seen so far.
struct Tar {
    settings: Settings,
    code: i32,
    /// Prefixes that were reported as removed from names.
    removed: HashSet<Vec<u8>>,
    /// Names in the archive of files with several links, by device and number.
    linked: HashMap<(u64, u64), Vec<u8>>,
    /// Links that were extracted.
    links: HashSet<PathBuf>,
    /// Directories that were extracted, whose mode and time are set at the end.
    directories: Vec<(PathBuf, u32, u64)>,
    /// Permission bits that extracted files do not get.
    mask: u32,
    /// Width of the columns of owners and size in a long listing, which only grows.
    width: usize,
    /// Device and number of the archive itself.
    archive: Option<(u64, u64)>,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    settings::parse(args)
        .map(|(job, settings)| {
            let mut tar = Tar {
                settings,
                code: 0,
                removed: HashSet::new(),
                linked: HashMap::new(),
                links: HashSet::new(),
                directories: Vec::new(),
                mask: umask(),
                width: list::WIDTH,
                archive: None,
            };
            let mut out = output::stdout();
            if let Err(error) = tar.work(job, &mut out) {
                let _ = out.flush();
                eprintln!("{}", fatal(&error));
                eprintln!("tar: Error is not recoverable: exiting now");
                return FAILURE;
            }
            if tar.code == FAILURE {
                let _ = out.flush();
                eprintln!("tar: Exiting with failure status due to previous errors");
            }
            output::finish("tar", &mut out, tar.code)
        })
        .unwrap_or_else(|code| code)
}

/// Returns the message of an error that ends the command.
fn fatal(error: &io::Error) -> String {
    let text = reason(error);
    if text.contains("gzip header") {
        return "\ngzip: stdin: not in gzip format\ntar: Child returned status 1".to_owned();
    }
    let ended = error.kind() == io::ErrorKind::UnexpectedEof || text.contains("unexpected EOF");
    if ended { "tar: Unexpected EOF in archive".to_owned() } else { format!("tar: {text}") }
}

impl Tar {
    fn work(&mut self, job: Job, out: &mut output::Output) -> io::Result<()> {
        self.check_directories()?;
        match job {
            Job::Create => self.create(out),
            Job::Append | Job::Update => self.append(job, out),
            Job::Concatenate => self.concatenate(),
            Job::Delete => self.delete(),
            Job::List | Job::Extract | Job::Compare => self.read(job, out),
        }
    }

    /// Fails if a directory of `-C` cannot be entered.
    fn check_directories(&self) -> io::Result<()> {
        let named = self.settings.names.iter().map(|(dir, _)| dir);
        for dir in named.chain([&self.settings.dir]).filter(|dir| !dir.as_os_str().is_empty()) {
            let checked = std::fs::metadata(dir).and_then(|found| {
                let error = || io::Error::from_raw_os_error(libc::ENOTDIR);
                if found.is_dir() { Ok(()) } else { Err(error()) }
            });
            checked.map_err(|error| about(dir.display(), "Cannot open", &error))?;
        }
        Ok(())
    }

    /// Reports a failure that the command survives.
    fn complain(&mut self, name: &[u8], message: &str) {
        eprintln!("tar: {}: {message}", list::escaped(name));
        self.code = FAILURE;
    }

    /// Removes a prefix that leads to the root or above the working directory.
    fn safer(&mut self, name: &[u8]) -> Vec<u8> {
        let prefix = select::unsafe_prefix(name);
        if prefix > 0 && !self.settings.absolute && self.removed.insert(name[..prefix].to_vec()) {
            let removed = list::escaped(&name[..prefix]);
            eprintln!("tar: Removing leading `{removed}' from member names");
        }
        let rest = if self.settings.absolute { name } else { &name[prefix..] };
        if rest.is_empty() { b".".to_vec() } else { rest.to_vec() }
    }
}

/// Returns an error that names a file and the operation that failed.
fn about(name: impl std::fmt::Display, what: &str, error: &io::Error) -> io::Error {
    io::Error::other(format!("{name}: {what}: {}", reason(error)))
}
