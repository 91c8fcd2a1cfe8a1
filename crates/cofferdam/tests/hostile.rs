//! Hostile tools do nothing to the host: after each of them the next call works.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use cofferdam::{
    Command, Ending, ErrorClass, ErrorKind, Exhausted, Limit, Limits, Outcome, Pool, Runtime,
    Sandbox, Stream, Tool, Value, Watcher,
};

fn short() -> Limits {
    Limits::default().with_time(Duration::from_millis(100))
}

fn sandbox(limits: Limits) -> Sandbox {
    Sandbox::builder().limits(limits).build().expect("a sandbox")
}

async fn run(sandbox: &Sandbox, source: &str) -> Outcome {
    sandbox.run(&Tool::javascript(source)).await.expect("an outcome")
}

#[track_caller]
fn check_works(outcome: &Outcome) {
    assert_eq!(outcome.ending, Ending::Returned(Value::Number(2.0)));
}

/// Runs the source, then checks that a harmless tool works.
async fn survives(limits: Limits, source: &str) -> Outcome {
    let sandbox = sandbox(limits);
    let outcome = run(&sandbox, source).await;
    check_works(&run(&sandbox, "return 1 + 1").await);
    outcome
}

async fn check_class(limits: Limits, source: &str, expect: ErrorClass) {
    let outcome = survives(limits, source).await;
    assert_eq!(outcome.error_class(), Some(expect), "{source}: {:?}", outcome.ending);
}

/// T-CELL-001.
#[tokio::test]
async fn the_next_call_works_after_loops() {
    for source in [
        "while (true);",
        "for (;;) await null",
        "const again = () => Promise.resolve().then(again); await again()",
        "return /^(a+)+$/.test('a'.repeat(50) + 'b')",
        "for (;;) 'x'.repeat(1e7).indexOf('y')",
        "for (;;) new Array(1e6).join()",
        "const json = '[' + '1,'.repeat(1e6) + '1]'; for (;;) JSON.parse(json)",
        "Array.from({ length: 1e5 }, (_, n) => -n).sort(() => { for (let n = 0; n < 1e5; n++); return 1 })",
        "throw { toJSON() { for (;;); } }",
        "return { get x() { for (;;); } }",
        "for (;;) console.log('x')",
        "setInterval(() => {}, 0); await new Promise(() => {})",
    ] {
        check_class(short(), source, ErrorClass::Timeout).await;
    }
}

/// T-CELL-003.
#[tokio::test]
async fn memory_too_small_for_a_cell_is_a_limit() {
    let sandbox = sandbox(Limits::default().with_memory_bytes(65_536));
    let Ending::Stopped(Exhausted::Limit { limit, allowed, wanted }) =
        run(&sandbox, "return 1").await.ending
    else {
        panic!("it ran")
    };
    assert_eq!((limit, allowed), (Limit::Memory, 65_536));
    assert!(wanted.is_some_and(|wanted| wanted > allowed));
}

/// T-CELL-003.
#[tokio::test]
async fn the_next_call_works_after_bombs() {
    for source in [
        "new Array(1e9).fill(0)",
        "const kept = []; for (;;) kept.push({})",
        "const kept = []; for (let n = 0;; n++) kept.push('x'.repeat(1e6) + n)",
        "const map = new Map(); for (let n = 0;; n++) map.set(n, n)",
        "const kept = []; for (;;) kept.push(new Uint8Array(1e6))",
    ] {
        check_class(Limits::default(), source, ErrorClass::LimitExceeded).await;
    }
}

#[tokio::test]
async fn the_next_call_works_after_errors() {
    for source in [
        "const down = () => down(); down()",
        "let text = 'x'; for (;;) text += text",
        "const = 1",
        "throw 'text'",
        "throw null",
        "await Promise.reject(new Error('no'))",
        "await new Promise(() => {})",
        "return () => 1",
        "throw new Error('x'.repeat(1e6))",
        "const e = new Error(); Object.defineProperty(e, 'stack', { get() { throw 1 } }); throw e",
    ] {
        check_class(Limits::default(), source, ErrorClass::ExecutionError).await;
    }
}

