//! Runs one tool: checks the source, takes a cell, enters it until the tool is done, and makes the
//! outcome.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam_abi::entry::{Code, Entry, Form, Leave, Start, Thrown};
use cofferdam_abi::value;
use cofferdam_abi::wire::Writer;
use cofferdam_broker::{Cost, Desk, Event};
use cofferdam_cell::{Cell, Image, KillSwitch, Stop};
use cofferdam_kernel::{
    Allowance, Commands, Console, KeptCode, Kernel, Output, RunClock, Settings, Stream, Watcher,
};

use crate::error::{Error, ErrorKind};
use crate::interrupted::Interrupted;
use crate::limits::{Limit, Limits};
use crate::outcome::{Ending, Exhausted, Outcome, Position, ScriptError};
use crate::run::RunSettings;
use crate::sandbox::SandboxState;
use crate::script;
use crate::session::Slot;
use crate::shell_tools::Slots;
use crate::surface;
use crate::tool::{Engine, Language, Tool};
use crate::tool_commands::ToolCommands;
use crate::typescript;

/// Memory of all processes of a run together, with host memory held for the run, as a multiple of
/// the memory of one cell.
const MEMORY_SUM: u64 = 4;

/// Room for a reply other than a result: an exception with its stack.
const ERROR_ROOM: usize = 512 << 10;

/// Longest time limit. Adding more to an `Instant` can overflow on some platforms.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// State that a run shares with every tool and command it starts.
#[derive(Clone)]
pub(crate) struct Course {
    pub(crate) state: Arc<SandboxState>,
    pub(crate) began: Instant,
    /// Kill switch, deadline and pauses of the run and of everything it starts.
    pub(crate) clock: RunClock,
    pub(crate) desk: Desk,
    /// Host memory and processes of the run and of everything it starts.
    pub(crate) allowance: Allowance,
    /// Slots for tools started by programs, shared by the whole run.
    pub(crate) slots: Slots,
    /// Output of a tool started by a program (the `js` command).
    pub(crate) console: Option<Console>,
    /// True for a tool or command that the run started, which does not end the run.
    pub(crate) is_part_of_run: bool,
    /// Limits of this run.
    limits: Limits,
    /// Observer of this run's output, in place of the sandbox's.
    watcher: Option<Arc<dyn Watcher>>,
}

impl Course {
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the kernel settings of a program in this run.
    pub(crate) fn program_settings(&self) -> Settings {
        self.kernel_settings(None)
    }

    fn kernel_settings(&self, commands: Option<Arc<dyn Commands>>) -> Settings {
        let mut settings = self.state.settings(self, commands);
        settings.stdout_bytes = self.limits.stdout_bytes as usize;
        settings.stderr_bytes = self.limits.stderr_bytes as usize;
        settings.call_bytes = self.limits.call_bytes as usize;
        settings.fetch_bytes = self.limits.fetch_bytes as usize;
        if let Some(watcher) = &self.watcher {
            settings.watcher = Some(watcher.clone());
        }
        settings
    }

    /// Returns the kernel settings of a tool in this run.
    pub(crate) fn settings(&self) -> Settings {
        let commands = Arc::new(ToolCommands(self.clone()));
        let mut settings = self.kernel_settings(Some(commands));
        if let Some(console) = &self.console {
            settings.watcher = Some(Arc::new(console.clone()));
            settings.console = Some(console.clone());
        }
        settings
    }

    /// Returns a course for a tool or command that begins now, with the same deadline and grants.
    pub(crate) fn anew(&self, console: Option<Console>) -> Self {
        Course { began: Instant::now(), console, is_part_of_run: true, ..self.clone() }
    }

    /// Returns the outcome, and records the end of the run in the audit log.
    pub(crate) fn outcome(&self, ending: Ending, (stdout, stderr): (Output, Output)) -> Outcome {
        let (denials, duration) = (self.desk.denials(), self.began.elapsed());
        let unseen = Vec::new();
        let outcome = Outcome { ending, stdout, stderr, denials, unseen, duration };
        if self.is_part_of_run {
            return outcome;
        }
        if let Ending::Stopped(exhausted) = &outcome.ending {
            let (event, what) = match exhausted {
                Exhausted::Time { .. } => (Event::Limit, "time"),
                Exhausted::Cancelled { .. } => (Event::Kill, "cancelled"),
                Exhausted::Limit { limit, .. } => (Event::Limit, limit.name()),
            };
            self.desk.stopped(event, what);
        }
        let class = outcome.error_class().map_or("finished", |class| class.name());
        let cost = Cost { micros: outcome.duration.as_micros() as u64, bytes: 0 };
        self.desk.end(class, cost);
        outcome
    }
}

