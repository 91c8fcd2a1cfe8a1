//! The shell from the command line, and sandboxes that `rpc` keeps.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value as Json, json};

fn cofferdam(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
    // Compiled programs, grants and the audit log are kept in the build directory.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.env("XDG_DATA_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn call(arguments: &[&str], stdin: &str) -> Output {
    let mut child = cofferdam(arguments).spawn().expect("the program");
    // A program that does not read its input may have ended already.
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    child.wait_with_output().expect("an end")
}

#[track_caller]
fn check(arguments: &[&str], stdin: &str, code: i32, stdout: &str, stderr: &str) {
    let output = call(arguments, stdin);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{arguments:?}");
    assert!(err.contains(stderr), "{arguments:?}: no {stderr:?} in {err:?}");
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("cofferdam-sh-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Scratch(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_owned()
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), content).expect("room");
        self.path(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn text_runs_as_with_bash() {
    check(&["sh", "--ephemeral", "-c", "echo $0 $1 | tr a-z A-Z", "a", "-b"], "", 0, "A -B\n", "");
    check(&["sh", "--ephemeral", "-c", "echo out; echo err >&2; exit 7"], "", 7, "out\n", "err\n");
    check(&["sh", "--ephemeral", "-c", "cat"], "given", 0, "given", "");
}

#[test]
fn who_is_killed_by_a_signal_ends_with_its_number_and_128() {
    for (signal, code) in [("INT", 130), ("KILL", 137), ("PIPE", 141), ("TERM", 143)] {
        let text = format!("kill -{signal} $$; echo alive");
        check(&["sh", "--ephemeral", "-c", &text], "", code, "", "");
        let text = format!("bash -c 'kill -{signal} $$' 2>&-; echo $?");
        check(&["sh", "--ephemeral", "-c", &text], "", 0, &format!("{code}\n"), "");
    }
    let text = "yes | head -1; echo ${PIPESTATUS[@]}";
    check(&["sh", "--ephemeral", "-c", text], "", 0, "y\n141 0\n", "");
}

#[test]
fn json_has_the_whole_outcome() {
    let text = "echo out; echo err >&2; exit 7";
    let output = call(&["sh", "--ephemeral", "--json", "-c", text], "");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(7), &b""[..]));
    let outcome: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&outcome["exitCode"], &outcome["stdout"], &outcome["stderr"]),
        (&json!(7), &json!("out\n"), &json!("err\n"))
    );
}

#[test]
fn a_script_has_its_arguments_and_standard_input() {
    let scratch = Scratch::new("script");
    let script = scratch.file("s.sh", "read line\necho \"$line $# $2\"\nexit 3\n");
    check(&["sh", "--ephemeral", &script, "a", "b c"], "first\n", 3, "first 2 b c\n", "");
    check(&["sh", "--ephemeral", "nowhere.sh"], "", 2, "", "nowhere.sh: no such file");
}

#[test]
fn standard_input_is_a_script() {
    check(&["sh", "--ephemeral"], "echo a\nread x\nb\necho $x", 0, "a\nb\n", "");
}

#[test]
fn options_reach_the_shell() {
    let scratch = Scratch::new("options");
    scratch.file("f.txt", "content\n");
    let mount = format!("{}:/src:ro", scratch.0.display());
    let arguments = [
        "sh",
        "--ephemeral",
        "--mount",
        &mount,
        "--env",
        "A=1",
        "--cwd",
        "/src",
        "-c",
        "echo $A; cat f.txt; touch g",
    ];
    check(&arguments, "", 1, "1\ncontent\n", "Read-only file system");
    let arguments = ["sh", "--ephemeral", "--limit", "timeoutMs=200", "-c", "while :; do :; done"];
    check(&arguments, "", 124, "", "time limit of 200 ms");
    let arguments = ["sh", "--ephemeral", "--allow", "process:exec:cat", "-c", "echo a | cat; ls"];
    check(&arguments, "", 1, "a\n", "--allow 'process:exec:ls'");
    check(&["sh", "--allow", "nonsense", "-c", ":"], "", 2, "", "nonsense");
}

