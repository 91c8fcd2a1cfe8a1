//! Pipelines, background commands and `time`.

use std::rc::Rc;
use std::time::Instant;

use cofferdam_guest_sys::{Pid, Status};

use crate::shell::fds::Handle;
use crate::shell::traps::Event;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::{Command, Item, Kind, List, Pipeline, Text, Timed};

/// SIGINT and SIGQUIT, which a background command without job control ignores.
const KEYBOARD_SIGNALS: u64 = 1 << 2 | 1 << 3;

/// Signal of a plain `kill`, after which bash prints no command.
const SIGTERM: u8 = 15;

impl Shell {
    pub(super) fn exec_pipeline(&mut self, pipeline: &Pipeline) -> Exec {
        let started = pipeline.timed.map(|timed| (timed, Instant::now()));
        let status = match pipeline.stages.as_slice() {
            [] => 0,
            [command] => {
                let status = self.exec_command(command)?;
                // Compound commands set `PIPESTATUS` through their inner commands.
                if matches!(
                    command.kind,
                    Kind::Simple(_) | Kind::Subshell(_) | Kind::Arith(_) | Kind::Test(_)
                ) {
                    self.pipe_status.clear();
                    self.pipe_status.push(status);
                }
                status
            }
            stages => self.exec_stages(stages)?,
        };
        if let Some((timed, started)) = started {
            self.report_time(timed, started.elapsed().as_secs_f64());
        }
        let status = if pipeline.negated { i32::from(status == 0) } else { status };
        self.status = status;
        Ok(status)
    }

    fn exec_stages(&mut self, stages: &[Rc<Command>]) -> Exec {
        let mut pids: Vec<Result<Pid, i32>> = Vec::new();
        let mut input: Option<Rc<Handle>> = None;
        let last_here = self.options.lastpipe() && !self.options.monitor();
        let count = stages.len();
        let mut here = None;
        for (at, stage) in stages.iter().enumerate() {
            let last = at + 1 == count;
            self.line = stage.line;
            if matches!(stage.kind, Kind::Simple(_)) && !self.options.functrace() {
                self.debug_part(|| crate::syntax::command_text(stage))?;
            }
            if matches!(stage.kind, Kind::Simple(_)) && !self.traps.are_none() {
                self.note_command(stage);
            }
            let saved = self.fds.clone();
            let lends = self.lends_input;
            if let Some(input) = input.take() {
                self.fds.set(0, input);
                self.lends_input = true;
            }
            if last && last_here {
                let answer = self.exec_command(stage);
                self.lends_input = lends;
                self.fds = saved;
                here = Some(answer?);
                break;
            }
            if !last {
                let (read, write) = match self.new_pipe() {
                    Ok(pipe) => pipe,
                    Err(flow) => {
                        self.fds = saved;
                        return Err(flow);
                    }
                };
                self.fds.set(1, write);
                input = Some(read);
            }
            let pid = self.spawn_stage(stage);
            self.lends_input = lends;
            self.fds = saved;
            pids.push(pid?);
        }
        let mut statuses = Vec::with_capacity(count);
        for (pid, stage) in pids.into_iter().zip(stages) {
            statuses.push(match pid {
                Ok(pid) => {
                    let status = self.wait_for(pid)?;
                    self.tell_killed(pid, status, || crate::syntax::command_text(stage));
                    status.code()
                }
                Err(status) => status,
            });
        }
        statuses.extend(here);
        let mut status = statuses.last().copied().unwrap_or(0);
        if self.options.pipefail() {
            status = statuses.iter().rev().find(|status| **status != 0).copied().unwrap_or(0);
        }
        self.pipe_status = statuses;
        Ok(status)
    }

    /// Prints bash's message for a child killed by a signal, with the text of its command.
    pub(crate) fn tell_killed(&mut self, pid: Pid, status: Status, text: impl FnOnce() -> Text) {
        let Status::Killed(signal) = status else { return };
        let is_trapped = self.traps.list.contains_key(&Event::Signal(signal));
        if let Some(reason) = crate::shell::traps::death_message(signal) {
            if signal == SIGTERM || is_trapped {
                return self.print_error(format!("{reason}\n").as_bytes());
            }
            let text = super::spawn::shown(&text());
            self.warn(&format!("{pid:>5} {reason:<23} {text}"));
        }
    }

