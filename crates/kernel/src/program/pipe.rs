//! Pipes between processes: bounded, so that a fast writer waits for a slow reader.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Capacity of a pipe, as on Linux.
// T-PROC-008: memory of the host that processes use.
pub(crate) const CAPACITY: usize = 64 << 10;

/// Capacity of a pipe in a run with many pipes; the content is host memory.
pub(crate) const SMALL_CAPACITY: usize = 4 << 10;

/// Writes of up to this length are atomic.
const ATOMIC: usize = 4096;

#[derive(Debug)]
pub(crate) struct Pipe {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bytes: VecDeque<u8>,
    capacity: usize,
    /// Ends that are open now, and the number ever opened: a named pipe is opened repeatedly.
    readers: Ends,
    writers: Ends,
}

#[derive(Debug, Default)]
struct Ends {
    open: usize,
    ever: u64,
    /// Wakers of processes that wait at this end.
    waiting: Vec<Waker>,
}

/// Selects the ends of one side, and the opposite ones.
type Side = fn(&mut State) -> (&mut Ends, &mut Ends);

impl State {
    fn reading(&mut self) -> (&mut Ends, &mut Ends) {
        (&mut self.readers, &mut self.writers)
    }

    fn writing(&mut self) -> (&mut Ends, &mut Ends) {
        (&mut self.writers, &mut self.readers)
    }
}

/// Creates a pipe. Holders share an end; it closes with the last of them.
pub(crate) fn pipe(capacity: usize) -> (Reader, Writer) {
    let pipe = Pipe::closed(capacity);
    (Reader::open(&pipe), Writer::open(&pipe))
}

/// The pipe has no reader any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// The reading end.
#[derive(Debug)]
pub struct Reader(Arc<Pipe>);

/// The writing end.
#[derive(Debug)]
pub struct Writer(Arc<Pipe>);

impl Pipe {
    /// Creates a pipe without open ends.
    pub(crate) fn closed(capacity: usize) -> Arc<Self> {
        let (readers, writers) = Default::default();
        let state = State { bytes: VecDeque::new(), capacity, readers, writers };
        Arc::new(Pipe { state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens one more end.
    fn open(&self, side: Side) {
        let mut state = self.lock();
        let (these, others) = side(&mut state);
        these.open += 1;
        these.ever += 1;
        wake(&mut others.waiting);
    }

    /// Returns the number of openings of the opposite end so far.
    fn others_ever(&self, side: Side) -> u64 {
        side(&mut self.lock()).1.ever
    }

    /// Returns true if the opposite end is open, or was opened since `ever` was read.
    fn poll_met(&self, side: Side, cx: &Context<'_>, ever: u64) -> Poll<()> {
        let mut state = self.lock();
        let (these, others) = side(&mut state);
        if others.open > 0 || others.ever != ever {
            return Poll::Ready(());
        }
        wait(&mut these.waiting, cx);
        Poll::Pending
    }
}

fn wait(list: &mut Vec<Waker>, cx: &Context<'_>) {
    if !list.iter().any(|waker| waker.will_wake(cx.waker())) {
        list.push(cx.waker().clone());
    }
}

fn wake(list: &mut Vec<Waker>) {
    list.drain(..).for_each(Waker::wake);
}

impl Reader {
    /// Opens one more reading end.
    pub(crate) fn open(pipe: &Arc<Pipe>) -> Self {
        pipe.open(State::reading);
        Reader(pipe.clone())
    }

    /// Returns the number of openings of the other end so far.
    pub(crate) fn writers_ever(&self) -> u64 {
        self.0.others_ever(State::reading)
    }

    /// Returns true if the other end is open, or was opened since `ever` was read.
    pub(crate) fn poll_met(&self, cx: &Context<'_>, ever: u64) -> Poll<()> {
        self.0.poll_met(State::reading, cx, ever)
    }

    /// Reads available bytes; returns 0 at the end, when all writers are gone.
    pub(crate) fn poll_read(&self, cx: &Context<'_>, out: &mut [u8]) -> Poll<usize> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() && state.writers.open > 0 && !out.is_empty() {
            wait(&mut state.readers.waiting, cx);
            return Poll::Pending;
        }
        let len = out.len().min(state.bytes.len());
        let (front, back) = state.bytes.as_slices();
        let of_front = len.min(front.len());
        out[..of_front].copy_from_slice(&front[..of_front]);
        out[of_front..len].copy_from_slice(&back[..len - of_front]);
        state.bytes.drain(..len);
        wake(&mut state.writers.waiting);
        Poll::Ready(len)
    }

    /// Returns the bytes that can be read without waiting, and whether the end is reached.
    pub(crate) fn poll_ready(&self, cx: &Context<'_>) -> Poll<(usize, bool)> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() && state.writers.open > 0 {
            wait(&mut state.readers.waiting, cx);
            return Poll::Pending;
        }
        Poll::Ready((state.bytes.len(), state.writers.open == 0))
    }
}

impl Writer {
    /// Opens one more writing end.
    pub(crate) fn open(pipe: &Arc<Pipe>) -> Self {
        pipe.open(State::writing);
        Writer(pipe.clone())
    }

