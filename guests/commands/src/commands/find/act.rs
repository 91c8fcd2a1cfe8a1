//! Evaluates tests and actions on one file.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read as _, Write};

use crate::bytes::{OsStrExt as _, OsStringExt as _, base, join};
use crate::child::Child;
use crate::files::{self, Kind};
use crate::glob;
use crate::output::reason;

use super::parse::{Expr, Permissions, Time};
use super::{Finder, Visit};

/// Largest total length of the arguments of one command, in bytes.
const MAX_ARGUMENTS: usize = 128 * 1024;

/// Files collected for one command.
pub(super) struct Batch {
    argv: Vec<OsString>,
    in_dir: bool,
    files: Vec<OsString>,
    bytes: usize,
}

impl Batch {
    pub(super) fn new(argv: Vec<OsString>, in_dir: bool) -> Self {
        Batch { argv, in_dir, files: Vec::new(), bytes: 0 }
    }
}

impl Finder {
    pub(super) fn eval(&mut self, expr: &Expr, visit: &Visit<'_>) -> bool {
        let status = visit.status;
        match expr {
            Expr::True => true,
            Expr::False => false,
            Expr::Not(inside) => !self.eval(inside, visit),
            Expr::And(left, right) => {
                self.eval(left, visit) && !self.quit && self.eval(right, visit)
            }
            Expr::Or(left, right) => self.eval(left, visit) || self.eval(right, visit),
            Expr::Comma(left, right) => {
                self.eval(left, visit);
                self.eval(right, visit)
            }
            Expr::Name(glob, fold) => glob::matches_as(glob, base(visit.path), *fold),
            Expr::Path(glob, fold) => glob::matches_as(glob, visit.path, *fold),
            Expr::LinkName(glob, fold) => fs::read_link(OsStr::from_bytes(visit.path))
                .is_ok_and(|to| glob::matches_as(glob, to.as_os_str().as_bytes(), *fold)),
            Expr::Regex(pattern) => pattern.is_match(visit.path),
            Expr::Type(kinds, of_target) => {
                let mut mode = status.mode;
                if *of_target && let Ok(target) = files::status(visit.path, true) {
                    mode = target.mode;
                }
                let letter = match Kind::of(mode) {
                    Kind::Regular => 'f',
                    other => other.letter(),
                };
                kinds.contains(&(letter as u8))
            }
            Expr::Size(amount, unit) => amount.fits(status.size.div_ceil(*unit)),
            Expr::Empty => match Kind::of(status.mode) {
                Kind::Directory => fs::read_dir(OsStr::from_bytes(visit.path))
                    .is_ok_and(|mut entries| entries.next().is_none()),
                Kind::Regular => status.size == 0,
                _ => false,
            },
            Expr::Age(time, amount, unit) => {
                amount.fits(self.now.saturating_sub(moment(*time, visit)) / unit)
            }
            Expr::Newer(time, than) => moment(*time, visit) > *than,
            Expr::Permissions(Permissions::Exactly(mode)) => status.mode & 0o7777 == *mode,
            Expr::Permissions(Permissions::All(mode)) => status.mode & mode == *mode,
            Expr::Permissions(Permissions::Any(mode)) => *mode == 0 || status.mode & mode != 0,
            Expr::User(id) => status.uid == *id,
            Expr::Group(id) => status.gid == *id,
            Expr::Links(amount) => amount.fits(u64::from(status.links)),
            Expr::Inode(amount) => amount.fits(status.inode),
            Expr::Same(device, inode) => (status.device, status.inode) == (*device, *inode),
            Expr::Access(bits) => {
                let mode = files::status(visit.path, true).map_or(0, |target| target.mode);
                mode & (bits * 0o111) != 0
            }
            Expr::Print(end) => {
                self.write(visit.path);
                self.write(&[*end]);
                true
            }
            Expr::Printf(format) => {
                let text = super::printf::format(format, visit);
                self.write(&text);
                true
            }
            Expr::PrintTo(file) => {
                let opened = fs::OpenOptions::new().append(true).open(file);
                let line = [visit.path, b"\n"].concat();
                opened.and_then(|mut file| file.write_all(&line)).is_ok()
            }
            Expr::Ls => {
                /// Nanoseconds of half a year.
                const HALF_YEAR: u64 = 15_778_476_000_000_000;
                // Times of other half-years have their year in place of the hour.
                let line: &[u8] = match self.now.saturating_sub(visit.status.modified) < HALF_YEAR {
                    true => b"%9i %6k %M %3n %-8u %-8g %8s %Tb %Te %TR %p\n",
                    false => b"%9i %6k %M %3n %-8u %-8g %8s %Tb %Te  %TY %p\n",
                };
                let text = super::printf::format(line, visit);
                self.write(&text);
                true
            }
            Expr::Delete => self.delete(visit),
            Expr::Prune => {
                self.prune = true;
                true
            }
            Expr::Quit => {
                self.quit = true;
                true
            }
            Expr::Exec { argv, in_dir, ask } => self.exec(argv, *in_dir, *ask, visit),
            Expr::Collect(number) => {
                self.collect(*number, visit);
                true
            }
        }
    }

