//! Starting processes: subshells, pipeline stages, programs and scripts.

use cofferdam_guest_sys::{self as sys, Pid, Spawn};

use super::find::Found;
use crate::shell::fds::Fds;
use crate::shell::output::reason;
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{Arg, Command, Kind, Op, Part, Redirect, RedirectTo, Text, Word};

/// Exit status of a command that cannot be executed.
const NOT_RUNNABLE: i32 = 126;

/// Exit status of a script whose interpreter does not exist.
const NOT_FOUND: i32 = 127;

impl Shell {
    /// Starts a subshell that runs this command with a copy of this shell's state.
    pub fn spawn_shell(&mut self, body: &Command, fds: &Fds) -> Result<Pid, Flow> {
        let numbers = fds.numbers();
        let state = self.pack_state(body, &numbers);
        let env = self.exported();
        let spawn = Spawn {
            program: b"sh",
            argv: vec![b"bash"],
            env: env.iter().map(Vec::as_slice).collect(),
            cwd: &self.cwd,
            descriptors: fds.for_child(),
            state: &state,
        };
        sys::spawn(&spawn).map_err(|error| {
            self.warn(&format!("cannot start a subshell: {}", reason(&error)));
            Flow::Exit(254)
        })
    }

    /// Starts a pipeline stage with the current descriptors. The inner error is the status of a
    /// stage that failed before it became a process.
    pub(super) fn spawn_stage(&mut self, command: &Command) -> Result<Result<Pid, i32>, Flow> {
        if let Some(answer) = self.spawn_direct(command)? {
            return Ok(answer);
        }
        let fds = self.fds.clone();
        let lists_jobs = match &command.kind {
            Kind::Simple(simple) => {
                matches!(simple.args.first(), Some(Arg::Word(word)) if word.literal() == Some(b"jobs"))
            }
            _ => false,
        };
        self.jobs.lent = lists_jobs;
        // The process of the stage is the subshell.
        let inner = match &command.kind {
            Kind::Subshell(list) => Some(Command {
                line: command.line,
                kind: Kind::Group(crate::syntax::ast::List::clone(list)),
                redirects: command.redirects.clone(),
            }),
            _ => None,
        };
        let pid = self.spawn_shell(inner.as_ref().unwrap_or(command), &fds);
        self.jobs.lent = false;
        pid.map(Ok)
    }

    /// Starts a stage that is only a program, without a shell around it; returns `None` if it needs
    /// one.
    fn spawn_direct(&mut self, command: &Command) -> Result<Option<Result<Pid, i32>>, Flow> {
        let Kind::Simple(simple) = &command.kind else { return Ok(None) };
        let targets = command.redirects.iter().all(|redirect| match &redirect.to {
            RedirectTo::File(_, word)
            | RedirectTo::Copy(_, word)
            | RedirectTo::Both(_, word)
            | RedirectTo::String(word) => is_pure(&word.parts),
            RedirectTo::Here(here) => is_pure(&here.body.borrow().parts),
        });
        let words = simple.args.iter().all(|arg| match arg {
            Arg::Word(word) => is_pure(&word.parts),
            Arg::Assign(_) => false,
        });
        if !targets
            || !words
            || !simple.assigns.is_empty()
            || self.options.nounset()
            || self.options.xtrace()
            || self.options.failglob()
        {
            return Ok(None);
        }
        if self.traps.get(crate::shell::traps::Event::Debug).is_some()
            || self.opens_fifo(&command.redirects)?
        {
            return Ok(None);
        }
        let mut args = Vec::new();
        for arg in &simple.args {
            if let Arg::Word(word) = arg {
                self.expand_fields(word, &mut args)?;
            }
        }
        // The words are pure, so a shell can expand them again.
        let Some(name) = args.first() else { return Ok(None) };
        if self.functions.contains_key(name) || self.is_builtin(name) {
            return Ok(None);
        }
        self.line = command.line;
        let saved = self.fds.clone();
        let answer = match self.redirect(&command.redirects) {
            Ok(true) => {
                let env = self.exported();
                // In bash, a stage looks its program up in a process of its own, so this shell
                // does not remember the path.
                let is_known = self.hashed.contains_key(&args[0]);
                let started = self.spawn_program(&args, &env);
                if !is_known {
                    self.hashed.remove(&args[0]);
                }
                Ok(Some(started))
            }
            Ok(false) => Ok(Some(Err(1))),
            Err(flow) => Err(flow),
        };
        self.fds = saved;
        answer
    }

