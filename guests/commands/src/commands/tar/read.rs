//! Goes through the members of an archive, to list, extract or compare them.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;

use ::tar::{Archive, Entry};
use flate2::bufread::MultiGzDecoder;

use super::list::Listed;
use super::settings::{Job, Packing};
use super::transform::Target;
use super::{FAILURE, Tar, about};
use crate::commands::pack::Format;
use crate::output::{Input, Output};

/// Bytes read at a time.
const BUFFER: usize = 64 * 1024;

/// A member: its names after the changes that the settings ask for.
pub(super) struct Member {
    /// Name as it is in the archive.
    pub(super) name: Vec<u8>,
    /// Name for the file system, relative to `dir`; `None` if nothing is left of it.
    pub(super) place: Option<Vec<u8>>,
    /// Target of a link; for a hard link, relative to `dir`.
    pub(super) link: Vec<u8>,
    pub(super) dir: PathBuf,
}

impl Tar {
    pub(super) fn read(&mut self, job: Job, out: &mut Output) -> io::Result<()> {
        let mut source = Counted { source: self.source()?, read: 0 };
        let mut seen = vec![false; self.settings.names.len()];
        let mut archive = Archive::new(&mut source);
        archive.set_ignore_zeros(self.settings.ignore_zeros);
        let (mut members, mut failure) = (0_u64, None);
        for entry in archive.entries()? {
            let mut entry = match entry {
                Ok(entry) => entry,
                // A last block that is cut off ends the archive.
                Err(error) if error.to_string().contains("entire block") && members > 0 => break,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            };
            members += 1;
            if let Some(member) = self.member(&entry, &mut seen) {
                self.one(job, &mut entry, &member, out)?;
            }
        }
        let read = source.read;
        out.flush()?;
        match failure {
            Some(error) if members == 0 && !unpacking_failed(&error) => {
                eprintln!("tar: This does not look like a tar archive");
                if read > super::writer::BLOCK {
                    eprintln!("tar: Skipping to next header");
                }
                self.code = FAILURE;
            }
            Some(error) => {
                self.finish_directories();
                return Err(error);
            }
            None if read == 0 => {
                eprintln!("tar: This does not look like a tar archive");
                self.code = FAILURE;
            }
            None => {}
        }
        self.finish_directories();
        self.missing(&seen);
        Ok(())
    }

    /// Opens the archive and unpacks it, whatever it is packed with.
    fn source(&self) -> io::Result<Box<dyn Read>> {
        let raw: Box<dyn Read> = match &self.settings.file {
            None => Box::new(Input),
            Some(file) => Box::new(
                File::open(file)
                    .map_err(|error| about(file.to_string_lossy(), "Cannot open", &error))?,
            ),
        };
        let mut raw = io::BufReader::with_capacity(BUFFER, raw);
        let start = raw.fill_buf().map_err(|error| {
            let file = self.settings.file.clone().unwrap_or_default();
            about(file.to_string_lossy(), "Cannot read", &error)
        })?;
        let packing = if start.starts_with(&[0x1f, 0x8b]) {
            Some(Packing::Gzip)
        } else {
            Format::of(start).map(Packing::Other).or(self.settings.packing)
        };
        if packing == Some(Packing::Gzip) && !start.starts_with(&[0x1f, 0x8b]) {
            return Err(io::Error::other(super::NO_GZIP));
        }
        Ok(match packing {
            Some(Packing::Other(format)) => format.unpack(Box::new(raw)),
            Some(Packing::Gzip) => Box::new(MultiGzDecoder::new(raw)),
            None => Box::new(raw),
        })
    }

    /// Returns the names of a member, or `None` if it is not wanted.
    fn member<R: Read>(&self, entry: &Entry<'_, R>, seen: &mut [bool]) -> Option<Member> {
        let name = entry.path_bytes().into_owned();
        let bare = name.strip_suffix(b"/").filter(|bare| !bare.is_empty()).unwrap_or(&name);
        let settings = &self.settings;
        let mut dir = settings.names.is_empty().then(|| settings.dir.clone());
        for ((from, rule), seen) in settings.names.iter().zip(seen) {
            let covers = if settings.recursion { rule.covers(bare) } else { rule.is(bare) };
            if covers {
                *seen = true;
                dir.get_or_insert_with(|| from.clone());
            }
        }
        let dir = dir?;
        if settings.exclude.iter().any(|rule| rule.covers(bare)) {
            return None;
        }
        let place = |name: &[u8], target| {
            let changed = settings.transform.apply(name, target)?;
            let placed = settings.transform.stripped(&changed)?;
            Some(match &settings.top {
                Some(top) if !placed.starts_with(&[top.as_slice(), b"/"].concat()) => {
                    [top, b"/".as_slice(), placed].concat()
                }
                _ => placed.to_vec(),
            })
        };
        let link = entry.link_name_bytes().unwrap_or_default().into_owned();
        let link = match entry.header().entry_type() {
            kind if kind.is_hard_link() => place(&link, Target::HardLink),
            _ => settings.transform.apply(&link, Target::Symlink),
        };
        let place = place(bare, Target::Member);
        Some(Member { place, link: link.unwrap_or_default(), dir, name })
    }

    fn one<R: Read>(
        &mut self,
        job: Job,
        entry: &mut Entry<'_, R>,
        member: &Member,
        out: &mut Output,
    ) -> io::Result<()> {
        if job == Job::List {
            // Prints the warning that extraction would print.
            let _ = self.safer(&member.name);
        }
        let level = u8::from(job != Job::List);
        if job == Job::List || self.settings.verbose > 0 {
            let header = entry.header().clone();
            let mut shown = member.name.clone();
            let own = entry.link_name_bytes().unwrap_or_default().into_owned();
            let mut link = &own;
            if self.settings.show_transformed {
                shown = member.place.clone().unwrap_or_default();
                if header.entry_type().is_dir() {
                    shown.push(b'/');
                }
                link = &member.link;
            }
            let listed = Listed { header: &header, name: &shown, link, size: entry.size() };
            let long = self.settings.verbose > level;
            let to_error = self.settings.to_output && job == Job::Extract;
            self.show(&listed, long, to_error, out)?;
        }
        match job {
            Job::Extract if self.settings.to_output => {
                if entry.header().entry_type().is_file() {
                    io::copy(entry, out)?;
                }
                Ok(())
            }
            Job::Extract => self.extract(entry, member),
            Job::Compare => self.compare(entry, member, out),
            Job::List
            | Job::Create
            | Job::Append
            | Job::Update
            | Job::Concatenate
            | Job::Delete => Ok(()),
        }
    }

    /// Reports the names that were not found in the archive.
    pub(super) fn missing(&mut self, seen: &[bool]) {
        let names = std::mem::take(&mut self.settings.names);
        let absent =
            || names.iter().zip(seen).filter(|(_, seen)| !**seen).map(|((_, name), _)| name);
        if self.settings.warn_of_wildcards && absent().any(|name| name.looks_like_pattern()) {
            eprintln!("tar: Pattern matching characters used in file names");
            eprintln!(
                "tar: Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning"
            );
        }
        for name in absent() {
            self.complain(&name.text, "Not found in archive");
        }
    }
}

/// Returns true if an error is about the compression, not about the archive in it.
fn unpacking_failed(error: &io::Error) -> bool {
    let text = error.to_string();
    text.contains("gzip") || text.contains("deflate") || text.contains("bz") || text.contains("xz")
}

/// A source that counts the bytes read.
struct Counted {
    source: Box<dyn Read>,
    read: u64,
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let len = self.source.read(buf)?;
        self.read += len as u64;
        Ok(len)
    }
}
