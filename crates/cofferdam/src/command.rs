//! Programs to run as processes: commands of the shell, files of the sandbox, WASI modules.

use cofferdam_kernel::{Executable, Preopens, Stdin, Terminal, Writer};

/// A program with its arguments, environment and standard input.
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
    /// Length of the shell text, which the source limit applies to; 0 for other programs.
    pub(crate) source_bytes: u64,
    identity: Option<String>,
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
            identity: None,
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
        Command::script("sh -c", text)
    }

    /// Creates a command that runs a script in the shell. Grants are given to the script by this
    /// name and the hash of its text.
    pub fn script(name: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        let identity = cofferdam_broker::identity(name, text.as_bytes());
        let source_bytes = text.len() as u64;
        let mut command = Command::new("bash").arg("-c").arg(text);
        command.source_bytes = source_bytes;
        command.identified_as(identity)
    }

    /// Creates a command that runs a WASI preview 1 module; `name` is its `argv[0]`.
    pub fn wasm(name: &str, module: impl Into<Vec<u8>>) -> Self {
        Command::of(Executable::Module(module.into()), name)
    }

    /// Sets the identity that grants are given to and requests are made by. The default is the
    /// name with the hash of the shell text, of the module, or of arguments and standard input.
    pub fn identified_as(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    pub(crate) fn identity(&self) -> String {
        if let Some(identity) = &self.identity {
            return identity.clone();
        }
        let name = self.argv.first().map_or("".into(), |name| String::from_utf8_lossy(name));
        match &self.executable {
            Executable::Module(module) => cofferdam_broker::identity(&name, module),
            Executable::Named(program) => {
                let mut said = program.as_bytes().to_vec();
                let stdin = match &self.stdin {
                    Some(Stdin::Bytes(bytes)) => Some(bytes),
                    Some(_) | None => None,
                };
                for part in self.argv.iter().chain(stdin) {
                    // Prefixes the length, so that different lists of parts never hash alike.
                    said.extend_from_slice(&(part.len() as u64).to_le_bytes());
                    said.extend_from_slice(part);
                }
                cofferdam_broker::identity(&name, &said)
            }
        }
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

    /// Removes a variable, for this run alone.
    pub fn env_remove(mut self, name: impl Into<String>) -> Self {
        self.removed.push(name.into());
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
