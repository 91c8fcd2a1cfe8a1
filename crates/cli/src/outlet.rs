//! Writes standard output and error while a run is under way.
//!
//! A thread writes both streams, so that a run ends at its deadline whether or not anyone reads. A
//! run that prints faster than its reader reads waits for room in the queue. The thread begins when
//! the system does not take the output at once.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use cofferdam::Stream;

/// Most bytes written at once. A pipe takes this much as a whole or blocks, so that progress shows
/// whether anyone reads.
const PIECE: usize = 4096;

/// Length of the queue from which on a run waits. What is shorter is printed by a run that ends,
/// however late it is read.
const MAX_WAITING: usize = 1 << 20;

/// Most bytes that one run writes to a regular file, which takes everything at once and would fill
/// the disk.
// T-CELL-015: output flood.
const MAX_FILE: u64 = 1 << 30;

/// The two streams of this process.
static OUTLET: Outlet = Outlet { state: Mutex::new(State::NEW), changed: Condvar::new() };

// T-CELL-029: output that nothing reads.
struct Outlet {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    has_thread: bool,
    waiting: VecDeque<(Stream, Vec<u8>)>,
    /// Bytes that are not written yet.
    unwritten: usize,
    /// Woken when there is room in the queue.
    wakers: Vec<Waker>,
    /// Bytes that went to a regular file.
    in_file: u64,
    /// Stream that is being written to.
    writing: Option<Stream>,
    /// True while a piece is on its way to a stream.
    is_in_write: bool,
    /// Number of [`Held`] values, which stop the writing.
    holds: usize,
    /// Number of pieces written so far.
    pieces: u64,
    /// Streams that can no longer be written to.
    ended: Vec<Stream>,
    /// Reason why standard output cannot be written to, unless its reader has closed it.
    failed: Option<String>,
    /// Stream that nobody reads and that was abandoned.
    given_up: Option<Stream>,
}

impl State {
    const NEW: State = State {
        has_thread: false,
        waiting: VecDeque::new(),
        unwritten: 0,
        wakers: Vec::new(),
        in_file: 0,
        writing: None,
        is_in_write: false,
        holds: 0,
        pieces: 0,
        ended: Vec::new(),
        failed: None,
        given_up: None,
    };

    fn is_busy(&self) -> bool {
        self.given_up.is_none() && (self.writing.is_some() || !self.waiting.is_empty())
    }

    fn takes(&self, stream: Stream) -> bool {
        self.given_up.is_none() && !self.ended.contains(&stream)
    }

    /// Returns the first of the bytes that fit into the file that standard output is. Ends the
    /// stream if not all do.
    fn fitting<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let room = usize::try_from(MAX_FILE - self.in_file).unwrap_or(usize::MAX);
        let fitting = &bytes[..bytes.len().min(room)];
        self.in_file += fitting.len() as u64;
        if fitting.len() < bytes.len() {
            self.ended.push(Stream::Out);
            self.failed = Some(format!(
                "more than {MAX_FILE} bytes for a file; a pipe takes any length: | cat > FILE"
            ));
        }
        fitting
    }

    /// Removes bytes from the count, and wakes those that wait for room if there is some.
    fn forget(&mut self, bytes: usize) {
        self.unwritten -= bytes;
        if self.unwritten < MAX_WAITING {
            self.wakers.drain(..).for_each(Waker::wake);
        }
    }
}

fn lock() -> MutexGuard<'static, State> {
    OUTLET.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Queues bytes to be written, in order.
pub(crate) fn put(stream: Stream, bytes: &[u8]) {
    let mut state = lock();
    if !state.takes(stream) {
        return;
    }
    let bytes = match stream {
        Stream::Out if is_file() => state.fitting(bytes),
        Stream::Out | Stream::Err => bytes,
    };
    let written = match state.has_thread || state.holds > 0 {
        true => 0,
        false => write_at_once(stream, bytes),
    };
    let bytes = &bytes[written..];
    if bytes.is_empty() {
        return;
    }
    state.unwritten += bytes.len();
    match state.waiting.back_mut() {
        Some((last, waiting)) if *last == stream => waiting.extend_from_slice(bytes),
        _ => state.waiting.push_back((stream, bytes.to_vec())),
    }
    if !state.has_thread {
        state.has_thread = true;
        std::thread::spawn(write_out);
    }
    OUTLET.changed.notify_all();
}

/// Writes what the system takes without waiting, and returns its length. What cannot be written is
/// left to the thread, as are terminals and systems that have no such call.
#[cfg(target_os = "linux")]
fn write_at_once(stream: Stream, bytes: &[u8]) -> usize {
    use rustix::io::{ReadWriteFlags, pwritev2};
    use std::io::IoSlice;

    /// Offset of a write that goes where the last one ended.
    const HERE: u64 = u64::MAX;
    let pieces = [IoSlice::new(bytes)];
    let written = match stream {
        Stream::Out => {
            let mut out = std::io::stdout().lock();
            // Nothing of ours may be left in the buffer of standard output.
            if out.flush().is_err() {
                return 0;
            }
            pwritev2(out, &pieces, HERE, ReadWriteFlags::NOWAIT)
        }
        Stream::Err => pwritev2(std::io::stderr(), &pieces, HERE, ReadWriteFlags::NOWAIT),
    };
    written.unwrap_or(0)
}

