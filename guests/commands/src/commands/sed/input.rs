//! The files of sed: lines are read from one after another, and replaced in place if asked.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read as _};

use cofferdam_guest_sys as sys;

use super::run::Sink;
use crate::bytes::{OsStrExt as _, base};
use crate::output::{self, reason};

/// Exit code if a file could not be read.
const UNREADABLE: i32 = 2;
/// Exit code if a file could not be edited in place.
const UNEDITABLE: i32 = 4;

/// Treatment of the files.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    /// All files are one stream.
    Joined,
    /// Line numbers and `$` are those of each file.
    Separate,
    /// Each file is replaced by the output; the old one is kept if there is a suffix.
    InPlace(Vec<u8>),
}

struct Open {
    reader: Box<dyn BufRead>,
    name: Vec<u8>,
}

/// The lines of all files.
pub(crate) struct Input {
    files: VecDeque<OsString>,
    /// Nothing after the current line is taken from standard input.
    is_unbuffered: bool,
    mode: Mode,
    end: u8,
    current: Option<Open>,
    /// The next file that has lines, if it was looked for.
    upcoming: Option<Open>,
    /// The line that was read last, without its end.
    pub(crate) line: Vec<u8>,
    /// Its number.
    pub(crate) number: usize,
    /// Number of streams that were begun.
    pub(crate) streams: usize,
    stdout: Sink,
    /// The new content of a file that is edited in place, and its temporary name.
    edited: Option<(Sink, Vec<u8>)>,
    /// Exit code of files that could not be used.
    pub(crate) trouble: i32,
}

impl Input {
    pub(crate) fn new(files: Vec<OsString>, mode: Mode, end: u8, is_unbuffered: bool) -> Input {
        Input {
            files: files.into(),
            is_unbuffered,
            mode,
            end,
            current: None,
            upcoming: None,
            line: Vec::new(),
            number: 0,
            streams: 0,
            stdout: Sink::new(output::stdout()),
            edited: None,
            trouble: 0,
        }
    }

    /// Returns the place that lines are printed to.
    pub(crate) fn out(&mut self) -> &mut Sink {
        match &mut self.edited {
            Some((sink, _)) => sink,
            None => &mut self.stdout,
        }
    }

    pub(crate) fn stdout(&mut self) -> &mut Sink {
        &mut self.stdout
    }

    /// Returns the name of the current file.
    pub(crate) fn name(&self) -> &[u8] {
        self.current.as_ref().map_or(b"-", |open| &open.name)
    }

