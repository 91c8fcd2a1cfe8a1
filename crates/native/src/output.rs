//! Output of a run: kept up to a limit, and shown to an observer as it comes.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};

use crate::lock;

/// A stream of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Bytes that a run wrote to one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// The first bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// True if more was written than is kept.
    pub is_cut: bool,
}

/// Observer of output while a run goes on.
pub trait Observer: Send + Sync {
    /// Takes the next bytes of a stream.
    fn saw(&self, stream: Stream, bytes: &[u8]);

    /// Returns false if nobody reads the stream any more. A program that writes to such a stream
    /// finds a closed pipe.
    fn is_read(&self, _: Stream) -> bool {
        true
    }
}

/// Longest piece that is read at once.
const PIECE: usize = 64 << 10;

/// Output of one run.
pub(crate) struct Output {
    observer: Option<Arc<dyn Observer>>,
    out: Mutex<Written>,
    err: Mutex<Written>,
    /// Most bytes of each stream.
    limits: (usize, usize),
}

impl Output {
    pub(crate) fn new(observer: Option<Arc<dyn Observer>>, out: u64, err: u64) -> Self {
        let limits = (out as usize, err as usize);
        Output { observer, out: Mutex::default(), err: Mutex::default(), limits }
    }

    /// Adds bytes to a stream. What is past the limit is dropped.
    pub(crate) fn add(&self, stream: Stream, bytes: &[u8]) {
        let (written, most) = match stream {
            Stream::Out => (&self.out, self.limits.0),
            Stream::Err => (&self.err, self.limits.1),
        };
        let mut written = lock(written);
        let room = most.saturating_sub(written.bytes.len()).min(bytes.len());
        written.bytes.extend_from_slice(&bytes[..room]);
        written.is_cut |= room < bytes.len();
        // Shown under the lock, so that pieces are not shown out of order.
        if let Some(observer) = self.observer.as_ref().filter(|_| room > 0) {
            observer.saw(stream, &bytes[..room]);
        }
    }

    /// Copies both pipes of a program until their ends, and closes one that nobody reads.
    pub(crate) fn pump(&self, stdout: File, stderr: File) {
        let mut buffer = vec![0; PIECE];
        let mut open = vec![(Stream::Out, stdout), (Stream::Err, stderr)];
        while !open.is_empty() {
            let ready = cofferdam_walls::wait_for_any(open.iter().map(|(_, file)| file.as_fd()));
            let mut ready = ready.into_iter();
            open.retain_mut(|(stream, file)| {
                if !ready.next().unwrap_or(false) {
                    return true;
                }
                match file.read(&mut buffer) {
                    Ok(0) => false,
                    Ok(read) => {
                        self.add(*stream, &buffer[..read]);
                        self.observer.as_ref().is_none_or(|observer| observer.is_read(*stream))
                    }
                    Err(error) => error.kind() == std::io::ErrorKind::Interrupted,
                }
            });
        }
    }

    /// Takes what was written.
    pub(crate) fn take(&self) -> (Written, Written) {
        (std::mem::take(&mut *lock(&self.out)), std::mem::take(&mut *lock(&self.err)))
    }
}
