//! One run of a program: starts it behind the walls, answers its calls, and ends it at its limits.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use cofferdam_broker::{Desk, Permissions};
use cofferdam_caps::Capability;
use cofferdam_net::Client;
use cofferdam_walls::{Missing, Sandbox};
use tokio::sync::oneshot;

use crate::clock::Clock;
use crate::deno::Deno;
use crate::error::Error;
use crate::executor::Executor;
use crate::files::Files;
use crate::host;
use crate::identify::identify;
use crate::installed::Installed;
use crate::network::{Authority, Network};
use crate::output::{Observer, Output, Written};
use crate::private;
use crate::program::{self, Found, Program};
use crate::start::Programs;
use crate::supervisor::Supervisor;
use crate::world;

/// Time between two looks at the resources of a run. Memory that grows by 5 GB/s is seen before
/// it is half a gigabyte over its limit.
const SAMPLE: Duration = Duration::from_millis(100);

/// First look at the resources of a run, which most runs do not live to see.
const FIRST_SAMPLE: Duration = Duration::from_millis(25);

/// Stack of a thread of a run; none of them recurses.
const STACK: usize = 512 << 10;

/// A program that was found and identified, and can be started.
pub struct Prepared {
    program: Program,
    found: Found,
    identity: String,
}

/// A program that was started.
pub struct Running {
    stdin: Option<File>,
    /// See [`Running::unseen`].
    unseen: Vec<(PathBuf, Capability)>,
    killer: Killer,
    done: oneshot::Receiver<Ran>,
}

/// Ends a run from any thread.
#[derive(Clone)]
pub struct Killer {
    sandbox: Arc<Sandbox>,
    cause: Arc<Cause>,
}

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    /// The way the run ended.
    pub end: End,
    /// Standard output.
    pub stdout: Written,
    /// Standard error, with a line for each denial.
    pub stderr: Written,
}

/// The way a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The program exited with this code; 128 plus the signal number if a signal killed it.
    Exited(u8),
    /// The time limit was reached.
    TimedOut,
    /// The run was killed.
    Killed,
    /// The processes used more memory than allowed: so many bytes.
    Memory(u64),
    /// There were more processes than allowed.
    Processes(u64),
}

/// Cause of the end of a run, if it was not the program itself. The first one counts.
#[derive(Default)]
struct Cause {
    is_set: AtomicBool,
    end: Mutex<Option<End>>,
}

impl Cause {
    fn set(&self, end: End) {
        if !self.is_set.swap(true, Ordering::SeqCst) {
            *crate::lock(&self.end) = Some(end);
        }
    }
}

impl Prepared {
    /// Finds and identifies a program.
    pub fn new(program: Program) -> Result<Self, Error> {
        let name = program.words.first().cloned().unwrap_or_default();
        let shown = name.to_string_lossy().into_owned();
        let found = program::find(&program).map_err(|error| Error::not_found(&shown, &error))?;
        let identity = identify(&program, &found);
        let identity = identity.map_err(|error| Error::not_found(&shown, &error))?;
        Ok(Prepared { program, found, identity })
    }

    /// Returns the identity that grants belong to.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Opens the desk of a run of this program.
    pub fn desk(&self, permissions: &Permissions, run: &str) -> Desk {
        permissions.desk(run, self.identity.as_str())
    }

    /// Starts the program. Fails if a piece of the operating system is missing.
    pub fn start(
        self,
        desk: Desk,
        client: Client,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Running, Missing> {
        let Prepared { mut program, found, .. } = self;
        // T-NAT-009: a hidden folder has a second path if a link leads to it.
        let followed: Vec<_> = program.hidden.iter().map(|path| host::follow(path).real).collect();
        program.hidden.extend(followed);
        let unseen = private::unseen(&program, &found, &desk);
        let authority = Authority::new();
        let authority = authority.map_err(|error| Missing::certificates(&error))?;
        let world = world::plan(&program, &found, &desk, authority.certificate());
        let deno = Deno::new(&world.plan);
        let is_without_sys = !world.has("/sys");
        let installed = Installed::new(&program, world.own);
        let limits = program.limits;
        let clock = Clock::new(limits.time);
        let (starting, streams) = Sandbox::launch(&world.plan, world.system)?;
        // Threads are made while the launcher builds the sandbox.
        let output = Arc::new(Output::new(observer, limits.stdout_bytes, limits.stderr_bytes));
        let pump = Pump::start(&output, streams.stdout, streams.stderr)?;
        let (watch, watched) = mpsc::channel();
        spawn(move || {
            if let Ok(run) = watched.recv() {
                watch_over(run);
            }
        })?;
        let supervise = move |sandbox: Arc<Sandbox>, sockets| {
            Arc::new(Supervisor {
                files: Files::new(sandbox.clone(), desk.clone(), world.fixed, world.granted),
                installed,
                programs: Programs::new(sandbox.clone(), world.programs, world.bins),
                sandbox,
                desk,
                network: Network::new(client, authority, limits.of_requests(), sockets),
                hidden: program.hidden,
                prefixes: world.prefixes,
                surroundings: world.surroundings,
                is_without_sys,
                clock,
                output,
                executor: Executor::default(),
                shown: Mutex::default(),
                told: Mutex::default(),
                offered: program.offered,
                deno,
            })
        };
        let (report, done) = oneshot::channel();
        let (started, start) = mpsc::channel();
        spawn(move || {
            let (sandbox, sockets) = match starting.finish() {
                Ok(ready) => ready,
                Err(missing) => return drop(started.send(Err(missing))),
            };
            let killer = Killer { sandbox: sandbox.clone(), cause: Arc::default() };
            let _ = started.send(Ok(killer.clone()));
            let supervisor = supervise(sandbox, sockets);
            let (over, is_over) = mpsc::channel::<()>();
            let watched =
                Watched { supervisor: supervisor.clone(), killer: killer.clone(), limits, is_over };
            let _ = watch.send(watched);
            let _ = report.send(attend(&supervisor, pump, &killer, &limits));
            drop(over);
        })?;
        let killer = start.recv().map_err(|_| Missing::thread())??;
        Ok(Running { stdin: Some(streams.stdin), unseen, killer, done })
    }
}

impl Running {
    /// Returns the means to end the run.
    pub fn killer(&self) -> Killer {
        self.killer.clone()
    }

