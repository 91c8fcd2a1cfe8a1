//! gzip, gunzip, zcat. Data is streamed, so a small file that unpacks to a huge one costs no
//! memory.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

const USAGE: Usage = Usage {
    name: "gzip",
    text: "\
Usage: gzip|gunzip|zcat [OPTION]... [FILE]...
Compress or uncompress FILEs (by default, compress FILES in-place).

  -c, --stdout      write on standard output, keep original files unchanged
  -d, --decompress  decompress
  -f, --force       force overwrite of output file
  -h, --help        give this help
  -k, --keep        keep (don't delete) input files
  -l, --list        list compressed file contents
  -n, --no-name     accepted
  -q, --quiet       suppress all warnings
  -r, --recursive   operate recursively on directories
  -S, --suffix=SUF  use suffix SUF on compressed files
  -t, --test        test compressed file integrity
  -v, --verbose     verbose mode
  -1, --fast        compress faster
  -9, --best        compress better

With no FILE, or when FILE is -, read standard input.
",
    trouble: 1,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    Pack,
    Unpack,
    Test,
    List,
}

struct Settings {
    job: Job,
    to_output: bool,
    keep: bool,
    force: bool,
    quiet: bool,
    recursive: bool,
    verbose: bool,
    level: u32,
    suffix: Vec<u8>,
    /// True if the head of the list was printed.
    listed: bool,
}

pub(crate) fn gzip(args: Vec<OsString>) -> i32 {
    main("gzip", Job::Pack, false, args)
}

pub(crate) fn gunzip(args: Vec<OsString>) -> i32 {
    main("gunzip", Job::Unpack, false, args)
}

pub(crate) fn zcat(args: Vec<OsString>) -> i32 {
    main("zcat", Job::Unpack, true, args)
}

fn main(name: &'static str, job: Job, to_output: bool, args: Vec<OsString>) -> i32 {
    let mut specs = vec![
        ('c', "stdout", Value::None),
        ('c', "to-stdout", Value::None),
        ('d', "decompress", Value::None),
        ('d', "uncompress", Value::None),
        ('f', "force", Value::None),
        ('h', "", Value::None),
        ('k', "keep", Value::None),
        ('l', "list", Value::None),
        ('n', "no-name", Value::None),
        ('N', "name", Value::None),
        ('q', "quiet", Value::None),
        ('r', "recursive", Value::None),
        ('S', "suffix", Value::Required),
        ('t', "test", Value::None),
        ('v', "verbose", Value::None),
        ('1', "fast", Value::None),
        ('9', "best", Value::None),
    ];
    specs.extend("2345678".chars().map(|digit| (digit, "", Value::None)));
    let usage = Usage { name, ..USAGE };
    let items = match options::parse(&usage, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let mut s = Settings {
        job,
        to_output,
        keep: false,
        force: false,
        quiet: false,
        recursive: false,
        verbose: false,
        level: 6,
        suffix: b".gz".to_vec(),
        listed: false,
    };
    let mut files = Vec::new();
    for item in items {
        match item {
            Item::Option(Key::Short('c'), _) => s.to_output = true,
            Item::Option(Key::Short('d'), _) => s.job = Job::Unpack,
            Item::Option(Key::Short('t'), _) => s.job = Job::Test,
            Item::Option(Key::Short('l'), _) => s.job = Job::List,
            Item::Option(Key::Short('f'), _) => s.force = true,
            Item::Option(Key::Short('k'), _) => s.keep = true,
            Item::Option(Key::Short('q'), _) => s.quiet = true,
            Item::Option(Key::Short('r'), _) => s.recursive = true,
            Item::Option(Key::Short('v'), _) => s.verbose = true,
            Item::Option(Key::Short('S'), Some(suffix)) => s.suffix = suffix.into_vec(),
            Item::Option(Key::Short('h'), _) => {
                print!("{}", USAGE.text);
                return super::uutils::flushed(0);
            }
            Item::Option(Key::Short(digit @ '1'..='9'), _) => s.level = digit as u32 - '0' as u32,
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    let mut out = output::stdout();
    let mut code = 0;
    if files.is_empty() {
        files.push("-".into());
    }
    // GNU has one program under three names, which reports as `gzip`.
    let name = "gzip";
    for file in files {
        let done = if file == "-" {
            transfer(&s, &mut Input, &mut out).map(drop)
        } else {
            one(&mut s, &file, &mut out, 0)
        };
        if let Err(error) = done {
            let _ = out.flush();
            if let Some(Refused(why, left)) = error.get_ref().and_then(|inner| inner.downcast_ref())
            {
                if !s.quiet {
                    eprintln!("{name}: {why}");
                }
                code = code.max(*left);
                continue;
            }
            let shown = match (&*file.to_string_lossy(), error.kind()) {
                ("-", _) => "stdin".to_owned(),
                (shown, io::ErrorKind::NotFound) => s.sought(shown),
                (shown, _) => shown.to_owned(),
            };
            eprintln!("{name}: {shown}: {}", message(&error));
            code = 1;
        }
    }
    output::finish(name, &mut out, code)
}

/// A file that is left alone, with the warning about it and its exit code.
#[derive(Debug)]
struct Refused(String, i32);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

fn refused(file: &OsStr, why: &str) -> io::Error {
    io::Error::other(Refused(format!("{}{why}", file.to_string_lossy()), 2))
}

impl Settings {
    /// Returns the name of the packed file that is sought if there is none of a plain name.
    fn sought(&self, name: &str) -> String {
        let suffix = String::from_utf8_lossy(&self.suffix);
        match self.job != Job::Pack && !name.ends_with(&*suffix) {
            true => format!("{name}{suffix}"),
            false => name.to_owned(),
        }
    }

    /// Prints the line of `-v`: what was done, or that a test passed.
    fn tell(&self, file: &OsStr, size: u64, (plain, other): (u64, u64), done: Option<&str>) {
        if !self.verbose || self.quiet {
            return;
        }
        let packed = if self.job == Job::Pack { other } else { size.saturating_sub(other) };
        let text = match done {
            Some(done) => format!("{:>5.1}%{done}", ratio(plain, packed)),
            None => " OK".to_owned(),
        };
        eprintln!("{}:\t{text}", file.to_string_lossy());
    }
}

/// Returns how much smaller the data became, in percent.
fn ratio(plain: u64, packed: u64) -> f64 {
    if plain == 0 { 0.0 } else { (plain as f64 - packed as f64) * 100.0 / plain as f64 }
}

fn message(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "unexpected end of file".to_owned(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            if error.to_string().contains("header") {
                "not in gzip format".to_owned()
            } else {
                error.to_string()
            }
        }
        _ => reason(error),
    }
}

/// Bytes of a member's head and tail that have the same length in every file.
const FRAME: u64 = 18;

/// Compresses or decompresses one stream. Returns the number of plain bytes, and that of packed
/// bytes if it packs, or else of those around the packed data.
fn transfer(s: &Settings, from: &mut dyn Read, to: &mut dyn Write) -> io::Result<(u64, u64)> {
    if s.job == Job::Pack {
        let mut encoder =
            GzEncoder::new(Counted { inner: to, count: 0 }, Compression::new(s.level));
        let count = io::copy(from, &mut encoder)?;
        let packed = encoder.finish()?;
        return Ok((count, packed.count.saturating_sub(FRAME)));
    }
    let mut from = io::BufReader::with_capacity(64 * 1024, from);
    let start = io::BufRead::fill_buf(&mut from)?;
    if start.len() > 1 && !start.starts_with(b"\x1f\x8b") {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "invalid gzip header"));
    }
    let mut decoder = MultiGzDecoder::new(from);
    let count = match s.job {
        Job::Test | Job::List => io::copy(&mut decoder, &mut io::sink())?,
        Job::Pack | Job::Unpack => io::copy(&mut decoder, to)?,
    };
    let named = decoder.header().and_then(|header| header.filename());
    Ok((count, FRAME + named.map_or(0, |name| name.len() as u64 + 1)))
}

struct Counted<'a> {
    inner: &'a mut dyn Write,
    count: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let len = self.inner.write(buf)?;
        self.count += len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn one(
    s: &mut Settings,
    file: &OsString,
    out: &mut output::Output,
    depth: usize,
) -> io::Result<()> {
    let mut file = file.clone();
    if s.job != Job::Pack
        && !file.as_bytes().ends_with(&s.suffix)
        && fs::symlink_metadata(&file).is_err()
    {
        file.push(OsStr::from_bytes(&s.suffix));
    }
    let file = &file;
    let data = fs::metadata(file)?;
    if data.is_dir() {
        if !s.recursive || depth > 128 {
            return Err(refused(file, " is a directory -- ignored"));
        }
        for entry in fs::read_dir(file)? {
            one(s, &entry?.path().into_os_string(), out, depth + 1)?;
        }
        return Ok(());
    }
    let name = file.as_bytes();
    let target: Vec<u8> = match s.job {
        Job::Pack => {
            if name.ends_with(&s.suffix) && !s.to_output && !s.force {
                let suffix = String::from_utf8_lossy(&s.suffix).into_owned();
                let why =
                    format!("{} already has {suffix} suffix -- unchanged", file.to_string_lossy());
                return Err(io::Error::other(Refused(why, 0)));
            }
            [name, &s.suffix].concat()
        }
        Job::Unpack | Job::List | Job::Test => {
            let bare = name.strip_suffix(s.suffix.as_slice());
            let tarred = name.strip_suffix(b".tgz").map(|bare| [bare, b".tar"].concat());
            match (bare, tarred) {
                (Some(bare), _) => bare.to_vec(),
                (None, Some(tarred)) => tarred,
                (None, None) if s.job == Job::Unpack && !s.to_output => {
                    return Err(refused(file, ": unknown suffix -- ignored"));
                }
                (None, None) => name.to_vec(),
            }
        }
    };
    let mut source = File::open(file)?;
    if s.job == Job::List {
        let (size, around) = transfer(s, &mut source, &mut io::sink())?;
        if !std::mem::replace(&mut s.listed, true) {
            writeln!(out, "         compressed        uncompressed  ratio uncompressed_name")?;
        }
        let packed = data.len();
        let ratio = ratio(size, packed.saturating_sub(around));
        let shown = String::from_utf8_lossy(&target).into_owned();
        return writeln!(out, "{packed:>19} {size:>19} {ratio:>5.1}% {shown}");
    }
    if s.to_output || s.job == Job::Test {
        let counts = transfer(s, &mut source, out)?;
        s.tell(file, data.len(), counts, if s.job == Job::Test { None } else { Some("") });
        return Ok(());
    }
    let target = OsString::from_vec(target);
    if !s.force && fs::symlink_metadata(&target).is_ok() {
        return Err(refused(&target, " already exists;\tnot overwritten"));
    }
    let done = File::create(&target).and_then(|mut made| transfer(s, &mut source, &mut made));
    let counts = done.inspect_err(|_| {
        // Removes a partial file.
        let _ = fs::remove_file(&target);
    })?;
    if let Ok(status) = crate::files::status(name, true) {
        let _ = cofferdam_guest_sys::chmod(target.as_bytes(), status.mode & 0o7777);
    }
    let what = if s.keep { "created" } else { "replaced with" };
    let what = format!(" -- {what} {}", target.to_string_lossy());
    s.tell(file, data.len(), counts, Some(&what));
    if s.keep { Ok(()) } else { fs::remove_file(file) }
}
