//! Options of the verbs that run something: mounts, variables, working directory, limits.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam::{
    Command, HostDir, Limit, Limits, Mount, Pool, Runtime, Sandbox, SandboxBuilder, shell_word,
    visible,
};

use crate::busy::Busy;
use crate::nearby;
use crate::prompt;
use crate::report::{self, Failure};
use crate::spelling;

/// Longest module that is read from a file.
pub(crate) const MAX_MODULE: u64 = 256 << 20;

/// Files, environment and limits of a run.
#[derive(clap::Args)]
pub(crate) struct Place {
    /// Mount a directory of this machine: read-only, with changes kept in the sandbox (overlay), or
    /// writable
    #[arg(long = "mount", value_name = "SRC:DST[:ro|overlay|rw]")]
    mounts: Vec<String>,

    /// Set an environment variable
    #[arg(long = "env", value_name = "NAME=VALUE")]
    env: Vec<String>,

    /// Start in this directory of the sandbox
    #[arg(long = "cwd", alias = "dir", value_name = "PATH")]
    pub(crate) cwd: Option<String>,

    /// Set a limit: timeoutMs, memoryBytes, stdoutBytes, stderrBytes, resultBytes, commandBytes,
    /// fsBytes, fileCount, processes, callBytes, fetchBytes
    #[arg(long = "limit", value_name = "NAME=VALUE")]
    limits: Vec<String>,
}

impl Place {
    pub(crate) fn limits(&self) -> Result<Limits, Failure> {
        self.limits_over(Limits::default())
    }

    /// Returns the limits of the options, on top of `base`.
    pub(crate) fn limits_over(&self, base: Limits) -> Result<Limits, Failure> {
        limits(base, &self.limits)
    }

    /// Applies everything but the limits to a sandbox.
    pub(crate) fn fill(&self, mut sandbox: SandboxBuilder) -> Result<SandboxBuilder, Failure> {
        for text in &self.mounts {
            let (source, at, mount) = mount(text)?;
            let directory = HostDir::open_ambient(source)
                .map_err(|error| no_source(text, source, at, &error))?;
            sandbox = sandbox.mount(at, directory, mount);
        }
        for (name, value) in self.variables()? {
            sandbox = sandbox.env(name, value);
        }
        if let Some(cwd) = &self.cwd {
            if !cwd.starts_with('/') {
                return Err(Failure::usage(format!("--cwd {cwd}: not an absolute path"))
                    .hint(format!("--cwd {}", shell_word(&format!("/home/user/{cwd}")))));
            }
            sandbox = sandbox.env("PWD", cwd);
        }
        Ok(sandbox)
    }

    /// Returns the folders of this machine that are mounted, with their real paths.
    pub(crate) fn folders(&self) -> Result<Vec<(String, String, Mount)>, Failure> {
        let real = |text: &String| {
            let (source, at, mount) = mount(text)?;
            let found = std::fs::canonicalize(source).and_then(|path| {
                path.into_os_string()
                    .into_string()
                    .map_err(|_| std::io::ErrorKind::InvalidInput.into())
            });
            let path = found.map_err(|error| no_source(text, source, at, &error))?;
            Ok((path, at.to_owned(), mount))
        };
        self.mounts.iter().map(real).collect()
    }

    /// Returns the variables that are set.
    pub(crate) fn variables(&self) -> Result<Vec<(&str, &str)>, Failure> {
        self.env.iter().map(|text| variable(text)).collect()
    }

    /// Returns the folders of this machine that are shown, and their places in the sandbox.
    pub(crate) fn shown(&self) -> Vec<(PathBuf, String)> {
        let parsed = self.mounts.iter().filter_map(|text| mount(text).ok());
        parsed.map(|(source, at, _)| (PathBuf::from(source), at.to_owned())).collect()
    }

    /// Checks that the working directory exists.
    pub(crate) fn check_cwd(&self, sandbox: &Sandbox) -> Result<(), Failure> {
        let Some(cwd) = &self.cwd else { return Ok(()) };
        sandbox.list(cwd).map(drop).map_err(|_| {
            Failure::usage(format!("--cwd {cwd}: no such directory in the sandbox")).hint(format!(
                "--mount {}   (mounts this directory there)",
                shell_word(&format!(".:{cwd}"))
            ))
        })
    }
}

/// Parses a variable.
fn variable(text: &str) -> Result<(&str, &str), Failure> {
    text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
        Failure::usage(format!("--env {text}: not NAME=VALUE"))
            .hint(format!("--env {}", shell_word(&format!("{}=…", text.trim_start_matches('=')))))
    })
}

