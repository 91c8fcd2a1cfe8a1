//! Writes archives: new ones, and ones that files or other archives are appended to.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};

use ::tar::Archive;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::member::Sink;
use super::settings::{Job, Packing};
use super::writer::{BLOCK, Writer};
use super::{Tar, about};
use crate::bytes::OsStrExt as _;
use crate::commands::pack::Format;
use crate::files::{human, status};
use crate::output::{self, Output};

/// Bytes collected before they are written to a file.
const BUFFER: usize = 64 * 1024;

impl Tar {
    pub(super) fn create(&mut self, out: &mut Output) -> io::Result<()> {
        let mut target: Box<dyn Write> = match &self.settings.file {
            Some(file) => {
                let made = File::create(file);
                let made =
                    made.map_err(|error| about(file.to_string_lossy(), "Cannot open", &error))?;
                if let Ok(found) = status(file.as_bytes(), true) {
                    self.archive = Some((found.device, found.inode));
                }
                Box::new(io::BufWriter::with_capacity(BUFFER, made))
            }
            None => Box::new(output::stdout()),
        };
        let size = match self.packing() {
            Some(Packing::Other(format)) => {
                let mut plain = Vec::new();
                let size = self.fill(&mut plain, out)?;
                format.pack(6, &mut plain.as_slice(), &mut target)?;
                size
            }
            Some(Packing::Gzip) => {
                let mut packed = GzEncoder::new(&mut target, Compression::default());
                let size = self.fill(&mut packed, out)?;
                packed.finish()?;
                size
            }
            None => self.fill(&mut target, out)?,
        };
        target.flush()?;
        if self.settings.totals {
            out.flush()?;
            let human = if size < 1024 { size.to_string() } else { format!("{}i", human(size)) };
            eprintln!("Total bytes written: {size} ({human}B, ?/s)");
        }
        Ok(())
    }

    /// Returns the compression of a new archive.
    fn packing(&self) -> Option<Packing> {
        let named = || {
            let file = self.settings.file.as_ref().filter(|_| self.settings.auto)?.as_bytes();
            let gzip = [".gz", ".tgz", ".taz"].iter().any(|end| file.ends_with(end.as_bytes()));
            if gzip { Some(Packing::Gzip) } else { Format::named(file).map(Packing::Other) }
        };
        self.settings.packing.or_else(named)
    }

    fn fill(&mut self, to: &mut dyn Write, out: &mut Output) -> io::Result<u64> {
        let mut archive = Writer::new(to, 0);
        let to_error = self.settings.file.is_none();
        let known = HashMap::new();
        self.add_all(&mut Sink { archive: &mut archive, out, to_error, known })?;
        archive.finish()
    }

    /// Appends files, of which an update takes only those that are newer than their copies.
    pub(super) fn append(&mut self, job: Job, out: &mut Output) -> io::Result<()> {
        let (mut file, end, known) = self.open_end()?;
        let known = if job == Job::Update { known } else { HashMap::new() };
        file.seek(SeekFrom::Start(end))?;
        let mut buffered = io::BufWriter::with_capacity(BUFFER, &file);
        let mut archive = Writer::new(&mut buffered, end);
        self.add_all(&mut Sink { archive: &mut archive, out, to_error: false, known })?;
        let size = archive.finish()?;
        drop(buffered);
        file.set_len(size)
    }

    /// Appends the members of other archives.
    pub(super) fn concatenate(&mut self) -> io::Result<()> {
        let (mut file, mut end, _) = self.open_end()?;
        for (dir, rule) in std::mem::take(&mut self.settings.names) {
            let path = dir.join(std::ffi::OsStr::from_bytes(&rule.text));
            let failed = |error: io::Error| about(path.display(), "Cannot open", &error);
            let mut other = File::open(&path).map_err(failed)?;
            let (len, _) = members(&mut other)?;
            other.seek(SeekFrom::Start(0))?;
            file.seek(SeekFrom::Start(end))?;
            end += io::copy(&mut other.take(len), &mut file)?;
        }
        file.seek(SeekFrom::Start(end))?;
        let size = Writer::new(&mut file, end).finish()?;
        file.set_len(size)
    }

    /// Opens the archive, and returns the place where its members end, with the times of members.
    /// An archive that does not exist is made.
    fn open_end(&mut self) -> io::Result<(File, u64, HashMap<Vec<u8>, u64>)> {
        if self.packing().is_some() {
            return Err(io::Error::other("Cannot update compressed archives"));
        }
        let Some(name) = &self.settings.file else {
            return Err(io::Error::other("no archive is named"));
        };
        let options = fs::OpenOptions::new().read(true).write(true).create(true).clone();
        let mut file = options
            .open(name)
            .map_err(|error| about(name.to_string_lossy(), "Cannot open", &error))?;
        if let Ok(found) = status(name.as_bytes(), true) {
            self.archive = Some((found.device, found.inode));
        }
        let (end, known) = members(&mut file)?;
        Ok((file, end, known))
    }
}

/// Returns the place where the members of an archive end, and the times of members.
fn members(file: &mut File) -> io::Result<(u64, HashMap<Vec<u8>, u64>)> {
    let mut end = 0;
    let mut known = HashMap::new();
    for entry in Archive::new(file).entries()? {
        let entry = entry?;
        end = entry.raw_file_position() + stored_size(&entry).div_ceil(BLOCK) * BLOCK;
        let modified = entry.header().mtime().unwrap_or(0);
        let newest = known.entry(entry.path_bytes().into_owned()).or_insert(modified);
        *newest = modified.max(*newest);
    }
    Ok((end, known))
}

/// Returns the size of a member's content in the archive.
pub(super) fn stored_size<R: Read>(entry: &::tar::Entry<'_, R>) -> u64 {
    entry.header().entry_size().unwrap_or(0)
}
