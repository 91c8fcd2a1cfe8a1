//! State that a subshell receives from its parent.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::fds::Fds;
use super::frames::{Frame, Function};
use super::history::History;
use super::options::Options;
use super::traps::{Event, Traps};
use super::value::Var;
use super::vars::Name;
use super::{Shell, jobs::Jobs};
use crate::builtins::{Keys, Limit};
use crate::completion::Spec;
use crate::syntax::ast::{Command, Text};

/// First field of every packed state; rejects bytes that are not one.
const MAGIC: u32 = 0x6366_7368;

#[derive(Serialize, Deserialize)]
struct State {
    magic: u32,
    vars: Vec<(Text, Var)>,
    functions: Vec<PackedFunction>,
    frames: Vec<PackedFrame>,
    arg0: Text,
    args: Vec<Text>,
    first_args: Option<Vec<Text>>,
    options: Options,
    exported_options: [bool; 2],
    fds: Vec<u32>,
    aliases: Vec<(Text, Text)>,
    hashed: Vec<(Text, Text)>,
    hits: Vec<(Text, u32)>,
    foreign: Vec<Text>,
    lost: u16,
    lends_input: bool,
    completions: Vec<(Text, Spec)>,
    keys: Keys,
    limits: Vec<Limit>,
    dir_stack: Vec<Text>,
    cwd: Text,
    status: i32,
    pipe_status: Vec<i32>,
    last_arg: Text,
    last_background: Option<u32>,
    pid: u32,
    parent: u32,
    subshell: u32,
    line: u32,
    commands: u32,
    loops: usize,
    errexit_off: usize,
    started: i64,
    random: u32,
    getopts_at: usize,
    command_string: Option<Text>,
    disabled: Vec<Text>,
    history: History,
    jobs: Vec<(usize, Vec<u32>, Text)>,
    outer_jobs: usize,
    trace_level: usize,
    /// Signals that a background command ignores until it sets a trap.
    spared: u64,
    source: Text,
    traps: Vec<(Text, Text)>,
    inherited: Vec<(Text, Text)>,
    body: Command,
}

#[derive(Serialize, Deserialize)]
struct PackedFunction {
    name: Text,
    bytes: Vec<u8>,
    line: u32,
    exported: bool,
    readonly: bool,
    source: Text,
}

#[derive(Serialize, Deserialize)]
struct PackedFrame {
    name: Text,
    source: Text,
    line: u32,
    is_function: bool,
    saved: Vec<(Text, Option<Var>)>,
    temporary: usize,
    arguments: Option<Vec<Text>>,
}

impl Shell {
    /// Packs the state for a subshell that runs this command.
    pub fn pack_state(&self, body: &Command, fds: &[u32]) -> Vec<u8> {
        let functions = self.functions.iter().map(|(name, function)| PackedFunction {
            name: name.clone(),
            bytes: function.bytes().to_vec(),
            line: function.line,
            exported: function.exported,
            readonly: function.readonly,
            source: function.source.clone(),
        });
        let frames = self.frames.iter().map(|frame| PackedFrame {
            name: frame.name.clone(),
            source: frame.source.clone(),
            line: frame.line,
            is_function: frame.is_function,
            saved: frame.saved.iter().map(|(name, var)| (name.to_vec(), var.clone())).collect(),
            temporary: frame.temporary,
            arguments: frame.arguments.clone(),
        });
        let keeps = |event: &Event| match event {
            // A subshell of the DEBUG trap itself must not run it again.
            Event::Debug => self.options.functrace() && !self.traps.debugging,
            Event::Return => self.options.functrace(),
            Event::Err => self.options.errtrace(),
            Event::Exit | Event::Signal(_) => false,
        };
        let traps = self.traps.list.iter().filter(|(event, command)| {
            keeps(event) || (command.is_empty() && matches!(event, Event::Signal(_)))
        });
        crate::serial::pack(&State {
            magic: MAGIC,
            vars: self.vars.iter().map(|(name, var)| (name.to_vec(), var.clone())).collect(),
            functions: functions.collect(),
            frames: frames.collect(),
            arg0: self.arg0.clone(),
            args: self.args.to_vec(),
            first_args: self.first_args.clone(),
            options: self.options,
            exported_options: self.exported_options,
            fds: fds.to_vec(),
            aliases: self.aliases.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            hashed: self.hashed.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            hits: self.hits.iter().map(|(k, v)| (k.clone(), *v)).collect(),
            foreign: self.foreign.clone(),
            lost: self.lost,
            lends_input: self.lends_input,
            completions: self.completions.clone(),
            keys: self.keys.clone(),
            limits: self.limits.clone(),
            dir_stack: self.dir_stack.clone(),
            cwd: self.cwd.clone(),
            status: self.status,
            pipe_status: self.pipe_status.clone(),
            last_arg: self.last_arg.clone(),
            last_background: self.last_background,
            pid: self.pid,
            parent: self.parent,
            subshell: self.subshell + 1,
            line: self.line,
            commands: self.commands,
            loops: 0,
            errexit_off: self.errexit_off,
            started: self.started,
            random: self.random.wrapping_add(1),
            getopts_at: self.getopts_at,
            command_string: self.command_string.clone(),
            disabled: self.disabled.clone(),
            history: self.history.clone(),
            jobs: self.jobs.lend(),
            outer_jobs: self.jobs.count(),
            trace_level: self.trace_level,
            spared: self.traps.sparing | self.traps.spared,
            source: self.source.clone(),
            traps: traps
                .map(|(event, command)| (event.name().into_bytes(), command.to_vec()))
                .collect(),
            inherited: self
                .traps
                .shown()
                .into_iter()
                .map(|(event, command)| (event.name().into_bytes(), command.to_vec()))
                .collect(),
            body: body.clone(),
        })
    }

