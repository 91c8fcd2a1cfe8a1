//! Permissions of a run: asked about, granted from outside, revoked; and functions and state of the
//! embedding program.

mod unwritable;

use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cofferdam::config::Config;
use cofferdam::permissions::{Answer, FromOutside, InMemory, Question, Span, Terms};
use cofferdam::{
    Approver, Broker, Command, Ending, Exhausted, Function, HostDir, Limits, Mount, Outcome,
    Sandbox, SandboxBuilder, Stream, Tool,
};
use serde_json::{Value as Json, json};
use unwritable::Unwritable;

/// Answers yes for a span, or no, and counts the questions.
struct Decides {
    answer: Option<Span>,
    asked: AtomicUsize,
}

impl Decides {
    fn new(answer: Option<Span>) -> Arc<Self> {
        Arc::new(Decides { answer, asked: AtomicUsize::new(0) })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Approver for Decides {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.answer.map_or_else(|| question.deny(), |span| question.allow(span));
        Box::pin(async move {
            tokio::task::yield_now().await;
            answer
        })
    }
}

fn granted(capabilities: &[&str]) -> SandboxBuilder {
    let parse = |text: &&str| text.parse().expect("a capability");
    capabilities.iter().map(parse).fold(Sandbox::builder(), SandboxBuilder::grant)
}

async fn run(sandbox: &Sandbox, source: &str) -> Outcome {
    sandbox.run(&Tool::javascript(source)).await.expect("a sandbox that works")
}

#[track_caller]
fn check(outcome: &Outcome, result: Json) {
    assert_eq!(outcome.result_json(), Some(result), "{:?}", outcome.error());
}

#[track_caller]
fn check_denied(outcome: &Outcome, capability: &str) {
    match &outcome.ending {
        Ending::Denied(denied) => assert_eq!(denied.required_permission(), capability),
        other => panic!("{other:?}"),
    }
}

const SET_AND_GET: &str = "// @capability storage:local:read
    // @capability storage:local:write
    const { localStorage } = btcp
    await localStorage.setItem('a', '1')
    return await localStorage.getItem('a')";

/// T-PERM-007.
#[tokio::test]
async fn a_denial_says_where_in_the_tool_it_came_from() {
    let source = "const fs = require('fs')
        try { fs.readFileSync('/a') } catch {}
        const load = async () => {
            await fs.promises.readFile('/b').catch(() => 0)
        }
        await load()
        Error.prepareStackTrace = () => { throw new Error('none of your business') }
        try { fs.readFileSync('/c') } catch {}
        Error.prepareStackTrace = () => '    at \\u202e.js:7:7'
        try { fs.readFileSync('/d') } catch {}";
    let places = |outcome: &Outcome| -> Vec<Option<String>> {
        let place = |denial: &cofferdam::permissions::Denial| denial.place().map(|p| p.to_string());
        outcome.denials.iter().map(place).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    let expected = vec![text("tool.js:2"), text("tool.js:4"), None, text("\\u{202e}.js:7")];
    let outcome = run(&Sandbox::new().expect("a sandbox"), source).await;
    assert_eq!(places(&outcome), expected);
    assert_eq!(outcome.to_json()["denials"][0]["at"], "tool.js:2");
    // The same places are known when a person is asked and says no.
    let approver = Decides::new(None);
    let sandbox = Sandbox::builder().approver(approver.clone()).file("/a", "").file("/b", "");
    let sandbox = sandbox.file("/c", "").file("/d", "").build().expect("a sandbox");
    assert_eq!(places(&run(&sandbox, source).await), expected);
    assert_eq!(approver.asked(), 4);
}

#[tokio::test]
async fn a_yes_lets_the_run_go_on_from_where_it_waited() {
    let approver = Decides::new(Some(Span::Once));
    let sandbox = Sandbox::builder().env("KEY", "x").approver(approver.clone()).build().unwrap();
    let source = "let begun = 0; begun++
        await require('fs').promises.writeFile('/home/user/new', 'x')
        return begun";
    check(&run(&sandbox, source).await, json!(1));
    assert_eq!(approver.asked(), 1);
}

/// A program without promises is suspended in the middle of a call.
#[tokio::test]
async fn a_yes_lets_a_call_without_a_promise_go_on() {
    let approver = Decides::new(Some(Span::Once));
    let builder = Sandbox::builder().env("KEY", "x").file("/data/a", "file");
    let sandbox = builder.approver(approver.clone()).build().unwrap();
    let source = "let begun = 0; begun++
        const later = new Promise((resolve) => setTimeout(() => resolve('timer'), 1))
        const text = require('fs').readFileSync('/data/a', 'utf8')
        const { execSync, spawnSync } = require('child_process')
        const out = execSync('echo $((6 * 7)); cat /data/a', { encoding: 'utf8' })
        const status = spawnSync('false').status
        return [begun, process.env.KEY, text, out, status, await later]";
    let wanted = json!([1, "x", "file", "42\nfile", 1, "timer"]);
    check(&run(&sandbox, source).await, wanted);
    // Questions: the file, the shell's first word, the other command that it starts, `false`, the
    // variable.
    assert_eq!(approver.asked(), 5);
}

#[tokio::test]
async fn a_no_to_a_call_without_a_promise_can_be_caught() {
    let sandbox = Sandbox::builder().approver(Decides::new(None)).build().unwrap();
    let source = "try { process.env.KEY } catch (e) {
            if (!(e instanceof PermissionError)) throw e
        }
        require('fs').readFileSync('/data/a')";
    check_denied(&run(&sandbox, source).await, "fs:read:/data/a");
}

/// T-CELL-028.
#[tokio::test]
async fn a_call_without_a_promise_waits_for_a_grant_from_outside_and_can_be_cancelled() {
    let limits = Limits::default().with_time(Duration::from_millis(300));
    let memory = Arc::new(InMemory::new().unwrap());
    let broker = Broker::setup(memory.clone(), memory).open().unwrap();
    let builder = Sandbox::builder().limits(limits).broker(&broker).file("/data/a", "x");
    let sandbox = builder.approver(Arc::new(FromOutside)).build().unwrap();
    let source = "const text = require('fs').readFileSync('/data/a', 'utf8')
        const began = performance.now(); while (performance.now() - began < 100);
        return text";
    let start = || sandbox.start(Tool::javascript(source)).unwrap();

    let cancelled = start();
    let canceller = cancelled.canceller();
    let cancelled = tokio::spawn(cancelled);
    while broker.questions().is_empty() {
        tokio::task::yield_now().await;
    }
    canceller.cancel();
    let ending = cancelled.await.unwrap().unwrap().ending;
    assert!(matches!(ending, Ending::Stopped(Exhausted::Cancelled { .. })), "{ending:?}");

    let waiting = tokio::spawn(start());
    while broker.questions().is_empty() {
        tokio::task::yield_now().await;
    }
    // Longer than the time limit, as if a person were thinking. Time that the tool computes
    // afterwards counts.
    tokio::time::sleep(Duration::from_millis(600)).await;
    sandbox.grant(Terms::new("fs:read:/data/**".parse().unwrap(), Span::Session)).unwrap();
    check(&waiting.await.unwrap().unwrap(), json!("x"));

    let source = "require('fs').readFileSync('/data/a'); for (;;);";
    let ending = sandbox.run(&Tool::javascript(source)).await.unwrap().ending;
    assert!(matches!(ending, Ending::Stopped(Exhausted::Time { .. })), "{ending:?}");
}

#[tokio::test]
async fn a_command_waits_for_a_yes_where_it_is_started() {
    let approver = Decides::new(Some(Span::Once));
    let builder = granted(&["process:exec:echo"]).approver(approver.clone());
    let sandbox = builder.build().unwrap();
    let script = Command::shell("n=1; echo a b | tr ' ' '\\n' | sort -r; /bin/echo $n; ls /none");
    let outcome = sandbox.run_program(script).await.unwrap();
    assert_eq!(outcome.stdout.text(), "b\na\n1\n");
    assert_eq!(outcome.ending, Ending::Exited(2));
    assert_eq!(approver.asked(), 3, "tr, sort, ls");

    let refused = granted(&["process:exec:echo"]).approver(Decides::new(None)).build().unwrap();
    let outcome = refused.run_program(Command::shell("echo a | sort || echo no")).await.unwrap();
    assert_eq!(outcome.stdout.text(), "no\n");
    assert_eq!(outcome.stderr.text(), "bash: line 1: sort: Permission denied\n");
}

#[tokio::test]
async fn what_a_tool_declares_is_asked_for_at_once() {
    let approver = Decides::new(Some(Span::Session));
    let sandbox = Sandbox::builder().approver(approver.clone()).build().unwrap();
    check(&run(&sandbox, SET_AND_GET).await, json!("1"));
    assert_eq!(approver.asked(), 1);
    check(&run(&sandbox, SET_AND_GET).await, json!("1"));
    assert_eq!(approver.asked(), 1, "the session has it");
}

#[tokio::test]
async fn a_declaration_of_something_unknown_is_an_error() {
    let outcome = run(&Sandbox::new().unwrap(), "// @capability nonsense\nreturn 1").await;
    assert!(outcome.error().is_some_and(|e| e.message.contains("nonsense")), "{outcome:?}");
}

/// T-PERM-006.
#[tokio::test]
async fn a_no_is_asked_for_once_however_often_it_is_tried() {
    let approver = Decides::new(None);
    let sandbox = Sandbox::builder().approver(approver.clone()).build().unwrap();
    let source = "for (let i = 0; i < 1000; i++) await fetch('https://example.com').catch(() => {})
        await fetch('https://example.com')";
    check_denied(&run(&sandbox, source).await, "network:fetch:GET@https://example.com/");
    assert_eq!(approver.asked(), 1);
}

#[tokio::test]
async fn a_grant_from_outside_wakes_the_run_and_its_clock_stood_still() {
    let limits = Limits::default().with_time(Duration::from_millis(300));
    let memory = Arc::new(InMemory::new().unwrap());
    let broker = Broker::setup(memory.clone(), memory).open().unwrap();
    let builder = Sandbox::builder().limits(limits).broker(&broker).file("/data/a", "x");
    let sandbox = builder.approver(Arc::new(FromOutside)).build().unwrap();
    let tool = Tool::javascript("return await require('fs').promises.readFile('/data/a', 'utf8')");
    let waiting = tokio::spawn(sandbox.start(tool).unwrap());
    while broker.questions().is_empty() {
        tokio::task::yield_now().await;
    }
    // Longer than the time limit, as if a person were thinking.
    tokio::time::sleep(Duration::from_millis(600)).await;
    sandbox.grant(Terms::new("fs:read:/data/**".parse().unwrap(), Span::Session)).unwrap();
    check(&waiting.await.unwrap().unwrap(), json!("x"));
}

#[tokio::test]
async fn what_changes_files_of_the_host_is_in_the_log_before() {
    let name = format!("cofferdam-outside-{}", std::process::id());
    let place = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&place).unwrap();
    let broker =
        Broker::setup(Arc::new(InMemory::new().unwrap()), Arc::new(Unwritable)).open().unwrap();
    let real = HostDir::open_ambient(&place).unwrap();
    let builder = granted(&["fs:write"]).broker(&broker).mount("/real", real, Mount::ReadWrite);
    let sandbox = builder.build().unwrap();
    let inside = "await btcp.fs.writeFile('/home/user/a', 'x'); return 1";
    check(&run(&sandbox, inside).await, json!(1));
    let outside = run(&sandbox, "await btcp.fs.writeFile('/real/a', 'x')").await;
    let written = place.join("a").exists();
    std::fs::remove_dir_all(&place).unwrap();
    check_denied(&outside, "fs:write:/real/a");
    assert!(!written, "not written without its line in the log");
}

