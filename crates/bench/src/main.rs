//! Measures Cofferdam. `bench/run` calls it beside the peers; see `bench/README.md`.
//!
//! `cofferdam-bench MEASUREMENT PROGRAMS` prints one JSON object a line.

mod dom;
mod frames;
mod hostile;
mod http;
mod mcp;
mod own;
mod page;
mod python;
mod shell;
mod start;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cofferdam::{Ending, Error, Limits, Sandbox, Tool};
use serde_json::json;

const MEASUREMENTS: &str =
    "fresh|host_call|compute|dom|http|kill|kill_shell|memory|own|page|process|python|shell|start";

/// Environment variables that name the inputs given to all peers: lines for a pipeline, a page, and
/// the source of the library that reads the page.
const INPUT: &str = "COFFERDAM_BENCH_INPUT";
const PAGE: &str = "COFFERDAM_BENCH_PAGE";
const READABILITY: &str = "COFFERDAM_BENCH_READABILITY";

/// Reads the file named by an environment variable.
fn given(variable: &str) -> String {
    let path = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"));
    read(Path::new(&path))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let what = arguments.first().map_or("", String::as_str);
    let programs = arguments.get(1).map_or("bench/programs", String::as_str);
    let executor = tokio::runtime::Builder::new_current_thread().build();
    let Ok(executor) = executor else { return ExitCode::from(70) };
    let done = executor.block_on(async {
        match what {
            "fresh" => fresh().await,
            "host_call" => host_call().await,
            "compute" => compute(Path::new(programs)).await,
            "dom" => dom::measure().await,
            "http" => http::measure().await,
            "kill" => hostile::kill(Path::new(programs)).await,
            "kill_shell" => hostile::kill_shell(Path::new(programs)).await,
            "mcp" => mcp::measure(),
            "memory" => hostile::memory(Path::new(programs)).await,
            "own" => own::measure().await,
            "process" => own::process(),
            "python" => python::measure().await,
            "start" => start::measure().await,
            "page" => page::measure(&given(READABILITY), &given(PAGE)).await,
            "shell" => shell::measure(Path::new(programs), given(INPUT).as_bytes()).await,
            _ => {
                eprintln!("usage: cofferdam-bench {MEASUREMENTS} [PROGRAMS]");
                Ok(())
            }
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn fresh() -> Result<(), Error> {
    let sandbox = Sandbox::new()?;
    let tool = Tool::javascript("return 1+1");
    // A tool is compiled on its first run only, whereas the peers compile in every run.
    for (name, is_new) in [("fresh", false), ("fresh_new_tool", true)] {
        let mut samples = Vec::new();
        for round in 0..6000 {
            let began = Instant::now();
            let outcome = match is_new {
                true => sandbox.run(&Tool::javascript("return 1+1")).await?,
                false => sandbox.run(&tool).await?,
            };
            let took = began.elapsed();
            assert_eq!(outcome.result_json(), Some(json!(2)));
            if round >= 1000 {
                samples.push(micros(took));
            }
        }
        report(name, "us", &mut samples, None);
    }
    Ok(())
}

async fn host_call() -> Result<(), Error> {
    let sandbox = Sandbox::new()?;
    let tool = Tool::javascript(
        "const now = performance.now.bind(performance), samples = [];
        for (let round = 0; round < 300; round++) {
            const began = now();
            for (let i = 0; i < 1000; i++) now();
            samples.push(now() - began);
        }
        return samples;",
    );
    let outcome = sandbox.run(&tool).await?;
    let result = outcome.result_json().unwrap_or_default();
    let items = result.as_array().cloned().unwrap_or_default();
    // Each sample is the milliseconds of 1,000 calls, which is the microseconds of one call.
    let mut samples: Vec<f64> = items.iter().filter_map(serde_json::Value::as_f64).collect();
    report("host_call", "us", &mut samples, None);
    Ok(())
}

async fn compute(programs: &Path) -> Result<(), Error> {
    let limits = Limits::default().with_time(Duration::from_secs(60));
    let sandbox = Sandbox::builder().limits(limits).build()?;
    let mut files: Vec<_> = std::fs::read_dir(programs)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "js")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let source = std::fs::read_to_string(file).unwrap_or_default();
        let tool = Tool::javascript(source).named(format!("{name}.js"));
        let mut samples = Vec::new();
        let mut check = json!(null);
        for round in 0..8 {
            let outcome = sandbox.run(&tool).await?;
            if let Ending::Threw(error) = &outcome.ending {
                eprintln!("{name}: {}", error.message);
            }
            if round >= 3 {
                samples.push(micros(outcome.duration) / 1e3);
            }
            check = outcome.result_json().unwrap_or_default();
        }
        report(&format!("compute/{name}"), "ms", &mut samples, Some(check));
    }
    Ok(())
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Prints one line for `bench/run`.
fn report(name: &str, unit: &str, samples: &mut [f64], check: Option<serde_json::Value>) {
    let mut line = line(name, unit, samples);
    if let Some(check) = check {
        line["check"] = check;
    }
    println!("{line}");
}

fn line(name: &str, unit: &str, samples: &mut [f64]) -> serde_json::Value {
    samples.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let index = ((samples.len() as f64 - 1.0) * part).round() as usize;
        samples.get(index).copied().unwrap_or(f64::NAN)
    };
    json!({
        "peer": "cofferdam",
        "version": env!("CARGO_PKG_VERSION"),
        "name": name,
        "unit": unit,
        "p50": at(0.5),
        "p90": at(0.9),
        "p99": at(0.99),
        "n": samples.len(),
    })
}
