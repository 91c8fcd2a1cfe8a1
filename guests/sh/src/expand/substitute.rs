//! Command substitution `$(…)` and process substitution `<(…)`.

use std::rc::Rc;

use cofferdam_guest_sys as sys;

use super::MAX_VALUE;
use crate::shell::fds::Handle;
use crate::shell::output::reason;
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{
    Arg, Command, FileMode, Kind, List, RedirectFd, RedirectTo, Simple, Text, Word,
};

/// Highest script number for process substitutions; further ones count down from here.
const PROCESS_FD: u32 = 63;

impl Shell {
    /// Returns the output of commands, without trailing newlines.
    pub(super) fn command_substitution(&mut self, list: &Rc<List>) -> Result<Text, Flow> {
        let mut output = match self.read_file_substitution(list)? {
            Some(output) => output,
            None if self.is_quiet(list) => self.capture_here(list)?,
            None => self.capture(list)?,
        };
        if output.contains(&0) {
            self.warn("warning: command substitution: ignored null byte in input");
            output.retain(|c| *c != 0);
        }
        while output.last() == Some(&b'\n') {
            output.pop();
        }
        Ok(output)
    }

    fn capture(&mut self, list: &Rc<List>) -> Result<Text, Flow> {
        let (read, write) = self.new_pipe()?;
        let mut fds = self.fds.clone();
        fds.set(1, write);
        // `set -e` applies inside substitutions only under `inherit_errexit` or in POSIX mode.
        let body = Command {
            line: self.line,
            kind: Kind::Group(List::clone(list)),
            redirects: Vec::new(),
        };
        let errexit = self.options.errexit();
        if errexit && !self.options.inherit_errexit() && !self.options.posix() {
            self.options.set_named("errexit", false);
        }
        self.jobs.lent = true;
        self.trace_level += 1;
        let pid = self.spawn_shell(&body, &fds);
        self.trace_level -= 1;
        self.jobs.lent = false;
        self.options.set_named("errexit", errexit);
        drop(fds);
        let pid = pid?;
        let output = self.read_all(read.fd());
        drop(read);
        let status = self.wait_for(pid)?;
        self.substituted = Some(status.code());
        self.status = status.code();
        output
    }

    /// Reads a stream to its end.
    pub fn read_all(&mut self, fd: sys::Fd) -> Result<Text, Flow> {
        let mut output = Vec::new();
        let mut buf = [0; 16384];
        loop {
            match sys::read(fd, &mut buf) {
                Ok(0) => return Ok(output),
                Ok(len) => output.extend_from_slice(&buf[..len]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.warn(&format!("command substitution: {}", reason(&error)));
                    return Ok(output);
                }
            }
            if output.len() > MAX_VALUE {
                let message = format!("command substitution: longer than {MAX_VALUE} bytes");
                self.warn_capped(sys::Cap::Expansion, MAX_VALUE, &message);
                return Err(Flow::Discard(1));
            }
        }
    }

    /// Reads the file of a `$(< file)` without starting a process; returns `None` for other lists.
    fn read_file_substitution(&mut self, list: &List) -> Result<Option<Text>, Flow> {
        let [item] = list.items.as_slice() else { return Ok(None) };
        let [command] = item.first.stages.as_slice() else { return Ok(None) };
        let Kind::Simple(simple) = &command.kind else { return Ok(None) };
        let [redirect] = command.redirects.as_slice() else { return Ok(None) };
        let alone = simple.args.is_empty() && simple.assigns.is_empty() && item.rest.is_empty();
        let (RedirectFd::Implied | RedirectFd::Number(0), true) = (&redirect.fd, alone) else {
            return Ok(None);
        };
        let RedirectTo::File(FileMode::Read, _) = &redirect.to else { return Ok(None) };
        let saved = self.fds.clone();
        let done = self.redirect(&command.redirects)?;
        let mut output = Vec::new();
        if done && let Ok(fd) = self.fds.fd(0) {
            output = self.read_all(fd)?;
        }
        self.fds = saved;
        self.substituted = Some(i32::from(!done));
        self.status = i32::from(!done);
        Ok(Some(output))
    }

    /// Starts commands and returns a path connected to their output or, if `output` is set, their
    /// input.
    pub(super) fn process_substitution(
        &mut self,
        output: bool,
        list: &Rc<List>,
    ) -> Result<Text, Flow> {
        let (read, write) = self.new_pipe()?;
        let (ours, theirs, number) = if output { (write, read, 0) } else { (read, write, 1) };
        let mut fds = self.fds.clone();
        for number in &self.process_fds {
            fds.remove(*number);
        }
        fds.set(number, theirs);
        let mut list = List::clone(list);
        if !output {
            copy_file(&mut list);
        }
        let body = Command { line: self.line, kind: Kind::Group(list), redirects: Vec::new() };
        self.traps.hidden = true;
        let pid = self.spawn_shell(&body, &fds);
        self.traps.hidden = false;
        let pid = pid?;
        self.last_background = Some(pid);
        let taken = |number: &u32| self.fds.get(*number).is_some();
        let Some(number) = (10..=PROCESS_FD).rev().find(|number| !taken(number)) else {
            self.warn("process substitution: too many at once");
            return Err(Flow::Discard(1));
        };
        self.fds.set(number, ours);
        self.process_fds.push(number);
        Ok(format!("/dev/fd/{number}").into_bytes())
    }

    /// Creates a pipe and returns its read end and write end.
    pub fn new_pipe(&mut self) -> Result<(Rc<Handle>, Rc<Handle>), Flow> {
        match sys::pipe() {
            Ok((read, write)) => Ok((Handle::own(read), Handle::own(write))),
            Err(error) => {
                self.warn(&format!("cannot make pipe: {}", reason(&error)));
                Err(Flow::Discard(1))
            }
        }
    }
}

/// Makes `<(< file)` print the file, as `$(< file)` does.
fn copy_file(list: &mut List) {
    let [item] = list.items.as_mut_slice() else { return };
    let [command] = item.first.stages.as_mut_slice() else { return };
    let Kind::Simple(simple) = &command.kind else { return };
    let reads = matches!(
        command.redirects.as_slice(),
        [one] if matches!(one.to, RedirectTo::File(FileMode::Read, _))
    );
    if reads && item.rest.is_empty() && simple.args.is_empty() && simple.assigns.is_empty() {
        let mut copy = Command::clone(command);
        let cat = Arg::Word(Word::quoted(b"cat"));
        copy.kind = Kind::Simple(Simple { args: vec![cat], ..Simple::default() });
        *command = Rc::new(copy);
    }
}
