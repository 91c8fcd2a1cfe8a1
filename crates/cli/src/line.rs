//! Reads lines from a person, with history and completion if the terminal supports it.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use crate::completion::Completion;

/// Most commands in the history.
const MAX_HISTORY: usize = 10_000;

/// Result of reading a line.
pub(crate) enum Line {
    /// A line, without its line ending.
    Text(String),
    /// Ctrl-C: the line is discarded.
    Cancelled,
    /// Ctrl-D, or the end of input.
    End,
}

/// A source of lines.
pub(crate) enum Lines {
    /// A terminal with line editing.
    Edited(Box<Edited>),
    /// Plain lines from standard input.
    Plain,
}

/// A line editor and its history.
pub(crate) struct Edited {
    editor: Editor<Completion, FileHistory>,
    /// File of the history.
    file: Option<PathBuf>,
}

impl Lines {
    /// Creates a source of lines. The history begins with the content of `file`.
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
            // The file does not exist at first.
            let _ = editor.load_history(file);
        }
        Lines::Edited(Box::new(Edited { editor, file }))
    }

    /// Shows a prompt and reads a line.
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

    /// Adds a command to the history. If the file cannot be written, the history lasts until the
    /// program ends.
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
