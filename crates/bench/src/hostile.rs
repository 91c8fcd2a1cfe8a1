//! Measures tools that must be stopped, at their deadline or at their memory limit.

use std::path::Path;
use std::time::{Duration, Instant};

use cofferdam::{Command, Error, Limits, Outcome, Sandbox, Tool};
use serde_json::{Value as Json, json};

use crate::{line, micros, read};

/// Measures the time from the deadline until the caller has the outcome.
pub(crate) async fn kill(programs: &Path) -> Result<(), Error> {
    overshoot("kill", programs, async |sandbox, source| {
        sandbox.run(&Tool::javascript(source)).await
    })
    .await
}

/// Measures the same as [`kill`] for the shell and its commands.
pub(crate) async fn kill_shell(programs: &Path) -> Result<(), Error> {
    overshoot("kill_shell", programs, async |sandbox, source| {
        sandbox.run_program(Command::shell(source)).await
    })
    .await
}

/// Runs each payload of `battery` a hundred times and reports how late it is stopped.
async fn overshoot(
    battery: &str,
    programs: &Path,
    run: impl AsyncFn(&Sandbox, &str) -> Result<Outcome, Error>,
) -> Result<(), Error> {
    for (name, source) in payloads(&programs.join(format!("{battery}.json"))) {
        let mut samples = Vec::new();
        for round in 0..100 {
            // Varies the deadline so that the payload is stopped at a different point each time.
            let time = Duration::from_millis(60 + round % 17);
            let limits = Limits::default().with_time(time).with_memory_bytes(1 << 30);
            let sandbox = Sandbox::builder().limits(limits).build()?;
            let began = Instant::now();
            let outcome = run(&sandbox, &source).await?;
            let over = began.elapsed().saturating_sub(time);
            assert_eq!(outcome.exit_code(), 124, "{name}: {:?}", outcome.error());
            samples.push(micros(over) / 1e3);
        }
        survived(&format!("{battery}/{name}"), "ms", &mut samples, "killed");
    }
    Ok(())
}

/// Reports the outcome of each payload under a limit of 64 MiB, and the peak memory of the process.
pub(crate) async fn memory(programs: &Path) -> Result<(), Error> {
    let limits = Limits::default().with_memory_bytes(64 << 20).with_time(Duration::from_secs(10));
    let sandbox = Sandbox::builder().limits(limits).build()?;
    for (name, source) in payloads(&programs.join("memory.json")) {
        let outcome = sandbox.run(&Tool::javascript(&source)).await?;
        let class = outcome.error_class().map_or("finished", |class| class.name());
        let ending = outcome.error().map_or_else(String::new, |error| error.name);
        let most = &mut [most_bytes() as f64 / 1048576.0];
        survived(&format!("memory/{name}"), "MiB", most, format!("{class} {ending}").trim());
    }
    Ok(())
}

/// Prints one line for `bench/run`, marked as a host that survived its payload.
fn survived(name: &str, unit: &str, samples: &mut [f64], note: &str) {
    let mut line = line(name, unit, samples);
    line["survived"] = json!(true);
    line["note"] = json!(note);
    println!("{line}");
}

/// Returns the name and source of each payload, in file order.
fn payloads(file: &Path) -> Vec<(String, String)> {
    let all: Vec<Json> = serde_json::from_str(&read(file)).expect("an array of payloads");
    let member = |payload: &Json, name: &str| payload[name].as_str().expect("a text").to_owned();
    all.iter().map(|payload| (member(payload, "name"), member(payload, "source"))).collect()
}

/// Returns the peak resident memory of this process.
fn most_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
