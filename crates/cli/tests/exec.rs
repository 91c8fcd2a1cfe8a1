//! `cofferdam exec` and `kind: "native"`: real programs from the command line.
//!
//! Escapes, limits and the network are tested in `crates/native`; here are the words around them.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

/// A folder with a store and files, which is removed at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let path = path.join(format!("exec-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Home(path.canonicalize().expect("a folder"))
    }

    fn write(&self, name: &str, content: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a file");
        path.to_str().expect("text").to_owned()
    }

    fn call(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
            .args(arguments)
            .current_dir(&self.0)
            .env("XDG_DATA_HOME", self.0.join("store"))
            .env("XDG_CACHE_HOME", self.0.join("cache"))
            .env("TOKEN", "s3cr3t")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
        child.wait_with_output().expect("an end")
    }

    #[track_caller]
    fn check(&self, arguments: &[&str], stdin: &str, code: i32, stdout: &str) -> String {
        let output = self.call(arguments, stdin);
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{arguments:?}: {err}");
        err
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns true if this machine has the walls; says so if not.
fn has_walls() -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
        .args(["exec", "--ephemeral", "--", "/bin/true"])
        .output()
        .expect("the program");
    let has = output.status.code() != Some(70);
    if !has {
        println!("exec: not tested: {}", String::from_utf8_lossy(&output.stderr));
    }
    has
}

#[test]
fn a_denial_is_granted_by_its_id_and_the_rerun_works() {
    if !has_walls() {
        return;
    }
    let home = Home::new("grant");
    home.write("data.csv", "1,2");
    home.write("main.py", "print(open('data.csv').read())");
    let run = ["exec", "--", "python3", "main.py"];
    let err = home.check(&run, "", 1, "");
    let at = err.find("\"requestId\":\"").unwrap_or_else(|| panic!("no id: {err}"));
    let id: String = err[at + 13..].chars().take_while(|c| *c != '"').collect();
    assert!(err.contains("hint: cofferdam grant"), "{err}");
    home.call(&["grant", &id], "");
    home.check(&run, "", 0, "1,2\n");
    // The script is another one once it is changed.
    home.write("main.py", "print(open('data.csv').read() * 2)");
    home.check(&run, "", 1, "");
}