    /// Reads the rest of standard input.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        // Input that cannot be read counts as empty.
        let _ = output::Input.read_to_end(&mut text);
        text
    }

    /// Reads a line; returns true if it had its end, and `None` after the last line.
    pub(crate) fn next(&mut self) -> io::Result<Option<bool>> {
        loop {
            if self.current.is_none() && !self.advance()? {
                return Ok(None);
            }
            let Some(open) = &mut self.current else { return Ok(None) };
            self.line.clear();
            let read = open.reader.read_until(self.end, &mut self.line);
            match read {
                Ok(0) => self.close()?,
                Ok(_) => {
                    self.number += 1;
                    let is_ended = self.line.last() == Some(&self.end);
                    if is_ended {
                        self.line.pop();
                    }
                    return Ok(Some(is_ended));
                }
                Err(error) => {
                    let name = String::from_utf8_lossy(&open.name);
                    eprintln!("sed: couldn't read {name}: {}", reason(&error));
                    self.trouble = UNREADABLE;
                    self.current = None;
                }
            }
        }
    }

    /// Returns true if no line follows the current one.
    pub(crate) fn is_last(&mut self) -> io::Result<bool> {
        if let Some(open) = &mut self.current
            && open.reader.fill_buf().is_ok_and(|rest| !rest.is_empty())
        {
            return Ok(false);
        }
        if self.mode != Mode::Joined {
            return Ok(true);
        }
        while self.upcoming.is_none() {
            let Some(mut open) = self.open_next() else { return Ok(true) };
            if open.reader.fill_buf().is_ok_and(|rest| !rest.is_empty()) {
                self.upcoming = Some(open);
            }
        }
        Ok(false)
    }

    /// Begins the next file; returns false if there is none.
    fn advance(&mut self) -> io::Result<bool> {
        let Some(open) = self.upcoming.take().or_else(|| self.open_next()) else {
            return Ok(false);
        };
        if self.mode != Mode::Joined {
            self.number = 0;
            self.streams += 1;
        }
        if let Mode::InPlace(_) = self.mode {
            let dir = match open.name.iter().rposition(|b| *b == b'/') {
                Some(slash) => &open.name[..=slash],
                None => b"",
            };
            let pid = sys::myself().map_or(0, |me| me.pid);
            let temporary = [dir, format!("sed{pid:06}").as_bytes()].concat();
            let file = File::create(OsStr::from_bytes(&temporary)).map_err(|e| {
                let name = String::from_utf8_lossy(&temporary);
                io::Error::other(format!("couldn't open temporary file {name}: {}", reason(&e)))
            })?;
            self.edited = Some((Sink::new(BufWriter::with_capacity(64 << 10, file)), temporary));
        }
        self.current = Some(open);
        Ok(true)
    }

    fn open_next(&mut self) -> Option<Open> {
        while let Some(file) = self.files.pop_front() {
            let name = file.as_bytes().to_vec();
            let is_edited = matches!(self.mode, Mode::InPlace(_));
            if name == b"-" && !is_edited {
                let room = if self.is_unbuffered { 1 } else { 64 << 10 };
                let reader = Box::new(BufReader::with_capacity(room, output::Input));
                return Some(Open { reader, name });
            }
            let shown = file.to_string_lossy();
            let opened = fs::metadata(&file).and_then(|about| Ok((about, File::open(&file)?)));
            match opened {
                Err(error) => {
                    eprintln!("sed: can't read {shown}: {}", reason(&error));
                    self.trouble = UNREADABLE;
                }
                Ok((about, _)) if is_edited && !about.is_file() => {
                    eprintln!("sed: couldn't edit {shown}: not a regular file");
                    self.trouble = UNEDITABLE;
                }
                Ok((about, _)) if about.is_dir() => {
                    eprintln!("sed: couldn't read {shown}: Is a directory");
                    self.trouble = UNREADABLE;
                }
                Ok((_, file)) => {
                    let reader = BufReader::with_capacity(64 << 10, file);
                    return Some(Open { reader: Box::new(reader), name });
                }
            }
        }
        None
    }

    /// Ends the current file; puts the new content in its place if it is edited.
    pub(crate) fn close(&mut self) -> io::Result<()> {
        let Some(open) = self.current.take() else { return Ok(()) };
        let (Some((mut sink, temporary)), Mode::InPlace(suffix)) = (self.edited.take(), &self.mode)
        else {
            return Ok(());
        };
        sink.flush()?;
        drop(sink);
        let status = sys::stat(&open.name, true)?;
        sys::chmod(&temporary, status.mode & 0o7777)?;
        if !suffix.is_empty() {
            fs::rename(
                OsStr::from_bytes(&open.name),
                OsStr::from_bytes(&backup(&open.name, suffix)),
            )?;
        }
        fs::rename(OsStr::from_bytes(&temporary), OsStr::from_bytes(&open.name))
    }

    /// Ends all files.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.close()?;
        self.stdout.flush()
    }
}

/// Returns the name under which an old file is kept: with the suffix, or the suffix with the name
/// in place of each `*`.
fn backup(name: &[u8], suffix: &[u8]) -> Vec<u8> {
    if !suffix.contains(&b'*') {
        return [name, suffix].concat();
    }
    let base = base(name);
    let parts: Vec<&[u8]> = suffix.split(|b| *b == b'*').collect();
    let kept = parts.join(base);
    if kept.contains(&b'/') { kept } else { [&name[..name.len() - base.len()], &kept].concat() }
}
