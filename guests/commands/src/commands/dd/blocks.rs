//! Reading and writing in blocks.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use super::convert::Recorder;
use super::settings::Settings;
use super::summary::Summary;
use crate::output::{Descriptor, reason};

/// A failure that ends the copy.
#[derive(Debug)]
pub(super) enum Failure {
    Open(OsString, io::Error),
    Read(String, String),
    Write(String, io::Error),
    CannotSeek(io::Error),
    SkippedPastEnd(String),
    Memory(usize),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Open(path, error) => {
                write!(f, "failed to open '{}': {}", path.to_string_lossy(), reason(error))
            }
            Failure::Read(name, reason) => write!(f, "error reading '{name}': {reason}"),
            Failure::Write(name, error) => {
                write!(f, "error writing '{name}': {}", reason(error))
            }
            Failure::CannotSeek(error) => {
                write!(f, "cannot seek in the output: {}", reason(error))
            }
            Failure::SkippedPastEnd(name) => {
                write!(f, "'{name}': cannot skip to specified offset")
            }
            Failure::Memory(size) => write!(f, "no memory for a block of {size} bytes"),
        }
    }
}

/// Allocates a block; a size that does not fit into memory is an error of the command.
fn buffer(size: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| Failure::Memory(size))?;
    Ok(bytes)
}

pub(super) struct Source<'a> {
    file: &'a File,
    settings: &'a Settings,
    block: Vec<u8>,
    recorder: Option<Recorder>,
    /// A byte left over from swapping pairs.
    odd: Option<u8>,
}

impl<'a> Source<'a> {
    pub(super) fn new(file: &'a File, settings: &'a Settings) -> Result<Self, Failure> {
        let block = buffer(settings.input_block)?;
        let recorder = settings.records.map(|kind| Recorder::new(kind, settings.record));
        Ok(Source { file, settings, block, recorder, odd: None })
    }

    /// Copies up to the end of the input or up to the count.
    pub(super) fn copy_to(
        &mut self,
        sink: &mut Sink<'_>,
        summary: &mut Summary,
    ) -> Result<(), Failure> {
        let (mut bytes_left, mut blocks_left) = self.settings.ends();
        let size = self.settings.input_block;
        while bytes_left > 0 && blocks_left > 0 {
            let want = usize::try_from(bytes_left).unwrap_or(usize::MAX).min(size);
            let read = self.read(want)?;
            if read == 0 {
                break;
            }
            summary.read.add(read, size);
            bytes_left -= read as u64;
            blocks_left -= 1;
            if self.settings.sync {
                let pad = if self.recorder.is_some() { b' ' } else { 0 };
                self.block.resize(size, pad);
            }
            self.convert(sink, summary)?;
        }
        let mut rest: Vec<u8> = self.odd.take().into_iter().collect();
        if let Some(recorder) = &mut self.recorder {
            let last = std::mem::take(&mut rest);
            recorder.push(&last, &mut rest);
            recorder.finish(&mut rest);
            summary.cut = recorder.cut;
        }
        if rest.is_empty() { Ok(()) } else { sink.push(&rest, summary) }
    }

    /// Reads up to `want` bytes into the block; 0 at the end of the input.
    fn read(&mut self, want: usize) -> Result<usize, Failure> {
        self.block.resize(want, 0);
        let mut filled = 0;
        while filled < want {
            match (&mut &*self.file).read(&mut self.block[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let failure = Failure::Read(self.settings.input_name(), reason(&error));
                    if !self.settings.noerror || !self.seek_on(want - filled) {
                        return Err(failure);
                    }
                    eprintln!("dd: {failure}");
                    continue;
                }
            }
            if !self.settings.fullblock {
                break;
            }
        }
        self.block.truncate(filled);
        Ok(filled)
    }

    /// Skips an unreadable block, for `conv=noerror`; `false` if nothing lies behind it.
    fn seek_on(&mut self, by: usize) -> bool {
        let mut file = self.file;
        let Ok(len) = file.metadata().map(|found| found.len()) else { return false };
        file.seek(SeekFrom::Current(by as i64)).is_ok_and(|position| position < len)
    }

    fn convert(&mut self, sink: &mut Sink<'_>, summary: &mut Summary) -> Result<(), Failure> {
        if self.settings.swab {
            if let Some(odd) = self.odd.take() {
                self.block.insert(0, odd);
            }
            if self.block.len() % 2 == 1 {
                self.odd = self.block.pop();
            }
            self.block.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
        }
        if let Some(case) = self.settings.case {
            case.apply(&mut self.block);
        }
        let Some(recorder) = &mut self.recorder else { return sink.push(&self.block, summary) };
        // A newline may become a whole record, so the block is converted in parts.
        let mut out = Vec::new();
        for part in self.block.chunks(512) {
            recorder.push(part, &mut out);
            sink.push(&out, summary)?;
            out.clear();
        }
        Ok(())
    }
}

pub(super) struct Sink<'a> {
    file: &'a File,
    settings: &'a Settings,
    /// Bytes of the next block; stays empty if blocks are written as they are read.
    block: Vec<u8>,
    /// The last block was skipped by `conv=sparse`, so the file's length must be set.
    is_sparse_end: bool,
}

impl<'a> Sink<'a> {
    pub(super) fn new(file: &'a File, settings: &'a Settings) -> Result<Self, Failure> {
        let block = buffer(if settings.direct { 0 } else { settings.output_block })?;
        Ok(Sink { file, settings, block, is_sparse_end: false })
    }

    fn push(&mut self, mut bytes: &[u8], summary: &mut Summary) -> Result<(), Failure> {
        if self.settings.direct {
            return self.write(bytes, summary);
        }
        let size = self.settings.output_block;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(size - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == size {
                let block = std::mem::take(&mut self.block);
                self.write(&block, summary)?;
                self.block = block;
                self.block.clear();
            }
        }
        Ok(())
    }

    /// Writes the last block.
    pub(super) fn finish(&mut self, summary: &mut Summary) -> Result<(), Failure> {
        let last = std::mem::take(&mut self.block);
        if !last.is_empty() {
            self.write(&last, summary)?;
        }
        let failed = |error| Failure::Write(self.settings.output_name(), error);
        if self.is_sparse_end {
            let mut file = self.file;
            let end = file.stream_position().map_err(failed)?;
            file.set_len(end).map_err(failed)?;
        }
        if self.settings.flush {
            self.file.sync_all().map_err(failed)?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8], summary: &mut Summary) -> Result<(), Failure> {
        let mut file = self.file;
        let skipped = self.settings.sparse
            && self.settings.output.is_some()
            && bytes.iter().all(|byte| *byte == 0)
            && file.seek(SeekFrom::Current(bytes.len() as i64)).is_ok();
        if !skipped {
            let written = match self.settings.output {
                Some(_) => file.write_all(bytes),
                // Ends the command as `SIGPIPE` does if the reader is gone.
                None => Descriptor(1).write_all(bytes),
            };
            written.map_err(|error| Failure::Write(self.settings.output_name(), error))?;
        }
        self.is_sparse_end = skipped;
        summary.written.add(bytes.len(), self.settings.output_block);
        summary.bytes += bytes.len() as u64;
        Ok(())
    }
}
