//! Programs in cells: their abilities, their limits and their boundaries.

mod computed;
mod folder;

use std::time::{Duration, Instant};

use cofferdam::permissions::{Span, Terms};
use cofferdam::{
    Command, Denied, Ending, Exec, Exhausted, Limit, Limits, Mount, Outcome, Policy, Sandbox,
    SandboxBuilder, Tool,
};
use cofferdam_abi::process::Spawn;
use cofferdam_abi::{ProgramCall, Writer, frame};
use computed::computed;
use folder::Folder;

/// Returns a program around the body of `_start`. `$print` writes a part of its memory. `$call`
/// crosses the gate with the request at the given address; the answer is at 0x8000.
fn program(data: &[(u32, Vec<u8>)], functions: &str, body: &str) -> Vec<u8> {
    let data: String = data
        .iter()
        .map(|(at, bytes)| {
            let text: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
            format!("(data (i32.const {at}) \"{text}\")\n")
        })
        .collect();
    let text = format!(
        r#"(module
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (import "wasi_snapshot_preview1" "path_open"
            (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_readdir"
            (func $list (param i32 i32 i32 i64 i32) (result i32)))
        (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
        (import "cofferdam" "call" (func $cross (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 4)
        {data}
        (func $print (param $fd i32) (param $at i32) (param $len i32) (result i32)
            (i32.store (i32.const 16) (local.get $at))
            (i32.store (i32.const 20) (local.get $len))
            (call $write (local.get $fd) (i32.const 16) (i32.const 1) (i32.const 24)))
        (func $take (param $fd i32) (param $at i32) (param $len i32) (result i32)
            (i32.store (i32.const 16) (local.get $at))
            (i32.store (i32.const 20) (local.get $len))
            (call $read (local.get $fd) (i32.const 16) (i32.const 1) (i32.const 24)))
        (func $call (param $at i32) (param $len i32) (result i32)
            (call $cross (local.get $at) (local.get $len) (i32.const 0x8000) (i32.const 0x4000)))
        {functions}
        (func (export "_start") {body}))"#
    );
    wat::parse_str(&text).expect("a module")
}

fn request(call: ProgramCall, fields: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut payload = Writer::new();
    fields(&mut payload);
    let mut w = Writer::new();
    frame::write_request(&mut w, call, payload.as_bytes());
    w.finish()
}

fn spawn(program: &[u8], descriptors: Vec<(u32, u32)>) -> Vec<u8> {
    let argv = vec![program];
    let spawn = Spawn { program, argv, cwd: b"/", descriptors, ..Spawn::default() };
    request(ProgramCall::ProcessSpawn, |w| spawn.write(w))
}

fn sandbox(limits: Limits) -> Sandbox {
    Sandbox::builder().limits(limits).build().expect("a sandbox")
}

fn short() -> Limits {
    Limits::default().with_time(Duration::from_millis(200))
}

async fn run(limits: Limits, module: Vec<u8>) -> Outcome {
    let command = Command::wasm("test.wasm", module);
    sandbox(limits).run_program(command).await.expect("an outcome")
}

/// Writes an executable file.
fn install(sandbox: &Sandbox, path: &str, module: &[u8]) {
    sandbox.write_executable(path, module).expect("room");
}

#[tokio::test]
async fn a_program_prints_and_exits() {
    let hello = program(
        &[(64, b"hello\n".to_vec())],
        "",
        "(drop (call $print (i32.const 1) (i32.const 64) (i32.const 6))) (call $exit (i32.const 7))",
    );
    let outcome = run(Limits::default(), hello).await;
    assert_eq!(
        (outcome.ending.clone(), outcome.stdout.text()),
        (Ending::Exited(7), "hello\n".into())
    );
    assert_eq!((outcome.exit_code(), outcome.error_class()), (7, None));
}

#[tokio::test]
async fn standard_input_comes_through_and_ends() {
    let echo = program(
        &[],
        "",
        "(loop $more
            (drop (call $take (i32.const 0) (i32.const 0x2000) (i32.const 3)))
            (if (i32.load (i32.const 24)) (then
                (drop (call $print (i32.const 1) (i32.const 0x2000) (i32.load (i32.const 24))))
                (br $more))))",
    );
    let command = Command::wasm("echo.wasm", echo).stdin("input to echo");
    let outcome = sandbox(Limits::default()).run_program(command).await.expect("an outcome");
    assert_eq!(
        (outcome.ending, outcome.stdout.text()),
        (Ending::Exited(0), "input to echo".into())
    );
}

/// Programs for WASI ask for `.` and for `/` in the same words.
#[tokio::test]
async fn a_program_that_the_shell_started_begins_in_its_folder() {
    let list = "(drop (call $list (i32.load (i32.const 28)) (i32.const 0x2000) (i32.const 0x1000)
            (i64.const 0) (i32.const 24)))
        (drop (call $print (i32.const 1) (i32.const 0x2000) (i32.load (i32.const 24))))";
    // Descriptor 3 is the directory that is open at the start.
    let mut programs = vec![(
        "begin",
        program(&[], "", &format!("(i32.store (i32.const 28) (i32.const 3)) {list}")),
    )];
    for (name, path) in [("here", "."), ("above", ".."), ("beside", "../other"), ("root", "tmp")] {
        let open = format!(
            "(if (call $open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const {})
                (i32.const 2) (i64.const 0x4000) (i64.const 0) (i32.const 0) (i32.const 28))
            (then (call $exit (i32.const 1))))",
            path.len()
        );
        let data = [(64, path.as_bytes().to_vec())];
        programs.push((name, program(&data, "", &format!("{open} {list}"))));
    }
    let sandbox = sandbox(Limits::default());
    for (name, module) in &programs {
        install(&sandbox, &format!("/bin-{name}"), module);
    }
    for (name, from, sees) in [
        ("begin", "/work/folder", "inside"),
        ("here", "/work/folder", "inside"),
        ("here", "/", "work"),
        ("above", "/work/folder", "folder"),
        ("beside", "/work/folder", "next"),
        ("root", "/work/folder", "of-tmp"),
    ] {
        let text = format!(
            "mkdir -p /work/folder /work/other; touch /work/folder/inside /work/other/next
            touch /tmp/of-tmp; cd {from}; /bin-{name}"
        );
        let outcome = sandbox.run_program(Command::shell(&text)).await.expect("an outcome");
        assert_eq!(outcome.exit_code(), 0, "{name}: {}", outcome.stderr.text());
        let listed = outcome.stdout.text();
        assert!(listed.contains(sees), "{name} in {from}: {listed:?}");
    }
}

