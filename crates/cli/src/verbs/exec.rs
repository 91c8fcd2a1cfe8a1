//! `cofferdam exec`: a real program of this machine, behind walls of the operating system.

use std::ffi::OsString;

use crate::permissions::PermissionArgs;
use crate::place::Place;
use crate::report::Failure;

/// Run a real program of this machine: bun, node, deno, python, curl, git, a compiler.
///
/// The program sees the folders of the system, a home and a `/tmp` of its own, the script that its
/// command line names, and what is mounted or granted. Anything else it asks for is a request:
/// denied with an id, or asked about with --ask, in which case the program waits at the call. Its
/// requests to the network are checked one by one, by method and URL. Programs that it starts are
/// behind the same walls.
///
/// Needs Linux, and no privileges. If the machine lacks a piece of the walls, nothing is started;
/// `cofferdam doctor` names the piece.
///
/// Exit codes: that of the program; 126 or 127 it could not be started, 1 it reached a limit, 124
/// time limit, 125 cancelled, 70 a piece of the walls is missing, 2 wrong call.
#[derive(clap::Args)]
#[command(override_usage = "cofferdam exec [OPTIONS] -- PROGRAM [ARGUMENT]...")]
#[command(after_help = "Examples:
  cofferdam exec -- bun script.ts
  cofferdam exec --allow 'fs:read:/home/me/data/**' -- python3 report.py
  cofferdam exec --allow 'network:fetch:GET@https://api.example.com' --ask -- node fetch.mjs
  cofferdam exec --mount .:/work:overlay --cwd /work --allow process:exec -- make test
  cofferdam exec --json -- curl -s https://example.com | jq .denials")]
pub(crate) struct Exec {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    permissions: PermissionArgs,

    /// Print the whole outcome, including the output, as JSON
    #[arg(long)]
    json: bool,

    /// Write the shims for JavaScript and Python to this folder, and run nothing
    #[arg(long, value_name = "FOLDER")]
    shims: Option<String>,

    /// Program and its arguments; every word after the program is an argument
    #[arg(required_unless_present = "shims", trailing_var_arg = true, value_name = "PROGRAM")]
    words: Vec<OsString>,
}

impl Exec {
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let _ = (self.place, self.permissions, self.json, self.shims, self.words);
        Err(Failure::missing("exec: real programs run behind walls of Linux only"))
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn run(self) -> Result<u8, Failure> {
        linux::run(self)
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::fs::{self, File};
    use std::io::Write;

    use cofferdam::capabilities::CapabilitySet;
    use cofferdam::native::{Killer, NativeCommand, is_inside};
    use cofferdam::{ErrorKind, Unseen};
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::Exec;
    use crate::paint::Tone;
    use crate::permissions::SANDBOX;
    use crate::report::{self, Failure};
    use crate::{nearby, spelling};

    pub(super) fn run(mut exec: Exec) -> Result<u8, Failure> {
        if let Some(folder) = &exec.shims {
            return write_shims(folder);
        }
        let limits = exec.place.limits()?;
        let mut command = NativeCommand::new(exec.words.iter().cloned()).limits(limits);
        for (source, at, mount) in exec.place.folders()? {
            command = command.mount(source, at, mount);
        }
        for (name, value) in exec.place.variables()? {
            command = command.env(name, value);
        }
        for (name, value) in std::env::vars_os() {
            if let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) {
                command = command.offer_env(name, value);
            }
        }
        exec.permissions.open_ahead(None)?;
        if let Some(cwd) = &exec.place.cwd {
            command = command.cwd(cwd);
        }
        // T-NAT-009: the store has the secrets of all grants.
        if let Some(store) = cofferdam_store::user_path()
            && let Some(folder) = store.parent()
        {
            command = command.hide(folder);
        }
        // T-PROC-003: code in the cache runs outside of every sandbox.
        if let Some(cache) = cofferdam_front::cache::path() {
            command = command.hide(cache);
        }
        let (capabilities, broker) = exec.permissions.open()?;
        let given: CapabilitySet = capabilities.into_iter().collect();
        let permissions = broker.permissions(SANDBOX, &given);
        permissions.set_host_folders(command.host_folders());
        let watcher = (!exec.json).then(|| report::streams(&limits));
        let mut run = command.start(&permissions, watcher).map_err(|e| failed(e, &exec.words))?;
        cancels(run.killer())?;
        if let Some(stdin) = run.take_stdin() {
            // Ends with this process: a read of standard input cannot be interrupted.
            std::thread::spawn(move || pass_on(stdin));
        }
        let executor = tokio::runtime::Builder::new_current_thread().build();
        let executor = executor.map_err(|e| Failure::usage(format!("executor: {e}")))?;
        let outcome = executor.block_on(run.outcome());
        match exec.json {
            true => report::json(&outcome.to_json()),
            false => report::outcome(&outcome),
        }
        if !exec.json {
            outcome.unseen.iter().for_each(tell_unseen);
        }
        broker.flush().map_err(Failure::from_broker)?;
        Ok(outcome.exit_code())
    }

