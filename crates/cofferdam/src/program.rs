//! Runs one program: assembles its world, runs it, and makes the outcome.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use cofferdam_caps::Kind;
use cofferdam_cell::{Finish, KillSwitch, TrapKind};
use cofferdam_kernel::{
    self as kernel, Hits, ProcessLimits, ProgramSetup, Ran, RanEnding, Settings, StartRules, Stdin,
};
use cofferdam_vfs::Mode;

use crate::command::Command;
use crate::drive::{self, Course, exceeded};
use crate::error::Error;
use crate::files;
use crate::limits::Limit;
use crate::outcome::{Ending, Outcome, ScriptError};
use crate::run::RunSettings;
use crate::sandbox::{SandboxState, lock};
use crate::shell_tools::ShellTools;

/// Runs a program and every process that it starts.
pub(crate) async fn run(
    state: &Arc<SandboxState>,
    command: Command,
    switch: &KillSwitch,
    settings: &RunSettings,
) -> Result<Outcome, Error> {
    let course = drive::course(state, command.identity().into(), switch, Instant::now(), settings);
    // A sandbox that was ever granted programs by name starts only those; another one starts all.
    let policy = state.policy.clone();
    let start_rules = match course.desk.is_restricted(Kind::ProcessExec)? {
        true => StartRules::granted(policy, course.desk.clone(), None),
        false => StartRules::unrestricted(policy),
    };
    let settings = course.program_settings();
    run_on_course(&course, settings, command, start_rules).await
}

/// Runs a program within a run that is under way.
pub(crate) async fn run_on_course(
    course: &Course,
    settings: Settings,
    command: Command,
    start_rules: StartRules,
) -> Result<Outcome, Error> {
    let state = &course.state;
    let limits = course.limits();
    if command.source_bytes > limits.source_bytes {
        let ending = exceeded(Limit::Source, limits.source_bytes, Some(command.source_bytes));
        return Ok(course.outcome(ending, Default::default()));
    }
    let trouble = Arc::default();
    let tools = ShellTools { course: course.clone(), trouble: Arc::clone(&trouble) };
    let setup = ProgramSetup {
        settings,
        files: state.resources.files.clone(),
        limits: ProcessLimits { memory_bytes: limits.memory_bytes },
        programs: state.runtime.programs()?.clone(),
        start_rules,
        tools: Some(Arc::new(tools)),
        reaper: state.runtime.reap(),
    };
    let command = with_sandbox_defaults(state, command);
    let alarm = state.runtime.engine().alarm();
    let ran = kernel::run_program(setup, command, alarm).await?;
    if let Some(environment) = &ran.environment {
        state.keep_environment(environment);
    }
    let mut ending = ending(course, &ran)?;
    // A program that fails after a denial, or after one of its tools was stopped, reports that as
    // the cause.
    let denied = ran.denied_program.or(ran.denied);
    let trouble = denied.map(Ending::Denied).or_else(|| lock(&trouble).take());
    if let (Ending::Exited(1..) | Ending::Threw(_), Some(trouble)) = (&ending, trouble) {
        ending = trouble;
    }
    Ok(course.outcome(ending, (ran.stdout, ran.stderr)))
}

/// Completes a command with the sandbox's environment, working directory and standard input.
fn with_sandbox_defaults(state: &SandboxState, command: Command) -> kernel::Command {
    let cwd = command.cwd.unwrap_or_else(|| lock(&state.cwd).clone());
    let mut env: BTreeMap<&str, &str> = BTreeMap::new();
    let variables = lock(&state.resources.variables);
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
    // A missing working directory is created. If that fails, the program reports the error itself.
    let _ = state.resources.files.as_guest(files::now()).make_directories(&cwd, Mode::DIRECTORY);
    kernel::Command {
        executable: command.executable,
        argv: command.argv,
        env,
        cwd,
        stdin: command.stdin.unwrap_or_else(|| Stdin::Bytes(state.stdin.clone())),
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
        RanEnding::NotStarted { .. } if let Some(allowed) = ran.hits.compiling => {
            exceeded(Limit::Compiling, allowed, None)
        }
        RanEnding::NotStarted { message, .. } => failed("ExecError", message.clone()),
    })
}

/// Returns the ending of a program that exited. If it failed after hitting a limit, the limit is
/// the cause; if it succeeded, it is not.
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
    } else if let Some(allowed) = hits.compiling {
        exceeded(Limit::Compiling, allowed, None)
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
