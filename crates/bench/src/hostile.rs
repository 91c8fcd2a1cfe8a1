//! Tools that have to be stopped: at their deadline, or at their memory limit.

use std::path::Path;
use std::time::{Duration, Instant};

use cofferdam::{Command, Error, Limits, Outcome, Sandbox, Tool};
use serde_json::{Value as Json, json};

use crate::{line, micros, read};

/// From the deadline to the moment the caller has the outcome.
pub(crate) async fn kill(programs: &Path) -> Result<(), Error> {
    overshoot("kill", programs, async |sandbox, source| {
        sandbox.run(&Tool::javascript(source)).await
    })
    .await
}

/// The same for the shell and its commands.
pub(crate) async fn kill_shell(programs: &Path) -> Result<(), Error> {
    overshoot("kill_shell", programs, async |sandbox, source| {
        sandbox.run_program(Command::shell(source)).await
    })
    .await
}

/// The payloads of one file, each stopped a hundred times.
async fn overshoot(
    battery: &str,
    programs: &Path,
    run: impl AsyncFn(&Sandbox, &str) -> Result<Outcome, Error>,
) -> Result<(), Error> {
    for (name, source) in payloads(&programs.join(format!("{battery}.json"))) {
        let mut samples = Vec::new();
        for round in 0..100 {
            // Not the same moment of the payload each time.
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

/// What each payload ends with under a limit of 64 MiB, and the most memory that the process had.
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

/// One line for `bench/run`, by a host that is still there.
fn survived(name: &str, unit: &str, samples: &mut [f64], note: &str) {
    let mut line = line(name, unit, samples);
    line["survived"] = json!(true);
    line["note"] = json!(note);
    println!("{line}");
}

/// Names and sources, in the order of the file.
fn payloads(file: &Path) -> Vec<(String, String)> {
    let all: Vec<Json> = serde_json::from_str(&read(file)).expect("an array of payloads");
    let member = |payload: &Json, name: &str| payload[name].as_str().expect("a text").to_owned();
    all.iter().map(|payload| (member(payload, "name"), member(payload, "source"))).collect()
}

/// The most memory that this process has had so far.
fn most_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
