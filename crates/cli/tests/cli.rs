//! The command line and `rpc`, as people and programs call them.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value as Json, json};

fn cofferdam(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
    // Compiled programs are cached in the build directory.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program to its end with this standard input.
fn call(arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = cofferdam(arguments).spawn().expect("the program");
    // A program that does not read its input may have ended already.
    let _ = child.stdin.take().expect("piped").write_all(stdin);
    child.wait_with_output().expect("an end")
}

#[track_caller]
fn check(arguments: &[&str], stdin: &str, code: i32, stdout: &str, stderr: &[&str]) {
    let output = call(arguments, stdin.as_bytes());
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{arguments:?}");
    for part in stderr {
        assert!(err.contains(part), "{arguments:?}: no {part:?} in {err:?}");
    }
    assert!(!err.contains("panicked"), "{err}");
}

#[test]
fn commands_of_a_tool_may_be_tools_that_run_together() {
    let stage = "node -e 'process.stdin.pipe(process.stdout)'";
    let pipeline = format!("echo tea | {stage} | {stage} | {stage}");
    let tool =
        format!("return require('child_process').execSync({pipeline:?}, {{ encoding: 'utf8' }})");
    check(&["run", "-", "--ephemeral", "--allow", "process:exec"], &tool, 0, "\"tea\\n\"\n", &[]);
}

#[test]
fn a_package_that_is_missing_is_no_request() {
    let scratch = Scratch::new("missing");
    let source = "try { require('none') } catch (error) { console.log(error.code) }";
    let path = scratch.file("main.js", source);
    let folder = scratch.0.to_str().expect("UTF-8");
    let output = call(&["run", "--ephemeral", "--code", folder, &path], b"");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.stdout.as_slice(), &*err), (&b"MODULE_NOT_FOUND\n"[..], ""));
}

