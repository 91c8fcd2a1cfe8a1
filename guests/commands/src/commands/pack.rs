//! bzip2, xz and zstd with their relatives. Data is streamed, so a small file that unpacks to a huge
//! one costs no memory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};

use lzma_rust2::{XzOptions, XzReader, XzWriter};

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

/// Bytes read at a time.
const BLOCK: usize = 64 * 1024;

/// A compression format.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Bzip2,
    Xz,
    Zstd,
}

impl Format {
    /// Returns the name of the command that compresses.
    fn name(self) -> &'static str {
        match self {
            Format::Bzip2 => "bzip2",
            Format::Xz => "xz",
            Format::Zstd => "zstd",
        }
    }

    /// Returns file name suffixes with the suffix of the unpacked file.
    fn suffixes(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Format::Bzip2 => &[(".bz2", ""), (".bz", ""), (".tbz2", ".tar"), (".tbz", ".tar")],
            Format::Xz => &[(".xz", ""), (".txz", ".tar")],
            Format::Zstd => &[(".zst", ""), (".tzst", ".tar")],
        }
    }

    /// Compresses one stream.
    pub(crate) fn pack(
        self,
        level: u32,
        from: &mut dyn Read,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Format::Bzip2 => {
                let level = bzip2::Compression::new(level.clamp(1, 9));
                let mut encoder = bzip2::write::BzEncoder::new(to, level);
                io::copy(from, &mut encoder)?;
                encoder.finish().map(drop)
            }
            Format::Xz => {
                let mut options = XzOptions::with_preset(level.min(9));
                // An encoder takes eleven times its dictionary, and a sandbox has 64 MiB.
                options.lzma_options.dict_size = options.lzma_options.dict_size.min(1 << 20);
                let mut encoder = XzWriter::new(to, options)?;
                io::copy(from, &mut encoder)?;
                encoder.finish().map(drop)
            }
            Format::Zstd => {
                // The encoder panics if its source or drain fails, so both are in memory.
                let mut plain = Vec::new();
                from.read_to_end(&mut plain)?;
                let level = ruzstd::encoding::CompressionLevel::Fastest;
                to.write_all(&ruzstd::encoding::compress_to_vec(plain.as_slice(), level))
            }
        }
    }

    /// Returns a reader of the unpacked stream.
    pub(crate) fn unpack<'a>(self, from: Box<dyn Read + 'a>) -> Box<dyn Read + 'a> {
        match self {
            Format::Bzip2 => {
                Box::new(bzip2::bufread::MultiBzDecoder::new(BufReader::with_capacity(BLOCK, from)))
            }
            Format::Xz => Box::new(XzReader::new(BufReader::with_capacity(BLOCK, from), true)),
            Format::Zstd => Box::new(Frames {
                source: Some(BufReader::with_capacity(BLOCK, from)),
                frame: None,
            }),
        }
    }

    /// Recognises a format by the first bytes of a file.
    pub(crate) fn of(start: &[u8]) -> Option<Format> {
        match start {
            [b'B', b'Z', b'h', ..] => Some(Format::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Format::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Format::Zstd),
            _ => None,
        }
    }

    /// Recognises a format by the name of a file.
    pub(crate) fn named(name: &[u8]) -> Option<Format> {
        let all = [Format::Bzip2, Format::Xz, Format::Zstd];
        let fits = |format: &Format| {
            format.suffixes().iter().any(|(suffix, _)| name.ends_with(suffix.as_bytes()))
        };
        all.into_iter().find(fits)
    }
}

/// The frames of a zstd stream, one after the other.
struct Frames<R: io::BufRead> {
    source: Option<R>,
    frame: Option<Box<ruzstd::decoding::StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>>,
}

impl<R: io::BufRead> Read for Frames<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let len = frame.read(buf)?;
                if len > 0 || buf.is_empty() {
                    return Ok(len);
                }
                self.source = self.frame.take().map(|frame| frame.into_inner());
            }
            let Some(mut source) = self.source.take() else { return Ok(0) };
            if source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let decoder = ruzstd::decoding::StreamingDecoder::new(source)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            self.frame = Some(Box::new(decoder));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    Pack,
    Unpack,
    Test,
}

struct Settings {
    format: Format,
    job: Job,
    to_output: bool,
    keep: bool,
    force: bool,
    quiet: bool,
    level: u32,
    output: Option<OsString>,
}

macro_rules! commands {
    ($($name:ident $text:literal $format:ident $job:ident $to_output:literal,)*) => {
        $(
            pub(crate) fn $name(args: Vec<OsString>) -> i32 {
                main($text, Format::$format, Job::$job, $to_output, args)
            }
        )*
    };
}

commands! {
    bzip2 "bzip2" Bzip2 Pack false,
    bunzip2 "bunzip2" Bzip2 Unpack false,
    bzcat "bzcat" Bzip2 Unpack true,
    xz "xz" Xz Pack false,
    unxz "unxz" Xz Unpack false,
    xzcat "xzcat" Xz Unpack true,
    zstd "zstd" Zstd Pack false,
    unzstd "unzstd" Zstd Unpack false,
    zstdcat "zstdcat" Zstd Unpack true,
}

