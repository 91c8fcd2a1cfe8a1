//! Compound commands: loops, conditionals, `case`, groups and function definitions.

use std::rc::Rc;

use super::spawn::shown;
use super::trap::Debugged;
use crate::pattern::Pattern;
use crate::shell::frames::Function;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::{ArithText, Arm, ArmEnd, Command, Kind, List, Loop, Text, Word};
use crate::syntax::{command_text, word_text};

/// Outcome of one loop iteration.
enum Turn {
    Go,
    Leave,
}

/// Formats the first line of a `for` or `select` loop, as `$BASH_COMMAND` shows it.
fn loop_head(keyword: &[u8], name: &[u8], words: Option<&[Word]>) -> Text {
    let words = match words {
        Some(words) => words.iter().map(word_text).collect(),
        None => vec![b"\"$@\"".to_vec()],
    };
    [keyword, b" ", name, b" in ", &words.join(&b' ')].concat()
}

impl Shell {
    pub(super) fn exec_compound(&mut self, command: &Command) -> Exec {
        let is_single = matches!(command.kind, Kind::Subshell(_) | Kind::Arith(_) | Kind::Test(_));
        if is_single && !self.traps.are_none() {
            self.note_command(command);
        }
        match &command.kind {
            Kind::Simple(simple) => self.exec_simple(simple, command),
            Kind::Group(list) => self.exec_list(list),
            Kind::Subshell(list) => {
                self.line = command.line;
                self.exec_subshell(list, command)
            }
            Kind::If(arms, otherwise) => self.exec_if(arms, otherwise.as_ref()),
            Kind::Loop(l) => self.exec_loop(l),
            Kind::For(name, words, body) => {
                self.line = command.line;
                self.exec_for(name, words.as_deref(), body)
            }
            Kind::Select(name, words, body) => {
                self.line = command.line;
                self.exec_select(name, words.as_deref(), body)
            }
            Kind::ArithFor(header, body) => {
                self.line = command.line;
                self.exec_arith_for(header, body)
            }
            Kind::Case(word, arms) => {
                self.line = command.line;
                let head = || [b"case ", word_text(word).as_slice(), b" in "].concat();
                if let Debugged::Skip = self.debug_part(head)? {
                    return Ok(0);
                }
                if self.options.xtrace() {
                    self.trace(head().trim_ascii_end());
                }
                self.exec_case(word, arms)
            }
            Kind::Arith(text) => {
                self.line = command.line;
                if let Debugged::Skip = self.debug_part(|| command_text(command))? {
                    return Ok(0);
                }
                self.exec_arith(text)
            }
            Kind::Test(expr) => {
                self.line = command.line;
                if let Debugged::Skip = self.debug_part(|| command_text(command))? {
                    return Ok(0);
                }
                self.exec_test(expr)
            }
            Kind::Function(name, body) => self.define(name, body, command.line),
            Kind::Coproc(name, body) => {
                self.line = command.line;
                self.exec_coproc(name, body)
            }
        }
    }

    fn define(&mut self, name: &[u8], body: &Rc<Command>, line: u32) -> Exec {
        if name.iter().any(|c| matches!(c, b'$' | b'`' | b'\'' | b'"' | b'<' | b'>')) {
            self.warn(&format!("`{}': not a valid identifier", shown(name)));
            return Ok(1);
        }
        if self.options.posix() && crate::builtins::find(name).is_some_and(|b| b.special) {
            self.warn(&format!("`{}': is a special builtin", shown(name)));
            return Err(Flow::Exit(2));
        }
        if self.functions.get(name).is_some_and(|function| function.readonly) {
            self.warn(&format!("{}: readonly function", shown(name)));
            return Ok(1);
        }
        let source = match self.frames.last() {
            Some(frame) => frame.source.clone(),
            None if self.source.is_empty() && self.command_string.is_none() => b"main".to_vec(),
            None if self.source.is_empty() => b"environment".to_vec(),
            None => self.source.clone(),
        };
        let exported = self.functions.get(name).is_some_and(|function| function.exported);
        let function = Function::new(body.clone(), line, source).with(exported, false);
        self.functions.insert(name.to_vec(), Rc::new(function));
        Ok(0)
    }

