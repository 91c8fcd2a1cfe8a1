//! The life of a shell process: command line, input, exit.

use std::rc::Rc;

use cofferdam_guest_sys as sys;

use crate::shell::output::reason;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::Parser;
use crate::syntax::ast::{Command, Kind, Text};

/// Exit status for a wrong command line or a syntax error.
const USAGE: i32 = 2;

/// Exit status of `bash -c` after a fatal expansion error.
pub(super) const FATAL_IN_STRING: i32 = 127;

/// Synopsis of the shell's own arguments.
const CALL: &str = "\
Usage:\tbash [GNU long option] [option] ...
\tbash [GNU long option] [option] script-file ...
GNU long options:
\t--help\n\t--init-file\n\t--login\n\t--noediting\n\t--noprofile
\t--norc\n\t--posix\n\t--rcfile\n\t--version
Shell options:
\t-ilrs or -c command or -O shopt_option\t\t(invocation only)
\t-abefhkmnptuvxBCEHPT or -o option
";

/// Source of commands, chosen by the command line.
enum Input {
    Text(Text),
    File(Text),
    Standard,
}

impl Shell {
    /// Runs the shell with its arguments and returns its exit status.
    pub fn main(&mut self, args: &[Text]) -> i32 {
        let mut rc = Some(None);
        let mut profile = true;
        // Scripts for `sh` expect the rules of POSIX, as they get them from bash under that name.
        let name = self.arg0.rsplit(|b| *b == b'/').next().unwrap_or_default();
        if name == b"sh" || self.vars.contains_key(b"POSIXLY_CORRECT".as_slice()) {
            self.options.set_named("posix", true);
        }
        if self.arg0.first() == Some(&b'-') {
            self.options.shopt_named("login_shell", true);
        }
        let input = match self.read_arguments(args, &mut rc, &mut profile) {
            Ok(input) => input,
            Err(status) => return status,
        };
        if self.options.posix() {
            self.note_posix();
        }
        if let Err(status) = self.run_start_files(profile) {
            return self.finish(status);
        }
        if self.interactive
            && let Err(status) = self.begin_interactive(rc)
        {
            return self.finish(status);
        }
        self.last_arg = self.arg0.clone();
        let status = match input {
            Input::Text(text) => self.run_script(&text),
            Input::File(path) => match self.read_script(&path) {
                Ok(text) => {
                    self.arg0 = path.clone();
                    self.source = path;
                    self.run_script(&text)
                }
                Err(status) => return status,
            },
            Input::Standard => self.run_standard_input(),
        };
        if self.interactive {
            self.save_history();
        }
        self.finish(status)
    }

    /// Ends a shell: runs its EXIT trap, then saves the environment for the sandbox's next run.
    fn finish(&mut self, status: i32) -> i32 {
        let status = self.run_exit_trap(status);
        if !self.in_subshell && cfg!(target_arch = "wasm32") {
            let variables = self.exported();
            let variables: Vec<&[u8]> = variables.iter().map(Vec::as_slice).collect();
            let _ = sys::keep_environment(&self.cwd, &variables);
        }
        status & 0xff
    }

    /// Runs the command received from the parent and returns the exit status.
    pub fn run_subshell(&mut self, body: &Command) -> i32 {
        if let Kind::Group(list) = &body.kind {
            self.note_final(list);
        }
        let answer = self.exec_command(body);
        let status = match answer {
            Ok(status) => status,
            Err(Flow::Fatal(_))
                if self.command_string.is_some() && matches!(body.kind, Kind::Simple(_)) =>
            {
                FATAL_IN_STRING
            }
            Err(flow) => Shell::flow_status(flow),
        };
        self.finish(status)
    }

