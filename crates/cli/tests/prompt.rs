//! The prompt at a terminal: history, completion and keys.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longest time that a test waits for expected output.
const PATIENCE: Duration = Duration::from_secs(60);

/// A data directory, which is removed at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cofferdam-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Home(path)
    }

    fn prompt(&self, arguments: &[&str]) -> Prompt {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        let mut prompt = self.start(command.arg("sh").args(arguments));
        prompt.wait_for("$ ");
        prompt
    }

    fn start(&self, command: &mut Command) -> Prompt {
        let pty = nix::pty::openpty(None, None).expect("a terminal");
        let slave = || Stdio::from(pty.slave.try_clone().expect("a descriptor"));
        let child = command
            .env("XDG_DATA_HOME", &self.0)
            .env("TERM", "xterm")
            .stdin(slave())
            .stdout(slave())
            .stderr(slave())
            .spawn()
            .expect("the program");
        let master = File::from(pty.master);
        let mut reader = master.try_clone().expect("a descriptor");
        let (sender, said) = channel();
        std::thread::spawn(move || {
            let mut buf = [0; 4096];
            // Reading a terminal that no process has open is an error, not the end of the file.
            while let Ok(len @ 1..) = reader.read(&mut buf) {
                if sender.send(buf[..len].to_vec()).is_err() {
                    break;
                }
            }
        });
        Prompt { child, keys: master, said, seen: String::new() }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Prompt {
    child: Child,
    keys: File,
    said: Receiver<Vec<u8>>,
    seen: String,
}

impl Prompt {
    /// Waits until a text was shown, and discards the output up to it.
    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.said.recv_timeout(left) else {
                panic!("no {text:?} in {:?}", self.seen);
            };
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Presses keys, and waits for the texts that they show.
    #[track_caller]
    fn press(&mut self, keys: &str, shows: &[&str]) {
        self.keys.write_all(keys.as_bytes()).expect("a terminal");
        shows.iter().for_each(|text| self.wait_for(text));
    }

    #[track_caller]
    fn check_end(mut self, code: i32) {
        assert_eq!(self.child.wait().expect("an end").code(), Some(code));
    }
}

#[test]
fn commands_are_remembered_in_the_next_shell() {
    let home = Home::new("history");
    let mut prompt = home.prompt(&[]);
    prompt.press("echo one\r", &["\none\r\n", "$ "]);
    prompt.press("if true\r", &["> "]);
    prompt.press("then echo two; fi\r", &["\ntwo\r\n", "$ "]);
    prompt.press("\x1b[A", &["then echo two"]);
    prompt.press("\x03", &["$ "]);
    prompt.press("\x04", &[]);
    prompt.check_end(130);
    let mut prompt = home.prompt(&[]);
    // Up moves through the lines of a multi-line command; Ctrl-P does not.
    prompt.press("\x10\x10", &["echo one"]);
    prompt.press("\r", &["\none\r\n", "$ "]);
    prompt.press("exit 3\r", &[]);
    prompt.check_end(3);
}

#[test]
fn an_answer_is_not_read_by_the_program_that_waits_for_it() {
    let home = Home::new("asked");
    // Makes the terminal the controlling terminal of the program, which is where questions are
    // asked.
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_cofferdam"), "sh", "--ask"]);
    command.args(["--ephemeral", "--allow", "process:exec:echo", "-c"]);
    let script = "read -r a; echo y x | tr ' ' '\\n' | sort; read -r b; echo got $a $b";
    let mut prompt = home.start(command.arg(script));
    prompt.press("one\r", &["run the command", "no: "]);
    prompt.press("o\r", &["run the command", "no: "]);
    prompt.press("o\r", &["\nx\r\ny\r\n"]);
    prompt.press("two\r", &["\ngot one two\r\n"]);
    prompt.check_end(0);
}

#[test]
fn without_a_store_nothing_is_remembered() {
    let home = Home::new("no-history");
    let mut prompt = home.prompt(&["--ephemeral"]);
    prompt.press("echo secret\r", &["\nsecret\r\n", "$ "]);
    prompt.press("\x04", &[]);
    prompt.check_end(0);
    assert!(!home.0.join("cofferdam/sh_history").exists());
}

#[test]
fn tab_completes_commands_functions_and_files() {
    let home = Home::new("completion");
    let mut prompt = home.prompt(&["--ephemeral"]);
    prompt.press("greet_me() { echo hello; }\r", &["$ "]);
    prompt.press("greet\t", &["greet_me "]);
    prompt.press("\r", &["\nhello\r\n", "$ "]);
    prompt.press("sha256\t", &["sha256sum "]);
    prompt.press("\x03", &["$ "]);
    prompt.press("echo content > 'my file'\r", &["$ "]);
    prompt.press("cat my\t", &["my\\ file "]);
    prompt.press("\r", &["\ncontent\r\n", "$ "]);
    prompt.press("\x04", &[]);
    prompt.check_end(0);
}

#[test]
fn ctrl_c_drops_the_line_and_not_the_shell() {
    let home = Home::new("ctrl-c");
    let mut prompt = home.prompt(&["--ephemeral"]);
    prompt.press("echo not this", &["echo not this"]);
    prompt.press("\x03", &["$ "]);
    prompt.press("for i in 1 2\r", &["> "]);
    prompt.press("\x03", &["$ "]);
    prompt.press("echo $?\r", &["\n130\r\n", "$ "]);
    prompt.press("exit\r", &[]);
    prompt.check_end(0);
}
