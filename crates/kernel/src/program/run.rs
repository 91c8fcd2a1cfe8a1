//! One run of a program: its first process, and all processes that it starts.
//!
//! Meets T-PROC-009.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use cofferdam_broker::PermissionError;
use cofferdam_cell::{Alarm, Error, Finish, Stop};

use crate::program::crew::{Crew, Halt};
use crate::program::descriptor::{Description, Descriptor, Descriptors, Object};
use crate::program::errno::Errno;
use crate::program::pipe::{self, Reader, Writer};
use crate::program::signal::Signals;
use crate::program::spawn::{self, Found, Launch, NotStarted};
use crate::program::system::{Environment, Hits, ProgramSetup, System};
use crate::shared::lock::lock;
use crate::shared::output::{Output, Stream};

/// Memory up to this size is freed faster than a thread is woken.
const SMALL: u64 = 16 << 20;

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Executable {
    /// A command of the sandbox, or the absolute path of a file in it.
    Named(String),
    /// A module, as bytes.
    Module(Vec<u8>),
}

/// Standard input of the first process.
#[derive(Debug)]
pub enum Stdin {
    /// These bytes, and then the end.
    Bytes(Vec<u8>),
    /// Bytes that are written while the run goes on.
    Stream(Reader),
}

/// Creates standard input that is written while the run goes on.
pub fn stdin() -> (Writer, Stdin) {
    let (reader, writer) = pipe::pipe(pipe::CAPACITY);
    (writer, Stdin::Stream(reader))
}

/// Terminal of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Terminal {
    /// None: output is kept or passed on.
    #[default]
    None,
    /// Standard input, output and error are a terminal.
    All,
}

/// Directories that a program finds open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preopens {
    /// The root of the sandbox's files, as `/`.
    #[default]
    Root,
    /// None.
    Nothing,
}

/// The first process of a run.
#[derive(Debug)]
pub struct Command {
    /// The program.
    pub executable: Executable,
    /// Arguments; the first one is the program's name.
    pub argv: Vec<Vec<u8>>,
    /// Variables, each `NAME=value`.
    pub env: Vec<Vec<u8>>,
    /// Working directory, absolute.
    pub cwd: String,
    /// Standard input.
    pub stdin: Stdin,
    /// Terminal of standard input, output and error.
    pub terminal: Terminal,
    /// Directories that are open.
    pub preopens: Preopens,
}

/// Result of a run.
#[derive(Debug)]
pub struct Ran {
    /// Ending of the first process, or the reason why it did not end by itself.
    pub ending: RanEnding,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Limits that were hit during the run.
    pub hits: Hits,
    /// Most recent denial of a request to the network.
    pub denied: Option<PermissionError>,
    /// Most recent denial of a program to start.
    pub denied_program: Option<PermissionError>,
    /// Environment of the next run in the sandbox, if the program set one.
    pub environment: Option<Environment>,
}

/// Ending of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RanEnding {
    /// The first process ended.
    Finished(Finish),
    /// The run was stopped from outside, or broke the rules.
    Stopped(Stop),
    /// The program could not be started.
    NotStarted {
        /// Kind of the failure.
        errno: Errno,
        /// Message for a person.
        message: String,
    },
}

/// Runs a program and everything that it starts, to the end of the first process. All of them share
/// the run clock of `setup`.
pub async fn run(setup: ProgramSetup, command: Command, alarm: &Alarm) -> Result<Ran, Error> {
    let system = System::new(setup);
    let ending = match drive(&system, command, alarm).await {
        Ok(finish) => RanEnding::Finished(finish),
        Err(Halt::Stopped(stop)) => RanEnding::Stopped(stop),
        Err(Halt::NotStarted(NotStarted { errno, message })) => {
            RanEnding::NotStarted { errno, message }
        }
        Err(Halt::Failed(error)) => return Err(error),
    };
    let (stdout, stderr) = system.take_output();
    let environment = lock(&system.environment).take();
    let (hits, denied) = (system.hits(), system.denials.last());
    let denied_program = system.setup.start_rules.denied();
    Ok(Ran { ending, stdout, stderr, hits, denied, denied_program, environment })
}

async fn drive(system: &Arc<System>, command: Command, alarm: &Alarm) -> Result<Finish, Halt> {
    let clock = &system.run_clock;
    let first = clock.wait(start(system, command)).await??;
    let mut crew = Crew::new(system.clone(), first, alarm.ring_at(clock.deadline()));
    let ended = loop {
        match clock.wait_or_turn(Pin::new(&mut crew)).await {
            Ok(None) => crew.time_moved(alarm.ring_at(clock.deadline())),
            Ok(Some(ended)) => break ended,
            Err(stop) => break Err(stop.into()),
        }
    };
    if system.budget.used() > SMALL {
        (system.setup.reaper)(Box::new(crew));
    }
    ended
}

async fn start(system: &Arc<System>, command: Command) -> Result<u32, NotStarted> {
    let mut launch = Launch {
        argv: command.argv,
        env: command.env,
        cwd: command.cwd,
        descriptors: standard(system, command.stdin, command.terminal),
        state: Vec::new(),
        ignored: Signals::default(),
        mask: 0o022,
        is_command: false,
        begins_in_cwd: false,
    };
    let plain = |errno: Errno, launch: &Launch| {
        let name = launch.argv.first().map_or(&[][..], Vec::as_slice);
        NotStarted::plain(errno, &String::from_utf8_lossy(name))
    };
    launch.check().map_err(|errno| plain(errno, &launch))?;
    if command.preopens == Preopens::Root {
        launch.preopen_root(system).map_err(|errno| plain(errno, &launch))?;
    }
    let (found, name) = match command.executable {
        Executable::Named(name) => (spawn::find(system, 0, &name, &mut launch).await?, name),
        Executable::Module(bytes) => {
            let name = launch.argv.first().map_or(&[][..], Vec::as_slice);
            let name = String::from_utf8_lossy(name).into_owned();
            (Found::from_embedder(bytes), if name.is_empty() { "wasm".into() } else { name })
        }
    };
    let image = spawn::compiled(system, &name, found).await?;
    spawn::start(system, 0, image, launch).map_err(|errno| NotStarted::plain(errno, &name))
}

fn standard(system: &System, stdin: Stdin, terminal: Terminal) -> Descriptors {
    let describe = |object| match terminal {
        Terminal::None => Description::new(object, 0),
        Terminal::All => Description::terminal(object),
    };
    let input = match stdin {
        Stdin::Bytes(bytes) => Object::Input(Mutex::new((bytes.into(), 0))),
        Stdin::Stream(reader) => Object::PipeRead(reader),
    };
    let mut descriptors = Descriptors::default();
    let mut printers = lock(&system.printers);
    for (fd, object) in
        [(0, input), (1, Object::Output(Stream::Out)), (2, Object::Output(Stream::Err))]
    {
        let description = describe(object);
        if fd > 0 {
            printers.push(Arc::downgrade(&description));
        }
        // An empty table has room for three.
        let _ = descriptors.put(fd, Descriptor::new(description));
    }
    descriptors
}
