//! Interactive shells: start file, `PROMPT_COMMAND` and history file.

use cofferdam_guest_sys as sys;

use crate::shell::{Flow, Shell};
use crate::syntax::ast::Text;

/// Default for `HISTSIZE` and `HISTFILESIZE`.
const HISTORY_SIZE: &[u8] = b"500";

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
            let file = rc.unwrap_or_else(|| own(b".bashrc"));
            if sys::stat(&file, true).is_ok()
                && let Err(Flow::Exit(status)) =
                    crate::builtins::source(self, &[b"source".to_vec(), file])
            {
                return Err(status);
            }
        }
        if let Some(file) = self.get(b"HISTFILE").filter(|file| !file.is_empty()) {
            let size = self.history_size();
            let _ = self.history.read(&file, false, size);
        }
        Ok(())
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