#[tokio::test]
async fn an_endless_loop_ends_at_its_time_and_when_cancelled() {
    let forever = program(&[], "", "(loop $l (br $l))");
    let outcome = run(short(), forever.clone()).await;
    assert!(matches!(outcome.ending, Ending::Stopped(Exhausted::Time { .. })));
    assert_eq!(outcome.exit_code(), 124);
    let run = sandbox(Limits::default()).start_program(Command::wasm("x", forever)).expect("a run");
    let canceller = run.canceller();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        canceller.cancel();
    };
    let (outcome, ()) = tokio::join!(run, cancel);
    assert_eq!(outcome.expect("an outcome").exit_code(), 125);
}

/// T-PROC-013. Long instructions run in pieces: a program that fills 256 MiB at once still yields
/// every 5 ms. Without that, each such instruction would take 20 ms or more.
#[test]
fn what_fills_and_copies_for_long_gives_its_thread_back_and_ends() {
    let memory = "(memory.grow (i32.const 4096)) drop";
    let bodies = [
        "(memory.fill (i32.const 0) (i32.const 1) (i32.const 0x10000000))",
        "(memory.copy (i32.const 1) (i32.const 0) (i32.const 0x10000000))",
        "(memory.copy (i32.const 0) (i32.const 1) (i32.const 0x10000000))",
        "(table.fill $t (i32.const 0) (ref.null func) (i32.const 8000000))",
        "(table.copy $t $t (i32.const 1) (i32.const 0) (i32.const 7999999))",
    ];
    let executor = tokio::runtime::Builder::new_current_thread().build().expect("an executor");
    let limits = short().with_time(Duration::from_millis(400)).with_memory_bytes(1 << 29);
    for body in bodies {
        let table = "(table $t 8000000 funcref)";
        let endless = program(&[], table, &format!("{memory} (loop $l {body} (br $l))"));
        let mut run = sandbox(limits).start_program(Command::wasm("x", endless)).expect("a run");
        let mut slices = Vec::new();
        let outcome = executor.block_on(std::future::poll_fn(|cx| {
            let began = computed();
            let polled = std::pin::Pin::new(&mut run).poll(cx);
            slices.push(computed().saturating_sub(began));
            polled
        }));
        assert_eq!(outcome.expect("an outcome").exit_code(), 124, "{body}");
        assert!(slices.iter().sum::<Duration>() >= Duration::from_millis(2), "it computes");
        // Shorter slices compile and set up the program.
        slices.retain(|slice| *slice >= Duration::from_millis(2));
        slices.sort_unstable();
        let is_short = |tenth: &Duration| *tenth < Duration::from_millis(12);
        assert!(slices.get(slices.len() / 10).is_none_or(is_short), "{body}: {slices:?}");
    }
}

