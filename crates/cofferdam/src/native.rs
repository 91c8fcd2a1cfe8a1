//! Real programs of the machine behind walls of the operating system, under the same broker.
//!
//! Linux only. A program that starts native programs calls [`become_launcher`] first in `main`:
//! it is executed again as the launcher of each sandbox.
//!
//! ```no_run
//! use cofferdam::native::{self, NativeCommand};
//! use cofferdam::Sandbox;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! native::become_launcher();
//! let sandbox = Sandbox::new()?;
//! let outcome = sandbox.run_native(NativeCommand::new(["python3", "-c", "print(6 * 7)"])).await?;
//! assert_eq!(outcome.stdout.text(), "42\n");
//! # Ok(())
//! # }
//! ```

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use cofferdam_broker::{Cost, Desk, Event, FolderMode, HostFolder, HostFolders, Permissions};
use cofferdam_kernel::{Output, Stream, Watcher};
use cofferdam_native::{End, Observer, Prepared, Program, Ran, Running, Written};
use cofferdam_net::{Client, Settings};
use cofferdam_vfs::Mount;

use crate::error::{Error, ErrorKind};
use crate::limits::{Limit, Limits};
use crate::outcome::{Ending, Exhausted, Outcome, Unseen};
use crate::run::{Run, RunSettings};
use crate::sandbox::{Sandbox, lock};

pub use cofferdam_native::{
    Found, Killer, Piece, SHIMS, become_launcher, is_inside, launch_ahead, probe,
};

/// Memory of all processes of a run, if the limits say nothing else. A runtime such as Node needs
/// more than a cell before it does anything.
const DEFAULT_MEMORY: u64 = 2 << 30;

/// Body of a request and of a response, if the limits say nothing else. It is passed on and not kept,
/// and packages of Python or Node are often longer than what a tool fetches.
const DEFAULT_FETCH: u64 = 256 << 20;

/// A native program to run, with its arguments and its world.
#[derive(Clone, Default)]
pub struct NativeCommand {
    program: Program,
    stdin: Vec<u8>,
    client: Option<Client>,
    limits: Limits,
    /// Name of the run in questions and the audit log.
    name: Option<String>,
}

/// A native program under way. Dropping it ends every process of the run.
pub struct NativeRun {
    running: Running,
    desk: Desk,
    began: Instant,
    limits: Limits,
    memory: u64,
}

impl NativeCommand {
    /// Names a program, by its name or path, and its arguments.
    pub fn new(words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let words = words.into_iter().map(Into::into).collect();
        let search = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let program = Program { words, search, ..Program::default() };
        NativeCommand { program, ..NativeCommand::default() }
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.program.variables.insert(name.into(), value.into());
        self
    }

    /// Offers an environment variable, which the program has only if it is granted.
    pub fn offer_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.program.offered.insert(name.into(), value.into());
        self
    }

    /// Sets the working directory: a path in the sandbox.
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.program.directory = Some(directory.into());
        self
    }

    /// Shows a folder of the host at a path of the sandbox.
    pub fn mount(mut self, source: impl Into<String>, at: impl Into<String>, mount: Mount) -> Self {
        let mode = match mount {
            Mount::ReadOnly => FolderMode::ReadOnly,
            Mount::Overlay => FolderMode::Overlay,
            Mount::ReadWrite => FolderMode::ReadWrite,
        };
        let (at, host) = (at.into(), source.into());
        self.program.folders.push(HostFolder { at, host, mode });
        self
    }

    /// Hides a file or folder of the host, whatever is granted.
    pub fn hide(mut self, path: impl Into<PathBuf>) -> Self {
        self.program.hidden.push(path.into());
        self
    }

    /// Sets standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets the limits of the run.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Uses this network client instead of the shared one.
    pub fn client(mut self, client: &Client) -> Self {
        self.client = Some(client.clone());
        self
    }

    /// Returns the folders of the host that the program sees, for
    /// [`Permissions::set_host_folders`].
    pub fn host_folders(&self) -> HostFolders {
        HostFolders::new(self.program.folders.iter().cloned())
    }

    /// Starts the program under these permissions.
    pub fn start(
        self,
        permissions: &Permissions,
        watcher: Option<Arc<dyn Watcher>>,
    ) -> Result<NativeRun, Error> {
        let NativeCommand { mut program, stdin, client, limits, name } = self;
        let began = Instant::now();
        let memory = match limits.memory_bytes == Limits::default().memory_bytes {
            true => DEFAULT_MEMORY,
            false => limits.memory_bytes,
        };
        let fetch_bytes = match limits.fetch_bytes == Limits::default().fetch_bytes {
            true => DEFAULT_FETCH,
            false => limits.fetch_bytes,
        };
        program.limits = cofferdam_native::Limits {
            time: limits.time,
            memory_bytes: memory,
            stdout_bytes: limits.stdout_bytes,
            stderr_bytes: limits.stderr_bytes,
            file_bytes: limits.fs_bytes,
            file_count: limits.file_count,
            processes: limits.processes,
            fetch_bytes,
        };
        let not_found =
            |error: cofferdam_native::Error| Error::new(ErrorKind::NotFound, error.to_string());
        let prepared = Prepared::new(program).map_err(not_found)?;
        let desk = prepared.desk(permissions, &name.unwrap_or_else(next_run));
        let client = client.unwrap_or_else(shared_client);
        let observer = watcher.map(|watcher| Arc::new(Watched(watcher)) as Arc<dyn Observer>);
        let started = prepared.start(desk.clone(), client, observer);
        let mut running = started.map_err(|missing| {
            let mut error = Error::new(ErrorKind::Walls, missing.to_string());
            error.hint = Some(missing.piece().remedy());
            error
        })?;
        if !stdin.is_empty() {
            running.feed(stdin);
        }
        Ok(NativeRun { running, desk, began, limits, memory })
    }
}

