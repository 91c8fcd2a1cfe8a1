//! Starts other commands and waits for them.

use std::ffi::{OsStr, OsString};
use std::io;

use cofferdam_guest_sys::{self as sys, Fd, Pid, Spawn, Status, Which};

use crate::bytes::{OsStrExt as _, join};

/// Search path of a process without `PATH`.
const DEFAULT_PATH: &[u8] = b"/usr/local/bin:/usr/bin:/bin";
/// Exit code for a command that was not found.
pub(crate) const NOT_FOUND: i32 = 127;
/// Exit code for a command that was found but could not be started.
pub(crate) const NOT_STARTED: i32 = 126;

/// A command to be started.
pub(crate) struct Child<'a> {
    /// Name and arguments.
    pub(crate) argv: &'a [OsString],
    /// Environment variables; `None` inherits those of this process.
    pub(crate) env: Option<Vec<(OsString, OsString)>>,
    /// Working directory; `None` inherits that of this process.
    pub(crate) cwd: Option<Vec<u8>>,
    /// Descriptors that become standard input, output and error.
    pub(crate) descriptors: [Fd; 3],
}

impl<'a> Child<'a> {
    /// Creates a command that inherits variables, working directory and standard descriptors.
    pub(crate) fn new(argv: &'a [OsString]) -> Self {
        Child { argv, env: None, cwd: None, descriptors: [0, 1, 2] }
    }

    /// Starts the command. A text file without a `#!` line is run by the shell.
    pub(crate) fn start(&self) -> io::Result<Pid> {
        let Some(name) = self.argv.first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let env = self.env.clone().unwrap_or_else(|| std::env::vars_os().collect());
        let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
        let program = locate(name, path)?;
        let variables: Vec<Vec<u8>> = env
            .iter()
            .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat())
            .collect();
        let cwd = match &self.cwd {
            Some(cwd) => cwd.clone(),
            None => std::env::current_dir()?.as_os_str().as_bytes().to_vec(),
        };
        let [input, output, error] = self.descriptors;
        let mut spawn = Spawn {
            program: &program,
            argv: self.argv.iter().map(|arg| arg.as_bytes()).collect(),
            env: variables.iter().map(Vec::as_slice).collect(),
            cwd: &cwd,
            descriptors: vec![(0, input), (1, output), (2, error)],
            state: b"",
        };
        match sys::spawn(&spawn) {
            Err(error) if error.raw_os_error() == Some(libc::ENOEXEC) => {
                spawn.argv.splice(..1, [b"sh".as_slice(), &program]);
                let script = Spawn { program: b"sh", ..spawn };
                sys::spawn(&script)
            }
            answer => answer,
        }
    }

    /// Runs the command to its end and returns its exit code, as a shell would report it.
    pub(crate) fn run(&self) -> io::Result<i32> {
        let pid = self.start()?;
        Ok(wait(pid)?.code())
    }
}

/// Waits for a process to end.
pub(crate) fn wait(pid: Pid) -> io::Result<Status> {
    loop {
        match sys::wait(Which::One(pid), false) {
            Ok(Some((_, status))) => return Ok(status),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the exit code for a command that could not be started.
pub(crate) fn failure(error: &io::Error) -> i32 {
    if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_STARTED }
}

/// Returns the file of a command, or the name itself, which the sandbox may serve without a file.
pub(crate) fn locate(name: &OsStr, path: Option<&OsStr>) -> io::Result<Vec<u8>> {
    let bytes = name.as_bytes();
    if bytes.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    if bytes.contains(&b'/') {
        let cwd = std::env::current_dir()?;
        return Ok(join(cwd.as_os_str().as_bytes(), bytes));
    }
    let dirs = path.map_or(DEFAULT_PATH, |path| path.as_bytes());
    for dir in dirs.split(|b| *b == b':').filter(|dir| dir.starts_with(b"/")) {
        let file = join(dir, bytes);
        if is_program(&file) {
            return Ok(file);
        }
    }
    Ok(bytes.to_vec())
}

/// Returns true if `file` is a regular, executable file.
pub(crate) fn is_program(file: &[u8]) -> bool {
    const REGULAR: u32 = 0o100_000;
    sys::stat(file, true)
        .is_ok_and(|status| status.mode & 0o170_000 == REGULAR && status.mode & 0o111 != 0)
}
