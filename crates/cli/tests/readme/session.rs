//! A terminal session in a folder of its own.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

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

/// End of a question.
const ASKS: &str = "[n] no: ";

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
        if command.contains(" --ask") {
            return self.run_at_terminal(&command, &step.printed);
        }
        let output = self
            .prepared("sh")
            .arg("-c")
            .arg(format!("{command}\n"))
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

    fn prepared(&self, program: &str) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command
            .current_dir(self.folder.join("work"))
            .env("PATH", format!("{}:{path}", self.folder.join("bin").display()))
            .env("HOME", &self.folder)
            .env("XDG_DATA_HOME", self.folder.join("data"))
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("USER", "you");
        command
    }

    /// Runs a command at a terminal of its own, and types the answers that the document shows behind
    /// its questions.
    fn run_at_terminal(&mut self, command: &str, expected: &[String]) -> Vec<String> {
        let mut answers = expected.iter().filter_map(|line| Some(line.split_once(ASKS)?.1));
        let pty = nix::pty::openpty(None, None).expect("a terminal");
        let slave = || Stdio::from(pty.slave.try_clone().expect("a descriptor"));
        let mut setsid = self.prepared("setsid");
        setsid.args(["--ctty", "--wait", "sh", "-c", command]).env("NO_COLOR", "1");
        let child = setsid.stdin(slave()).stdout(slave()).stderr(slave()).spawn();
        let mut child = child.expect("a shell");
        drop((setsid, pty.slave));
        let (mut terminal, mut printed, mut shown) = (File::from(pty.master), Vec::new(), 0);
        let mut buffer = [0; 4096];
        // Reading a terminal that no process has open is an error, not the end of the file.
        while let Ok(length @ 1..) = terminal.read(&mut buffer) {
            printed.extend_from_slice(&buffer[..length]);
            if String::from_utf8_lossy(&printed[shown..]).ends_with(ASKS) {
                shown = printed.len();
                // The program measures this time and takes no answer that comes sooner.
                std::thread::sleep(Duration::from_millis(350));
                let answer = answers.next().expect("an answer in the document");
                writeln!(terminal, "{answer}").expect("a terminal");
            }
        }
        self.code = child.wait().expect("an end").code().unwrap_or(-1);
        String::from_utf8_lossy(&printed).lines().map(|line| line.trim_end().to_owned()).collect()
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
