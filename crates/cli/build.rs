//! Settings of the linker for the program, which make it smaller and start sooner.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    // Names of 100,000 functions, 11 MB. Messages of panics have files and lines all the same.
    println!("cargo:rustc-link-arg-bins=-Wl,--strip-all");
    // The unwinder becomes part of the program: one library less to load, and to run at the start.
    if has_static_unwinder() {
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Returns true if the C compiler, which links the program, has the unwinder as a static library.
fn has_static_unwinder() -> bool {
    let host = std::env::var("HOST").unwrap_or_default();
    if std::env::var("TARGET").unwrap_or_default() != host {
        return false;
    }
    let found = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    found.is_ok_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim()).is_absolute())
}