/// A file in a folder of its own, which is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("cofferdam-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Scratch(folder)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("room");
        path.to_str().expect("UTF-8").to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_result_follows_the_output() {
    let source = "console.log('out'); console.error('err'); return { n: args.n + 1 }";
    check(&["run", "-", "--args", r#"{"n":3}"#], source, 0, "out\n{\"n\":4}\n", &["err\n"]);
}

#[test]
fn a_file_is_read() {
    let scratch = Scratch::new("file");
    let path = scratch.file("tool.js", "return 'from a file'");
    check(&["run", &path], "", 0, "\"from a file\"\n", &[]);
    let path = scratch.file("tool.mjs", "export default () => 'module'");
    check(&["run", &path], "", 0, "\"module\"\n", &[]);
}

/// T-CELL-023.
#[test]
fn a_stack_names_the_file_without_its_folder() {
    let scratch = Scratch::new("stack");
    let path = scratch.file("mine.js", "\nthrow new Error('x')");
    let output = call(&["run", &path], b"");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("mine.js:2"), "{err}");
    assert!(!err.contains(scratch.0.to_str().expect("UTF-8")), "{err}");
}

#[test]
fn an_empty_tool_gives_nothing() {
    let scratch = Scratch::new("empty");
    check(&["run", &scratch.file("empty.js", "")], "", 0, "", &[]);
    check(&["run", "-"], "", 0, "", &[]);
}

#[test]
fn values_that_json_lacks_are_noted() {
    check(
        &["run", "-"],
        "return [1n]",
        0,
        "[\"1\"]\n",
        &["note: $[0]: BigInt became decimal string"],
    );
}

#[test]
fn wrong_calls_exit_with_2_and_say_what_is_wrong() {
    let scratch = Scratch::new("wrong");
    let tool = scratch.file("tool.js", "return 1");
    let folder = scratch.0.to_str().expect("UTF-8").to_owned();
    check(
        &["run", "/no/such/tool.js"],
        "",
        2,
        "",
        &["error: /no/such/tool.js: no such file", "hint: "],
    );
    check(&["run", &folder], "", 2, "", &["is a directory"]);
    check(
        &["run", &tool, "--args", "{n:3}"],
        "",
        2,
        "",
        &["error: --args: not JSON", "hint: --args"],
    );
    check(
        &["run", &tool, "--limit", "timeoutMs"],
        "",
        2,
        "",
        &["error: --limit timeoutMs: not NAME=NUMBER"],
    );
    check(&["run", &tool, "--limit", "timeoutMs=soon"], "", 2, "", &["not NAME=NUMBER"]);
    check(&["run", &tool, "--limit", "timeoutMs=-1"], "", 2, "", &["not NAME=NUMBER"]);
    check(&["run", &tool, "--limit", "time=1"], "", 2, "", &["time=1: unknown limit", "timeoutMs"]);
    check(&["run", &tool, "--limit", "timeoutMs=0"], "", 2, "", &["must be more than 0"]);
    check(&["run", &tool, "--lang", "python"], "", 2, "", &["python"]);
    check(&["fly"], "", 2, "", &["fly"]);
    check(&["run"], "", 2, "", &["<FILE>"]);
    check(&[], "", 2, "", &["Usage"]);
}

#[test]
fn what_is_not_utf_8_is_refused_with_its_place() {
    let output = call(&["run", "-"], b"return '\xff'");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(err.contains("standard input: not UTF-8 at byte 8"), "{err}");
}

#[test]
fn exit_codes_say_what_became_of_it() {
    check(
        &["run", "-"],
        "throw new TypeError('no')",
        1,
        "",
        &["error: TypeError: no", "at tool (tool.js:1"],
    );
    check(&["run", "-"], "throw 'text'", 1, "", &["error: thrown: text"]);
    check(&["run", "-"], "const = 1", 1, "", &["error: SyntaxError", "tool.js:1:7"]);
    let limited = ["run", "-", "--limit", "timeoutMs=100"];
    check(
        &limited,
        "for (;;);",
        124,
        "",
        &["error: TimeoutError: time limit of 100 ms", "hint: --limit timeoutMs=200"],
    );
    let hint = "hint: --limit memoryBytes=134217728";
    check(&["run", "-"], "new Array(1e9).fill(0)", 1, "", &["error: LimitError: memory", hint]);
    check(
        &["run", "-", "--limit", "commandBytes=3"],
        "return 1",
        1,
        "",
        &["source limit of 3 bytes"],
    );
    check(
        &["run", "-", "--limit", "resultBytes=3"],
        "return 'long'",
        1,
        "",
        &["result limit of 3 bytes"],
    );
}

#[test]
fn output_that_was_cut_is_noted() {
    let call = ["run", "-", "--limit", "stdoutBytes=4"];
    check(
        &call,
        "console.log('123456')",
        0,
        "1234",
        &["note: standard output was cut after 4 bytes"],
    );
}

#[test]
fn json_prints_the_whole_outcome_and_nothing_else() {
    let output =
        call(&["run", "-", "--json"], b"console.log('o'); console.error('e'); return [-0]");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    let mut whole: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(whole["executionTimeMs"].take().is_number());
    assert_eq!(
        whole,
        json!({
            "exitCode": 0, "stdout": "o\n", "stderr": "e\n", "result": [0], "errorClass": null,
            "error": null, "truncated": { "stdout": false, "stderr": false }, "executionTimeMs": null,
            "resultNotes": [{ "path": "$[0]", "was": "-0", "became": "0" }],
        })
    );
    let output = call(&["run", "-", "--json", "--limit", "timeoutMs=100"], b"for (;;);");
    assert_eq!(output.status.code(), Some(124));
    let whole: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&whole["exitCode"], &whole["errorClass"]), (&json!(124), &json!("TIMEOUT")));
    let output = call(&["run", "-", "--json"], b"let\n  x = = 1");
    let whole: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&whole["error"]["line"], &whole["error"]["column"]), (&json!(2), &json!(7)));
}