/// Returns a module that prints `hi`.
fn program() -> Vec<u8> {
    let text = r#"(module
      (import "wasi_snapshot_preview1" "fd_write"
        (func $write (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1)
      (data (i32.const 0) "\08\00\00\00\03\00\00\00hi\n")
      (func (export "_start")
        (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))"#;
    wat::parse_str(text).expect("a module")
}

/// T-PROC-011.
#[test]
fn a_program_becomes_a_command() {
    let scratch = Scratch::new("program");
    let module = scratch.file("hello.wasm", program());
    let program = format!("hello={module}");
    let script = "hello | tr h H; type hello; rm -f /usr/local/bin/hello; hello";
    let arguments = ["sh", "--ephemeral", "--program", &program, "-c", script];
    check(&arguments, "", 0, "Hi\nhello is /usr/local/bin/hello\nhi\n", "Read-only file system");
    let given = ["sh", "--ephemeral", "--program", &program, "--allow", "process:exec:hello"];
    check(&[&given[..], &["-c", "hello; ls"]].concat(), "", 1, "hi\n", "process:exec:ls");
    for (program, said) in [
        ("hello", "hint: --program NAME=hello"),
        (&format!("a/b={module}"), "not a command name"),
        (&format!("ls={module}"), "has a command of this name"),
        ("x=nowhere.wasm", "nowhere.wasm: no such file"),
    ] {
        check(&["sh", "--ephemeral", "--program", program, "-c", ":"], "", 2, "", said);
    }
}

#[test]
fn the_old_option_for_programs_names_the_new_one() {
    for old in [&["--tool", "hello=hello.wasm"][..], &["--tool=hello=hello.wasm"]] {
        let arguments = [&["sh", "--ephemeral"], old, &["-c", "hello"]].concat();
        check(&arguments, "", 2, "", "--tool: unknown option of cofferdam sh");
        check(&arguments, "", 2, "", "hint: --program NAME=FILE");
    }
}

#[test]
fn a_saved_sandbox_goes_on_where_it_was() {
    let scratch = Scratch::new("save");
    let file = scratch.path("a.box");
    let script = "echo 1 > f; mkdir d; cd d; export V=2";
    check(&["sh", "--ephemeral", "--save", &file, "-c", script], "", 0, "", "");
    let script = "pwd; cat ~/f; echo $V";
    check(&["sh", "--ephemeral", "--load", &file, "-c", script], "", 0, "/home/user/d\n1\n2\n", "");
    let bad = scratch.file("bad.box", "nothing of ours");
    let named = format!("error: --load {bad}: not an export");
    check(&["sh", "--ephemeral", "--load", &bad, "-c", ":"], "", 2, "", &named);
}

#[test]
fn an_interrupt_cancels_what_runs() {
    let scratch = Scratch::new("interrupt");
    let tool = scratch.file("t.js", "console.error('up'); for (;;);");
    for arguments in [
        vec!["sh", "--ephemeral", "-c", "echo up >&2; while :; do :; done"],
        vec!["sh", "--ephemeral", "-c", "echo up >&2; sleep 100"],
        vec!["run", "--ephemeral", &tool],
    ] {
        let mut child = cofferdam(&arguments).spawn().expect("the program");
        let mut err = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = String::new();
        err.read_line(&mut line).expect("a line");
        assert_eq!(line, "up\n");
        let pid = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill");
        assert!(sent.success());
        assert_eq!(child.wait().expect("an end").code(), Some(125), "{arguments:?}");
    }
}

/// A running `cofferdam rpc` that is asked one thing after another.
struct Rpc {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Rpc {
    fn start() -> Self {
        let mut child = cofferdam(&["rpc"]).stderr(Stdio::inherit()).spawn().expect("the program");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        Rpc { child, answers }
    }

    fn ask(&mut self, method: &str, params: Json) -> Json {
        self.send(json!(1), method, params);
        self.answer()
    }

    fn send(&mut self, id: Json, method: &str, params: Json) {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let stdin = self.child.stdin.as_mut().expect("piped");
        writeln!(stdin, "{request}").expect("it reads");
    }

    fn answer(&mut self) -> Json {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Calls a method and returns its result.
    #[track_caller]
    fn get(&mut self, method: &str, params: Json) -> Json {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    #[track_caller]
    fn create(&mut self, params: Json) -> String {
        self.get("sandbox.create", params)["sandbox"].as_str().expect("an id").to_owned()
    }

    #[track_caller]
    fn sh(&mut self, sandbox: &str, command: &str) -> String {
        let params = json!({ "sandbox": sandbox, "kind": "shell", "command": command });
        let result = self.get("exec", params);
        assert_eq!(result["stderr"], "", "{command}");
        result["stdout"].as_str().expect("text").to_owned()
    }

    #[track_caller]
    fn check_refused(&mut self, method: &str, params: Json, code: i32, part: &str) {
        let answer = self.ask(method, params);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(message.contains(part), "no {part:?} in {message:?}");
    }
}

impl Drop for Rpc {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn a_kept_sandbox_keeps_files_and_environment() {
    let mut rpc = Rpc::start();
    let id = rpc.create(json!({ "files": { "f": "1\n" }, "env": { "A": "x" } }));
    assert_eq!(rpc.sh(&id, "cat f; echo $A; export B=2; cd /tmp; echo y > g"), "1\nx\n");
    assert_eq!(rpc.sh(&id, "echo $B; pwd; cat g"), "2\n/tmp\ny\n");
    let set = rpc.get("sandbox.setEnv", json!({ "sandbox": id, "env": { "A": null, "C": "3" } }));
    assert_eq!(set["env"]["C"], "3");
    assert_eq!(rpc.sh(&id, "echo \"<$A>$C\""), "<>3\n");
    rpc.get("sandbox.write", json!({ "sandbox": id, "path": "/tmp/n/h", "content": "text" }));
    let read = rpc.get("sandbox.read", json!({ "sandbox": id, "path": "/tmp/n/h" }));
    assert_eq!(read, json!({ "text": "text" }));
    let bytes = json!({ "sandbox": id, "path": "/tmp/b", "content": { "base64": "/wA=" } });
    rpc.get("sandbox.write", bytes);
    let read = rpc.get("sandbox.read", json!({ "sandbox": id, "path": "/tmp/b" }));
    assert_eq!(read, json!({ "base64": "/wA=" }));
    let script = json!({ "sandbox": id, "path": "/tmp/s", "content": "#!/bin/bash\necho $1", "executable": true });
    rpc.get("sandbox.write", script);
    assert_eq!(rpc.sh(&id, "/tmp/s arg"), "arg\n");
    let params = json!({ "sandbox": id, "kind": "shell", "command": "cat; echo $E $PWD", "stdin": "in ", "env": { "E": "e" }, "cwd": "/" });
    assert_eq!(rpc.get("sandbox.exec", params)["stdout"], "in e /\n");
    let params = json!({ "sandbox": id, "kind": "js", "code": "return 1 + 1" });
    assert_eq!(rpc.get("exec", params)["result"], 2);
}

#[test]
fn sandboxes_fork_go_back_and_move() {
    let mut rpc = Rpc::start();
    let id = rpc.create(json!({}));
    rpc.sh(&id, "echo 1 > f; export V=1");
    let snapshot = rpc.get("sandbox.snapshot", json!({ "sandbox": id }))["snapshot"].clone();
    let fork = rpc.get("sandbox.fork", json!({ "sandbox": id }));
    let fork = fork["sandbox"].as_str().expect("an id").to_owned();
    rpc.sh(&fork, "echo 2 > f");
    assert_eq!(rpc.sh(&id, "cat f"), "1\n");
    rpc.get("sandbox.restore", json!({ "sandbox": fork, "snapshot": snapshot }));
    assert_eq!(rpc.sh(&fork, "cat f"), "1\n");
    let archive = rpc.get("sandbox.export", json!({ "sandbox": id }))["base64"].clone();
    let moved = rpc.get("sandbox.import", json!({ "base64": archive }));
    let moved = moved["sandbox"].as_str().expect("an id").to_owned();
    assert_eq!(rpc.sh(&moved, "cat f; echo $V"), "1\n1\n");
    rpc.get("sandbox.destroy", json!({ "sandbox": id }));
    rpc.get("snapshot.drop", json!({ "snapshot": snapshot }));
    rpc.check_refused(
        "sandbox.restore",
        json!({ "sandbox": fork, "snapshot": snapshot }),
        -32602,
        "there is no",
    );
    let params = json!({ "sandbox": id, "kind": "shell", "command": "ls" });
    rpc.check_refused("exec", params, -32602, "sandbox: there is no \"sandbox_1\"");
    assert_eq!(rpc.sh(&fork, "cat f"), "1\n");
}

/// Requests are started in the order in which they are sent, so the run is under way.
#[test]
fn a_sandbox_with_a_run_under_way_is_busy() {
    let mut rpc = Rpc::start();
    let id = rpc.create(json!({}));
    let snapshot = rpc.get("sandbox.snapshot", json!({ "sandbox": id }))["snapshot"].clone();
    let endless = json!({ "sandbox": id, "kind": "js", "code": "for (;;);" });
    rpc.send(json!("endless"), "exec", endless);
    let restore = || json!({ "sandbox": id, "snapshot": snapshot });
    rpc.check_refused("sandbox.restore", restore(), -32000, "sandbox: a run is under way in it");
    rpc.send(json!("cancel"), "cancel", json!({ "id": "endless" }));
    let answers = [rpc.answer(), rpc.answer()];
    let cancelled = answers.iter().find(|answer| answer["id"] == "endless").expect("an answer");
    assert_eq!(cancelled["result"]["errorClass"], "CANCELLED");
    rpc.get("sandbox.restore", restore());
}

#[test]
fn wrong_calls_about_sandboxes_are_named() {
    let mut rpc = Rpc::start();
    let id = rpc.create(json!({ "limits": { "fsBytes": 100 } }));
    for (method, params, part) in [
        ("sandbox.create", json!({ "sandbox": "x" }), "sandbox: unknown parameter"),
        ("sandbox.create", json!([]), "params: not an object"),
        ("sandbox.create", json!({ "capabilities": ["nonsense"] }), "capabilities"),
        ("sandbox.create", json!({ "programs": { "a": 1 } }), "programs.a"),
        ("sandbox.create", json!({ "programs": { "a": { "base64": "?" } } }), "programs.a.base64"),
        ("sandbox.create", json!({ "tools": {} }), "tools: unknown parameter; a WASI module"),
        ("sandbox.import", json!({ "tools": {} }), "is one of \"programs\""),
        ("exec", json!({ "kind": "shell", "tools": {} }), "is one of \"programs\""),
        ("sandbox.fork", json!({}), "sandbox: missing"),
        ("sandbox.fork", json!({ "sandbox": 1 }), "sandbox: not a string"),
        ("sandbox.fork", json!({ "sandbox": "sandbox_99" }), "there is no \"sandbox_99\""),
        ("sandbox.read", json!({ "sandbox": id, "path": "/nowhere" }), "/nowhere"),
        (
            "sandbox.read",
            json!({ "sandbox": id, "path": "/etc/passwd", "maxBytes": 3 }),
            "/etc/passwd",
        ),
        ("sandbox.write", json!({ "sandbox": id, "path": "/etc/x", "content": "" }), "/etc/x"),
        ("sandbox.write", json!({ "sandbox": id, "path": "/tmp/x" }), "content: missing"),
        (
            "sandbox.write",
            json!({ "sandbox": id, "path": "/tmp/x", "content": "x".repeat(200) }),
            "/tmp/x",
        ),
        (
            "sandbox.write",
            json!({ "sandbox": id, "path": "x", "content": { "base64": "!" } }),
            "content.base64: ",
        ),
        ("sandbox.write", json!({ "sandbox": id, "path": "x", "content": 1 }), "content: neither"),
        ("sandbox.setEnv", json!({ "sandbox": id, "env": { "A=": "x" } }), "A="),
        ("sandbox.setEnv", json!({ "sandbox": id, "env": { "A": 1 } }), "env.A"),
        ("sandbox.restore", json!({ "sandbox": id, "snapshot": "snapshot_99" }), "there is no"),
        ("sandbox.import", json!({}), "base64: missing"),
        ("sandbox.import", json!({ "base64": "AAAA" }), "not an export"),
        (
            "exec",
            json!({ "sandbox": id, "kind": "shell", "command": "ls", "limits": { "fsBytes": 1 } }),
            "limits.fsBytes",
        ),
        ("exec", json!({ "sandbox": id, "kind": "js", "code": "1", "mounts": [] }), "mounts"),
        (
            "sandbox.create",
            json!({ "mounts": [{ "host": "/nowhere", "at": "/a" }] }),
            "mounts.host",
        ),
        ("sandbox.create", json!({ "mounts": [{ "host": "/", "at": "a" }] }), "mounts.at"),
        (
            "sandbox.create",
            json!({ "mounts": [{ "host": "/", "at": "/a", "mode": "w" }] }),
            "mounts.mode",
        ),
        ("sandbox.create", json!({ "functions": [{}] }), "functions.name: missing"),
        ("sandbox.create", json!({ "ask": [] }), "ask: "),
        ("question.answer", json!({ "question": "q", "allow": true }), "question: "),
        ("grants.grant", json!({ "span": "once" }), "capability: missing"),
        ("grants.revoke", json!({ "grant": "?" }), "grant: "),
        ("audit.read", json!({ "event": "party" }), "event: "),
        ("page.set", json!({ "sandbox": id }), "html: missing"),
        ("exec", json!({ "sandbox": id, "kind": "js", "code": "1", "env": {} }), "env"),
    ] {
        rpc.check_refused(method, params, -32602, part);
    }
    rpc.check_refused("sandbox.fly", json!({}), -32601, "sandbox.fork");
    assert_eq!(rpc.sh(&id, "echo alive"), "alive\n");
}

/// T-BOX-003.
#[test]
fn there_are_only_so_many_sandboxes() {
    let mut rpc = Rpc::start();
    let id = rpc.create(json!({}));
    for _ in 1..256 {
        rpc.get("sandbox.fork", json!({ "sandbox": id }));
    }
    rpc.check_refused("sandbox.fork", json!({ "sandbox": id }), -32000, "256");
    rpc.get("sandbox.destroy", json!({ "sandbox": id }));
    rpc.create(json!({}));
}

/// T-CELL-021, T-BOX-003.
#[test]
fn there_are_only_so_many_snapshots_and_sessions() {
    let mut rpc = Rpc::start();
    let id = rpc.create(json!({}));
    let snapshot = rpc.get("sandbox.snapshot", json!({ "sandbox": id }));
    for _ in 1..1024 {
        rpc.get("sandbox.snapshot", json!({ "sandbox": id }));
    }
    rpc.check_refused("sandbox.snapshot", json!({ "sandbox": id }), -32000, "1024");
    rpc.get("snapshot.drop", json!({ "snapshot": snapshot["snapshot"] }));
    rpc.get("sandbox.snapshot", json!({ "sandbox": id }));
    let session = |n: u32| json!({ "kind": "js", "code": "1", "session": n.to_string() });
    for n in 0..64 {
        assert_eq!(rpc.get("exec", session(n))["result"], 1);
    }
    rpc.check_refused("exec", session(64), -32000, "64");
    rpc.get("session.close", json!({ "session": "7" }));
    assert_eq!(rpc.get("exec", session(64))["result"], 1);
}

#[test]
fn programs_come_over_rpc_too() {
    use base64::Engine as _;
    let mut rpc = Rpc::start();
    let module = base64::engine::general_purpose::STANDARD.encode(program());
    let programs = json!({ "hello": { "base64": module } });
    let params = json!({ "kind": "shell", "command": "hello | cat", "programs": programs });
    assert_eq!(rpc.get("exec", params)["stdout"], "hi\n");
    let id = rpc.create(json!({ "programs": programs }));
    assert_eq!(rpc.sh(&id, "hello; hello"), "hi\nhi\n");
}

#[test]
fn the_policy_of_a_configuration_narrows_connections() {
    // A port that was free a moment ago.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
    let origin = format!("http://{}", closed.expect("a port"));
    let exec = |csp: Json| {
        let params = json!({
            "kind": "js",
            "code": format!("await fetch('{origin}/')"),
            "capabilities": [format!("network:fetch:{origin}"), "network:fetch:https://x.example"],
            "config": { "sandbox": "iframe", "iframeOptions": { "csp": csp } },
        });
        let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "exec", "params": params });
        let output = call(&["rpc"], &format!("{line}\n"));
        serde_json::from_slice::<Json>(&output.stdout).expect("one answer")
    };
    let denied = exec(json!({ "default-src": "'none'" }));
    assert_eq!(denied["result"]["errorClass"], "CAPABILITY_DENIED", "{denied}");
    // Nobody listens on this port, so the error shows that the request was made.
    let allowed = exec(json!({ "connect-src": origin }));
    let message = allowed["result"]["error"]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("fetch failed: 127.0.0.1: "), "{allowed}");
    let outside = exec(json!({ "connect-src": "https://x.example" }));
    assert_eq!(
        outside["result"]["error"]["message"],
        format!(
            "not allowed to send GET requests to {origin}/: \
             blocked by connect-src https://x.example"
        ),
        "{outside}"
    );
    // Something may still be granted there, so it is no mistake.
    let unheard = exec(json!({ "connect-src": "https://y.example" }));
    assert_eq!(unheard["result"]["errorClass"], "CAPABILITY_DENIED", "{unheard}");
}

#[test]
fn what_is_saved_goes_through_links_and_replaces_no_device() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = std::env::temp_dir().join(format!("cofferdam-save-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    std::fs::write(at("there"), "old").unwrap();
    symlink("there", at("link")).unwrap();
    symlink("missing", at("dangling")).unwrap();
    for name in ["link", "dangling"] {
        let path = at(name);
        check(&["sh", "--ephemeral", "--save", &path, "-c", "echo x > a"], "", 0, "", "");
        assert!(std::fs::symlink_metadata(&path).unwrap().is_symlink(), "{name}");
        check(&["sh", "--ephemeral", "--load", &path, "-c", "cat a"], "", 0, "x\n", "");
    }
    let full = "--save /dev/full: no space left on device";
    check(&["sh", "--ephemeral", "--save", "/dev/full", "-c", ":"], "", 2, "", full);
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    let names: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}