#[tokio::test]
async fn a_revoked_grant_holds_no_longer_within_the_run() {
    let memory = Arc::new(InMemory::new().unwrap());
    let broker = Broker::setup(memory.clone(), memory).open().unwrap();
    let sandbox = granted(&["function:call:revoke"]).broker(&broker);
    let grant = broker.grant(Terms::new("env:read:HOME".parse().unwrap(), Span::Always)).unwrap();
    let (revoking, id) = (broker.clone(), grant.id.clone());
    let revoke = Function::new("revoke", move |_| {
        let done = revoking.revoke(&id, "test").map(|_| Json::Null).map_err(|e| e.to_string());
        async move { done }
    });
    let sandbox = sandbox.function(revoke).build().unwrap();
    let source = "const before = await btcp.env.get('HOME')
        await btcp.functions.revoke({})
        await btcp.env.get('HOME')";
    check_denied(&run(&sandbox, source).await, "env:read:HOME");
}

#[tokio::test]
async fn functions_are_called_with_what_their_schema_allows() {
    let schema =
        json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "number" } } });
    let double = || {
        Function::new("double", |args: Json| async move {
            args["n"].as_f64().map(|n| json!(n * 2.0)).ok_or_else(|| "no number".to_owned())
        })
        .takes(&schema)
        .unwrap()
    };
    let sandbox = granted(&["function:call:double"]).function(double()).build().unwrap();
    let source = "const wrong = await btcp.functions.double({ n: 'x' }).catch((e) => e.name)
        return [await btcp.functions.double({ n: 21 }), wrong, Object.keys(btcp.functions)]";
    check(&run(&sandbox, source).await, json!([42, "TypeError", ["double"]]));
    let without = Sandbox::builder().function(double()).build().unwrap();
    check(&run(&without, "return btcp.functions === undefined").await, json!(true));
}

