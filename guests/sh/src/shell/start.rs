//! Creation of a new shell's state.

use std::os::fd::AsRawFd as _;
use std::rc::Rc;

use cofferdam_guest_sys as sys;

use super::Shell;
use super::fds::Fds;
use super::frames::Function;
use super::options::Options;
use super::traps::Traps;
use super::value::{Value, Var, flag};
use super::vars::{Name, Vars};
use crate::builtins::Keys;
use crate::syntax::ast::{Kind, Text};
use crate::syntax::{Parser, is_name};

/// Bash version that this shell follows.
pub const VERSION: &str = "5.2.15(1)-release";

/// Lowest `SHLVL` that bash resets to 1.
const MAX_LEVEL: i64 = 1000;

/// Initial capacity for variables: enough for a new shell and a few of a script's own.
const ROOM: usize = 56;

impl Shell {
    /// Creates a shell with the environment of its process.
    pub fn new(me: &sys::Myself, environment: Vec<Text>) -> Shell {
        let mut shell = Shell {
            vars: Vars::with_capacity_and_hasher(ROOM, Default::default()),
            functions: Default::default(),
            frames: Vec::new(),
            arg0: b"bash".to_vec(),
            args: Rc::new(Vec::new()),
            first_args: None,
            options: Options::default(),
            exported_options: [false; 2],
            fds: Fds::inherited(&me.open),
            jobs: Default::default(),
            traps: Traps { born_ignored: me.ignored, ..Traps::default() },
            aliases: Default::default(),
            hashed: Default::default(),
            hits: Default::default(),
            foreign: Vec::new(),
            lost: 0,
            lends_input: false,
            bad_syntax: false,
            tolerates: false,
            completions: Vec::new(),
            completing: None,
            limits: Vec::new(),
            keys: Keys::default(),
            dir_stack: Vec::new(),
            cwd: me.cwd.clone(),
            status: 0,
            pipe_status: Vec::new(),
            last_arg: Vec::new(),
            last_background: None,
            pid: me.pid,
            own_pid: me.pid,
            parent: me.parent,
            subshell: 0,
            line: 1,
            commands: 1,
            command_text: Vec::new(),
            loops: 0,
            failed_break: false,
            errexit_off: 0,
            substituted: None,
            killed: None,
            final_command: None,
            trace_level: 0,
            depth: 0,
            started: me.now.as_secs() as i64,
            random: me.pid.wrapping_mul(2_654_435_761) ^ me.now.subsec_nanos(),
            getopts_at: 0,
            getopts_index: 0,
            ariths: Default::default(),
            regexes: Default::default(),
            process_fds: Vec::new(),
            coprocs: Vec::new(),
            history: Default::default(),
            kept_fds: Vec::new(),
            closed_fds: Vec::new(),
            heres: 0,
            captured: None,
            command_string: None,
            interactive: false,
            disabled: Vec::new(),
            in_subshell: false,
            args_set: false,
            source: Vec::new(),
        };
        shell.take_environment(environment);
        shell
    }

