//! The options of tar.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use cofferdam_guest_sys::calendar;

use super::select::{Rule, Style};
use super::transform::{self, Transform};
use super::usage::{SPECS, USAGE, VCS};
use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::commands::pack::Format;
use crate::files::status;
use crate::options::{self, Item, Key, Order, Value};
use crate::output::{Input, reason};

/// Text after an error of usage.
const HINT: &str = "Try 'tar --help' or 'tar --usage' for more information.";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    Create,
    Append,
    Update,
    Concatenate,
    List,
    Extract,
    Compare,
    Delete,
}

/// The treatment of files that exist already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    Replace,
    /// Replaces files, and directories with everything in them.
    Empty,
    Refuse,
    Skip,
    KeepNewer,
}

/// A compression of the whole archive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Other(Format),
}

/// An owner or group of members.
#[derive(Clone)]
pub(super) struct Owner {
    pub(super) name: String,
    pub(super) id: u64,
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

/// A file whose presence excludes its directory, and the part that is excluded.
pub(super) struct Tag {
    pub(super) name: Vec<u8>,
    pub(super) leaves_out: LeavesOut,
    /// First bytes of the file.
    pub(super) start: &'static [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeavesOut {
    /// Everything in the directory but the tag.
    Content,
    /// Everything in the directory.
    Under,
    /// The directory itself.
    All,
}

pub(super) struct Settings {
    pub(super) packing: Option<Packing>,
    pub(super) auto: bool,
    pub(super) file: Option<OsString>,
    pub(super) dir: PathBuf,
    pub(super) verbose: u8,
    pub(super) full_time: bool,
    pub(super) existing: Existing,
    pub(super) to_output: bool,
    pub(super) touch: bool,
    pub(super) permissions: bool,
    pub(super) dereference: bool,
    pub(super) hard_dereference: bool,
    pub(super) absolute: bool,
    pub(super) recursion: bool,
    pub(super) remove: bool,
    pub(super) totals: bool,
    pub(super) ignore_zeros: bool,
    pub(super) numeric: bool,
    pub(super) warn_of_wildcards: bool,
    pub(super) owner: Option<Owner>,
    pub(super) group: Option<Owner>,
    pub(super) mode: Option<String>,
    pub(super) modified: Option<u64>,
    /// Only times after `modified` are replaced by it.
    pub(super) clamp: bool,
    /// Oldest time of files that are stored, in seconds.
    pub(super) newer: Option<u64>,
    pub(super) exclude: Vec<Rule>,
    pub(super) tags: Vec<Tag>,
    pub(super) transform: Transform,
    pub(super) show_transformed: bool,
    /// Directory that everything is extracted into.
    pub(super) top: Option<Vec<u8>>,
    /// Names, each with the directory that it is relative to.
    pub(super) names: Vec<(PathBuf, Rule)>,
    /// Names were asked for in a file, which may be empty.
    listed: bool,
    /// Names in the files of `-T` end with zero bytes.
    null: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            packing: None,
            auto: false,
            file: None,
            dir: PathBuf::new(),
            verbose: 0,
            full_time: false,
            existing: Existing::Replace,
            to_output: false,
            touch: false,
            permissions: false,
            dereference: false,
            hard_dereference: false,
            absolute: false,
            recursion: true,
            remove: false,
            totals: false,
            ignore_zeros: false,
            numeric: false,
            warn_of_wildcards: true,
            owner: None,
            group: None,
            mode: None,
            modified: None,
            clamp: false,
            newer: None,
            exclude: Vec::new(),
            tags: Vec::new(),
            transform: Transform::default(),
            show_transformed: false,
            top: None,
            names: Vec::new(),
            listed: false,
            null: false,
        }
    }
}

/// Prints an error of usage and returns the exit code.
fn wrong(message: &str) -> i32 {
    eprintln!("tar: {message}\n{HINT}");
    super::FAILURE
}

/// Prints an error and returns the exit code.
fn failed(message: &str) -> i32 {
    eprintln!("tar: {message}\ntar: Error is not recoverable: exiting now");
    super::FAILURE
}

