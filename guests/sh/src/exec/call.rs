//! Function calls, sourced files and `eval`.

use std::rc::Rc;

use cofferdam_guest_sys as sys;

use super::assign::Assigned;
use crate::shell::frames::{Frame, Function};
use crate::shell::traps::Event;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::Parser;
use crate::syntax::ast::Text;

/// Deepest nesting of function calls, unless `FUNCNEST` sets a lower limit.
const MAX_CALLS: usize = 450;

impl Shell {
    /// Calls a function; assignments before it are local to the call.
    pub(crate) fn call_function(
        &mut self,
        name: &[u8],
        function: &Rc<Function>,
        args: Vec<Text>,
        assigns: Vec<Assigned>,
    ) -> Exec {
        let limit = self.get(b"FUNCNEST").and_then(|n| std::str::from_utf8(&n).ok()?.parse().ok());
        let limit: usize = limit.filter(|n| *n > 0).unwrap_or(MAX_CALLS).min(MAX_CALLS);
        if self.frames.len() >= limit {
            let shown = String::from_utf8_lossy(name).into_owned();
            let message = format!("{shown}: maximum function nesting level exceeded ({limit})");
            match limit {
                MAX_CALLS => self.warn_capped(sys::Cap::Depth, limit, &message),
                _ => self.warn(&message),
            }
            return Err(Flow::Discard(1));
        }
        let saved = self.assign_for_now(assigns)?;
        self.frames.push(Frame {
            name: name.to_vec(),
            source: function.source.clone(),
            line: self.line,
            is_function: true,
            temporary: saved.len(),
            saved,
            arguments: self.options.extdebug().then(|| args.clone()),
            options: None,
        });
        let args = std::mem::replace(&mut self.args, Rc::new(args));
        let loops = std::mem::take(&mut self.loops);
        let getopts = (self.getopts_at, self.getopts_index);
        let hidden = self.hide_traps(function.traced);
        let hides = self.traps.hides;
        self.traps.hides |= !hidden.is_empty();
        let body = function.body();
        if self.traces_commands() {
            self.line = body.line;
            self.run_debug_trap(self.command_text.clone())?;
        }
        let answer = match self.exec_command(&body) {
            Err(Flow::Return(status)) => Ok(status),
            other => other,
        };
        if let Ok(status) = answer {
            // The trap sees the status of the last command, not that of `return`.
            self.run_trap(Event::Return)?;
            self.status = status;
        }
        self.traps.hides = hides;
        // A trap that the function set stays.
        for (event, command) in hidden {
            self.traps.list.entry(event).or_insert(command);
        }
        self.args = args;
        self.loops = loops;
        let has_own_index = self.frames.last().is_some_and(|frame| frame.shadows(b"OPTIND"));
        self.leave_frame();
        if has_own_index {
            // The caller's `getopts` goes on in the middle of its argument.
            (self.getopts_at, self.getopts_index) = getopts;
        }
        answer
    }

    /// Removes the traps that a function does not inherit, and returns them.
    fn hide_traps(&mut self, is_traced: bool) -> Vec<(Event, Rc<Text>)> {
        if self.traps.are_none() {
            return Vec::new();
        }
        let is_traced = is_traced || self.options.functrace();
        let inherits = [
            (Event::Debug, is_traced),
            (Event::Return, is_traced),
            (Event::Err, self.options.errtrace()),
        ];
        let hidden = inherits.into_iter().filter(|(_, inherits)| !inherits);
        hidden.filter_map(|(event, _)| Some((event, self.traps.list.remove(&event)?))).collect()
    }