const HELP: &str = "\
Usage: bzip2|bunzip2|bzcat|xz|unxz|xzcat|zstd|unzstd|zstdcat [OPTION]... [FILE]...
Compress or uncompress FILEs. bzip2 and xz replace a file; zstd keeps it.

  -c, --stdout      write on standard output, keep original files unchanged
  -d, --decompress  decompress
  -f, --force       force overwrite of output file
  -k, --keep        keep (don't delete) input files
  -o FILE           write to FILE (zstd)
      --rm          delete input files (zstd)
  -q, --quiet       suppress messages
  -t, --test        test compressed file integrity
  -v, --verbose     accepted
  -z, --compress    compress
  -0 ... -9         level of compression; zstd has one level
  -T, --threads=N   accepted

With no FILE, or when FILE is -, read standard input.
";

fn main(name: &'static str, format: Format, job: Job, to_output: bool, args: Vec<OsString>) -> i32 {
    let mut specs = vec![
        ('c', "stdout", Value::None),
        ('c', "to-stdout", Value::None),
        ('d', "decompress", Value::None),
        ('d', "uncompress", Value::None),
        ('e', "extreme", Value::None),
        ('f', "force", Value::None),
        ('k', "keep", Value::None),
        ('o', "", Value::Required),
        ('\0', "rm", Value::None),
        ('q', "quiet", Value::None),
        ('s', "small", Value::None),
        ('t', "test", Value::None),
        ('v', "verbose", Value::None),
        ('z', "compress", Value::None),
        ('T', "threads", Value::Required),
        ('1', "fast", Value::None),
        ('9', "best", Value::None),
    ];
    specs.extend("02345678".chars().map(|digit| (digit, "", Value::None)));
    let usage = Usage { name, text: HELP, trouble: 1 };
    let items = match options::parse(&usage, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let keep = format == Format::Zstd;
    let level = if format == Format::Bzip2 { 9 } else { 6 };
    let mut s =
        Settings { format, job, to_output, keep, force: false, quiet: false, level, output: None };
    let mut files = Vec::new();
    for item in items {
        match item {
            Item::Option(Key::Short('c'), _) => s.to_output = true,
            Item::Option(Key::Short('d'), _) => s.job = Job::Unpack,
            Item::Option(Key::Short('t'), _) => s.job = Job::Test,
            Item::Option(Key::Short('z'), _) => s.job = Job::Pack,
            Item::Option(Key::Short('f'), _) => s.force = true,
            Item::Option(Key::Short('k'), _) => s.keep = true,
            Item::Option(Key::Long("rm"), _) => s.keep = false,
            Item::Option(Key::Short('q'), _) => s.quiet = true,
            Item::Option(Key::Short('o'), Some(file)) => s.output = Some(file),
            Item::Option(Key::Short(digit @ '0'..='9'), _) => s.level = digit as u32 - '0' as u32,
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    if files.is_empty() {
        files.push("-".into());
    }
    let mut out = output::stdout();
    let mut code = 0;
    for file in files {
        let done = match (file == "-", &s.output) {
            (true, None) => transfer(&s, &mut Input, &mut out),
            (true, Some(target)) => {
                File::create(target).and_then(|mut made| transfer(&s, &mut Input, &mut made))
            }
            (false, _) => one(&s, &file, &mut out),
        };
        if let Err(error) = done {
            let _ = out.flush();
            let shown = if file == "-" { "(stdin)".into() } else { file.to_string_lossy() };
            if !s.quiet {
                eprintln!("{name}: {shown}: {}", reason(&error));
            }
            code = 1;
        }
    }
    output::finish(name, &mut out, code)
}

fn transfer(s: &Settings, from: &mut dyn Read, to: &mut dyn Write) -> io::Result<()> {
    if s.job == Job::Pack {
        return s.format.pack(s.level, from, to);
    }
    let mut reader = s.format.unpack(Box::new(from));
    match s.job {
        Job::Test => io::copy(&mut reader, &mut io::sink()).map(drop),
        Job::Pack | Job::Unpack => io::copy(&mut reader, to).map(drop),
    }
}

fn one(s: &Settings, file: &OsString, out: &mut output::Output) -> io::Result<()> {
    if fs::metadata(file)?.is_dir() {
        return Err(io::Error::other("Is a directory, skipping"));
    }
    let name = file.as_bytes();
    let mut source = File::open(file)?;
    if s.to_output || s.job == Job::Test {
        return transfer(s, &mut source, out);
    }
    let target = match &s.output {
        Some(target) => target.clone(),
        None => OsString::from_vec(target(s, name)?),
    };
    if !s.force && fs::symlink_metadata(&target).is_ok() {
        return Err(io::Error::other(format!(
            "Output file {} already exists.",
            target.to_string_lossy()
        )));
    }
    let done = File::create(&target).and_then(|mut made| transfer(s, &mut source, &mut made));
    if let Err(error) = done {
        // Removes a partial file.
        let _ = fs::remove_file(&target);
        return Err(error);
    }
    if let Ok(status) = crate::files::status(name, true) {
        let _ = cofferdam_guest_sys::chmod(target.as_bytes(), status.mode & 0o7777);
    }
    if s.keep { Ok(()) } else { fs::remove_file(file) }
}

/// Returns the name of the file to write.
fn target(s: &Settings, name: &[u8]) -> io::Result<Vec<u8>> {
    let suffixes = s.format.suffixes();
    if s.job == Job::Pack {
        let suffix = suffixes[0].0;
        if name.ends_with(suffix.as_bytes()) && !s.force {
            let message = format!("File already has `{suffix}' suffix, skipping");
            return Err(io::Error::other(message));
        }
        return Ok([name, suffix.as_bytes()].concat());
    }
    for (packed, plain) in suffixes {
        if let Some(bare) = name.strip_suffix(packed.as_bytes()) {
            return Ok([bare, plain.as_bytes()].concat());
        }
    }
    match s.format {
        Format::Bzip2 => Ok([name, b".out"].concat()),
        Format::Xz | Format::Zstd => Err(io::Error::other(format!(
            "Filename has an unknown suffix, skipping ({} expected)",
            s.format.name()
        ))),
    }
}
