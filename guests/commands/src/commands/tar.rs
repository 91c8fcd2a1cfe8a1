//! tar: creates, lists, extracts and appends to archives, compressed or not.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use ::tar::{Archive, Builder, EntryType, Header};
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::pack::Format;
use crate::bytes::{OsStrExt as _, OsStringExt as _, join};
use crate::files::{Kind, mode_text, owner_name, status};
use crate::glob;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};
use cofferdam_guest_sys::calendar;

const USAGE: Usage = Usage {
    name: "tar",
    text: "\
Usage: tar [OPTION]... [FILE]...
Create, list and extract archives.

  -c, --create           create a new archive
  -r, --append           append files to the end of an archive
  -t, --list             list the contents of an archive
  -x, --extract, --get   extract files from an archive
  -f, --file=ARCHIVE     use archive file (default: standard input or output)
  -z, --gzip             filter the archive through gzip
  -j, --bzip2            filter the archive through bzip2
  -J, --xz               filter the archive through xz
      --zstd             filter the archive through zstd
  -a, --auto-compress    use archive suffix to determine the compression program
  -C, --directory=DIR    change to directory DIR
  -v, --verbose          verbosely list files processed
  -k, --keep-old-files   don't replace existing files when extracting
  -O, --to-stdout        extract files to standard output
  -p, --preserve-permissions   extract permissions as they are
  -m, --touch            don't extract file modified time
  -h, --dereference      follow links; archive the files they lead to
  -T, --files-from=FILE  get names to extract or create from FILE
      --exclude=PATTERN  exclude files, given as a glob
      --null             names read with -T end with zero bytes
  -X, --exclude-from=FILE      exclude patterns listed in FILE
      --strip-components=N     strip N leading components from names on extraction
      --transform=EXPR   not supported
      --help             give this help
",
    trouble: 64,
};

/// Deepest nesting of directories.
const MAX_DEPTH: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    Create,
    Append,
    List,
    Extract,
}

/// An owner or group of members.
#[derive(Clone)]
struct Owner {
    name: String,
    id: u64,
}

impl Owner {
    /// Parses `NAME`, `NAME:NUMBER` or a number. Names without a number are those of the system.
    fn parse(text: &str) -> Self {
        let known = |name: &str| match name {
            "nobody" | "nogroup" => 65534,
            "daemon" => 1,
            "bin" => 2,
            "sys" => 3,
            _ => 0,
        };
        match text.split_once(':') {
            Some((name, id)) => {
                Owner { name: name.to_owned(), id: id.parse().unwrap_or(known(name)) }
            }
            None => match text.trim_start_matches('+').parse() {
                Ok(0) => Owner { name: "root".to_owned(), id: 0 },
                Ok(id) => Owner { name: String::new(), id },
                Err(_) => Owner { name: text.to_owned(), id: known(text) },
            },
        }
    }
}

struct Tar {
    gzip: bool,
    format: Option<Format>,
    auto: bool,
    file: Option<OsString>,
    dir: PathBuf,
    verbose: u8,
    keep: bool,
    to_output: bool,
    touch: bool,
    dereference: bool,
    strip: usize,
    /// Owner, group and time that members get in place of their own.
    owner: Option<Owner>,
    group: Option<Owner>,
    modified: Option<u64>,
    /// Names were asked for in a file, which may be empty.
    listed: bool,
    exclude: Vec<Vec<u8>>,
    /// Names in the files of `-T` end with zero bytes.
    null: bool,
    /// Names, each with the directory that it is relative to.
    names: Vec<(PathBuf, OsString)>,
    /// Links that were extracted.
    links: HashSet<PathBuf>,
    code: i32,
    warned: bool,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    settings(args)
        .and_then(|(job, mut tar)| {
            let mut out = output::stdout();
            if let Err(error) = tar.work(job, &mut out) {
                let _ = out.flush();
                eprintln!("tar: {}", message(&error));
                eprintln!("tar: Error is not recoverable: exiting now");
                return Err(2);
            }
            if tar.code != 0 {
                let _ = out.flush();
                eprintln!("tar: Exiting with failure status due to previous errors");
            }
            Ok(output::finish("tar", &mut out, tar.code))
        })
        .unwrap_or_else(|code| code)
}

fn message(error: &io::Error) -> String {
    let text = reason(error);
    if text.contains("gzip header") { "not in gzip format".to_owned() } else { text }
}

