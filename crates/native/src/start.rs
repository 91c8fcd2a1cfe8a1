//! Starting further programs, behind permits.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cofferdam_broker::{Action, Desk, Particulars, Permit, Preview};
use cofferdam_caps::Request;
use cofferdam_caps::process::CommandName;
use cofferdam_walls::{Executable, PROGRAMS, Sandbox};

use crate::lock;
use crate::program;

/// Folders with programs of the system, which the program cannot change.
pub(crate) const SYSTEM: [&str; 6] = ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/nix"];

/// Starting a program that the sandbox shows.
#[derive(Debug)]
pub struct StartFile {
    name: CommandName,
    executable: Executable,
    /// The command line, for the person who is asked.
    line: String,
}

impl Action for StartFile {
    fn request(&self) -> Request {
        Request::Process { command: self.name.clone() }
    }

    fn particulars(&self) -> Particulars {
        let path = self.executable.path.to_string_lossy();
        Particulars::default().detail("path", &path).detail("command", &self.line)
    }
}

/// The programs of one sandbox that may be started.
pub struct Programs {
    sandbox: Arc<Sandbox>,
    /// Programs of installations, and folders with them, that are shown and that the program cannot
    /// change.
    installed: Mutex<Vec<PathBuf>>,
    /// Programs that were allowed, by their path without links.
    allowed: Mutex<Vec<PathBuf>>,
}

impl Programs {
    pub(crate) fn new(
        sandbox: Arc<Sandbox>,
        allowed: Vec<PathBuf>,
        installed: Vec<PathBuf>,
    ) -> Self {
        let installed = Mutex::new(installed);
        Programs { sandbox, installed, allowed: Mutex::new(allowed) }
    }

    /// Adds a program of an installation that was shown, or a folder with such programs.
    pub(crate) fn add_installed(&self, path: PathBuf) {
        let mut installed = lock(&self.installed);
        if !installed.contains(&path) {
            installed.push(path);
        }
    }

    pub(crate) fn is_allowed(&self, path: &Path) -> bool {
        lock(&self.allowed).iter().any(|allowed| allowed == path)
    }

    /// Lets a file be started that is one of the allowed programs under another name. Such a
    /// program can do whatever it does under that name already. Returns false if it is none.
    pub(crate) fn allow_link(&self, executable: &Executable) -> io::Result<bool> {
        let allowed = lock(&self.allowed).clone();
        let mut known = allowed.iter().filter_map(|path| self.sandbox.program_at(path));
        if !known.any(|known| known.is_same_file(executable)) {
            return Ok(false);
        }
        self.sandbox.allow_program(executable)?;
        lock(&self.allowed).push(executable.path.clone());
        Ok(true)
    }

    /// Names a program to start; `None` if no grant could have its name.
    pub(crate) fn to_start(
        &self,
        executable: Executable,
        words: &[String],
        desk: &Desk,
    ) -> Option<StartFile> {
        let name = name(&executable, &lock(&self.installed), desk)?;
        Some(StartFile { name, executable, line: words.join(" ") })
    }

    /// Lets a permitted program be started. Returns the interpreter that a script needs.
    pub fn allow(&self, permit: Permit<StartFile>) -> io::Result<Option<PathBuf>> {
        let executable = permit.into_action().executable;
        self.sandbox.allow_program(&executable)?;
        lock(&self.allowed).push(executable.path.clone());
        let mut first = Vec::new();
        self.sandbox.open(&executable.path)?.take(256).read_to_end(&mut first)?;
        Ok(program::shebang(&first).map(|(interpreter, _)| interpreter))
    }
}

/// Chooses the name that a grant has for a program. A link of the system counts as a name, so that
/// `process:exec:python3` starts `python3.11`. A link that the program made does not.
fn name(executable: &Executable, installed: &[PathBuf], desk: &Desk) -> Option<CommandName> {
    let is_system = |path: &Path| {
        let fixed = SYSTEM.iter().map(Path::new);
        fixed.chain(installed.iter().map(PathBuf::as_path)).any(|folder| path.starts_with(folder))
    };
    let name = |path: &Path| path.file_name()?.to_str()?.parse::<CommandName>().ok();
    if !is_system(&executable.path) {
        // T-NAT-007: a program of its own under the name of another one.
        let name = name(&executable.path)?;
        let is_taken = PROGRAMS.iter().any(|folder| Path::new(folder).join(name.as_str()).exists());
        return (!is_taken).then_some(name);
    }
    let paths = executable.names.iter().filter(|path| is_system(path));
    let names: Vec<_> = paths.chain([&executable.path]).filter_map(|path| name(path)).collect();
    let is_granted = |name: &&CommandName| {
        let request = Request::Process { command: (*name).clone() };
        matches!(desk.would_grant(&request), Ok(Preview::Granted(..)))
    };
    names.iter().find(is_granted).or(names.first()).cloned()
}
