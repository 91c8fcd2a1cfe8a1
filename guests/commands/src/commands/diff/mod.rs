//! diff and cmp.
//!
//! In the order of a run: [`settings`] reads the options, [`text`] splits files into lines,
//! [`script`] finds the changes, [`hunk`] groups them, and [`report`] writes them, with [`side`] and
//! [`groups`] for forms that contain both files. This file pairs up files and directories.

mod cmp;
mod groups;
mod hunk;
mod report;
mod script;
mod settings;
mod side;
mod text;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cofferdam_guest_sys::calendar;

use crate::bytes::OsStrExt as _;
use crate::files::{Kind, status};
use crate::glob;
use crate::output::{self, Input, Output, reason};
pub(crate) use cmp::cmp;
use report::Report;
use settings::{Absent, Form, Settings};
use text::Text;

/// Deepest nesting of directories for `-r`.
const MAX_DEPTH: usize = 128;
/// Bytes of a file that are searched for a zero byte, the sign of a file that is not text.
const SNIFFED: usize = 4096;

/// The result of a comparison; the largest of several counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Same,
    Different,
    Trouble,
}

struct Diff {
    settings: Settings,
    out: Output,
}

pub(crate) fn diff(args: Vec<OsString>) -> i32 {
    let settings = match settings::parse(args) {
        Ok(settings) => settings,
        Err(code) => return code,
    };
    let files = settings.files.clone();
    let pairs: Vec<(OsString, OsString)> = match (&settings.from_file, &settings.to_file) {
        (Some(from), _) => files.into_iter().map(|file| (from.clone(), file)).collect(),
        (None, Some(to)) => files.into_iter().map(|file| (file, to.clone())).collect(),
        (None, None) => files.chunks_exact(2).map(|p| (p[0].clone(), p[1].clone())).collect(),
    };
    let mut work = Diff { settings, out: output::stdout() };
    let mut verdict = Verdict::Same;
    for (from, to) in pairs {
        verdict = verdict.max(work.operands(Path::new(&from), Path::new(&to)));
    }
    let code = match verdict {
        Verdict::Same => 0,
        Verdict::Different => 1,
        Verdict::Trouble => 2,
    };
    output::finish("diff", &mut work.out, code)
}

impl Diff {
    /// Compares two operands. A directory and a file compare the file with its namesake in the
    /// directory.
    fn operands(&mut self, from: &Path, to: &Path) -> Verdict {
        if from == Path::new("-") && to == from {
            return Verdict::Same;
        }
        match (from.is_dir(), to.is_dir()) {
            (true, true) => self.directories(from, to, 0),
            (true, false) if to.symlink_metadata().is_ok() => {
                let name = to.file_name().unwrap_or_default();
                self.entries(&from.join(name), to, false)
            }
            (false, true) if from.symlink_metadata().is_ok() => {
                let name = from.file_name().unwrap_or_default();
                self.entries(from, &to.join(name), false)
            }
            (true, false) => self.absent(to),
            (false, true) => self.absent(from),
            (false, false) => self.entries(from, to, false),
        }
    }

    /// Reports a file that does not exist.
    fn absent(&mut self, path: &Path) -> Verdict {
        self.trouble(path, &io::Error::from_raw_os_error(libc::ENOENT))
    }

    fn directories(&mut self, from: &Path, to: &Path, depth: usize) -> Verdict {
        let names = |dir: &Path| -> io::Result<Vec<OsString>> {
            // A directory that is absent is an empty one, if files are.
            if self.settings.absent != Absent::Reported && dir.symlink_metadata().is_err() {
                return Ok(Vec::new());
            }
            fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
        };
        let mut all = Vec::new();
        for dir in [from, to] {
            match names(dir) {
                Ok(names) => all.extend(names),
                Err(error) => return self.trouble(dir, &error),
            }
        }
        let excluded = |name: &OsString| {
            self.settings.exclude.iter().any(|glob| glob::matches(glob, name.as_bytes()))
        };
        all.retain(|name| !excluded(name));
        all.sort();
        all.dedup();
        if let Some(start) = self.settings.starting_file.as_ref().filter(|_| depth == 0) {
            all.retain(|name| name.as_bytes() >= start.as_slice());
        }
        let mut verdict = Verdict::Same;
        for name in all {
            verdict = verdict.max(self.namesakes((from, to), &name, depth));
        }
        verdict
    }