fn settings(args: Vec<OsString>) -> Result<(Job, Tar), i32> {
    let specs = [
        ('c', "create", Value::None),
        ('r', "append", Value::None),
        ('u', "update", Value::None),
        ('t', "list", Value::None),
        ('x', "extract", Value::None),
        ('x', "get", Value::None),
        ('f', "file", Value::Required),
        ('z', "gzip", Value::None),
        ('z', "gunzip", Value::None),
        ('j', "bzip2", Value::None),
        ('J', "xz", Value::None),
        ('\0', "zstd", Value::None),
        ('a', "auto-compress", Value::None),
        ('C', "directory", Value::Required),
        ('v', "verbose", Value::None),
        ('k', "keep-old-files", Value::None),
        ('O', "to-stdout", Value::None),
        ('p', "preserve-permissions", Value::None),
        ('m', "touch", Value::None),
        ('h', "dereference", Value::None),
        ('T', "files-from", Value::Required),
        ('X', "exclude-from", Value::Required),
        ('\0', "exclude", Value::Required),
        ('\0', "null", Value::None),
        ('\0', "strip-components", Value::Required),
        ('\0', "no-same-owner", Value::None),
        ('\0', "no-same-permissions", Value::None),
        ('\0', "numeric-owner", Value::None),
        ('\0', "overwrite", Value::None),
        ('\0', "wildcards", Value::None),
        ('\0', "owner", Value::Required),
        ('\0', "group", Value::Required),
        ('\0', "sort", Value::Required),
        ('\0', "mtime", Value::Required),
        ('\0', "format", Value::Required),
    ];
    let mut tar = Tar {
        gzip: false,
        format: None,
        auto: false,
        file: None,
        dir: PathBuf::new(),
        verbose: 0,
        keep: false,
        to_output: false,
        touch: false,
        dereference: false,
        strip: 0,
        owner: None,
        group: None,
        modified: None,
        listed: false,
        exclude: Vec::new(),
        null: false,
        names: Vec::new(),
        code: 0,
        links: HashSet::new(),
        warned: false,
    };
    let mut job = None;
    for item in options::parse(&USAGE, old_style(args), &specs, Order::Anywhere)? {
        let (key, value) = match item {
            Item::Operand(name) => {
                tar.names.push((tar.dir.clone(), name));
                continue;
            }
            Item::Option(key, value) => (key, value.unwrap_or_default()),
        };
        let lines = |file: &OsString| {
            let text = match file == "-" {
                true => {
                    let mut text = Vec::new();
                    Input.read_to_end(&mut text).map(|_| text)
                }
                false => fs::read(file),
            };
            text.map(|text| {
                let end = if tar.null { 0 } else { b'\n' };
                let lines = text.split(|b| *b == end).filter(|line| !line.is_empty());
                lines.map(<[u8]>::to_vec).collect::<Vec<_>>()
            })
            .map_err(|error| {
                eprintln!("tar: {}: {}", file.to_string_lossy(), reason(&error));
                2
            })
        };
        match key {
            Key::Short(letter @ ('c' | 'r' | 'u' | 't' | 'x')) => {
                let new = match letter {
                    'c' => Job::Create,
                    't' => Job::List,
                    'x' => Job::Extract,
                    _ => Job::Append,
                };
                if job.is_some_and(|known| known != new) {
                    return Err(USAGE.wrong("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option"));
                }
                job = Some(new);
            }
            Key::Short('f') => tar.file = Some(value).filter(|file| file != "-"),
            Key::Short('z') => tar.gzip = true,
            Key::Short('j') => tar.format = Some(Format::Bzip2),
            Key::Short('J') => tar.format = Some(Format::Xz),
            Key::Long("zstd") => tar.format = Some(Format::Zstd),
            Key::Short('a') => tar.auto = true,
            Key::Short('C') => tar.dir = tar.dir.join(value),
            Key::Short('v') => tar.verbose += 1,
            Key::Short('k') => tar.keep = true,
            Key::Short('O') => tar.to_output = true,
            Key::Short('m') => tar.touch = true,
            Key::Short('h') => tar.dereference = true,
            Key::Short('T') => {
                tar.listed = true;
                for line in lines(&value)? {
                    tar.names.push((tar.dir.clone(), OsString::from_vec(line)));
                }
            }
            Key::Long("owner") => tar.owner = Some(Owner::parse(&value.to_string_lossy())),
            Key::Long("group") => tar.group = Some(Owner::parse(&value.to_string_lossy())),
            Key::Long("mtime") => {
                let text = value.to_string_lossy();
                let seconds = match text.strip_prefix('@') {
                    Some(seconds) => seconds.parse().ok(),
                    None => calendar::parse(&text).map(|seconds| seconds.max(0) as u64),
                };
                let file = || status(value.as_bytes(), true).ok();
                let seconds = seconds.or_else(|| file().map(|f| f.modified / 1_000_000_000));
                tar.modified = Some(
                    seconds.ok_or_else(|| USAGE.wrong(&format!("Invalid time stamp: '{text}'")))?,
                );
            }
            Key::Long("null") => tar.null = true,
            Key::Short('X') => tar.exclude.extend(lines(&value)?),
            Key::Long("exclude") => tar.exclude.push(value.into_vec()),
            Key::Long("strip-components") => {
                let text = value.to_string_lossy();
                tar.strip = text
                    .parse()
                    .map_err(|_| USAGE.wrong(&format!("Invalid number of elements: '{text}'")))?;
            }
            _ => {}
        }
    }
    match job {
        Some(Job::Create) if tar.names.is_empty() && !tar.listed => {
            Err(USAGE.wrong("Cowardly refusing to create an empty archive"))
        }
        Some(job) => Ok((job, tar)),
        None => Err(USAGE
            .wrong("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")),
    }
}

