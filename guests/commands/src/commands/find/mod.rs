//! find: walks directory trees and evaluates an expression on each file.

mod act;
mod parse;
mod printf;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};

use cofferdam_guest_sys::FileStatus;

use crate::bytes::{OsStrExt as _, OsStringExt as _, join};
use crate::files::{Kind, status};
use crate::output::{self, Output, reason};
use parse::{Expr, Follow};

const HELP: &str = "\
Usage: find [-H] [-L] [-P] [path...] [expression]

Default path is the current directory; default expression is -print.

Operators: ( EXPR )   ! EXPR   -not EXPR   EXPR1 -a EXPR2   EXPR1 -o EXPR2   EXPR1 , EXPR2
Options:   -maxdepth N -mindepth N -depth -mount -xdev -follow -regextype TYPE
Tests:     -name GLOB -iname GLOB -path GLOB -ipath GLOB -wholename GLOB -regex PATTERN
           -iregex PATTERN -type [bcdpfls] -xtype [bcdpfls] -size N[bckwMG] -empty
           -mtime N -atime N -ctime N -mmin N -amin N -cmin N -newer FILE -newerXY REF
           -perm [-/]MODE -user NAME -group NAME -uid N -gid N -links N -inum N
           -samefile FILE -lname GLOB -ilname GLOB -readable -writable -executable
           -true -false
Actions:   -print -print0 -printf FORMAT -fprint FILE -ls -delete -prune -quit
           -exec COMMAND ; -exec COMMAND {} + -execdir COMMAND ; -ok COMMAND ;
";

/// Deepest nesting of directories.
const MAX_DEPTH: usize = 256;

/// A file on which the expression is evaluated.
pub(super) struct Visit<'a> {
    /// The path as printed.
    pub(super) path: &'a [u8],
    /// The starting point above the file.
    pub(super) start: &'a [u8],
    pub(super) depth: usize,
    pub(super) status: &'a FileStatus,
}

pub(super) struct Finder {
    pub(super) out: Output,
    pub(super) code: i32,
    pub(super) prune: bool,
    pub(super) quit: bool,
    /// Files collected for each `-exec … +`, by its number.
    batches: Vec<act::Batch>,
    pub(super) now: u64,
    options: parse::Options,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let args: Vec<OsString> = args.into_iter().skip(1).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-help") {
        print!("{HELP}");
        return super::uutils::flushed(0);
    }
    if args.iter().any(|arg| arg == "--version" || arg == "-version") {
        println!("find (cofferdam) {}", env!("CARGO_PKG_VERSION"));
        return super::uutils::flushed(0);
    }
    let parsed = match parse::parse(args) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("find: {message}");
            return 1;
        }
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut finder = Finder {
        out: output::stdout(),
        code: 0,
        prune: false,
        quit: false,
        batches: parsed.batches,
        now: now.map_or(0, |since| since.as_nanos() as u64),
        options: parsed.options,
    };
    for start in &parsed.starts {
        if finder.quit {
            break;
        }
        finder.start(&parsed.expr, start);
    }
    finder.finish_batches();
    let code = finder.code;
    output::finish("find", &mut finder.out, code)
}

impl Finder {
    pub(super) fn complain(&mut self, path: &[u8], error: &io::Error) {
        let _ = self.out.flush();
        let path = String::from_utf8_lossy(path);
        eprintln!("find: \u{2018}{path}\u{2019}: {}", reason(error));
        self.code = 1;
    }

    fn start(&mut self, expr: &Expr, start: &[u8]) {
        let follow = self.options.follow != Follow::Never;
        self.visit(expr, start, start, 0, follow);
    }

    fn visit(&mut self, expr: &Expr, path: &[u8], start: &[u8], depth: usize, follow: bool) {
        let found = status(path, follow).or_else(|_| status(path, false));
        let status = match found {
            Ok(status) => status,
            Err(error) => return self.complain(path, &error),
        };
        let is_dir = Kind::of(status.mode) == Kind::Directory;
        let shown = depth >= self.options.least && depth <= self.options.most;
        let visit = Visit { path, start, depth, status: &status };
        self.prune = false;
        if shown && !self.options.depth_first {
            self.eval(expr, &visit);
        }
        if self.quit {
            return;
        }
        if is_dir && !self.prune && depth < self.options.most {
            self.below(expr, path, start, depth);
        }
        if shown && self.options.depth_first && !self.quit {
            self.eval(expr, &visit);
        }
    }

    fn below(&mut self, expr: &Expr, path: &[u8], start: &[u8], depth: usize) {
        if depth >= MAX_DEPTH {
            return self.complain(path, &io::Error::from_raw_os_error(libc::ELOOP));
        }
        let entries = match fs::read_dir(OsStr::from_bytes(path)) {
            Ok(entries) => entries,
            Err(error) => return self.complain(path, &error),
        };
        let mut names = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => names.push(entry.file_name().into_vec()),
                Err(error) => self.complain(path, &error),
            }
        }
        // The order of a directory is unspecified; sorting makes the output reproducible.
        names.sort();
        let follow = self.options.follow == Follow::Always;
        for name in names {
            self.visit(expr, &join(path, &name), start, depth + 1, follow);
            if self.quit {
                return;
            }
        }
    }
}
