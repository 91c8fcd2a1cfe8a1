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
    // 76,000 addresses, 1.8 MB, in a form of 40 KB that is read at every start.
    if loads_packed_addresses() {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
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

/// Returns true if the C library of this machine, for which the program is linked, can load packed
/// addresses: glibc 2.36.
fn loads_packed_addresses() -> bool {
    if std::env::var("TARGET").unwrap_or_default() != std::env::var("HOST").unwrap_or_default() {
        return false;
    }
    let Ok(found) = Command::new("getconf").arg("GNU_LIBC_VERSION").output() else { return false };
    let text = String::from_utf8_lossy(&found.stdout);
    let mut numbers = text.trim().trim_start_matches("glibc ").split('.').map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (2, 36))
}