/// T-CELL-014.
#[tokio::test]
async fn the_message_of_an_error_is_cut() {
    let outcome = survives(Limits::default(), "throw new Error('é'.repeat(1e6))").await;
    let message = outcome.error().expect("an error").message;
    assert!(message.len() < 100_000 && message.ends_with("(cut)"), "{} bytes", message.len());
}

/// T-CELL-015.
#[tokio::test]
async fn ten_megabytes_of_output_are_cut_at_the_limit() {
    let source = "const line = 'x'.repeat(999); for (let n = 0; n < 10_000; n++) { console.log(line); console.error(line) }";
    let outcome = survives(Limits::default(), source).await;
    assert_eq!(outcome.error_class(), None);
    for output in [&outcome.stdout, &outcome.stderr] {
        assert_eq!((output.bytes.len(), output.is_cut), (1 << 20, true));
    }
}

#[tokio::test]
async fn ten_megabytes_of_output_come_out_whole_where_that_is_allowed() {
    let limits = Limits::default().with_stdout_bytes(16 << 20);
    let outcome = survives(limits, "console.log('x'.repeat(10e6))").await;
    assert_eq!((outcome.stdout.bytes.len(), outcome.stdout.is_cut), (10_000_001, false));
}

/// T-CELL-014.
#[tokio::test]
async fn a_result_of_a_hundred_megabytes_is_a_limit() {
    let limits = Limits::default().with_memory_bytes(1 << 30);
    let outcome = survives(limits, "return new Uint8Array(100e6)").await;
    let Ending::Stopped(Exhausted::Limit { limit, allowed, .. }) = outcome.ending else {
        panic!("{:?}", outcome.error());
    };
    assert_eq!((limit, allowed), (Limit::Result, 1 << 20));
}

#[tokio::test]
async fn a_result_of_a_hundred_megabytes_comes_out_where_that_is_allowed() {
    let limits = Limits::default().with_memory_bytes(1 << 30).with_result_bytes(200 << 20);
    let outcome = survives(limits, "return new Uint8Array(100e6).fill(7).buffer").await;
    let Ending::Returned(Value::Buffer(bytes)) = &outcome.ending else {
        panic!("{:?}", outcome.error());
    };
    assert!(bytes.len() == 100_000_000 && bytes.iter().all(|byte| *byte == 7));
}

/// T-CELL-017.
#[tokio::test]
async fn a_tool_of_a_megabyte_runs_where_that_is_allowed() {
    let source = format!("// {}\nreturn 7", "x".repeat(1 << 20));
    let limits = Limits::default().with_source_bytes(2 << 20);
    assert_eq!(survives(limits, &source).await.ending, Ending::Returned(Value::Number(7.0)));
    check_class(Limits::default(), &source, ErrorClass::LimitExceeded).await;
}

#[tokio::test]
async fn a_tool_of_a_megabyte_of_code_runs_where_that_is_allowed() {
    let source = format!("let n = 0\n{}return n", "n += 1;\n".repeat(1 << 17));
    let limits = Limits::default().with_source_bytes(2 << 20);
    assert_eq!(survives(limits, &source).await.ending, Ending::Returned(Value::Number(131_072.0)));
}

/// T-CELL-020.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn five_hundred_runs_at_once_do_not_mix() {
    let sandbox = sandbox(Limits::default());
    let tasks: Vec<_> = (0..500)
        .map(|n| {
            let sandbox = sandbox.clone();
            let source = "globalThis.n = (globalThis.n ?? 0) + args; console.log(n);
                await new Promise((r) => setTimeout(r, args % 7)); return n";
            let tool = Tool::javascript(source).args(serde_json::json!(n));
            tokio::spawn(async move { (n, sandbox.run(&tool).await) })
        })
        .collect();
    for task in tasks {
        let (n, outcome) = task.await.expect("no panic");
        let outcome = outcome.expect("an outcome");
        assert_eq!(outcome.ending, Ending::Returned(Value::Number(f64::from(n))));
        assert_eq!(outcome.stdout.text(), format!("{n}\n"));
    }
    assert_eq!(sandbox.is_running(), Ok(false));
}

