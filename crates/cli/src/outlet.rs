//! Standard output and error while something runs.
//!
//! A thread of their own writes them: what runs prints and goes on, and ends at its deadline whether
//! or not anybody reads. What waits to be written is no more than the limits on output allow.

use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cofferdam::Stream;

/// Most bytes written at once. A pipe takes that much whole or waits, so that a reader who is there
/// shows.
const PIECE: usize = 4096;

/// The two streams of this process.
static OUTLET: Outlet = Outlet { state: Mutex::new(State::NEW), changed: Condvar::new() };

struct Outlet {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    has_thread: bool,
    waiting: VecDeque<(Stream, Vec<u8>)>,
    /// Where something is written at this moment.
    writing: Option<Stream>,
    /// Pieces written so far.
    pieces: u64,
    /// Streams that take no more.
    ended: Vec<Stream>,
    /// Why standard output does not, where that is not only a closed pipe.
    failed: Option<String>,
    /// Where nobody reads and nobody is waited for any more.
    given_up: Option<Stream>,
}

impl State {
    const NEW: State = State {
        has_thread: false,
        waiting: VecDeque::new(),
        writing: None,
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

/// Hands bytes over to be written, in the order in which they come.
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

/// The same, as long as somebody reads: answers false where nothing was taken for so long.
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

/// What waits will not be written. The stream that is stuck must not be touched again: the thread
/// that writes there holds it.
pub(crate) fn give_up() {
    let mut state = lock();
    state.waiting.clear();
    state.given_up = state.writing;
}

/// Whether a stream was given up.
pub(crate) fn is_given_up(stream: Stream) -> bool {
    lock().given_up == Some(stream)
}

/// Whether a stream takes no more: its reader has gone, or its disk is full.
pub(crate) fn has_ended(stream: Stream) -> bool {
    lock().ended.contains(&stream)
}

/// Why standard output takes no more, if that is not only a reader who has gone.
pub(crate) fn failure() -> Option<String> {
    lock().failed.clone()
}

/// What the thread does as long as the process lives.
fn write_out() {
    let mut state = lock();
    loop {
        let Some((stream, bytes)) = state.waiting.pop_front() else {
            state = OUTLET.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.writing = Some(stream);
        for piece in bytes.chunks(PIECE) {
            drop(state);
            let written = write(stream, piece);
            state = lock();
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