    /// Says why a failed program did not find a file.
    fn tell_unseen(unseen: &Unseen) {
        let shown = unseen.path.to_string_lossy();
        let own = ["/tmp", "/var/tmp"].into_iter().find(|own| unseen.path.starts_with(own));
        let own = own.unwrap_or("home");
        let note = format!("{}: not in the program's own {own}", cofferdam::visible(&shown));
        report::labelled(Tone::Note, "note", &note);
        let capability = unseen.required.to_string();
        let hint = format!("--allow {}", crate::permissions::quoted(&capability));
        report::labelled(Tone::Hint, "hint", &hint);
    }

    /// Most programs of the machine that a name is compared with.
    const MAX_PROGRAMS: usize = 20_000;

    /// Returns the failure of a start, with what was probably meant if there is no such program.
    fn failed(error: cofferdam::Error, words: &[OsString]) -> Failure {
        if error.kind() == ErrorKind::Walls && is_inside() {
            return Failure::missing("exec: a sandbox of `cofferdam exec` has no room for another")
                .hint("start the program itself: it is behind the same walls");
        }
        let is_missing = error.kind() == ErrorKind::NotFound;
        let failure = Failure::from(error);
        let Some(name) = words.first().and_then(|word| word.to_str()).filter(|_| is_missing) else {
            return failure;
        };
        let call = |program: &str| {
            let rest = words[1..].iter().map(|word| word.to_string_lossy());
            let words: Vec<_> = std::iter::once(program.into()).chain(rest).collect();
            let words: Vec<_> = words.iter().map(|word| cofferdam::shell_word(word)).collect();
            format!("cofferdam exec -- {}", words.join(" "))
        };
        if name.contains(char::is_whitespace) && words.len() == 1 {
            return failure.hint(format!(
                "cofferdam exec -- sh -c {}   (for a line of the shell)",
                cofferdam::shell_word(name)
            ));
        }
        if name.contains('/') {
            return match nearby::meant(name).filter(|meant| meant != name) {
                Some(meant) => failure.hint(call(&meant)),
                None => failure,
            };
        }
        if std::path::Path::new(name).is_file() {
            return failure.hint(call(&format!("./{name}")));
        }
        let programs = programs();
        match spelling::nearest(name, programs.iter().map(String::as_str)) {
            Some(meant) => failure.hint(call(meant)),
            None => failure.hint("PATH has the folders in which programs are looked for"),
        }
    }

    /// Returns the names in the folders of `PATH`.
    fn programs() -> Vec<String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok());
        let names = folders.flatten().flatten().take(MAX_PROGRAMS);
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| cofferdam::visible(name) == *name).collect()
    }

    /// Writes the shims, for runtimes that load them outside of the walls.
    fn write_shims(folder: &str) -> Result<u8, Failure> {
        for (name, content) in cofferdam::native::SHIMS {
            let path = std::path::Path::new(folder).join(name);
            let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| std::fs::write(&path, content)).map_err(|error| {
                Failure::usage(format!("--shims {folder}: {}", crate::place::plain(&error)))
            })?;
            report::print(&path.display().to_string());
        }
        Ok(0)
    }

    /// Makes Ctrl-C and SIGTERM end the run.
    fn cancels(killer: Killer) -> Result<(), Failure> {
        let mut signals = Signals::new([SIGINT, SIGTERM])
            .map_err(|e| Failure::usage(format!("signals: {}", crate::place::plain(&e))))?;
        std::thread::spawn(move || {
            for _ in signals.forever() {
                killer.kill();
            }
        });
        Ok(())
    }

    /// Copies the standard input of this process to that of the program.
    fn pass_on(mut stdin: File) {
        crate::place::read_stdin(|bytes| stdin.write_all(bytes).is_ok());
    }
}
