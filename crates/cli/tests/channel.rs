//! Messages that `rpc` sends by itself, and permissions over `rpc`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};

/// A running `cofferdam rpc`.
struct Rpc {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Rpc {
    fn start(arguments: &[&str], home: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env("XDG_DATA_HOME", home);
        command.arg("rpc").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let lines = BufReader::new(child.stdout.take().expect("piped"));
        Rpc { child, lines }
    }

    fn new() -> Self {
        Rpc::start(&[], env!("CARGO_TARGET_TMPDIR"))
    }

    fn send(&mut self, object: Json) {
        let stdin = self.child.stdin.as_mut().expect("open");
        writeln!(stdin, "{object}").expect("it reads");
    }

    fn request(&mut self, id: u32, method: &str, params: Json) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn next(&mut self) -> Json {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Calls a method and returns its result. Nothing else may arrive before it.
    #[track_caller]
    fn get(&mut self, method: &str, params: Json) -> Json {
        self.request(900, method, params);
        let answer = self.next();
        assert_eq!(answer["id"], 900, "{answer}");
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Returns the next message, which must be of this method.
    #[track_caller]
    fn expect(&mut self, method: &str) -> Json {
        let message = self.next();
        assert_eq!(message["method"], method, "{message}");
        message
    }

    fn create(&mut self, params: Json) -> String {
        self.get("sandbox.create", params)["sandbox"].as_str().expect("an id").to_owned()
    }
}

impl Drop for Rpc {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

const READ: &str = "return await require('fs').promises.readFile('/data/a', 'utf8')";

fn asking() -> Json {
    json!({ "kind": "js", "code": READ, "files": { "/data/a": "A" }, "ask": "h" })
}

#[test]
fn a_question_waits_for_the_client_and_nobody_else() {
    let mut rpc = Rpc::new();
    rpc.request(1, "exec", asking());
    let asked = rpc.expect("question")["params"].clone();
    assert_eq!(asked["handle"], "h");
    assert_eq!(asked["wishes"][0]["wanted"], "fs:read:/data/a");
    let first = &asked["wishes"][0]["choices"][0];
    assert_eq!(first["capability"], "fs:read:/data/a");
    assert!(first["words"].as_str().is_some_and(|words| words.contains("/data/a")), "{first}");
    assert!(!first["reason"].as_str().unwrap_or_default().is_empty(), "{first}");
    assert_eq!(asked["wishes"][0]["words"], first["words"]);
    assert!(asked["at"].as_str().is_some_and(|at| at.ends_with(":1")), "{asked}");
    let waiting = rpc.get("question.list", json!({}));
    assert_eq!(waiting["questions"][0]["question"], asked["question"]);
    rpc.request(2, "question.answer", json!({ "question": asked["question"], "allow": true }));
    let mut seen = [rpc.next(), rpc.next(), rpc.next()];
    seen.sort_by_key(|message| message["id"].as_u64().unwrap_or(0));
    assert_eq!(seen[0]["method"], "question.closed");
    assert_eq!(seen[1]["result"]["result"], "A");
    assert_eq!(seen[2]["result"]["answered"], true);
    // Once is over with its run.
    rpc.request(3, "exec", asking());
    let asked = rpc.expect("question")["params"]["question"].clone();
    let decisions = json!([null]);
    rpc.request(4, "question.answer", json!({ "question": asked, "decisions": decisions }));
    let mut seen = [rpc.next(), rpc.next(), rpc.next()];
    seen.sort_by_key(|message| message["id"].as_u64().unwrap_or(0));
    assert_eq!(seen[1]["result"]["errorClass"], "CAPABILITY_DENIED", "{}", seen[1]);
}

#[test]
fn a_client_that_leaves_is_not_waited_for() {
    let mut rpc = Rpc::new();
    rpc.request(1, "exec", asking());
    rpc.expect("question");
    let code = "return await btcp.functions.wait({}).catch((error) => error.message)";
    let functions = json!([{ "name": "wait" }]);
    let capabilities = ["function:call:wait"];
    rpc.request(
        2,
        "exec",
        json!({ "kind": "js", "code": code, "functions": functions, "capabilities": capabilities }),
    );
    rpc.expect("function.call");
    drop(rpc.child.stdin.take());
    let mut seen = [rpc.next(), rpc.next(), rpc.next()];
    seen.sort_by_key(|message| message["id"].as_u64().unwrap_or(0));
    assert_eq!(seen[1]["result"]["errorClass"], "CAPABILITY_DENIED", "{}", seen[1]);
    let said = seen[2]["result"]["result"].as_str().unwrap_or_default();
    assert!(said.contains("the client is gone"), "{}", seen[2]);
}

#[test]
fn a_lent_function_is_called_back() {
    let mut rpc = Rpc::new();
    let parameters =
        json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
    let lent = json!({
        "name": "double", "description": "Doubles a number.", "parameters": parameters, "handle": 7,
    });
    let id = rpc.create(json!({ "functions": [lent], "capabilities": ["function:call:double"] }));
    let listed = rpc.get("functions.list", json!({ "sandbox": id }));
    assert_eq!(listed["functions"][0]["description"], "Doubles a number.");
    assert_eq!(listed["functions"][0]["parameters"], parameters);
    let run = |code: &str| json!({ "kind": "js", "code": code, "sandbox": id });
    rpc.request(1, "exec", run("return await btcp.functions.double({ n: 21 })"));
    let call = rpc.expect("function.call");
    assert_eq!(call["params"], json!({ "name": "double", "handle": 7, "args": { "n": 21 } }));
    rpc.send(json!({ "jsonrpc": "2.0", "id": call["id"], "result": 42 }));
    assert_eq!(rpc.next()["result"]["result"], 42);
    rpc.request(2, "exec", run("return await btcp.functions.double({ n: 1 })"));
    let call = rpc.expect("function.call");
    let error = json!({ "code": 1, "message": "no more numbers" });
    rpc.send(json!({ "jsonrpc": "2.0", "id": call["id"], "error": error }));
    let failed = rpc.next();
    assert_eq!(failed["result"]["error"]["message"], "double: no more numbers");
    assert_eq!(failed["result"]["error"]["code"], "EXECUTION_ERROR");
    // Arguments of the wrong shape do not reach the client; neither does a response to nothing.
    rpc.send(json!({ "jsonrpc": "2.0", "id": "call_99", "result": 1 }));
    let wrong = rpc.get("exec", run("return await btcp.functions.double({})"));
    assert_eq!(wrong["error"]["name"], "TypeError");
}

#[test]
fn a_mistyped_function_says_which_there_are() {
    let mut rpc = Rpc::new();
    let id = rpc.create(json!({
        "functions": [{ "name": "send" }, { "name": "hidden" }],
        "capabilities": ["function:call:send"],
    }));
    let run = |code: &str| json!({ "kind": "js", "code": code, "sandbox": id });
    let outcome = rpc.get("exec", run("return await btcp.functions.sned({})"));
    let message = "btcp.functions.sned: no such function; there are send";
    assert_eq!(outcome["error"]["message"], message, "{outcome}");
    let quiet =
        "return ['sned' in btcp.functions, Object.keys(btcp.functions), `${btcp.functions}`]";
    let outcome = rpc.get("exec", run(quiet));
    assert_eq!(outcome["result"], json!([false, ["send"], "[object Object]"]), "{outcome}");
}

#[test]
fn output_is_sent_while_the_run_goes_on() {
    let mut rpc = Rpc::new();
    let code = "console.log('one'); await btcp.functions.step({}); console.error('two')";
    rpc.request(
        5,
        "exec",
        json!({
            "kind": "js", "code": code, "stream": true,
            "functions": [{ "name": "step" }], "capabilities": ["function:call:step"],
        }),
    );
    let printed = rpc.expect("output")["params"].clone();
    assert_eq!(printed, json!({ "id": 5, "stream": "stdout", "text": "one\n" }));
    let call = rpc.expect("function.call");
    rpc.send(json!({ "jsonrpc": "2.0", "id": call["id"], "result": null }));
    let printed = rpc.expect("output")["params"].clone();
    assert_eq!(printed, json!({ "id": 5, "stream": "stderr", "text": "two\n" }));
    assert_eq!(rpc.next()["result"]["stdout"], "one\n");
}

#[test]
fn limits_of_one_run_in_a_kept_sandbox() {
    let mut rpc = Rpc::new();
    let id = rpc.create(json!({}));
    let run = |code: &str, limits: Json| json!({ "kind": "js", "code": code, "sandbox": id, "limits": limits });
    let outcome = rpc.get("exec", run("for (;;);", json!({ "timeoutMs": 50 })));
    assert_eq!(outcome["error"]["code"], "TIMEOUT");
    assert_eq!(outcome["error"]["message"], "time limit of 50 ms reached");
    let outcome = rpc.get("exec", run("console.log('12345')", json!({ "stdoutBytes": 3 })));
    assert_eq!(outcome["stdout"], "123");
    let loops = json!({
        "kind": "shell", "command": "while :; do :; done", "sandbox": id,
        "limits": { "timeoutMs": 50 },
    });
    assert_eq!(rpc.get("exec", loops)["errorClass"], "TIMEOUT");
    assert_eq!(rpc.get("exec", run("return 2", Json::Null))["result"], 2);
}

#[test]
fn everything_in_a_sandbox_can_be_cancelled() {
    let mut rpc = Rpc::new();
    let id = rpc.create(json!({ "env": { "A": "1" } }));
    let of = |id: &str| json!({ "sandbox": id });
    assert_eq!(rpc.get("sandbox.getEnv", of(&id))["env"]["A"], "1");
    assert_eq!(rpc.get("sandbox.isRunning", of(&id))["running"], false);
    for request in [1, 2] {
        rpc.request(request, "exec", json!({ "kind": "js", "code": "for (;;);", "sandbox": id }));
    }
    assert_eq!(rpc.get("sandbox.isRunning", of(&id))["running"], true);
    rpc.request(3, "sandbox.cancel", of(&id));
    let mut seen = [rpc.next(), rpc.next(), rpc.next()];
    seen.sort_by_key(|message| message["id"].as_u64().unwrap_or(0));
    for stopped in &seen[..2] {
        assert_eq!(stopped["result"]["error"]["code"], "CANCELLED", "{stopped}");
    }
    assert_eq!(seen[2]["result"]["cancelled"], true);
    assert_eq!(rpc.get("sandbox.cancel", of(&id))["cancelled"], false);
}

#[test]
fn sessions_live_in_kept_sandboxes() {
    let mut rpc = Rpc::new();
    let id = rpc.create(json!({}));
    let run = |code: &str| json!({ "kind": "js", "code": code, "sandbox": id, "session": "s" });
    rpc.get("exec", run("let n = 20"));
    assert_eq!(rpc.get("exec", run("n + 1"))["result"], 21);
    let close = json!({ "session": "s", "sandbox": id });
    assert_eq!(rpc.get("session.close", close.clone())["closed"], true);
    assert_eq!(rpc.get("session.close", close)["closed"], false);
    assert_eq!(rpc.get("exec", run("typeof n"))["result"], "undefined");
}

#[test]
fn grants_are_made_listed_and_revoked() {
    let mut rpc = Rpc::new();
    let id = rpc.create(json!({ "files": { "/data/a": "A" } }));
    let run = json!({ "kind": "js", "code": READ, "sandbox": id });
    let denied = rpc.get("exec", run.clone());
    assert_eq!(denied["error"]["code"], "PERMISSION_DENIED");
    let request = denied["error"]["requestId"].clone();
    let requests = rpc.get("requests.list", json!({}));
    assert_eq!(requests["requests"][0]["id"], request);
    let capability = json!("fs:read:/data/**");
    let made = rpc.get("grants.grant", json!({ "capability": capability, "sandbox": id }));
    assert_eq!(made["grant"]["span"], "session");
    assert_eq!(rpc.get("exec", run.clone())["result"], "A");
    let grants = rpc.get("grants.list", json!({ "sandbox": id }));
    let grant = grants["grants"].as_array().expect("grants").iter();
    let ours = grant.filter(|grant| grant["id"] == made["grant"]["id"]).count();
    assert_eq!(ours, 1);
    rpc.get("grants.revoke", json!({ "grant": made["grant"]["id"], "sandbox": id }));
    assert_eq!(rpc.get("exec", run.clone())["errorClass"], "CAPABILITY_DENIED");
    rpc.get("grants.grant", json!({ "request": request }));
    assert_eq!(rpc.get("exec", run)["result"], "A");
    let read = json!({ "event": "check", "verdict": "deny", "sandbox": id });
    let lines = rpc.get("audit.read", read);
    assert_eq!(lines["lines"][0]["target"], "/data/a", "{lines}");
    assert_eq!(
        rpc.get("audit.read", json!({ "last": 2 }))["lines"].as_array().map(Vec::len),
        Some(2)
    );
}

#[test]
fn grants_outlive_the_process_in_a_store() {
    let home = std::env::temp_dir().join(format!("cofferdam-rpc-{}", std::process::id()));
    std::fs::create_dir_all(&home).expect("a folder");
    let home = home.to_str().expect("UTF-8");
    let run = json!({ "kind": "js", "code": READ, "files": { "/data/a": "A" } });
    for (arguments, expected) in
        [(&["--store"][..], Json::Null), (&["--store"], json!("A")), (&[], Json::Null)]
    {
        let mut rpc = Rpc::start(arguments, home);
        assert_eq!(rpc.get("exec", run.clone())["result"], expected, "{arguments:?}");
        if expected.is_null() {
            let always = json!({ "capability": "fs:read:/data/a", "span": "always" });
            rpc.get("grants.grant", always);
            assert_eq!(rpc.get("exec", run.clone())["result"], "A");
        }
    }
    std::fs::remove_dir_all(home).expect("our folder");
}

#[test]
fn pages_and_state_of_kept_sandboxes() {
    let mut rpc = Rpc::new();
    let capabilities = ["dom:read:body", "dom:write:body", "state:read:n", "state:write:n"];
    let id = rpc.create(json!({ "page": "<h1>One</h1>", "capabilities": capabilities }));
    let of = |more: Json| {
        let mut params = json!({ "sandbox": id });
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        params
    };
    rpc.get("page.set", of(json!({ "html": "<button id=b>Go</button>" })));
    let click = "await btcp.dom.click('#b'); return btcp.dom.getTextContent('#b')";
    let outcome = rpc.get("exec", of(json!({ "kind": "js", "code": click })));
    assert_eq!(outcome["result"], "Go", "{outcome}");
    let events = rpc.get("page.events", of(json!({})));
    assert_eq!(events["events"][0]["kind"], "click", "{events}");
    assert_eq!(rpc.get("page.events", of(json!({})))["events"], json!([]));
    let html = rpc.get("page.html", of(json!({})));
    assert!(html["html"].as_str().is_some_and(|html| html.contains("Go")), "{html}");
    rpc.get("state.publish", of(json!({ "name": "n", "content": { "a": 1 } })));
    let read = rpc.get("state.read", of(json!({ "name": "n" })));
    assert_eq!(read, json!({ "found": true, "content": { "a": 1 } }));
    assert_eq!(rpc.get("state.read", of(json!({ "name": "m" })))["found"], false);
}

#[test]
fn mounts_show_folders_of_this_machine() {
    let folder = std::env::temp_dir().join(format!("cofferdam-mount-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("a.txt"), "mounted").expect("room");
    let host = folder.to_str().expect("UTF-8");
    let mut rpc = Rpc::new();
    let run = |mode: &str| {
        let mounts = json!([{ "host": host, "at": "/m", "mode": mode }]);
        json!({ "kind": "shell", "command": "cat /m/a.txt; echo x > /m/b", "mounts": mounts })
    };
    for (mode, code, is_written) in [("ro", 1, false), ("overlay", 0, false), ("rw", 0, true)] {
        let outcome = rpc.get("exec", run(mode));
        assert_eq!((&outcome["stdout"], &outcome["exitCode"]), (&json!("mounted"), &json!(code)));
        assert_eq!(folder.join("b").exists(), is_written, "{mode}");
    }
    let mounts = json!([{ "host": host, "at": "/m" }]);
    let id = rpc.create(json!({ "mounts": mounts }));
    let listed = rpc.get("sandbox.list", json!({ "sandbox": id, "path": "/m" }));
    assert_eq!(listed["entries"][0], json!({ "name": "a.txt", "isFolder": false }));
    std::fs::remove_dir_all(&folder).expect("our folder");
}

#[test]
fn the_schema_lists_methods_and_messages() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
    let output = command.args(["rpc", "--schema"]).output().expect("the program");
    let schema: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let exec = &schema["methods"]["exec"]["params"];
    assert_eq!(exec["required"], json!(["kind"]));
    assert_eq!(exec["properties"]["mounts"]["items"]["$ref"], "#/$defs/Mount");
    assert!(schema["requests"]["function.call"].is_object());
    assert!(schema["notifications"]["question"].is_object());
}
