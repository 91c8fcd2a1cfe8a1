//! Finding the program that a name stands for, and making its process.

use std::sync::Arc;

use cofferdam_abi::commands::{self, CommandGuest};
use cofferdam_cell::ProgramImage;
use cofferdam_vfs::{Access, At, Kind, Open, raw};

use crate::program::crew::Newborn;
use crate::program::descriptor::{Description, Descriptor, Descriptors, Object};
use crate::program::errno::Errno;
use crate::program::process::Process;
use crate::program::signal::Signals;
use crate::program::start_rules::Cleared;
use crate::program::system::{Later, System};
use crate::program::table::About;
use crate::shared::lock::lock;

/// Arguments and variables of one process together, as on Linux.
// T-PROC-008: memory of the host that processes use.
pub(crate) const MAX_ARGUMENTS: usize = 2 << 20;

/// Longest state that a process hands to its child.
pub(crate) const MAX_STATE: usize = 8 << 20;

/// Most nested interpreters.
const MAX_INTERPRETERS: usize = 4;

/// Longest first line of a script.
const MAX_LINE: usize = 256;

/// Longest module that is read from the sandbox's files; it is host memory.
const MAX_MODULE: usize = 256 << 20;

/// Folder of the commands, as programs see it.
pub(crate) const COMMANDS_AT: &str = "/usr/bin/";

/// Description of a process that is about to be made.
pub(crate) struct Launch {
    pub(crate) argv: Vec<Vec<u8>>,
    pub(crate) env: Vec<Vec<u8>>,
    pub(crate) cwd: String,
    pub(crate) descriptors: Descriptors,
    pub(crate) state: Vec<u8>,
    pub(crate) ignored: Signals,
    pub(crate) mask: u32,
    pub(crate) is_command: bool,
    pub(crate) begins_in_cwd: bool,
}

/// Reason why a program was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotStarted {
    pub(crate) errno: Errno,
    pub(crate) message: String,
}

impl NotStarted {
    pub(crate) fn new(errno: Errno, message: impl Into<String>) -> Self {
        NotStarted { errno, message: message.into() }
    }

    /// Creates the plain message of an errno about a program.
    pub(crate) fn plain(errno: Errno, program: &str) -> Self {
        NotStarted::new(errno, format!("{program}: {errno}"))
    }
}

/// A program that may be started. Made from a [`Cleared`] program, or from a module that the
/// embedder hands over.
pub(crate) struct Found {
    image: Image,
}

enum Image {
    /// The shell, or one of its commands.
    Command(ProgramImage<Process>),
    /// A module that is not compiled yet.
    Module(Vec<u8>),
}

impl Found {
    /// Wraps a module of the embedder, which needs no permission to start its own.
    pub(crate) fn from_embedder(module: Vec<u8>) -> Self {
        Found { image: Image::Module(module) }
    }

    pub(crate) fn is_module(&self) -> bool {
        matches!(self.image, Image::Module(_))
    }
}

impl Launch {
    /// Checks everything that a guest can size.
    pub(crate) fn check(&self) -> Result<(), Errno> {
        let total: usize = self.argv.iter().chain(&self.env).map(|text| text.len() + 8).sum();
        let has_nul = |text: &Vec<u8>| text.contains(&0);
        if total > MAX_ARGUMENTS || self.state.len() > MAX_STATE {
            return Err(Errno::TooBig);
        }
        if self.argv.iter().chain(&self.env).any(has_nul) {
            return Err(Errno::Invalid);
        }
        Ok(())
    }

    /// Gives a program the root of the files as `/`. A program that begins in its working directory
    /// finds that directory if it lists what was opened for it.
    pub(crate) fn preopen_root(&mut self, system: &System) -> Result<(), Errno> {
        let open = |path: &str| system.files(0).open(path, Open::to_read().directory());
        let directory = match self.begins_in_cwd {
            true => open(&self.cwd).or_else(|_| open("/"))?,
            false => open("/")?,
        };
        let mut descriptor = Descriptor::new(Description::new(Object::Directory(directory), 0));
        descriptor.preopen = Some("/".into());
        // Programs look for preopened directories from descriptor 3 on, without gaps.
        self.descriptors.add(descriptor, 3).map(drop)
    }
}

