//! Simple commands: expansion, dispatch and assignments that last for one command.

use cofferdam_guest_sys::Status;

use super::assign::{Assigned, Decl, NewValue};
use super::trap::Debugged;
use crate::builtins;
use crate::shell::value::{Value, Var, flag};
use crate::shell::vars::Name;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::{Command, Redirect, Simple, Text};

impl Shell {
    pub(super) fn exec_simple(&mut self, simple: &Simple, command: &Command) -> Exec {
        if self.traces_commands() {
            let text = crate::syntax::command_text(command);
            if let Debugged::Skip = self.run_debug_trap(text)? {
                return Ok(0);
            }
            self.line = command.line;
        }
        if simple.names_command || !self.traps.are_none() {
            self.note_command(command);
        }
        self.substituted = None;
        let process = self.process_fds.len();
        let args = self.expand_args(&simple.args)?;
        let answer = if args.is_empty() {
            self.exec_assigns(simple, &command.redirects)
        } else {
            // Any other command than the noted one runs in a process of its own.
            let is_final = self.final_command.is_some_and(|last| std::ptr::eq(last, command))
                && self.traps.are_none();
            let last = if is_final { None } else { self.final_command.take() };
            let answer = self.exec_args(simple, args, &command.redirects);
            self.final_command = last;
            answer
        };
        if let Some((pid, status)) = self.killed.take() {
            self.tell_killed(pid, status, || crate::syntax::command_text(command));
        }
        // Process substitutions are closed with the command that they were made for.
        for number in self.process_fds.split_off(process.min(self.process_fds.len())) {
            self.fds.remove(number);
        }
        answer
    }

    /// Runs a command that consists only of assignments and redirections.
    fn exec_assigns(&mut self, simple: &Simple, redirects: &[Redirect]) -> Exec {
        let mut failed = false;
        if redirects.is_empty() {
            for assign in &simple.assigns {
                let assigned = self.expand_assign(assign)?;
                if self.options.xtrace() {
                    self.trace_assign(&assigned);
                }
                self.apply_assign(assigned)?;
            }
        } else {
            let mut assigned = Vec::new();
            for assign in &simple.assigns {
                assigned.push(self.expand_assign(assign)?);
            }
            let saved = self.fds.clone();
            failed = !self.redirect(redirects)?;
            self.fds = saved;
            for assigned in assigned {
                self.apply_assign(assigned)?;
            }
        }
        self.last_arg.clear();
        if failed {
            return Ok(1);
        }
        Ok(self.substituted.unwrap_or(0))
    }

    fn exec_args(&mut self, simple: &Simple, args: Vec<Decl>, redirects: &[Redirect]) -> Exec {
        let mut assigns = Vec::new();
        let mut seen = Vec::new();
        for assign in &simple.assigns {
            let assigned = match self.expand_assign(assign) {
                Ok(assigned) => assigned,
                Err(flow) => {
                    self.take_back(seen);
                    return Err(flow);
                }
            };
            // Each assignment sees the ones before it.
            if simple.assigns.len() > 1 && assigned.index.is_none() {
                seen.append(&mut self.assign_for_now(vec![assigned.clone()])?);
            }
            assigns.push(assigned);
        }
        self.take_back(seen);
        if self.options.xtrace() {
            self.trace_command(&assigns, &args);
        }
        let last = match args.last() {
            Some(Decl::Assign(Assigned { name, value: NewValue::Array(_), .. })) => name.clone(),
            Some(arg) => arg.text(),
            None => Vec::new(),
        };
        let name = args[0].text();
        if self.final_command.is_some()
            && (self.functions.contains_key(&name) || self.is_builtin(&name))
        {
            self.final_command = None;
        }
        let answer = if redirects.is_empty() {
            self.dispatch(&name, args, assigns)
        } else {
            let saved = self.fds.clone();
            self.kept_fds.clear();
            self.closed_fds.clear();
            // bash expands the redirections of a program in the program's own process.
            let is_program = !self.functions.contains_key(&name) && !self.is_builtin(&name);
            let vars = match is_program && redirects.iter().any(Redirect::may_assign) {
                true => Some(self.vars.clone()),
                false => None,
            };
            let redirected = self.redirect(redirects);
            if let Some(vars) = vars {
                self.vars = vars;
            }
            let answer = match redirected {
                Ok(true) => self.dispatch(&name, args, assigns),
                Ok(false) if self.ends_script(&name) => Err(Flow::Exit(1)),
                Ok(false) => Ok(1),
                Err(flow) => Err(flow),
            };
            self.restore_fds(saved, &name);
            answer
        };
        self.last_arg = last;
        answer
    }

