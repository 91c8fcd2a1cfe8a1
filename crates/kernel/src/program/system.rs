//! State that the processes of one run share.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use cofferdam_cell::{Compiler, MemoryBudget, ProgramImage};
use cofferdam_vfs::{Caller, Files, Interrupt, Time, Tree};

use crate::program::crew::Newborn;
use crate::program::errno::Errno;
use crate::program::fifo::Fifos;
use crate::program::pipe;
use crate::program::process::Process;
use crate::program::start_rules::StartRules;
use crate::program::table::Table;
use crate::program::tools::Tools;
use crate::shared::clock;
use crate::shared::denials::Denials;
use crate::shared::lock::lock;
use crate::shared::output::{Output, Stream};
use crate::shared::random;
use crate::shared::run_clock::RunClock;
use crate::tool::kernel::Settings;

/// Number of pipes in a run from which new pipes are small.
// T-PROC-008: memory of the host that processes use.
const MANY_PIPES: usize = 256;

/// Limits of the processes of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Memory of each process, in bytes.
    pub memory_bytes: u64,
}

/// Programs that can be started.
#[derive(Clone, Default)]
pub struct Programs {
    /// The shell, if the build has one.
    pub sh: Option<ProgramImage<Process>>,
    /// Commands of the shell; loaded when the first one is started.
    pub commands: Option<Later>,
    /// `git`; loaded when it is first started.
    pub git: Option<Later>,
    /// The most common commands as a smaller program, if the build has one.
    pub basics: Option<Later>,
    /// Compiles modules that are not part of the build.
    pub compiler: Option<Compiler<Process>>,
}

/// Loads a program on first use, and returns the same one from then on.
pub type Later =
    Arc<dyn Fn() -> Result<ProgramImage<Process>, cofferdam_cell::Error> + Send + Sync>;

/// Everything that a run of programs is set up with.
pub struct ProgramSetup {
    /// Time, randomness, output and the desk.
    pub settings: Settings,
    /// Files of the sandbox.
    pub files: Tree,
    /// Limits of its processes.
    pub limits: ProcessLimits,
    /// Programs that it can start.
    pub programs: Programs,
    /// Decides which of the programs it may start.
    pub start_rules: StartRules,
    /// Runs tools for its programs, if the sandbox has any.
    pub tools: Option<Arc<dyn Tools>>,
    /// Frees large values on another thread.
    pub reaper: Reaper,
}

/// Drops a large value where nothing waits for it.
pub type Reaper = Arc<dyn Fn(Box<dyn Send>) + Send + Sync>;

/// Exported variables and working directory, for the next run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// Absolute.
    pub cwd: Vec<u8>,
    /// Each `NAME=value`.
    pub variables: Vec<Vec<u8>>,
}

/// Limits that were hit, regardless of the reaction of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hits {
    /// Memory was refused.
    pub memory: bool,
    /// A process was refused.
    pub processes: bool,
    /// Bytes in files were refused.
    pub fs_bytes: bool,
    /// A file was refused because of the number of files.
    pub file_count: bool,
    /// Memory that compiling a module may use, if one took more.
    pub compiling: Option<u64>,
    /// Caps of the programs themselves.
    pub caps: Caps,
}

/// Caps that a program reported as hit, with the allowed amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    /// Depth of calls.
    pub depth: Option<u64>,
    /// Length of an expansion.
    pub expansion: Option<u64>,
}

/// Work that a run does for one of its processes, and drops with the process.
pub(crate) type Errand = Pin<Box<dyn Future<Output = ()> + Send>>;

/// State that the processes of one run share.
pub(crate) struct System {
    pub(crate) setup: ProgramSetup,
    pub(crate) run_clock: RunClock,
    /// Ends long file operations when the run is over.
    until: Interrupt,
    /// Shared with everything else that the run has started.
    pub(crate) budget: Arc<MemoryBudget>,
    /// Refusals of the budget before these programs started.
    refused_before: u64,
    pub(crate) clock: Mutex<clock::Running>,
    pub(crate) random: Mutex<random::Source>,
    pub(crate) table: Mutex<Table>,
    pub(crate) newborn: Mutex<Vec<Newborn>>,
    /// Errands that have not begun, by process.
    pub(crate) errands: Mutex<Vec<(u32, Errand)>>,
    pub(crate) denials: Denials,
    /// Allowed amounts of [`Caps`]; 0 for none.
    pub(crate) caps: (AtomicU64, AtomicU64),
    /// Wakers of sleeping processes, by due time on the monotonic clock and by process.
    pub(crate) timers: Mutex<BTreeMap<(u64, u32), Waker>>,
    pub(crate) environment: Mutex<Option<Environment>>,
    /// Number of pipes made so far.
    pipes: AtomicUsize,
    pub(crate) fifos: Mutex<Fifos>,
    output: Mutex<(Output, Output)>,
    /// Descriptors that lead to the output of the run.
    pub(crate) printers: Mutex<Vec<std::sync::Weak<crate::program::descriptor::Description>>>,
    processes_hit: AtomicBool,
    bytes_hit: AtomicBool,
    count_hit: AtomicBool,
    /// Allowed memory of compiling, if it was used up; 0 otherwise.
    compiling_hit: AtomicU64,
    /// The failure of the audit log was reported.
    said_unlogged: AtomicBool,
    /// Tells runs apart in files such as `/proc/self`.
    number: u32,
}

