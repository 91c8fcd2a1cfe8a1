//! Writes standard output and error while a run is under way.
//!
//! A thread writes both streams, so that a run goes on printing and ends at its deadline whether or
//! not anyone reads. The limits on output bound the queue.

use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cofferdam::Stream;

/// Most bytes written at once. A pipe takes this much as a whole or blocks, so that progress shows
/// whether anyone reads.
const PIECE: usize = 4096;

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
}

fn lock() -> MutexGuard<'static, State> {
    OUTLET.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Queues bytes to be written, in order.
pub(crate) fn put(stream: Stream, bytes: &[u8]) {
    let mut state = lock();
    if state.given_up.is_some() || state.ended.contains(&stream) {
        return;
    }
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
        for piece in bytes.chunks(PIECE) {
            state = wait_while_held(state);
            state.is_in_write = true;
            drop(state);
            let written = write(stream, piece);
            state = lock();
            state.is_in_write = false;
            state.pieces += 1;
            OUTLET.changed.notify_all();
            if let Err(error) = written {
                state.ended.push(stream);
                if error.kind() != ErrorKind::BrokenPipe && stream == Stream::Out {
                    state.failed = Some(crate::place::plain(&error));
                }
                break;
            }
        }
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
