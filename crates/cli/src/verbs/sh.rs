//! `cofferdam sh`: the shell, for a command, a script or a prompt.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use cofferdam::{ArchiveSeal, Command, Limits, Pool, Sandbox, SandboxBuilder, SealKey, shell_word};

use crate::busy::Busy;
use crate::interrupt;
use crate::misuse;
use crate::named::Named;
use crate::nearby;
use crate::paint::Tone;
use crate::permissions::PermissionArgs;
use crate::place::{self, Place, plain, runtime};
use crate::report::{self, Failure};
use crate::terminal;

/// Longest archive that is read.
const MAX_ARCHIVE: u64 = 4 << 30;

/// Run the shell: a command, a script, or a prompt.
///
/// The shell is bash as far as scripts go, with the usual commands; `help` lists them. It sees the
/// files of the sandbox: mounts, a home, `/tmp`, and nothing else of this machine.
///
/// Without --allow it may start any command of the sandbox; with `--allow process:exec:NAME` only
/// those named. `curl` reaches the addresses that `--allow network:fetch:…` names, and `js` runs
/// tools with the permissions of the shell.
///
/// The prompt has history and completion. Ctrl-C drops the line or cancels the command that runs;
/// Ctrl-D ends the shell.
///
/// Exit codes: that of the command; 1 also for a limit or a denied permission, 124 time limit, 125
/// cancelled (Ctrl-C), 2 wrong call.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam sh -c 'grep -r TODO /src | cut -d: -f1 | sort | uniq -c' --mount ./src:/src:ro
  cofferdam sh script.sh argument
  echo 'ls -l' | cofferdam sh
  cofferdam sh --program lint=lint.wasm -c 'lint /src' --mount ./src:/src
  cofferdam sh --json -c 'ls /nowhere' | jq .stderr
  cofferdam sh --sandbox work -c 'echo 1 >> numbers'
  cofferdam sh")]
pub(crate) struct Sh {
    /// Run this text; the arguments after it are $0, $1 and so on
    #[arg(short = 'c', value_name = "TEXT", allow_hyphen_values = true)]
    command: Option<String>,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    permissions: PermissionArgs,

    /// Add a WASI module as a command of the shell
    #[arg(long = "program", value_name = "NAME=FILE")]
    programs: Vec<String>,

    #[command(flatten)]
    named: Named,

    /// Start from a sandbox that was saved with --save
    #[arg(long, value_name = "FILE", conflicts_with = "sandbox")]
    load: Option<String>,

    /// Refuse --load of a file that was not saved with this user's store, or changed since
    #[arg(long, requires = "load")]
    sealed: bool,

    /// Save the sandbox to a file at the end: files, storage, variables
    #[arg(long, value_name = "FILE")]
    save: Option<String>,

    /// Print the whole outcome, including the output, as JSON
    #[arg(long)]
    json: bool,

