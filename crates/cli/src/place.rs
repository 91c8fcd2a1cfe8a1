//! Options of the verbs that run programs: files, variables, limits.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam::{
    Command, HostDir, Limit, Limits, Mount, Pool, Runtime, Sandbox, SandboxBuilder, visible,
};

use crate::busy::Busy;
use crate::nearby;
use crate::prompt;
use crate::report::{self, Failure};
use crate::spelling;

/// Longest module that is read.
pub(crate) const MAX_MODULE: u64 = 256 << 20;

/// What a program finds.
#[derive(clap::Args)]
pub(crate) struct Place {
    /// Show a real directory: read-only, with changes kept aside, or for writing
    #[arg(long = "mount", value_name = "SRC:DST[:ro|overlay|rw]")]
    mounts: Vec<String>,

    /// Set a variable
    #[arg(long = "env", value_name = "NAME=VALUE")]
    env: Vec<String>,

    /// Where it begins, in the sandbox
    #[arg(long = "cwd", alias = "dir", value_name = "PATH")]
    pub(crate) cwd: Option<String>,

    /// Set a limit: timeoutMs, memoryBytes, stdoutBytes, stderrBytes, resultBytes, commandBytes,
    /// fsBytes, fileCount, processes
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    limits: Vec<String>,
}

impl Place {
    pub(crate) fn limits(&self) -> Result<Limits, Failure> {
        limits(&self.limits)
    }

    /// Puts all but the limits into a sandbox.
    pub(crate) fn fill(&self, mut sandbox: SandboxBuilder) -> Result<SandboxBuilder, Failure> {
        for text in &self.mounts {
            let (source, at, mount) = mount(text)?;
            let directory = HostDir::open_ambient(Path::new(source))
                .map_err(|error| no_source(text, source, at, &error))?;
            sandbox = sandbox.mount(at, directory, mount);
        }
        for text in &self.env {
            let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty())
            else {
                return Err(Failure::usage(format!("--env {text}: not NAME=VALUE"))
                    .hint(format!("--env '{}=…'", text.trim_start_matches('='))));
            };
            sandbox = sandbox.env(name, value);
        }
        if let Some(cwd) = &self.cwd {
            if !cwd.starts_with('/') {
                return Err(Failure::usage(format!("--cwd {cwd}: not absolute"))
                    .hint(format!("--cwd /home/user/{cwd}")));
            }
            sandbox = sandbox.env("PWD", cwd);
        }
        Ok(sandbox)
    }

    /// Returns the folders of this machine that are shown, and their places in the sandbox.
    pub(crate) fn shown(&self) -> Vec<(PathBuf, String)> {
        let parsed = self.mounts.iter().filter_map(|text| mount(text).ok());
        parsed.map(|(source, at, _)| (PathBuf::from(source), at.to_owned())).collect()
    }

    /// Whether there is a directory to begin in.
    pub(crate) fn check_cwd(&self, sandbox: &Sandbox) -> Result<(), Failure> {
        let Some(cwd) = &self.cwd else { return Ok(()) };
        sandbox.list(cwd).map(drop).map_err(|_| {
            Failure::usage(format!("--cwd {cwd}: no such directory in the sandbox"))
                .hint(format!("--mount .:{cwd}   (shows a directory of this machine there)"))
        })
    }
}

/// A directory that cannot be shown.
fn no_source(text: &str, source: &str, at: &str, error: &std::io::Error) -> Failure {
    let failure = Failure::usage(format!("--mount {text}: {source}: {}", plain(error)));
    let folder = Path::new(source).parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new(".")).display();
    match error.kind() {
        std::io::ErrorKind::NotADirectory => {
            failure.hint(format!("--mount {folder}:{at}   (a file is seen with its folder)"))
        }
        std::io::ErrorKind::NotFound => failure.hint(format!("ls {folder}   (what is there)")),
        _ => failure,
    }
}

