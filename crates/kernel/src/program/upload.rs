//! Request bodies that come from a descriptor of a program: read while they are sent.
//!
//! A program has one thread and waits in the call for the response, so the host reads for it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use cofferdam_net::{Body, BodyClosed, BodySink, Bytes, Wanted};
use cofferdam_vfs::{OpenFile, Seek};

use crate::program::descriptor::{Description, Object};
use crate::program::device::Device;
use crate::program::errno::Errno;
use crate::program::system::System;
use crate::shared::lock::lock;

/// Longest piece that is read at once; it is host memory until the connection has taken it.
// T-PROC-008: memory of the host that processes use.
const MAX_PIECE: usize = 64 << 10;

/// A body that is read from a descriptor.
pub(crate) struct Upload {
    system: Arc<System>,
    source: Arc<Description>,
    /// Bytes that come before those of the descriptor.
    first: Bytes,
    /// Position of a file from which it is sent.
    start: u64,
    sink: BodySink,
    sent: Arc<AtomicU64>,
}

impl Upload {
    /// Creates a body of `first` and the rest of a descriptor. The rest of a file has a length, and
    /// is sent again if a redirect needs that; a pipe has none, and is sent once.
    pub(crate) fn new(
        system: &Arc<System>,
        source: Arc<Description>,
        first: Vec<u8>,
    ) -> Result<(Self, Body), Errno> {
        let (sink, body, start) = match &source.object {
            Object::File(file) => {
                let (start, rest) = rest(file)?;
                let length =
                    usize::try_from(rest).unwrap_or(usize::MAX).saturating_add(first.len());
                let (sink, body) = Body::channel_of(length);
                (sink, body, start)
            }
            Object::PipeRead(_) | Object::PipeBoth(..) | Object::Input(_) | Object::Device(..) => {
                let (sink, body) = Body::channel();
                (sink, body, 0)
            }
            Object::Directory(_) => return Err(Errno::IsDirectory),
            Object::PipeWrite(_) | Object::Output(_) => return Err(Errno::BadDescriptor),
        };
        let (system, first, sent) = (system.clone(), Bytes::from(first), Arc::default());
        Ok((Upload { system, source, first, start, sink, sent }, body))
    }

    /// Waits for a request that sends the body. Returns its result and the bytes sent.
    pub(crate) async fn during<T>(self, request: impl Future<Output = T>) -> (T, u64) {
        let sent = self.sent.clone();
        let (mut request, mut sending) = (pin!(request), pin!(self.send()));
        let mut is_sent = false;
        let found = poll_fn(|cx| {
            // A body that cannot be read any more is dropped, which fails its request.
            is_sent = is_sent || sending.as_mut().poll(cx).is_ready();
            request.as_mut().poll(cx)
        })
        .await;
        (found, sent.load(Ordering::Relaxed))
    }

    async fn send(self) -> Result<(), Stopped> {
        let mut offset = self.start;
        let mut first = None;
        loop {
            if self.sink.wanted().await? == Wanted::FromTheBeginning || first.is_none() {
                (offset, first) = (self.start, Some(self.first.clone()));
                self.sent.store(0, Ordering::Relaxed);
            }
            let piece = match first.as_mut().map(std::mem::take) {
                Some(piece) if !piece.is_empty() => piece,
                Some(_) | None => self.read(&mut offset).await?,
            };
            if piece.is_empty() {
                self.sink.finish();
                continue;
            }
            self.sent.fetch_add(piece.len() as u64, Ordering::Relaxed);
            self.sink.send(piece).await?;
        }
    }

    /// Reads the next piece; none at the end.
    async fn read(&self, offset: &mut u64) -> Result<Bytes, Stopped> {
        let mut room = vec![0; MAX_PIECE];
        let len = poll_fn(|cx| self.poll_read(cx, *offset, &mut room)).await?;
        *offset += len as u64;
        room.truncate(len);
        Ok(room.into())
    }

    fn poll_read(
        &self,
        cx: &Context<'_>,
        offset: u64,
        room: &mut [u8],
    ) -> Poll<Result<usize, Stopped>> {
        match &self.source.object {
            Object::File(file) => {
                let read = file.read_at(offset, room, self.system.now());
                Poll::Ready(read.map_err(|_| Stopped))
            }
            Object::PipeRead(reader) | Object::PipeBoth(reader, _) => {
                reader.poll_read(cx, room).map(Ok)
            }
            Object::Input(input) => {
                let (bytes, read) = &mut *lock(input);
                let rest = &bytes[*read..];
                let len = rest.len().min(room.len());
                room[..len].copy_from_slice(&rest[..len]);
                *read += len;
                Poll::Ready(Ok(len))
            }
            Object::Device(device, _) => match device {
                Device::Null | Device::Terminal | Device::Fifo | Device::Descriptor(_) => {
                    Poll::Ready(Ok(0))
                }
                // The room is zero already. The limit of what is sent ends the body.
                Device::Zero | Device::Full => Poll::Ready(Ok(room.len())),
                Device::Random => match lock(&self.system.random).fill(room) {
                    true => Poll::Ready(Ok(room.len())),
                    false => Poll::Ready(Err(Stopped)),
                },
            },
            Object::Directory(_) | Object::PipeWrite(_) | Object::Output(_) => {
                Poll::Ready(Err(Stopped))
            }
        }
    }
}

/// The body cannot be read, or the request reads no more of it.
struct Stopped;

impl From<BodyClosed> for Stopped {
    fn from(_: BodyClosed) -> Self {
        Stopped
    }
}

/// Returns the position of a file and the number of bytes after it.
fn rest(file: &OpenFile) -> Result<(u64, u64), Errno> {
    let start = file.seek(Seek::Current(0))?;
    Ok((start, file.stat()?.size.saturating_sub(start)))
}
