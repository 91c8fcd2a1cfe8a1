//! The numbers of SPECIFICATION.md, seen from outside: each test fails when its number changes.

use cofferdam::{Capability, Clock, Command, Limits, Outcome, Sandbox, Tool};
use cofferdam_caps::state::StateName;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let executor = tokio::runtime::Builder::new_current_thread().enable_time().build();
    executor.expect("an executor").block_on(future)
}

fn program(sandbox: &Sandbox, command: Command) -> Outcome {
    block_on(sandbox.run_program(command)).expect("an outcome")
}

fn sh(sandbox: &Sandbox, text: &str) -> String {
    let outcome = program(sandbox, Command::shell(text));
    outcome.stdout.text() + &outcome.stderr.text()
}

fn tool(source: &str, grants: &[&str]) -> serde_json::Value {
    let limits = Limits::default().with_memory_bytes(256 << 20);
    let builder = Sandbox::builder().limits(limits);
    let builder = grants.iter().fold(builder, |b, name| b.grant(name.parse().expect("a name")));
    let sandbox = builder.build().expect("a sandbox");
    let outcome = block_on(sandbox.run(&Tool::javascript(source))).expect("an outcome");
    outcome.result_json().unwrap_or_else(|| panic!("{:?}", outcome.error()))
}

#[test]
fn a_cell_has_four_gigabytes_at_most() {
    let mut limits = Limits::default();
    limits.set("memoryBytes", u64::MAX).expect("a limit");
    assert_eq!(limits.memory_bytes(), 4 << 30);
}

#[test]
fn limits_that_would_let_nothing_run_are_refused() {
    for name in cofferdam::Limit::SETTABLE.iter().map(|limit| limit.name()) {
        let needs_one = ["timeoutMs", "memoryBytes", "processes"].contains(&name);
        assert_eq!(Limits::default().set(name, 0).is_err(), needs_one, "{name}");
    }
}

/// Opens its root repeatedly, and exits with the number of successes minus 100.
const OPENER: &str = r#"(module
    (import "wasi_snapshot_preview1" "path_open"
        (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (data (i32.const 64) ".")
    (func (export "_start") (local $count i32)
        (loop $more
            (if (i32.eqz (call $open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 1)
                    (i32.const 2) (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 128)))
                (then
                    (local.set $count (i32.add (local.get $count) (i32.const 1)))
                    (br $more))))
        (call $exit (i32.sub (local.get $count) (i32.const 100)))))"#;

/// T-PROC-008.
#[test]
fn a_process_has_256_descriptors() {
    let opener = Command::wasm("opener", wat::parse_str(OPENER).expect("a module"));
    let outcome = program(&Sandbox::new().expect("a sandbox"), opener);
    // Four are open from the start: the standard streams and the root.
    assert_eq!(u32::from(outcome.exit_code()) + 100, 256 - 4, "{:?}", outcome.error());
}

/// Writes into a pipe on a fixed clock, where time passes only when no process can go on: the
/// reader wakes when the writer is done or blocked.
fn is_done_writing(bytes: u32) -> String {
    let sandbox = Sandbox::builder().clock(Clock::Fixed(0.0)).build().expect("a sandbox");
    let writer = format!("{{ head -c {bytes} /dev/zero; touch /tmp/done; }}");
    sh(&sandbox, &format!("{writer} | {{ sleep 1; ls /tmp; wc -c; }}"))
}

/// T-PROC-008.
#[test]
fn a_pipe_holds_64_kib() {
    assert_eq!(is_done_writing(65_536), "done\n65536\n");
    assert_eq!(is_done_writing(65_537), "65537\n");
}

/// T-PROC-008.
#[test]
fn arguments_and_variables_have_2_mib_together() {
    let sandbox = Sandbox::new().expect("a sandbox");
    let echo = |bytes: usize, variables: usize| {
        let command = Command::new("/usr/bin/true").arg(vec![b'a'; bytes]);
        program(&sandbox, command.env("V", "v".repeat(variables))).exit_code()
    };
    let room = 4096;
    assert_eq!(echo((2 << 20) - room, 0), 0);
    assert_eq!(echo((1 << 20) - room, 1 << 20), 0);
    assert_ne!(echo(2 << 20, 0), 0);
    assert_ne!(echo(1 << 20, 1 << 20), 0);
}

#[test]
fn an_area_of_storage_has_5_mib() {
    for area in ["local", "session"] {
        // An entry is charged 64 bytes in addition to its key and its text.
        let source = format!(
            "const seen = []
            for (const length of [5 * 1024 * 1024 - 65, 5 * 1024 * 1024 - 64]) {{
                const set = async () => btcp.{area}Storage.setItem('k', 'x'.repeat(length))
                seen.push(await set().then(() => 'set', (error) => error.name))
            }}
            return seen"
        );
        let seen = tool(&source, &[&format!("storage:{area}:write")]);
        assert_eq!(seen, serde_json::json!(["set", "QuotaExceededError"]), "{area}");
    }
}

/// T-CELL-009.
#[test]
fn a_tool_has_10_000_timers() {
    let source = "let count = 0
        try { for (;;) { setTimeout(() => {}, 1e9).unref(); count++ } } catch { return count }";
    assert_eq!(tool(source, &[]), 10_000);
}

#[test]
fn a_capability_has_16_384_bytes_and_a_name_4_096() {
    let capability = |len: usize| {
        let text = format!("state:read:{}", "n".repeat(len - "state:read:".len()));
        text.parse::<Capability>().is_ok()
    };
    assert!(capability(16_384) && !capability(16_385));
    let name = |len: usize| "n".repeat(len).parse::<StateName>().is_ok();
    assert!(name(4_096) && !name(4_097));
}
