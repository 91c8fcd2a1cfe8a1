//! Measures bashkit. `bench/run` builds it into the cache and calls it as
//! `bench-bashkit shell PROGRAMS`; see `bench/README.md`.

use std::error::Error;
use std::time::{Duration, Instant};

use bashkit::Bash;
use serde_json::{Value, json};

/// Path of the input file inside the shell.
const INPUT: &str = "/data/in.txt";
/// Time after which no further samples are taken.
const BUDGET: Duration = Duration::from_secs(4);
const FEWEST: usize = 5;
const MOST: usize = 2000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, programs] = arguments.as_slice() else {
        return Err("usage: bench-bashkit shell PROGRAMS".into());
    };
    if what != "shell" {
        return Err(format!("no such measurement: {what}").into());
    }
    let input = std::fs::read_to_string(std::env::var("COFFERDAM_BENCH_INPUT")?)?;
    let scripts: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(format!("{programs}/shell.json"))?)?;
    for script in &scripts {
        let text = |key: &str| script[key].as_str().ok_or(format!("shell.json: no {key}"));
        let file = script["input"].as_bool().unwrap_or(false).then_some(input.as_str());
        measure(text("name")?, text("unit")?, text("script")?, file).await?;
    }
    Ok(())
}

/// Measures one script and prints its line.
async fn measure(name: &str, unit: &str, script: &str, file: Option<&str>) -> Result<(), Box<dyn Error>> {
    let mut samples = Vec::new();
    let mut check = once(script, file).await?;
    let began = Instant::now();
    while samples.len() < FEWEST || (samples.len() < MOST && began.elapsed() < BUDGET) {
        let start = Instant::now();
        check = once(script, file).await?;
        let took = start.elapsed().as_secs_f64();
        samples.push(if unit == "us" { took * 1e6 } else { took * 1e3 });
    }
    samples.sort_by(f64::total_cmp);
    let at = |part: f64| samples[((samples.len() as f64 * part) as usize).min(samples.len() - 1)];
    let line = json!({
        "peer": "bashkit", "version": version(), "name": format!("shell/{name}"), "unit": unit,
        "p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "n": samples.len(), "check": check,
    });
    println!("{line}");
    Ok(())
}

/// Runs the script in a new shell and returns its output.
async fn once(script: &str, file: Option<&str>) -> Result<String, Box<dyn Error>> {
    let mut builder = Bash::builder();
    if let Some(file) = file {
        builder = builder.mount_text(INPUT, file);
    }
    let result = builder.build().exec(script).await?;
    if result.exit_code != 0 {
        return Err(format!("{script}: exit code {}: {}", result.exit_code, result.stderr).into());
    }
    Ok(result.stdout.to_string())
}

/// Returns the version in the lock file, which is the version built.
fn version() -> &'static str {
    let mut lines = include_str!("../Cargo.lock").lines();
    lines.find(|line| *line == "name = \"bashkit\"");
    lines.next().and_then(|line| line.split('"').nth(1)).unwrap_or("unknown")
}