pub(crate) fn course(
    state: &Arc<SandboxState>,
    identity: Arc<str>,
    switch: &KillSwitch,
    began: Instant,
    settings: &RunSettings,
) -> Course {
    let limits = settings.limits.unwrap_or(state.limits);
    let deadline = began + limits.time.min(FOREVER);
    Course {
        state: state.clone(),
        began,
        clock: RunClock::new(switch.clone(), deadline),
        desk: state.desk(identity, settings.name.as_deref()),
        allowance: Allowance::new(limits.memory_bytes.saturating_mul(MEMORY_SUM), limits.processes),
        slots: Slots::default(),
        console: None,
        is_part_of_run: false,
        limits,
        watcher: settings.watcher.clone(),
    }
}

/// Runs a tool in a fresh cell.
pub(crate) async fn fresh(
    state: &Arc<SandboxState>,
    tool: &Tool,
    switch: &KillSwitch,
    settings: &RunSettings,
) -> Result<Outcome, Error> {
    let course = course(state, tool.identity(), switch, Instant::now(), settings);
    let (ending, output) = run_on_course(&course, tool).await?;
    Ok(course.outcome(ending, output))
}

/// Runs a tool within a run that is under way, without recording its end in the audit log.
pub(crate) async fn run_on_course(
    course: &Course,
    tool: &Tool,
) -> Result<(Ending, (Output, Output)), Error> {
    match run_in_fresh_cell(course, tool).await {
        Ok(ended) => Ok(ended),
        Err(interrupted) => Ok((interrupted.ending()?, Default::default())),
    }
}

async fn run_in_fresh_cell(
    course: &Course,
    tool: &Tool,
) -> Result<(Ending, (Output, Output)), Interrupted> {
    let members = surface::members(course, tool).await?;
    let source = guest_source(course, tool, tool.form).await?;
    let mut settings = course.settings();
    settings.code.clone_from(&source.to_keep);
    settings.types = Some(Arc::new(script::Types(course.clone())));
    if let Some(input) = &tool.script.input {
        settings.console = Some(input.clone());
    }
    let mut cell = take_cell(course, settings, image(course, tool, tool.uses_library())?)?;
    let message = start_message(course, tool, &source, &members);
    let ending = drive(course, &mut cell, &message).await?;
    let output = printed(&mut cell, &ending);
    course.state.runtime.reaper().take(cell);
    Ok((ending, output))
}

/// Runs a script in a kept cell. The cell is discarded if anything stops the run.
// T-CELL-019: a run killed half-way.
pub(crate) async fn kept(
    state: &Arc<SandboxState>,
    tool: &Tool,
    switch: &KillSwitch,
    slot: &Slot,
    began: Instant,
    settings: &RunSettings,
) -> Result<Outcome, Error> {
    let course = course(state, tool.identity(), switch, began, settings);
    let (ending, output) = match run_in_kept_cell(&course, tool, slot).await {
        Ok(ended) => ended,
        Err(interrupted) => (interrupted.ending()?, Default::default()),
    };
    Ok(course.outcome(ending, output))
}

async fn run_in_kept_cell(
    course: &Course,
    tool: &Tool,
    slot: &Slot,
) -> Result<(Ending, (Output, Output)), Interrupted> {
    // Another run of the session may hold the slot. Waiting for it can be cancelled like the run
    // itself.
    let mut slot = match course.clock.wait(slot.lock()).await {
        Ok(slot) => slot,
        Err(stop) => return Err(stopped(course, stop, String::new())?.into()),
    };
    let members = surface::members(course, tool).await?;
    let source = guest_source(course, tool, Form::Kept).await?;
    // Taken out while the tool runs: if this future is dropped half-way, the cell is dropped with
    // it. The cell of one language cannot run the other.
    let engine = tool.engine();
    let mut cell = match slot.take(engine) {
        Some(mut cell) => {
            cell.rearm(course.clock.switch().clone(), course.clock.deadline());
            cell.host_mut().restart(course.settings());
            cell
        }
        // The scripts that follow are not known yet.
        None => take_cell(course, course.settings(), image(course, tool, true)?)?,
    };
    let message = start_message(course, tool, &source, &members);
    let ending = drive(course, &mut cell, &message).await?;
    let output = printed(&mut cell, &ending);
    // A cell is reused only if it left by itself, without being asked to stop.
    let is_whole = cell.came_back() && cell.asked_to_stop().is_none();
    match ending {
        Ending::Returned(_) | Ending::Threw(_) | Ending::Denied(_) if is_whole => {
            slot.put(engine, cell);
        }
        Ending::Returned(_)
        | Ending::Threw(_)
        | Ending::Denied(_)
        | Ending::Exited(_)
        | Ending::Stopped(_) => {
            course.state.runtime.reaper().take(cell);
        }
    }
    Ok((ending, output))
}

