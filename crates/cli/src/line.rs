//! Reads lines from a person: with history and completion where the terminal can do that.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use crate::completion::Completion;

/// Commands that are remembered.
const MAX_HISTORY: usize = 10_000;

/// What came of asking for a line.
pub(crate) enum Line {
    /// A line, without its end.
    Text(String),
    /// Ctrl-C: what was typed is not wanted.
    Cancelled,
    /// Ctrl-D, or nobody is there any more.
    End,
}

/// Asks for lines.
pub(crate) enum Lines {
    /// With all the keys of a terminal.
    Edited(Box<Edited>),
    /// As the terminal gives them.
    Plain,
}

/// A terminal with line editing.
pub(crate) struct Edited {
    editor: Editor<Completion, FileHistory>,
    /// Where history is kept.
    file: Option<PathBuf>,
}

impl Lines {
    /// Begins with what is remembered in `file`.
    pub(crate) fn new(completion: Completion, file: Option<PathBuf>) -> Self {
        if !std::io::stdout().is_terminal() {
            return Lines::Plain;
        }
        let config =
            Config::builder().completion_type(CompletionType::List).auto_add_history(false);
        let config = config
            .max_history_size(MAX_HISTORY)
            .and_then(|config| config.history_ignore_dups(true));
        let editor = config
            .and_then(|config| Editor::with_config(config.history_ignore_space(true).build()));
        let Ok(mut editor) = editor else { return Lines::Plain };
        editor.set_helper(Some(completion));
        if let Some(file) = &file {
            // Nothing is there the first time.
            let _ = editor.load_history(file);
        }
        Lines::Edited(Box::new(Edited { editor, file }))
    }

    /// Asks for a line.
    pub(crate) fn read(&mut self, prompt: &str) -> Line {
        match self {
            Lines::Edited(edited) => match edited.editor.readline(prompt) {
                Ok(line) => Line::Text(line),
                Err(ReadlineError::Interrupted) => Line::Cancelled,
                Err(_) => Line::End,
            },
            Lines::Plain => plain(prompt),
        }
    }

    /// Remembers a command. Where it cannot be written down, it is remembered for now.
    pub(crate) fn remember(&mut self, text: &str) {
        let Lines::Edited(edited) = self else { return };
        let added = edited.editor.add_history_entry(text.trim_end()).unwrap_or(false);
        if let (true, Some(file)) = (added, &edited.file) {
            let _ = edited.editor.append_history(file);
        }
    }
}

fn plain(prompt: &str) -> Line {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(prompt.as_bytes()).and_then(|()| out.flush());
    let mut line = String::new();
    match std::io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => Line::End,
        Ok(_) => Line::Text(line.strip_suffix('\n').unwrap_or(&line).to_owned()),
    }
}
