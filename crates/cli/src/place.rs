//! Options of the verbs that run programs: files, variables, limits.

use std::io::Read;
use std::path::{Path, PathBuf};

use cofferdam::{Command, HostDir, Limit, Limits, Mount, Pool, Runtime, SandboxBuilder};

use crate::report::Failure;
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
                .map_err(|e| Failure::usage(format!("--mount {text}: {source}: {}", plain(&e))))?;
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
}

fn mount(text: &str) -> Result<(&str, &str, Mount), Failure> {
    let bad = || {
        Failure::usage(format!("--mount {text}: not SRC:DST or SRC:DST:ro|overlay|rw"))
            .hint("--mount ./src:/src:ro")
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
            return Err(Failure::usage(format!("--limit {text}: not NAME=NUMBER"))
                .hint("--limit timeoutMs=1000"));
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
    loop {
        match std::io::stdin().read(&mut buffer) {
            Ok(len) if len > 0 && executor.block_on(stdin.write_all(&buffer[..len])) => {}
            Ok(_) | Err(_) => return,
        }
    }
}

/// A file of this machine, one byte more than `most` at most, so that the limit can be named by
/// whoever enforces it.
pub(crate) fn read(file: &str, most: u64, hint: &str) -> Result<Vec<u8>, Failure> {
    let failed =
        |e: &std::io::Error| Failure::usage(format!("{file}: {}", plain(e))).hint(hint.to_owned());
    let opened = std::fs::File::open(file).map_err(|e| failed(&e))?;
    if opened.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(Failure::usage(format!("{file}: is a directory")));
    }
    let mut bytes = Vec::new();
    opened.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
    Ok(bytes)
}

/// A runtime that keeps compiled programs where this user keeps such things.
pub(crate) fn runtime(pool: Pool) -> Result<Runtime, Failure> {
    Ok(match cache() {
        Some(cache) => Runtime::with_cache(pool, cache)?,
        None => Runtime::new(pool)?,
    })
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
