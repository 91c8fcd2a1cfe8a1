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
struct Pipe {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bytes: VecDeque<u8>,
    capacity: usize,
    is_read: bool,
    is_written: bool,
    readers: Vec<Waker>,
    writers: Vec<Waker>,
}

/// A new pipe. Each end is shared by those that hold it, and closed with the last of them.
pub(crate) fn pipe(capacity: usize) -> (Reader, Writer) {
    let state = State {
        bytes: VecDeque::new(),
        capacity,
        is_read: true,
        is_written: true,
        readers: Vec::new(),
        writers: Vec::new(),
    };
    let pipe = Arc::new(Pipe { state: Mutex::new(state) });
    (Reader(pipe.clone()), Writer(pipe))
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
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// Reads what is there; 0 when all writers are gone and nothing is left.
    pub(crate) fn poll_read(&self, cx: &Context<'_>, out: &mut [u8]) -> Poll<usize> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() && state.is_written && !out.is_empty() {
            wait(&mut state.readers, cx);
            return Poll::Pending;
        }
        let len = out.len().min(state.bytes.len());
        let (front, back) = state.bytes.as_slices();
        let of_front = len.min(front.len());
        out[..of_front].copy_from_slice(&front[..of_front]);
        out[of_front..len].copy_from_slice(&back[..len - of_front]);
        state.bytes.drain(..len);
        wake(&mut state.writers);
        Poll::Ready(len)
    }

    /// Bytes that can be read without waiting, and whether the end has come.
    pub(crate) fn poll_ready(&self, cx: &Context<'_>) -> Poll<(usize, bool)> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() && state.is_written {
            wait(&mut state.readers, cx);
            return Poll::Pending;
        }
        Poll::Ready((state.bytes.len(), !state.is_written))
    }
}

impl Writer {
    /// Writes what there is room for, at least something.
    pub(crate) fn poll_write(&self, cx: &Context<'_>, bytes: &[u8]) -> Poll<Result<usize, Broken>> {
        let mut state = self.0.lock();
        if !state.is_read {
            return Poll::Ready(Err(Broken));
        }
        let room = state.capacity.saturating_sub(state.bytes.len());
        let is_torn = room < bytes.len() && bytes.len() <= ATOMIC.min(state.capacity);
        if (room == 0 && !bytes.is_empty()) || is_torn {
            wait(&mut state.writers, cx);
            return Poll::Pending;
        }
        let len = bytes.len().min(room);
        state.bytes.extend(&bytes[..len]);
        wake(&mut state.readers);
        Poll::Ready(Ok(len))
    }

    /// Room for bytes, and whether nobody reads any more.
    pub(crate) fn poll_ready(&self, cx: &Context<'_>) -> Poll<(usize, bool)> {
        let mut state = self.0.lock();
        let room = state.capacity.saturating_sub(state.bytes.len());
        if room < ATOMIC.min(state.capacity) && state.is_read {
            wait(&mut state.writers, cx);
            return Poll::Pending;
        }
        Poll::Ready((room, !state.is_read))
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
        state.is_read = false;
        state.bytes = VecDeque::new();
        wake(&mut state.writers);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_written = false;
        wake(&mut state.readers);
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
