//! A terminal session in a folder of its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::blocks::Step;
use crate::matching::ids;

/// A folder and a home, which are removed at the end.
pub(crate) struct Session {
    folder: PathBuf,
    /// Exit code of the previous command.
    code: i32,
    /// Ids of the document, with the ids that were printed in their place.
    bound: HashMap<String, String>,
}

impl Session {
    pub(crate) fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("cofferdam-doc-{}-{name}", std::process::id()));
        copy(&crate::root().join("docs/first"), &folder.join("work"));
        std::fs::create_dir_all(folder.join("bin")).expect("a folder");
        let program = env!("CARGO_BIN_EXE_cofferdam");
        std::os::unix::fs::symlink(program, folder.join("bin/cofferdam")).expect("a link");
        Session { folder, code: 0, bound: HashMap::new() }
    }

    /// Runs a step and returns its output as lines.
    pub(crate) fn run(&mut self, step: &Step) -> Vec<String> {
        let command = self.with_real_ids(&step.command);
        if command == "echo $?" {
            return vec![self.code.to_string()];
        }
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("{command}\n"))
            .current_dir(self.folder.join("work"))
            .env("PATH", format!("{}:{path}", self.folder.join("bin").display()))
            .env("HOME", &self.folder)
            .env("XDG_DATA_HOME", self.folder.join("data"))
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("USER", "you")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(merged(&self.folder))
            .stderr(appending(&self.folder))
            .status()
            .expect("a shell");
        self.code = output.code().unwrap_or(-1);
        let printed = std::fs::read(self.folder.join("printed")).expect("what was printed");
        String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect()
    }

    /// Returns the expected lines, with the printed ids in place of the document's.
    pub(crate) fn bind(&mut self, expected: &[String], printed: &[String]) -> Vec<String> {
        let of_document = expected.iter().flat_map(|line| ids(line));
        let mut real = printed.iter().flat_map(|line| ids(line));
        for id in of_document {
            let Some(real) = real.next() else { break };
            self.bound.entry(id.to_owned()).or_insert_with(|| real.to_owned());
        }
        expected.iter().map(|line| self.with_real_ids(line)).collect()
    }

    fn with_real_ids(&self, text: &str) -> String {
        let replace = |text: String, (id, real): (&String, &String)| text.replace(id, real);
        self.bound.iter().fold(text.to_owned(), replace)
    }
}

/// Copies a folder and everything in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &copied),
            false => drop(std::fs::copy(&path, &copied).expect("room")),
        }
    }
}

/// Opens one file for both streams, so that lines come in the order in which they were written.
fn merged(folder: &Path) -> std::fs::File {
    let _ = std::fs::remove_file(folder.join("printed"));
    appending(folder)
}

fn appending(folder: &Path) -> std::fs::File {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true).open(folder.join("printed")).expect("a file")
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
