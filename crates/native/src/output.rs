//! Output of a run: kept up to a limit and shown to an observer, or passed on at the pace of its
//! reader.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

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

    /// Returns true if all of the stream is handed to a reader. Then it has no limit, and nothing of
    /// it is kept.
    fn passes_on(&self, _: Stream) -> bool {
        false
    }

    /// Returns ready if more of a stream that is passed on is taken. Until then, the program waits
    /// for room in its pipe.
    fn poll_room(&self, _: Stream, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

/// Longest piece that is read at once.
const PIECE: usize = 64 << 10;

/// Time between two looks at the end of the run, while the reader of its output makes no progress.
const LOOK: Duration = Duration::from_millis(20);

/// Output of one run.
pub(crate) struct Output {
    observer: Option<Arc<dyn Observer>>,
    out: Mutex<Written>,
    err: Mutex<Written>,
    /// Most bytes of each stream.
    limits: (usize, usize),
    /// True once the run was ended from outside, so that no reader is waited for.
    is_killed: AtomicBool,
}

impl Output {
    pub(crate) fn new(observer: Option<Arc<dyn Observer>>, out: u64, err: u64) -> Self {
        let limits = (out as usize, err as usize);
        let is_killed = AtomicBool::new(false);
        Output { observer, out: Mutex::default(), err: Mutex::default(), limits, is_killed }
    }

    /// Notes that the run was ended from outside.
    pub(crate) fn note_killed(&self) {
        self.is_killed.store(true, Ordering::SeqCst);
    }

    /// Adds bytes to a stream. What is past the limit is dropped.
    pub(crate) fn add(&self, stream: Stream, bytes: &[u8]) {
        if let Some(observer) = self.passing_on(stream) {
            return observer.saw(stream, bytes);
        }
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

    fn passing_on(&self, stream: Stream) -> Option<&dyn Observer> {
        self.observer.as_deref().filter(|observer| observer.passes_on(stream))
    }

    /// Waits until the reader of a stream takes more, or the run was killed.
    fn wait_for_room(&self, stream: Stream) {
        let Some(observer) = self.passing_on(stream) else { return };
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut cx = Context::from_waker(&waker);
        while !self.is_killed.load(Ordering::SeqCst)
            && observer.poll_room(stream, &mut cx).is_pending()
        {
            thread::park_timeout(LOOK);
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
                        self.wait_for_room(*stream);
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

/// Wakes a thread that waits for room.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
