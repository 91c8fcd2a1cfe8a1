//! MCP on standard input, and registered tools, as processes.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

/// A data directory, which is removed at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("cofferdam-mcp-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Home(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(arguments).env("XDG_DATA_HOME", &self.0).env("COFFERDAM_LOG", "warn");
        command.env("COFFERDAM_SERVE_CELLS", "16");
        command
    }

    /// Runs a command and returns its exit code, standard output and standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).stdin(Stdio::null()).output().expect("the program");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_client_on_standard_input_runs_scripts() {
    let home = Home::new("stdio");
    let mut command = home.command(&["mcp", "--name", "tester"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program");
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut send = |message: Json| writeln!(input, "{message}").expect("an open pipe");
    let mut receive = || -> Json {
        let line = lines.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    };
    send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } } }));
    assert_eq!(receive()["result"]["serverInfo"]["name"], "cofferdam");
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let arguments = json!({ "language": "js", "code": "return 1 + 1" });
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "run", "arguments": arguments } }));
    assert_eq!(receive()["result"]["structuredContent"]["result"], 2);
    drop(input);
    assert!(child.wait().expect("the program").success());
}

#[test]
fn a_tool_is_added_called_and_removed() {
    let home = Home::new("tools");
    let file = home.0.join("sum.json");
    let manifest = json!({
        "name": "sum", "description": "Adds", "source": "return args.a + args.b",
        "parameters": { "type": "object", "required": ["a", "b"],
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } } },
        "returns": { "type": "number" },
    });
    std::fs::write(&file, manifest.to_string()).expect("a file");
    let file = file.to_str().expect("text");
    assert_eq!(home.run(&["tool", "add", file]).0, Some(0));
    let (_, list, _) = home.run(&["tool", "list"]);
    assert!(list.starts_with("sum#") && list.ends_with("Adds\n"), "{list}");
    let call = home.run(&["tool", "call", "sum", r#"{"a":1,"b":2}"#]);
    assert_eq!((call.0, call.1.as_str()), (Some(0), "3\n"), "{}", call.2);
    let wrong = home.run(&["tool", "call", "sum", r#"{"a":"1","b":2}"#]);
    assert_eq!(wrong.0, Some(2));
    assert!(wrong.2.contains("arguments/a"), "{}", wrong.2);
    assert_eq!(home.run(&["tool", "remove", "sum"]).0, Some(0));
    assert_eq!(home.run(&["tool", "show", "sum"]).0, Some(2));
    let bad = home.run(&["tool", "add", file, "--name", "run"]);
    assert!(bad.2.contains("run is a tool of the server"), "{}", bad.2);
}

/// Sends requests to `cofferdam rpc --store`, one after the other, and returns the responses.
fn rpc(home: &Home, requests: &[(&str, Json)]) -> Vec<Json> {
    let mut command = home.command(&["rpc", "--store"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program");
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let answers = requests.iter().map(|(method, params)| {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(input, "{request}").expect("an open pipe");
        let line = lines.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    });
    let answers = answers.collect();
    drop(input);
    assert!(child.wait().expect("the program").success());
    answers
}

#[test]
fn rpc_has_the_same_registry() {
    let home = Home::new("rpc-tools");
    let manifest = json!({
        "name": "sum", "description": "Adds", "source": "return args.a + 1",
        "parameters": { "type": "object", "properties": { "a": { "type": "number" } } },
        "returns": { "type": "number" },
    });
    let called = |args: Json| json!({ "name": "sum", "args": args });
    let answers = rpc(
        &home,
        &[
            ("tool.add", manifest),
            ("tool.list", json!({})),
            ("tool.call", called(json!({ "a": 1 }))),
            ("tool.call", called(json!({ "a": "x" }))),
            ("tool.call", called(json!({}))),
            ("tool.call", json!({ "name": "other" })),
            ("tool.call", json!({ "name": "sum", "code": "return 1" })),
        ],
    );
    assert_eq!(answers[0]["result"]["isNew"], true, "{}", answers[0]);
    assert_eq!(answers[1]["result"]["tools"][0]["name"], "sum");
    assert_eq!(answers[2]["result"]["outcome"]["result"], 2, "{}", answers[2]);
    assert!(answers[2]["result"].get("mistake").is_none());
    for (answer, part) in [
        (&answers[3], "arguments/a"),
        (&answers[5], "tool: not found"),
        (&answers[6], "code: unknown"),
    ] {
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(part), "{answer}");
    }
    // `NaN` becomes null, which is no number.
    assert!(answers[4]["result"]["mistake"].as_str().is_some(), "{}", answers[4]);
    // Another process has the same tools.
    let (_, list, _) = home.run(&["tool", "list"]);
    assert!(list.starts_with("sum#"), "{list}");
    let removed =
        rpc(&home, &[("tool.remove", json!({ "name": "sum" })), ("tool.list", json!({}))]);
    assert_eq!(removed[0]["result"]["removed"], true);
    assert_eq!(removed[1]["result"]["tools"], json!([]));
}