    pub(super) fn exec_background(&mut self, item: &Item) -> Exec {
        let text = {
            let plain = Item { background: false, ..item.clone() };
            crate::syntax::list_text(&List { items: vec![plain] })
        };
        let saved = self.fds.clone();
        // Without job control, a background command does not read the shell's input, but that of a
        // pipeline or of a redirected compound command.
        if !self.options.monitor()
            && !self.lends_input
            && let Ok(null) = cofferdam_guest_sys::open(b"/dev/null", libc::O_RDONLY, 0)
        {
            let null = self.parked(null)?;
            self.fds.set(0, null);
        }
        let is_spared = !self.options.monitor() && !self.interactive;
        if is_spared {
            self.traps.spare(KEYBOARD_SIGNALS);
        }
        let answer = match (item.first.stages.as_slice(), item.rest.as_slice()) {
            ([command], []) if !item.first.negated && item.first.timed.is_none() => {
                self.spawn_stage(command)
            }
            _ => {
                let plain = Item { background: false, ..item.clone() };
                let list = List { items: vec![plain] };
                let body =
                    Command { line: self.line, kind: Kind::Group(list), redirects: Vec::new() };
                let fds = self.fds.clone();
                self.spawn_shell(&body, &fds).map(Ok)
            }
        };
        self.fds = saved;
        if is_spared {
            self.traps.spare(0);
        }
        match answer? {
            Ok(pid) => {
                self.last_background = Some(pid);
                let number = self.jobs.add(vec![pid], text);
                if self.interactive {
                    self.print_error(format!("[{number}] {pid}\n").as_bytes());
                }
            }
            Err(status) => {
                // The command failed before it became a process; the made-up pid lets `wait` find
                // its status.
                let pid = u32::MAX - self.jobs.list.len() as u32;
                self.last_background = Some(pid);
                self.jobs.add(vec![pid], text);
                self.jobs.note(pid, Status::Exited(status as u8));
            }
        }
        Ok(0)
    }

    fn report_time(&mut self, timed: Timed, seconds: f64) {
        let format = match timed {
            Timed::Posix => b"real %2R\nuser %2U\nsys %2S".to_vec(),
            Timed::Bash => self
                .get(b"TIMEFORMAT")
                .unwrap_or_else(|| b"\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS".to_vec()),
        };
        if format.is_empty() {
            return;
        }
        match times_text(&format, seconds) {
            Ok(text) => self.print_error(text.as_bytes()),
            Err(letter) => {
                self.warn(&format!("TIMEFORMAT: `{letter}': invalid format character"));
            }
        }
    }

    /// Returns the exit status of a subshell that ends with this flow.
    pub(crate) fn flow_status(flow: Flow) -> i32 {
        match flow {
            Flow::Exit(status) | Flow::Return(status) => status,
            Flow::Discard(status) | Flow::Abandon(status) => status,
            Flow::Fatal(_) => 1,
            Flow::Break(_) | Flow::Continue(_) => 0,
        }
    }
}

/// Formats times as `TIMEFORMAT` says; a sandbox measures only the real time. The error is an
/// unknown letter.
fn times_text(format: &[u8], seconds: f64) -> Result<String, char> {
    const MOST_DIGITS: usize = 3;
    let mut out = String::new();
    let mut rest = format;
    while let Some((c, more)) = rest.split_first() {
        rest = more;
        if *c != b'%' {
            out.push(char::from(*c));
            continue;
        }
        let mut digits = MOST_DIGITS;
        if let Some((digit @ b'0'..=b'9', more)) = rest.split_first() {
            digits = usize::from(digit - b'0').min(MOST_DIGITS);
            rest = more;
        }
        let is_long = rest.first() == Some(&b'l');
        rest = rest.strip_prefix(b"l").unwrap_or(rest);
        let Some((letter, more)) = rest.split_first() else {
            out.push('%');
            break;
        };
        rest = more;
        let value = match letter {
            b'%' => {
                out.push('%');
                continue;
            }
            b'P' => {
                out.push_str("0.00");
                continue;
            }
            b'R' => seconds,
            b'U' | b'S' => 0.0,
            letter => return Err(char::from(*letter)),
        };
        // bash cuts digits off instead of rounding.
        let scale = 10f64.powi(digits as i32);
        let value = (value * scale).floor() / scale;
        if is_long {
            let minutes = (value / 60.0).floor();
            out.push_str(&format!("{minutes}m{:.digits$}s", value - minutes * 60.0));
        } else {
            out.push_str(&format!("{value:.digits$}"));
        }
    }
    out.push('\n');
    Ok(out)
}
