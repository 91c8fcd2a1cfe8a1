//! A bash interpreter in which every process is a cell.
//!
//! - [`syntax`]: from text to tree.
//! - [`shell`]: what a shell knows: variables, functions, options, descriptors, jobs, traps.
//! - [`expand`]: from words to arguments.
//! - [`pattern`]: file name patterns.
//! - [`exec`]: running the tree.
//! - [`builtins`]: commands of the shell itself, a file each.
//! - [`serial`]: the state of a shell as bytes, for subshells.

pub mod builtins;
pub mod exec;
pub mod expand;
pub mod pattern;
mod prompt;
pub mod serial;
pub mod shell;
pub mod syntax;

use syntax::ast::Text;

/// Runs the shell that a process's arguments and state ask for; answers its exit status.
pub fn run(args: &[Text], environment: Vec<(Text, Text)>) -> i32 {
    let me = match cofferdam_guest_sys::myself() {
        Ok(me) => me,
        Err(error) => {
            let _ = cofferdam_guest_sys::write_all(2, format!("bash: {error}\n").as_bytes());
            return 1;
        }
    };
    if !me.cwd.is_empty() && cfg!(target_arch = "wasm32") {
        let _ = cofferdam_guest_sys::chdir(&me.cwd);
    }
    if !me.state.is_empty() {
        return match shell::Shell::from_state(&me.state, me.pid, me.ignored) {
            Some((mut shell, body)) => shell.run_subshell(&body),
            None => {
                let _ = cofferdam_guest_sys::write_all(2, b"bash: state not understood\n");
                1
            }
        };
    }
    let mut shell = shell::Shell::new(&me, environment);
    if let Some(name) = args.first() {
        shell.arg0 = name.clone();
    }
    shell.main(args.get(1..).unwrap_or(&[]))
}

/// Whether the sandbox has a command of this name without a file.
#[cfg(target_arch = "wasm32")]
pub(crate) fn is_command(name: &[u8]) -> bool {
    let names = cofferdam_guest_commands::names();
    names.iter().any(|known| known.as_bytes() == name) || matches!(name, b"sh" | b"bash")
}

/// On a real Unix every command has a file.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn is_command(_name: &[u8]) -> bool {
    false
}
