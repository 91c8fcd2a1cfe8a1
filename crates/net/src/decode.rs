//! Decoding of gzip and deflate bodies, with a limit on the decoded size.
//!
//! Separate from `pump`, which moves the bytes: a decoder does no I/O and can be tested byte by
//! byte.

use std::io::{self, Write};

use bytes::{Bytes, BytesMut};
use flate2::write::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};

/// Most encoded bytes decoded in one call. Deflate expands one byte to at most 1,032, so this
/// bounds the memory a decompression bomb takes before the reader asks for more.
pub(crate) const MAX_PIECE: usize = 1024;

/// Output buffer for one call of the inflater.
const INFLATE_ROOM: usize = 32 * 1024;

/// Removes the `Content-Encoding` of a body and limits the decoded size (T-NET-008).
pub(crate) struct Decoder(Codec);

enum Codec {
    Plain(Sink),
    Gzip { inner: Box<MultiGzDecoder<Sink>>, started: bool },
    Deflate(Box<Inflate>),
}

/// The reason why decoding failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecodeFault {
    /// The decoded body exceeds its limit.
    TooLong,
    /// The body does not match its `Content-Encoding` or is truncated.
    Corrupt,
}

impl Decoder {
    /// Returns the decoder for a response and removes the encoding headers that no longer apply.
    /// Encodings that were not requested stay, together with their header.
    pub(crate) fn for_response(headers: &mut HeaderMap, most: usize) -> Self {
        let sink = Sink::new(most);
        let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
        let codec = match (encodings.next().map(|value| value.as_bytes()), encodings.next()) {
            (Some(name), None) if is(name, "gzip") || is(name, "x-gzip") => {
                Codec::Gzip { inner: Box::new(MultiGzDecoder::new(sink)), started: false }
            }
            (Some(name), None) if is(name, "deflate") => {
                Codec::Deflate(Box::new(Inflate { state: InflateState::Front(Vec::new()), sink }))
            }
            _ => return Self(Codec::Plain(sink)),
        };
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
        Self(codec)
    }

    /// Returns a decoder that passes bytes through.
    pub(crate) fn plain(most: usize) -> Self {
        Self(Codec::Plain(Sink::new(most)))
    }

    /// Returns true if bytes are passed through unchanged.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.0, Codec::Plain(_))
    }

    /// Decodes at most [`MAX_PIECE`] encoded bytes.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Result<(), DecodeFault> {
        match &mut self.0 {
            Codec::Plain(sink) => sink.push(piece),
            Codec::Gzip { inner, started } => {
                *started |= !piece.is_empty();
                let result = inner.write_all(piece);
                checked(result, inner.get_ref())
            }
            Codec::Deflate(inner) => inner.feed(piece),
        }
    }

    /// Makes all output available that the input so far determines.
    pub(crate) fn flush(&mut self) -> Result<(), DecodeFault> {
        match &mut self.0 {
            Codec::Gzip { inner, started: true } => {
                let result = inner.flush();
                checked(result, inner.get_ref())
            }
            Codec::Gzip { started: false, .. } | Codec::Plain(_) | Codec::Deflate(_) => Ok(()),
        }
    }

    /// Ends the input. An empty body is valid in any encoding, since responses to HEAD and 304 have
    /// one.
    pub(crate) fn finish(&mut self) -> Result<(), DecodeFault> {
        match &mut self.0 {
            Codec::Gzip { inner, started: true } => {
                let result = inner.try_finish();
                checked(result, inner.get_ref())
            }
            Codec::Gzip { started: false, .. } | Codec::Plain(_) => Ok(()),
            Codec::Deflate(inner) => inner.finish(),
        }
    }

    /// Returns the number of decoded bytes that [`take`](Self::take) can return.
    pub(crate) fn ready(&self) -> usize {
        match &self.0 {
            Codec::Plain(sink) => sink.out.len(),
            Codec::Gzip { inner, .. } => inner.get_ref().out.len(),
            Codec::Deflate(inner) => inner.sink.out.len(),
        }
    }

    /// Returns up to `most` bytes decoded since the last call.
    pub(crate) fn take(&mut self, most: usize) -> Bytes {
        let out = match &mut self.0 {
            Codec::Plain(sink) => &mut sink.out,
            Codec::Gzip { inner, .. } => &mut inner.get_mut().out,
            Codec::Deflate(inner) => &mut inner.sink.out,
        };
        out.split_to(most.min(out.len())).freeze()
    }
}