/// Returns the output of the run. A denial that ended the run is appended to standard error as one
/// line of JSON, for callers that see only the text.
fn printed(cell: &mut Cell<Kernel>, ending: &Ending) -> (Output, Output) {
    if let Ending::Denied(denied) = ending {
        cell.host_mut().say(Stream::Err, &format!("{}\n", denied.to_json()));
    }
    cell.host_mut().take_output()
}

/// A tool in the form that a cell takes: source or compiled code.
struct GuestSource<'a> {
    form: Form,
    /// JavaScript or Python; empty if `code` is present.
    text: Cow<'a, str>,
    code: Option<&'a [u8]>,
    /// Slot for the compiled code, if it should be kept.
    to_keep: Option<KeptCode>,
}

/// Checks the length of the source and turns TypeScript into JavaScript, before a cell is taken.
// T-CELL-017: a source that is too long.
async fn guest_source<'a>(
    course: &Course,
    tool: &'a Tool,
    form: Form,
) -> Result<GuestSource<'a>, Interrupted> {
    let (len, allowed) = (tool.source.len() as u64, course.limits().source_bytes);
    if len > allowed {
        return Err(exceeded(Limit::Source, allowed, Some(len)).into());
    }
    let to_keep = match form {
        Form::Detect | Form::Body => {
            if let Some(code) = tool.compiled.code() {
                let (form, text) = (Form::Body, Cow::Borrowed(""));
                return Ok(GuestSource { form, text, code: Some(code), to_keep: None });
            }
            tool.compiled.to_keep()
        }
        Form::Module | Form::Kept => None,
    };
    let (form, text) = match tool.language {
        Language::JavaScript | Language::Python => (form, Cow::Borrowed(tool.source.as_str())),
        Language::TypeScript => {
            let (form, stripped) = typescript::strip(course, tool, form).await?;
            (form, Cow::Owned(stripped))
        }
    };
    Ok(GuestSource { form, text, code: None, to_keep })
}

/// Returns the guest that runs a tool. `with_library` selects one with Node's modules loaded.
fn image<'a>(
    course: &'a Course,
    tool: &Tool,
    with_library: bool,
) -> Result<&'a Image<Kernel>, Error> {
    let runtime = &course.state.runtime;
    match tool.engine() {
        Engine::JavaScript => runtime.js(course.state.boundary, with_library),
        Engine::Python => runtime.py(),
    }
}

// T-CELL-003: memory of the cell.
fn take_cell(
    course: &Course,
    settings: Settings,
    image: &Image<Kernel>,
) -> Result<Cell<Kernel>, Interrupted> {
    let limits = course.limits();
    if image.memory_bytes() > limits.memory_bytes {
        let wanted = Some(image.memory_bytes());
        return Err(exceeded(Limit::Memory, limits.memory_bytes, wanted).into());
    }
    let of_cell = cofferdam_cell::Limits {
        memory_bytes: limits.memory_bytes,
        reply_bytes: (limits.result_bytes as usize).max(ERROR_ROOM).saturating_add(64),
    };
    let kernel = Kernel::new(settings);
    let clock = &course.clock;
    course.state.runtime.make_room();
    Ok(Cell::new(image, kernel, of_cell, clock.switch().clone(), clock.deadline())?)
}

fn start_message(
    course: &Course,
    tool: &Tool,
    source: &GuestSource<'_>,
    members: &[String],
) -> Vec<u8> {
    let mut args = Writer::new();
    value::encode(&tool.args, &mut args);
    let cwd = course.state.cwd();
    let mut message = Writer::new();
    Entry::Start(Start {
        form: source.form,
        file: &tool.name,
        source: &source.text,
        code: match (source.code, &source.to_keep) {
            (Some(code), _) => Code::Kept(code),
            (None, Some(_)) => Code::ToKeep,
            (None, None) => Code::Unkept,
        },
        args: args.as_bytes(),
        result_bytes: course.limits().result_bytes.min(u64::from(u32::MAX)) as u32,
        members: members.iter().map(String::as_str).collect(),
        script: tool.script.to_abi(&cwd),
    })
    .write(&mut message);
    message.finish()
}