/// A folder below the machine's own `/tmp`, which is removed at the end.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_granted_below_tmp_is_there_and_nothing_else() {
    if !has_walls() {
        return;
    }
    let home = Home::new("tmp");
    let folder = PathBuf::from(format!("/tmp/cofferdam-exec-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("in")).expect("a folder");
    let folder = Temporary(folder.canonicalize().expect("a folder"));
    std::fs::write(folder.0.join("in/a"), "a\n").expect("a file");
    std::fs::write(folder.0.join("b"), "b\n").expect("a file");
    let (path, file) = (folder.0.display(), format!("{}/b", folder.0.display()));
    let err = home.check(&["exec", "--", "cat", &file], "", 1, "");
    assert!(err.contains(&format!("note: {file}: not in the program's own /tmp\n")), "{err}");
    assert!(err.contains(&format!("hint: --allow 'fs:read:{file}'\n")), "{err}");
    let json = home.call(&["exec", "--json", "--", "cat", &file], "");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("an outcome");
    let unseen = serde_json::json!([
        { "path": file, "requiredPermission": format!("fs:read:{file}") }
    ]);
    assert_eq!(json["unseen"], unseen);
    home.check(&["exec", "--allow", &format!("fs:read:{file}"), "--", "cat", &file], "", 0, "b\n");
    let code = format!("import os\nprint(os.listdir('{path}'), open('{path}/in/a').read())");
    let whole = format!("fs:read:{path}/in/**");
    let run = ["exec", "--allow", &whole, "--", "python3", "-c", &code];
    home.check(&run, "", 0, "['in'] a\n\n");
    let code = format!("open('{path}/in/new', 'w').write('n')");
    let err = home.check(&["exec", "--allow", &whole, "--", "python3", "-c", &code], "", 1, "");
    assert!(err.contains(&format!("fs:write:{path}/in/new")), "{err}");
    let change = format!("fs:write:{path}/in/**");
    let run = ["exec", "--allow", &whole, "--allow", &change, "--", "python3", "-c", &code];
    home.check(&run, "", 0, "");
    assert_eq!(std::fs::read_to_string(folder.0.join("in/new")).expect("written"), "n");
}

#[test]
fn exit_code_and_streams_are_those_of_the_program() {
    if !has_walls() {
        return;
    }
    let home = Home::new("streams");
    home.check(&["exec", "--", "cat"], "typed", 0, "typed");
    home.check(&["exec", "--", "sh", "-c", "exit 9"], "", 9, "");
    let err = home.check(&["exec", "--", "sh", "-c", "echo out; echo err >&2"], "", 0, "out\n");
    assert_eq!(err, "err\n");
    let slow = ["exec", "--limit", "timeoutMs=200", "--", "sleep", "100"];
    let err = home.check(&slow, "", 124, "");
    assert!(err.contains("time limit of 200 ms"), "{err}");
    let err = home.check(&["exec", "--", "no-such-program"], "", 2, "");
    assert!(err.contains("no-such-program: no such program\nhint: PATH"), "{err}");
    let err = home.check(&["exec", "--", "slepe", "1"], "", 2, "");
    assert!(err.contains("hint: cofferdam exec -- sleep 1\n"), "{err}");
    let err = home.check(&["exec", "--", "echo a | wc"], "", 2, "");
    assert!(err.contains("hint: cofferdam exec -- sh -c 'echo a | wc'"), "{err}");
    let err = home.check(&["exec", "--", "/usr"], "", 2, "");
    assert!(err.contains("/usr: a folder, not a program"), "{err}");
}

#[test]
fn variables_of_this_process_need_a_grant() {
    if !has_walls() {
        return;
    }
    let home = Home::new("env");
    let print = "echo ${TOKEN:-none} ${MODE:-none}";
    home.check(&["exec", "--env", "MODE=m", "--", "sh", "-c", print], "", 0, "none m\n");
    let granted = ["exec", "--allow", "env:read:TOKEN", "--", "sh", "-c", print];
    home.check(&granted, "", 0, "s3cr3t none\n");
}

/// T-NAT-009: not even a grant for all files shows the store.
#[test]
fn the_store_cannot_be_reached() {
    if !has_walls() {
        return;
    }
    let home = Home::new("store");
    let store = home.0.join("store/cofferdam");
    let read = format!("import os; print(os.listdir({:?}))", store.to_str().expect("text"));
    home.check(&["exec", "--", "true"], "", 0, "");
    assert!(store.is_dir(), "the store has moved");
    let all = ["exec", "--allow", "fs:read", "--allow", "fs:write", "--", "python3", "-c", &read];
    let err = home.check(&all, "", 1, "");
    assert!(err.contains("Permission"), "{err}");
}

/// T-PROC-003: code in the cache runs outside of every sandbox.
#[test]
fn the_cache_is_hidden_from_a_program_that_may_write_its_folder() {
    if !has_walls() {
        return;
    }
    let home = Home::new("cache");
    home.write("tool.js", "return 1");
    let folder = home.0.to_str().expect("text");
    let guests = home.0.join("cache/cofferdam/wasm/guests");
    home.check(&["run", "--ephemeral", "tool.js"], "", 0, "1\n");
    let [copy] = files(&guests).try_into().expect("one copy");
    let before = std::fs::read(&copy).expect("a copy");
    let write = format!("open({:?}, 'w').write('x')", copy.to_str().expect("text"));
    let mount = format!("{folder}:{folder}:rw");
    let all =
        ["exec", "--ephemeral", "--mount", &mount, "--allow", "fs:read", "--allow", "fs:write"];
    let all = [&all[..], &["--", "python3", "-c", &write]].concat();
    home.check(&all, "", 1, "");
    assert!(std::fs::read(&copy).expect("a copy") == before, "the copy was changed");
    home.check(&["run", "--ephemeral", "tool.js"], "", 0, "1\n");
    assert_eq!(files(&guests), [copy]);
}

fn files(folder: &std::path::Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn outcome_is_json() {
    if !has_walls() {
        return;
    }
    let home = Home::new("json");
    let read = ["exec", "--json", "--", "cat", "/etc/shadow"];
    let output = home.call(&read, "");
    let outcome: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(outcome["exitCode"], 1);
    assert_eq!(outcome["denials"][0]["requiredPermission"], "fs:read:/etc/shadow");
}

#[test]
fn rpc_runs_native_programs() {
    if !has_walls() {
        return;
    }
    let home = Home::new("rpc");
    let call = |params: Json| {
        let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "exec", "params": params });
        let output = home.call(&["rpc"], &format!("{line}\n"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let reply = text.lines().find(|line| line.contains("\"id\":1"));
        serde_json::from_str::<Json>(reply.unwrap_or_else(|| panic!("{text}"))).expect("JSON")
    };
    let reply = call(json!({ "kind": "native", "argv": ["sh", "-c", "echo $((6 * 7)); exit 3"] }));
    assert_eq!(reply["result"]["stdout"], "42\n", "{reply}");
    assert_eq!(reply["result"]["exitCode"], 3);
    let reply = call(json!({ "kind": "native", "argv": [] }));
    assert!(reply["error"]["message"].as_str().is_some_and(|m| m.contains("argv")), "{reply}");
}
