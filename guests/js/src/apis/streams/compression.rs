//! Deflate for CompressionStream and DecompressionStream: zlib, raw, and gzip, whose frame is
//! written and read here.

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};
use rquickjs::class::{JsClass, Trace, Tracer, Writable};
use rquickjs::function::{Constructor, Opt};
use rquickjs::{Class, Ctx, Function, JsLifetime, Object, Result, TypedArray};

use crate::apis::base::bytes::Bytes;
use crate::ranges;

/// Longest output of one step. Output comes in pieces, so that a few bytes that unpack to many
/// meet the limits of JavaScript's memory.
const MAX_PIECE: usize = 64 << 10;

/// A gzip header with no name and no time, of an unknown system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Bytes after the content of a gzip member: its checksum and its length.
const GZIP_TRAILER: usize = 8;

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("newCompressor", Function::new(ctx.clone(), new_compressor)?)?;
    native.set("newDecompressor", Function::new(ctx.clone(), new_decompressor)?)?;
    native.set("feedCoder", Function::new(ctx.clone(), feed)?)?;
    native.set("stepCoder", Function::new(ctx.clone(), step)?)
}

/// Pending input, and the work done on it.
struct Coder {
    input: Input,
    work: Work,
}

#[derive(Default)]
struct Input {
    bytes: Vec<u8>,
    at: usize,
}

enum Work {
    Pack(Pack),
    Unpack(Unpack),
}

struct Pack {
    raw: Compress,
    gzip: Option<Crc>,
    stage: PackStage,
}

#[derive(PartialEq, Eq)]
enum PackStage {
    Header,
    Content,
    End,
}

struct Unpack {
    raw: Decompress,
    gzip: Option<Crc>,
    stage: UnpackStage,
    tail: Tail,
}

/// Rule for bytes behind the end of the content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// They are an error, as in DecompressionStream.
    Refused,
    /// Another gzip member is read, anything else is ignored, as in zlib.
    Allowed,
}

enum UnpackStage {
    /// The bytes of a gzip header that has not ended yet.
    Header(Vec<u8>),
    Content,
    /// The bytes of a gzip trailer so far.
    Trailer(Vec<u8>),
    End,
    Failed,
}

/// Error: the input does not follow its format.
struct Malformed;

impl<'js> Trace<'js> for Coder {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

// SAFETY: holds no JavaScript value.
unsafe impl<'js> JsLifetime<'js> for Coder {
    type Changed<'to> = Coder;
}

impl<'js> JsClass<'js> for Coder {
    const NAME: &'static str = "Coder";
    type Mutable = Writable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

fn new_compressor<'js>(
    ctx: Ctx<'js>,
    format: String,
    level: Opt<i32>,
) -> Result<Class<'js, Coder>> {
    // Levels of zlib; -1 is its usual one.
    let level = match level.0 {
        Some(level @ 0..=9) => Compression::new(level as u32),
        Some(_) | None => Compression::default(),
    };
    let is_gzip = format == "gzip";
    if is_gzip {
        // The table of the checksum.
        ranges::need();
    }
    let work = Work::Pack(Pack {
        raw: Compress::new(level, format == "deflate"),
        gzip: is_gzip.then(Crc::new),
        stage: if is_gzip { PackStage::Header } else { PackStage::Content },
    });
    Class::instance(ctx, Coder { input: Input::default(), work })
}

fn new_decompressor<'js>(
    ctx: Ctx<'js>,
    format: String,
    allows_tail: Opt<bool>,
) -> Result<Class<'js, Coder>> {
    let is_gzip = format == "gzip";
    if is_gzip {
        // The table of the checksum.
        ranges::need();
    }
    let tail = if allows_tail.0 == Some(true) { Tail::Allowed } else { Tail::Refused };
    let work = Work::Unpack(Unpack {
        raw: Decompress::new(format == "deflate"),
        gzip: is_gzip.then(Crc::new),
        stage: if is_gzip { UnpackStage::Header(Vec::new()) } else { UnpackStage::Content },
        tail,
    });
    Class::instance(ctx, Coder { input: Input::default(), work })
}

/// Adds input. The last step on the input before must have returned nothing.
fn feed<'js>(coder: Class<'js, Coder>, bytes: Bytes) {
    coder.borrow_mut().input = Input { bytes: bytes.0, at: 0 };
}

/// Returns the next piece of output, empty if the input is used up; `None` if it is malformed.
/// `last` is true if no input follows.
fn step<'js>(
    ctx: Ctx<'js>,
    coder: Class<'js, Coder>,
    last: bool,
) -> Result<Option<TypedArray<'js, u8>>> {
    let piece = {
        let mut coder = coder.borrow_mut();
        let Coder { input, work } = &mut *coder;
        match work {
            Work::Pack(pack) => pack.step(input, last),
            Work::Unpack(unpack) => unpack.step(input, last),
        }
    };
    piece.ok().map(|piece| TypedArray::new_copy(ctx, piece)).transpose()
}

impl Input {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }
}

