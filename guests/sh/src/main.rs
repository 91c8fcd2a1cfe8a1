//! One program for the shell and all commands: the name it goes by says which.

use std::process::exit;

#[cfg(unix)]
use std::os::unix::ffi::OsStringExt as _;
#[cfg(target_os = "wasi")]
use std::os::wasi::ffi::OsStringExt as _;

fn main() {
    let args: Vec<Vec<u8>> = std::env::args_os().map(|arg| arg.into_vec()).collect();
    let environment =
        std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec())).collect();
    exit(cofferdam_guest_sh::run(&args, environment))
}