    fn take_environment(&mut self, environment: Vec<Text>) {
        for mut name in environment {
            let Some(at) = name.iter().position(|c| *c == b'=') else { continue };
            let value = name.split_off(at + 1);
            name.pop();
            if let Some(function) =
                name.strip_prefix(b"BASH_FUNC_").and_then(|name| name.strip_suffix(b"%%"))
            {
                self.import_function(function, &value);
            } else if is_name(&name)
                && !matches!(
                    name.as_slice(),
                    b"SHELLOPTS"
                        | b"BASHOPTS"
                        | b"_"
                        | b"UID"
                        | b"EUID"
                        | b"PPID"
                        | b"LINENO"
                        | b"OPTIND"
                        | b"OPTERR"
                        | b"BASH_VERSION"
                )
            {
                let var = Var { value: Value::Scalar(value), flags: flag::EXPORT };
                self.vars.insert(Name::from(name), var);
            } else if let Some(at) = options_at(&name) {
                self.exported_options[at] = true;
                for option in String::from_utf8_lossy(&value).split(':') {
                    match at {
                        0 => self.options.set_named(option, true),
                        _ => self.options.shopt_named(option, true),
                    };
                }
            } else if !is_name(&name) && !name.is_empty() {
                self.foreign.push([name.as_slice(), b"=", &value].concat());
            }
        }
        let level = self.get(b"SHLVL").and_then(|level| crate::builtins::number(&level));
        let level: i64 = level.unwrap_or(0);
        let level = if (0..MAX_LEVEL - 1).contains(&level) {
            level
        } else {
            if level >= 0 {
                let next = level.saturating_add(1);
                self.print_error(
                    format!("bash: warning: shell level ({next}) too high, resetting to 1\n")
                        .as_bytes(),
                );
            }
            i64::from(level >= 0) - 1
        };
        let exported = |value: Text| Var { value: Value::Scalar(value), flags: flag::EXPORT };
        self.vars.insert(Name::from(&b"SHLVL"[..]), exported((level + 1).to_string().into_bytes()));
        let logical = self.get(b"PWD").filter(|pwd| *pwd == self.cwd || self.is_here(pwd));
        if let Some(pwd) = logical {
            self.cwd = pwd;
        }
        self.vars.insert(Name::from(&b"PWD"[..]), exported(self.cwd.clone()));
        // An inherited `OLDPWD` counts only if it names a directory.
        let old = self.vars.get(&b"OLDPWD"[..]).and_then(Var::first);
        let is_directory = |path: &Text| {
            sys::stat(path, true).is_ok_and(|status| crate::expand::glob::is_dir(status.mode))
        };
        if !old.is_some_and(is_directory) {
            let var = Var { value: Value::Unset, flags: flag::EXPORT };
            self.vars.insert(Name::from(&b"OLDPWD"[..]), var);
        }
        let defaults: [(&[u8], &[u8]); 9] = [
            (b"IFS", b" \t\n"),
            (b"OPTIND", b"1"),
            (b"OPTERR", b"1"),
            (b"PS4", b"+ "),
            (b"BASH", b"/bin/bash"),
            (b"BASH_VERSION", VERSION.as_bytes()),
            (b"COMP_WORDBREAKS", b" \t\n\"'@><=;|&(:"),
            (b"HOSTTYPE", b"wasm32"),
            (b"OSTYPE", b"linux-gnu"),
        ];
        for (name, value) in defaults {
            // `IFS` is never taken from the environment.
            if name == b"IFS" || !self.vars.contains_key(name) {
                self.vars.insert(Name::from(name), Var::scalar(value));
            }
        }
        let more: [(&[u8], &[u8]); 5] = [
            (b"SHELL", b"/bin/bash"),
            (b"PATH", b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            (b"HOSTNAME", b"cofferdam"),
            (b"MACHTYPE", b"wasm32-unknown-wasi"),
            (b"TERM", b"dumb"),
        ];
        for (name, value) in more {
            if !self.vars.contains_key(name) {
                self.vars.insert(Name::from(name), Var::scalar(value));
            }
        }
    }

    /// Returns true if the path names the current working directory.
    fn is_here(&self, path: &[u8]) -> bool {
        path.first() == Some(&b'/')
            && match (sys::stat(path, true), sys::stat(b".", true)) {
                (Ok(a), Ok(b)) => (a.device, a.inode) == (b.device, b.inode),
                _ => false,
            }
    }

    fn import_function(&mut self, name: &[u8], value: &[u8]) {
        let text = [name, b" ", value].concat();
        let mut parser = Parser::new(&text, 1);
        if let Ok(list) = parser.whole()
            && let [item] = list.items.as_slice()
            && let [command] = item.first.stages.as_slice()
            && let Kind::Function(name, body) = &command.kind
        {
            let source = b"environment".to_vec();
            let function = Function::new(body.clone(), 1, source).with(true, false);
            self.functions.insert(name.clone(), Rc::new(function));
        }
    }

    /// Returns true if standard input is a terminal.
    pub fn has_terminal(&self) -> bool {
        let _ = std::io::stdin().as_raw_fd();
        self.fds.fd(0).is_ok_and(sys::is_terminal)
    }
}

/// Returns the place of `SHELLOPTS` or `BASHOPTS` in [`Shell::exported_options`].
pub fn options_at(name: &[u8]) -> Option<usize> {
    [&b"SHELLOPTS"[..], b"BASHOPTS"].iter().position(|known| *known == name)
}