#[tokio::test]
async fn what_is_published_can_be_read_and_set_where_granted() {
    let sandbox = granted(&["state:read", "state:write:draft"])
        .publish("draft", json!({ "text": "a" }), json!({ "type": "note" }))
        .publish("final", json!(1), json!({}))
        .build()
        .unwrap();
    let source = "const draft = await btcp.state.get('draft')
        await btcp.state.set('draft', { text: draft.text + 'b' })
        const names = await btcp.state.list()
        const refused = await btcp.state.set('final', 2).catch((e) => e.requiredPermission)
        return [names, await btcp.state.metadata('draft'), refused]";
    let expected = json!([["draft", "final"], { "type": "note" }, "state:write:final"]);
    check(&run(&sandbox, source).await, expected);
    assert_eq!(sandbox.published("draft"), Some(json!({ "text": "ab" })));
}

/// Serves HTTP, echoing the head of each request, until the test ends.
fn echo_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n > 0) {
                head.push(byte[0]);
            }
            let length = head.len();
            let start = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
            let _ = stream.write_all(start.as_bytes()).and_then(|()| stream.write_all(&head));
        }
    });
    port
}

#[tokio::test]
async fn a_granted_origin_is_fetched_and_no_other() {
    let port = echo_server();
    let sandbox =
        granted(&[&format!("network:fetch:GET@http://127.0.0.1:{port}/a/**")]).build().unwrap();
    let source = format!(
        "const response = await fetch('http://127.0.0.1:{port}/a/b', {{ headers: {{ 'x-one': '1' }} }})
        const text = await response.text()
        return [response.status, text.startsWith('GET /a/b HTTP/1.1'), /x-one: 1/i.test(text)]"
    );
    check(&run(&sandbox, &source).await, json!([200, true, true]));
    let denied = run(&sandbox, &format!("await fetch('http://127.0.0.1:{port}/b')")).await;
    check_denied(&denied, &format!("network:fetch:GET@http://127.0.0.1:{port}/b"));
}

