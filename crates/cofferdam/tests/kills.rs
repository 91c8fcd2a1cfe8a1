//! A thousand kills in a row. A process of its own, because it counts the memory and the threads of
//! the whole process.

#![cfg(target_os = "linux")]

use cofferdam::{Ending, Exhausted, Sandbox, Stream, Tool, Value};
use std::sync::Arc;

/// Kills before the first measurement: pools and caches fill up once.
const WARM_UP: usize = 100;

const KILLS: usize = 1000;

/// Growth that is not a leak: allocators keep some of the memory that was freed.
const GROWTH: u64 = 32 << 20;

fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("procfs");
    let pages: u64 = statm.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a number");
    pages * 4096
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("procfs").count()
}

/// T-CELL-001.
#[test]
fn a_thousand_kills_leave_no_memory_and_no_thread() {
    // Each tool fills some memory, so that a leak shows. One after the other, because both count.
    for tool in [
        Tool::javascript(
            "const kept = new Uint8Array(1e6).fill(1); console.log('begun'); for (;;);",
        ),
        Tool::python("kept = bytearray(b'x') * 1000000\nprint('begun')\nwhile True: pass"),
    ] {
        check(&tool);
    }
}

fn check(tool: &Tool) {
    let executor = tokio::runtime::Builder::new_current_thread().build().expect("an executor");
    executor.block_on(async {
        let (said, mut begun) = tokio::sync::mpsc::unbounded_channel();
        let watcher = Arc::new(move |_: Stream, _: &[u8]| {
            let _ = said.send(());
        });
        let sandbox = Sandbox::builder().watcher(watcher).build().expect("a sandbox");
        let mut before = None;
        for kill in 0..WARM_UP + KILLS {
            if kill == WARM_UP {
                before = Some((resident(), threads()));
            }
            let run = sandbox.start(tool.clone()).expect("a run");
            let canceller = run.canceller();
            let (outcome, ()) = tokio::join!(run, async {
                begun.recv().await.expect("it begins");
                canceller.cancel();
            });
            let ending = outcome.expect("an outcome").ending;
            assert!(matches!(ending, Ending::Stopped(Exhausted::Cancelled { .. })), "{ending:?}");
        }
        let (memory, tasks) = before.expect("a look before");
        let grown = resident().saturating_sub(memory);
        assert!(grown <= GROWTH, "{KILLS} kills took {grown} bytes");
        assert!(threads() <= tasks, "{} threads, {tasks} before", threads());
        let outcome = sandbox.run(&Tool::javascript("return 1 + 1")).await.expect("an outcome");
        assert_eq!(outcome.ending, Ending::Returned(Value::Number(2.0)));
    });
}
