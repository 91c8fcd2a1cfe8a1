//! CPython for WebAssembly, which the Python guest is linked with. `scripts/python-guest` builds it
//! once and keeps it in the user's cache.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::progress::Progress;
use crate::toolchain::run;

/// Folders of the libraries.
pub(crate) struct Built {
    home: String,
    start: String,
}

impl Built {
    /// Tells the build script of the guest where the libraries are.
    pub(crate) fn set(&self, cargo: &mut Command) {
        cargo.env("COFFERDAM_PYTHON", &self.home).env("COFFERDAM_PYTHON_START", &self.start);
    }
}

/// Returns CPython, built now if it is not in the cache.
pub(crate) fn built(root: &Path, progress: &mut Progress) -> Result<Built> {
    progress.show("py: CPython for WebAssembly");
    let printed = run(Command::new(root.join("scripts/python-guest")))
        .map_err(|log| format!("py guest: scripts/python-guest failed\n{log}"))?;
    let printed = String::from_utf8(printed.stdout)?;
    let mut lines = printed.lines().map(str::to_owned);
    match (lines.next(), lines.next()) {
        (Some(home), Some(start)) => Ok(Built { home, start }),
        _ => Err("py guest: scripts/python-guest printed no folders".into()),
    }
}