    fn exec_subshell(&mut self, list: &Rc<List>, command: &Command) -> Exec {
        let body = Command {
            line: self.line,
            kind: Kind::Group(List::clone(list)),
            redirects: Vec::new(),
        };
        let fds = self.fds.clone();
        let outer = self.lends_input;
        self.lends_input = super::reads_input(command);
        let pid = self.spawn_shell(&body, &fds);
        self.lends_input = outer;
        let pid = pid?;
        let status = self.wait_for(pid)?;
        self.tell_killed(pid, status, || command_text(command));
        Ok(status.code())
    }

    fn exec_if(&mut self, arms: &[(List, List)], otherwise: Option<&List>) -> Exec {
        for (condition, body) in arms {
            if self.exec_condition(condition)? == 0 {
                return self.exec_list(body);
            }
        }
        match otherwise {
            Some(body) => self.exec_list(body),
            None => Ok(0),
        }
    }

    /// Runs a loop body once.
    fn turn(&mut self, body: &List, status: &mut i32) -> Result<Turn, Flow> {
        match self.exec_list(body) {
            Ok(done) => {
                *status = done;
                Ok(Turn::Go)
            }
            Err(Flow::Break(1)) => {
                *status = i32::from(std::mem::take(&mut self.failed_break));
                Ok(Turn::Leave)
            }
            Err(Flow::Continue(1)) => {
                *status = 0;
                self.status = 0;
                Ok(Turn::Go)
            }
            Err(Flow::Break(n)) => Err(Flow::Break(n - 1)),
            Err(Flow::Continue(n)) => Err(Flow::Continue(n - 1)),
            Err(flow) => Err(flow),
        }
    }

    /// Runs `f` with the loop depth raised by one.
    fn looping<T>(&mut self, f: impl FnOnce(&mut Shell) -> T) -> T {
        self.loops += 1;
        let answer = f(self);
        self.loops = self.loops.saturating_sub(1);
        answer
    }

    fn exec_loop(&mut self, l: &Loop) -> Exec {
        self.looping(|shell| {
            let mut status = 0;
            loop {
                let asked = match shell.exec_condition(&l.condition) {
                    Ok(asked) => asked,
                    Err(Flow::Break(n)) if n > 1 => return Err(Flow::Break(n - 1)),
                    Err(Flow::Break(_)) => return Ok(0),
                    Err(Flow::Continue(n)) if n > 1 => return Err(Flow::Continue(n - 1)),
                    // `continue` succeeds, which ends an `until` loop.
                    Err(Flow::Continue(_)) if l.until => return Ok(status),
                    Err(Flow::Continue(_)) => continue,
                    Err(flow) => return Err(flow),
                };
                if (asked == 0) == l.until {
                    return Ok(status);
                }
                if let Turn::Leave = shell.turn(&l.body, &mut status)? {
                    return Ok(status);
                }
            }
        })
    }

    fn loop_words(&mut self, words: Option<&[Word]>) -> Result<Vec<Text>, Flow> {
        match words {
            Some(words) => self.expand_words(words),
            None => Ok(self.args.to_vec()),
        }
    }

    fn exec_for(&mut self, name: &[u8], words: Option<&[Word]>, body: &List) -> Exec {
        if !crate::syntax::is_name(name) {
            self.warn(&format!("`{}': not a valid identifier", shown(name)));
            return Ok(1);
        }
        let values = self.loop_words(words)?;
        self.looping(|shell| {
            let mut status = 0;
            let line = shell.line;
            for value in values {
                shell.line = line;
                if let Debugged::Skip = shell.debug_part(|| loop_head(b"for", name, words))? {
                    continue;
                }
                if shell.options.xtrace() {
                    shell.trace(&loop_head(b"for", name, words));
                }
                match shell.set_loop_variable(name, value) {
                    Err(Flow::Discard(status)) => return Ok(status),
                    answer => answer?,
                }
                if let Turn::Leave = shell.turn(body, &mut status)? {
                    break;
                }
            }
            Ok(status)
        })
    }

    /// Sets a loop variable; a name reference gets a new target instead of being followed.
    fn set_loop_variable(&mut self, name: &[u8], value: Text) -> Result<(), Flow> {
        if self.is_reference(name)
            && let Some(var) = self.vars.get_mut(name)
        {
            var.value = crate::shell::value::Value::Scalar(value);
            return Ok(());
        }
        self.set(name, value)
    }