    /// Parses the arguments. Sets `rc` to the start file of an interactive shell: `None` for no
    /// file, `Some(None)` for the default, or a given path. Clears `profile` if a login shell is to
    /// run no start files.
    fn read_arguments(
        &mut self,
        args: &[Text],
        rc: &mut Option<Option<Text>>,
        profile: &mut bool,
    ) -> Result<Input, i32> {
        let mut command = false;
        let mut standard = false;
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let on = arg.first() == Some(&b'-');
            if arg == b"--" || arg == b"-" {
                at += 1;
                break;
            }
            if !(on || arg.first() == Some(&b'+')) || arg.len() < 2 {
                break;
            }
            at += 1;
            match arg.as_slice() {
                b"--norc" | b"--noprofile" | b"--login" | b"-l" | b"--posix" | b"--noediting" => {
                    if arg == b"--login" || arg == b"-l" {
                        self.options.shopt_named("login_shell", true);
                    }
                    if arg == b"--posix" {
                        self.options.set_named("posix", true);
                    }
                    if arg == b"--norc" {
                        *rc = None;
                    }
                    if arg == b"--noprofile" {
                        *profile = false;
                    }
                    continue;
                }
                b"--version" => {
                    let text =
                        format!("GNU bash, version {} compatible\n", crate::shell::start::VERSION);
                    let _ = self.print(text.as_bytes(), "bash");
                    return Err(0);
                }
                b"--help" => {
                    let text =
                        format!("GNU bash, version {}\n{CALL}", crate::shell::start::VERSION);
                    let _ = self.print(text.as_bytes(), "bash");
                    return Err(0);
                }
                b"--rcfile" | b"--init-file" => {
                    if rc.is_some() {
                        *rc = Some(args.get(at).cloned());
                    }
                    at += 1;
                    continue;
                }
                _ => {}
            }
            for letter in &arg[1..] {
                match letter {
                    b'c' => command = true,
                    b's' if on => standard = true,
                    b'i' if on => {
                        self.interactive = true;
                        self.options.shopt_named("expand_aliases", true);
                    }
                    b'l' if on => {
                        self.options.shopt_named("login_shell", true);
                    }
                    b'r' if on => {}
                    b'o' | b'O' => {
                        let name = args.get(at).map(|n| String::from_utf8_lossy(n).into_owned());
                        at += 1;
                        let name = name.unwrap_or_default();
                        let known = if *letter == b'o' {
                            self.options.set_named(&name, on)
                        } else {
                            self.options.shopt_named(&name, on)
                        };
                        if !known {
                            let message = match letter {
                                b'o' => format!("bash: {name}: invalid option name"),
                                _ => format!("{name}: invalid shell option name"),
                            };
                            self.print_error(&[&self.arg0[..], b": line 0: "].concat());
                            self.print_error(format!("{message}\n").as_bytes());
                            return Err(USAGE);
                        }
                    }
                    letter => {
                        if !self.options.set_letter(*letter, on) {
                            let sign = if on { '-' } else { '+' };
                            let wrong = match arg.starts_with(b"--") {
                                true => String::from_utf8_lossy(arg).into_owned(),
                                false => format!("{sign}{}", char::from(*letter)),
                            };
                            self.complain_of_option(&format!("{wrong}: invalid option"));
                            self.print_error(CALL.as_bytes());
                            return Err(USAGE);
                        }
                    }
                }
            }
        }
        let rest = &args[at.min(args.len())..];
        if command {
            let Some((text, rest)) = rest.split_first() else {
                self.complain_of_option("-c: option requires an argument");
                return Err(USAGE);
            };
            if let Some((name, args)) = rest.split_first() {
                self.arg0 = name.clone();
                self.args = Rc::new(args.to_vec());
            }
            self.command_string = Some(text.clone());
            return Ok(Input::Text(text.clone()));
        }
        match rest.split_first() {
            Some((path, args)) if !standard => {
                self.args = Rc::new(args.to_vec());
                Ok(Input::File(path.clone()))
            }
            _ => {
                self.args = Rc::new(rest.to_vec());
                Ok(Input::Standard)
            }
        }
    }

    /// Prints an error in the shell's own arguments, which have no line.
    fn complain_of_option(&mut self, message: &str) {
        let text = [&self.arg0[..], b": ", message.as_bytes(), b"\n"].concat();
        self.print_error(&text);
    }

    fn read_script(&mut self, path: &[u8]) -> Result<Text, i32> {
        let mut found = path.to_vec();
        if !path.contains(&b'/')
            && sys::stat(path, true).is_err()
            && let crate::exec::find::Found::Program(full) = {
                let list = self.get(b"PATH").unwrap_or_default();
                self.search(&list, path)
            }
        {
            found = full;
        }
        match std::fs::read(crate::expand::glob::path(&found)) {
            Ok(text) if text.iter().take(80).take_while(|c| **c != b'\n').any(|c| *c == 0) => {
                let path = String::from_utf8_lossy(path).into_owned();
                self.print_error(
                    format!("{path}: {path}: cannot execute binary file\n").as_bytes(),
                );
                Err(126)
            }
            Ok(text) => Ok(text),
            Err(error) => {
                let path = String::from_utf8_lossy(path).into_owned();
                let who = match error.kind() {
                    std::io::ErrorKind::IsADirectory => &path,
                    _ => "bash",
                };
                let text = format!("{who}: {path}: {}\n", reason(&error));
                self.print_error(text.as_bytes());
                Err(if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 })
            }
        }
    }

    /// Runs a script from its text.
    fn run_script(&mut self, text: &[u8]) -> i32 {
        let mut parser = Parser::new(text, 1);
        let mut status = 0;
        loop {
            let aliases = self.options.expand_aliases().then(|| self.aliases.clone());
            let before = parser.rest().len();
            parser.posix = self.options.posix();
            let list = match parser.next(aliases, self.options.extglob()) {
                Ok(Some(list)) => list,
                Ok(None) => return status,
                Err(error) => {
                    self.line = error.line;
                    if !error.message.is_empty() {
                        self.complain_of_syntax(&error.message);
                    }
                    let source = line_of(text, error.line);
                    if error.message.starts_with("syntax error near") && !source.is_empty() {
                        self.complain_of_syntax(&format!("`{}'", super::spawn::shown(source)));
                    }
                    if error.in_elements && (error.incomplete || self.command_string.is_some()) {
                        return 1;
                    }
                    if error.in_elements {
                        parser.skip_line();
                        self.status = 1;
                        status = 1;
                        continue;
                    }
                    return match error.in_substitution && self.command_string.is_some() {
                        true => FATAL_IN_STRING,
                        false if error.in_test => self.status,
                        false => USAGE,
                    };
                }
            };
            for warning in parser.warnings() {
                self.line = warning.line;
                self.warn(&warning.message);
            }
            if self.options.noexec() {
                continue;
            }
            if self.options.verbose() {
                let read = read_since(text, before, parser.rest().len());
                self.print_error(&[read.trim_ascii_end(), b"\n"].concat());
            }
            self.enter(read_since(text, before, parser.rest().len()));
            if self.command_string.is_some() && parser.rest().trim_ascii().is_empty() {
                self.note_final(&list);
            }
            match self.top_level(&list) {
                Ok(done) => status = done,
                Err(status) => return status,
            }
            if self.options.onecmd() {
                return status;
            }
        }
    }

    /// Notes the last command of a list if it is a simple one. bash replaces itself with such a
    /// program, which therefore sees a lower `SHLVL`.
    fn note_final(&mut self, list: &crate::syntax::ast::List) {
        let Some(item) = list.items.last() else { return };
        let pipeline = item.rest.last().map_or(&item.first, |(_, pipeline)| pipeline);
        let is_plain = !item.background && !pipeline.negated && pipeline.timed.is_none();
        if let [command] = pipeline.stages.as_slice()
            && is_plain
            && matches!(command.kind, Kind::Simple(_))
        {
            self.final_command = Some(Rc::as_ptr(command));
        }
    }

    /// Prints a syntax error as bash does: after the script's name, and after `-c` if the script
    /// came with it.
    fn complain_of_syntax(&mut self, message: &str) {
        if self.command_string.is_none() {
            return self.warn(message);
        }
        let mut text = self.arg0.clone();
        text.extend_from_slice(format!(": -c: line {}: {message}\n", self.line).as_bytes());
        self.print_error(&text);
    }

    /// Runs one complete top-level command. The error is the status to exit with.
    fn top_level(&mut self, list: &crate::syntax::ast::List) -> Result<i32, i32> {
        let depth = self.depth;
        let answer: Exec = self.exec_list(list);
        self.depth = depth;
        self.commands = self.commands.wrapping_add(1);
        match answer {
            Ok(status) => Ok(status),
            Err(Flow::Exit(status)) => Err(status),
            Err(Flow::Fatal(status)) => {
                if self.interactive {
                    self.status = 1;
                    return Ok(1);
                }
                let is_plain = self.command_string.is_some() && !self.options.errexit();
                Err(if is_plain { FATAL_IN_STRING } else { status })
            }
            Err(Flow::Abandon(status)) if self.command_string.is_some() => Err(status),
            Err(Flow::Discard(status) | Flow::Abandon(status)) => {
                self.forget_calls();
                self.status = status;
                Ok(status)
            }
            Err(Flow::Return(status)) => {
                self.status = status;
                Ok(status)
            }
            Err(Flow::Break(_) | Flow::Continue(_)) => {
                self.status = 0;
                Ok(0)
            }
        }
    }

    /// Resets loop and condition state after an error unwound the calls that held it.
    fn forget_calls(&mut self) {
        self.loops = 0;
        self.errexit_off = 0;
    }

    /// Runs commands from standard input as they arrive; each may read the input that follows it.
    fn run_standard_input(&mut self) -> i32 {
        let mut text: Text = Vec::new();
        let mut status = 0;
        let mut line = 1;
        loop {
            if self.interactive && text.is_empty() {
                self.run_prompt_command();
            }
            let more = match self.read_line(0, b'\n') {
                Ok(more) => more,
                Err(_) => return status,
            };
            let ended = more.is_none();
            if let Some(mut more) = more {
                let continues = ends_with_join(&more);
                text.append(&mut more);
                text.push(b'\n');
                if continues {
                    continue;
                }
            }
            let mut parser = Parser::new(&text, line);
            let aliases = self.options.expand_aliases().then(|| self.aliases.clone());
            parser.posix = self.options.posix();
            let parsed = parser.next(aliases, self.options.extglob());
            match parsed {
                Err(error) if error.incomplete && !ended => continue,
                Err(error) => {
                    self.line = error.line;
                    self.warn(&error.message);
                    if self.interactive && !ended {
                        line = error.line + 1;
                        text.clear();
                        self.status = USAGE;
                        status = USAGE;
                        continue;
                    }
                    return if error.in_test { self.status } else { USAGE };
                }
                Ok(None) => {}
                Ok(Some(_)) if !ended && parser.wants_more() => continue,
                Ok(Some(list)) => {
                    self.enter(read_since(&text, text.len(), parser.rest().len()));
                    match self.top_level(&list) {
                        Ok(done) => status = done,
                        Err(status) => return status,
                    }
                    if self.options.onecmd() {
                        return status;
                    }
                }
            }
            line = parser.line();
            text = parser.rest().to_vec();
            if ended && text.is_empty() {
                return status;
            }
        }
    }
}

/// Returns true if a line of input ends with a backslash that joins it with the next line.
fn ends_with_join(line: &[u8]) -> bool {
    let slashes = line.iter().rev().take_while(|c| **c == b'\\').count();
    slashes % 2 == 1 && line.trim_ascii_start().first() != Some(&b'#')
}

/// Returns a line of a script, counted from 1.
pub(super) fn line_of(text: &[u8], line: u32) -> &[u8] {
    text.split(|c| *c == b'\n').nth(line.saturating_sub(1) as usize).unwrap_or_default()
}

/// Returns the text between two positions, each given as the length of the text after it. Alias
/// expansion changes the parser's text before a position, never after it.
fn read_since(text: &[u8], before: usize, after: usize) -> &[u8] {
    let at = |left: usize| text.len().saturating_sub(left);
    &text[at(before).min(at(after))..at(after)]
}