/// Enters the cell repeatedly until the tool is done or stopped.
pub(crate) async fn drive(
    course: &Course,
    cell: &mut Cell<Kernel>,
    first: &[u8],
) -> Result<Ending, Error> {
    let mut reply = course.clock.compute(cell.enter(first)).await;
    loop {
        let bytes = match reply {
            Ok(bytes) => bytes,
            Err(stop) => return stopped(course, stop, String::new()),
        };
        match Leave::read(&bytes) {
            Ok(Leave::Waiting) => {
                let (kernel, memory) = cell.host_and_memory();
                let settled = match memory.during(kernel.settle_next()).await {
                    Ok(settled) => settled,
                    Err(stop) => return stopped(course, stop, String::new()),
                };
                cell.set_deadline(course.clock.deadline());
                let mut message = Writer::new();
                settled.write(&mut message);
                reply = course.clock.compute(cell.enter(message.as_bytes())).await;
            }
            Ok(leave) => return ending(course, cell, leave),
            Err(malformed) => {
                let what = format!("reply: {malformed}");
                return stopped(course, Stop::Breach(what), String::new());
            }
        }
    }
}

// T-CELL-014: a result or exception that is too long.
fn ending(course: &Course, cell: &Cell<Kernel>, leave: Leave<'_>) -> Result<Ending, Error> {
    let allowed = course.limits().result_bytes;
    Ok(match leave {
        Leave::Finished(packed) if packed.len() as u64 > allowed => {
            exceeded(Limit::Result, allowed, Some(packed.len() as u64))
        }
        Leave::Finished(packed) => match value::decode(packed) {
            Ok(value) => Ending::Returned(value),
            Err(malformed) => broke_the_rules(&format!("result: {malformed}")),
        },
        // QuickJS throws a bare `null` if memory does not suffice for an error object.
        Leave::Threw(thrown)
            if cell.memory_refused() && thrown.name.is_empty() && thrown.message == "null" =>
        {
            exceeded(Limit::Memory, course.limits().memory_bytes, None)
        }
        Leave::Threw(thrown) => match cell.host().denials().get(&thrown.request_id) {
            Some(denied) => Ending::Denied(denied),
            None => Ending::Threw(script_error(thrown)),
        },
        // A promise stays pending if memory runs out while it is settled.
        Leave::OutOfMemory | Leave::Stuck if cell.memory_refused() => {
            exceeded(Limit::Memory, course.limits().memory_bytes, None)
        }
        Leave::Stuck => Ending::Threw(ScriptError {
            name: "Error".into(),
            message: "the tool waits for a promise that nothing can settle any more".into(),
            ..ScriptError::default()
        }),
        Leave::Interrupted(stack) => {
            let stop = cell.asked_to_stop().unwrap_or(Stop::Killed);
            return stopped(course, stop, stack);
        }
        Leave::Exited(code) => Ending::Exited(code),
        Leave::ResultTooLong => exceeded(Limit::Result, allowed, None),
        Leave::OutOfMemory => Ending::Threw(ScriptError {
            name: "InternalError".into(),
            message: "out of memory".into(),
            ..ScriptError::default()
        }),
        Leave::Waiting => broke_the_rules("reply: waiting"),
    })
}

/// Maps a stop from outside to the ending that the caller sees.
pub(crate) fn stopped(course: &Course, stop: Stop, stack: String) -> Result<Ending, Error> {
    let limits = course.limits();
    Ok(match stop {
        Stop::Deadline => Ending::Stopped(Exhausted::Time { limit: limits.time, stack }),
        Stop::Killed => Ending::Stopped(Exhausted::Cancelled { stack }),
        Stop::Memory => exceeded(Limit::Memory, limits.memory_bytes, None),
        Stop::HostMemory(allowed) => exceeded(Limit::HostMemory, allowed, None),
        Stop::Stack => exceeded(Limit::Stack, 0, None),
        Stop::ReplyTooLong(len) => exceeded(Limit::Result, limits.result_bytes, Some(len as u64)),
        Stop::Breach(what) => broke_the_rules(&what),
        Stop::Trap(what) => Ending::Threw(ScriptError {
            name: "GuestError".into(),
            message: format!("the guest failed: {what}"),
            ..ScriptError::default()
        }),
        other => return Err(Error::new(ErrorKind::Internal, other.to_string())),
    })
}

pub(crate) fn exceeded(limit: Limit, allowed: u64, wanted: Option<u64>) -> Ending {
    Ending::Stopped(Exhausted::Limit { limit, allowed, wanted })
}

/// Returns the ending of a run whose guest sent a malformed message: its code has been taken over.
fn broke_the_rules(what: &str) -> Ending {
    Ending::Threw(ScriptError {
        name: "GateError".into(),
        message: format!("malformed message from the guest: {what}"),
        ..ScriptError::default()
    })
}

pub(crate) fn script_error(thrown: Thrown) -> ScriptError {
    ScriptError {
        name: thrown.name,
        message: thrown.message,
        stack: thrown.stack,
        position: thrown.position.map(|(line, column)| Position { line, column }),
    }
}