/// Rewrites the traditional form `tar xzf a.tgz`: the first word without a dash is a cluster of
/// options whose values follow in order.
fn old_style(mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = args.get(1).map(|arg| arg.as_bytes().to_vec()) else { return args };
    let old = !first.starts_with(b"-")
        && !first.is_empty()
        && first.iter().all(|b| b"crutxfzjJaCvkOpmhTX".contains(b));
    if !old {
        return args;
    }
    args.remove(1);
    let mut at = 1;
    for letter in first {
        let option = OsString::from_vec(vec![b'-', letter]);
        args.insert(at, option);
        at += 1;
        // The value is the next word, which stays in its place.
        if b"fCTX".contains(&letter) && at < args.len() {
            at += 1;
        }
    }
    args
}

impl Tar {
    fn work(&mut self, job: Job, out: &mut output::Output) -> io::Result<()> {
        match job {
            Job::Create => self.create(out),
            Job::Append => self.append(),
            Job::List | Job::Extract => {
                let mut source = self.source()?;
                let unpacked = self.read(job, &mut *source, out);
                self.missing();
                unpacked
            }
        }
    }

    fn complain(&mut self, name: &[u8], error: &io::Error) {
        eprintln!("tar: {}: {}", String::from_utf8_lossy(name), message(error));
        self.code = 2;
    }

    fn source(&self) -> io::Result<Box<dyn Read>> {
        let raw: Box<dyn Read> = match &self.file {
            None => Box::new(Input),
            Some(file) => Box::new(File::open(file).map_err(|error| {
                io::Error::other(format!(
                    "{}: Cannot open: {}",
                    file.to_string_lossy(),
                    reason(&error)
                ))
            })?),
        };
        let mut raw = io::BufReader::with_capacity(64 * 1024, raw);
        let start = io::BufRead::fill_buf(&mut raw)?;
        let packed = start.starts_with(&[0x1f, 0x8b]);
        let format = Format::of(start).or(self.format);
        Ok(match format {
            Some(format) => format.unpack(Box::new(raw)),
            None if packed || self.gzip => Box::new(MultiGzDecoder::new(raw)),
            None => Box::new(raw),
        })
    }

    fn excluded(&self, name: &[u8]) -> bool {
        self.exclude.iter().any(|glob| {
            let glob = glob.strip_suffix(b"/").unwrap_or(glob);
            if glob::matches(glob, name) {
                return true;
            }
            // A pattern may match from any component on, and excludes everything below its match.
            let mut start = 0;
            loop {
                let rest = &name[start..];
                if glob::matches(glob, rest) {
                    return true;
                }
                let ends = memchr::memchr_iter(b'/', rest);
                if ends.into_iter().any(|end| glob::matches(glob, &rest[..end])) {
                    return true;
                }
                match memchr::memchr(b'/', rest) {
                    Some(slash) => start += slash + 1,
                    None => return false,
                }
            }
        })
    }