impl NativeRun {
    /// Returns a handle that ends the run from any thread.
    pub fn killer(&self) -> Killer {
        self.running.killer()
    }

    /// Takes the writing end of standard input. The program reads its end when it is dropped.
    pub fn take_stdin(&mut self) -> Option<File> {
        self.running.take_stdin()
    }

    /// Waits for the end of the run.
    pub async fn outcome(self) -> Outcome {
        let NativeRun { running, desk, began, limits, memory } = self;
        let unseen = running.unseen().to_vec();
        let Ran { end, stdout, stderr } = running.wait().await;
        let exceeded = |limit, allowed, wanted| {
            Ending::Stopped(Exhausted::Limit { limit, allowed, wanted: Some(wanted) })
        };
        let ending = match end {
            End::Exited(code) => Ending::Exited(code),
            End::TimedOut => {
                desk.stopped(Event::Limit, "time");
                Ending::Stopped(Exhausted::Time { limit: limits.time, stack: String::new() })
            }
            End::Killed => {
                desk.stopped(Event::Kill, "cancelled");
                Ending::Stopped(Exhausted::Cancelled { stack: String::new() })
            }
            End::Memory(used) => {
                desk.stopped(Event::Limit, Limit::Memory.name());
                exceeded(Limit::Memory, memory, used)
            }
            End::Processes(number) => {
                desk.stopped(Event::Limit, Limit::Processes.name());
                exceeded(Limit::Processes, limits.processes, number)
            }
        };
        let output = |Written { bytes, is_cut }| Output { bytes, is_cut };
        let mut outcome = Outcome::of(ending);
        outcome.stdout = output(stdout);
        outcome.stderr = output(stderr);
        outcome.denials = desk.denials();
        if outcome.exit_code() != 0 {
            let told = |(path, required)| Unseen { path, required };
            outcome.unseen = unseen.into_iter().map(told).collect();
        }
        outcome.duration = began.elapsed();
        let class = outcome.error_class().map_or("finished", |class| class.name());
        desk.end(class, Cost { micros: outcome.duration.as_micros() as u64, bytes: 0 });
        outcome
    }
}

impl Sandbox {
    /// Runs a native program with the permissions, variables and mounted folders of this sandbox.
    /// The other files of the sandbox are not those of the machine, and are not shown.
    pub async fn run_native(&self, command: NativeCommand) -> Result<Outcome, Error> {
        self.start_native(command, RunSettings::default())?.await
    }

    /// Starts a native program with settings for this run.
    pub fn start_native(
        &self,
        command: NativeCommand,
        settings: RunSettings,
    ) -> Result<Run, Error> {
        let switch = self.state.new_switch();
        let registered = self.state.register(&switch)?;
        let command = self.fill(command, &settings);
        let killed = switch.clone();
        let future = Box::pin(async move {
            let watcher = settings.watcher.clone().or_else(|| registered.state.watcher.clone());
            let run = command.start(&registered.state.permissions, watcher)?;
            let killer = run.killer();
            let outcome = run.outcome();
            tokio::pin!(outcome);
            let ended = tokio::select! {
                biased;
                outcome = &mut outcome => return Ok(outcome),
                () = killed.killed() => killer,
            };
            ended.kill();
            let outcome = outcome.await;
            drop(registered);
            Ok(outcome)
        });
        Ok(Run { switch, future })
    }

    /// Adds to a command what the sandbox has.
    fn fill(&self, mut command: NativeCommand, settings: &RunSettings) -> NativeCommand {
        let state = &self.state;
        command.limits = settings.limits.unwrap_or(state.limits);
        command.name.clone_from(&settings.name);
        command.program.folders.extend(state.permissions.host_folders().iter().cloned());
        for (name, value) in lock(&state.resources.variables).iter() {
            // These are those of the sandbox's own files.
            if !matches!(name.as_str(), "HOME" | "PATH" | "PWD" | "USER") {
                command.program.variables.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        if command.stdin.is_empty() {
            command.stdin.clone_from(&state.stdin);
        }
        if command.program.directory.is_none() {
            command.program.directory = Some(state.cwd().into());
        }
        command
    }
}

/// Shows output to a watcher.
struct Watched(Arc<dyn Watcher>);

impl Observer for Watched {
    fn saw(&self, stream: cofferdam_native::Stream, bytes: &[u8]) {
        self.0.saw(named(stream), bytes);
    }

    fn is_read(&self, stream: cofferdam_native::Stream) -> bool {
        self.0.is_read(named(stream))
    }

    fn passes_on(&self, stream: cofferdam_native::Stream) -> bool {
        self.0.passes_on(named(stream))
    }

    fn poll_room(&self, stream: cofferdam_native::Stream, cx: &mut Context<'_>) -> Poll<()> {
        self.0.poll_room(named(stream), cx)
    }
}

fn named(stream: cofferdam_native::Stream) -> Stream {
    match stream {
        cofferdam_native::Stream::Out => Stream::Out,
        cofferdam_native::Stream::Err => Stream::Err,
    }
}

/// Returns a name for a run that no other one has.
fn next_run() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("native_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn shared_client() -> Client {
    static SHARED: OnceLock<Client> = OnceLock::new();
    SHARED.get_or_init(|| Client::new(Settings::default())).clone()
}