    /// Returns the files of the host that the command line names and the program does not see,
    /// because it has a folder of its own, such as `/tmp`, at their place, and the capabilities that
    /// would show them.
    pub fn unseen(&self) -> &[(PathBuf, Capability)] {
        &self.unseen
    }

    /// Takes the writing end of standard input. The program reads its end when it is dropped.
    pub fn take_stdin(&mut self) -> Option<File> {
        self.stdin.take()
    }

    /// Writes all of standard input on a thread of its own, and closes it.
    pub fn feed(&mut self, bytes: Vec<u8>) {
        let Some(mut stdin) = self.stdin.take() else { return };
        if bytes.is_empty() {
            return;
        }
        // A program that does not read its input may end first.
        thread::spawn(move || stdin.write_all(&bytes));
    }

    /// Waits for the end of the run. Dropping the future kills the run.
    pub async fn wait(mut self) -> Ran {
        drop(self.stdin.take());
        let killed =
            Ran { end: End::Killed, stdout: Written::default(), stderr: Written::default() };
        (&mut self.done).await.unwrap_or(killed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.killer.kill();
    }
}

impl Killer {
    /// Ends every process of the run.
    pub fn kill(&self) {
        self.end(End::Killed);
    }

    fn end(&self, end: End) {
        self.cause.set(end);
        self.sandbox.kill();
    }
}

/// The thread that copies the output of a program; the channel is closed when it has. Its own end
/// takes longer, and nobody waits for that.
struct Pump(mpsc::Receiver<()>);

impl Pump {
    fn start(output: &Arc<Output>, stdout: File, stderr: File) -> Result<Self, Missing> {
        let output = output.clone();
        let (copied, is_copied) = mpsc::channel();
        spawn(move || {
            output.pump(stdout, stderr);
            drop(copied);
        })?;
        Ok(Pump(is_copied))
    }

    /// Waits until the program can write no more.
    fn finish(self) {
        let _ = self.0.recv();
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), Missing> {
    let thread = thread::Builder::new().name("cofferdam-native".into());
    thread.stack_size(STACK).spawn(work).map(drop).map_err(|_| Missing::thread())
}

/// Serves a run until its last process has ended.
fn attend(
    supervisor: &Arc<Supervisor>,
    pump: Pump,
    killer: &Killer,
    limits: &crate::Limits,
) -> Ran {
    supervisor.serve();
    let code = killer.sandbox.wait();
    if killer.sandbox.ran_out_of_memory() {
        killer.cause.set(End::Memory(limits.memory_bytes));
    }
    if crate::lock(&killer.cause.end).is_some() {
        supervisor.output.note_killed();
    }
    pump.finish();
    supervisor.executor.end();
    let (stdout, stderr) = supervisor.output.take();
    let end = crate::lock(&killer.cause.end).take().unwrap_or(End::Exited(code));
    Ran { end, stdout, stderr }
}

/// A run that is watched.
struct Watched {
    supervisor: Arc<Supervisor>,
    killer: Killer,
    limits: crate::Limits,
    /// Closed at the end of the run.
    is_over: mpsc::Receiver<()>,
}

/// Ends a run that reaches a limit, and takes away what is no longer granted.
fn watch_over(run: Watched) {
    let Watched { supervisor, killer, limits, is_over } = run;
    let mut pause = FIRST_SAMPLE;
    loop {
        let wait = supervisor.clock.left().min(pause).max(Duration::from_millis(1));
        pause = SAMPLE;
        match is_over.recv_timeout(wait) {
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        if supervisor.clock.left().is_zero() {
            killer.end(End::TimedOut);
            break;
        }
        let usage = supervisor.sandbox.usage(limits.memory_bytes);
        // Init is one of them.
        if usage.processes > limits.processes.saturating_add(1) {
            killer.end(End::Processes(usage.processes - 1));
            break;
        }
        // T-NAT-012: where no control group keeps the limit, samples do.
        if !supervisor.sandbox.is_memory_bounded() && usage.memory_bytes > limits.memory_bytes {
            killer.end(End::Memory(usage.memory_bytes));
            break;
        }
        supervisor.follow_revocations();
    }
    supervisor.sandbox.clean_up();
}