#[cfg(not(target_os = "linux"))]
fn write_at_once(_: Stream, _: &[u8]) -> usize {
    0
}

/// Returns true if standard output is a regular file.
fn is_file() -> bool {
    static IS_FILE: OnceLock<bool> = OnceLock::new();
    *IS_FILE.get_or_init(|| {
        let file = std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
        file.and_then(|file| file.metadata()).is_ok_and(|about| about.is_file())
    })
}

/// Returns ready if the queue has room, or the stream is no longer written to.
pub(crate) fn poll_room(stream: Stream, cx: &mut Context<'_>) -> Poll<()> {
    let mut state = lock();
    if state.unwritten < MAX_WAITING || !state.takes(stream) {
        return Poll::Ready(());
    }
    if !state.wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
        state.wakers.push(cx.waker().clone());
    }
    Poll::Pending
}

/// Waits until everything is written.
pub(crate) fn settle() {
    let waited = OUTLET.changed.wait_while(lock(), |state| state.is_busy());
    drop(waited.unwrap_or_else(PoisonError::into_inner));
}

/// Waits until everything is written, as long as the reader makes progress. Returns false if
/// nothing was read for `patience`.
pub(crate) fn settle_while_read(patience: Duration) -> bool {
    let mut state = lock();
    while state.is_busy() {
        let pieces = state.pieces;
        let stands_still = |state: &mut State| state.is_busy() && state.pieces == pieces;
        let waited = OUTLET.changed.wait_timeout_while(state, patience, stands_still);
        let (later, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state = later;
        if timeout.timed_out() && state.is_busy() {
            return false;
        }
    }
    true
}

/// Nothing is written while this value exists.
pub(crate) struct Held(());

/// Stops the writing until the returned value is dropped. Output goes on to be queued.
///
/// Waits for the piece that is being written, for `patience` at most.
pub(crate) fn hold(patience: Duration) -> Held {
    let mut state = lock();
    state.holds += 1;
    let waited = OUTLET.changed.wait_timeout_while(state, patience, |state| state.is_in_write);
    drop(waited.unwrap_or_else(PoisonError::into_inner));
    Held(())
}

impl Drop for Held {
    fn drop(&mut self) {
        lock().holds -= 1;
        OUTLET.changed.notify_all();
    }
}

/// Discards the queue. The stream that is blocked must not be used again: the thread that writes to
/// it holds its lock.
pub(crate) fn give_up() {
    let mut state = lock();
    state.waiting.clear();
    state.given_up = state.writing;
    state.wakers.drain(..).for_each(Waker::wake);
}

/// Returns true if the stream was abandoned.
pub(crate) fn is_given_up(stream: Stream) -> bool {
    lock().given_up == Some(stream)
}

/// Returns true if the stream can no longer be written to: its reader has closed it, or the disk is
/// full.
pub(crate) fn has_ended(stream: Stream) -> bool {
    lock().ended.contains(&stream)
}

/// Returns the reason why standard output cannot be written to, unless its reader has closed it.
pub(crate) fn failure() -> Option<String> {
    lock().failed.clone()
}

/// Writes the queue for as long as the process lives.
fn write_out() {
    let mut state = lock();
    loop {
        state = wait_while_held(state);
        let Some((stream, bytes)) = state.waiting.pop_front() else {
            state = OUTLET.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.writing = Some(stream);
        let mut rest = bytes.len();
        for piece in bytes.chunks(PIECE) {
            state = wait_while_held(state);
            state.is_in_write = true;
            drop(state);
            let written = write(stream, piece);
            state = lock();
            state.is_in_write = false;
            state.pieces += 1;
            rest -= piece.len();
            state.forget(piece.len());
            OUTLET.changed.notify_all();
            if let Err(error) = written {
                state.ended.push(stream);
                if error.kind() != ErrorKind::BrokenPipe && stream == Stream::Out {
                    state.failed = Some(crate::place::plain(&error));
                }
                break;
            }
        }
        // Bytes behind the end of a stream are not written.
        state.forget(rest);
        state.writing = None;
        OUTLET.changed.notify_all();
    }
}

fn wait_while_held(state: MutexGuard<'static, State>) -> MutexGuard<'static, State> {
    let waited = OUTLET.changed.wait_while(state, |state| state.holds > 0);
    waited.unwrap_or_else(PoisonError::into_inner)
}

fn write(stream: Stream, piece: &[u8]) -> std::io::Result<()> {
    match stream {
        Stream::Out => {
            let mut out = std::io::stdout().lock();
            out.write_all(piece)?;
            out.flush()
        }
        Stream::Err => std::io::stderr().lock().write_all(piece),
    }
}