/// Parses the arguments. The error is the exit code; its message has already been printed.
pub(super) fn parse(args: Vec<OsString>) -> Result<(Job, Settings), i32> {
    let mut tar = Settings::default();
    let mut job = None;
    let (mut names, mut patterns) = (Style::NAME, Style::PATTERN);
    for item in options::parse(&USAGE, old_style(args), SPECS, Order::Anywhere)? {
        let (key, value) = match item {
            Item::Operand(name) => {
                tar.names.push((tar.dir.clone(), Rule::new(name.into_vec(), names)));
                continue;
            }
            Item::Option(key, value) => (key, value),
        };
        if let Some(new) = wanted_job(key) {
            if job.is_some_and(|known| known != new) {
                return Err(wrong(
                    "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option",
                ));
            }
            job = Some(new);
            continue;
        }
        if let Key::Long(long) = key
            && (names.set(long) | patterns.set(long))
        {
            tar.warn_of_wildcards &= !long.contains("wildcards");
            continue;
        }
        tar.set(key, value, names, patterns)?;
    }
    if let Some(top) = &mut tar.top
        && top.is_empty()
    {
        *top = top_level(tar.file.as_ref().map_or(b"", |file| file.as_bytes()))?;
    }
    match job {
        Some(Job::Create) if tar.names.is_empty() && !tar.listed => {
            Err(wrong("Cowardly refusing to create an empty archive"))
        }
        Some(job) => Ok((job, tar)),
        None => Err(wrong(
            "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options",
        )),
    }
}

fn wanted_job(key: Key) -> Option<Job> {
    Some(match key {
        Key::Short('c') => Job::Create,
        Key::Short('r') => Job::Append,
        Key::Short('u') => Job::Update,
        Key::Short('A') => Job::Concatenate,
        Key::Short('t') => Job::List,
        Key::Short('x') => Job::Extract,
        Key::Short('d') => Job::Compare,
        Key::Long("delete") => Job::Delete,
        _ => return None,
    })
}

impl Settings {
    fn set(
        &mut self,
        key: Key,
        value: Option<OsString>,
        names: Style,
        patterns: Style,
    ) -> Result<(), i32> {
        let given = value.is_some();
        let value = value.unwrap_or_default();
        let text = value.to_string_lossy().into_owned();
        match key {
            Key::Short('f') => self.file = Some(value).filter(|file| file != "-"),
            Key::Short('z') => self.packing = Some(Packing::Gzip),
            Key::Short('j') => self.packing = Some(Packing::Other(Format::Bzip2)),
            Key::Short('J') => self.packing = Some(Packing::Other(Format::Xz)),
            Key::Long("zstd") => self.packing = Some(Packing::Other(Format::Zstd)),
            Key::Short('I') => self.packing = Some(program(&text)?),
            Key::Short('a') => self.auto = true,
            Key::Short('C') => self.dir = self.dir.join(value),
            Key::Short('v') => self.verbose = self.verbose.saturating_add(1),
            Key::Long("full-time") => self.full_time = true,
            Key::Short('k') => self.existing = Existing::Refuse,
            Key::Long("skip-old-files") => self.existing = Existing::Skip,
            Key::Long("keep-newer-files") => self.existing = Existing::KeepNewer,
            Key::Long("recursive-unlink") => self.existing = Existing::Empty,
            Key::Short('O') => self.to_output = true,
            Key::Short('p') => self.permissions = true,
            Key::Long("no-same-permissions") => self.permissions = false,
            Key::Short('m') => self.touch = true,
            Key::Short('h') => self.dereference = true,
            Key::Long("hard-dereference") => self.hard_dereference = true,
            Key::Short('P') => self.absolute = true,
            Key::Long("recursion") => self.recursion = true,
            Key::Long("no-recursion") => self.recursion = false,
            Key::Long("remove-files") => self.remove = true,
            Key::Long("totals") => self.totals = true,
            Key::Short('i') => self.ignore_zeros = true,
            Key::Long("numeric-owner") => self.numeric = true,
            Key::Short('N') | Key::Long("newer-mtime") => self.newer = Some(moment(&value)?),
            Key::Short('T') => {
                self.listed = true;
                for line in self.lines(&value)? {
                    self.names.push((self.dir.clone(), Rule::new(line, names)));
                }
            }
            Key::Long("null") => self.null = true,
            Key::Long("no-null") => self.null = false,
            Key::Short('X') => {
                let lines = self.lines(&value)?;
                self.exclude.extend(lines.into_iter().map(|line| Rule::new(line, patterns)));
            }
            Key::Long("exclude") => self.exclude.push(Rule::new(value.into_vec(), patterns)),
            Key::Long("exclude-vcs") => {
                let rule = |name: &&str| Rule::new(name.as_bytes().to_vec(), Style::PATTERN);
                self.exclude.extend(VCS.iter().map(rule));
            }
            Key::Long("exclude-backups") => {
                let rule = |name: &str| Rule::new(name.as_bytes().to_vec(), Style::PATTERN);
                self.exclude.extend([".#*", "*~", "#*#"].map(rule));
            }
            Key::Long(long) if long.starts_with("exclude-") => self.tags.push(tag(long, value)),
            Key::Long("strip-components") => {
                self.transform.strip = text
                    .parse()
                    .map_err(|_| failed(&format!("Invalid number of elements: '{text}'")))?;
            }
            Key::Long("transform" | "xform") => {
                let added = transform::parse(value.as_bytes(), &mut self.transform);
                added.map_err(|message| failed(&message))?;
            }
            Key::Long("show-transformed-names" | "show-stored-names") => {
                self.show_transformed = true;
            }
            Key::Long("one-top-level") => {
                self.top = Some(if given { value.into_vec() } else { Vec::new() });
            }
            Key::Long("owner") => self.owner = Some(Owner::parse(&text)),
            Key::Long("group") => self.group = Some(Owner::parse(&text)),
            Key::Long("mode") => {
                if crate::files::parse_mode(&text, 0, false, 0).is_none() {
                    return Err(failed("Invalid mode given on option"));
                }
                self.mode = Some(text);
            }
            Key::Long("mtime") => self.modified = Some(moment(&value)?),
            Key::Long("clamp-mtime") => self.clamp = true,
            // The other options are accepted and change nothing here: owners, formats, tapes.
            _ => {}
        }
        Ok(())
    }