#[tokio::test]
async fn a_grant_for_any_public_address_opens_no_private_one() {
    let port = echo_server();
    let sandbox = granted(&["network:fetch"]).build().unwrap();
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "localhost", "[::ffff:127.0.0.1]", "127.1"] {
        let outcome = run(&sandbox, &format!("await fetch('http://{host}:{port}/')")).await;
        assert_ne!(outcome.exit_code(), 0, "{host}");
    }
}

/// T-PERM-011.
#[tokio::test]
async fn a_secret_header_is_sent_and_never_seen() {
    let port = echo_server();
    let sandbox = Sandbox::new().unwrap();
    let capability =
        format!("network:fetch:http://127.0.0.1:{port}").parse().expect("a capability");
    let terms = Terms::new(capability, Span::Session).header("authorization", "Bearer s3cr3t");
    sandbox.grant(terms.expect("a header")).unwrap();
    let source = format!(
        "const request = new Request('http://127.0.0.1:{port}/')
        const text = await (await fetch(request)).text()
        return [/authorization: Bearer s3cr3t/i.test(text), [...request.headers]]"
    );
    check(&run(&sandbox, &source).await, json!([true, []]));
}

/// T-DOM-008.
#[tokio::test]
async fn a_policy_bounds_what_is_granted_later_too() {
    let (inside, outside) = (echo_server(), echo_server());
    let url = |port: u16| format!("http://127.0.0.1:{port}");
    let config = json!({
        "sandbox": "iframe",
        "iframeOptions": { "csp": { "default-src": "'none'", "connect-src": url(inside) } },
    });
    let memory = Arc::new(InMemory::new().unwrap());
    let broker = Broker::setup(memory.clone(), memory).open().unwrap();
    let always = format!("network:fetch:{}", url(outside));
    broker.grant(Terms::new(always.parse().unwrap(), Span::Always)).unwrap();
    let approver = Decides::new(Some(Span::Session));
    let sandbox = Sandbox::builder()
        .broker(&broker)
        .approver(approver.clone())
        .config(Config::from_json(&config).unwrap())
        .build()
        .unwrap();
    let fetch = |port: u16| format!("return (await fetch('{}/')).status", url(port));
    check(&run(&sandbox, &fetch(inside)).await, json!(200));
    assert_eq!(approver.asked(), 1);
    for sandbox in [sandbox.fork().unwrap(), sandbox] {
        let outcome = run(&sandbox, &fetch(outside)).await;
        let said = outcome.error().map(|error| error.message).unwrap_or_default();
        let rule = format!("blocked by connect-src {}", url(inside));
        assert!(said.ends_with(&rule), "{said}");
        let command = Command::shell(format!("curl -s {}/ || echo no", url(outside)));
        let outcome = sandbox.run_program(command).await.unwrap();
        assert_eq!(outcome.stdout.text(), "no\n", "{outcome:?}");
    }
    assert_eq!(approver.asked(), 1, "nobody is asked about what lies outside");
}

#[tokio::test]
async fn what_a_command_of_a_tool_prints_is_the_tools_to_show() {
    let seen: Arc<std::sync::Mutex<Vec<u8>>> = Arc::default();
    let shown = seen.clone();
    let watcher = Arc::new(move |_: Stream, bytes: &[u8]| {
        shown.lock().unwrap().extend_from_slice(bytes);
    });
    let sandbox = granted(&["process:exec"]).watcher(watcher).build().unwrap();
    let source = "const { stdout } = await btcp.exec('echo out; echo err >&2')
        console.log('the tool')
        return stdout";
    let outcome = run(&sandbox, source).await;
    check(&outcome, json!("out\n"));
    assert_eq!(outcome.stdout.text(), "the tool\n");
    assert_eq!(String::from_utf8_lossy(&seen.lock().unwrap()), "the tool\n");
}