/// Returns a sandbox, and a channel that receives a message when its tools print.
fn telling(limits: Limits) -> (Sandbox, tokio::sync::mpsc::UnboundedReceiver<()>) {
    let (said, begun) = tokio::sync::mpsc::unbounded_channel();
    let watcher = Arc::new(move |_: Stream, _: &[u8]| {
        let _ = said.send(());
    });
    (Sandbox::builder().limits(limits).watcher(watcher).build().expect("a sandbox"), begun)
}

const ENDLESS: [&str; 3] = [
    "console.log('begun'); for (;;);",
    "console.log('begun'); await new Promise((resolve) => setTimeout(resolve, 1e9))",
    "console.log('begun'); for (;;) await null",
];

fn is_cancelled(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Stopped(Exhausted::Cancelled { .. }))
}

/// T-CELL-002.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_cancelled_from_another_task_whatever_it_does() {
    for source in ENDLESS {
        let (sandbox, mut begun) = telling(Limits::default());
        let run = sandbox.start(Tool::javascript(source)).expect("a run");
        let canceller = run.canceller();
        let task = tokio::spawn(run);
        begun.recv().await.expect("it begins");
        assert_eq!(sandbox.is_running(), Ok(true));
        canceller.cancel();
        let outcome = task.await.expect("no panic").expect("an outcome");
        assert!(is_cancelled(&outcome), "{source}: {:?}", outcome.ending);
        assert_eq!(outcome.exit_code(), 125);
        assert_eq!(sandbox.is_running(), Ok(false));
        canceller.cancel();
        check_works(&run_plain(&sandbox).await);
    }
}

