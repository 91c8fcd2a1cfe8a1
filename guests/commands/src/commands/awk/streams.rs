//! The files and commands that a program reads and writes.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::rc::Rc;

use cofferdam_guest_sys as sys;

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::child::{self, Child};
use crate::output::{self, Descriptor, Output};
use crate::pattern::Pattern;

/// Largest number of files and commands open at once.
const MAX_OPEN: usize = 200;
/// Smallest size of a read, in bytes.
const BLOCK: usize = 64 * 1024;

/// The rule that separates records.
#[derive(Clone)]
pub(super) enum Ending {
    Byte(u8),
    /// Runs of blank lines.
    Paragraph,
    Pattern(Rc<Pattern>),
}

/// An owned descriptor for reading, closed on drop.
struct Own(sys::Fd);

impl Read for Own {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match sys::read(self.0, buf) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                answer => return answer,
            }
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = sys::close(self.0);
    }
}

/// Reads the records of a file or command.
pub(super) struct Reader {
    source: Box<dyn Read>,
    buf: Vec<u8>,
    at: usize,
    end: bool,
    pid: Option<sys::Pid>,
}

impl Reader {
    pub(super) fn new(source: Box<dyn Read>) -> Self {
        Reader { source, buf: Vec::new(), at: 0, end: false, pid: None }
    }

    pub(super) fn open(name: &[u8]) -> io::Result<Self> {
        if name == b"-" || name == b"/dev/stdin" {
            return Ok(Reader::new(Box::new(output::Input)));
        }
        let file = File::open(std::ffi::OsStr::from_bytes(name))?;
        if file.metadata().is_ok_and(|data| data.is_dir()) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Reader::new(Box::new(file)))
    }

    /// Reads more input; returns false at its end.
    fn fill(&mut self) -> io::Result<bool> {
        if self.end {
            return Ok(false);
        }
        if self.at > 0 {
            self.buf.drain(..self.at);
            self.at = 0;
        }
        let len = self.buf.len();
        // Reads grow with the record, so that a record of n bytes costs O(n).
        self.buf.resize(len + BLOCK.max(len), 0);
        let count = self.source.read(&mut self.buf[len..]);
        self.buf.truncate(len + *count.as_ref().unwrap_or(&0));
        let count = count?;
        self.end = count == 0;
        Ok(count > 0)
    }

    /// Returns the next record and the separator after it.
    pub(super) fn record(&mut self, ending: &Ending) -> io::Result<Option<(&[u8], &[u8])>> {
        match ending {
            Ending::Byte(byte) => self.until_byte(*byte),
            Ending::Paragraph => self.paragraph(),
            Ending::Pattern(pattern) => self.until_pattern(pattern),
        }
    }

    fn take(&mut self, start: usize, end: usize, next: usize) -> Option<(&[u8], &[u8])> {
        self.at = next;
        Some((&self.buf[start..end], &self.buf[end..next]))
    }

    fn until_byte(&mut self, byte: u8) -> io::Result<Option<(&[u8], &[u8])>> {
        let mut seen = 0;
        loop {
            if let Some(len) = memchr::memchr(byte, &self.buf[self.at + seen..]) {
                let end = self.at + seen + len;
                return Ok(self.take(self.at, end, end + 1));
            }
            seen = self.buf.len() - self.at;
            if !self.fill()? {
                if seen == 0 {
                    return Ok(None);
                }
                return Ok(self.take(self.at, self.buf.len(), self.buf.len()));
            }
        }
    }

    fn paragraph(&mut self) -> io::Result<Option<(&[u8], &[u8])>> {
        loop {
            while self.at < self.buf.len() && self.buf[self.at] == b'\n' {
                self.at += 1;
            }
            if self.at < self.buf.len() {
                break;
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
        let mut seen = 0;
        loop {
            let text = &self.buf[self.at + seen..];
            if let Some(len) = memchr::memmem::find(text, b"\n\n") {
                // Offsets from the start of the record, because reading more moves the buffer.
                let end = seen + len;
                let mut next = end;
                // All newlines that follow belong to the separator, including those not read yet.
                loop {
                    while self.buf.get(self.at + next) == Some(&b'\n') {
                        next += 1;
                    }
                    if self.at + next < self.buf.len() || !self.fill()? {
                        break;
                    }
                }
                return Ok(self.take(self.at, self.at + end, self.at + next));
            }
            seen = (self.buf.len() - self.at).saturating_sub(1);
            if !self.fill()? {
                let mut end = self.buf.len();
                if self.buf.ends_with(b"\n") {
                    end -= 1;
                }
                return Ok(self.take(self.at, end, self.buf.len()));
            }
        }
    }

    fn until_pattern(&mut self, pattern: &Pattern) -> io::Result<Option<(&[u8], &[u8])>> {
        loop {
            let text = &self.buf[self.at..];
            let found = pattern.on(text).find_at(0).filter(|found| !found.is_empty());
            match found {
                // A match at the end of the buffer could be longer once more input is read.
                Some(found) if found.end < text.len() || self.end => {
                    let start = self.at;
                    return Ok(self.take(start, start + found.start, start + found.end));
                }
                _ if self.end => {
                    if text.is_empty() {
                        return Ok(None);
                    }
                    return Ok(self.take(self.at, self.buf.len(), self.buf.len()));
                }
                _ => {
                    self.fill()?;
                }
            }
        }
    }
}

/// An output stream.
enum Writer {
    File(BufWriter<File>),
    Error,
    Output,
    Command(BufWriter<Descriptor>, sys::Pid),
}

/// All open streams, by name.
pub(super) struct Streams {
    pub(super) out: Output,
    writers: HashMap<Vec<u8>, Writer>,
    readers: HashMap<Vec<u8>, Reader>,
}

/// The way in which an output stream is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Truncate,
    Append,
    Command,
}

