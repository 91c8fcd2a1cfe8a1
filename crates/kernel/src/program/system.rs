//! What the processes of one run share.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;

use cofferdam_cell::{Compiler, MemoryBudget, ProgramImage};
use cofferdam_vfs::{Caller, Files, Time, Tree};

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

/// Pipes of a run before new ones are small.
const MANY_PIPES: usize = 256;

/// Limits of the processes of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Memory of each process, in bytes.
    pub memory_bytes: u64,
    /// Memory of all processes together, in bytes.
    pub memory_sum_bytes: u64,
    /// Processes at once.
    pub processes: u64,
}

/// The programs that there are.
#[derive(Clone, Default)]
pub struct Programs {
    /// The shell, where the build has one.
    pub sh: Option<ProgramImage<Process>>,
    /// Its commands; loaded when the first of them is started.
    pub commands: Option<Later>,
    /// What makes a stranger's module ready.
    pub compiler: Option<Compiler<Process>>,
}

/// Loads a program when it is first asked for, and answers the same one from then on.
pub type Later =
    Arc<dyn Fn() -> Result<ProgramImage<Process>, cofferdam_cell::Error> + Send + Sync>;

/// Everything that a run of programs is set up with.
pub struct ProgramSetup {
    /// Time, chance, output.
    pub settings: Settings,
    /// Its files.
    pub files: Tree,
    /// How much it may use.
    pub limits: ProcessLimits,
    /// What it may start.
    pub programs: Programs,
    /// Decides which of the programs it may start.
    pub start_rules: StartRules,
    /// Runs tools for its programs, where it has any.
    pub tools: Option<Arc<dyn Tools>>,
    /// Gives back what takes long to give back.
    pub reaper: Reaper,
}

/// Drops something large where nobody waits for it.
pub type Reaper = Arc<dyn Fn(Box<dyn Send>) + Send + Sync>;

/// Exported variables and working directory, for the next run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// Absolute.
    pub cwd: Vec<u8>,
    /// Each `NAME=value`.
    pub variables: Vec<Vec<u8>>,
}

/// Limits that were hit, whatever the program made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hits {
    /// Memory was refused.
    pub memory: bool,
    /// A process was refused.
    pub processes: bool,
    /// Bytes in files were refused.
    pub fs_bytes: bool,
    /// A file was refused for their number.
    pub file_count: bool,
    /// Caps of programs themselves.
    pub caps: Caps,
}

/// Caps that a program said it has hit, and what each allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    /// How deep it calls.
    pub depth: Option<u64>,
    /// How long something that it makes becomes.
    pub expansion: Option<u64>,
}

/// Something that the run does for one of its processes, and drops with it.
pub(crate) type Errand = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What the processes of one run share.
pub(crate) struct System {
    pub(crate) setup: ProgramSetup,
    pub(crate) run_clock: RunClock,
    pub(crate) budget: Arc<MemoryBudget>,
    pub(crate) clock: Mutex<clock::Running>,
    pub(crate) random: Mutex<random::Source>,
    pub(crate) table: Mutex<Table>,
    pub(crate) newborn: Mutex<Vec<Newborn>>,
    /// Errands that have not begun, by the process that wants them.
    pub(crate) errands: Mutex<Vec<(u32, Errand)>>,
    pub(crate) denials: Denials,
    /// What [`Caps`] says; 0 for none.
    pub(crate) caps: (AtomicU64, AtomicU64),
    /// Who wants to be woken when, on the monotonic clock, by time and process.
    pub(crate) timers: Mutex<BTreeMap<(u64, u32), Waker>>,
    pub(crate) environment: Mutex<Option<Environment>>,
    /// Pipes that were made.
    pipes: AtomicUsize,
    pub(crate) fifos: Mutex<Fifos>,
    output: Mutex<(Output, Output)>,
    /// Descriptors that lead to the run's output.
    pub(crate) printers: Mutex<Vec<std::sync::Weak<crate::program::descriptor::Description>>>,
    processes_hit: AtomicBool,
    bytes_hit: AtomicBool,
    count_hit: AtomicBool,
    /// It was said that the log cannot be written.
    said_unlogged: AtomicBool,
    /// Tells runs apart where files are made for who looks at them.
    number: u32,
}

impl System {
    pub(crate) fn new(setup: ProgramSetup) -> Arc<Self> {
        let limits = setup.limits;
        let system = Arc::new(System {
            run_clock: setup.settings.run_clock.clone(),
            budget: MemoryBudget::new(limits.memory_sum_bytes),
            clock: Mutex::new(clock::Running::start(setup.settings.clock)),
            random: Mutex::new(random::Source::new(setup.settings.random)),
            table: Mutex::new(Table::new(usize::try_from(limits.processes).unwrap_or(usize::MAX))),
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

    /// The files as a process may use them now.
    pub(crate) fn files(&self, pid: u32) -> Files<'_> {
        let caller = Caller(u64::from(self.number) << 32 | u64::from(pid));
        self.setup.files.as_guest(self.now()).asked_by(caller)
    }

    pub(crate) fn print(&self, stream: Stream, bytes: &[u8]) {
        let mut output = lock(&self.output);
        let settings = &self.setup.settings;
        let kept = match stream {
            Stream::Out => output.0.write(bytes, settings.stdout_bytes),
            Stream::Err => output.1.write(bytes, settings.stderr_bytes),
        };
        if let Some(watcher) = &settings.watcher
            && !kept.is_empty()
        {
            watcher.saw(stream, kept);
        }
    }

    /// Whether what is printed there reaches nobody any more.
    pub(crate) fn is_unread(&self, stream: Stream) -> bool {
        self.setup.settings.watcher.as_ref().is_some_and(|watcher| !watcher.is_read(stream))
    }

    /// Says once in a run why programs cannot change files of the host: they hear of an I/O error.
    pub(crate) fn say_unlogged(&self, error: &cofferdam_broker::Error) {
        if !self.said_unlogged.swap(true, Ordering::Relaxed) {
            let text = format!("cofferdam: files of the host stay as they are: {error}\n");
            self.print(Stream::Err, text.as_bytes());
        }
    }

    pub(crate) fn take_output(&self) -> (Output, Output) {
        std::mem::take(&mut lock(&self.output))
    }

    /// Notes a limit that was hit.
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

    pub(crate) fn hits(&self) -> Hits {
        let cap = |cap: &AtomicU64| Some(cap.load(Ordering::Relaxed)).filter(|cap| *cap > 0);
        let caps = Caps { depth: cap(&self.caps.0), expansion: cap(&self.caps.1) };
        Hits {
            memory: self.budget.refused() > 0,
            processes: self.processes_hit.load(Ordering::Relaxed),
            fs_bytes: self.bytes_hit.load(Ordering::Relaxed),
            file_count: self.count_hit.load(Ordering::Relaxed),
            caps,
        }
    }
}

impl Drop for System {
    fn drop(&mut self) {
        crate::program::proc::forget(self.number);
    }
}