async fn run_plain(sandbox: &Sandbox) -> Outcome {
    run(sandbox, "return 1 + 1").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_a_sandbox_ends_all_its_runs_and_no_other() {
    let (one, mut begun) = telling(Limits::default());
    let (other, mut other_begun) = telling(Limits::default());
    let tasks: Vec<_> = ENDLESS
        .map(|source| tokio::spawn(one.start(Tool::javascript(source)).expect("a run")))
        .into();
    let spared = other.start(Tool::javascript(ENDLESS[1])).expect("a run");
    let (canceller, spared) = (spared.canceller(), tokio::spawn(spared));
    for _ in &tasks[..2] {
        begun.recv().await.expect("it begins");
    }
    other_begun.recv().await.expect("it begins");
    one.cancel().expect("alive");
    for task in tasks {
        assert!(is_cancelled(&task.await.expect("no panic").expect("an outcome")));
    }
    assert_eq!(other.is_running(), Ok(true));
    canceller.cancel();
    assert!(is_cancelled(&spared.await.expect("no panic").expect("an outcome")));
}

/// T-CELL-005.
#[tokio::test]
async fn an_endless_loop_lets_other_tasks_of_its_thread_go_on() {
    let (sandbox, _begun) = telling(Limits::default());
    let run = sandbox.start(Tool::javascript("for (;;);")).expect("a run");
    let canceller = run.canceller();
    let other = tokio::spawn(async move {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        canceller.cancel();
    });
    // Both run on one thread: the loop ends only if the other task had its turns.
    let outcome = run.await.expect("an outcome");
    other.await.expect("no panic");
    assert!(is_cancelled(&outcome), "{:?}", outcome.ending);
}

/// T-CELL-019.
#[tokio::test]
async fn a_run_that_is_dropped_half_way_leaves_nothing() {
    let (sandbox, mut begun) = telling(Limits::default());
    for source in ENDLESS {
        let run = sandbox.start(Tool::javascript(source)).expect("a run");
        tokio::select! {
            biased;
            _ = begun.recv() => {}
            _ = run => panic!("it cannot end by itself"),
        }
        assert_eq!(sandbox.is_running(), Ok(false));
        while begun.try_recv().is_ok() {}
    }
    check_works(&run_plain(&sandbox).await);
}

#[tokio::test]
async fn a_run_that_is_dropped_before_it_began_leaves_nothing() {
    let sandbox = sandbox(Limits::default());
    let run = sandbox.start(Tool::javascript("return 1")).expect("a run");
    assert_eq!(sandbox.is_running(), Ok(true));
    drop(run);
    assert_eq!(sandbox.is_running(), Ok(false));
}

/// T-CELL-021: a run that finds no cell fails at once, and other runs keep theirs.
#[tokio::test]
async fn a_pool_without_a_cell_is_an_error_and_no_wait() {
    check_two_cells(&Runtime::new(Pool { cells: 2, warm: 0 }).expect("a runtime")).await;
}

/// T-CELL-021: the same where cells have no pool.
#[tokio::test]
async fn a_cell_too_many_is_an_error_without_a_pool() {
    check_two_cells(&Runtime::for_one_run(2, None).expect("a runtime")).await;
}

async fn check_two_cells(runtime: &Runtime) {
    let sandbox = Sandbox::builder().runtime(runtime).build().expect("a sandbox");
    let waiting = Tool::javascript("await new Promise((done) => setTimeout(done, 1e9))");
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut run = sandbox.start(waiting.clone()).expect("a run");
        let polled = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut run).poll(cx))).await;
        assert!(polled.is_pending());
        held.push(run);
    }
    let refused = sandbox.run(&Tool::javascript("return 1")).await.expect_err("no cell is left");
    assert_eq!(refused.kind(), ErrorKind::PoolFull, "{refused}");
    held.pop();
    check_works(&run_plain(&sandbox).await);
}

/// T-CELL-021: cells of earlier runs, which a thread frees, take no place of later runs.
#[tokio::test]
async fn large_runs_one_after_the_other_fit_a_small_pool() {
    let runtime = Runtime::new(Pool { cells: 2, warm: 0 }).expect("a runtime");
    let sandbox = Sandbox::builder().runtime(&runtime).build().expect("a sandbox");
    let source = "return new Uint8Array(40 << 20).fill(1).length";
    for _ in 0..20 {
        let outcome = sandbox.run(&Tool::javascript(source)).await.expect("a cell");
        assert_eq!(outcome.result_json(), Some((40 << 20).into()), "{outcome:?}");
    }
}

/// T-CELL-022: numbers drawn while the image was made would be the same in every cell.
#[tokio::test]
async fn no_two_cells_draw_the_same_numbers() {
    let sandbox = sandbox(Limits::default());
    let source = "return [Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(8)).join()]";
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20 {
        let drawn = run(&sandbox, source).await.result_json().expect("a result");
        for text in drawn.as_array().expect("a list") {
            assert!(seen.insert(text.to_string()), "{text} was drawn twice");
        }
    }
}

/// T-CELL-024: a tool can break its own built-ins, but not the encoding of its result.
#[tokio::test]
async fn built_ins_that_were_rewritten_do_not_change_a_result() {
    let spoil = "
        const wrong = () => { throw new Error('reached') }
        const types = [Object, Array, Map, Set, Date, Error, RegExp, ArrayBuffer, Uint8Array, String, Function]
        const iterator = Symbol.iterator
        const places = types.flatMap((type) => [type, type.prototype])
        const names = places.map((place) => [...Object.getOwnPropertyNames(place), iterator])
        for (let p = 0; p < places.length; p++) for (let n = 0; n < names[p].length; n++) {
            try { places[p][names[p][n]] = wrong } catch {}
        }
        globalThis.JSON = globalThis.Reflect = globalThis.Symbol = undefined
        ";
    let source =
        "const value = { list: [1, 'a', null], map: new Map([['k', 1]]), set: new Set([2]),
        date: new Date(0), bytes: new Uint8Array([1, 2]), big: 3n, nested: { deep: [true] } };";
    let sandbox = sandbox(Limits::default());
    let plain = run(&sandbox, &format!("{source} return value")).await;
    let spoiled = run(&sandbox, &format!("{source} {spoil} return value")).await;
    assert_eq!(plain.error(), None);
    assert_eq!(spoiled.ending, plain.ending);
}

