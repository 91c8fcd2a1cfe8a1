//! Sandboxes that are kept between calls, and settings from a file.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

/// A home with a store of its own, removed at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let name = format!("named-{}-{name}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        Home(folder)
    }

    fn cofferdam(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        // Compiled programs are cached in the build directory.
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        command.env("XDG_DATA_HOME", self.0.join("data")).current_dir(&self.0);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn call(&self, arguments: &[&str]) -> Output {
        self.cofferdam(arguments).output().expect("the program")
    }

    #[track_caller]
    fn check(&self, arguments: &[&str], stdout: &str) {
        let output = self.call(arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{arguments:?}: {err}");
    }

    #[track_caller]
    fn check_refused(&self, arguments: &[&str], says: &[&str]) {
        let output = self.call(arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        for part in says {
            assert!(err.contains(part), "{arguments:?}: no {part:?} in {err:?}");
        }
    }

    fn file(&self, name: &str, content: &str) {
        std::fs::write(self.0.join(name), content).expect("room");
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const COUNTS: &str = "
const { localStorage } = btcp;
const seen = Number((await localStorage.getItem('seen')) ?? 0) + 1;
await localStorage.setItem('seen', String(seen));
await btcp.fs.writeFile('seen.txt', 'x', { append: true });
return [seen, await btcp.fs.readFile('seen.txt'), process.env.COLOUR];";

const ALLOWED: [&str; 8] = [
    "--allow",
    "storage:local:read:seen",
    "--allow",
    "storage:local:write:seen",
    "--allow",
    "fs:write:/home/user/**",
    "--allow",
    "env:read:COLOUR",
];

#[test]
fn files_storage_and_variables_are_kept_under_a_name() {
    let home = Home::new("kept");
    home.file("count.js", COUNTS);
    let run = |more: &[&str], stdout: &str| {
        let mut arguments = vec!["run", "count.js", "--allow", "fs:read:/home/user/**"];
        arguments.extend(ALLOWED);
        arguments.extend(more);
        home.check(&arguments, stdout);
    };
    run(&["--sandbox", "work", "--env", "COLOUR=red"], "[1,\"x\",\"red\"]\n");
    run(&["--sandbox", "work"], "[2,\"xx\",\"red\"]\n");
    run(&["--sandbox", "other", "--env", "COLOUR=blue"], "[1,\"x\",\"blue\"]\n");
    run(&["--env", "COLOUR=none"], "[1,\"x\",\"none\"]\n");
    run(&["--sandbox", "work"], "[3,\"xxx\",\"red\"]\n");
}

#[test]
fn the_shell_uses_the_same_sandboxes_as_tools() {
    let home = Home::new("shell");
    let text = "mkdir notes; cd notes; echo one > a; export N=5";
    home.check(&["sh", "--sandbox", "work", "-c", text], "");
    home.check(
        &["sh", "--sandbox", "work", "-c", "pwd; cat a; echo $N"],
        "/home/user/notes\none\n5\n",
    );
    home.file("read.js", "return await btcp.fs.readFile('/home/user/notes/a')");
    let allow = "fs:read:/home/user/**";
    home.check(&["run", "read.js", "--sandbox", "work", "--allow", allow], "\"one\\n\"\n");
    // A mounted folder is not part of the sandbox, and its path may be missing later.
    home.check(
        &["sh", "--sandbox", "work", "--mount", ".:/in", "-c", "cd /in; ls read.js"],
        "read.js\n",
    );
    home.check(
        &["sh", "--sandbox", "work", "-c", "pwd; test -e /in || echo gone"],
        "/home/user\ngone\n",
    );
}

#[test]
fn a_run_that_fails_keeps_what_it_did() {
    let home = Home::new("failed");
    let output = home.call(&["sh", "--sandbox", "work", "-c", "echo 1 > a; exit 3"]);
    assert_eq!(output.status.code(), Some(3));
    home.check(&["sh", "--sandbox", "work", "-c", "cat a"], "1\n");
}

/// T-BOX-004.
#[test]
fn calls_at_the_same_time_lose_nothing() {
    let home = Home::new("together");
    let text = "echo x >> log";
    let started = [(); 6].map(|()| {
        home.cofferdam(&["sh", "--sandbox", "work", "-c", text]).spawn().expect("the program")
    });
    for child in started {
        assert!(child.wait_with_output().expect("an end").status.success());
    }
    home.check(&["sh", "--sandbox", "work", "-c", "wc -l < log"], "6\n");
}

/// T-BOX-004.
#[test]
fn a_killed_call_leaves_the_sandbox_as_it_was() {
    let home = Home::new("killed");
    home.check(&["sh", "--sandbox", "work", "-c", "echo before > a"], "");
    let text = "echo after > a; echo changed; while :; do :; done";
    let mut child = home.cofferdam(&["sh", "--sandbox", "work", "-c", text]).spawn().expect("it");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    out.read_line(&mut line).expect("a line");
    assert_eq!(line, "changed\n");
    // While the sandbox is open, another call says so and waits.
    let mut waiting =
        home.cofferdam(&["sh", "--sandbox", "work", "-c", "cat a"]).spawn().expect("it");
    let mut err = BufReader::new(waiting.stderr.take().expect("piped"));
    let mut note = String::new();
    err.read_line(&mut note).expect("a line");
    assert!(note.contains("sandbox work is in use"), "{note}");
    child.kill().expect("a kill");
    child.wait().expect("an end");
    let output = waiting.wait_with_output().expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "before\n");
}

#[test]
fn sandboxes_are_listed_removed_and_checked() {
    let home = Home::new("listed");
    home.check(&["sh", "--sandbox", "work", "-c", "echo 1 > a"], "");
    let output = home.call(&["sandboxes", "--json"]);
    let listed: Json = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!(listed["name"], "work");
    std::fs::write(home.0.join("data/cofferdam/sandboxes/work.box"), "damaged").expect("room");
    let hint = "hint: cofferdam sandboxes --remove work";
    home.check_refused(&["sh", "--sandbox", "work", "-c", "cat a"], &["--sandbox work: ", hint]);
    home.check(&["sandboxes", "--remove", "work"], "");
    home.check(&["sh", "--sandbox", "work", "-c", "ls"], "");
    home.check_refused(&["sandboxes", "--remove", "nope"], &["no such sandbox"]);
    home.check_refused(&["sh", "--sandbox", "../x", "-c", "ls"], &["not a name", "--sandbox x"]);
}

#[test]
fn settings_come_from_a_file() {
    let home = Home::new("config");
    home.file(
        "box.json",
        r#"{"env":{"A":"1"},"files":{"in.txt":"text"},"capabilities":["env:read:A","fs:read:/home/user/**"]}"#,
    );
    home.file("tool.js", "return [process.env.A, await btcp.fs.readFile('in.txt'), args]");
    home.check(&["run", "tool.js", "--config", "box.json", "--args", "7"], "[\"1\",\"text\",7]\n");
    // Options on the command line win.
    home.check(
        &["run", "tool.js", "--config", "box.json", "--env", "A=2", "--args", "7"],
        "[\"2\",\"text\",7]\n",
    );
    home.file(
        "run.json",
        r#"{"kind":"ts","code":"const n: number = args.n; return n","args":{"n":3}}"#,
    );
    home.check(&["run", "--config", "run.json"], "3\n");
    home.check(&["run", "--config", "run.json", "--args", r#"{"n":4}"#], "4\n");
    home.file(
        "sh.json",
        r#"{"kind":"shell","command":"cat; echo $A","env":{"A":"1"},"stdin":"in\n"}"#,
    );
    home.check(&["run", "--config", "sh.json"], "in\n1\n");
}

#[test]
fn wrong_settings_are_named() {
    let home = Home::new("wrong");
    home.file("tool.js", "return 1");
    home.file("a.json", r#"{"limts":{}}"#);
    home.check_refused(
        &["run", "tool.js", "--config", "a.json"],
        &["--config a.json: limts: unknown"],
    );
    home.file("b.json", r#"{"limits":{"timeoutMs":"x"}}"#);
    home.check_refused(
        &["run", "tool.js", "--config", "b.json"],
        &["limits.timeoutMs: not a whole"],
    );
    home.file("c.json", "{");
    home.check_refused(&["run", "tool.js", "--config", "c.json"], &["--config c.json: not JSON"]);
    home.file("d.json", r#"{"kind":"js","code":"return 1"}"#);
    home.check_refused(&["run", "tool.js", "--config", "d.json"], &["tool or program of its own"]);
    home.file("e.json", "{}");
    home.check_refused(&["run", "--config", "e.json"], &["has no tool"]);
    home.check_refused(&["run", "tool.js", "--config", "none.json"], &["none.json: no such file"]);
}