impl System {
    pub(crate) fn new(setup: ProgramSetup) -> Arc<Self> {
        let allowance = &setup.settings.allowance;
        let system = Arc::new(System {
            run_clock: setup.settings.run_clock.clone(),
            until: setup.settings.run_clock.file_interrupt(),
            refused_before: allowance.memory().refused(),
            budget: allowance.memory().clone(),
            clock: Mutex::new(clock::Running::start(setup.settings.clock)),
            random: Mutex::new(random::Source::new(setup.settings.random)),
            table: Mutex::new(Table::new(allowance.processes().clone())),
            newborn: Mutex::default(),
            errands: Mutex::default(),
            denials: Denials::default(),
            caps: Default::default(),
            timers: Mutex::default(),
            environment: Mutex::default(),
            pipes: AtomicUsize::new(0),
            fifos: Mutex::default(),
            output: Mutex::default(),
            printers: Mutex::default(),
            processes_hit: AtomicBool::new(false),
            bytes_hit: AtomicBool::new(false),
            count_hit: AtomicBool::new(false),
            compiling_hit: AtomicU64::new(0),
            said_unlogged: AtomicBool::new(false),
            number: crate::program::proc::next_number(),
            setup,
        });
        crate::program::proc::register(system.number, &system);
        system
    }

    /// Returns the capacity of the next pipe.
    pub(crate) fn pipe_capacity(&self) -> usize {
        match self.pipes.fetch_add(1, Ordering::Relaxed) >= MANY_PIPES {
            true => pipe::SMALL_CAPACITY,
            false => pipe::CAPACITY,
        }
    }

    /// Returns the time that files are marked with.
    pub(crate) fn now(&self) -> Time {
        Time(lock(&self.clock).wall_ns())
    }

    /// Returns the files as a process may use them now.
    pub(crate) fn files(&self, pid: u32) -> Files<'_> {
        let caller = Caller(u64::from(self.number) << 32 | u64::from(pid));
        self.setup.files.as_guest(self.now()).asked_by(caller).until(&self.until)
    }

    pub(crate) fn print(&self, stream: Stream, bytes: &[u8]) {
        let mut output = lock(&self.output);
        let settings = &self.setup.settings;
        let watcher = settings.watcher.as_deref();
        match stream {
            Stream::Out => output.0.print(stream, bytes, settings.stdout_bytes, watcher),
            Stream::Err => output.1.print(stream, bytes, settings.stderr_bytes, watcher),
        }
    }

    /// Returns ready if the reader of a stream takes more.
    pub(crate) fn poll_room(&self, stream: Stream, cx: &mut Context<'_>) -> Poll<()> {
        match &self.setup.settings.watcher {
            Some(watcher) => watcher.poll_room(stream, cx),
            None => Poll::Ready(()),
        }
    }

    /// Returns true if nobody reads the stream any more.
    pub(crate) fn is_unread(&self, stream: Stream) -> bool {
        self.setup.settings.watcher.as_ref().is_some_and(|watcher| !watcher.is_read(stream))
    }

    /// Reports once in a run why programs cannot change files of the host; they receive an I/O
    /// error.
    pub(crate) fn say_unlogged(&self, error: &cofferdam_broker::Error) {
        if !self.said_unlogged.swap(true, Ordering::Relaxed) {
            let text = format!("cofferdam: files of the host stay as they are: {error}\n");
            self.print(Stream::Err, text.as_bytes());
        }
    }

    pub(crate) fn take_output(&self) -> (Output, Output) {
        std::mem::take(&mut lock(&self.output))
    }

    /// Records a limit that was hit.
    pub(crate) fn note(&self, errno: Errno) {
        if errno != Errno::NoSpace {
            return;
        }
        let (files, usage) = (&self.setup.files, self.setup.files.usage());
        match usage.nodes >= files.limits().nodes {
            true => self.count_hit.store(true, Ordering::Relaxed),
            false => self.bytes_hit.store(true, Ordering::Relaxed),
        }
    }

    pub(crate) fn note_processes(&self) {
        self.processes_hit.store(true, Ordering::Relaxed);
    }

    /// Records that a module took more memory to compile than this.
    pub(crate) fn note_compiling(&self, allowed: u64) {
        self.compiling_hit.store(allowed, Ordering::Relaxed);
    }

    pub(crate) fn hits(&self) -> Hits {
        let cap = |cap: &AtomicU64| Some(cap.load(Ordering::Relaxed)).filter(|cap| *cap > 0);
        let caps = Caps { depth: cap(&self.caps.0), expansion: cap(&self.caps.1) };
        Hits {
            memory: self.budget.refused() > self.refused_before,
            processes: self.processes_hit.load(Ordering::Relaxed),
            fs_bytes: self.bytes_hit.load(Ordering::Relaxed),
            file_count: self.count_hit.load(Ordering::Relaxed),
            compiling: cap(&self.compiling_hit),
            caps,
        }
    }
}

impl Drop for System {
    fn drop(&mut self) {
        crate::program::proc::forget(self.number);
    }
}
