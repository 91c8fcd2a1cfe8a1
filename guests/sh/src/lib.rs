//! A bash interpreter in which every process is a cell.
//!
//! - [`syntax`]: the parser and the syntax tree.
//! - [`shell`]: shell state: variables, functions, options, descriptors, jobs, traps.
//! - [`expand`]: expansion of words to arguments.
//! - [`pattern`]: glob patterns.
//! - [`exec`]: execution of the syntax tree.
//! - [`builtins`]: builtin commands, one file each.
//! - [`completion`]: programmable completion.
//! - [`serial`]: serialised shell state, for subshells.
//! - [`table`]: hash tables keyed by name; [`blocks`]: the allocator.

pub mod blocks;
pub mod builtins;
pub mod completion;
pub mod exec;
pub mod expand;
pub mod pattern;
mod prompt;
pub mod serial;
pub mod shell;
pub mod syntax;
pub mod table;

/// Runs the shell that this process's arguments and state describe, and returns its exit status.
/// The process must exit right afterwards: the shell's memory is not freed.
pub fn run() -> i32 {
    cofferdam_guest_sys::report_panics_as("bash");
    let mut me = match cofferdam_guest_sys::myself() {
        Ok(me) => me,
        Err(error) => {
            let _ = cofferdam_guest_sys::write_all(2, format!("bash: {error}\n").as_bytes());
            return 1;
        }
    };
    cofferdam_guest_sys::begin_in(&me.cwd);
    if !me.state.is_empty() {
        return match shell::Shell::from_state(&me.state, me.pid, me.ignored) {
            Some((mut shell, body)) => {
                let status = shell.run_subshell(&body);
                std::mem::forget(shell);
                status
            }
            None => {
                let _ = cofferdam_guest_sys::write_all(2, b"bash: malformed shell state\n");
                1
            }
        };
    }
    let args = std::mem::take(&mut me.args);
    let environment = std::mem::take(&mut me.environment);
    let mut shell = shell::Shell::new(&me, environment);
    if let Some(name) = args.first() {
        shell.arg0 = name.clone();
    }
    let status = shell.main(args.get(1..).unwrap_or(&[]));
    std::mem::forget(shell);
    status
}

/// Returns true if the sandbox has a command of this name that needs no file.
pub(crate) fn is_command(name: &[u8]) -> bool {
    let is_shell = cfg!(target_arch = "wasm32") && matches!(name, b"sh" | b"bash");
    is_shell || command_names().binary_search_by(|known| known.as_bytes().cmp(name)).is_ok()
}

/// Returns the names of the sandbox's commands, sorted.
#[cfg(target_arch = "wasm32")]
pub(crate) fn command_names() -> &'static [&'static str] {
    cofferdam_guest_commands::names()
}

/// Returns no names: on a real Unix every command is a file.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn command_names() -> &'static [&'static str] {
    &[]
}