/// T-CELL-020.
#[tokio::test]
async fn two_sandboxes_do_not_see_each_other() {
    let (one, other) = (sandbox(Limits::default()), sandbox(Limits::default()));
    let session = one.session("s").expect("a session");
    session
        .run(&Tool::javascript("globalThis.secret = 1; Array.prototype.x = 2"))
        .await
        .expect("an outcome");
    one.write_file("/tmp/secret", b"1").expect("room");
    let look = Tool::javascript("[typeof secret, [].x].join()");
    let seen = other.session("s").expect("a session").run(&look).await.expect("an outcome");
    assert_eq!(seen.ending, Ending::Returned(Value::String("undefined,".into())));
    assert!(other.read_file("/tmp/secret", 10).is_err());
    let fresh = run(&one, "return typeof secret").await;
    assert_eq!(fresh.ending, Ending::Returned(Value::String("undefined".into())));
}

/// T-CELL-020.
#[tokio::test]
async fn a_cancelled_session_starts_fresh() {
    let (sandbox, mut begun) = telling(Limits::default());
    let session = sandbox.session("s").expect("a session");
    session.run(&Tool::javascript("let kept = 1")).await.expect("an outcome");
    let run = session.start(Tool::javascript("console.log(kept); for (;;);")).expect("a run");
    let canceller = run.canceller();
    let (outcome, ()) = tokio::join!(run, async {
        begun.recv().await.expect("it begins");
        canceller.cancel();
    });
    assert!(is_cancelled(&outcome.expect("an outcome")));
    let after = session.run(&Tool::javascript("typeof kept")).await.expect("an outcome");
    assert_eq!(after.ending, Ending::Returned(Value::String("undefined".into())));
}

#[tokio::test]
async fn a_run_that_waits_for_its_session_can_be_cancelled_and_has_its_own_time() {
    let (sandbox, mut begun) = telling(Limits::default());
    let session = sandbox.session("s").expect("a session");
    let first = session.start(Tool::javascript(ENDLESS[1])).expect("a run");
    let second = session.start(Tool::javascript("1")).expect("a run");
    let (end_first, end_second) = (first.canceller(), second.canceller());
    let (first, second) = tokio::join!(first, async {
        begun.recv().await.expect("it begins");
        end_second.cancel();
        let outcome = second.await;
        // The first run still waits: the second did not wait for its end.
        end_first.cancel();
        outcome
    });
    assert!(is_cancelled(&first.expect("an outcome")));
    assert!(is_cancelled(&second.expect("an outcome")));
}

/// T-CELL-013.
#[tokio::test]
async fn a_result_that_nests_by_references_does_not_exhaust_the_host() {
    let source = "let prev = 'x'; const all = [];
        for (let k = 0; k < 60; k++) { for (let n = 0; n < 900; n++) prev = [prev]; all.push(prev) }
        return all";
    let outcome = survives(Limits::default(), source).await;
    assert!(outcome.to_json()["resultNotes"].is_array(), "it says what was left out");
}

