//! The way of one program: its world is put together, it runs, and what became of it is told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use cofferdam_caps::Kind;
use cofferdam_cell::{Finish, KillSwitch, TrapKind};
use cofferdam_kernel::{
    self as kernel, Hits, ProcessLimits, Ran, RanEnding, Settings, Stdin, World as Of,
};
use cofferdam_vfs::Mode;

use crate::allowlist::Allowlist;
use crate::command::Command;
use crate::drive::{self, Course, exceeded};
use crate::error::Error;
use crate::files;
use crate::limits::Limit;
use crate::outcome::{Ending, Outcome, ScriptError};
use crate::sandbox::{World, lock};
use crate::shell_tools::ShellTools;

/// How many times the memory of one process all of a run have together.
const MEMORY_SUM: u64 = 4;

/// Runs a program and all that it starts.
pub(crate) async fn run(
    world: &Arc<World>,
    command: Command,
    switch: &KillSwitch,
) -> Result<Outcome, Error> {
    let name = command.name();
    let course = drive::course(world, &name, switch, Instant::now());
    // A sandbox that was given commands by name has those; one that was given none has all.
    let allowlist = match course.desk.sees(Kind::ProcessExec)? {
        true => Some(Arc::new(Allowlist::new(course.desk.clone(), None))),
        false => None,
    };
    let settings = world.settings(course.desk.clone(), None);
    run_in(&course, settings, command, allowlist).await
}

/// The same for a command of a tool, which may start what the tool may and nothing else.
pub(crate) async fn run_in(
    course: &Course,
    mut settings: Settings,
    command: Command,
    allowlist: Option<Arc<Allowlist>>,
) -> Result<Outcome, Error> {
    let world = &course.world;
    let limits = course.limits();
    if command.source_bytes > limits.source_bytes {
        let ending = exceeded(Limit::Source, limits.source_bytes, Some(command.source_bytes));
        return Ok(course.outcome(ending, Default::default()));
    }
    settings.asking = course.term.asking.clone();
    let trouble = Arc::default();
    let tools = ShellTools { course: course.clone(), trouble: Arc::clone(&trouble) };
    let of = Of {
        settings,
        files: world.resources.files.clone(),
        limits: ProcessLimits {
            memory_bytes: limits.memory_bytes,
            memory_sum_bytes: limits.memory_bytes.saturating_mul(MEMORY_SUM),
            processes: limits.processes,
        },
        programs: world.runtime.programs()?.clone(),
        policy: match &allowlist {
            Some(allowlist) => allowlist.clone(),
            None => world.policy.clone(),
        },
        tools: Some(Arc::new(tools)),
        reaper: world.runtime.reap(),
    };
    let command = prepare(world, command);
    let alarm = world.runtime.engine().alarm();
    let ran =
        kernel::run_program(of, command, &course.term.switch, alarm, course.term.deadline).await?;
    if let Some(environment) = &ran.environment {
        world.keep_environment(environment);
    }
    let mut ending = ending(course, &ran)?;
    // Who failed after it was denied something, or after its tool was stopped, failed for that.
    let command = allowlist.and_then(|allowlist| allowlist.denied());
    let denied = command.clone().or(ran.denied);
    let trouble = denied.map(Ending::Denied).or_else(|| lock(&trouble).take());
    if let (Ending::Exited(1..) | Ending::Threw(_), Some(trouble)) = (&ending, trouble) {
        ending = trouble;
    }
    let mut outcome = course.outcome(ending, (ran.stdout, ran.stderr));
    outcome.denied = command.filter(|_| !matches!(outcome.ending, Ending::Denied(_)));
    Ok(outcome)
}

/// Fills in what the sandbox has where the command says nothing.
fn prepare(world: &World, command: Command) -> kernel::Command {
    let cwd = command.cwd.unwrap_or_else(|| lock(&world.cwd).clone());
    let mut env: BTreeMap<&str, &str> = BTreeMap::new();
    let variables = lock(&world.resources.variables);
    if command.inherits_env {
        env.extend(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    }
    env.extend(command.env.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    for name in &command.removed {
        env.remove(name.as_str());
    }
    if command.inherits_env {
        env.insert("PWD", &cwd);
    }
    let env = env.into_iter().map(|(name, value)| [name, value].join("=").into()).collect();
    drop(variables);
    // A working directory that is not there is made; where it cannot be, the program will say so.
    let _ = world.resources.files.as_guest(files::now()).make_directories(&cwd, Mode::DIRECTORY);
    kernel::Command {
        executable: command.executable,
        argv: command.argv,
        env,
        cwd,
        stdin: command.stdin.unwrap_or_else(|| Stdin::Bytes(world.stdin.clone())),
        terminal: command.terminal,
        preopens: command.preopens,
    }
}

fn ending(course: &Course, ran: &Ran) -> Result<Ending, Error> {
    let memory = course.limits().memory_bytes;
    Ok(match &ran.ending {
        RanEnding::Finished(Finish::Exited(code)) => exited(course, (*code & 0xff) as u8, ran.hits),
        RanEnding::Finished(Finish::Signalled(signal)) => {
            exited(course, 128u8.saturating_add(*signal), ran.hits)
        }
        RanEnding::Finished(Finish::Trapped(TrapKind::OutOfMemory)) => {
            exceeded(Limit::Memory, memory, None)
        }
        RanEnding::Finished(Finish::Trapped(TrapKind::Stack)) => exceeded(Limit::Stack, 0, None),
        RanEnding::Finished(Finish::Trapped(kind)) => {
            failed("Trap", format!("the program failed: {}", kind.text()))
        }
        RanEnding::Stopped(stop) => drive::stopped(course, stop.clone(), String::new())?,
        RanEnding::NotStarted { errno: kernel::Errno::Again, .. } => {
            exceeded(Limit::Processes, course.limits().processes, None)
        }
        RanEnding::NotStarted { message, .. } => failed("ExecError", message.clone()),
    })
}

/// A program that failed after it hit a limit failed for it; one that came through did not.
fn exited(course: &Course, code: u8, hits: Hits) -> Ending {
    let limits = course.limits();
    if code == 0 {
        return Ending::Exited(code);
    }
    if hits.memory {
        exceeded(Limit::Memory, limits.memory_bytes, None)
    } else if hits.processes {
        exceeded(Limit::Processes, limits.processes, None)
    } else if hits.fs_bytes {
        exceeded(Limit::FsBytes, limits.fs_bytes, None)
    } else if hits.file_count {
        exceeded(Limit::FileCount, limits.file_count, None)
    } else if let Some(allowed) = hits.caps.depth {
        exceeded(Limit::Stack, allowed, None)
    } else if let Some(allowed) = hits.caps.expansion {
        exceeded(Limit::Expansion, allowed, None)
    } else {
        Ending::Exited(code)
    }
}

fn failed(name: &str, message: String) -> Ending {
    Ending::Threw(ScriptError { name: name.into(), message, ..ScriptError::default() })
}
