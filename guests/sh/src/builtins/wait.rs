//! The `wait` builtin.

use cofferdam_guest_sys::{self as sys, Status, Which};

use super::{number, shown};
use crate::shell::traps::Event;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

/// Exit status of waiting for a process that is not a child.
const NO_CHILD: i32 = 127;

impl Shell {
    /// Waits for a job and removes it from the table.
    pub(super) fn wait_job(&mut self, at: usize) -> Exec {
        let number = self.jobs.list[at].number;
        loop {
            let Some(at) = self.jobs.list.iter().position(|job| job.number == number) else {
                return Ok(NO_CHILD);
            };
            if let Some(status) = self.jobs.list[at].status() {
                let job = self.jobs.list.remove(at);
                if let Some(pid) = job.pids.last() {
                    self.jobs.remember(*pid, status);
                }
                let is_quiet = match status {
                    Status::Killed(signal) => {
                        signal == 15 || self.traps.list.contains_key(&Event::Signal(signal))
                    }
                    Status::Exited(_) => true,
                };
                if !self.interactive && !is_quiet {
                    self.tell_killed(job.pids.last().copied().unwrap_or(0), status, || job.text);
                }
                return Ok(status.code());
            }
            if let Some(status) = self.wait_any()? {
                return Ok(status);
            }
        }
    }

    /// Runs the traps of received signals. Returns the status for the first of them, if there is
    /// one.
    fn interrupted(&mut self) -> Result<Option<i32>, Flow> {
        if !self.traps.catches() {
            return Ok(None);
        }
        self.traps.pending.append(&mut sys::signals_take());
        let first = self.traps.pending.first().copied();
        self.run_signal_traps()?;
        Ok(first.map(|signal| 128 + i32::from(signal)))
    }

    /// Waits until any child ends. Returns the status for a trapped signal if one interrupts the
    /// wait.
    fn wait_any(&mut self) -> Result<Option<i32>, Flow> {
        match sys::wait(Which::Any, false) {
            Ok(Some((pid, status))) => {
                self.jobs.note(pid, status);
                return self.interrupted();
            }
            Ok(None) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                return self.interrupted();
            }
            Err(_) => {
                // No children are left, so jobs still listed as running have ended.
                for job in &mut self.jobs.list {
                    for ended in &mut job.ended {
                        ended.get_or_insert(Status::Exited(127));
                    }
                }
            }
        }
        Ok(None)
    }
}

pub(super) fn wait(shell: &mut Shell, args: &[Text]) -> Exec {
    let answer = wait_as_told(shell, args);
    shell.forget_coprocs()?;
    answer
}

fn wait_as_told(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut next, mut variable) = (false, None);
    let mut at = 1;
    while let Some(arg) = args.get(at).filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        at += 1;
        match arg.as_slice() {
            b"--" => break,
            b"-n" => next = true,
            b"-f" => {}
            b"-p" => {
                variable = args.get(at).cloned();
                at += 1;
                if variable.is_none() {
                    shell.warn("wait: -p: option requires an argument");
                    super::print_usage(shell, "wait");
                    return Ok(super::USAGE);
                }
            }
            _ => {
                super::bad_option(shell, "wait", &shown(arg));
                return Ok(super::USAGE);
            }
        }
    }
    let specs = &args[at.min(args.len())..];
    if next {
        return wait_next(shell, specs, variable);
    }
    if specs.is_empty() {
        while shell.jobs.list.iter().any(|job| job.status().is_none()) {
            if let Some(status) = shell.wait_any()? {
                return Ok(status);
            }
        }
        for job in std::mem::take(&mut shell.jobs.list) {
            if let (Some(pid), Some(status)) = (job.pids.last(), job.status()) {
                shell.jobs.remember(*pid, status);
            }
        }
        return Ok(0);
    }
    let mut status = 0;
    for spec in specs {
        let job = match number(spec) {
            Some(pid) => shell.jobs.of(pid as u32),
            None => shell.jobs.find(spec),
        };
        status = match job {
            Some(at) => shell.wait_job(at)?,
            None => {
                let text = shown(spec);
                if spec.first() == Some(&b'%') {
                    shell.warn(&format!("wait: {text}: no such job"));
                } else if let Some(known) =
                    number(spec).and_then(|pid| shell.jobs.take_stray(pid as u32))
                {
                    shell.jobs.remember(number(spec).unwrap_or(0) as u32, known);
                    status = known.code();
                    continue;
                } else if let Some(pid) = number(spec).and_then(|pid| u32::try_from(pid).ok())
                    && let Ok(Some((_, known))) = sys::wait(Which::One(pid), false)
                {
                    // A process substitution is a child without a job.
                    shell.jobs.remember(pid, known);
                    status = known.code();
                    continue;
                } else if let Some(known) =
                    number(spec).and_then(|pid| shell.jobs.remembered(pid as u32))
                {
                    status = known.code();
                    continue;
                } else if number(spec).is_some() {
                    shell.warn(&format!("wait: pid {text} is not a child of this shell"));
                } else {
                    shell.warn(&format!("wait: `{text}': not a pid or valid job spec"));
                    status = 1;
                    continue;
                }
                NO_CHILD
            }
        };
    }
    Ok(status)
}

fn wait_next(shell: &mut Shell, specs: &[Text], variable: Option<Text>) -> Exec {
    for spec in specs.iter().filter(|spec| number(spec).is_none() && spec.first() != Some(&b'%')) {
        shell.warn(&format!("wait: `{}': not a pid or valid job spec", shown(spec)));
    }
    let wanted: Vec<usize> = specs
        .iter()
        .filter_map(|spec| match number(spec) {
            Some(pid) => shell.jobs.of(pid as u32),
            None => shell.jobs.find(spec),
        })
        .map(|at| shell.jobs.list[at].number)
        .collect();
    loop {
        let fits = |number: usize| specs.is_empty() || wanted.contains(&number);
        let done =
            shell.jobs.list.iter().position(|job| fits(job.number) && job.status().is_some());
        if let Some(at) = done {
            let job = shell.jobs.list.remove(at);
            if let (Some(pid), Some(status)) = (job.pids.last(), job.status()) {
                shell.jobs.remember(*pid, status);
            }
            if let (Some(name), Some(pid)) = (&variable, job.pids.last()) {
                shell.set(name, pid.to_string().into_bytes())?;
            }
            return Ok(job.status().map_or(0, Status::code));
        }
        if !shell.jobs.list.iter().any(|job| fits(job.number)) {
            return Ok(NO_CHILD);
        }
        if let Some(status) = shell.wait_any()? {
            return Ok(status);
        }
    }
}