    /// Returns the number of openings of the other end so far.
    pub(crate) fn readers_ever(&self) -> u64 {
        self.0.others_ever(State::writing)
    }

    /// Returns true if the other end is open, or was opened since `ever` was read.
    pub(crate) fn poll_met(&self, cx: &Context<'_>, ever: u64) -> Poll<()> {
        self.0.poll_met(State::writing, cx, ever)
    }

    /// Writes as many bytes as there is room for, at least one.
    pub(crate) fn poll_write(&self, cx: &Context<'_>, bytes: &[u8]) -> Poll<Result<usize, Broken>> {
        let mut state = self.0.lock();
        if state.readers.open == 0 {
            return Poll::Ready(Err(Broken));
        }
        let room = state.capacity.saturating_sub(state.bytes.len());
        let is_torn = room < bytes.len() && bytes.len() <= ATOMIC.min(state.capacity);
        if (room == 0 && !bytes.is_empty()) || is_torn {
            wait(&mut state.writers.waiting, cx);
            return Poll::Pending;
        }
        let len = bytes.len().min(room);
        state.bytes.extend(&bytes[..len]);
        wake(&mut state.readers.waiting);
        Poll::Ready(Ok(len))
    }

    /// Returns the room for bytes, and whether all readers are gone.
    pub(crate) fn poll_ready(&self, cx: &Context<'_>) -> Poll<(usize, bool)> {
        let mut state = self.0.lock();
        let room = state.capacity.saturating_sub(state.bytes.len());
        if room < ATOMIC.min(state.capacity) && state.readers.open > 0 {
            wait(&mut state.writers.waiting, cx);
            return Poll::Pending;
        }
        Poll::Ready((room, state.readers.open == 0))
    }

    /// Writes all bytes from outside the sandbox; returns false if all readers are gone.
    pub async fn write_all(&self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            match std::future::poll_fn(|cx| self.poll_write(cx, bytes)).await {
                Ok(len) => bytes = &bytes[len..],
                Err(Broken) => return false,
            }
        }
        true
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.readers.open -= 1;
        if state.readers.open == 0 {
            state.bytes = VecDeque::new();
            wake(&mut state.writers.waiting);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.writers.open -= 1;
        if state.writers.open == 0 {
            wake(&mut state.readers.waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cx() -> Context<'static> {
        Context::from_waker(Waker::noop())
    }

    #[test]
    fn a_full_pipe_makes_the_writer_wait() {
        let (reader, writer) = pipe(8);
        assert_eq!(writer.poll_write(&cx(), b"123456"), Poll::Ready(Ok(6)));
        assert_eq!(writer.poll_write(&cx(), b"789"), Poll::Pending, "short writes stay whole");
        assert_eq!(writer.poll_write(&cx(), b"789abcdefgh"), Poll::Ready(Ok(2)));
        let mut out = [0; 20];
        assert_eq!(reader.poll_read(&cx(), &mut out), Poll::Ready(8));
        assert_eq!(&out[..8], b"12345678");
        assert_eq!(reader.poll_read(&cx(), &mut out), Poll::Pending);
    }

    #[test]
    fn the_end_comes_with_the_last_writer() {
        let (reader, writer) = pipe(8);
        assert_eq!(writer.poll_write(&cx(), b"x"), Poll::Ready(Ok(1)));
        drop(writer);
        let mut out = [0; 4];
        assert_eq!(reader.poll_read(&cx(), &mut out), Poll::Ready(1));
        assert_eq!(reader.poll_read(&cx(), &mut out), Poll::Ready(0));
    }

    #[test]
    fn without_a_reader_the_pipe_is_broken() {
        let (reader, writer) = pipe(8);
        drop(reader);
        assert_eq!(writer.poll_write(&cx(), b"x"), Poll::Ready(Err(Broken)));
    }
}
