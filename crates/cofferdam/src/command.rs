//! What runs as a process: a command of the shell, a file of the sandbox, a WASI module.

use cofferdam_kernel::{Executable, Preopens, Stdin, Terminal, Writer};

/// A program, its arguments, and what it finds when it starts.
#[derive(Debug)]
pub struct Command {
    pub(crate) executable: Executable,
    pub(crate) argv: Vec<Vec<u8>>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) removed: Vec<String>,
    pub(crate) inherits_env: bool,
    pub(crate) cwd: Option<String>,
    pub(crate) stdin: Option<Stdin>,
    pub(crate) terminal: Terminal,
    pub(crate) preopens: Preopens,
    /// Length of the text that a person or a model wrote, for the limit on it.
    pub(crate) source_bytes: u64,
}

impl Command {
    fn of(executable: Executable, name: &str) -> Self {
        Command {
            executable,
            argv: vec![name.into()],
            env: Vec::new(),
            removed: Vec::new(),
            inherits_env: true,
            cwd: None,
            stdin: None,
            terminal: Terminal::None,
            preopens: Preopens::Root,
            source_bytes: 0,
        }
    }

    /// A command of the sandbox by its name, or a file of it by its absolute path.
    pub fn new(program: impl Into<String>) -> Self {
        let program = program.into();
        let name = program.clone();
        Command::of(Executable::Named(program), &name)
    }

    /// Text for the shell, as with `bash -c`.
    pub fn shell(text: impl Into<String>) -> Self {
        let text = text.into();
        let source_bytes = text.len() as u64;
        let mut command = Command::new("bash").arg("-c").arg(text);
        command.source_bytes = source_bytes;
        command
    }

    /// A WASI preview 1 module, by the name it goes by.
    pub fn wasm(name: &str, module: impl Into<Vec<u8>>) -> Self {
        Command::of(Executable::Module(module.into()), name)
    }

    /// The name it goes by, for the audit log.
    pub(crate) fn name(&self) -> String {
        self.argv.first().map_or(String::new(), |name| String::from_utf8_lossy(name).into_owned())
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl Into<Vec<u8>>) -> Self {
        self.argv.push(argument.into());
        self
    }

    /// Adds arguments.
    pub fn args<A: Into<Vec<u8>>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.argv.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets all arguments, the first being the name that the program goes by.
    pub fn argv<A: Into<Vec<u8>>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.argv = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// Sets a variable, for this run alone.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Takes a variable away, for this run alone.
    pub fn env_remove(mut self, name: impl Into<String>) -> Self {
        self.removed.push(name.into());
        self
    }

    /// Gives it only the variables that are set on it, none of the sandbox.
    pub fn clear_env(mut self) -> Self {
        self.inherits_env = false;
        self
    }

    /// Where it begins; absolute.
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// What it finds on standard input, in place of the sandbox's.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(Stdin::Bytes(bytes.into()));
        self
    }

    /// Standard input that is written while it runs.
    pub fn stream_stdin(mut self) -> (Writer, Self) {
        let (writer, stdin) = cofferdam_kernel::stdin();
        self.stdin = Some(stdin);
        (writer, self)
    }

    /// Standard input, output and error are a terminal: a person sits before it.
    pub fn on_terminal(mut self) -> Self {
        self.terminal = Terminal::All;
        self
    }

    /// It finds no directory open.
    pub fn without_preopens(mut self) -> Self {
        self.preopens = Preopens::Nothing;
        self
    }
}