/// A running `cofferdam rpc`.
struct Rpc {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Rpc {
    fn start() -> Self {
        let mut child = cofferdam(&["rpc"]).stderr(Stdio::inherit()).spawn().expect("the program");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().expect("piped"));
        Rpc { child, stdin, answers: BufReader::new(stdout) }
    }

    fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("open");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }

    fn exec(&mut self, id: impl Into<Json>, params: Json) {
        let id = id.into();
        self.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "exec", "params": params }).to_string(),
        );
    }

    fn answer(&mut self) -> Json {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("it answers");
        let answer: Json = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line:?}: {e}"));
        assert_eq!(answer["jsonrpc"], "2.0");
        answer
    }

    fn ask(&mut self, params: Json) -> Json {
        self.exec(1, params);
        let answer = self.answer();
        assert_eq!(answer["id"], 1);
        answer
    }

    #[track_caller]
    fn check_refused(&mut self, line: &str, id: Json, code: i32, part: &str) {
        self.send(line);
        let answer = self.answer();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(code)),
            "{line}: {answer}"
        );
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.contains(part), "{line}: {message}");
    }

    /// Closes standard input and returns the remaining answers, one per line.
    fn finish(mut self) -> Vec<Json> {
        self.stdin = None;
        let lines: Vec<String> = self.answers.lines().map(|line| line.expect("UTF-8")).collect();
        assert!(self.child.wait().expect("an end").success());
        lines.iter().map(|line| serde_json::from_str(line).expect("nothing but JSON")).collect()
    }
}

const ENDLESS: &str = "for (;;);";

#[test]
fn rpc_runs_and_answers_in_full() {
    let mut rpc = Rpc::start();
    let mut answer = rpc.ask(
        json!({ "kind": "js", "code": "console.log('hi'); return args.n + 1", "args": { "n": 1 } }),
    );
    assert!(answer["result"]["executionTimeMs"].take().is_number());
    let result = json!({
        "exitCode": 0, "stdout": "hi\n", "stderr": "", "result": 2, "errorClass": null, "error": null,
        "truncated": { "stdout": false, "stderr": false }, "executionTimeMs": null,
    });
    assert_eq!(answer["result"], result);
    assert_eq!(rpc.finish(), Vec::<Json>::new());
}

