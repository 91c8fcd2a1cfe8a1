//! Settings of the linker for the program, which make it smaller and start sooner.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Option of LLVM's linker, which is Rust's own on this platform. Others do not know it.
const ONE_COPY: &str = "-Wl,--icf=all,--ignore-data-address-equality";

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
    // One copy of equal functions, vtables and places in sources: 2.9 MB, and a quarter of the pages
    // with addresses, which are written at every start.
    if links_with(ONE_COPY) {
        println!("cargo:rustc-link-arg-bins={ONE_COPY}");
    }
    // The unwinder becomes part of the program: one library less to load, and to run at the start.
    if has_static_unwinder() {
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Returns true if the linker of this build accepts an option: a program of one line is linked with it.
fn links_with(option: &str) -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let folder = PathBuf::from(variable("OUT_DIR"));
    let source = folder.join("linked.rs");
    if std::fs::write(&source, "fn main() {}").is_err() {
        return false;
    }
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--target", &variable("TARGET"), "-C", &format!("link-arg={option}"), "-o"]);
    rustc.args([folder.join("linked"), source]);
    if let Some(linker) = std::env::var_os("RUSTC_LINKER") {
        let mut setting = OsString::from("linker=");
        setting.push(linker);
        rustc.arg("-C").arg(setting);
    }
    let flags = variable("CARGO_ENCODED_RUSTFLAGS");
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    rustc.output().is_ok_and(|linked| linked.status.success())
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