/// T-PROC-007.
#[tokio::test]
async fn memory_without_end_is_a_limit() {
    let bomb = program(
        &[],
        "",
        "(loop $l
            (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
            (br $l))",
    );
    let outcome = run(Limits::default(), bomb).await;
    let expected = Exhausted::Limit { limit: Limit::Memory, allowed: 64 << 20, wanted: None };
    assert_eq!(outcome.ending, Ending::Stopped(expected));
}

/// T-PROC-007.
#[tokio::test]
async fn a_module_that_asks_for_more_than_its_limit_does_not_start() {
    let greedy =
        wat::parse_str(r#"(module (memory (export "memory") 2000) (func (export "_start")))"#);
    let outcome = run(Limits::default(), greedy.expect("a module")).await;
    let expected = Exhausted::Limit { limit: Limit::Memory, allowed: 64 << 20, wanted: None };
    assert_eq!(outcome.ending, Ending::Stopped(expected));
}

#[tokio::test]
async fn recursion_without_end_is_a_limit() {
    let deep = program(&[], "(func $f (call $f) (drop (i32.load (i32.const 0))))", "(call $f)");
    let outcome = run(Limits::default(), deep).await;
    let limit = Exhausted::Limit { limit: Limit::Stack, allowed: 0, wanted: None };
    assert_eq!(outcome.ending, Ending::Stopped(limit));
}

#[tokio::test]
async fn a_trap_is_the_programs_failure() {
    let outcome = run(Limits::default(), program(&[], "", "unreachable")).await;
    assert_eq!(outcome.error_class().map(|class| class.name()), Some("EXECUTION_ERROR"));
    assert_eq!(outcome.error().expect("an error").message, "the program failed: aborted");
}

async fn check_unfit(module: &[u8], says: &str) {
    let outcome = run(Limits::default(), module.to_vec()).await;
    let error = outcome.error().unwrap_or_default();
    assert_eq!(outcome.error_class().map(|class| class.name()), Some("EXECUTION_ERROR"), "{says}");
    assert!(error.message.contains(says), "{:?} does not say {says:?}", error.message);
}

/// T-PROC-001.
#[tokio::test]
async fn a_module_that_cannot_run_is_told_why() {
    let whole = program(&[], "", "");
    let text = |text: &str| wat::parse_str(text).expect("a module");
    check_unfit(b"", "is not a WebAssembly module").await;
    check_unfit(b"MZ", "is not a WebAssembly module").await;
    check_unfit(b"\0asm", "is truncated").await;
    check_unfit(b"\0asm\x0d\0\x01\0", "is a component").await;
    check_unfit(b"\0asm\x07\0\0\0", "unknown version").await;
    check_unfit(&whole[..whole.len() - 3], "is not a valid module").await;
    check_unfit(
        &text(r#"(module (import "env" "foo" (func)) (memory (export "memory") 1) (func (export "_start")))"#),
        "test.wasm: imports env.foo, which this host does not have",
    )
    .await;
    check_unfit(
        &text(r#"(module (import "wasi_snapshot_preview1" "fd_levitate" (func)) (memory (export "memory") 1) (func (export "_start")))"#),
        "imports wasi_snapshot_preview1.fd_levitate, which this host does not have",
    )
    .await;
    check_unfit(
        &text(r#"(module (import "wasi_snapshot_preview1" "fd_close" (func (param i64))) (memory (export "memory") 1) (func (export "_start")))"#),
        "fd_close",
    )
    .await;
    check_unfit(&text(r#"(module (memory (export "memory") 1))"#), "exports no _start").await;
    for (from, says) in [
        ("env", "with a WASI toolchain"),
        ("gojs", "GOOS=wasip1"),
        ("wbg", "without wasm-bindgen"),
        ("wasi_unstable", "the WASI of 2019"),
        ("wasi:cli/exit@0.2.0", "preview 2"),
        ("elsewhere", "another host"),
    ] {
        check_unfit(&text(&format!("(module (import \"{from}\" \"x\" (func)))")), says).await;
    }
    check_unfit(&text("(module (memory 1 1 shared))"), "needs threads").await;
    check_unfit(&text(r#"(module (import "env" "memory" (memory 1 1 shared)))"#), "threads").await;
    check_unfit(&text("(module (memory i64 1))"), "64-bit memory").await;
    check_unfit(
        &text(r#"(module (tag) (memory (export "memory") 1) (func (export "_start") try catch_all end))"#),
        "exceptions in their first form",
    )
    .await;
    check_unfit(&text("(module (type (struct)))"), "garbage collector").await;
    check_unfit(&text(r#"(module (func (export "_start")))"#), "exports no memory").await;
}

#[tokio::test]
async fn a_large_table_and_large_data_are_no_obstacle() {
    let text = format!(
        r#"(module (memory (export "memory") 40) (table 200000 funcref)
            (data (i32.const 0) "{}") (func (export "_start")))"#,
        "x".repeat(2 << 20)
    );
    let outcome = run(Limits::default(), wat::parse_str(text).expect("a module")).await;
    assert_eq!(outcome.ending, Ending::Exited(0));
}

/// Returns a program with a tag `$e` that carries a number, around the body of `_start`.
fn throwing(functions: &str, body: &str) -> Vec<u8> {
    program(&[], &format!("(tag $e (param i32)) {functions}"), body)
}

/// Returns the message of the trap that ended a program.
fn trap(outcome: &Outcome) -> &str {
    match &outcome.ending {
        Ending::Threw(error) if error.name == "Trap" => &error.message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn exceptions_are_caught_with_their_values() {
    let caught = throwing(
        "(func $throw (throw $e (i32.const 7)))",
        "(call $exit (block $caught (result i32)
            (try_table (catch $e $caught) (call $throw))
            (unreachable)))",
    );
    assert_eq!(run(Limits::default(), caught).await.ending, Ending::Exited(7));
    let uncaught = throwing("", "(throw $e (i32.const 7))");
    assert_eq!(trap(&run(Limits::default(), uncaught).await), "the program failed: aborted");
}

/// T-CELL-001.
#[tokio::test]
async fn no_end_of_a_program_is_an_exception_that_it_catches() {
    let forever = "(loop $again
        (block $caught (try_table (catch_all $caught) (loop $l (br $l))))
        (br $again))";
    let outcome = run(short(), throwing("", forever)).await;
    assert!(matches!(outcome.ending, Ending::Stopped(Exhausted::Time { .. })));
    let end = |what: &str| {
        let body = format!("(block $caught (try_table (catch_all $caught) {what}) (unreachable))");
        throwing("(func $deep (call $deep))", &format!("{body} (call $exit (i32.const 1))"))
    };
    let exits = run(Limits::default(), end("(call $exit (i32.const 9))")).await;
    assert_eq!(exits.ending, Ending::Exited(9));
    for what in ["(unreachable)", "(drop (i32.div_u (i32.const 1) (i32.const 0)))"] {
        let outcome = run(Limits::default(), end(what)).await;
        assert!(trap(&outcome).starts_with("the program failed: "), "{what}");
    }
    let deep = run(Limits::default(), end("(call $deep)")).await.ending;
    assert!(matches!(deep, Ending::Stopped(Exhausted::Limit { limit: Limit::Stack, .. })));
}

/// T-PROC-001.
#[tokio::test]
async fn exceptions_are_memory_of_the_program() {
    let round = "(block $caught (result i32)
        (try_table (catch $e $caught) (throw $e (local.get $n))) (unreachable))";
    // Those that are caught are freed.
    let caught = throwing(
        &format!(
            "(func $rounds (local $n i32) (loop $l
                (drop {round})
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if $l (i32.lt_u (local.get $n) (i32.const 300000)))))"
        ),
        "(call $rounds) (call $exit (i32.const 3))",
    );
    assert_eq!(run(Limits::default(), caught).await.ending, Ending::Exited(3));
    // Those that are kept count.
    let kept = throwing(
        "(table $kept 0 exnref)
        (func $rounds (local $e exnref) (loop $l
            (local.set $e (block $caught (result exnref)
                (try_table (catch_all_ref $caught) (throw $e (i32.const 1))) (unreachable)))
            (drop (table.grow $kept (local.get $e) (i32.const 1)))
            (br $l)))",
        "(call $rounds)",
    );
    let limits = Limits::default().with_time(Duration::from_secs(20)).with_memory_bytes(8 << 20);
    let outcome = run(limits, kept).await;
    assert!(!matches!(outcome.ending, Ending::Exited(_)), "{:?}", outcome.ending);
    assert!(!matches!(outcome.ending, Ending::Stopped(Exhausted::Time { .. })));
}

/// Returns a program that spawns `/bomb` forever, and exits with 9 when it is refused.
fn bomb() -> Vec<u8> {
    let request = spawn(b"/bomb", vec![]);
    let len = request.len();
    program(
        &[(0x1000, request)],
        "",
        &format!(
            "(loop $l
                (drop (call $call (i32.const 0x1000) (i32.const {len})))
                (br_if $l (i32.eqz (i32.load8_u (i32.const 0x8000)))))
            (call $exit (i32.const 9))"
        ),
    )
}

/// T-PROC-006.
#[tokio::test]
async fn a_fork_bomb_is_a_limit() {
    let sandbox = sandbox(Limits::default().with_time(Duration::from_secs(5)));
    install(&sandbox, "/bomb", &bomb());
    let began = Instant::now();
    let outcome = sandbox.run_program(Command::new("/bomb")).await.expect("an outcome");
    let limit = Exhausted::Limit { limit: Limit::Processes, allowed: 64, wanted: None };
    assert_eq!(outcome.ending, Ending::Stopped(limit));
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// Returns a program that makes a pipe (descriptors 3 and up, whichever are free), starts `/child`
/// with `fds`, then runs `body`.
fn parent(fds: Vec<(u32, u32)>, body: &str) -> Vec<u8> {
    let pipe = request(ProgramCall::PipeNew, |_| {});
    let spawn = spawn(b"/child", fds);
    let wait = request(ProgramCall::ProcessWait, |w| {
        w.u32(0).u8(0);
    });
    let lens = (pipe.len(), spawn.len(), wait.len());
    program(
        &[(0x1000, pipe), (0x1100, spawn), (0x1400, wait)],
        &format!(
            "(func $pipe (drop (call $call (i32.const 0x1000) (i32.const {}))))
            (func $spawn (drop (call $call (i32.const 0x1100) (i32.const {})))
                (if (i32.load8_u (i32.const 0x8000)) (then (call $exit (i32.const 77)))))
            (func $wait (result i32)
                (drop (call $call (i32.const 0x1400) (i32.const {})))
                (i32.load (i32.const 0x8009)))",
            lens.0, lens.1, lens.2
        ),
        body,
    )
}

#[tokio::test]
async fn a_child_writes_to_its_parent() {
    let sandbox = sandbox(Limits::default());
    let child = program(
        &[(64, b"from the child".to_vec())],
        "",
        "(drop (call $print (i32.const 1) (i32.const 64) (i32.const 14)))",
    );
    install(&sandbox, "/child", &child);
    // The pipe has descriptors 4 (read) and 5 (write), since 3 is the root.
    let parent = parent(
        vec![(1, 5)],
        "(call $pipe) (call $spawn) (drop (call $close (i32.const 5)))
        (loop $more
            (drop (call $take (i32.const 4) (i32.const 0x2000) (i32.const 100)))
            (if (i32.load (i32.const 24)) (then
                (drop (call $print (i32.const 1) (i32.const 0x2000) (i32.load (i32.const 24))))
                (br $more))))
        (call $exit (call $wait))",
    );
    let outcome = sandbox.run_program(Command::wasm("parent", parent)).await.expect("an outcome");
    assert_eq!(outcome.ending, Ending::Exited(0), "{}", outcome.stderr.text());
    assert_eq!(outcome.stdout.text(), "from the child");
}

#[tokio::test]
async fn who_writes_to_nobody_is_killed_by_the_pipe() {
    let sandbox = sandbox(Limits::default());
    let child = program(
        &[],
        "",
        "(loop $l (drop (call $print (i32.const 1) (i32.const 64) (i32.const 4096))) (br $l))",
    );
    install(&sandbox, "/child", &child);
    let parent = parent(
        vec![(1, 5)],
        "(call $pipe) (call $spawn) (drop (call $close (i32.const 5)))
        (drop (call $take (i32.const 4) (i32.const 0x2000) (i32.const 1)))
        (drop (call $close (i32.const 4)))
        (call $exit (i32.sub (call $wait) (i32.const 256)))",
    );
    let outcome = sandbox.run_program(Command::wasm("parent", parent)).await.expect("an outcome");
    assert_eq!(outcome.ending, Ending::Exited(13));
}

/// T-PROC-009.
#[tokio::test]
async fn whoever_waits_on_a_pipe_for_ever_ends_at_the_deadline() {
    let waiting = parent(
        vec![],
        "(call $pipe) (drop (call $take (i32.const 4) (i32.const 0x2000) (i32.const 1)))",
    );
    let outcome = run(short(), waiting).await;
    assert_eq!(outcome.exit_code(), 124);
}

/// T-PROC-009.
#[tokio::test]
async fn a_whole_tree_of_loops_ends_at_the_deadline() {
    let sandbox = sandbox(short());
    install(&sandbox, "/child", &program(&[], "", "(loop $l (br $l))"));
    let parent =
        parent(vec![], "(call $spawn) (call $spawn) (call $spawn) (call $exit (call $wait))");
    let outcome = sandbox.run_program(Command::wasm("parent", parent)).await.expect("an outcome");
    assert_eq!(outcome.exit_code(), 124);
}

/// T-PROC-009.
#[tokio::test]
async fn children_that_nobody_hears_end_with_the_first_process() {
    let sandbox = sandbox(Limits::default());
    install(&sandbox, "/child", &program(&[], "", "(loop $l (br $l))"));
    let parent = parent(vec![], "(call $spawn)");
    let outcome = sandbox.run_program(Command::wasm("parent", parent)).await.expect("an outcome");
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert!(outcome.duration < Duration::from_secs(5));
}

/// Modules are compiled on threads of their own, so a run that waits for one ends in time.
/// T-PROC-002.
#[tokio::test]
async fn a_module_that_is_slow_to_compile_ends_at_the_deadline() {
    let step = "(local.set 0 (i64.add (i64.mul (local.get 0) (i64.const 3)) (local.get 1)))\n";
    let slow = |n| format!("(func $f{n} (param i64 i64) {})\n", step.repeat(5000));
    let functions: String = (0..40).map(slow).collect();
    let limits = Limits::default().with_time(Duration::from_millis(1));
    let module = program(&[], &functions, "");
    let outcome = sandbox(limits).run_program(Command::wasm("slow", module)).await;
    let ending = outcome.expect("an outcome").ending;
    assert!(matches!(ending, Ending::Stopped(Exhausted::Time { .. })), "{ending:?}");
}

/// T-PROC-010.
#[tokio::test]
async fn a_program_that_is_denied_does_not_start() {
    struct Nothing;
    impl Policy for Nothing {
        fn may_exec(&self, program: &str, _: &[&[u8]]) -> Result<Exec, Denied> {
            Err(Denied { message: format!("{program}: not allowed here") })
        }
    }
    let policy = std::sync::Arc::new(Nothing);
    let sandbox = Sandbox::builder().policy(policy).build().expect("a sandbox");
    install(&sandbox, "/child", &program(&[], "", ""));
    let outcome = sandbox.run_program(Command::new("/child")).await.expect("an outcome");
    assert_eq!(outcome.error().expect("an error").message, "/child: not allowed here");
}

/// A policy that denies one program by its name.
struct Except(&'static str);

impl Policy for Except {
    fn may_exec(&self, program: &str, _: &[&[u8]]) -> Result<Exec, Denied> {
        match program == self.0 {
            true => Err(Denied { message: format!("{program}: not allowed here") }),
            false => Ok(Exec::Granted),
        }
    }
}

fn with_policy(denies: &'static str, grants: &[&str]) -> Sandbox {
    let parse = |text: &&str| text.parse().expect("a capability");
    let builder = Sandbox::builder().policy(std::sync::Arc::new(Except(denies)));
    grants.iter().map(parse).fold(builder, SandboxBuilder::grant).build().expect("a sandbox")
}

async fn exit_code(sandbox: &Sandbox, shell: &str) -> u8 {
    sandbox.run_program(Command::shell(shell)).await.expect("an outcome").exit_code()
}

#[tokio::test]
async fn the_policy_and_the_grants_are_both_asked() {
    let sandbox = with_policy("true", &["process:exec:true", "process:exec:echo"]);
    assert_eq!(exit_code(&sandbox, "/usr/bin/echo x").await, 0, "both allow it");
    assert_eq!(exit_code(&sandbox, "/usr/bin/true").await, 126, "the policy denies it");
    let outcome = sandbox.run_program(Command::shell("/usr/bin/sort")).await.expect("an outcome");
    let Ending::Denied(denied) = &outcome.ending else { panic!("{:?}", outcome.ending) };
    assert_eq!(denied.required_permission(), "process:exec:sort", "the grants deny it");
}

#[tokio::test]
async fn the_policy_is_asked_about_commands_of_tools() {
    let sandbox = with_policy("true", &["process:exec:true", "process:exec:echo"]);
    let source = "const run = (name) => btcp.exec(name).then((ran) => ran.exitCode)
        return [await run('/usr/bin/echo x'), await run('/usr/bin/true')]";
    let outcome = sandbox.run(&Tool::javascript(source)).await.expect("an outcome");
    assert_eq!(outcome.result_json(), Some(serde_json::json!([0, 126])), "{:?}", outcome.error());
}

#[tokio::test]
async fn a_sandbox_that_was_restricted_stays_restricted() {
    let sandbox = Sandbox::new().expect("a sandbox");
    assert_eq!(exit_code(&sandbox, "echo x | /usr/bin/sort").await, 0, "nothing is restricted");
    let terms = Terms::new("process:exec:ls".parse().expect("a capability"), Span::Session);
    let grant = sandbox.grant(terms).expect("a grant");
    assert_eq!(exit_code(&sandbox, "/usr/bin/ls /").await, 0);
    assert_ne!(exit_code(&sandbox, "echo x | /usr/bin/sort").await, 0);
    sandbox.permissions().revoke(&grant.id, "test").expect("revoked");
    for sandbox in [sandbox.fork().expect("a fork"), sandbox] {
        assert_ne!(exit_code(&sandbox, "/usr/bin/ls /").await, 0, "revoked");
        assert_ne!(exit_code(&sandbox, "echo x | /usr/bin/sort").await, 0, "never granted");
    }
}

#[tokio::test]
async fn a_grant_that_is_used_up_opens_nothing() {
    let sandbox = Sandbox::new().expect("a sandbox");
    let terms = Terms::new("process:exec:ls".parse().expect("a capability"), Span::Once);
    sandbox.grant(terms).expect("a grant");
    assert_eq!(exit_code(&sandbox, "/usr/bin/ls /").await, 0);
    for shell in ["/usr/bin/ls /", "echo x | /usr/bin/sort"] {
        assert_ne!(exit_code(&sandbox, shell).await, 0, "{shell}");
    }
}

#[tokio::test]
async fn what_is_no_program_is_told_apart() {
    let sandbox = sandbox(Limits::default());
    sandbox.write_file("/plain", b"text").expect("room");
    install(&sandbox, "/text", b"text");
    for (path, says) in [
        ("/none", "/none: no such file or directory"),
        ("/tmp", "/tmp: permission denied"),
        ("/plain", "/plain: permission denied"),
        ("/text", "/text: exec format error"),
        ("none", "none: no such file or directory"),
    ] {
        let outcome = sandbox.run_program(Command::new(path)).await.expect("an outcome");
        assert_eq!(outcome.error().expect("an error").message, says);
    }
}

#[tokio::test]
async fn sleep_costs_no_time_on_a_fixed_clock() {
    // One subscription: a clock, relative, one hour.
    let mut subscription = vec![0; 48];
    subscription[16] = 1;
    subscription[24..32].copy_from_slice(&3_600_000_000_000u64.to_le_bytes());
    let sleep = program(
        &[(0x1000, subscription)],
        "",
        "(call $exit (call $poll (i32.const 0x1000) (i32.const 0x2000) (i32.const 1) (i32.const 24)))",
    );
    let clock = cofferdam::Clock::Fixed(0.0);
    let sandbox = Sandbox::builder().clock(clock).build().expect("a sandbox");
    let outcome = sandbox.run_program(Command::wasm("sleep", sleep)).await.expect("an outcome");
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert!(outcome.duration < Duration::from_secs(5), "{:?}", outcome.duration);
}

/// Runs the machine's git in a folder, without the settings of its user.
fn machine_git(folder: &Folder, script: &str) -> String {
    let output = std::process::Command::new("bash")
        .args(["-ec", script])
        .current_dir(folder.path())
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.com")])
        .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.com")])
        .output()
        .expect("bash");
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A repository that the machine's git made and packed, mounted writable.
#[tokio::test]
async fn git_and_the_machines_git_work_on_one_repository() {
    if std::process::Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let folder = Folder::new("git", 3);
    machine_git(
        &folder,
        "git init -q -b main .; seq 1 500 > n; git add .; git commit -qm one
        for i in 1 2 3; do echo $i >> n; git commit -qam \"change $i\"; done
        git tag -am v1 v1; git branch side; git gc -q; git config core.hooksPath /nowhere",
    );
    let sandbox = Sandbox::builder().mount("/repo", folder.open(), Mount::ReadWrite).build();
    let sandbox = sandbox.expect("a sandbox");
    let text = "cd /repo; git status -s; git log --format=%s -2; git show --stat --format=%s
        git config user.name Bob; git config user.email bob@example.com
        sed -i 1d n; echo new > new; git add -A; git commit -qm two
        git switch -q side; git merge -q main; git describe; git status -sb";
    let outcome = sandbox.run_program(Command::shell(text)).await.expect("an outcome");
    assert_eq!(outcome.stderr.text(), "");
    assert_eq!(
        outcome.stdout.text(),
        "change 3\nchange 2\nchange 3\n\n n | 1 +\n 1 file changed, 1 insertion(+)\nv1-1-g"
            .to_owned()
            + &machine_git(&folder, "git rev-parse --short HEAD")
            + "## side\n"
    );
    let left = machine_git(
        &folder,
        "git fsck --strict --no-dangling; git status -s; git log --format='%s %an' -2; git diff HEAD --stat",
    );
    assert_eq!(left, "two Bob\nchange 3 Ada\n");
}
