//! Programs to run as processes: commands of the shell, files of the sandbox, WASI modules.

use cofferdam_kernel::{Executable, Preopens, Stdin, Terminal, Writer};

/// A program with its arguments, environment and standard input.
#[derive(Debug)]
pub struct Command {
    pub(crate) executable: Executable,
    pub(crate) argv: Vec<Vec<u8>>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) inherits_env: bool,
    pub(crate) cwd: Option<String>,
    pub(crate) stdin: Option<Stdin>,
    pub(crate) terminal: Terminal,
    pub(crate) preopens: Preopens,
    /// Length of the shell text, which the source limit applies to; 0 for other programs.
    pub(crate) source_bytes: u64,
}

impl Command {
    fn of(executable: Executable, name: &str) -> Self {
        Command {
            executable,
            argv: vec![name.into()],
            env: Vec::new(),
            inherits_env: true,
            cwd: None,
            stdin: None,
            terminal: Terminal::None,
            preopens: Preopens::Root,
            source_bytes: 0,
        }
    }

    /// Creates a command for a program: the name of a command, or the absolute path of a file in
    /// the sandbox.
    pub fn new(program: impl Into<String>) -> Self {
        let program = program.into();
        let name = program.clone();
        Command::of(Executable::Named(program), &name)
    }

    /// Creates a command that runs `text` in the shell, like `bash -c`.
    pub fn shell(text: impl Into<String>) -> Self {
        let text = text.into();
        let source_bytes = text.len() as u64;
        let mut command = Command::new("bash").arg("-c").arg(text);
        command.source_bytes = source_bytes;
        command
    }

    /// Creates a command that runs a WASI preview 1 module; `name` is its `argv[0]`.
    pub fn wasm(name: &str, module: impl Into<Vec<u8>>) -> Self {
        Command::of(Executable::Module(module.into()), name)
    }

    /// Returns `argv[0]`, which the audit log records.
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

    /// Replaces all arguments; the first one is `argv[0]`.
    pub fn argv<A: Into<Vec<u8>>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.argv = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// Sets an environment variable for this run only.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Drops the sandbox's environment: the program sees only variables set on this command.
    pub fn clear_env(mut self) -> Self {
        self.inherits_env = false;
        self
    }

    /// Sets the working directory, an absolute path. The default is that of the sandbox.
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets the content of standard input, in place of the sandbox's.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(Stdin::Bytes(bytes.into()));
        self
    }

    /// Connects standard input to the returned [`Writer`], which can be written to while the
    /// program runs.
    pub fn stream_stdin(mut self) -> (Writer, Self) {
        let (writer, stdin) = cofferdam_kernel::stdin();
        self.stdin = Some(stdin);
        (writer, self)
    }

    /// Presents standard input, output and error to the program as a terminal.
    pub fn on_terminal(mut self) -> Self {
        self.terminal = Terminal::All;
        self
    }

    /// Starts the program without an open directory.
    pub fn without_preopens(mut self) -> Self {
        self.preopens = Preopens::Nothing;
        self
    }
}
