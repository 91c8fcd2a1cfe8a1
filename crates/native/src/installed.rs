//! Programs of the user's own installations: those in folders of `PATH` beside the system's.
//!
//! They are not there at the start. Shells and build tools look for a program before they start it,
//! and to look for one of these is to ask to start it. A grant for its name shows it, with its
//! installation.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cofferdam_broker::{Action, FolderMode, Particulars};
use cofferdam_caps::Request;
use cofferdam_caps::process::CommandName;
use cofferdam_walls::{Bind, Code, Sandbox};

use crate::lock;
use crate::managers;
use crate::private::PRIVATE;
use crate::program::{self, Program};
use crate::start::{Programs, SYSTEM};

/// Most folders of `PATH` that are taken over.
const MAX_FOLDERS: usize = 32;

/// Using a program of the user's own, by its name.
#[derive(Debug)]
pub(crate) struct UseProgram {
    name: CommandName,
    path: PathBuf,
}

impl Action for UseProgram {
    fn request(&self) -> Request {
        Request::Process { command: self.name.clone() }
    }

    fn particulars(&self) -> Particulars {
        Particulars::default().detail("path", &self.path.to_string_lossy())
    }
}

/// The programs of the user's own that a sandbox can have.
pub(crate) struct Installed {
    folders: Vec<PathBuf>,
    program: Program,
    /// Folders of installations that were shown.
    prefixes: Mutex<Vec<PathBuf>>,
}

/// The file that a path leads to, if its folder is one of `PATH`.
#[derive(Debug)]
pub(crate) enum Found {
    /// The path is in no such folder, or its file is no program.
    Elsewhere,
    /// The folder has no such file.
    Missing,
    Program(UseProgram),
}

