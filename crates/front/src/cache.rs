//! The user's folder of compiled code: WASI programs, and in `guests` copies of the built-in guests.
//!
//! Code in it runs natively, so every front hides it from native programs (T-PROC-003).

use std::path::PathBuf;

/// Returns the folder, or `None` if the user has no home.
pub fn path() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("cofferdam/wasm"))
}