    fn create(&mut self, out: &mut output::Output) -> io::Result<()> {
        let auto = self.auto
            && self.file.as_ref().is_some_and(|file| {
                file.as_bytes().ends_with(b".gz") || file.as_bytes().ends_with(b".tgz")
            });
        let listing_to_error = self.file.is_none();
        let named = |file: &OsString| Format::named(file.as_bytes());
        let format =
            self.format.or_else(|| self.file.as_ref().filter(|_| self.auto).and_then(named));
        let mut target: Box<dyn Write> = match &self.file {
            Some(file) => {
                let made = File::create(file).map_err(|error| {
                    io::Error::other(format!(
                        "{}: Cannot open: {}",
                        file.to_string_lossy(),
                        reason(&error)
                    ))
                })?;
                Box::new(io::BufWriter::with_capacity(64 * 1024, made))
            }
            None => Box::new(output::stdout()),
        };
        if let Some(format) = format {
            let mut builder = Builder::new(Vec::new());
            self.add_all(&mut builder, out, listing_to_error)?;
            let plain = builder.into_inner()?;
            format.pack(6, &mut plain.as_slice(), &mut target)?;
            target.flush()
        } else if self.gzip || auto {
            let mut builder = Builder::new(GzEncoder::new(target, Compression::default()));
            self.add_all(&mut builder, out, listing_to_error)?;
            builder.into_inner()?.finish()?.flush()
        } else {
            let mut builder = Builder::new(target);
            self.add_all(&mut builder, out, listing_to_error)?;
            builder.into_inner()?.flush()
        }
    }