    /// Script and its arguments; without a script and -c, standard input is read
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Sh {
    pub(crate) fn run(mut self) -> Result<u8, Failure> {
        let limits = self.place.limits()?;
        let script = self.script(&limits)?;
        if let Some(file) = &self.save {
            place::check_target("--save", file)?;
        }
        if !matches!(script, Script::Prompt) {
            self.permissions.open_ahead(None)?;
        }
        let cells = place::cells(&limits);
        let runtime = match script {
            Script::Prompt => runtime(Pool { cells, warm: 0 })?,
            Script::Text(_) => place::runtime_for_one_run(cells)?,
        };
        let kept = self.named.open()?;
        let builder = Sandbox::builder().runtime(&runtime).limits(limits);
        let loading = self.load.as_ref().map(|file| Busy::new(format!("loading {}", shown(file))));
        let builder = kept.iter().fold(builder, |builder, kept| kept.fill(builder));
        let builder = self.fill(self.place.fill(builder)?)?;
        let (builder, broker) = self.permissions.fill(builder)?;
        let sandbox = match (self.json, &script) {
            (true, Script::Prompt) => {
                return Err(Failure::usage("--json: not supported at a prompt")
                    .hint("cofferdam sh --json -c TEXT"));
            }
            (true, Script::Text(_)) => builder.build(),
            (false, _) => builder.watcher(report::streams(&limits)).build(),
        };
        let sandbox = sandbox.map_err(|error| match &kept {
            Some(kept) => kept.blamed(error),
            None => self.blamed(error),
        })?;
        drop(loading);
        self.place.check_cwd(&sandbox)?;
        let _interrupts = match script {
            Script::Prompt => interrupt::cancels_commands(&sandbox)?,
            Script::Text(_) => interrupt::cancels(&sandbox)?,
        };
        let executor = tokio::runtime::Builder::new_current_thread().build();
        let executor = executor.map_err(|e| Failure::usage(format!("executor: {e}")))?;
        let code = match script {
            Script::Prompt => {
                let history = self.permissions.history();
                terminal::converse(&sandbox, &runtime, &executor, history)?
            }
            Script::Text(command) => {
                let outcome = executor.block_on(sandbox.run_program(self.begin(command)))?;
                match self.json {
                    true => report::json(&outcome.to_json()),
                    false => report::outcome(&outcome),
                }
                outcome.exit_code()
            }
        };
        broker.flush().map_err(Failure::from_broker)?;
        if let Some(file) = &self.save {
            save(&sandbox, file, self.permissions.seal_key()?)?;
        }
        if let Some(kept) = &kept {
            kept.save(&sandbox)?;
        }
        Ok(code)
    }

    /// Returns the script to run.
    fn script(&self, limits: &Limits) -> Result<Script, Failure> {
        let arguments = self.arguments.iter().cloned().map(OsStringExt::into_vec);
        if let Some(text) = &self.command {
            return Ok(Script::Text(Command::shell(text).args(arguments)));
        }
        let Some(file) = self.arguments.first() else {
            return Ok(match std::io::stdin().is_terminal() {
                true => Script::Prompt,
                // The text is not known yet, so grants are for whatever comes from there.
                false => {
                    Script::Text(Command::new("bash").identified_as("commands from standard input"))
                }
            });
        };
        let file = file.to_string_lossy();
        if file.starts_with('-') && !Path::new(&*file).exists() {
            return Err(unknown_option(&file));
        }
        let words: Vec<String> =
            self.arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let hint = match misuse::is_command(&file) && nearby::meant(&file).is_none() {
            true => misuse::shell_call(words.iter()),
            false => "cofferdam sh FILE, or -c TEXT".to_owned(),
        };
        let text = place::read(&file, limits.source_bytes(), &hint)?;
        if text.starts_with(b"\0asm") {
            return Err(Failure::usage(format!("{file}: a WebAssembly module, not a script"))
                .hint(format!("cofferdam wasm {}", shell_word(&file))));
        }
        let text = String::from_utf8(text).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            Failure::usage(format!("{file}: not UTF-8 at byte {at}"))
                .hint("save the script as UTF-8 text")
        })?;
        let name = Path::new(&*file).file_name().unwrap_or_default().to_string_lossy();
        Ok(Script::Text(Command::script(&name, text).args(arguments)))
    }

    /// Converts an error. If the archive is at fault, the message names its file.
    fn blamed(&self, error: cofferdam::Error) -> Failure {
        let mut failure = Failure::from(error);
        if let (Some(file), Some(what)) = (&self.load, failure.message.strip_prefix("archive: ")) {
            failure.message = format!("--load {file}: {what}");
            return failure.hint("cofferdam sh --save FILE   (saves a sandbox)");
        }
        failure
    }

    /// Adds programs and an archive to a sandbox.
    fn fill(&self, mut sandbox: SandboxBuilder) -> Result<SandboxBuilder, Failure> {
        if let Some(file) = &self.load {
            let archive = place::read(file, MAX_ARCHIVE, "--load FILE")?;
            self.check_seal(file, &archive)?;
            sandbox = sandbox.import(archive);
        }
        for text in &self.programs {
            let Some((name, file)) = text.split_once('=') else {
                return Err(Failure::usage(format!("--program {text}: not NAME=FILE"))
                    .hint(format!("--program {}", shell_word(&format!("NAME={text}")))));
            };
            let module = place::read(file, place::MAX_MODULE, "--program NAME=FILE")?;
            sandbox = sandbox.program(name, module);
        }
        Ok(sandbox)
    }

    /// Says if the archive does not come from the user's store, or refuses it if that was asked for.
    // T-BOX-005: an export that was made or changed by somebody else.
    fn check_seal(&self, file: &str, archive: &[u8]) -> Result<(), Failure> {
        let found = match self.permissions.seal_key()? {
            Some(key) => key.check(archive),
            None if self.sealed => {
                let message = "--sealed: needs the store, which --ephemeral does without";
                return Err(Failure::usage(message).hint("--load FILE --sealed"));
            }
            None => return Ok(()),
        };
        let finding = match found {
            ArchiveSeal::Ours => return Ok(()),
            ArchiveSeal::Other => "sealed by another store, or changed since it was saved",
            ArchiveSeal::Missing => "not sealed by a store",
        };
        if self.sealed {
            let hint = "--load FILE without --sealed   (if you trust the file)";
            return Err(Failure::usage(format!("--load {file}: {finding}")).hint(hint));
        }
        let file = shown(file);
        let meaning = "somebody else may have chosen its content; --sealed refuses such files";
        report::labelled(Tone::Note, "note", &format!("--load {file}: {finding}: {meaning}"));
        Ok(())
    }

    fn begin(&self, command: Command) -> Command {
        let command = match &self.place.cwd {
            Some(cwd) => command.cwd(cwd),
            None => command,
        };
        place::with_stdin(command)
    }
}

enum Script {
    Text(Command),
    /// A person at a terminal types commands.
    Prompt,
}

/// Explains an option in front of a script, which is one of this program, not of bash.
fn unknown_option(typed: &str) -> Failure {
    match typed.trim_start_matches('-').chars().next() {
        Some(letter) if !typed.starts_with("--") && "abefhkmnuvxBCEHPT".contains(letter) => {
            Failure::usage(format!("{typed}: an option of bash, not of cofferdam sh"))
                .hint(format!("cofferdam sh -c {}", shell_word(&format!("set {typed}; …"))))
        }
        _ => misuse::unknown_option("sh", typed),
    }
}

/// Makes a name safe to show on a terminal.
fn shown(file: &str) -> String {
    cofferdam::visible(file).into_owned()
}

/// Saves the sandbox to a draft beside the file and renames it, so that the file is either whole or
/// as it was. A link is followed. A pipe or terminal is written to, never replaced.
fn save(sandbox: &Sandbox, file: &str, key: Option<SealKey>) -> Result<(), Failure> {
    let _saving = Busy::new(format!("saving {}", shown(file)));
    let archive = sandbox.export()?;
    let bytes = match key {
        Some(key) => key.seal(archive),
        None => archive,
    };
    let failed = |e: std::io::Error| Failure::usage(format!("--save {file}: {}", plain(&e)));
    let path = std::fs::canonicalize(file).unwrap_or_else(|_| PathBuf::from(file));
    if std::fs::symlink_metadata(&path).is_ok_and(|there| !there.is_file()) {
        return std::fs::write(&path, bytes).map_err(failed);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = std::fs::write(&draft, bytes).and_then(|()| std::fs::rename(&draft, &path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&draft);
        failed(error)
    })
}
