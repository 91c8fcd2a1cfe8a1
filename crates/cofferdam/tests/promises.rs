//! The numbers of SPECIFICATION.md. A process of its own, because it counts the memory of the
//! process.
//!
//! The best of many rounds is the cost of the program; the rest is other work of the machine.

#![cfg(target_os = "linux")]

mod computed;

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use computed::computed;

use cofferdam::{Command, Limits, Pool, Run, Runtime, Sandbox, Tool};

/// Longest time of a fresh cell: take it, compile and run `return 1 + 1`, drop it.
const START: Duration = Duration::from_millis(1);

/// Longest time from the deadline to the outcome.
const KILL: Duration = Duration::from_millis(10);

/// Longest time of a shell that prints a word, once its code is loaded.
const SHELL: Duration = Duration::from_millis(20);

/// Time that a cell which computes holds its thread: 5 ms, and the time to yield. Shorter times are
/// not whole slices, since the first slice begins in the middle.
const SLICE: std::ops::RangeInclusive<Duration> =
    Duration::from_millis(4)..=Duration::from_micros(7500);

/// Most memory of a cell that waits.
const IDLE: u64 = 1 << 20;

fn executor() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("an executor")
}

fn best(rounds: usize, mut round: impl FnMut() -> Duration) -> Duration {
    (0..rounds).map(|_| round()).min().unwrap_or_default()
}

/// Returns resident memory; pages that many cells share count once.
fn resident() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").expect("procfs");
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).expect("a line");
    line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).expect("a number") * 1024
}

#[test]
fn a_fresh_cell_starts_within_its_time() {
    let executor = executor();
    let sandbox = Sandbox::builder().build().expect("a sandbox");
    let tool = Tool::javascript("return 1 + 1");
    let took = best(200, || {
        let began = Instant::now();
        let outcome = executor.block_on(sandbox.run(&tool)).expect("an outcome");
        assert_eq!(outcome.exit_code(), 0);
        began.elapsed()
    });
    assert!(took < START, "{took:?}");
}

#[test]
fn a_shell_starts_within_its_time() {
    let executor = executor();
    let sandbox = Sandbox::builder().build().expect("a sandbox");
    let took = best(50, || {
        let began = Instant::now();
        let run = sandbox.run_program(Command::shell("echo hi"));
        let outcome = executor.block_on(run).expect("an outcome");
        assert_eq!(outcome.stdout.text(), "hi\n");
        began.elapsed()
    });
    assert!(took < SHELL, "{took:?}");
}

/// Checks that the tool ends at the time limit of this sandbox.
#[track_caller]
fn check_killed(sandbox: &Sandbox, source: &str, time: Duration) {
    let (executor, tool) = (executor(), Tool::javascript(source));
    let over = best(10, || {
        let began = Instant::now();
        let outcome = executor.block_on(sandbox.run(&tool)).expect("an outcome");
        assert_eq!(outcome.exit_code(), 124, "{source}: {:?}", outcome.error());
        began.elapsed().saturating_sub(time)
    });
    assert!(over < KILL, "{source} ended {over:?} late");
}

#[test]
fn a_loop_is_killed_within_its_time() {
    let time = Duration::from_millis(30);
    let limits = Limits::default().with_time(time);
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    for source in ["for (;;);", "for (;;) { try { for (;;); } finally { continue } }"] {
        check_killed(&sandbox, source, time);
    }
}

/// T-DOM-011.
#[test]
fn a_search_in_the_page_ends_with_its_run() {
    let time = Duration::from_millis(30);
    let limits = Limits::default().with_time(time);
    let read = "dom:read".parse().expect("a capability");
    // Each element compares itself with all before it, which takes longer than the time limit.
    let page = "<i></i>".repeat(2_000);
    let sandbox = Sandbox::builder().limits(limits).grant(read).page(page).build();
    let sandbox = sandbox.expect("a sandbox");
    check_killed(&sandbox, "for (;;) await btcp.dom.exists('b ~ i')", time);
}

