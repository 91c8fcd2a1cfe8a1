//! Moves the body of a response from its connection to its reader.
//!
//! Separate from `hop`: a pump runs as its own task after the head has been returned.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;

use bytes::Bytes;
use http_body::Body as _;
use hyper::body::Incoming;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::decode::{DecodeFault, Decoder, MAX_PIECE};
use crate::error::{FetchError, FetchErrorKind};
use crate::response::Ending;

/// Longest chunk handed to the reader.
const MAX_CHUNK: usize = 64 * 1024;

/// Number of decoded bytes that is sent at once while more input is at hand.
const WORTH_SENDING: usize = 16 * 1024;

/// Bytes by which an encoded body may exceed its content: headers, checksums and empty blocks.
const ENCODING_SLACK: usize = 64 * 1024;

/// Moves one response body from its connection to its reader (T-NET-008, T-NET-009).
pub(crate) struct Pump {
    pub(crate) host: String,
    pub(crate) incoming: Incoming,
    pub(crate) decoder: Decoder,
    /// Most bytes handed to the reader.
    pub(crate) limit: usize,
    pub(crate) deadline: Instant,
}

impl Pump {
    /// Runs until the body ends, the deadline passes or the reader is dropped.
    pub(crate) async fn run(mut self, reader: mpsc::Sender<Bytes>, ending: Ending) {
        let deadline = self.deadline;
        let late = time_limit(&self.host);
        let result = tokio::select! {
            biased;
            () = reader.closed() => return,
            result = timeout_at(deadline, self.work(&reader)) => result.unwrap_or(Err(late)),
        };
        // The result bypasses the channel, which may be full at the deadline.
        let _ = ending.set(result);
    }

    async fn work(&mut self, reader: &mpsc::Sender<Bytes>) -> Result<(), FetchError> {
        let mut encoded_left = match self.decoder.is_plain() {
            true => self.limit,
            false => self.limit.saturating_add(ENCODING_SLACK),
        };
        // A body whose declared length exceeds the limit is not read at all.
        if self.incoming.size_hint().lower() > encoded_left as u64 {
            return Err(self.fault(DecodeFault::TooLong));
        }
        while let Some(bytes) = self.next().await? {
            encoded_left = encoded_left
                .checked_sub(bytes.len())
                .ok_or_else(|| self.fault(DecodeFault::TooLong))?;
            if self.decoder.is_plain() {
                hand_out(bytes, reader).await;
                continue;
            }
            for piece in bytes.chunks(MAX_PIECE) {
                self.decoder.feed(piece).map_err(|fault| self.fault(fault))?;
                if self.decoder.ready() >= WORTH_SENDING {
                    self.drain(reader).await;
                }
            }
            self.decoder.flush().map_err(|fault| self.fault(fault))?;
            self.drain(reader).await;
        }
        self.decoder.finish().map_err(|fault| self.fault(fault))?;
        self.drain(reader).await;
        Ok(())
    }

    /// Returns the next bytes as they arrive; skips trailers.
    async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        loop {
            let frame = poll_fn(|cx| Pin::new(&mut self.incoming).poll_frame(cx)).await;
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Ok(Some(bytes));
                    }
                }
                Some(Err(_)) => {
                    let reason = "the body ended early or is not well formed";
                    return Err(FetchError::new(FetchErrorKind::Protocol, &self.host, reason));
                }
            }
        }
    }

    async fn drain(&mut self, reader: &mpsc::Sender<Bytes>) {
        while self.decoder.ready() > 0 {
            // Sending fails only if the reader was dropped, and then `run` is about to end.
            let _ = reader.send(self.decoder.take(MAX_CHUNK)).await;
        }
    }

    fn fault(&self, fault: DecodeFault) -> FetchError {
        match fault {
            DecodeFault::TooLong => {
                let reason = format!("the response's body is longer than {} bytes", self.limit);
                FetchError::new(FetchErrorKind::BodyLimit, &self.host, reason)
            }
            DecodeFault::Corrupt => {
                let reason =
                    "the response's body does not match its Content-Encoding or is truncated";
                FetchError::new(FetchErrorKind::Encoding, &self.host, reason)
            }
        }
    }
}

async fn hand_out(mut bytes: Bytes, reader: &mpsc::Sender<Bytes>) {
    while !bytes.is_empty() {
        let chunk = bytes.split_to(bytes.len().min(MAX_CHUNK));
        let _ = reader.send(chunk).await;
    }
}

/// Returns the error of a fetch that exceeded its time limit.
pub(crate) fn time_limit(host: impl fmt::Display) -> FetchError {
    FetchError::new(FetchErrorKind::TimeLimit, host, "the time limit of the fetch is reached")
}