#[tokio::test]
async fn every_call_on_a_destroyed_sandbox_is_an_error() {
    let sandbox = sandbox(Limits::default());
    let session = sandbox.session("s").expect("a session");
    let (tool, clone) = (Tool::javascript("return 1"), sandbox.clone());
    sandbox.destroy().expect("alive until now");
    let is = |kind: Option<ErrorKind>| assert_eq!(kind, Some(ErrorKind::Destroyed));
    is(sandbox.run(&tool).await.err().map(|e| e.kind()));
    is(clone.run(&tool).await.err().map(|e| e.kind()));
    is(sandbox.start(tool.clone()).err().map(|e| e.kind()));
    is(sandbox.session("s").err().map(|e| e.kind()));
    is(session.run(&tool).await.err().map(|e| e.kind()));
    is(session.start(tool).err().map(|e| e.kind()));
    is(sandbox.is_running().err().map(|e| e.kind()));
    is(sandbox.cancel().err().map(|e| e.kind()));
    is(sandbox.destroy().err().map(|e| e.kind()));
    is(sandbox.read_file("/tmp/x", 1).err().map(|e| e.kind()));
    is(sandbox.write_file("/tmp/x", b"").err().map(|e| e.kind()));
}

/// T-CELL-019.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn destroying_a_sandbox_ends_what_runs_in_it() {
    let (sandbox, mut begun) = telling(Limits::default());
    let task = tokio::spawn(sandbox.start(Tool::javascript(ENDLESS[0])).expect("a run"));
    begun.recv().await.expect("it begins");
    sandbox.destroy().expect("alive until now");
    assert!(is_cancelled(&task.await.expect("no panic").expect("an outcome")));
}

#[tokio::test]
async fn a_run_cancelled_before_it_is_polled_ends_as_cancelled() {
    let sandbox = sandbox(Limits::default());
    let run = sandbox.start(Tool::javascript("for (;;);")).expect("a run");
    run.canceller().cancel();
    assert!(is_cancelled(&run.await.expect("an outcome")));
}

#[tokio::test]
async fn a_watcher_sees_what_is_kept_and_no_more() {
    let seen = Arc::new(AtomicBool::new(false));
    let limits = Limits::default().with_stdout_bytes(3);
    let of_watcher = seen.clone();
    let watcher = Arc::new(move |stream: Stream, bytes: &[u8]| {
        assert!(stream == Stream::Out && bytes.len() <= 3);
        of_watcher.store(true, Ordering::SeqCst);
    });
    let sandbox = Sandbox::builder().limits(limits).watcher(watcher).build().expect("a sandbox");
    run(&sandbox, "console.log('abcdef'); console.log('g')").await;
    assert!(seen.load(Ordering::SeqCst));
}

/// Reads the first output, and then no more.
#[derive(Default)]
struct Once(AtomicBool);

impl Watcher for Once {
    fn saw(&self, _: Stream, _: &[u8]) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn is_read(&self, stream: Stream) -> bool {
        stream == Stream::Err || !self.0.load(Ordering::SeqCst)
    }
}

/// T-CELL-029.
#[tokio::test]
async fn a_program_that_prints_to_nobody_ends_as_at_a_closed_pipe() {
    let sandbox = Sandbox::builder().watcher(Arc::new(Once::default())).build().expect("a sandbox");
    // The script goes on, as in bash; a program that ignores the signal gets the error.
    let text = "yes; echo $? > a; trap '' PIPE; echo x 2> b; echo $? >> a; cat a b >&2";
    let outcome = sandbox.run_program(Command::shell(text)).await.expect("a run");
    assert_eq!(outcome.stderr.text(), "141\n1\nbash: line 1: echo: write error: Broken pipe\n");
    assert!(outcome.stdout.text().starts_with("y\ny\n"));
}

#[tokio::test]
async fn two_runtimes_in_one_process_both_work() {
    for _ in 0..2 {
        let runtime = cofferdam::Runtime::new(cofferdam::Pool { cells: 2, warm: 0 }).expect("room");
        let sandbox = Sandbox::builder().runtime(&runtime).build().expect("a sandbox");
        let outcome = sandbox.run(&Tool::javascript("return 1+1")).await.expect("a run");
        assert_eq!(outcome.result_json(), Some(serde_json::json!(2)));
        std::mem::forget(runtime);
    }
}