/// `(loop (br 0))` in `_start`, with one page of memory.
const ENDLESS: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x05\x03\x01\0\x01\
    \x07\x13\x02\x06memory\x02\0\x06_start\0\0\x0a\x09\x01\x07\0\x03\x40\x0c\0\x0b\x0b";

#[test]
fn a_program_is_killed_within_its_time() {
    let executor = executor();
    let time = Duration::from_millis(30);
    let limits = Limits::default().with_time(time);
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    let over = best(10, || {
        let began = Instant::now();
        let run = sandbox.run_program(Command::wasm("endless", ENDLESS));
        let outcome = executor.block_on(run).expect("an outcome");
        assert_eq!(outcome.exit_code(), 124, "{:?}", outcome.error());
        began.elapsed().saturating_sub(time)
    });
    assert!(over < KILL, "it ended {over:?} late");
}

/// T-CELL-005.
#[test]
fn a_loop_gives_its_thread_back_after_each_slice() {
    let executor = executor();
    let time = Duration::from_millis(100);
    let limits = Limits::default().with_time(time);
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    let tool = Tool::javascript("for (;;);");
    let mut slices = Vec::new();
    for _ in 0..10 {
        executor.block_on(async {
            let mut run = sandbox.start(tool.clone()).expect("a run");
            std::future::poll_fn(|cx| {
                let (began, had) = (Instant::now(), computed());
                let polled = Pin::new(&mut run).poll(cx);
                if began.elapsed() >= *SLICE.start() {
                    slices.push(computed() - had);
                }
                polled
            })
            .await
            .expect("an outcome")
        });
    }
    slices.sort_unstable();
    // If the alarm itself waits for a processor, some slices are longer.
    let tenth = slices.get(slices.len() / 10).expect("a whole slice");
    assert!(tenth <= SLICE.end(), "{slices:?}");
}

/// T-CELL-001.
#[test]
fn a_long_fill_gives_its_thread_back() {
    let executor = executor();
    let limits = Limits::default().with_time(Duration::from_millis(60)).with_memory_bytes(2 << 30);
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    // Begins by filling a gibibyte with zeros, in one instruction of the guest.
    let cost = "{ N: 1 << 20, maxmem: 2e9 }";
    let tool = Tool::javascript(format!("require('crypto').scryptSync('a', 'b', 64, {cost})"));
    let mut longest = Duration::ZERO;
    let outcome = executor.block_on(async {
        let mut run = sandbox.start(tool).expect("a run");
        std::future::poll_fn(|cx| {
            let had = computed();
            let polled = Pin::new(&mut run).poll(cx);
            longest = longest.max(computed() - had);
            polled
        })
        .await
    });
    assert_eq!(outcome.expect("an outcome").exit_code(), 124);
    // The whole fill takes several times as long.
    assert!(longest < Duration::from_millis(100), "{longest:?}");
}

#[test]
fn a_waiting_cell_holds_no_more_than_its_share() {
    const CELLS: u32 = 500;
    let executor = executor();
    let runtime = Runtime::new(Pool { cells: CELLS, warm: 0 }).expect("a runtime");
    let sandbox = Sandbox::builder().runtime(&runtime).build().expect("a sandbox");
    let tool = Tool::javascript("await new Promise((done) => setTimeout(done, 3e6))");
    let before = resident();
    let mut runs: Vec<Run> = Vec::new();
    executor.block_on(async {
        for _ in 0..CELLS {
            let mut run = sandbox.start(tool.clone()).expect("a run");
            let polled = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut run).poll(cx)));
            assert!(polled.await.is_pending(), "it waits");
            runs.push(run);
        }
    });
    let each = resident().saturating_sub(before) / u64::from(CELLS);
    assert!(each < IDLE, "{each} bytes a cell");
}
