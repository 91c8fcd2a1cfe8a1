//! Hostile input for `cofferdam rpc`.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

struct Rpc {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Rpc {
    fn start() -> Rpc {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
            .arg("rpc")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("rpc starts");
        let input = child.stdin.take().expect("standard input");
        let output = BufReader::new(child.stdout.take().expect("standard output"));
        Rpc { child, input, output }
    }

    /// Sends bytes as a line and returns the answer.
    fn line(&mut self, line: &[u8]) -> Json {
        self.input.write_all(line).and_then(|()| self.input.write_all(b"\n")).expect("it reads");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("it answers");
        serde_json::from_str(&answer).unwrap_or_else(|e| panic!("{answer:?}: {e}"))
    }

    fn call(&mut self, method: &str, params: Json) -> Json {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.line(request.to_string().as_bytes())
    }

    #[track_caller]
    fn refuses(&mut self, method: &str, params: Json, code: i32) {
        let answer = self.call(method, params);
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
    }

    /// Checks that the server still works.
    #[track_caller]
    fn works(&mut self) {
        let answer = self.call("exec", json!({ "kind": "js", "code": "return 1 + 1" }));
        assert_eq!(answer["result"]["result"], 2, "{answer}");
    }
}

impl Drop for Rpc {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// T-CELL-026.
#[test]
fn hostile_lines_are_answered_and_rpc_goes_on() {
    let mut rpc = Rpc::start();
    let request = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":1{rest}").into_bytes();
    let lines: Vec<(Vec<u8>, i32)> = vec![
        (b"[".repeat(1 << 20), -32700),
        (b"{\"a\":".repeat(1 << 16), -32700),
        (request(&format!(",\"params\":{}", "[".repeat(500))), -32700),
        (b"\xff\xfe\0".to_vec(), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"exec\"}".to_vec(), -32700),
        (b"1e999999999".to_vec(), -32700),
        (b"nul".to_vec(), -32700),
        (b"[]".to_vec(), -32600),
        (b"\"exec\"".to_vec(), -32600),
        (request("}"), -32600),
        (request(",\"method\":null}"), -32600),
        (request(",\"method\":\"\"}"), -32601),
        (request(",\"method\":\"__proto__\"}"), -32601),
        (request(",\"method\":\"exec\",\"params\":7}"), -32602),
        (request(",\"method\":\"exec\",\"method\":\"cancel\"}"), -32602),
    ];
    for (line, code) in lines {
        let answer = rpc.line(&line);
        let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
    }
    rpc.works();
}

#[test]
fn a_line_nests_127_deep_and_no_deeper() {
    let mut rpc = Rpc::start();
    // The request and its parameters are two levels of their own.
    let line = |depth: usize| {
        let args = format!("{}{}", "[".repeat(depth - 2), "]".repeat(depth - 2));
        let code = "let d = 0; for (let a = args; Array.isArray(a); a = a[0]) d++; return d";
        let params = format!(r#"{{"kind":"js","code":"{code}","args":{args}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"exec","params":{params}}}"#)
    };
    let answer = rpc.line(line(127).as_bytes());
    assert_eq!(answer["result"]["result"], 125, "{answer}");
    assert_eq!(rpc.line(line(128).as_bytes())["error"]["code"], -32700);
}

/// 512 requests run and the others wait their turn. The one too many is refused, and no other.
#[test]
fn a_hundred_thousand_requests_wait_and_no_more() {
    const MOST: usize = 100_000;
    let mut rpc = Rpc::start();
    let handle = rpc.input.as_fd().try_clone_to_owned().expect("a second handle");
    let mut input = std::io::BufWriter::new(std::fs::File::from(handle));
    let writer = std::thread::spawn(move || {
        for id in 0..=MOST {
            let params = r#"{"kind":"js","code":"await new Promise(r => setTimeout(r, 1e9))"}"#;
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"exec\",\"params\":{params}}}\n"
            );
            input.write_all(line.as_bytes()).expect("it reads");
        }
        input.flush().expect("it reads");
    });
    let mut answer = String::new();
    rpc.output.read_line(&mut answer).expect("it answers");
    writer.join().expect("no panic");
    let answer: Json = serde_json::from_str(&answer).expect("JSON");
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(MOST), &json!(-32000)));
    // A waiting request can be cancelled, which makes room.
    let cancel = json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": MOST - 1 } });
    assert_eq!(rpc.line(cancel.to_string().as_bytes())["result"]["exitCode"], 125);
}

#[test]
fn numbers_come_through_as_they_are() {
    let mut rpc = Rpc::start();
    let line = br#"{"jsonrpc":"2.0","id":1,"method":"exec","params":{"kind":"js",
        "code":"return [args, args.map(String)]","args":[123456789012345680000,5e-324,0.1,-0.0,1e308]}}"#;
    let line: Vec<u8> = line.iter().copied().filter(|byte| *byte != b'\n').collect();
    let answer = rpc.line(&line);
    let texts = ["123456789012345680000", "5e-324", "0.1", "0", "1e+308"];
    assert_eq!(answer["result"]["result"][1], json!(texts), "{answer}");
    assert_eq!(answer["result"]["result"][0][0].to_string(), "1.2345678901234568e+20");
}

