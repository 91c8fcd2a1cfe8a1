//! The last steps before the program: limits, Landlock, filter, and the program itself.

use std::ffi::{CString, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};

use super::Given;
use crate::filter::{self, MemoryFiles};
use crate::message::{self, Report};
use crate::missing::{Missing, Piece};
use crate::plan::Plan;
use crate::rules;
use crate::sys::{c_string, process, seccomp};
use crate::tree;

/// Exit codes of a shell for a program that cannot be started.
const NOT_FOUND: i32 = 127;
const NOT_STARTED: i32 = 126;

/// Starts the program in place of this process; returns an exit code if it cannot. The supervisor
/// gets the descriptor of init, and so learns of its end.
pub(super) fn start(plan: &Plan, given: &Given, init: &OwnedFd) -> i32 {
    let strings = strings(plan);
    match wall_in(plan, given, init).and(strings) {
        Err(missing) => {
            let _ = message::send(given.control.as_fd(), &Report::Missing(missing), &[]);
            super::FAILED
        }
        Ok((program, arguments, variables)) => {
            let error = process::execute(&program, &arguments, &variables);
            let _ = writeln!(io::stderr(), "{}: {error}", plan.program.display());
            match error.kind() {
                io::ErrorKind::NotFound => NOT_FOUND,
                _ => NOT_STARTED,
            }
        }
    }
}

fn wall_in(plan: &Plan, given: &Given, init: &OwnedFd) -> Result<(), Missing> {
    let launcher = |step: &'static str| Missing::at(Piece::Launcher, step);
    process::new_session().map_err(launcher("session"))?;
    process::reset_signals();
    limit(plan).map_err(Missing::at(Piece::Limits, "setrlimit"))?;
    streams(given).map_err(launcher("streams"))?;
    process::close_on_exec_from(3).map_err(launcher("descriptors"))?;
    // A working directory that is not there is not a reason to refuse: the program can say so.
    if std::env::set_current_dir(&plan.directory).is_err() {
        std::env::set_current_dir("/").map_err(launcher("directory"))?;
    }
    let root = fs::File::open("/").map_err(launcher("root"))?;
    process::adopt_orphans().map_err(launcher("orphans"))?;
    process::no_new_privileges().map_err(launcher("privileges"))?;
    process::drop_capabilities().map_err(launcher("capabilities"))?;
    rules::restrict()?;
    let memory_files = match tree::has_harmless_memory_files() {
        true => MemoryFiles::Harmless,
        false => MemoryFiles::Refused,
    };
    let listener = seccomp::install(&filter::assemble(memory_files, plan.unix_sockets));
    let listener = listener.map_err(Missing::at(Piece::Filter, "install"))?;
    let fds = [listener.as_fd(), root.as_fd(), init.as_fd()];
    message::send(given.control.as_fd(), &Report::Ready, &fds).map_err(launcher("control"))
}

fn limit(plan: &Plan) -> io::Result<()> {
    process::limit(libc::RLIMIT_CORE, 0)?;
    process::limit(libc::RLIMIT_FSIZE, plan.limits.file_bytes)?;
    process::limit(libc::RLIMIT_NOFILE, plan.limits.open_files)?;
    process::limit(libc::RLIMIT_MEMLOCK, 64 << 20)?;
    process::limit(libc::RLIMIT_NPROC, plan.limits.tasks())
}

/// Makes the streams of the supervisor the standard streams.
fn streams(given: &Given) -> io::Result<()> {
    rustix::stdio::dup2_stdin(&given.stdin)?;
    rustix::stdio::dup2_stdout(&given.stdout)?;
    rustix::stdio::dup2_stderr(&given.stderr)?;
    Ok(())
}

type Strings = (CString, Vec<CString>, Vec<CString>);

fn strings(plan: &Plan) -> Result<Strings, Missing> {
    let failed = Missing::at(Piece::Launcher, "arguments");
    let pair = |(name, value): &(OsString, OsString)| {
        let mut text = name.clone();
        text.push("=");
        text.push(value);
        c_string(text)
    };
    let all = || {
        let arguments = plan.arguments.iter().map(c_string).collect::<io::Result<_>>()?;
        let variables = plan.variables.iter().map(pair).collect::<io::Result<_>>()?;
        Ok((c_string(&plan.program)?, arguments, variables))
    };
    all().map_err(failed)
}