    fn append(&mut self) -> io::Result<()> {
        let Some(file) = &self.file else { return Err(io::Error::other("no archive is named")) };
        let mut end = 0;
        {
            // An archive that does not exist is made.
            let archive = match File::open(file) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                opened => Some(opened?),
            };
            for entry in archive.map(Archive::new).iter_mut().flat_map(Archive::entries).flatten() {
                let entry = entry?;
                end = entry.raw_file_position() + entry.size().div_ceil(512) * 512;
            }
        }
        let mut target =
            fs::OpenOptions::new().write(true).create(true).truncate(false).open(file)?;
        target.set_len(end)?;
        io::Seek::seek(&mut target, io::SeekFrom::Start(end))?;
        let mut builder = Builder::new(target);
        let mut out = output::stdout();
        self.add_all(&mut builder, &mut out, false)?;
        builder.into_inner()?.flush()?;
        out.flush()
    }

    fn add_all<W: Write>(
        &mut self,
        builder: &mut Builder<W>,
        out: &mut output::Output,
        to_error: bool,
    ) -> io::Result<()> {
        for (dir, name) in std::mem::take(&mut self.names) {
            self.add(builder, dir.as_os_str().as_bytes(), name.as_bytes(), 0, out, to_error)?;
        }
        Ok(())
    }

    fn add<W: Write>(
        &mut self,
        builder: &mut Builder<W>,
        dir: &[u8],
        name: &[u8],
        depth: usize,
        out: &mut output::Output,
        to_error: bool,
    ) -> io::Result<()> {
        let path = if dir.is_empty() { name.to_vec() } else { join(dir, name) };
        let found = match status(&path, self.dereference) {
            Ok(found) => found,
            Err(error) => {
                let error = io::Error::other(format!("Cannot stat: {}", reason(&error)));
                self.complain(name, &error);
                return Ok(());
            }
        };
        let bare = name.strip_suffix(b"/").filter(|bare| !bare.is_empty()).unwrap_or(name);
        if self.excluded(bare) || depth > MAX_DEPTH {
            return Ok(());
        }
        let mut stored = bare.to_vec();
        while stored.starts_with(b"/") {
            if !self.warned {
                eprintln!("tar: Removing leading `/' from member names");
                self.warned = true;
            }
            stored.remove(0);
        }
        let kind = Kind::of(found.mode);
        if kind == Kind::Directory {
            stored.push(b'/');
        }
        if self.verbose > 0 {
            // As it was given, with its leading slash.
            let end: &[u8] = if kind == Kind::Directory { b"/\n" } else { b"\n" };
            let line = [bare, end].concat();
            if to_error {
                eprint!("{}", String::from_utf8_lossy(&line));
            } else {
                out.write_all(&line)?;
            }
        }
        let mut header = Header::new_gnu();
        header.set_mode(found.mode & 0o7777);
        let own = |given: &Option<Owner>, id: u32| match given {
            Some(given) => given.clone(),
            None => Owner { name: owner_name(id), id: u64::from(id) },
        };
        let (owner, group) = (own(&self.owner, found.uid), own(&self.group, found.gid));
        header.set_uid(owner.id);
        header.set_gid(group.id);
        header.set_mtime(self.modified.unwrap_or(found.modified / 1_000_000_000));
        header.set_username(&owner.name)?;
        header.set_groupname(&group.name)?;
        header.set_size(0);
        let stored = PathBuf::from(OsString::from_vec(stored));
        match kind {
            Kind::Directory => {
                header.set_entry_type(EntryType::Directory);
                builder.append_data(&mut header, &stored, io::empty())?;
                let mut names: Vec<Vec<u8>> = match fs::read_dir(OsStr::from_bytes(&path)) {
                    Ok(entries) => {
                        entries.flatten().map(|entry| entry.file_name().into_vec()).collect()
                    }
                    Err(error) => {
                        self.complain(name, &error);
                        return Ok(());
                    }
                };
                names.sort();
                for child in names {
                    self.add(builder, dir, &join(bare, &child), depth + 1, out, to_error)?;
                }
            }
            Kind::Link => {
                header.set_entry_type(EntryType::Symlink);
                let to = fs::read_link(OsStr::from_bytes(&path))?;
                builder.append_link(&mut header, &stored, to)?;
            }
            Kind::Regular => match File::open(OsStr::from_bytes(&path)) {
                Ok(file) => {
                    header.set_size(found.size);
                    // The header promises the size, even if the file changes meanwhile.
                    let padded = file.chain(io::repeat(0)).take(found.size);
                    builder.append_data(&mut header, &stored, padded)?;
                }
                Err(error) => self.complain(name, &error),
            },
            Kind::Pipe | Kind::Socket | Kind::Block | Kind::Character => {
                let error = io::Error::other("file type not supported; not dumped");
                self.complain(name, &error);
            }
        }
        Ok(())
    }

    /// Returns true if an entry is named or is below a name; without names, all entries are
    /// selected.
    fn wanted(&self, name: &[u8], seen: &mut [bool]) -> bool {
        if self.names.is_empty() {
            return true;
        }
        let bare = name.strip_suffix(b"/").unwrap_or(name);
        let mut wanted = false;
        for ((_, want), seen) in self.names.iter().zip(seen) {
            let want = want.as_bytes();
            let want = want.strip_suffix(b"/").unwrap_or(want);
            let below = bare.strip_prefix(want).is_some_and(|rest| rest.starts_with(b"/"));
            if bare == want || below || glob::matches(want, bare) {
                *seen = true;
                wanted = true;
            }
        }
        wanted
    }

    fn read(
        &mut self,
        job: Job,
        source: &mut dyn Read,
        out: &mut output::Output,
    ) -> io::Result<()> {
        let mut archive = Archive::new(source);
        let mut seen = vec![false; self.names.len()];
        for entry in archive.entries()? {
            let mut entry = entry.map_err(|error| {
                io::Error::other(format!("This does not look like a tar archive ({error})"))
            })?;
            let name = entry.path_bytes().into_owned();
            if !self.wanted(&name, &mut seen)
                || self.excluded(name.strip_suffix(b"/").unwrap_or(&name))
            {
                continue;
            }
            if job == Job::List {
                let line = if self.verbose > 0 { long(&entry, &name) } else { name };
                out.write_all(&line)?;
                out.write_all(b"\n")?;
                continue;
            }
            if self.verbose > 0 {
                let line = [&name, b"\n".as_slice()].concat();
                if self.to_output {
                    eprint!("{}", String::from_utf8_lossy(&line));
                } else {
                    out.write_all(&line)?;
                }
            }
            if self.to_output {
                io::copy(&mut entry, out)?;
            } else if let Err(error) = self.extract(&mut entry, &name) {
                self.complain(&name, &error);
            }
        }
        self.names = std::mem::take(&mut self.names)
            .into_iter()
            .zip(seen)
            .filter(|(_, seen)| !seen)
            .map(|(name, _)| name)
            .collect();
        Ok(())
    }

    /// Reports the names that were not found in the archive.
    fn missing(&mut self) {
        for (_, name) in std::mem::take(&mut self.names) {
            self.complain(name.as_bytes(), &io::Error::other("Not found in archive"));
        }
    }

    /// Returns the path of an extracted entry, or `None` if it would be outside the target
    /// directory.
    fn place(&self, name: &[u8]) -> Option<PathBuf> {
        let mut path = self.dir.clone();
        let mut parts = 0;
        for component in Path::new(OsStr::from_bytes(name)).components() {
            match component {
                Component::Normal(part) => {
                    parts += 1;
                    if parts > self.strip {
                        path.push(part);
                    }
                }
                Component::CurDir | Component::RootDir => {}
                Component::ParentDir | Component::Prefix(_) => return None,
            }
        }
        (parts > self.strip).then_some(path)
    }

    /// Returns true if the path leads through a link of this archive, which may point anywhere
    /// (T-PROC-016).
    fn is_behind_link(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|folder| self.links.contains(folder))
    }

    fn extract<R: Read>(&mut self, entry: &mut ::tar::Entry<'_, R>, name: &[u8]) -> io::Result<()> {
        let Some(path) = self.place(name) else {
            if name.split(|b| *b == b'/').any(|part| part == b"..") {
                return Err(io::Error::other("Member name contains '..'"));
            }
            return Ok(());
        };
        if self.is_behind_link(&path) {
            return Err(io::Error::other("Cannot open: Not a directory"));
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent)?;
        }
        let header = entry.header();
        let kind = header.entry_type();
        let mode = header.mode().unwrap_or(0o644) & 0o777;
        let modified = header.mtime().unwrap_or(0);
        if kind.is_dir() {
            if self.links.contains(&path) {
                return Err(io::Error::other("Cannot mkdir: File exists"));
            }
            match fs::create_dir(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let _ = cofferdam_guest_sys::chmod(path.as_os_str().as_bytes(), mode | 0o700);
            return Ok(());
        }
        let exists = fs::symlink_metadata(&path).is_ok();
        if exists && self.keep {
            return Err(io::Error::other("Cannot open: File exists"));
        }
        if exists {
            fs::remove_file(&path)?;
            self.links.remove(&path);
        }
        if kind.is_symlink() {
            let Some(to) = entry.link_name()? else { return Ok(()) };
            link(&to, &path)?;
            self.links.insert(path);
            return Ok(());
        }
        if kind.is_hard_link() {
            let Some(to) = entry.link_name_bytes() else { return Ok(()) };
            let Some(to) = self.place(&to) else {
                return Err(io::Error::other("link leads outside"));
            };
            if self.is_behind_link(&to) {
                return Err(io::Error::other("link leads outside"));
            }
            fs::hard_link(&to, &path)?;
            if self.links.contains(&to) {
                self.links.insert(path);
            }
            return Ok(());
        }
        let mut file = File::create(&path)?;
        io::copy(entry, &mut file)?;
        if !self.touch {
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(modified);
            let _ = file.set_times(fs::FileTimes::new().set_modified(time));
        }
        drop(file);
        let _ = cofferdam_guest_sys::chmod(path.as_os_str().as_bytes(), mode);
        Ok(())
    }
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(target_os = "wasi")]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    let c = |path: &Path| std::ffi::CString::new(path.as_os_str().as_bytes());
    let (to, at) = (c(to)?, c(at)?);
    // SAFETY: both pointers are C strings that outlive the call.
    match unsafe { libc::symlink(to.as_ptr(), at.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Formats a line of `tar -tv`.
fn long<R: Read>(entry: &::tar::Entry<'_, R>, name: &[u8]) -> Vec<u8> {
    let header = entry.header();
    let kind = match header.entry_type() {
        EntryType::Directory => 0o040_000,
        EntryType::Symlink => 0o120_000,
        EntryType::Fifo => 0o010_000,
        EntryType::Char => 0o020_000,
        EntryType::Block => 0o060_000,
        _ => 0o100_000,
    };
    let mode = mode_text(kind | header.mode().unwrap_or(0) & 0o7777);
    let owner = |name: Option<&[u8]>, id: u64| match name {
        Some(name) if !name.is_empty() => String::from_utf8_lossy(name).into_owned(),
        _ => id.to_string(),
    };
    let user = owner(header.username_bytes(), header.uid().unwrap_or(0));
    let group = owner(header.groupname_bytes(), header.gid().unwrap_or(0));
    let owners = format!("{user}/{group}");
    let size = header.size().unwrap_or(0).to_string();
    let width = 19_usize.saturating_sub(owners.len() + 1).max(size.len());
    let date = calendar::format(b"%F %R", header.mtime().unwrap_or(0) as i64);
    let date = String::from_utf8_lossy(&date).into_owned();
    let mut line = format!("{mode} {owners} {size:>width$} {date} ").into_bytes();
    line.extend_from_slice(name);
    if let Some(to) = entry.link_name_bytes() {
        let mark: &[u8] = if header.entry_type().is_hard_link() { b" link to " } else { b" -> " };
        line.extend_from_slice(mark);
        line.extend_from_slice(&to);
    }
    line
}