fn is(value: &[u8], name: &str) -> bool {
    value.trim_ascii().eq_ignore_ascii_case(name.as_bytes())
}

fn checked(result: io::Result<()>, sink: &Sink) -> Result<(), DecodeFault> {
    match (result, sink.full) {
        (Ok(()), _) => Ok(()),
        (Err(_), true) => Err(DecodeFault::TooLong),
        (Err(_), false) => Err(DecodeFault::Corrupt),
    }
}

/// Decoded bytes and the number that may still follow.
struct Sink {
    out: BytesMut,
    left: usize,
    full: bool,
}

impl Sink {
    fn new(most: usize) -> Self {
        Self { out: BytesMut::new(), left: most, full: false }
    }

    /// Appends bytes; charges them against the limit before storing them.
    fn push(&mut self, bytes: &[u8]) -> Result<(), DecodeFault> {
        match self.left.checked_sub(bytes.len()) {
            Some(left) => self.left = left,
            None => {
                self.full = true;
                return Err(DecodeFault::TooLong);
            }
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.push(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(_) => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The `deflate` encoding: zlib by the standard, raw deflate from some servers. The first two bytes
/// decide.
struct Inflate {
    state: InflateState,
    sink: Sink,
}

enum InflateState {
    Front(Vec<u8>),
    Inside(Decompress),
    Ended,
}

impl Inflate {
    fn feed(&mut self, piece: &[u8]) -> Result<(), DecodeFault> {
        match &mut self.state {
            InflateState::Front(front) => {
                front.extend_from_slice(piece);
                let Some(&[first, second]) = front.first_chunk::<2>() else {
                    return Ok(());
                };
                let number = u16::from_be_bytes([first, second]);
                let zlib = first & 0x0f == 8 && number.is_multiple_of(31);
                let front = std::mem::take(front);
                self.state = InflateState::Inside(Decompress::new(zlib));
                self.inflate(&front)
            }
            InflateState::Inside(_) => self.inflate(piece),
            // Bytes after the end of the stream are not part of the body.
            InflateState::Ended => Ok(()),
        }
    }

    fn inflate(&mut self, mut input: &[u8]) -> Result<(), DecodeFault> {
        let InflateState::Inside(inflater) = &mut self.state else {
            return Ok(());
        };
        let mut room = [0; INFLATE_ROOM];
        loop {
            let (taken, made) = (inflater.total_in(), inflater.total_out());
            let status = inflater
                .decompress(input, &mut room, FlushDecompress::None)
                .map_err(|_| DecodeFault::Corrupt)?;
            let taken = (inflater.total_in() - taken) as usize;
            let made = (inflater.total_out() - made) as usize;
            input = input.get(taken..).unwrap_or_default();
            self.sink.push(room.get(..made).unwrap_or_default())?;
            match status {
                Status::StreamEnd => {
                    self.state = InflateState::Ended;
                    return Ok(());
                }
                Status::Ok | Status::BufError if taken == 0 && made == 0 => return Ok(()),
                Status::Ok | Status::BufError => {}
            }
        }
    }

    fn finish(&mut self) -> Result<(), DecodeFault> {
        match &self.state {
            InflateState::Front(front) if front.is_empty() => Ok(()),
            InflateState::Front(_) | InflateState::Inside(_) => Err(DecodeFault::Corrupt),
            InflateState::Ended => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn decode(encoding: &str, encoded: &[u8], step: usize) -> Result<Vec<u8>, DecodeFault> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, encoding.parse().unwrap());
        let mut decoder = Decoder::for_response(&mut headers, 1_000_000);
        let mut out = Vec::new();
        for piece in encoded.chunks(step) {
            decoder.feed(piece)?;
            decoder.flush()?;
            out.extend_from_slice(&decoder.take(usize::MAX));
        }
        decoder.finish()?;
        out.extend_from_slice(&decoder.take(usize::MAX));
        Ok(out)
    }

    fn check(encoding: &str, encoded: &[u8], expect: Result<&[u8], DecodeFault>) {
        for step in [1, 2, 7, MAX_PIECE] {
            let found = decode(encoding, encoded, step);
            assert_eq!(found.as_deref(), expect.as_ref().copied(), "{encoding} in {step}s");
        }
    }

    #[test]
    fn every_encoding_is_decoded() {
        let data = b"in out in out in out".repeat(1000);
        check("gzip", &gzip(&data), Ok(&data));
        check(" X-GZip ", &gzip(&data), Ok(&data));
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&data).unwrap();
        check("deflate", &zlib.finish().unwrap(), Ok(&data));
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
        bare.write_all(&data).unwrap();
        check("deflate", &bare.finish().unwrap(), Ok(&data));
    }

    #[test]
    fn several_members_are_one_body() {
        check("gzip", &[gzip(b"one "), gzip(b"two")].concat(), Ok(b"one two"));
    }

    #[test]
    fn empty_body_is_valid_in_any_encoding() {
        for encoding in ["gzip", "deflate", "br"] {
            check(encoding, b"", Ok(b""));
        }
    }

    #[test]
    fn encodings_not_requested_are_kept() {
        check("br", b"as it is", Ok(b"as it is"));
        check("gzip, gzip", b"as it is", Ok(b"as it is"));
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, "br".parse().unwrap());
        Decoder::for_response(&mut headers, 10);
        assert!(headers.contains_key(CONTENT_ENCODING));
    }

    #[test]
    fn truncated_and_broken_bodies_are_errors() {
        let whole = gzip(&b"in out".repeat(1000));
        for cut in [1, 5, 12, whole.len() / 2, whole.len() - 1] {
            check("gzip", &whole[..cut], Err(DecodeFault::Corrupt));
        }
        check("gzip", b"not gzip at all", Err(DecodeFault::Corrupt));
        check("deflate", b"\x78\x9c", Err(DecodeFault::Corrupt));
        check("deflate", b"\xff\xff\xff\xff", Err(DecodeFault::Corrupt));
        let mut wrong = whole.clone();
        let sum = wrong.len() - 8;
        wrong[sum] ^= 1;
        check("gzip", &wrong, Err(DecodeFault::Corrupt));
    }

    #[test]
    fn bomb_is_stopped_before_it_is_in_memory() {
        let bomb = gzip(&vec![0; 50_000_000]);
        assert!(bomb.len() < 100_000);
        check("gzip", &bomb, Err(DecodeFault::TooLong));
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(&vec![0; 50_000_000]).unwrap();
        check("deflate", &zlib.finish().unwrap(), Err(DecodeFault::TooLong));
    }

    /// The server chooses every byte of a body.
    #[test]
    fn broken_bodies_never_panic() {
        let whole = [gzip(&b"in out".repeat(50)), gzip(b"")].concat();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&b"in out".repeat(50)).unwrap();
        let zlib = zlib.finish().unwrap();
        for (encoding, whole) in [("gzip", whole), ("deflate", zlib)] {
            for place in 0..whole.len() {
                for change in [1, 2, 4, 8, 0x20, 0x80, 0xff] {
                    let mut broken = whole.clone();
                    broken[place] ^= change;
                    let _ = decode(encoding, &broken, 3);
                    let _ = decode(encoding, &broken[..place], MAX_PIECE);
                }
            }
        }
    }

    #[test]
    fn removed_encoding_takes_its_headers_with_it() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, "gzip".parse().unwrap());
        headers.insert(CONTENT_LENGTH, "7".parse().unwrap());
        Decoder::for_response(&mut headers, 10);
        assert!(headers.is_empty());
    }
}