/// The mount that was meant by a text that is none.
fn meant_mount(text: &str) -> Option<String> {
    let mut parts = text.split(':').filter(|part| !part.is_empty());
    let source = parts.next()?;
    let name = Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or("work");
    let at = parts.next().unwrap_or(name);
    let at = format!("/{}", at.trim_start_matches('/'));
    let mode = match parts.next() {
        None => return Some(format!("--mount {source}:{at}")),
        Some("r" | "read" | "readonly" | "read-only") => "ro",
        Some("w" | "write" | "readwrite" | "read-write" | "wr") => "rw",
        Some("o" | "over" | "cow" | "copy") => "overlay",
        Some(mode) => ["ro", "overlay", "rw"].into_iter().find(|known| *known == mode)?,
    };
    Some(format!("--mount {source}:{at}:{mode}"))
}

fn mount(text: &str) -> Result<(&str, &str, Mount), Failure> {
    let bad = || {
        Failure::usage(format!("--mount {text}: not SRC:DST or SRC:DST:ro|overlay|rw"))
            .hint(meant_mount(text).unwrap_or_else(|| "--mount ./src:/src:ro".to_owned()))
    };
    let (rest, mount) = match text.rsplit_once(':') {
        Some((rest, "ro")) => (rest, Mount::ReadOnly),
        Some((rest, "overlay")) => (rest, Mount::Overlay),
        Some((rest, "rw")) => (rest, Mount::ReadWrite),
        // Nothing said is the least that can be given.
        Some(_) => (text, Mount::ReadOnly),
        None => return Err(bad()),
    };
    match rest.rsplit_once(':') {
        Some((source, at)) if !source.is_empty() && at.starts_with('/') => Ok((source, at, mount)),
        Some(_) | None => Err(bad()),
    }
}

/// Limits by their names.
pub(crate) fn limits(texts: &[String]) -> Result<Limits, Failure> {
    let mut limits = Limits::default();
    for text in texts {
        let pair = text.split_once('=').and_then(|(name, value)| Some((name, value.parse().ok()?)));
        let Some((name, value)) = pair else {
            let meant = meant_limit(text).unwrap_or_else(|| "--limit timeoutMs=1000".to_owned());
            return Err(Failure::usage(format!("--limit {text}: not NAME=NUMBER")).hint(meant));
        };
        limits.set(name, value).map_err(|error| {
            let failure = Failure::usage(format!("--limit {text}: {error}"));
            let known = Limit::NAMES.iter().map(|(_, name)| *name);
            match spelling::nearest(name, known) {
                Some(meant) if meant != name => failure.hint(format!("--limit {meant}={value}")),
                Some(_) | None => failure,
            }
        })?;
    }
    Ok(limits)
}

/// The limit that was meant by one with a unit, or without a number.
fn meant_limit(text: &str) -> Option<String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = spelling::nearest(name, Limit::NAMES.iter().map(|(_, name)| *name))?;
    let value = value.to_lowercase().replace(['_', ',', ' '], "");
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = value[..digits].parse().unwrap_or(1000);
    let factor = match (name, &value[digits..]) {
        ("timeoutMs", "s" | "sec" | "secs" | "seconds") => 1000,
        ("timeoutMs", "m" | "min" | "minutes") => 60_000,
        (_, "k" | "kb" | "kib") => 1 << 10,
        (_, "m" | "mb" | "mib") => 1 << 20,
        (_, "g" | "gb" | "gib") => 1 << 30,
        _ => 1,
    };
    Some(format!("--limit {name}={}", number.checked_mul(factor)?))
}

/// Our standard input. Whoever sits at a terminal is told that it is waited for.
pub(crate) fn stdin() -> std::io::StdinLock<'static> {
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        report::note("reading standard input; Ctrl-D ends it");
    }
    std::io::stdin().lock()
}

/// Gives a program our own standard input.
pub(crate) fn with_stdin(command: Command) -> Command {
    let (stdin, command) = command.stream_stdin();
    // Ends with the process: nothing else could end a read of standard input.
    std::thread::spawn(move || pass_on(&stdin));
    command
}

/// Copies our standard input to the program's.
fn pass_on(stdin: &cofferdam::Writer) {
    let Ok(executor) = tokio::runtime::Builder::new_current_thread().build() else { return };
    let mut buffer = [0; 16 << 10];
    let is_typed = std::io::stdin().is_terminal();
    loop {
        let turn = is_typed.then(prompt::wait_for_typed);
        let read = std::io::stdin().read(&mut buffer);
        drop(turn);
        match read {
            Ok(len) if len > 0 && executor.block_on(stdin.write_all(&buffer[..len])) => {}
            Ok(_) | Err(_) => return,
        }
    }
}

