//! Measurements that no peer has: frames, storage calls, idle cells, and runs that wait for
//! approval.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use cofferdam::permissions::{FromOutside, InMemory, Span, Terms};
use cofferdam::{Broker, Error, Limits, Pool, Run, Runtime, Sandbox, SandboxBuilder, Tool};

use crate::{micros, report};

pub(crate) async fn measure() -> Result<(), Error> {
    crate::frames::measure().await?;
    storage().await?;
    idle().await?;
    waiting().await?;
    Ok(())
}

/// Measures a granted, audited storage call from JavaScript: alone, and in a batch of 1,000, once
/// as descriptions and once as functions.
async fn storage() -> Result<(), Error> {
    const ALONE: &str = "const { localStorage } = btcp, samples = [];
        await localStorage.setItem('key', 'text');
        for (let round = 0; round < 300; round++) {
            const began = performance.now();
            for (let i = 0; i < 1000; i++) await localStorage.getItem('key');
            samples.push(performance.now() - began);
        }
        return samples;";
    const BATCH: &str = "const samples = [];
        await btcp.localStorage.setItem('key', 'text');
        const call = { method: 'localStorage.getItem', args: ['key'] };
        const calls = Array.from({ length: 1000 }, () => ({ ...call }));
        for (let round = 0; round < 300; round++) {
            const began = performance.now();
            await btcp.batch(calls);
            samples.push(performance.now() - began);
        }
        return samples;";
    const FUNCTIONS: &str = "const { localStorage } = btcp, samples = [];
        await localStorage.setItem('key', 'text');
        const calls = Array.from({ length: 1000 }, () => () => localStorage.getItem('key'));
        for (let round = 0; round < 300; round++) {
            const began = performance.now();
            await btcp.batch(calls);
            samples.push(performance.now() - began);
        }
        return samples;";
    let log = Arc::new(InMemory::new()?);
    let broker = Broker::setup(log.clone(), log).open()?;
    for (name, source) in [
        ("storage_call", ALONE),
        ("storage_call_in_batch_of_1000", BATCH),
        ("storage_call_in_batch_of_1000_functions", FUNCTIONS),
    ] {
        let mut builder = Sandbox::builder().broker(&broker);
        for capability in ["storage:local:read", "storage:local:write"] {
            builder = builder.grant(capability.parse().expect("a capability"));
        }
        let outcome = builder.build()?.run(&Tool::javascript(source)).await?;
        let Some(serde_json::Value::Array(samples)) = outcome.result_json() else {
            panic!("{name}: {:?}", outcome.error());
        };
        // Each sample is the milliseconds of 1,000 calls, which is the microseconds of one call.
        let mut samples: Vec<f64> = samples.iter().filter_map(|s| s.as_f64()).collect();
        report(name, "us", &mut samples, None);
    }
    Ok(())
}

/// Number of cells alive at once.
const CELLS: u32 = 10_000;

/// Measures the memory of 10,000 cells that wait for a timer.
async fn idle() -> Result<(), Error> {
    let sandbox = crowded(Sandbox::builder())?;
    let runs =
        begin(&sandbox, "await new Promise((done) => setTimeout(done, 3e6))", "idle").await?;
    drop(runs);
    Ok(())
}

/// Measures the memory of 10,000 runs that wait for approval on one thread, then approves them.
async fn waiting() -> Result<(), Error> {
    let builder = Sandbox::builder().file("/data/a", "x").approver(Arc::new(FromOutside));
    let sandbox = crowded(builder)?;
    let source = "return await require('fs').promises.readFile('/data/a', 'utf8')";
    let runs = begin(&sandbox, source, "waiting").await?;
    let began = Instant::now();
    sandbox.grant(Terms::new("fs:read:/data/**".parse().expect("a capability"), Span::Session))?;
    for run in runs {
        assert_eq!(run.await?.result_json(), Some("x".into()));
    }
    report("waiting_10000_go_on", "ms", &mut [micros(began.elapsed()) / 1e3], None);
    Ok(())
}

/// Returns a sandbox with room for [`CELLS`] runs.
fn crowded(builder: SandboxBuilder) -> Result<Sandbox, Error> {
    let runtime = Runtime::new(Pool { cells: CELLS, warm: 0 })?;
    let limits = Limits::default().with_time(Duration::from_secs(3600));
    builder.runtime(&runtime).limits(limits).build()
}

/// Starts [`CELLS`] runs, polls each until it blocks, and reports the memory that they take: at once,
/// and when they have waited so long that it is parked.
async fn begin(sandbox: &Sandbox, source: &str, what: &str) -> Result<Vec<Run>, Error> {
    let tool = Tool::javascript(source);
    let before = own_bytes();
    let mut runs: Vec<Run> = Vec::new();
    for number in 0..CELLS as usize {
        runs.push(sandbox.start(tool.clone())?);
        poll_each(&mut runs[number..]).await;
    }
    let grown = || own_bytes().saturating_sub(before) as f64;
    let each = || grown() / 1024.0 / f64::from(CELLS);
    report(&format!("{what}_cell_at_once"), "KiB", &mut [each()], None);
    rest(&mut runs).await;
    report(&format!("{what}_cells_10000"), "MiB", &mut [grown() / 1048576.0], None);
    report(&format!("{what}_cell"), "KiB", &mut [each()], None);
    Ok(runs)
}

/// Polls each run once; none may end.
pub(crate) async fn poll_each(runs: &mut [Run]) {
    for (number, run) in runs.iter_mut().enumerate() {
        let polled = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut *run).poll(cx))).await;
        if let Poll::Ready(ended) = polled {
            panic!("cell {number}: {ended:?}");
        }
    }
}

/// Waits until runs that wait have their memory parked.
pub(crate) async fn rest(runs: &mut [Run]) {
    let end = Instant::now() + Duration::from_secs(2);
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
        poll_each(runs).await;
    }
}

/// Returns the memory of this process, with its page tables. `Pss` counts the pages of an image that
/// many cells share once; `VmRSS` would count them once for each cell.
pub(crate) fn own_bytes() -> u64 {
    kibibytes("/proc/self/smaps_rollup", "Pss:") + kibibytes("/proc/self/status", "VmPTE:")
}

/// Reads a size from a file of the kernel, in bytes.
pub(crate) fn kibibytes(file: &str, label: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(label));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Measures a `cofferdam run` process of a one-line tool, from start to exit.
pub(crate) fn process() -> Result<(), Error> {
    let program = std::env::current_exe().ok().and_then(|me| Some(me.parent()?.join("cofferdam")));
    let Some(program) = program.filter(|program| program.exists()) else { return Ok(()) };
    let tool = std::env::temp_dir().join(format!("cofferdam-bench-{}.js", std::process::id()));
    if std::fs::write(&tool, "return 1+1").is_err() {
        return Ok(());
    }
    let mut samples = Vec::new();
    for _ in 0..100 {
        let began = Instant::now();
        let output = std::process::Command::new(&program).arg("run").arg(&tool).output();
        samples.push(micros(began.elapsed()) / 1e3);
        assert!(output.is_ok_and(|output| output.stdout == b"2\n"));
    }
    let _ = std::fs::remove_file(&tool);
    report("process", "ms", &mut samples, None);
    Ok(())
}