    /// Compares the files of one name in two directories.
    fn namesakes(&mut self, (from, to): (&Path, &Path), name: &OsString, depth: usize) -> Verdict {
        let (a, b) = (from.join(name), to.join(name));
        let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
        let empty = match (is_there(&a), is_there(&b)) {
            (true, true) => true,
            (true, false) => self.settings.absent == Absent::Empty,
            (false, _) => self.settings.absent != Absent::Reported,
        };
        if !empty {
            let dir = if is_there(&a) { from } else { to };
            let name = name.to_string_lossy();
            let _ = writeln!(self.out, "Only in {}: {name}", dir.display());
            return Verdict::Different;
        }
        let is_dir = |path: &PathBuf| {
            status(path.as_os_str().as_bytes(), self.settings.follow)
                .is_ok_and(|found| Kind::of(found.mode) == Kind::Directory)
        };
        let both = (is_dir(&a) || !is_there(&a)) && (is_dir(&b) || !is_there(&b));
        if !both {
            return self.entries(&a, &b, true);
        }
        if self.settings.recursive && depth < MAX_DEPTH {
            return self.directories(&a, &b, depth + 1);
        }
        let _ = writeln!(self.out, "Common subdirectories: {} and {}", a.display(), b.display());
        Verdict::Same
    }

    /// Compares two files, of which neither needs to be regular.
    fn entries(&mut self, from: &Path, to: &Path, inside: bool) -> Verdict {
        let kind = |path: &Path| {
            let found = status(path.as_os_str().as_bytes(), self.settings.follow);
            found.ok().map(|found| (Kind::of(found.mode), found.size))
        };
        let stdin = |path: &Path| path == Path::new("-");
        let (a, b) = (kind(from), kind(to));
        if let (Some((Kind::Link, _)), Some((Kind::Link, _))) = (a, b) {
            if fs::read_link(from).ok() == fs::read_link(to).ok() {
                return Verdict::Same;
            }
            let (from, to) = (from.display(), to.display());
            let _ = writeln!(self.out, "Symbolic links {from} and {to} differ");
            return Verdict::Different;
        }
        let (a, b) = match (a, b) {
            // Standard input counts as a pipe.
            (None, b) if stdin(from) => (Some((Kind::Pipe, 0)), b),
            (a, None) if stdin(to) => (a, Some((Kind::Pipe, 0))),
            kinds => kinds,
        };
        if let (Some(a), Some(b)) = (a, b)
            && a.0 != b.0
            && (inside || !self.settings.follow)
        {
            let _ = writeln!(
                self.out,
                "File {} is a {} while file {} is a {}",
                from.display(),
                a.0.name(a.1),
                to.display(),
                b.0.name(b.1)
            );
            return Verdict::Different;
        }
        self.files(from, to, inside)
    }

    fn trouble(&mut self, path: &Path, error: &io::Error) -> Verdict {
        let _ = self.out.flush();
        eprintln!("diff: {}: {}", path.display(), reason(error));
        Verdict::Trouble
    }

