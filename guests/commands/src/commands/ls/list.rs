//! Collects and sorts the entries to be listed.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};

use cofferdam_guest_sys::FileStatus;

use crate::bytes::{OsStrExt as _, base, join};
use crate::files::{Kind, status};
use crate::glob;
use crate::output::{self, Output, reason};

use super::{Hidden, Layout, Settings, Sort, Time};

/// Deepest nesting of directories for `-R`.
const MAX_DEPTH: usize = 128;

/// A listed name.
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) path: Vec<u8>,
    pub(super) status: FileStatus,
}

pub(super) struct List<'a> {
    name: &'static str,
    pub(super) settings: &'a Settings,
    pub(super) out: Output,
    code: i32,
    shown_any: bool,
}

impl<'a> List<'a> {
    pub(super) fn new(name: &'static str, settings: &'a Settings) -> Self {
        List { name, settings, out: output::stdout(), code: 0, shown_any: false }
    }

    /// Lists the operands and returns the exit code.
    pub(super) fn run(&mut self, mut operands: Vec<Vec<u8>>) -> i32 {
        if operands.is_empty() {
            operands.push(b".".to_vec());
        }
        let several = operands.len() > 1 || self.settings.recursive;
        let (mut files, mut directories) = (Vec::new(), Vec::new());
        for operand in operands {
            match self.operand_status(&operand) {
                Ok(status) => {
                    let is_dir = Kind::of(status.mode) == Kind::Directory;
                    let entry = Entry { name: operand.clone(), path: operand, status };
                    if is_dir && !self.settings.directories_themselves {
                        directories.push(entry);
                    } else {
                        files.push(entry);
                    }
                }
                Err(error) => self.complain("cannot access", &operand, &error, 2),
            }
        }
        self.sort(&mut files);
        self.sort(&mut directories);
        if !files.is_empty() {
            self.shown_any = true;
            self.show(&files, false);
        }
        for directory in directories {
            self.directory(&directory.path, several, 0);
        }
        self.code
    }

    /// Returns the status of an operand. A link to a directory is followed unless the link itself
    /// is shown.
    fn operand_status(&self, path: &[u8]) -> io::Result<FileStatus> {
        let own = status(path, false);
        let s = self.settings;
        let long = s.layout == Layout::Long;
        let follow =
            s.dereference || !(long || s.directories_themselves || s.mark == super::Mark::All);
        match own {
            Ok(own) if Kind::of(own.mode) == Kind::Link && follow => {
                Ok(status(path, true).unwrap_or(own))
            }
            // A trailing slash refers to the directory behind the link.
            Ok(own) if Kind::of(own.mode) == Kind::Link && path.ends_with(b"/") => {
                Ok(status(path, true).unwrap_or(own))
            }
            other => other,
        }
    }

    fn complain(&mut self, what: &str, path: &[u8], error: &io::Error, code: i32) {
        let _ = self.out.flush();
        let path = crate::quoting::quoted(OsStr::from_bytes(path));
        eprintln!("{}: {what} {path}: {}", self.name, reason(error));
        self.code = self.code.max(code);
    }

    fn directory(&mut self, path: &[u8], heading: bool, depth: usize) {
        let entries = match self.read(path) {
            Ok(entries) => entries,
            Err(error) => {
                let code = if depth == 0 { 2 } else { 1 };
                return self.complain("cannot open directory", path, &error, code);
            }
        };
        if self.shown_any {
            let _ = self.out.write_all(b"\n");
        }
        self.shown_any = true;
        if heading {
            let _ = self.out.write_all(path);
            let _ = self.out.write_all(b":\n");
        }
        self.show(&entries, true);
        if !self.settings.recursive {
            return;
        }
        if depth >= MAX_DEPTH {
            let error = io::Error::from_raw_os_error(libc::ELOOP);
            return self.complain("cannot open directory", path, &error, 1);
        }
        for entry in &entries {
            let dots = matches!(entry.name.as_slice(), b"." | b"..");
            if Kind::of(entry.status.mode) == Kind::Directory && !dots {
                self.directory(&entry.path, true, depth + 1);
            }
        }
    }

    fn read(&mut self, path: &[u8]) -> io::Result<Vec<Entry>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(OsStr::from_bytes(path))? {
            names.push(entry?.file_name().as_bytes().to_vec());
        }
        if self.settings.hidden == Hidden::All {
            names.push(b".".to_vec());
            names.push(b"..".to_vec());
        }
        let s = self.settings;
        names.retain(|name| {
            (s.hidden != Hidden::Ignored || !name.starts_with(b"."))
                && (s.backups || !name.ends_with(b"~"))
                && !s.ignored.iter().any(|glob| glob::matches(glob, name))
        });
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            let path = join(path, &name);
            let found = status(&path, s.dereference).or_else(|_| status(&path, false));
            match found {
                Ok(status) => entries.push(Entry { name, path, status }),
                Err(error) => self.complain("cannot access", &path, &error, 1),
            }
        }
        self.sort(&mut entries);
        Ok(entries)
    }

    fn sort(&self, entries: &mut [Entry]) {
        let s = self.settings;
        let by_name = |a: &Entry, b: &Entry| a.name.cmp(&b.name);
        let compare = |a: &Entry, b: &Entry| match s.sort {
            Sort::None => Ordering::Equal,
            Sort::Name => by_name(a, b),
            Sort::Size => b.status.size.cmp(&a.status.size).then_with(|| by_name(a, b)),
            Sort::Time => time_of(s.time, &b.status)
                .cmp(&time_of(s.time, &a.status))
                .then_with(|| by_name(a, b)),
            Sort::Version => version(&a.name, &b.name),
            Sort::Extension => {
                extension(&a.name).cmp(extension(&b.name)).then_with(|| by_name(a, b))
            }
        };
        entries.sort_by(|a, b| if s.reverse { compare(b, a) } else { compare(a, b) });
        if s.directories_first {
            entries.sort_by_key(|entry| Kind::of(entry.status.mode) != Kind::Directory);
        }
    }
}

/// Returns the time used for display and sorting, in nanoseconds.
pub(super) fn time_of(time: Time, status: &FileStatus) -> u64 {
    match time {
        Time::Modified => status.modified,
        Time::Changed => status.changed,
        Time::Accessed => status.accessed,
    }
}

fn extension(name: &[u8]) -> &[u8] {
    let name = base(name);
    name.iter().rposition(|b| *b == b'.').map_or(b"", |dot| &name[dot..])
}

/// Compares names, treating runs of digits as numbers.
fn version(a: &[u8], b: &[u8]) -> Ordering {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].is_ascii_digit() && b[j].is_ascii_digit() {
            let number = |text: &[u8], from: usize| {
                let len = text[from..].iter().take_while(|c| c.is_ascii_digit()).count();
                let digits = &text[from..from + len];
                let zeros = digits.iter().take_while(|c| **c == b'0').count();
                (from + len, digits[zeros..].to_vec())
            };
            let (next_i, x) = number(a, i);
            let (next_j, y) = number(b, j);
            let order = x.len().cmp(&y.len()).then_with(|| x.cmp(&y));
            if order.is_ne() {
                return order;
            }
            (i, j) = (next_i, next_j);
        } else if a[i] != b[j] {
            return a[i].cmp(&b[j]);
        } else {
            (i, j) = (i + 1, j + 1);
        }
    }
    (a.len() - i).cmp(&(b.len() - j)).then_with(|| a.cmp(b))
}
