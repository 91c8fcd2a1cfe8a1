//! Pipes between processes: bounded, so that a fast writer waits for a slow reader.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// What a pipe holds, as on Linux.
pub(crate) const CAPACITY: usize = 64 << 10;

/// What it holds where a run has very many; what is in pipes is host memory.
pub(crate) const SMALL_CAPACITY: usize = 4 << 10;

/// Writes up to this length are never torn apart.
const ATOMIC: usize = 4096;

#[derive(Debug)]
pub(crate) struct Pipe {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bytes: VecDeque<u8>,
    capacity: usize,
    /// Ends that are open now, and how many ever were: a named pipe is opened again and again.
    readers: Ends,
    writers: Ends,
}

#[derive(Debug, Default)]
struct Ends {
    open: usize,
    ever: u64,
    /// Who waits at this end.
    waiting: Vec<Waker>,
}

/// Picks the ends of one side, and those across from them.
type Side = fn(&mut State) -> (&mut Ends, &mut Ends);

impl State {
    fn reading(&mut self) -> (&mut Ends, &mut Ends) {
        (&mut self.readers, &mut self.writers)
    }

    fn writing(&mut self) -> (&mut Ends, &mut Ends) {
        (&mut self.writers, &mut self.readers)
    }
}

/// A new pipe. Each end is shared by those that hold it, and closed with the last of them.
pub(crate) fn pipe(capacity: usize) -> (Reader, Writer) {
    let pipe = Pipe::closed(capacity);
    (Reader::open(&pipe), Writer::open(&pipe))
}

/// Nobody reads any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// The end that is read.
#[derive(Debug)]
pub struct Reader(Arc<Pipe>);

/// The end that is written.
#[derive(Debug)]
pub struct Writer(Arc<Pipe>);

impl Pipe {
    /// A pipe that nobody has open yet.
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

    /// How often the ends across were opened so far.
    fn others_ever(&self, side: Side) -> u64 {
        side(&mut self.lock()).1.ever
    }

    /// Whether an end across is open, or was since `ever` was asked for.
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
    /// Opens one more.
    pub(crate) fn open(pipe: &Arc<Pipe>) -> Self {
        pipe.open(State::reading);
        Reader(pipe.clone())
    }

    /// How often the other end was opened so far.
    pub(crate) fn writers_ever(&self) -> u64 {
        self.0.others_ever(State::reading)
    }

    /// Whether the other end is open, or was since `ever` was asked for.
    pub(crate) fn poll_met(&self, cx: &Context<'_>, ever: u64) -> Poll<()> {
        self.0.poll_met(State::reading, cx, ever)
    }

    /// Reads what is there; 0 when all writers are gone and nothing is left.
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

    /// Bytes that can be read without waiting, and whether the end has come.
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
    /// Opens one more.
    pub(crate) fn open(pipe: &Arc<Pipe>) -> Self {
        pipe.open(State::writing);
        Writer(pipe.clone())
    }

    /// How often the other end was opened so far.
    pub(crate) fn readers_ever(&self) -> u64 {
        self.0.others_ever(State::writing)
    }

    /// Whether the other end is open, or was since `ever` was asked for.
    pub(crate) fn poll_met(&self, cx: &Context<'_>, ever: u64) -> Poll<()> {
        self.0.poll_met(State::writing, cx, ever)
    }

    /// Writes what there is room for, at least something.
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

    /// Room for bytes, and whether nobody reads any more.
    pub(crate) fn poll_ready(&self, cx: &Context<'_>) -> Poll<(usize, bool)> {
        let mut state = self.0.lock();
        let room = state.capacity.saturating_sub(state.bytes.len());
        if room < ATOMIC.min(state.capacity) && state.readers.open > 0 {
            wait(&mut state.writers.waiting, cx);
            return Poll::Pending;
        }
        Poll::Ready((room, state.readers.open == 0))
    }

    /// Writes all of it, from outside a sandbox; false when nobody reads any more.
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
