//! Promises that hostile use has tested, from the command line: grants that a later process must
//! not widen, modules that change, exports that come from elsewhere, modules that are slow to
//! compile, and text that would reach a terminal.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A data directory, which is removed at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let name = format!("cofferdam-held-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        Home(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    }

    fn call_at(&self, data: &str, arguments: &[&str], stdin: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
            .args(arguments)
            .env("XDG_DATA_HOME", self.0.join(data))
            .env("XDG_CACHE_HOME", self.0.join("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
        child.wait_with_output().expect("an end")
    }

    /// Runs the program; returns its output and errors together.
    #[track_caller]
    fn check(&self, arguments: &[&str], code: i32, says: &[&str]) -> String {
        self.check_at("data", arguments, code, says)
    }

    #[track_caller]
    fn check_at(&self, data: &str, arguments: &[&str], code: i32, says: &[&str]) -> String {
        let output = self.call_at(data, arguments, "");
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let all = format!("{out}{err}");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {all}");
        says.iter()
            .for_each(|part| assert!(all.contains(part), "{arguments:?}: no {part:?}: {all}"));
        all
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn id_in(text: &str, prefix: &str) -> String {
    let at = text.find(prefix).unwrap_or_else(|| panic!("no {prefix} in {text}"));
    text[at..].chars().take(prefix.len() + 10).collect()
}

/// T-PERM-023. All calls of the command line are one sandbox, which stays as restricted as it was.
#[test]
fn revoking_a_grant_does_not_open_the_shell_in_the_next_process() {
    let home = Home::new("revoke");
    let sort: &[&str] = &["sh", "-c", "echo b | sort"];
    home.check(sort, 0, &["b\n"]);
    // An option is for one call.
    home.check(&["sh", "--allow", "process:exec:ls", "-c", "echo b | sort"], 1, &["req_"]);
    home.check(sort, 0, &["b\n"]);
    let granted = home.check(&["grant", "process:exec:ls", "--always"], 0, &["always"]);
    home.check(sort, 1, &["not allowed to run the command sort"]);
    home.check(&["revoke", &id_in(&granted, "grt_")], 0, &["revoked"]);
    home.check(sort, 1, &["not allowed to run the command sort"]);
    home.check(&["grant", "process:exec:*", "--always"], 0, &["always"]);
    home.check(sort, 0, &["b\n"]);
}

/// T-PERM-021.
#[test]
fn a_grant_is_lost_when_a_module_changes() {
    let home = Home::new("module");
    let code = home.0.join("code").to_str().expect("UTF-8").to_owned();
    let main = "const { name } = require('./lib.js');\nreturn process.env[name] ?? 'none'";
    let main = home.file("code/main.js", main);
    home.file("code/lib.js", "exports.name = 'A'");
    let run: &[&str] = &["run", &main, "--code", &code, "--env", "A=1", "--env", "B=2"];
    let denied = home.check(run, 1, &["env:read:A"]);
    home.check(&["grant", &id_in(&denied, "req_"), "--always"], 0, &["always"]);
    home.check(run, 0, &["1"]);
    home.check(run, 0, &["1"]);
    home.file("code/lib.js", "exports.name = 'A' // and more");
    home.check(run, 1, &["env:read:A"]);
    home.file("code/lib.js", "exports.name = 'A'");
    home.check(run, 0, &["1"]);
    // A module of another kind, in a package.
    home.file("code/node_modules/lib/package.json", r#"{"main":"x.mjs"}"#);
    home.file("code/node_modules/lib/x.mjs", "export const name = 'A'");
    home.file("code/main.js", "import { name } from 'lib';\nconsole.log(process.env[name])");
    let denied = home.check(run, 1, &["env:read:A"]);
    home.check(&["grant", &id_in(&denied, "req_"), "--always"], 0, &["always"]);
    home.check(run, 0, &["1"]);
    home.file("code/node_modules/lib/x.mjs", "export const name = 'A' ");
    home.check(run, 1, &["env:read:A"]);
}

/// T-BOX-005.
#[test]
fn an_export_says_if_it_comes_from_elsewhere() {
    let home = Home::new("seal");
    let file = home.0.join("work.box").to_str().expect("UTF-8").to_owned();
    home.check(&["sh", "--save", &file, "-c", "echo 1 > a"], 0, &[]);
    let load: &[&str] = &["sh", "--load", &file, "-c", "cat a"];
    let sealed: &[&str] = &["sh", "--load", &file, "--sealed", "-c", "cat a"];
    assert_eq!(home.check(load, 0, &[]), "1\n");
    assert_eq!(home.check(sealed, 0, &[]), "1\n");
    // Another store.
    home.check_at("other", load, 0, &["1\n", "note: --load", "sealed by another store"]);
    home.check_at("other", sealed, 2, &["sealed by another store, or changed", "hint: "]);
    // A changed file whose checksum fits, as an attacker would write it: here, one without a seal.
    home.check(&["sh", "--ephemeral", "--save", &file, "-c", "echo 2 > a"], 0, &[]);
    home.check(load, 0, &["2\n", "not sealed by a store"]);
    home.check(sealed, 2, &["not sealed by a store"]);
    home.check(&["sh", "--ephemeral", "--load", &file, "--sealed", "-c", ":"], 2, &["--sealed"]);
    home.check(&["sh", "--sealed", "-c", ":"], 2, &["--load"]);
}

/// T-BOX-005.
#[test]
fn rpc_seals_exports_and_says_if_a_store_made_them() {
    let home = Home::new("seal-rpc");
    let call = |data: &str, method: &str, params: &str| {
        let create = r#"{"jsonrpc":"2.0","id":1,"method":"sandbox.create","params":{}}"#;
        let line = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{params}}}"#);
        let output = home.call_at(data, &["rpc", "--store"], &format!("{create}\n{line}\n"));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let line = text.lines().last().expect("an answer").to_owned();
        serde_json::from_str::<serde_json::Value>(&line).expect("JSON")
    };
    let exported = call("data", "sandbox.export", r#"{"sandbox":"sandbox_1"}"#);
    let export = exported["result"]["base64"].as_str().expect("an export").to_owned();
    let import = |data: &str, more: &str| {
        call(data, "sandbox.import", &format!(r#"{{"base64":"{export}"{more}}}"#))
    };
    assert_eq!(import("data", "")["result"]["sealed"], true);
    assert_eq!(import("data", r#","sealed":true"#)["result"]["sealed"], true);
    assert_eq!(import("other", "")["result"]["sealed"], false);
    let refused = import("other", r#","sealed":true"#);
    assert_eq!(refused["error"]["message"], "base64: not sealed by this store, or changed since");
}

/// Returns a module that takes minutes to compile: one large function with many variables.
fn slow_module() -> Vec<u8> {
    let mut text =
        String::from("(module (memory (export \"memory\") 1) (func (export \"_start\"))");
    text += &format!("(func (local {})", "i32 ".repeat(500));
    for at in 0..60_000 {
        let (one, other) = (at % 500, (at * 7 + 3) % 500);
        text += &format!(
            "(loop (local.set {other} (i32.add (local.get {one}) (i32.const 1)))
                (if (local.get {other}) (then (local.set {one} (local.get {other})))))"
        );
    }
    wat::parse_str(text + "))").expect("a module")
}

/// T-PROC-002.
#[test]
fn a_module_that_is_slow_to_compile_ends_at_the_deadline_with_its_worker() {
    let home = Home::new("slow");
    let module = home.file("slow.wasm", slow_module());
    let begin = Instant::now();
    let limit = ["wasm", "--limit", "timeoutMs=1500", &module];
    let mut child = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
        .args(limit)
        .env("XDG_DATA_HOME", &home.0)
        .env("XDG_CACHE_HOME", home.0.join("cache"))
        .spawn()
        .expect("the program");
    let worker = loop {
        assert!(begin.elapsed() < Duration::from_secs(20), "no worker");
        if let Some(worker) = worker_of(child.id()) {
            break worker;
        }
        std::thread::yield_now();
    };
    assert_eq!(child.wait().expect("an end").code(), Some(124));
    // The kill was sent before the program ended; the system carries it out.
    let begin = Instant::now();
    while std::fs::read(worker.join("cmdline")).is_ok_and(|words| !words.is_empty()) {
        assert!(begin.elapsed() < Duration::from_secs(5), "the worker goes on");
        std::thread::yield_now();
    }
}

/// Returns the compile worker of a process.
fn worker_of(process: u32) -> Option<PathBuf> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten();
    let children = tasks.flat_map(|task| {
        let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        text.split_whitespace().map(|pid| PathBuf::from(format!("/proc/{pid}"))).collect::<Vec<_>>()
    });
    let is_worker = |path: &PathBuf| {
        std::fs::read(path.join("cmdline")).is_ok_and(|w| w.starts_with(b"cofferdam-compiler"))
    };
    children.into_iter().find(is_worker)
}

/// T-CELL-016.
#[test]
fn the_audit_log_moves_no_cursor_behind_a_pipe_either() {
    let home = Home::new("audit");
    let tool = "try { require('fs').readFileSync('/x\\u001b[2J\\u202e\\u009b') } catch {}";
    let tool = home.file("a.js", tool);
    home.check(&["run", &tool], 0, &[]);
    let lines = home.check(&["audit", "--verdict", "deny"], 0, &[r"\u202e\u009b"]);
    let is_plain = |c: char| c == '\n' || (!c.is_control() && c != '\u{202e}');
    assert!(lines.chars().all(is_plain), "{lines:?}");
}
