//! Command substitutions that run in this process, because apart from their output they have no
//! observable effect.

use std::rc::Rc;

use crate::shell::traps::Event;
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{Arg, Command, DefaultOp, Index, Kind, List, Op, Param, Part, Text, Word};

/// Builtins that only print and return a status.
const QUIET: [&[u8]; 8] = [b":", b"[", b"echo", b"false", b"printf", b"pwd", b"test", b"true"];

/// Parameters whose value depends on the process, or changes on each read.
const TELLING: [&[u8]; 5] = [b"BASHPID", b"BASH_SUBSHELL", b"RANDOM", b"SRANDOM", b"_"];

/// Nesting depth reserved for an in-process substitution; with less left, a process is started.
const STACK: usize = 6;

/// Longest list that is inspected.
const MAX_ITEMS: usize = 16;

impl Shell {
    /// Returns true if the commands can run in this process.
    pub(super) fn is_quiet(&self, list: &List) -> bool {
        list.items.len() <= MAX_ITEMS
            && !self.options.xtrace()
            && !self.traps.catches()
            && self.depth + STACK < crate::exec::MAX_NESTING
            && !self.traps.list.contains_key(&Event::Debug)
            && !self.traps.list.contains_key(&Event::Err)
            && list.items.iter().all(|item| {
                let first = std::iter::once(&item.first);
                let mut all = first.chain(item.rest.iter().map(|(_, pipeline)| pipeline));
                !item.background && all.all(|pipeline| {
                    pipeline.timed.is_none()
                        && matches!(pipeline.stages.as_slice(), [one] if self.is_quiet_command(one))
                })
            })
    }

    fn is_quiet_command(&self, command: &Command) -> bool {
        let Kind::Simple(simple) = &command.kind else { return false };
        let Some(Arg::Word(first)) = simple.args.first() else { return false };
        let Some(name) = first.literal() else { return false };
        let known =
            QUIET.contains(&name) && !self.functions.contains_key(name) && self.is_builtin(name);
        if !known || !simple.assigns.is_empty() || !command.redirects.is_empty() {
            return false;
        }
        // `printf -v` assigns a variable, so the first argument must visibly be a format.
        if name == b"printf" {
            let format = match simple.args.get(1) {
                Some(Arg::Word(word)) => match word.parts.first() {
                    Some(Part::Literal(text) | Part::Quoted(text)) => text.first() != Some(&b'-'),
                    Some(Part::Double(parts)) => {
                        matches!(parts.first(), Some(Part::Literal(text)) if text.first() != Some(&b'-'))
                    }
                    _ => false,
                },
                _ => false,
            };
            if !format {
                return false;
            }
        }
        simple.args.iter().all(|arg| match arg {
            Arg::Word(word) => self.is_quiet_word(word),
            Arg::Assign(_) => false,
        })
    }

    fn is_quiet_word(&self, word: &Word) -> bool {
        self.are_quiet(&word.parts)
    }

    fn are_quiet(&self, parts: &[Part]) -> bool {
        parts.iter().all(|part| match part {
            Part::Literal(_) | Part::Quoted(_) | Part::Sequence(_) => true,
            Part::Double(parts) => self.are_quiet(parts),
            Part::Param(param) => self.is_quiet_param(param),
            Part::Command(list) => self.is_quiet(list),
            Part::Arith(text) => {
                text.tree.as_ref().is_some_and(|tree| tree.is_pure())
                    && self.are_quiet(&text.word.parts)
            }
            Part::Braces(words) => words.iter().all(|word| self.is_quiet_word(word)),
            Part::Process(..) => false,
        })
    }

    fn is_quiet_param(&self, param: &Param) -> bool {
        let index = match &param.index {
            None | Some(Index::At | Index::Star) => true,
            Some(Index::One(word)) => word.parts.iter().all(|part| match part {
                Part::Literal(text) => text.iter().all(u8::is_ascii_alphanumeric),
                Part::Quoted(_) => true,
                Part::Param(param) => self.is_quiet_param(param),
                _ => false,
            }),
        };
        let op = match &param.op {
            Op::Get | Op::Length | Op::Keys | Op::Names(_) => true,
            Op::Default(DefaultOp::Use | DefaultOp::Instead, _, word) | Op::Remove(_, _, word) => {
                self.is_quiet_word(word)
            }
            Op::Replace(_, pattern, with) => {
                self.is_quiet_word(pattern)
                    && with.as_ref().is_none_or(|word| self.is_quiet_word(word))
            }
            Op::Case(_, _, pattern) => pattern.as_ref().is_none_or(|word| self.is_quiet_word(word)),
            Op::Default(..) | Op::Slice(..) | Op::Transform(_) | Op::Bad(_) => false,
        };
        index && op && !param.indirect && !TELLING.contains(&param.name.as_slice())
    }

    /// Runs commands in this process and returns their output.
    pub(super) fn capture_here(&mut self, list: &Rc<List>) -> Result<Text, Flow> {
        let outer = self.captured.replace(Vec::new());
        let kept = (self.pipe_status.clone(), self.last_arg.clone(), self.line);
        let (options, errexit_off) = (self.options, self.errexit_off);
        if !self.options.inherit_errexit() && !self.options.posix() {
            self.options.set_named("errexit", false);
        }
        self.depth += STACK;
        let answer = self.exec_list(list);
        self.depth -= STACK;
        (self.options, self.errexit_off) = (options, errexit_off);
        (self.pipe_status, self.last_arg, self.line) = kept;
        let output = std::mem::replace(&mut self.captured, outer).unwrap_or_default();
        let status = match answer {
            Ok(status) => status,
            Err(flow) => Shell::flow_status(flow),
        };
        self.substituted = Some(status);
        self.status = status;
        Ok(output)
    }
}
