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

    /// Reads a question for as long as a person needs at least, and then answers it.
    #[track_caller]
    fn answer(&mut self, keys: &str, shows: &[&str]) {
        // The program measures this time and takes no answer that comes sooner.
        std::thread::sleep(Duration::from_millis(350));
        self.press(keys, shows);
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
    prompt.answer("o\r", &["run the command", "no: "]);
    prompt.answer("o\r", &["\nx\r\ny\r\n"]);
    prompt.press("two\r", &["\ngot one two\r\n"]);
    prompt.check_end(0);
}

/// Starts a tool that asks at the terminal.
fn asking(home: &Home, tool: &str, arguments: &[&str]) -> Prompt {
    let file = home.0.join("tool.js");
    std::fs::write(&file, tool).expect("room");
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_cofferdam"), "run"]);
    // A missing file in a folder of the host is asked about; elsewhere nobody would be.
    let mount = format!("{}:/data", home.0.display());
    home.start(command.arg(file).args(["--ask", "--mount", &mount]).args(arguments))
}

const READS: &str = "const fs = require('fs').promises;
    const read = (name) => fs.readFile(name).catch((error) => error.code);
    return [await read('/data/a'), await read('/data/a')]";

/// T-PERM-015.
#[test]
fn keys_typed_ahead_answer_no_question() {
    let home = Home::new("ahead");
    let mut prompt = asking(&home, READS, &[]);
    prompt.press("a\r", &["read the file /data/a", "no: "]);
    // Faster than anybody reads.
    prompt.press("a\r", &["please answer again", "no: "]);
    prompt.answer("n\r", &["PERMISSION_DENIED"]);
    prompt.check_end(0);
    let mut grants = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
    let listed = grants.arg("grants").env("XDG_DATA_HOME", &home.0).output().expect("the program");
    assert!(String::from_utf8_lossy(&listed.stderr).contains("no grants"));
}

/// T-PERM-019.
#[test]
fn nothing_is_printed_below_a_question() {
    let home = Home::new("below");
    let tool = "const fs = require('fs').promises;
        const forging = setInterval(() => console.log('forged'), 5);
        await fs.readFile('/data/a').catch(() => {});
        clearInterval(forging);";
    let mut prompt = asking(&home, tool, &["--ephemeral"]);
    prompt.wait_for("[n] no");
    // The echo of the answer follows the question at once, and output comes only then.
    prompt.answer("n\r", &[": n\r\nforged\r\n"]);
    prompt.check_end(0);
}

#[test]
fn yes_is_once_and_says_what_it_did() {
    let home = Home::new("yes");
    let mut prompt = asking(&home, READS, &[]);
    prompt.wait_for("no: ");
    // Both reads are of one run, so the second is not asked about.
    prompt.answer(
        "yes\r",
        &["granted once: read the file /data/a (it ends with this run)", "ENOENT"],
    );
    prompt.check_end(0);
    let mut prompt = asking(&home, READS, &[]);
    prompt.wait_for("no: ");
    prompt.answer("s\r", &["granted session: ", "cofferdam revoke grt_", "ENOENT"]);
    prompt.check_end(0);
    // A session is the same as that of `cofferdam grant --session`: the next run has it too.
    let mut prompt = asking(&home, READS, &[]);
    prompt.wait_for("ENOENT");
    prompt.check_end(0);
}

/// T-PERM-020.
#[test]
fn the_riskiest_wish_is_next_to_the_answer() {
    let home = Home::new("risks");
    let low = "// @capability env:read:HOME\n// @capability fs:read:/data/*\n";
    let high = "// @capability network:fetch:POST@https://a.example/**\n";
    let tool = format!("{high}{low}console.log('over')");
    let mut prompt = asking(&home, &tool, &["--ephemeral"]);
    prompt.wait_for("1. read files that match /data/*");
    prompt.wait_for("2. read the variable HOME");
    prompt.wait_for("3. send POST requests");
    prompt.wait_for("none: ");
    prompt.answer("n\r", &["over\r\n"]);
    prompt.check_end(0);
}

#[test]
fn what_a_tool_declares_is_one_question() {
    let home = Home::new("wishes");
    let tool = format!("// @capability fs:read:/data/*\n// @capability env:read:HOME\n{READS}");
    let mut prompt = asking(&home, &tool, &["--ephemeral"]);
    prompt.wait_for("wants 2 things:");
    prompt.wait_for("none: ");
    prompt.answer("y\r", &["granted once: ", "granted once: ", "ENOENT"]);
    prompt.check_end(0);
}

#[test]
fn parallel_reads_need_one_answer() {
    let home = Home::new("parallel");
    let tool = "const fs = require('fs').promises;
        const names = Array.from({ length: 200 }, (_, i) => `/data/many/${i}`);
        const read = (name) => fs.readFile(name).catch((error) => error.code);
        const all = await Promise.all(names.map(read));
        return all.filter((code) => code === 'ENOENT').length";
    let mut prompt = asking(&home, tool, &["--ephemeral"]);
    prompt.wait_for("no: ");
    prompt.answer("f\r", &["granted once: read files below /data/many", "\n200\r\n"]);
    prompt.check_end(0);
}

#[test]
fn question_names_the_real_file_and_what_cannot_succeed_is_not_asked() {
    let home = Home::new("real");
    let tool = "const fs = require('fs').promises;
        const code = (work) => work.then(() => 'done', (error) => error.code);
        const all = [await code(fs.readFile('/nowhere/a')), await code(fs.writeFile('/data/x', ''))];
        return [...all, await code(fs.readFile('/data/tool.js'))]";
    let mut prompt = asking(&home, tool, &["--ephemeral"]);
    prompt.wait_for("wants to ");
    prompt.wait_for("read the file /data/tool.js");
    prompt.wait_for("asked at    tool.js:4");
    let real = format!("real file   {}/tool.js (mounted read-only)", home.0.display());
    prompt.wait_for(&real);
    prompt.answer(
        "y\r",
        &[
            "done",
            "no such file, and no folder",
            ", at tool.js:3",
            "mounted read-only",
            ", at tool.js:3",
            "--mount .:/nowhere",
        ],
    );
    prompt.check_end(0);
}

#[test]
fn long_name_of_a_tool_is_shortened() {
    let home = Home::new("long");
    let tool =
        format!("return await require('fs').promises.readFile('/data/{}')", "x".repeat(3_000));
    let mut prompt = asking(&home, &tool, &["--ephemeral"]);
    prompt.wait_for("no: ");
    assert!(!prompt.seen.contains(&"x".repeat(400)), "{}", prompt.seen);
    prompt.answer("n\r", &["PermissionError"]);
    prompt.check_end(1);
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