/// Explains why a directory cannot be mounted.
fn no_source(text: &str, source: &str, at: &str, error: &std::io::Error) -> Failure {
    let failure = Failure::usage(format!("--mount {text}: {source}: {}", plain(error)));
    let folder = Path::new(source).parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new(".")).display();
    match error.kind() {
        std::io::ErrorKind::NotADirectory => {
            let mount = shell_word(&format!("{folder}:{at}"));
            failure.hint(format!("--mount {mount}   (mount the folder of a file)"))
        }
        std::io::ErrorKind::NotFound => {
            let folder = shell_word(&folder.to_string());
            failure.hint(format!("ls {folder}   (lists the folder)"))
        }
        _ => failure,
    }
}

/// Returns the mount that a malformed text probably meant.
fn meant_mount(text: &str) -> Option<String> {
    let mut parts = text.split(':').filter(|part| !part.is_empty());
    let source = parts.next()?;
    let name = Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or("work");
    let at = parts.next().unwrap_or(name);
    let at = format!("/{}", at.trim_start_matches('/'));
    let mode = match parts.next() {
        None => return Some(format!("--mount {}", shell_word(&format!("{source}:{at}")))),
        Some("r" | "read" | "readonly" | "read-only") => "ro",
        Some("w" | "write" | "readwrite" | "read-write" | "wr") => "rw",
        Some("o" | "over" | "cow" | "copy") => "overlay",
        Some(mode) => ["ro", "overlay", "rw"].into_iter().find(|known| *known == mode)?,
    };
    Some(format!("--mount {}", shell_word(&format!("{source}:{at}:{mode}"))))
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
        // The default is the least that can be given.
        Some(_) => (text, Mount::ReadOnly),
        None => return Err(bad()),
    };
    match rest.rsplit_once(':') {
        Some((source, at)) if !source.is_empty() && at.starts_with('/') => Ok((source, at, mount)),
        Some(_) | None => Err(bad()),
    }
}

/// Changes limits by their names.
fn limits(mut limits: Limits, texts: &[String]) -> Result<Limits, Failure> {
    for text in texts {
        let pair = text.split_once('=').and_then(|(name, value)| Some((name, value.parse().ok()?)));
        let Some((name, value)) = pair else {
            let meant = meant_limit(text).unwrap_or_else(|| "--limit timeoutMs=1000".to_owned());
            return Err(Failure::usage(format!("--limit {text}: not NAME=NUMBER")).hint(meant));
        };
        limits.set(name, value).map_err(|error| {
            let known = Limit::SETTABLE.iter().map(|limit| limit.name());
            match spelling::nearest(name, known) {
                Some(meant) if meant != name => misspelled_limit(text, meant, value),
                Some(_) | None => Failure::usage(format!("--limit {text}: {error}")),
            }
        })?;
    }
    Ok(limits)
}

/// Explains a limit with a wrong name. The names include the unit, so a small value without one
/// may have been meant in a larger unit: the hints show both.
fn misspelled_limit(text: &str, meant: &str, value: u64) -> Failure {
    let (unit, sign, larger, factor) = match meant {
        "timeoutMs" => ("milliseconds", "ms", "s", 1000),
        name if name.ends_with("Bytes") => ("bytes", "B", "MiB", 1 << 20),
        _ => ("", "", "", 1),
    };
    if factor == 1 || value >= factor {
        let message = format!("--limit {text}: unknown limit; did you mean {meant}?");
        return Failure::usage(message).hint(format!("--limit {meant}={value}"));
    }
    Failure::usage(format!("--limit {text}: unknown limit; did you mean {meant}, in {unit}?"))
        .hint(format!("--limit {meant}={}   ({value} {larger})", value * factor))
        .hint(format!("--limit {meant}={value}   ({value} {sign})"))
}

/// Returns the limit that was probably meant by a text with a unit or without a number.
fn meant_limit(text: &str) -> Option<String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = spelling::nearest(name, Limit::SETTABLE.iter().map(|limit| limit.name()))?;
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

/// Returns the number of cells that programs and the processes they start need.
pub(crate) fn cells(limits: &Limits) -> u32 {
    u32::try_from(limits.processes()).unwrap_or(u32::MAX).clamp(2, 1000)
}

/// Locks standard input. On a terminal, prints a note that input is expected.
pub(crate) fn stdin() -> std::io::StdinLock<'static> {
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        report::note("reading standard input; press Ctrl-D to end it");
    }
    std::io::stdin().lock()
}