    /// Returns true if POSIX lets an error of this command's redirections end the script.
    fn ends_script(&self, name: &[u8]) -> bool {
        self.options.posix()
            && !self.interactive
            && !self.functions.contains_key(name)
            && builtins::find(name).is_some_and(|builtin| builtin.special)
    }

    /// Restores the descriptor table, except for the lasting redirections of `exec` and `{name}>`.
    pub(super) fn restore_fds(&mut self, saved: crate::shell::fds::Fds, name: &[u8]) {
        if name == b"exec" {
            return;
        }
        let kept: Vec<_> = self
            .kept_fds
            .drain(..)
            .filter_map(|number| Some((number, self.fds.get(number)?.clone())))
            .collect();
        self.fds = saved;
        for (number, handle) in kept {
            self.fds.set(number, handle);
        }
        for number in std::mem::take(&mut self.closed_fds) {
            // `{fd}>&-` permanently closes a descriptor that `{fd}>` opened.
            if number >= 10 {
                self.fds.remove(number);
            }
        }
    }

    fn dispatch(&mut self, name: &[u8], args: Vec<Decl>, assigns: Vec<Assigned>) -> Exec {
        let special = self.options.posix() && builtins::find(name).is_some_and(|b| b.special);
        if let Some(function) = self.functions.get(name).filter(|_| !special) {
            let function = function.clone();
            let args = args.iter().skip(1).map(Decl::text).collect();
            return self.call_function(name, &function, args, assigns);
        }
        let answer = self.run_command(name, args, assigns);
        // In POSIX mode, a special builtin with wrong usage ends the script. The status of these
        // is that of the commands in them.
        let is_own = !matches!(name, b"eval" | b"." | b"source" | b"exec");
        match answer {
            Ok(builtins::USAGE) if special && is_own && !self.interactive => {
                Err(Flow::Exit(builtins::USAGE))
            }
            answer => answer,
        }
    }

    /// Runs a builtin or a program, without looking for a function.
    pub fn run_command(&mut self, name: &[u8], args: Vec<Decl>, assigns: Vec<Assigned>) -> Exec {
        if let Some(builtin) = builtins::find(name)
            && !self.disabled.iter().any(|disabled| disabled == name)
        {
            return self.run_builtin(builtin, args, assigns);
        }
        let args: Vec<Text> = args.iter().map(Decl::text).collect();
        self.run_external(&args, assigns)
    }

    /// Runs a builtin; assignments last only for the call, except before POSIX special builtins.
    pub fn run_builtin(
        &mut self,
        builtin: &builtins::Builtin,
        args: Vec<Decl>,
        assigns: Vec<Assigned>,
    ) -> Exec {
        if assigns.is_empty() {
            return builtin.call(self, args);
        }
        let keeps = builtin.special && self.options.posix();
        let mut saved = match self.assign_for_now(assigns) {
            Err(Flow::Discard(status)) if keeps && !self.interactive => {
                return Err(Flow::Exit(status));
            }
            saved => saved?,
        };
        // `x=1 export x` lasts.
        if matches!(builtin.name, "export" | "readonly") && !keeps {
            saved.retain(|(name, _)| !args.iter().any(|arg| arg.text() == name[..]));
        }
        let answer = builtin.call(self, args);
        if !keeps {
            self.take_back(saved);
            return answer;
        }
        for (name, _) in saved {
            if let Some(var) = self.vars.get_mut(&name) {
                var.flags &= !flag::TEMPORARY;
            }
        }
        answer
    }