    /// Returns true if a redirection opens a named pipe. Such an open may block until another
    /// process opens the other end, and this process may be the one that has to start it.
    fn opens_fifo(&mut self, redirects: &[Redirect]) -> Result<bool, Flow> {
        for redirect in redirects {
            let (RedirectTo::File(_, word) | RedirectTo::Both(_, word)) = &redirect.to else {
                continue;
            };
            let mut names = Vec::new();
            self.expand_fields(word, &mut names)?;
            let is_fifo =
                |path: &Text| sys::stat(path, true).is_ok_and(|s| s.mode & 0o170_000 == 0o010_000);
            if names.iter().any(is_fifo) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Starts a program found by name. The error is the exit status; its message has been printed.
    pub fn spawn_program(&mut self, args: &[Text], env: &[Text]) -> Result<Pid, i32> {
        let name = &args[0];
        let program = match self.find_program(name) {
            Found::Program(path) => path,
            Found::Folder => {
                self.warn(&format!("{}: Is a directory", shown(name)));
                return Err(NOT_RUNNABLE);
            }
            Found::Forbidden(path) => {
                self.warn(&format!("{}: Permission denied", shown(&path)));
                return Err(NOT_RUNNABLE);
            }
            Found::Nothing => return self.missing(args),
        };
        self.spawn_found(&program, args, env)
    }

    fn spawn_found(&mut self, program: &[u8], args: &[Text], env: &[Text]) -> Result<Pid, i32> {
        let mut env: Vec<&[u8]> = env.iter().map(Vec::as_slice).collect();
        let underscore = [b"_=", program].concat();
        env.push(&underscore);
        let argv: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
        match self.start(program, argv, &env) {
            Ok(pid) => Ok(pid),
            Err(error) if error.raw_os_error() == Some(libc::ENOEXEC) => {
                self.spawn_script(program, args, &env)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if args[0].contains(&b'/') && sys::stat(program, true).is_ok() {
                    // The file exists, so its interpreter does not.
                    let name = shown(&args[0]);
                    self.warn(&format!("{name}: cannot execute: required file not found"));
                    return Err(NOT_FOUND);
                }
                self.missing(args)
            }
            Err(error) => {
                self.warn(&format!("{}: {}", shown(&args[0]), reason(&error)));
                Err(NOT_RUNNABLE)
            }
        }
    }

    fn start(&self, program: &[u8], argv: Vec<&[u8]>, env: &[&[u8]]) -> std::io::Result<Pid> {
        sys::spawn(&Spawn {
            program,
            argv,
            env: env.to_vec(),
            cwd: &self.cwd,
            descriptors: self.fds.for_child(),
            state: b"",
        })
    }

    /// Starts a script with the interpreter named in its first line, or with this shell.
    fn spawn_script(&mut self, program: &[u8], args: &[Text], env: &[&[u8]]) -> Result<Pid, i32> {
        let mut head = [0; 256];
        let len = sys::open(program, libc::O_RDONLY, 0).and_then(|fd| {
            let len = sys::read(fd, &mut head);
            sys::close(fd)?;
            len
        });
        let head = &head[..len.unwrap_or(0)];
        if head.iter().take(80).any(|c| *c == 0) {
            self.warn(&format!(
                "{}: cannot execute binary file: Exec format error",
                shown(program)
            ));
            return Err(NOT_RUNNABLE);
        }
        let mut argv: Vec<&[u8]> = Vec::new();
        let line = head.split(|c| *c == b'\n').next().unwrap_or(b"");
        if let Some(interpreter) = line.strip_prefix(b"#!") {
            let interpreter = interpreter.trim_ascii();
            let (path, option) = match interpreter.iter().position(|c| matches!(c, b' ' | b'\t')) {
                Some(at) => (&interpreter[..at], Some(interpreter[at..].trim_ascii())),
                None => (interpreter, None),
            };
            argv.push(path);
            argv.extend(option);
        } else {
            argv.push(b"bash");
        }
        argv.push(program);
        argv.extend(args[1..].iter().map(Vec::as_slice));
        let interpreter = argv[0].to_vec();
        // An interpreter's path may not exist in the sandbox; its base name finds the sandbox's
        // command.
        let base = interpreter.rsplit(|c| *c == b'/').next().unwrap_or(&interpreter).to_vec();
        let started = self.start(&interpreter, argv.clone(), env).or_else(|error| {
            if error.kind() == std::io::ErrorKind::NotFound && base != interpreter {
                return self.start(&base, argv, env);
            }
            Err(error)
        });
        started.map_err(|error| {
            let (program, interpreter) = (shown(program), shown(&interpreter));
            if error.kind() == std::io::ErrorKind::NotFound {
                self.warn(&format!("{program}: cannot execute: required file not found"));
                return NOT_FOUND;
            }
            self.warn(&format!("{program}: {interpreter}: bad interpreter: {}", reason(&error)));
            NOT_RUNNABLE
        })
    }
}

/// Converts text for use in a message; invalid UTF-8 is replaced.
pub(crate) fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Returns true if expanding the parts has no side effect and cannot fail, so that any process may
/// expand them.
fn is_pure(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Literal(_) | Part::Quoted(_) | Part::Sequence(_) => true,
        Part::Double(parts) => is_pure(parts),
        Part::Param(param) => {
            param.index.is_none()
                && !param.indirect
                && !matches!(
                    param.name.as_slice(),
                    b"BASHPID" | b"BASH_SUBSHELL" | b"RANDOM" | b"LINENO"
                )
                && matches!(param.op, Op::Get | Op::Length)
        }
        Part::Braces(words) => words.iter().all(|word: &Word| is_pure(&word.parts)),
        Part::Command(_) | Part::Arith(_) | Part::Process(..) => false,
    })
}