    /// Restores a subshell and the command to run. Returns `None` if the bytes are not a packed
    /// state.
    pub fn from_state(bytes: &[u8], own_pid: u32, ignored: u64) -> Option<(Shell, Command)> {
        let state: State = crate::serial::unpack(bytes)?;
        if state.magic != MAGIC {
            return None;
        }
        let functions = state.functions.into_iter().map(|f| {
            let function = Function::packed(f.bytes, f.line, f.source).with(f.exported, f.readonly);
            (f.name, Rc::new(function))
        });
        let frames = state.frames.into_iter().map(|frame| Frame {
            name: frame.name,
            source: frame.source,
            line: frame.line,
            is_function: frame.is_function,
            // `unset` can uncover the outer values.
            saved: frame.saved.into_iter().map(|(name, var)| (Name::from(name), var)).collect(),
            temporary: frame.temporary,
            arguments: frame.arguments,
            options: None,
        });
        let mut traps = Traps {
            born_ignored: ignored & !state.spared,
            spared: ignored & state.spared,
            ..Traps::default()
        };
        for (event, command) in state.traps {
            if let Some(event) = Event::parse(&event) {
                traps.set(event, Some(command));
            }
        }
        for (event, command) in state.inherited {
            if let Some(event) = Event::parse(&event) {
                traps.inherited.insert(event, Rc::new(command));
            }
        }
        let shell = Shell {
            vars: state.vars.into_iter().map(|(name, var)| (Name::from(name), var)).collect(),
            functions: functions.collect(),
            frames: frames.collect(),
            arg0: state.arg0,
            args: Rc::new(state.args),
            first_args: state.first_args,
            options: state.options,
            exported_options: state.exported_options,
            fds: Fds::listed(&state.fds),
            jobs: Jobs::borrowed(state.jobs, state.outer_jobs),
            traps,
            aliases: Rc::new(state.aliases.into_iter().collect()),
            hashed: state.hashed.into_iter().collect(),
            hits: state.hits.into_iter().collect(),
            foreign: state.foreign,
            lost: state.lost,
            lends_input: state.lends_input,
            bad_syntax: false,
            tolerates: false,
            completions: state.completions,
            completing: None,
            limits: state.limits,
            keys: state.keys,
            dir_stack: state.dir_stack,
            cwd: state.cwd,
            status: state.status,
            pipe_status: state.pipe_status,
            last_arg: state.last_arg,
            last_background: state.last_background,
            pid: state.pid,
            own_pid,
            parent: state.parent,
            subshell: state.subshell,
            line: state.line,
            commands: state.commands,
            command_text: Vec::new(),
            loops: state.loops,
            failed_break: false,
            errexit_off: state.errexit_off,
            substituted: None,
            killed: None,
            final_command: None,
            trace_level: state.trace_level,
            depth: 0,
            started: state.started,
            random: state.random,
            getopts_at: state.getopts_at,
            getopts_index: 0,
            ariths: Default::default(),
            regexes: Default::default(),
            process_fds: Vec::new(),
            coprocs: Vec::new(),
            history: state.history,
            kept_fds: Vec::new(),
            closed_fds: Vec::new(),
            heres: 0,
            captured: None,
            command_string: state.command_string,
            interactive: false,
            disabled: state.disabled,
            in_subshell: true,
            args_set: false,
            source: state.source,
        };
        Some((shell, state.body))
    }
}