/// Connects a program to the standard input of this process.
pub(crate) fn with_stdin(command: Command) -> Command {
    let (stdin, command) = command.stream_stdin();
    // The thread ends with the process: a blocking read of standard input cannot be interrupted.
    std::thread::spawn(move || pass_on(&stdin));
    command
}

/// Hands the standard input of this process to `take`, until it ends or `take` returns false. At a
/// terminal, a question that is being answered comes first.
pub(crate) fn read_stdin(mut take: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 16 << 10];
    let is_typed = std::io::stdin().is_terminal();
    loop {
        let turn = is_typed.then(prompt::wait_for_typed);
        let read = std::io::stdin().read(&mut buffer);
        drop(turn);
        match read {
            Ok(len) if len > 0 && take(&buffer[..len]) => {}
            Ok(_) | Err(_) => return,
        }
    }
}

/// Copies the standard input of this process to that of a program.
fn pass_on(stdin: &cofferdam::Writer) {
    let Ok(executor) = tokio::runtime::Builder::new_current_thread().build() else { return };
    read_stdin(|bytes| executor.block_on(stdin.write_all(bytes)));
}

/// Reads a file of this machine, up to one byte more than `most`: the limit itself is enforced, and
/// named, by the sandbox.
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

/// Checks that a file can be written to this path. Called before anything runs, because the content
/// is the work of a run.
pub(crate) fn check_target(option: &str, file: &str) -> Result<(), Failure> {
    let path = Path::new(file);
    let bad = |what: &str| Failure::usage(format!("{option} {file}: {what}"));
    if path.is_dir() {
        let name = path.join("FILE");
        return Err(bad("is a directory")
            .hint(format!("{option} {}", shell_word(&name.display().to_string()))));
    }
    match path.parent().filter(|folder| *folder != Path::new("")) {
        Some(folder) if !folder.is_dir() => {
            let folder = shell_word(&folder.display().to_string());
            Err(bad("no such directory").hint(format!("mkdir -p {folder}")))
        }
        Some(_) | None => Ok(()),
    }
}

/// Creates a runtime that keeps compiled programs in the user's cache, and shows on a terminal when
/// it compiles one.
pub(crate) fn runtime(pool: Pool) -> Result<Runtime, Failure> {
    let cache = cofferdam_front::cache::path();
    let is_kept = cache.is_some();
    let runtime = match cache {
        Some(cache) => Runtime::with_cache(pool, cache)?,
        None => Runtime::new(pool)?,
    };
    Ok(prepared(runtime, is_kept))
}

/// Creates the engine of a process that ends after one run.
pub(crate) fn runtime_for_one_run(cells: u32) -> Result<Runtime, Failure> {
    let cache = cofferdam_front::cache::path();
    let is_kept = cache.is_some();
    Ok(prepared(Runtime::for_one_run(cells, cache)?, is_kept))
}

/// Prints a note while a runtime compiles a module.
fn prepared(runtime: Runtime, is_kept: bool) -> Runtime {
    let kept = if is_kept { " (once; the result is kept)" } else { "" };
    runtime.on_compile(Arc::new(move |name, bytes| {
        let (name, size) = (visible(name), bytes as f64 / f64::from(1 << 20));
        Box::new(Busy::new(format!("compiling {name}, {size:.1} MiB{kept}")))
    }));
    // Never dropped: the process ends with the verb, and the system returns a pool and its threads
    // sooner than they can be taken apart.
    std::mem::forget(runtime.clone());
    runtime
}

/// Formats an error without the number of the operating system.
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
        let check =
            |text: &str, hint: &str| check(limits(Limits::default(), &[text.to_owned()]), hint);
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
    fn a_limit_without_its_unit_asks_which_was_meant() {
        let check = |text: &str, message: &str, hints: &[&str]| {
            let failure = limits(Limits::default(), &[text.to_owned()]).expect_err("a wrong call");
            assert_eq!(failure.message, format!("--limit {text}: unknown limit; {message}"));
            assert_eq!(failure.hints, hints);
        };
        check(
            "timeout=5",
            "did you mean timeoutMs, in milliseconds?",
            &["--limit timeoutMs=5000   (5 s)", "--limit timeoutMs=5   (5 ms)"],
        );
        check(
            "memory=64",
            "did you mean memoryBytes, in bytes?",
            &["--limit memoryBytes=67108864   (64 MiB)", "--limit memoryBytes=64   (64 B)"],
        );
        check("timeout=5000", "did you mean timeoutMs?", &["--limit timeoutMs=5000"]);
        check("process=5", "did you mean processes?", &["--limit processes=5"]);
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