    /// Ends a call and restores the variables and options that it shadowed.
    fn leave_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.line = frame.line;
        self.take_back(frame.saved);
        if let Some(options) = frame.options {
            self.options = options;
        }
    }

    /// Runs the text of a sourced file in this shell.
    pub fn source_text(&mut self, text: &[u8], name: &[u8], args: Option<Vec<Text>>) -> Exec {
        if self.frames.len() >= MAX_CALLS {
            let message = format!("source: maximum nesting level exceeded ({MAX_CALLS})");
            self.warn_capped(sys::Cap::Depth, MAX_CALLS, &message);
            return Err(Flow::Discard(1));
        }
        // Without arguments, `BASH_ARGV` has the file's name.
        let arguments = match &args {
            Some(args) => self.options.extdebug().then(|| args.clone()),
            None => {
                self.note_arguments();
                Some(vec![name.to_vec()])
            }
        };
        self.frames.push(Frame {
            name: b"source".to_vec(),
            source: name.to_vec(),
            line: self.line,
            arguments,
            ..Frame::default()
        });
        let args_set = std::mem::take(&mut self.args_set);
        let before = match args {
            Some(args) => Some(std::mem::replace(&mut self.args, Rc::new(args))),
            None => None,
        };
        let command = self.command_text.clone();
        let debug = match self.options.functrace() {
            true => None,
            false => self.traps.list.remove(&Event::Debug),
        };
        let answer = match self.exec_text(text, 1, "") {
            Err(Flow::Return(status)) => Ok(status),
            other => other,
        };
        self.command_text = command;
        if let Some(debug) = debug {
            self.traps.list.entry(Event::Debug).or_insert(debug);
        }
        self.leave_frame();
        if let Ok(status) = answer {
            self.run_trap(Event::Return)?;
            self.status = status;
        }
        // Parameters that the script set with `set` stay.
        if let Some(before) = before.filter(|_| !self.args_set) {
            self.args = before;
        }
        self.args_set |= args_set;
        answer
    }

    /// Runs text command by command; each command is parsed only after the previous one has run.
    pub fn exec_text(&mut self, text: &[u8], line: u32, who: &str) -> Exec {
        self.depth += 4;
        if self.depth > super::MAX_NESTING {
            self.depth -= 4;
            let message = format!("maximum nesting level exceeded ({})", super::MAX_NESTING);
            self.warn_capped(sys::Cap::Depth, super::MAX_NESTING, &message);
            return Err(Flow::Discard(1));
        }
        let is_deeper = who != "exit trap";
        self.trace_level += usize::from(is_deeper);
        let answer = self.exec_parsed(text, line, who);
        self.trace_level -= usize::from(is_deeper);
        self.depth -= 4;
        answer
    }

    fn exec_parsed(&mut self, text: &[u8], line: u32, who: &str) -> Exec {
        let mut parser = Parser::new(text, line);
        let mut status = 0;
        loop {
            let aliases = self.options.expand_aliases().then(|| self.aliases.clone());
            parser.posix = self.options.posix();
            match parser.next(aliases, self.options.extglob()) {
                Ok(Some(list)) => {
                    if self.options.noexec() {
                        continue;
                    }
                    status = match self.exec_list(&list) {
                        // As at the top level, an error abandons the line and not the text.
                        Err(Flow::Discard(status)) if !self.in_subshell => {
                            self.status = status;
                            status
                        }
                        other => other?,
                    };
                }
                Ok(None) => return Ok(status),
                Err(error) => {
                    self.line = error.line;
                    self.warn_from(who, &error.message);
                    let number = error.line.saturating_sub(line) + 1;
                    let source = super::run::line_of(text, number);
                    if error.message.starts_with("syntax error near") && !source.is_empty() {
                        self.warn_from(who, &format!("`{}'", super::spawn::shown(source)));
                    }
                    if error.in_substitution && !self.interactive {
                        let is_string = self.command_string.is_some();
                        let status = if is_string { super::run::FATAL_IN_STRING } else { 2 };
                        return Err(Flow::Exit(status));
                    }
                    self.status = 2;
                    self.bad_syntax = who == "eval";
                    return Ok(2);
                }
            }
        }
    }
}
