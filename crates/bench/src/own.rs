//! Figures that no peer has: storage calls, idle cells.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam::permissions::InMemory;
use cofferdam::{Broker, Error, Limits, Pool, Run, Runtime, Sandbox, Tool};

use crate::{micros, report};

pub(crate) async fn measure() -> Result<(), Error> {
    storage().await?;
    idle().await?;
    Ok(())
}

/// One granted storage call, audit on, from JavaScript; alone, and each of a batch of 1,000.
async fn storage() -> Result<(), Error> {
    const ALONE: &str = "const { localStorage } = btcp, samples = [];
        await localStorage.setItem('key', 'text');
        for (let round = 0; round < 300; round++) {
            const began = performance.now();
            for (let i = 0; i < 1000; i++) await localStorage.getItem('key');
            samples.push(performance.now() - began);
        }
        return samples;";
    const BATCH: &str = "const { localStorage } = btcp, samples = [];
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
    for (name, source) in [("storage_call", ALONE), ("storage_call_in_batch_of_1000", BATCH)] {
        let mut builder = Sandbox::builder().broker(&broker);
        for capability in ["storage:local:read", "storage:local:write"] {
            builder = builder.grant(capability.parse().expect("a capability"));
        }
        let outcome = builder.build()?.run(&Tool::javascript(source)).await?;
        let Some(serde_json::Value::Array(samples)) = outcome.result_json() else {
            panic!("{name}: {:?}", outcome.error());
        };
        // Milliseconds for a thousand calls are microseconds for one.
        let mut samples: Vec<f64> = samples.iter().filter_map(|s| s.as_f64()).collect();
        report(name, "us", &mut samples, None);
    }
    Ok(())
}

/// Memory of 10,000 cells that wait for a timer.
async fn idle() -> Result<(), Error> {
    const CELLS: u32 = 10_000;
    let runtime = Runtime::new(Pool { cells: CELLS, warm: 0 })?;
    let limits = Limits { time: Duration::from_secs(3600), ..Limits::default() };
    let sandbox = Sandbox::builder().runtime(&runtime).limits(limits).build()?;
    let tool = Tool::javascript("await new Promise((done) => setTimeout(done, 3e6))");
    let before = own_bytes();
    let mut runs: Vec<Run> = Vec::new();
    for _ in 0..CELLS {
        let mut run = sandbox.start(tool.clone())?;
        let polled = std::future::poll_fn(|cx| {
            std::task::Poll::Ready(std::pin::Pin::new(&mut run).poll(cx))
        });
        match polled.await {
            std::task::Poll::Pending => runs.push(run),
            std::task::Poll::Ready(ended) => panic!("cell {}: {ended:?}", runs.len()),
        }
    }
    let grown = own_bytes().saturating_sub(before) as f64;
    report("idle_cells_10000", "MiB", &mut [grown / 1048576.0], None);
    report("idle_cell", "KiB", &mut [grown / 1024.0 / f64::from(CELLS)], None);
    drop(runs);
    Ok(())
}

/// What the process takes of the machine's memory. The pages of an image that many cells share
/// count once; `VmRSS` counts them once for each cell.
fn own_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// `cofferdam run` of a one-line tool, from start to exit.
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
