//! One program for the shell and all commands: the name it goes by says which.

use std::process::exit;

#[cfg(unix)]
use std::os::unix::ffi::OsStringExt as _;
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::OsStringExt as _;

fn main() {
    if let Some(status) = command() {
        exit(status);
    }
    let args: Vec<Vec<u8>> = std::env::args_os().map(|arg| arg.into_vec()).collect();
    let environment =
        std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec())).collect();
    exit(cofferdam_guest_sh::run(&args, environment))
}

/// Runs a command that is not the shell.
#[cfg(target_arch = "wasm32")]
fn command() -> Option<i32> {
    let args: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let name = args.first()?.to_string_lossy().into_owned();
    let name = name.rsplit('/').next().unwrap_or(&name).trim_start_matches('-').to_owned();
    if matches!(name.as_str(), "sh" | "bash") {
        return None;
    }
    if let Ok(me) = cofferdam_guest_sys::myself()
        && !me.cwd.is_empty()
    {
        let _ = cofferdam_guest_sys::chdir(&me.cwd);
    }
    let known = cofferdam_guest_commands::run(&name, args);
    if known.is_none() {
        eprintln!("{name}: command not found");
        return Some(127);
    }
    known
}

/// On a real Unix the commands are the machine's.
#[cfg(not(target_arch = "wasm32"))]
fn command() -> Option<i32> {
    None
}
