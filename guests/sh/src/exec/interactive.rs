//! Interactive shells: start file, `PROMPT_COMMAND` and history file.

use cofferdam_guest_sys as sys;

use crate::shell::{Flow, Shell};
use crate::syntax::ast::Text;

/// Default for `HISTSIZE` and `HISTFILESIZE`.
const HISTORY_SIZE: &[u8] = b"500";

/// Start files of a login shell, of which the first that exists is run.
const PROFILES: [&[u8]; 3] = [b".bash_profile", b".bash_login", b".profile"];

impl Shell {
    /// Sets up an interactive shell. `rc` is the start file: `None` for no file, `Some(None)` for
    /// `~/.bashrc`, or a given path. The error is the exit status if the start file calls `exit`.
    pub(super) fn begin_interactive(&mut self, rc: Option<Option<Text>>) -> Result<(), i32> {
        self.options.set_named("history", true);
        self.options.set_named("emacs", true);
        let home = self.get(b"HOME").unwrap_or_default();
        let own = |name: &[u8]| [home.as_slice(), b"/", name].concat();
        let defaults = [
            (&b"HISTFILE"[..], own(b".bash_history")),
            (b"HISTSIZE", HISTORY_SIZE.to_vec()),
            (b"HISTFILESIZE", HISTORY_SIZE.to_vec()),
        ];
        for (name, value) in defaults {
            if !self.vars.contains_key(name) {
                let _ = self.set(name, value);
            }
        }
        if let Some(rc) = rc {
            self.run_start_file(rc.unwrap_or_else(|| own(b".bashrc")))?;
        }
        if let Some(file) = self.get(b"HISTFILE").filter(|file| !file.is_empty()) {
            let size = self.history_size();
            let _ = self.history.read(&file, false, size);
        }
        Ok(())
    }

    /// Runs the start files of a shell that is not interactive: those of a login shell, or the file
    /// that `BASH_ENV` names. The error is the exit status if such a file calls `exit`.
    pub(super) fn run_start_files(&mut self, profile: bool) -> Result<(), i32> {
        if self.is_login() && profile {
            self.run_start_file(b"/etc/profile".to_vec())?;
            let home = self.get(b"HOME").unwrap_or_default();
            let own = PROFILES.iter().map(|name| [home.as_slice(), b"/", name].concat());
            let first = own.into_iter().find(|file| sys::stat(file, true).is_ok());
            if let Some(file) = first {
                self.run_start_file(file)?;
            }
        }
        if self.interactive || self.options.posix() {
            return Ok(());
        }
        let Some(name) = self.get(b"BASH_ENV").filter(|name| !name.is_empty()) else {
            return Ok(());
        };
        match crate::syntax::parse_quoted(&name).map(|word| self.expand_quoted(&word)) {
            Ok(Ok(file)) => self.run_start_file(file),
            _ => Ok(()),
        }
    }

    /// Runs a start file if it exists. The error is the exit status if it calls `exit`.
    fn run_start_file(&mut self, file: Text) -> Result<(), i32> {
        // A name without a slash is a file here, not one of the search path.
        let file = if file.contains(&b'/') { file } else { [b"./", file.as_slice()].concat() };
        if sys::stat(&file, true).is_err() {
            return Ok(());
        }
        match crate::builtins::source(self, &[b"source".to_vec(), file]) {
            Err(Flow::Exit(status)) => Err(status),
            _ => Ok(()),
        }
    }

    /// Runs `~/.bash_logout` when a login shell calls `exit`.
    pub(crate) fn run_logout_file(&mut self) {
        if self.is_login() && !self.in_subshell {
            let file =
                [self.get(b"HOME").unwrap_or_default().as_slice(), b"/.bash_logout"].concat();
            self.options.shopt_named("login_shell", false);
            let _ = self.run_start_file(file);
        }
    }

    fn is_login(&self) -> bool {
        self.options.is_shopt("login_shell") == Some(true)
    }

    /// Runs `PROMPT_COMMAND` and restores `$?` afterwards.
    pub(super) fn run_prompt_command(&mut self) {
        let commands = self.var(b"PROMPT_COMMAND").map(|var| var.values()).unwrap_or_default();
        let status = self.status;
        for command in commands {
            self.status = status;
            let _ = self.exec_text(&command, self.line, "PROMPT_COMMAND");
        }
        self.status = status;
    }

    /// Appends new entries to the history file.
    pub(super) fn save_history(&mut self) {
        let Some(file) = self.get(b"HISTFILE").filter(|file| !file.is_empty()) else { return };
        if self.options.history() {
            let _ = self.history.write(&file, true);
            self.shrink_history_file();
        }
    }
}