/// A file of this machine, one byte more than `most` at most, so that the limit can be named by
/// whoever enforces it.
pub(crate) fn read(file: &str, most: u64, hint: &str) -> Result<Vec<u8>, Failure> {
    let failed = |e: &std::io::Error| {
        let hint = match nearby::meant(file).filter(|_| e.kind() == std::io::ErrorKind::NotFound) {
            Some(meant) => hint.split(',').next().unwrap_or(hint).replacen("FILE", &meant, 1),
            None => hint.to_owned(),
        };
        Failure::usage(format!("{file}: {}", plain(e))).hint(hint)
    };
    let opened = std::fs::File::open(file).map_err(|e| failed(&e))?;
    if opened.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(Failure::usage(format!("{file}: is a directory")).hint(hint));
    }
    let mut bytes = Vec::new();
    opened.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
    Ok(bytes)
}

/// Whether a file can be made there, asked before anything runs: its content is the work of a run.
pub(crate) fn check_target(option: &str, file: &str) -> Result<(), Failure> {
    let path = Path::new(file);
    let bad = |what: &str| Failure::usage(format!("{option} {file}: {what}"));
    if path.is_dir() {
        let name = path.join("FILE");
        return Err(bad("is a directory").hint(format!("{option} {}", name.display())));
    }
    match path.parent().filter(|folder| *folder != Path::new("")) {
        Some(folder) if !folder.is_dir() => {
            Err(bad("no such directory").hint(format!("mkdir -p {}", folder.display())))
        }
        Some(_) | None => Ok(()),
    }
}

/// A runtime that keeps compiled programs where this user keeps such things, and says at a terminal
/// when it compiles one.
pub(crate) fn runtime(pool: Pool) -> Result<Runtime, Failure> {
    let (runtime, kept) = match cache() {
        Some(cache) => (Runtime::with_cache(pool, cache)?, ": once, then it is kept"),
        None => (Runtime::new(pool)?, ""),
    };
    runtime.on_compile(Arc::new(move |name, bytes| {
        let (name, size) = (visible(name), bytes as f64 / f64::from(1 << 20));
        Box::new(Busy::new(format!("compiling {name}, {size:.1} MiB{kept}")))
    }));
    Ok(runtime)
}

/// Where compiled programs are kept; nowhere for a user without a home.
pub(crate) fn cache() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("cofferdam/wasm"))
}

/// An error without the number that the operating system has for it.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let plain = text.split(" (os error").next().unwrap_or(&text);
    plain.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T>(result: Result<T, Failure>, hint: &str) {
        let failure = result.err().expect("a wrong call");
        assert_eq!(failure.hints, [hint], "{}", failure.message);
    }

    #[test]
    fn a_limit_with_a_unit_is_answered_with_the_number() {
        let check = |text: &str, hint: &str| check(limits(&[text.to_owned()]), hint);
        check("timeoutMs=5s", "--limit timeoutMs=5000");
        check("timeout=2min", "--limit timeoutMs=120000");
        check("memoryBytes=64MB", "--limit memoryBytes=67108864");
        check("memory=1_000", "--limit memoryBytes=1000");
        check("fileCount", "--limit fileCount=1000");
        check("memoryBytes=99999999999999999999g", "--limit memoryBytes=1073741824000");
        check("nonsense=5s", "--limit timeoutMs=1000");
        check("é=é", "--limit timeoutMs=1000");
    }

    #[test]
    fn a_mount_that_is_none_is_answered_with_one() {
        let check = |text: &str, hint: &str| check(mount(text).map(drop), hint);
        check("src", "--mount src:/src");
        check("./a/src", "--mount ./a/src:/src");
        check("src:work", "--mount src:/work");
        check("src:/work:write", "--mount src:/work:rw");
        check("src:work:ro", "--mount src:/work:ro");
        check("src:/work:sideways", "--mount ./src:/src:ro");
        check("", "--mount ./src:/src:ro");
        check(".", "--mount .:/work");
    }
}