#[test]
fn the_largest_limits_are_limits() {
    let mut rpc = Rpc::start();
    let names = ["timeoutMs", "memoryBytes", "commandBytes", "stdoutBytes", "stderrBytes"];
    for name in names.into_iter().chain(["resultBytes", "fsBytes", "fileCount", "processes"]) {
        for value in [json!(u64::MAX), json!(1e300), json!(1u64 << 40)] {
            let limits = json!({ name: value });
            let tool = json!({ "kind": "js", "code": "return 1", "limits": limits });
            let answer = rpc.call("exec", tool);
            assert_eq!(answer["result"]["result"], 1, "{name} = {value}: {answer}");
            let shell =
                json!({ "kind": "shell", "command": "echo a > f; cat f", "limits": limits });
            let answer = rpc.call("exec", shell);
            assert_eq!(answer["result"]["stdout"], "a\n", "{name} = {value}: {answer}");
        }
        // A limit too small for anything is an outcome, or an error that names the limit.
        let answer = rpc.call(
            "exec",
            json!({ "kind": "shell", "command": "echo a > f", "limits": { name: 1 } }),
        );
        assert!(answer["result"].is_object() || answer["error"]["code"] == -32602, "{answer}");
    }
    rpc.works();
}

#[test]
fn odd_files_and_names_are_refused_or_harmless() {
    let mut rpc = Rpc::start();
    let long = "n".repeat(300);
    for path in ["", "/", ".", "..", "../../etc/passwd", "a\0b", "/dev/null", "/proc/1/x", &long] {
        let answer =
            rpc.call("exec", json!({ "kind": "shell", "command": "true", "files": { path: "x" } }));
        assert!(answer["error"]["code"] == -32602 || answer["result"]["exitCode"] == 0, "{answer}");
    }
    for path in ["/usr/bin/ls", "/etc/passwd", "/dev/evil", "/proc/evil"] {
        rpc.refuses(
            "exec",
            json!({ "kind": "shell", "command": "", "files": { path: "x" } }),
            -32602,
        );
    }
    let both = json!({ "kind": "shell", "command": "true", "files": { "a": "x", "a/b": "y" } });
    rpc.refuses("exec", both, -32602);
    for name in ["", "\0", "../../x.ts", "\u{202e}.js", &"n".repeat(100_000)] {
        let answer =
            rpc.call("exec", json!({ "kind": "js", "code": "throw new Error(1)", "name": name }));
        assert_eq!(answer["result"]["errorClass"], "EXECUTION_ERROR", "{answer}");
    }
    for cwd in ["/none", "/etc/passwd", "/../..", "/a\0b"] {
        let answer = rpc.call("exec", json!({ "kind": "shell", "command": "pwd", "cwd": cwd }));
        assert!(answer["result"].is_object() || answer["error"]["code"] == -32602, "{answer}");
    }
    rpc.works();
}

#[test]
fn ids_and_things_that_are_not_there() {
    let mut rpc = Rpc::start();
    for id in [json!(7), json!("7"), json!(null), json!({}), json!([1])] {
        let answer = rpc.call("cancel", json!({ "id": id }));
        assert_eq!(answer["result"]["cancelled"], false, "{answer}");
    }
    rpc.refuses("cancel", json!(null), -32602);
    rpc.refuses("cancel", json!([]), -32602);
    for method in ["read", "write", "fork", "snapshot", "export", "destroy", "setEnv", "restore"] {
        let method = format!("sandbox.{method}");
        rpc.refuses(&method, json!({ "sandbox": "sandbox_99" }), -32602);
        rpc.refuses(&method, json!({ "sandbox": 1 }), -32602);
        rpc.refuses(&method, json!([]), -32602);
    }
    rpc.refuses("sandbox.import", json!({ "base64": "AAAA" }), -32602);
    rpc.refuses("snapshot.drop", json!({}), -32602);
    let made = rpc.call("sandbox.create", json!({}));
    let sandbox = made["result"]["sandbox"].clone();
    let gone = rpc.call("sandbox.destroy", json!({ "sandbox": sandbox }));
    assert_eq!(gone["result"]["destroyed"], true);
    rpc.refuses("sandbox.destroy", json!({ "sandbox": sandbox }), -32602);
    rpc.refuses("exec", json!({ "kind": "js", "code": "1", "sandbox": sandbox }), -32602);
    rpc.works();
}

/// Ids are never reused, so that an old id cannot name a new sandbox.
#[test]
fn thousands_of_sandboxes_come_and_go() {
    let mut rpc = Rpc::start();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..2000 {
        let made = rpc.call("sandbox.create", json!({ "files": { "a": "b" } }));
        let id = made["result"]["sandbox"].as_str().expect("an id").to_owned();
        assert!(seen.insert(id.clone()), "{id} was given twice");
        rpc.call("sandbox.destroy", json!({ "sandbox": id }));
    }
    rpc.works();
}

#[test]
fn declared_capabilities_that_make_no_sense_are_named() {
    let mut rpc = Rpc::start();
    let long = format!("fs:read:/{}", "a".repeat(20_000));
    let stars = format!("fs:read:{}", "/a*/**".repeat(1000));
    for bad in
        ["", ":", "fs", "fs:read:", "fs:raed:/x", "fs:read:x", "network:fetch:ftp://a", &long]
    {
        let params = json!({ "kind": "js", "code": "1", "capabilities": [bad] });
        let answer = rpc.call("exec", params);
        assert_eq!(answer["error"]["code"], -32602, "{bad}: {answer}");
        let text = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(text.starts_with("capabilities: ") && text.len() < 40_000, "{text}");
    }
    let many: Vec<String> =
        (0..10_000).map(|n| format!("fs:read:/{n}/**")).chain([stars]).collect();
    let params = json!({ "kind": "js", "code": "return 1", "capabilities": many });
    assert_eq!(rpc.call("exec", params)["result"]["result"], 1);
    rpc.works();
}