    /// Assigns and exports variables for one command. Returns their previous values.
    pub(super) fn assign_for_now(
        &mut self,
        assigns: Vec<Assigned>,
    ) -> Result<Vec<(Name, Option<Var>)>, Flow> {
        let mut saved = Vec::new();
        for assign in assigns {
            let name = Name::from(self.resolve(&assign.name).name);
            if self.vars.get(&name).is_some_and(|var| var.has(flag::READONLY)) {
                if let Err(Flow::Fatal(status)) = self.check_writable(&name) {
                    return Err(Flow::Discard(status));
                }
                continue;
            }
            if let Some(index) = &assign.index {
                let place = [assign.name.as_slice(), b"[", index, b"]"].concat();
                let place = String::from_utf8_lossy(&place).into_owned();
                self.warn(&format!("`{place}': not a valid identifier"));
                continue;
            }
            let value = match assign.value {
                NewValue::Scalar(value) => value,
                // As in bash, a child sees an array literal as text.
                NewValue::Array(_) => {
                    let text = Decl::Assign(Assigned { append: false, ..assign.clone() }).text();
                    text[(assign.name.len() + 1).min(text.len())..].to_vec()
                }
            };
            let old = self.vars.get(&name).cloned();
            let flags = old.as_ref().map_or(0, |var| var.flags & !flag::NAMEREF);
            let value = if flags & flag::INTEGER != 0 {
                let number = self.number_of(&value)?;
                let before = match (&old, assign.append) {
                    (Some(old), true) => old.first().cloned().unwrap_or_default(),
                    _ => Vec::new(),
                };
                self.number_of(&before)?.wrapping_add(number).to_string().into_bytes()
            } else {
                value
            };
            let appends = assign.append && flags & flag::INTEGER == 0;
            let value = match (&old, appends) {
                (Some(old), true) => [old.first().map_or(&[][..], Vec::as_slice), &value].concat(),
                _ => value,
            };
            let flags = flags | flag::EXPORT | flag::TEMPORARY;
            let var = Var { value: Value::Scalar(value), flags };
            self.vars.insert(name.clone(), var);
            saved.push((name.clone(), old));
            self.noticed(&name);
        }
        Ok(saved)
    }

    pub(super) fn take_back(&mut self, saved: Vec<(Name, Option<Var>)>) {
        for (name, old) in saved.into_iter().rev() {
            match old {
                Some(var) => self.vars.insert(name.clone(), var),
                None => self.vars.remove(&name),
            };
            self.noticed(&name);
        }
    }

    /// Counts `SHLVL` down for a program that replaces the shell.
    pub(crate) fn lower_level(&self, env: &mut [Text]) {
        if let Some(entry) = env.iter_mut().find(|entry| entry.starts_with(b"SHLVL="))
            && let Some(level) = std::str::from_utf8(&entry[6..]).ok().and_then(|n| n.parse().ok())
        {
            let level: i64 = level;
            *entry = format!("SHLVL={}", level.saturating_sub(1).max(0)).into_bytes();
        }
    }

    /// Runs an external program and waits for it.
    pub fn run_external(&mut self, args: &[Text], assigns: Vec<Assigned>) -> Exec {
        let saved = self.assign_for_now(assigns)?;
        let mut env = self.exported();
        if self.final_command.is_some() {
            self.lower_level(&mut env);
        }
        let started = self.spawn_program(args, &env);
        self.take_back(saved);
        match started {
            Ok(pid) => {
                let status = self.wait_for(pid)?;
                if let Status::Killed(_) = status {
                    self.killed = Some((pid, status));
                }
                Ok(status.code())
            }
            Err(status) => Ok(status),
        }
    }

    /// Returns true if the name is an enabled builtin.
    pub fn is_builtin(&self, name: &[u8]) -> bool {
        builtins::find(name).is_some() && !self.disabled.iter().any(|disabled| disabled == name)
    }
}