/// T-CELL-026.
#[test]
fn rpc_refuses_bad_lines_with_the_standard_codes() {
    let mut rpc = Rpc::start();
    rpc.check_refused("{", Json::Null, -32700, "not JSON");
    rpc.check_refused("\u{fffd}", Json::Null, -32700, "not JSON");
    rpc.check_refused("[]", Json::Null, -32600, "not an object");
    rpc.check_refused("7", Json::Null, -32600, "not an object");
    rpc.check_refused(r#"{"id":1,"method":"exec"}"#, json!(1), -32600, "jsonrpc");
    rpc.check_refused(r#"{"jsonrpc":"2.0","id":{},"method":"exec"}"#, Json::Null, -32600, "id");
    rpc.check_refused(r#"{"jsonrpc":"2.0","id":"a"}"#, json!("a"), -32600, "method");
    rpc.check_refused(r#"{"jsonrpc":"2.0","id":2,"method":"fly"}"#, json!(2), -32601, "fly");
    rpc.check_refused(
        r#"{"jsonrpc":"2.0","id":3,"method":"cancel","params":{}}"#,
        json!(3),
        -32602,
        "id",
    );
    rpc.check_refused(
        r#"{"jsonrpc":"2.0","id":3,"method":"session.close"}"#,
        json!(3),
        -32602,
        "session",
    );
    assert_eq!(rpc.ask(json!({ "kind": "js", "code": "return 2" }))["result"]["result"], 2);
    assert_eq!(rpc.finish(), Vec::<Json>::new());
}

#[test]
fn rpc_refuses_a_line_that_is_not_utf_8_and_goes_on() {
    let mut rpc = Rpc::start();
    rpc.stdin.as_mut().expect("open").write_all(b"{\"a\": \"\xff\"}\n").expect("it reads");
    assert_eq!(rpc.answer()["error"]["code"], -32700);
    assert_eq!(rpc.ask(json!({ "kind": "js", "code": "return 2" }))["result"]["result"], 2);
}

/// T-CELL-026.
#[test]
fn rpc_names_the_parameter_that_is_wrong() {
    let mut rpc = Rpc::start();
    for (params, part) in [
        (json!([]), "params"),
        (json!({ "code": "1" }), "kind: missing"),
        (json!({ "kind": "js" }), "code: missing"),
        (json!({ "kind": "cobol", "code": "1" }), "kind: unknown \"cobol\""),
        (json!({ "kind": 7, "code": "1" }), "kind: not a string"),
        (json!({ "kind": "js", "code": 7 }), "code: not a string"),
        (json!({ "kind": "wasm" }), "wasm: missing"),
        (json!({ "kind": "wasm", "wasm": { "url": "x" } }), "wasm.url: unknown"),
        (json!({ "kind": "wasm", "wasm": { "base64": "?" } }), "wasm.base64"),
        (json!({ "kind": "wasm", "wasm": { "path": "/none" } }), "wasm.path: /none: no such file"),
        (json!({ "kind": "wasm", "wasm": { "base64": "" }, "argv": [1] }), "argv: not an array of"),
        (json!({ "kind": "wasm", "wasm": { "base64": "" }, "preopens": ["/a"] }), "preopens"),
        (json!({ "kind": "wasm", "wasm": { "base64": "" }, "code": "1" }), "code: not a parameter"),
        (json!({ "kind": "shell" }), "command: missing"),
        (json!({ "kind": "shell", "command": "", "argv": [] }), "argv: not a parameter"),
        (json!({ "kind": "js", "code": "1", "speed": 1 }), "speed: unknown parameter"),
        (
            json!({ "kind": "js", "code": "1", "limits": { "time": 1 } }),
            "limits.time: unknown limit",
        ),
        (json!({ "kind": "js", "code": "1", "limits": { "timeoutMs": "1" } }), "limits.timeoutMs"),
        (json!({ "kind": "js", "code": "1", "limits": { "timeoutMs": 1.5 } }), "limits.timeoutMs"),
        (json!({ "kind": "js", "code": "1", "limits": { "timeoutMs": -1 } }), "limits.timeoutMs"),
        (
            json!({ "kind": "js", "code": "1", "limits": { "timeoutMs": 0 } }),
            "timeoutMs: must be more than 0",
        ),
        (json!({ "kind": "js", "code": "1", "limits": [] }), "limits: not an object"),
        (json!({ "kind": "js", "code": "1", "env": { "A": 1 } }), "env.A"),
        (json!({ "kind": "js", "code": "1", "env": { "A=B": "1" } }), "env.A=B"),
        (json!({ "kind": "js", "code": "1", "files": { "/a": 1 } }), "files./a"),
        (json!({ "kind": "js", "code": "1", "files": { "/a": { "base64": "?" } } }), "files./a"),
        (json!({ "kind": "js", "code": "1", "capabilities": "fs" }), "capabilities"),
        (json!({ "kind": "js", "code": "1", "capabilities": ["nonsense"] }), "capabilities"),
        (json!({ "kind": "js", "code": "1", "cwd": "here" }), "cwd"),
        (json!({ "kind": "js", "code": "1", "stdin": 1 }), "stdin: not a string"),
    ] {
        let answer = rpc.ask(params.clone());
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(answer["error"]["code"] == -32602 && message.contains(part), "{params}: {answer}");
    }
}

#[test]
fn rpc_shows_each_limit_as_its_class() {
    let mut rpc = Rpc::start();
    for (limit, value, code, class, exit) in [
        ("timeoutMs", 100, ENDLESS, "TIMEOUT", 124),
        ("memoryBytes", 16 << 20, "new Array(1e9).fill(0)", "LIMIT_EXCEEDED", 1),
        ("memoryBytes", 1, "return 1", "LIMIT_EXCEEDED", 1),
        ("commandBytes", 3, "return 1", "LIMIT_EXCEEDED", 1),
        ("resultBytes", 3, "return 'long'", "LIMIT_EXCEEDED", 1),
        ("fsBytes", 3, "return 1", "LIMIT_EXCEEDED", 1),
        ("fileCount", 0, "return 1", "LIMIT_EXCEEDED", 1),
    ] {
        let files = json!({ "/tmp/a": "12345" });
        let answer = rpc
            .ask(json!({ "kind": "js", "code": code, "limits": { limit: value }, "files": files }));
        let result = &answer["result"];
        assert_eq!(
            (&result["errorClass"], &result["exitCode"]),
            (&json!(class), &json!(exit)),
            "{limit}: {answer}"
        );
        if class == "LIMIT_EXCEEDED" {
            assert_eq!(
                (&result["error"]["limit"], &result["error"]["allowed"]),
                (&json!(limit), &json!(value)),
                "{answer}"
            );
        }
    }
    let code = "console.log('12345'); console.error('12345')";
    let answer = rpc.ask(
        json!({ "kind": "js", "code": code, "limits": { "stdoutBytes": 3, "stderrBytes": 4 } }),
    );
    let result = &answer["result"];
    assert_eq!((&result["stdout"], &result["stderr"]), (&json!("123"), &json!("1234")));
    assert_eq!(result["truncated"], json!({ "stdout": true, "stderr": true }));
}

#[test]
fn rpc_answers_as_runs_finish_and_cancels_by_id() {
    let mut rpc = Rpc::start();
    rpc.exec("slow", json!({ "kind": "js", "code": ENDLESS }));
    rpc.exec(
        "waits",
        json!({ "kind": "js", "code": "await new Promise((r) => setTimeout(r, 1e9))" }),
    );
    rpc.exec("quick", json!({ "kind": "js", "code": "return 1" }));
    assert_eq!(rpc.answer()["id"], "quick");
    for id in ["slow", "waits"] {
        rpc.send(
            &json!({ "jsonrpc": "2.0", "id": 9, "method": "cancel", "params": { "id": id } })
                .to_string(),
        );
        let (one, other) = (rpc.answer(), rpc.answer());
        let (cancel, run) = if one["id"] == 9 { (one, other) } else { (other, one) };
        assert_eq!(cancel["result"], json!({ "cancelled": true }));
        assert_eq!(run["id"], id);
        assert_eq!(
            (&run["result"]["errorClass"], &run["result"]["exitCode"]),
            (&json!("CANCELLED"), &json!(125))
        );
    }
    rpc.send(r#"{"jsonrpc":"2.0","id":9,"method":"cancel","params":{"id":"slow"}}"#);
    assert_eq!(rpc.answer()["result"], json!({ "cancelled": false }));
}

#[test]
fn rpc_refuses_an_id_that_is_in_use() {
    let mut rpc = Rpc::start();
    rpc.exec(1, json!({ "kind": "js", "code": ENDLESS }));
    rpc.exec(1, json!({ "kind": "js", "code": "return 1" }));
    let answer = rpc.answer();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32600)), "{answer}");
    rpc.send(r#"{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}"#);
    assert_eq!(rpc.answer()["result"]["errorClass"], "CANCELLED");
    assert_eq!(rpc.ask(json!({ "kind": "js", "code": "return 1" }))["result"]["result"], 1);
}

#[test]
fn rpc_does_not_answer_notifications_or_empty_lines() {
    let mut rpc = Rpc::start();
    rpc.send("");
    rpc.send("   ");
    rpc.send(r#"{"jsonrpc":"2.0","method":"exec","params":{"kind":"js","code":"return 1"}}"#);
    rpc.send(r#"{"jsonrpc":"2.0","method":"fly"}"#);
    rpc.send(r#"{"jsonrpc":"2.0","method":"exec","params":{}}"#);
    rpc.exec("only", json!({ "kind": "js", "code": "return 1" }));
    let answers = rpc.finish();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["id"], "only");
}

#[test]
fn rpc_answers_what_is_under_way_when_its_input_ends() {
    let mut rpc = Rpc::start();
    for id in 0..20 {
        let code = "await new Promise((r) => setTimeout(r, 50)); return args";
        rpc.exec(id, json!({ "kind": "js", "code": code, "args": id }));
    }
    // The last line has no line ending.
    let last = json!({ "jsonrpc": "2.0", "id": 20, "method": "exec", "params": { "kind": "js", "code": "return 20" } });
    rpc.stdin.as_mut().expect("open").write_all(last.to_string().as_bytes()).expect("it reads");
    let mut answers = rpc.finish();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let results: Vec<_> = answers.iter().map(|answer| answer["result"]["result"].clone()).collect();
    assert_eq!(results, (0..=20).map(Json::from).collect::<Vec<_>>());
}

#[test]
fn rpc_keeps_sessions_apart_by_name() {
    let mut rpc = Rpc::start();
    let mut run = |session: &str, code: &str| {
        let answer = rpc.ask(json!({ "kind": "js", "code": code, "session": session }));
        answer["result"]["result"].clone()
    };
    run("a", "let n = 1");
    assert_eq!(run("a", "++n"), 2);
    assert_eq!(run("b", "typeof n"), "undefined");
    assert_eq!(run("a", "++n"), 3);
    rpc.send(r#"{"jsonrpc":"2.0","id":5,"method":"session.close","params":{"session":"a"}}"#);
    assert_eq!(rpc.answer()["result"], json!({ "closed": true }));
    let answer = rpc.ask(json!({ "kind": "js", "code": "typeof n", "session": "a" }));
    assert_eq!(answer["result"]["result"], "undefined");
}

/// A hand-made program: one page of memory, and a `_start` that does nothing.
const PROGRAM: &str = "AGFzbQEAAAABBAFgAAADAgEABQMBAAEHEwIGbWVtb3J5AgAGX3N0YXJ0AAAKBAECAAs=";

#[test]
fn rpc_runs_programs() {
    let mut rpc = Rpc::start();
    for (wasm, code, message) in [
        (PROGRAM, 0, Json::Null),
        ("AGFzbQEAAAA=", 1, json!("program.wasm: exports no memory")),
        ("aGVsbG8=", 1, json!("program.wasm: is not a WebAssembly module")),
    ] {
        let params = json!({ "kind": "wasm", "wasm": { "base64": wasm }, "preopens": [] });
        let answer = rpc.ask(params);
        assert_eq!(answer["result"]["exitCode"], code, "{answer}");
        assert_eq!(answer["result"]["error"]["message"], message, "{answer}");
    }
}

#[test]
fn wasm_runs_a_program_and_says_what_is_wrong_with_one() {
    check(&["wasm", "/none.wasm"], "", 2, "", &["error: /none.wasm: no such file or directory"]);
    check(&["wasm", "/"], "", 2, "", &["error: /: is a directory"]);
    check(
        &["wasm", "--mount", "x", "/none"],
        "",
        2,
        "",
        &["error: /none: no such file or directory"],
    );
}

#[test]
fn rpc_gives_errors_of_tools_as_results() {
    let mut rpc = Rpc::start();
    let answer = rpc.ask(json!({ "kind": "js", "code": "let\n x = = 1" }));
    let error = &answer["result"]["error"];
    assert_eq!((&error["name"], &error["line"]), (&json!("SyntaxError"), &json!(2)));
    assert_eq!(answer["result"]["errorClass"], "EXECUTION_ERROR");
    assert_eq!(answer["result"]["exitCode"], 1);
    let answer = rpc.ask(json!({ "kind": "js", "code": "throw { a: 1 }" }));
    assert_eq!(answer["result"]["error"]["message"], "{\"a\":1}");
}
