//! Starts the user's editor and other commands.

use cofferdam_guest_sys::{self as sys, Spawn, Which};

use crate::bytes::{self, variable};
use crate::fault::{Result, error};
use crate::repo::Repo;

/// Lets the user edit a text; fails if no editor is set.
pub(crate) fn edit(repo: &Repo, file: &str, content: &[u8]) -> Result<Vec<u8>> {
    let Some(editor) = general(repo) else {
        let text = "Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.";
        return Err(error(text));
    };
    repo.set_state(file, content)?;
    if !start(&editor, &repo.file(file)) {
        let editor = bytes::text(&editor);
        let text = format!(
            "There was a problem with the editor '{editor}'.\nPlease supply the message using either -m or -F option."
        );
        return Err(error(text));
    }
    Ok(repo.state(file).unwrap_or_default())
}

/// Lets the user edit the list of a rebase.
pub(crate) fn edit_sequence(repo: &Repo, file: &str) -> Result<()> {
    let own = variable("GIT_SEQUENCE_EDITOR")
        .or_else(|| repo.config.get("sequence.editor").map(|text| text.as_bytes().to_vec()));
    let Some(editor) = own.or_else(|| general(repo)) else {
        return Err(error("Terminal is dumb, but EDITOR unset"));
    };
    match start(&editor, &repo.file(file)) {
        true => Ok(()),
        false => {
            let editor = bytes::text(&editor);
            Err(error(format!("there was a problem with the editor '{editor}'")))
        }
    }
}

fn general(repo: &Repo) -> Option<Vec<u8>> {
    variable("GIT_EDITOR")
        .or_else(|| repo.config.get("core.editor").map(|text| text.as_bytes().to_vec()))
        .or_else(|| variable("VISUAL"))
        .or_else(|| variable("EDITOR"))
}

fn start(editor: &[u8], path: &[u8]) -> bool {
    if editor == b":" || editor == b"true" {
        return true;
    }
    let script = [editor, b" \"$@\""].concat();
    shell(&script, &[editor, path], Stdout::Own) == 0
}

/// Place of a script's standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdout {
    Own,
    /// Standard error, as for hooks.
    Error,
}

/// Runs a script with the sandbox's shell and returns its exit code.
pub(crate) fn shell(script: &[u8], args: &[&[u8]], stdout: Stdout) -> i32 {
    let environment: Vec<Vec<u8>> = std::env::vars_os()
        .map(|(name, value)| [bytes::bytes_of(name), bytes::bytes_of(value)].join(&b'='))
        .collect();
    let cwd = crate::repo::current_dir();
    let program: &[u8] = if cfg!(target_arch = "wasm32") { b"sh" } else { b"/bin/sh" };
    let mut argv: Vec<&[u8]> = vec![b"sh", b"-c", script];
    argv.extend_from_slice(args);
    let spawn = Spawn {
        program,
        argv,
        env: environment.iter().map(Vec::as_slice).collect(),
        cwd: &cwd,
        descriptors: match stdout {
            Stdout::Own => vec![(0, 0), (1, 1), (2, 2)],
            Stdout::Error => vec![(0, 0), (1, 2), (2, 2)],
        },
        state: b"",
    };
    let Ok(pid) = sys::spawn(&spawn) else { return 127 };
    loop {
        match sys::wait(Which::One(pid), false) {
            Ok(Some((_, status))) => return status.code(),
            Ok(None) => {}
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return 127,
        }
    }
}