/// Finds the program for a name or a path. A script puts its interpreter before the arguments.
// T-PROC-010: a command outside the allowlist.
pub(crate) async fn find(
    system: &System,
    pid: u32,
    program: &str,
    launch: &mut Launch,
) -> Result<Found, NotStarted> {
    let mut program = program.to_owned();
    for _ in 0..MAX_INTERPRETERS {
        let path = match program.contains('/') {
            true => physical(system, pid, &launch.cwd, &program)?,
            // A bare name is a command of the sandbox or nothing.
            false => format!("{COMMANDS_AT}{program}"),
        };
        if let Some(name) = path.strip_prefix(COMMANDS_AT)
            && commands::is_command(name)
        {
            let cleared = clear(system, name.to_owned(), launch).await?;
            return command(system, &cleared, launch);
        }
        if !program.contains('/') {
            return Err(NotStarted::plain(Errno::NotFound, &program));
        }
        let cleared = clear(system, path, launch).await?;
        let start = read_start(system, pid, &cleared)?;
        if start.starts_with(b"\0asm") {
            let bytes = system.files(pid).read_file(cleared.program(), MAX_MODULE);
            let bytes = bytes.map_err(|e| NotStarted::plain(e.into(), &program))?;
            return Ok(Found { image: Image::Module(bytes) });
        }
        let Some(line) = start.strip_prefix(b"#!") else {
            return Err(NotStarted::plain(Errno::NotExecutable, &program));
        };
        program = interpreter(line, &program, launch)?;
    }
    Err(NotStarted::plain(Errno::Loop, &program))
}

/// Returns the physical path of a program's file, with links followed.
fn physical(system: &System, pid: u32, cwd: &str, program: &str) -> Result<String, NotStarted> {
    let absolute = match program.starts_with('/') {
        true => program.to_owned(),
        false => format!("{cwd}/{program}"),
    };
    let resolved = system.files(pid).resolve(At::root(&absolute));
    let resolved = resolved.map_err(|e| NotStarted::plain(e.into(), program))?;
    Ok(resolved.as_str().to_owned())
}

fn command(system: &System, cleared: &Cleared, launch: &mut Launch) -> Result<Found, NotStarted> {
    let name = cleared.program();
    let programs = &system.setup.programs;
    let later = |load: Option<&Later>| {
        let image = load.map(|load| load()).transpose();
        image.map_err(|error| NotStarted::new(Errno::NotExecutable, format!("{name}: {error}")))
    };
    let image = match commands::guest_of(name) {
        CommandGuest::Shell => programs.sh.clone(),
        CommandGuest::Git => later(programs.git.as_ref())?,
        CommandGuest::Commands => {
            let is_basic = commands::is_basic(name) && !names_a_locale(&launch.env);
            let basics = programs.basics.as_ref().filter(|_| is_basic);
            later(basics.or(programs.commands.as_ref()))?
        }
    };
    let Some(image) = image else {
        let text = format!("{name}: cofferdam was built without the feature `shell`");
        return Err(NotStarted::new(Errno::NotFound, text));
    };
    // The guest recognises the command by its first argument; a link has another name.
    let given = launch.argv.first().map_or(&[][..], Vec::as_slice);
    let base = given.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if base.strip_prefix(b"-").unwrap_or(base) != name.as_bytes() {
        match launch.argv.first_mut() {
            Some(first) => *first = name.into(),
            None => launch.argv.push(name.into()),
        }
    }
    launch.is_command = true;
    Ok(Found { image: Image::Command(image) })
}

/// Returns true if a variable names another locale than POSIX's, which only the full program knows.
fn names_a_locale(env: &[Vec<u8>]) -> bool {
    env.iter().any(|variable| {
        let Some(at) = variable.iter().position(|byte| *byte == b'=') else { return false };
        let (name, value) = (&variable[..at], &variable[at + 1..]);
        let is_locale = name == b"LANG" || name.starts_with(b"LC_");
        let is_posix = matches!(value, b"" | b"C" | b"POSIX") || value.starts_with(b"C.");
        is_locale && !is_posix
    })
}