    fn exec_select(&mut self, name: &[u8], words: Option<&[Word]>, body: &List) -> Exec {
        let values = self.loop_words(words)?;
        if values.is_empty() {
            return Ok(0);
        }
        self.looping(|shell| {
            let mut status = 0;
            let mut show = true;
            shell.debug_part(|| loop_head(b"select", name, words))?;
            if shell.options.xtrace() {
                shell.trace(&loop_head(b"select", name, words));
            }
            loop {
                if show {
                    let menu = shell.menu(&values);
                    shell.print_error(&menu);
                }
                let prompt = shell.get(b"PS3").unwrap_or_else(|| b"#? ".to_vec());
                shell.print_error(&prompt);
                let Some(line) = shell.read_line(0, b'\n')? else {
                    shell.print(b"\n", "select")?;
                    return Ok(1);
                };
                let line = line.trim_ascii().to_vec();
                shell.set(b"REPLY", line.clone())?;
                show = line.is_empty();
                if show {
                    continue;
                }
                let chosen = std::str::from_utf8(&line)
                    .ok()
                    .and_then(|n| n.parse::<usize>().ok())
                    .and_then(|n| values.get(n.checked_sub(1)?));
                match shell.set(name, chosen.cloned().unwrap_or_default()) {
                    Err(Flow::Discard(status)) => return Ok(status),
                    answer => answer?,
                }
                if let Turn::Leave = shell.turn(body, &mut status)? {
                    return Ok(status);
                }
            }
        })
    }

    fn exec_arith_for(&mut self, header: &[Option<ArithText>; 3], body: &List) -> Exec {
        let [first, condition, step] = header;
        let line = self.line;
        let evaluate = |shell: &mut Shell, text: &Option<ArithText>| match text {
            None => Ok(Some(1)),
            Some(text) => {
                shell.line = line;
                shell.debug_part(|| [b"((", word_text(&text.word).as_slice(), b"))"].concat())?;
                if shell.options.xtrace() {
                    let source = word_text(&text.word);
                    shell.trace(&[b"(( ", source.trim_ascii_start(), b" ))"].concat());
                }
                match shell.arith_or(text, "((") {
                    Ok(value) => Ok(Some(value)),
                    Err(None) => Ok(None),
                    Err(Some(flow)) => Err(flow),
                }
            }
        };
        if evaluate(self, first)?.is_none() {
            return Ok(1);
        }
        self.looping(|shell| {
            let mut status = 0;
            loop {
                match evaluate(shell, condition)? {
                    None => return Ok(1),
                    Some(0) => return Ok(status),
                    Some(_) => {}
                }
                if let Turn::Leave = shell.turn(body, &mut status)? {
                    return Ok(status);
                }
                if evaluate(shell, step)?.is_none() {
                    return Ok(1);
                }
            }
        })
    }

    fn exec_case(&mut self, word: &Word, arms: &[Arm]) -> Exec {
        let subject = self.expand_string(word)?;
        let mut status = 0;
        let mut fall = false;
        for arm in arms {
            let mut matched = fall;
            if !matched {
                for pattern in &arm.patterns {
                    if self.case_matches(pattern, &subject)? {
                        matched = true;
                        break;
                    }
                }
            }
            if !matched {
                continue;
            }
            status = self.exec_list(&arm.body)?;
            match arm.end {
                ArmEnd::Leave => return Ok(status),
                ArmEnd::Fall => fall = true,
                ArmEnd::Test => fall = false,
            }
        }
        Ok(status)
    }

    fn case_matches(&mut self, word: &Word, subject: &[u8]) -> Result<bool, Flow> {
        let pattern = self.expand_pattern(word)?;
        if pattern == b"*" {
            return Ok(true);
        }
        let mut rules = self.pattern_rules();
        rules.extended = true;
        Ok(Pattern::new(&pattern, rules).matches(subject))
    }

    fn exec_arith(&mut self, text: &ArithText) -> Exec {
        if self.options.xtrace() {
            let source = word_text(&text.word);
            self.trace(&[b"(( ", source.as_slice(), b" ))"].concat());
        }
        match self.arith_or(text, "((") {
            Ok(value) => Ok(i32::from(value == 0)),
            // A read-only variable fails the command, and not the line.
            Err(None | Some(Flow::Discard(_))) => Ok(1),
            Err(Some(flow)) => Err(flow),
        }
    }
}