    fn write(&mut self, text: &[u8]) {
        if self.out.write_all(text).is_err() {
            self.code = 1;
        }
    }

    fn delete(&mut self, visit: &Visit<'_>) -> bool {
        if visit.path == b"." {
            return true;
        }
        let path = OsStr::from_bytes(visit.path);
        let removed = match Kind::of(visit.status.mode) {
            Kind::Directory => fs::remove_dir(path),
            _ => fs::remove_file(path),
        };
        match removed {
            Ok(()) => true,
            Err(error) => {
                let _ = self.out.flush();
                eprintln!(
                    "find: cannot delete \u{2018}{}\u{2019}: {}",
                    path.to_string_lossy(),
                    reason(&error)
                );
                self.code = 1;
                false
            }
        }
    }

    fn exec(&mut self, argv: &[OsString], in_dir: bool, ask: bool, visit: &Visit<'_>) -> bool {
        let (dir, name) = place(visit.path, in_dir);
        let argv: Vec<OsString> = argv
            .iter()
            .map(|arg| OsString::from_vec(replace(arg.as_bytes(), b"{}", &name)))
            .collect();
        if ask && !self.asked(&argv) {
            return false;
        }
        self.launch(&argv, dir)
    }

    fn asked(&mut self, argv: &[OsString]) -> bool {
        let _ = self.out.flush();
        let text: Vec<_> = argv.iter().map(|arg| arg.to_string_lossy()).collect();
        eprint!("< {} > ? ", text.join(" "));
        let mut answer = Vec::new();
        let mut byte = [0];
        while crate::output::Input.read(&mut byte).is_ok_and(|count| count == 1) && byte[0] != b'\n'
        {
            answer.push(byte[0]);
        }
        matches!(answer.first(), Some(b'y' | b'Y'))
    }

    fn launch(&mut self, argv: &[OsString], dir: Option<Vec<u8>>) -> bool {
        let _ = self.out.flush();
        let cwd = dir.and_then(|dir| {
            let here = std::env::current_dir().ok()?;
            Some(join(here.as_os_str().as_bytes(), &dir))
        });
        match (Child { cwd, ..Child::new(argv) }).run() {
            Ok(code) => code == 0,
            Err(error) => {
                let name = argv.first().map(|arg| arg.to_string_lossy()).unwrap_or_default();
                eprintln!("find: \u{2018}{name}\u{2019}: {}", reason(&error));
                self.code = 1;
                false
            }
        }
    }

    fn collect(&mut self, number: usize, visit: &Visit<'_>) {
        let in_dir = self.batches[number].in_dir;
        let (dir, name) = place(visit.path, in_dir);
        let batch = &mut self.batches[number];
        batch.bytes += name.len() + 1;
        batch.files.push(OsString::from_vec(name));
        if in_dir || batch.bytes > MAX_ARGUMENTS {
            self.flush_batch(number, dir);
        }
    }

    fn flush_batch(&mut self, number: usize, dir: Option<Vec<u8>>) {
        let batch = &mut self.batches[number];
        if batch.files.is_empty() {
            return;
        }
        batch.bytes = 0;
        let files = std::mem::take(&mut batch.files);
        let argv: Vec<OsString> = batch.argv.iter().cloned().chain(files).collect();
        if !self.launch(&argv, dir) {
            self.code = 1;
        }
    }

    /// Runs the remaining files of every `-exec … +`.
    pub(super) fn finish_batches(&mut self) {
        for number in 0..self.batches.len() {
            self.flush_batch(number, None);
        }
    }
}

fn moment(time: Time, visit: &Visit<'_>) -> u64 {
    match time {
        Time::Accessed => visit.status.accessed,
        Time::Changed => visit.status.changed,
        Time::Modified => visit.status.modified,
    }
}

/// Returns the working directory of a command and the name of the file in it.
fn place(path: &[u8], in_dir: bool) -> (Option<Vec<u8>>, Vec<u8>) {
    if !in_dir {
        return (None, path.to_vec());
    }
    let name = base(path);
    let dir = &path[..path.len() - name.len().min(path.len())];
    let dir = if dir.is_empty() { b"." } else { dir };
    (Some(dir.to_vec()), [b"./", name].concat())
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for found in memchr::memmem::find_iter(text, from) {
        out.extend_from_slice(&text[at..found]);
        out.extend_from_slice(to);
        at = found + from.len();
    }
    out.extend_from_slice(&text[at..]);
    out
}