/// Returns the folders of `PATH` with programs of the user's own, in their order.
pub(crate) fn folders(program: &Program) -> Vec<PathBuf> {
    let is_mounted =
        |path: &Path| program.folders.iter().any(|folder| path.starts_with(&folder.at));
    // T-NAT-007: a file that an earlier run has written, under the name of another program.
    let is_writable = |path: &Path| {
        let mut folders = program.folders.iter();
        folders.any(|folder| folder.mode == FolderMode::ReadWrite && path.starts_with(&folder.host))
    };
    let is_own = |path: &PathBuf| {
        !SYSTEM.iter().chain(&PRIVATE).any(|folder| path.starts_with(folder))
            && !program.hidden.iter().any(|hidden| path.starts_with(hidden))
            && !is_mounted(path)
            && !is_writable(path)
            // A link would be another folder for the program.
            && fs::canonicalize(path).is_ok_and(|real| real == *path && real.is_dir())
    };
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(&program.search) {
        if folders.len() < MAX_FOLDERS && !folders.contains(&folder) && is_own(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Returns `PATH` for the program: that of the user with the folders `own`, and with `system` for
/// the folders of the system.
pub(crate) fn search(program: &Program, own: &[PathBuf], system: &str) -> OsString {
    let mut all: Vec<PathBuf> = Vec::new();
    let mut has_system = false;
    for folder in std::env::split_paths(&program.search) {
        if own.contains(&folder) {
            if !all.contains(&folder) {
                all.push(folder);
            }
        } else if !has_system && SYSTEM.iter().any(|system| folder.starts_with(system)) {
            has_system = true;
            all.extend(std::env::split_paths(system));
        }
    }
    if !has_system {
        all.extend(std::env::split_paths(system));
    }
    std::env::join_paths(all).unwrap_or_else(|_| system.into())
}

impl Installed {
    pub(crate) fn new(program: &Program, folders: Vec<PathBuf>) -> Self {
        Installed { folders, program: program.clone(), prefixes: Mutex::default() }
    }

    /// Returns true for a path in an installation that was shown.
    pub(crate) fn has(&self, path: &Path) -> bool {
        lock(&self.prefixes).iter().any(|prefix| path.starts_with(prefix))
    }

    /// Finds the program at a path of the host that the sandbox does not show.
    pub(crate) fn find(&self, path: &Path) -> Found {
        if !path.parent().is_some_and(|folder| self.folders.iter().any(|own| own == folder)) {
            return Found::Elsewhere;
        }
        let Ok(found) = fs::metadata(path) else { return Found::Missing };
        let name = path.file_name().and_then(|name| name.to_str()?.parse().ok());
        match name.filter(|_| found.is_file() && found.permissions().mode() & 0o111 != 0) {
            Some(name) => Found::Program(UseProgram { name, path: path.to_owned() }),
            None => Found::Elsewhere,
        }
    }

    /// Shows a program that may be started, with its installation and its interpreters.
    pub(crate) fn show(
        &self,
        path: &Path,
        sandbox: &Sandbox,
        programs: &Programs,
    ) -> io::Result<()> {
        let target = managers::behind(path, &self.program).unwrap_or_else(|| path.to_owned());
        let real = fs::canonicalize(target)?;
        self.show_file(&real, sandbox, programs)?;
        if sandbox.program_at(path).is_none() {
            sandbox.make_link(path, &real)?;
        }
        programs.add_installed(path.to_owned());
        for interpreter in program::interpreters(&real, &self.program)?.0 {
            if sandbox.program_at(&interpreter.path).is_none() {
                self.show_file(&interpreter.path, sandbox, programs)?;
            }
            if sandbox.program_at(&interpreter.named).is_none() {
                sandbox.make_link(&interpreter.named, &interpreter.path)?;
            }
        }
        Ok(())
    }

    fn show_file(&self, file: &Path, sandbox: &Sandbox, programs: &Programs) -> io::Result<()> {
        let home = self.program.offered.get("HOME").map(PathBuf::from);
        if let Some(prefix) = program::prefix(file, home.as_deref()) {
            for part in program::installation(prefix) {
                let bind = Bind { code: Code::Allowed, ..Bind::read_only(&part) };
                self.mount(&part, bind, sandbox)?;
            }
            if let Some(bin) = program::programs_of(prefix) {
                self.mount(&bin, Bind::read_only(&bin), sandbox)?;
                programs.add_installed(bin);
            }
            lock(&self.prefixes).push(prefix.to_owned());
        }
        if sandbox.program_at(file).is_none() {
            self.mount(file, Bind::read_only(file), sandbox)?;
        }
        programs.add_installed(file.to_owned());
        Ok(())
    }

    fn mount(&self, path: &Path, bind: Bind, sandbox: &Sandbox) -> io::Result<()> {
        // T-NAT-009: a program in the folder of the store.
        let is_hidden = |hidden: &PathBuf| path.starts_with(hidden) || hidden.starts_with(path);
        if self.program.hidden.iter().any(is_hidden) {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        sandbox.mount(path, bind, &fs::symlink_metadata(path)?)
    }
}

#[cfg(test)]
mod tests {
    use cofferdam_broker::HostFolder;

    use super::*;

    #[test]
    fn folders_of_the_system_and_of_the_program_are_no_installations() {
        let program = |search: &str| Program { search: search.into(), ..Program::default() };
        let check = |search: &str, expect: &str| {
            let program = program(search);
            let found = super::search(&program, &folders(&program), "/usr/bin:/bin");
            assert_eq!(found, OsString::from(expect), "{search}");
        };
        let own = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).expect("a folder");
        let own = own.to_str().expect("text");
        check("", "/usr/bin:/bin");
        check("/usr/local/bin:/usr/bin", "/usr/bin:/bin");
        check(&format!("{own}:/usr/bin:/bin"), &format!("{own}:/usr/bin:/bin"));
        check(&format!("/usr/bin:{own}:/tmp:relative:/no-such"), &format!("/usr/bin:/bin:{own}"));
        assert!(folders(&Program { hidden: vec![own.into()], ..program(own) }).is_empty());
        let mounted = |mode| {
            let shown = HostFolder { at: "/shown".to_owned(), host: own.to_owned(), mode };
            folders(&Program { folders: vec![shown], ..program(own) })
        };
        assert_eq!(mounted(FolderMode::Overlay), [PathBuf::from(own)]);
        assert!(mounted(FolderMode::ReadWrite).is_empty());
    }

    #[test]
    fn only_programs_are_found() {
        let folder = std::env::temp_dir().join(format!("cofferdam-own-{}", std::process::id()));
        fs::create_dir_all(folder.join("sub")).expect("a folder");
        let folder = fs::canonicalize(folder).expect("a folder");
        for (name, mode) in [("run", 0o755), ("data", 0o644)] {
            fs::write(folder.join(name), "x").expect("a file");
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.join(name), mode).expect("ours");
        }
        let installed = Installed::new(&Program::default(), vec![folder.clone()]);
        let find = |name: &str| installed.find(&folder.join(name));
        assert!(matches!(find("run"), Found::Program(found) if found.name.as_str() == "run"));
        assert!(matches!(find("data"), Found::Elsewhere));
        assert!(matches!(find("sub"), Found::Elsewhere));
        assert!(matches!(find("missing"), Found::Missing));
        assert!(matches!(find("sub/missing"), Found::Elsewhere));
        fs::remove_dir_all(folder).expect("removed");
    }
}