    fn content(&self, path: &Path, first: bool) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        if path.as_os_str() == "-" {
            Input.read_to_end(&mut text)?;
        } else {
            let empty = match self.settings.absent {
                Absent::Reported => false,
                Absent::Empty => true,
                Absent::FirstEmpty => first,
            };
            match fs::read(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && empty => {}
                read => text = read?,
            }
        }
        if self.settings.strip_cr {
            let mut kept = Vec::with_capacity(text.len());
            let mut before = 0;
            for at in memchr::memmem::find_iter(&text, b"\r\n") {
                kept.extend_from_slice(&text[before..at]);
                before = at + 1;
            }
            kept.extend_from_slice(&text[before..]);
            text = kept;
        }
        Ok(text)
    }

    fn files(&mut self, from: &Path, to: &Path, inside: bool) -> Verdict {
        let mut texts = Vec::new();
        let mut trouble = false;
        for (path, first) in [(from, true), (to, false)] {
            match self.content(path, first) {
                Ok(content) => texts.push(Text::new(content)),
                Err(error) => {
                    self.trouble(path, &error);
                    trouble = true;
                }
            }
        }
        let [old, new] = texts.as_slice() else { return Verdict::Trouble };
        if trouble {
            return Verdict::Trouble;
        }
        let binary = |text: &Text| {
            let start = &text.bytes()[..text.bytes().len().min(SNIFFED)];
            memchr::memchr(0, start).is_some()
        };
        let identical = old.bytes() == new.bytes();
        let (a, b) = (from.display(), to.display());
        if !identical && !self.settings.text && (binary(old) || binary(new)) {
            let kind = if self.settings.brief { "Files" } else { "Binary files" };
            let _ = writeln!(self.out, "{kind} {a} and {b} differ");
            return Verdict::Different;
        }
        let shows_common = matches!(self.settings.form, Form::Side | Form::Groups);
        let changes = if identical {
            Vec::new()
        } else {
            let (i, j) = text::numbers(old, new, self.settings.ignored);
            script::changes(&i, &j, self.settings.minimal)
        };
        let same = report::all_trivial(&changes, old, new, &self.settings.trivial);
        if same && self.settings.report_identical {
            let _ = writeln!(self.out, "Files {a} and {b} are identical");
        }
        if same && !shows_common || self.settings.brief {
            if !same {
                let _ = writeln!(self.out, "Files {a} and {b} differ");
            }
            return if same { Verdict::Same } else { Verdict::Different };
        }
        if inside && !same {
            self.head(from, to);
        }
        let heads = [0, 1].map(|at| self.label(at, [from, to][at]));
        let settings = &self.settings;
        let report = Report { old, new, changes: &changes, heads, settings };
        match report.write(&mut self.out) {
            Err(error) => {
                eprintln!("diff: {}", reason(&error));
                Verdict::Trouble
            }
            Ok(_) if same => Verdict::Same,
            Ok(_) => self.incomplete([(from, old), (to, new)]),
        }
    }

    /// Reports files without a newline at the end for `ed`, which cannot make such files.
    fn incomplete(&mut self, files: [(&Path, &Text); 2]) -> Verdict {
        if !matches!(self.settings.form, Form::Ed | Form::ForwardEd) {
            return Verdict::Different;
        }
        let mut verdict = Verdict::Different;
        for (path, text) in files {
            if text.is_incomplete {
                let _ = self.out.flush();
                eprintln!("diff: {}: No newline at end of file\n", path.display());
                verdict = Verdict::Trouble;
            }
        }
        verdict
    }

    /// Writes the command that would compare two files of a directory.
    fn head(&mut self, from: &Path, to: &Path) {
        let mut line = String::from("diff");
        for word in &self.settings.typed {
            line.push(' ');
            line.push_str(&quoted(word));
        }
        let (from, to) = (from.display().to_string(), to.display().to_string());
        let _ = writeln!(self.out, "{line} {} {}", quoted(&from), quoted(&to));
    }

    /// Returns the name and time of a file, or the label in their place.
    fn label(&self, at: usize, path: &Path) -> String {
        if let Some(label) = self.settings.labels.get(at) {
            return label.clone();
        }
        let modified = match status(path.as_os_str().as_bytes(), true) {
            Ok(found) => found.modified,
            Err(_) if path == Path::new("-") => {
                let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                now.map_or(0, |now| now.as_nanos() as u64)
            }
            Err(_) => 0,
        };
        let (seconds, rest) = (modified / 1_000_000_000, modified % 1_000_000_000);
        let part = |format: &[u8]| {
            String::from_utf8_lossy(&calendar::local(format, seconds as i64)).into_owned()
        };
        format!("{}\t{}.{rest:09} {}", path.display(), part(b"%F %T"), part(b"%z"))
    }
}

/// Returns a word as a shell would read it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