fn shell(command: &[u8]) -> [OsString; 3] {
    ["sh".into(), "-c".into(), OsString::from_vec(command.to_vec())]
}

impl Streams {
    pub(super) fn new() -> Self {
        Streams { out: output::stdout(), writers: HashMap::new(), readers: HashMap::new() }
    }

    /// Writes to a file or command, opening it first if necessary.
    pub(super) fn write(&mut self, name: &[u8], mode: Mode, text: &[u8]) -> io::Result<()> {
        if !self.writers.contains_key(name) {
            if self.writers.len() + self.readers.len() >= MAX_OPEN {
                return Err(io::Error::from_raw_os_error(libc::EMFILE));
            }
            let writer = self.open(name, mode)?;
            self.writers.insert(name.to_vec(), writer);
        }
        match self.writers.get_mut(name) {
            Some(Writer::File(file)) => file.write_all(text),
            Some(Writer::Command(pipe, _)) => pipe.write_all(text),
            Some(Writer::Output) => self.out.write_all(text),
            Some(Writer::Error) | None => {
                self.out.flush()?;
                Descriptor(2).write_all(text)
            }
        }
    }

    fn open(&mut self, name: &[u8], mode: Mode) -> io::Result<Writer> {
        let path = std::ffi::OsStr::from_bytes(name);
        match (mode, name) {
            (Mode::Command, _) => {
                self.flush()?;
                let (read, write) = sys::pipe()?;
                let argv = shell(name);
                let child = Child { descriptors: [read, 1, 2], ..Child::new(&argv) };
                let started = child.start();
                let _ = sys::close(read);
                match started {
                    Ok(pid) => Ok(Writer::Command(BufWriter::new(Descriptor(write)), pid)),
                    Err(error) => {
                        let _ = sys::close(write);
                        Err(error)
                    }
                }
            }
            (_, b"/dev/stdout" | b"-") => Ok(Writer::Output),
            (_, b"/dev/stderr") => Ok(Writer::Error),
            (Mode::Truncate, _) => Ok(Writer::File(BufWriter::new(File::create(path)?))),
            (Mode::Append, _) => {
                let file = OpenOptions::new().append(true).create(true).open(path)?;
                Ok(Writer::File(BufWriter::new(file)))
            }
        }
    }

    /// Returns the reader of a file, opening it first if necessary.
    pub(super) fn file(&mut self, name: &[u8]) -> io::Result<&mut Reader> {
        if !self.readers.contains_key(name) {
            if self.writers.len() + self.readers.len() >= MAX_OPEN {
                return Err(io::Error::from_raw_os_error(libc::EMFILE));
            }
            self.readers.insert(name.to_vec(), Reader::open(name)?);
        }
        self.readers.get_mut(name).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Returns the reader of a command's output, starting the command if necessary.
    pub(super) fn command(&mut self, command: &[u8]) -> io::Result<&mut Reader> {
        if !self.readers.contains_key(command) {
            if self.writers.len() + self.readers.len() >= MAX_OPEN {
                return Err(io::Error::from_raw_os_error(libc::EMFILE));
            }
            self.flush()?;
            let (read, write) = sys::pipe()?;
            let own = Own(read);
            let argv = shell(command);
            let child = Child { descriptors: [0, write, 2], ..Child::new(&argv) };
            let started = child.start();
            let _ = sys::close(write);
            let reader = Reader { pid: Some(started?), ..Reader::new(Box::new(own)) };
            self.readers.insert(command.to_vec(), reader);
        }
        self.readers.get_mut(command).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Runs a command and returns its exit code.
    pub(super) fn system(&mut self, command: &[u8]) -> io::Result<i32> {
        self.flush()?;
        Child::new(&shell(command)).run()
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()?;
        for writer in self.writers.values_mut() {
            match writer {
                Writer::File(file) => file.flush()?,
                Writer::Command(pipe, _) => pipe.flush()?,
                Writer::Output | Writer::Error => {}
            }
        }
        Ok(())
    }

    /// Closes a file or command and returns the result of awk's `close`: its exit code, or -1.
    pub(super) fn close(&mut self, name: &[u8]) -> f64 {
        let mut answer = -1.0;
        if let Some(writer) = self.writers.remove(name) {
            answer = close_writer(writer);
        }
        if let Some(reader) = self.readers.remove(name) {
            let pid = reader.pid;
            drop(reader);
            answer = pid.map_or(0.0, ended);
        }
        answer
    }

    /// Closes all streams at the end of the program.
    pub(super) fn close_all(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.readers.clear();
        for (_, writer) in self.writers.drain() {
            close_writer(writer);
        }
        Ok(())
    }
}

fn ended(pid: sys::Pid) -> f64 {
    child::wait(pid).map_or(-1.0, |status| f64::from(status.code()))
}

fn close_writer(writer: Writer) -> f64 {
    match writer {
        Writer::File(mut file) => file.flush().map_or(-1.0, |()| 0.0),
        Writer::Output | Writer::Error => 0.0,
        Writer::Command(mut pipe, pid) => {
            let _ = pipe.flush();
            let fd = pipe.get_ref().0;
            std::mem::forget(pipe);
            let _ = sys::close(fd);
            ended(pid)
        }
    }
}