    /// Returns the lines of a file, or the parts that end with zero bytes.
    fn lines(&self, file: &OsString) -> Result<Vec<Vec<u8>>, i32> {
        let text = match file == "-" {
            true => {
                let mut text = Vec::new();
                Input.read_to_end(&mut text).map(|_| text)
            }
            false => fs::read(file),
        };
        let text = text.map_err(|error| {
            failed(&format!("{}: Cannot open: {}", file.to_string_lossy(), reason(&error)))
        })?;
        let end = if self.null { 0 } else { b'\n' };
        let lines = text.split(|b| *b == end).filter(|line| !line.is_empty());
        Ok(lines.map(<[u8]>::to_vec).collect())
    }
}

/// Returns the compression of a program for `-I`.
fn program(text: &str) -> Result<Packing, i32> {
    let name = text.split_whitespace().next().unwrap_or_default();
    Ok(match name.rsplit('/').next().unwrap_or_default() {
        "gzip" | "pigz" => Packing::Gzip,
        "bzip2" | "pbzip2" | "lbzip2" => Packing::Other(Format::Bzip2),
        "xz" | "pixz" => Packing::Other(Format::Xz),
        "zstd" | "zstdmt" => Packing::Other(Format::Zstd),
        _ => return Err(failed(&format!("{name}: Cannot exec: not supported here"))),
    })
}

/// Returns a time in seconds: that of a date, or that of a file.
fn moment(value: &OsString) -> Result<u64, i32> {
    let text = value.to_string_lossy();
    if text.starts_with(['/', '.'])
        && let Ok(file) = status(value.as_bytes(), true)
    {
        return Ok(file.modified / 1_000_000_000);
    }
    let seconds = calendar::parse(&text).map(|seconds| seconds.max(0) as u64);
    seconds.ok_or_else(|| failed(&format!("Invalid time stamp: '{text}'")))
}

fn tag(option: &str, value: OsString) -> Tag {
    let leaves_out = match option {
        long if long.ends_with("-under") => LeavesOut::Under,
        long if long.ends_with("-all") => LeavesOut::All,
        _ => LeavesOut::Content,
    };
    if option.starts_with("exclude-caches") {
        let start = b"Signature: 8a477f597d28d172789f06886806bc55";
        return Tag { name: b"CACHEDIR.TAG".to_vec(), leaves_out, start };
    }
    Tag { name: value.into_vec(), leaves_out, start: b"" }
}

/// Returns the directory for the content of an archive: its name without suffixes.
fn top_level(file: &[u8]) -> Result<Vec<u8>, i32> {
    let base = file.rsplit(|b| *b == b'/').next().unwrap_or_default();
    let suffixes = [
        ".tar", ".tar.gz", ".tgz", ".taz", ".tar.bz2", ".tbz", ".tbz2", ".tz2", ".tar.xz", ".txz",
        ".tar.zst", ".tzst",
    ];
    let bare = suffixes.iter().find_map(|suffix| base.strip_suffix(suffix.as_bytes()));
    match bare.filter(|bare| !bare.is_empty()) {
        Some(bare) => Ok(bare.to_vec()),
        None => Err(wrong(
            "Cannot deduce top-level directory name; please set it explicitly with --one-top-level=DIR",
        )),
    }
}

/// Rewrites the traditional form `tar xzf a.tgz`: the first word without a dash is a cluster of
/// options whose values follow in order.
fn old_style(mut args: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = args.get(1).map(|arg| arg.as_bytes().to_vec()) else { return args };
    let spec = |letter: u8| SPECS.iter().find(|spec| spec.0 == char::from(letter) && letter != 0);
    let old =
        !first.starts_with(b"-") && !first.is_empty() && first.iter().all(|b| spec(*b).is_some());
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
        if spec(letter).is_some_and(|spec| spec.2 == Value::Required) && at < args.len() {
            at += 1;
        }
    }
    args
}