impl Pack {
    fn step(&mut self, input: &mut Input, last: bool) -> std::result::Result<Vec<u8>, Malformed> {
        let mut out = Vec::with_capacity(MAX_PIECE);
        if self.stage == PackStage::Header {
            out.extend_from_slice(&GZIP_HEADER);
            self.stage = PackStage::Content;
        }
        while self.stage == PackStage::Content && out.len() < out.capacity() {
            let rest = input.rest();
            if rest.is_empty() && !last {
                break;
            }
            let (read, wrote) = (self.raw.total_in(), out.len());
            let flush = if last { FlushCompress::Finish } else { FlushCompress::None };
            let status = self.raw.compress_vec(rest, &mut out, flush).map_err(|_| Malformed)?;
            let read = (self.raw.total_in() - read) as usize;
            if let Some(crc) = &mut self.gzip {
                crc.update(&rest[..read]);
            }
            input.at += read;
            if status == Status::StreamEnd {
                self.stage = PackStage::End;
                if let Some(crc) = &self.gzip {
                    out.extend_from_slice(&crc.sum().to_le_bytes());
                    out.extend_from_slice(&crc.amount().to_le_bytes());
                }
            } else if read == 0 && out.len() == wrote {
                break;
            }
        }
        Ok(out)
    }
}

impl Unpack {
    fn step(&mut self, input: &mut Input, last: bool) -> std::result::Result<Vec<u8>, Malformed> {
        let mut out = Vec::with_capacity(MAX_PIECE);
        let done = self.fill(input, &mut out);
        // Output that came before the failure is returned first.
        if !out.is_empty() {
            if done.is_err() {
                self.stage = UnpackStage::Failed;
            }
            return Ok(out);
        }
        done?;
        match self.stage {
            UnpackStage::End => Ok(out),
            _ if last => Err(Malformed),
            _ => Ok(out),
        }
    }

    fn fill(&mut self, input: &mut Input, out: &mut Vec<u8>) -> std::result::Result<(), Malformed> {
        loop {
            match &mut self.stage {
                UnpackStage::Header(head) => {
                    head.extend_from_slice(input.rest());
                    let Some(length) = gzip_header(head)? else {
                        *input = Input::default();
                        return Ok(());
                    };
                    *input = Input { bytes: std::mem::take(head), at: length };
                    self.stage = UnpackStage::Content;
                }
                UnpackStage::Content => {
                    let (read, wrote) = (self.raw.total_in(), out.len());
                    let flush = FlushDecompress::None;
                    let status =
                        self.raw.decompress_vec(input.rest(), out, flush).map_err(|_| Malformed)?;
                    let read = (self.raw.total_in() - read) as usize;
                    input.at += read;
                    if let Some(crc) = &mut self.gzip {
                        crc.update(&out[wrote..]);
                    }
                    if status == Status::StreamEnd {
                        self.stage = match self.gzip {
                            Some(_) => UnpackStage::Trailer(Vec::new()),
                            None => UnpackStage::End,
                        };
                    } else if out.len() == out.capacity() || (read == 0 && out.len() == wrote) {
                        return Ok(());
                    }
                }
                UnpackStage::Trailer(tail) => {
                    let wanted = (GZIP_TRAILER - tail.len()).min(input.rest().len());
                    tail.extend_from_slice(&input.rest()[..wanted]);
                    input.at += wanted;
                    if tail.len() < GZIP_TRAILER {
                        return Ok(());
                    }
                    let (sum, length) = tail.split_at(4);
                    let crc = self.gzip.as_ref().ok_or(Malformed)?;
                    if sum != crc.sum().to_le_bytes() || length != crc.amount().to_le_bytes() {
                        return Err(Malformed);
                    }
                    self.stage = UnpackStage::End;
                }
                UnpackStage::End if input.rest().is_empty() => return Ok(()),
                UnpackStage::End if self.tail == Tail::Allowed => {
                    if self.gzip.is_none() || input.rest()[0] != GZIP_HEADER[0] {
                        *input = Input::default();
                        return Ok(());
                    }
                    self.raw.reset(false);
                    self.gzip = Some(Crc::new());
                    self.stage = UnpackStage::Header(Vec::new());
                }
                // Nothing may follow the end.
                UnpackStage::End | UnpackStage::Failed => return Err(Malformed),
            }
        }
    }
}

/// Returns the length of the header at the beginning; `None` if it has not ended yet.
fn gzip_header(head: &[u8]) -> std::result::Result<Option<usize>, Malformed> {
    const CHECKED: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const RESERVED: u8 = 0xe0;
    let magic = head.len().min(3);
    if head[..magic] != GZIP_HEADER[..magic] {
        return Err(Malformed);
    }
    let Some(&flags) = head.get(3) else { return Ok(None) };
    if flags & RESERVED != 0 {
        return Err(Malformed);
    }
    let mut at = GZIP_HEADER.len();
    if flags & EXTRA != 0 {
        let Some(&[low, high]) = head.get(at..at + 2) else { return Ok(None) };
        at += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let Some(end) = head.get(at..).and_then(|rest| memchr::memchr(0, rest)) else {
                return Ok(None);
            };
            at += end + 1;
        }
    }
    if flags & CHECKED != 0 {
        let Some(&[low, high]) = head.get(at..at + 2) else { return Ok(None) };
        let mut crc = Crc::new();
        crc.update(&head[..at]);
        if crc.sum() as u16 != u16::from_le_bytes([low, high]) {
            return Err(Malformed);
        }
        at += 2;
    }
    Ok((at <= head.len()).then_some(at))
}