/// Asks whether a program may be started.
async fn clear(system: &System, program: String, launch: &Launch) -> Result<Cleared, NotStarted> {
    system.setup.start_rules.clear(program, &launch.argv, &system.run_clock).await
}

/// Returns the image of a program, compiled if it is a module.
pub(crate) async fn compiled(
    system: &System,
    name: &str,
    found: Found,
) -> Result<ProgramImage<Process>, NotStarted> {
    let bytes = match found.image {
        Image::Command(image) => return Ok(image),
        Image::Module(bytes) => bytes,
    };
    let Some(compiler) = &system.setup.programs.compiler else {
        return Err(NotStarted::plain(Errno::NotExecutable, name));
    };
    compiler.compile(name, bytes).await.map_err(|unfit| {
        if let Some(limit) = unfit.limit() {
            system.note_compiling(limit);
        }
        NotStarted::new(Errno::NotExecutable, format!("{name}: {unfit}"))
    })
}

/// Returns the first bytes of an executable file.
fn read_start(system: &System, pid: u32, cleared: &Cleared) -> Result<Vec<u8>, NotStarted> {
    let path = cleared.program();
    let failed = |errno: Errno| NotStarted::plain(errno, path);
    let files = system.files(pid);
    match files.stat(path).map_err(|e| failed(e.into()))?.kind {
        Kind::File => {}
        Kind::Directory | Kind::Link | Kind::Device(_) | Kind::Other => {
            return Err(failed(Errno::Access));
        }
    }
    files.access(path, Access::Execute).map_err(|e| failed(e.into()))?;
    let file = files.open(path, Open::to_read()).map_err(|e| failed(e.into()))?;
    let mut start = vec![0; MAX_LINE];
    let len = file.read_at(0, &mut start, system.now()).map_err(|e| failed(e.into()))?;
    start.truncate(len);
    Ok(start)
}

/// Parses the first line of a script into the interpreter and its argument.
fn interpreter(line: &[u8], script: &str, launch: &mut Launch) -> Result<String, NotStarted> {
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).unwrap_or_default().trim();
    let (program, argument) = match line.split_once([' ', '\t']) {
        Some((program, argument)) => (program, Some(argument.trim())),
        None => (line, None),
    };
    if program.is_empty() {
        return Err(NotStarted::plain(Errno::NotExecutable, script));
    }
    let mut argv: Vec<Vec<u8>> = vec![program.into()];
    argv.extend(argument.map(Into::into));
    argv.push(raw::bytes(script).into_owned());
    argv.extend(launch.argv.drain(..).skip(1));
    launch.argv = argv;
    Ok(program.to_owned())
}

/// Makes the process. It runs when the run is polled next.
pub(crate) fn start(
    system: &Arc<System>,
    parent: u32,
    image: ProgramImage<Process>,
    launch: Launch,
) -> Result<u32, Errno> {
    let about = About { argv: launch.argv.clone(), cwd: launch.cwd.clone() };
    let added = lock(&system.table).add(parent, launch.ignored, about);
    let pid = added.inspect_err(|_| system.note_processes())?;
    let complaints = launch.descriptors.get(2).ok().map(|fd| Arc::downgrade(&fd.description));
    let name = launch.argv.first().cloned().unwrap_or_default();
    let process = Process::new(system, pid, parent, launch);
    lock(&system.newborn).push(Newborn { pid, image, process, name, complaints });
    Ok(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(env: &[&str], expected: bool) {
        let env: Vec<Vec<u8>> = env.iter().map(|variable| variable.as_bytes().to_vec()).collect();
        assert_eq!(names_a_locale(&env), expected, "{env:?}");
    }

    #[test]
    fn only_variables_of_locales_name_one() {
        check(&[], false);
        check(&["HOME=/en_US", "LC", "LANGUAGE=de"], false);
        check(&["LANG=de_DE.UTF-8"], true);
        check(&["LANG=C", "LC_TIME=de_DE"], true);
    }

    #[test]
    fn the_locale_of_posix_counts_as_none() {
        check(&["LANG=C", "LC_ALL=POSIX", "LC_TIME="], false);
        check(&["LC_ALL=C.UTF-8"], false);
    }
}
