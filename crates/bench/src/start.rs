//! Measurements of whole processes and of requests to `cofferdam rpc`, as ratios within one run.
//!
//! Everything is measured in turns, so that other load on the machine affects both sides of a ratio.
//! A ratio is the median of the ratios of all turns.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use cofferdam::permissions::{Discard, Grant, Holder, Ledger, RunId, Span, Terms, Timestamp};
use cofferdam::{Broker, Error, Sandbox, Tool};
use cofferdam_store::Store;
use serde_json::{Value as Json, json};

use crate::http::program;
use crate::{micros, report};

/// Processes of each kind.
const TURNS: usize = 60;

/// Requests of each kind, after those that warm up.
const REQUESTS: usize = 5_000;
const WARM: usize = 500;

/// Sizes of the stores that are compared.
const FEW: usize = 10;
const MANY: usize = 100_000;

pub(crate) async fn measure() -> Result<(), Error> {
    let Some(program) = program() else { return Ok(()) };
    let scratch = Scratch::new();
    processes(&program, &scratch);
    grants(&program, &scratch)?;
    requests(&program).await
}

/// A folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("cofferdam-start-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::write(path.join("tool.js"), "return 1+1").expect("a file");
        Scratch(path)
    }

    fn tool(&self) -> PathBuf {
        self.0.join("tool.js")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a process to its end; returns the milliseconds that it took.
fn timed(command: &mut Command, output: &[u8]) -> f64 {
    let began = Instant::now();
    let done = command.stdin(Stdio::null()).output().expect("a process");
    let took = micros(began.elapsed()) / 1e3;
    assert_eq!(done.stdout, output, "{}", String::from_utf8_lossy(&done.stderr));
    took
}

/// Measures processes that do nearly nothing, beside one that does nothing.
fn processes(program: &Path, scratch: &Scratch) {
    let home = scratch.0.join("home");
    let ours = |words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).env("XDG_DATA_HOME", &home);
        command
    };
    let tool = scratch.tool();
    let tool = tool.to_str().expect("a path");
    let mut taken = [const { Vec::new() }; 5];
    for turn in 0..=TURNS {
        let now = [
            timed(&mut Command::new("true"), b""),
            timed(&mut ours(&["--version"]), version().as_bytes()),
            timed(&mut ours(&["run", "--ephemeral", tool]), b"2\n"),
            timed(&mut ours(&["run", tool]), b"2\n"),
            timed(&mut ours(&["exec", "--ephemeral", "--", "true"]), b""),
        ];
        // The first turn makes the store, and copies in the cache.
        if turn > 0 {
            taken.iter_mut().zip(now).for_each(|(samples, took)| samples.push(took));
        }
    }
    let [bare, version, ephemeral, stored, exec] = &mut taken;
    ratio("start/run_per_true", ephemeral, bare);
    ratio("start/store_per_ephemeral", stored, ephemeral);
    report("start/exec_later", "ms", &mut later(exec, bare), None);
    for (name, samples) in [
        ("true", bare),
        ("version", version),
        ("run_ephemeral", ephemeral),
        ("run_with_store", stored),
        ("exec_true", exec),
    ] {
        report(&format!("start/{name}"), "ms", samples, None);
    }
}

fn version() -> String {
    format!("cofferdam {}\n", env!("CARGO_PKG_VERSION"))
}

fn ratio(name: &str, these: &[f64], those: &[f64]) {
    let mut ratios: Vec<_> = these.iter().zip(those).map(|(a, b)| a / b).collect();
    report(name, "x", &mut ratios, None);
}

fn later(these: &[f64], those: &[f64]) -> Vec<f64> {
    these.iter().zip(those).map(|(a, b)| a - b).collect()
}

/// Measures a run and the end of a run in stores with few and with many grants, for every tool and
/// for single tools.
fn grants(program: &Path, scratch: &Scratch) -> Result<(), Error> {
    for (holders, is_for_all) in [("all_tools", true), ("single_tools", false)] {
        let mut homes = Vec::new();
        for count in [FEW, MANY] {
            let home = scratch.0.join(format!("{holders}-{count}"));
            fill(&home.join("cofferdam/store.db"), count, is_for_all)?;
            homes.push(home);
        }
        let mut taken = [const { Vec::new() }; 2];
        for turn in 0..=TURNS {
            for (home, samples) in homes.iter().zip(&mut taken) {
                let mut command = Command::new(program);
                command.arg("run").arg(scratch.tool()).env("XDG_DATA_HOME", home);
                let took = timed(&mut command, b"2\n");
                if turn > 0 {
                    samples.push(took);
                }
            }
        }
        ratio(&format!("grants/{holders}/run_100000_per_10"), &taken[1], &taken[0]);
        let stores: Vec<Store> = homes
            .iter()
            .map(|home| Store::open(&home.join("cofferdam/store.db")))
            .collect::<Result<_, _>>()?;
        let mut taken = [const { Vec::new() }; 2];
        for turn in 0..TURNS {
            for (store, samples) in stores.iter().zip(&mut taken) {
                let id = format!("grt_{:0>10}", turn + 1).parse().expect("an id");
                let run: RunId = format!("run_{turn:0>10}").parse().expect("an id");
                if turn < FEW - 1 {
                    assert!(store.bind(&id, &run, Timestamp::now())?);
                }
                let began = Instant::now();
                store.end_run(&run)?;
                if turn < FEW - 1 {
                    samples.push(micros(began.elapsed()));
                }
            }
        }
        ratio(&format!("grants/{holders}/end_run_100000_per_10"), &taken[1], &taken[0]);
    }
    Ok(())
}

fn fill(path: &Path, count: usize, is_for_all: bool) -> Result<(), Error> {
    let store = Store::open(path)?;
    let broker = Broker::setup(Arc::new(store.clone()), Arc::new(Discard)).open()?;
    let first = broker.grant(Terms::new("fs:read:/first".parse().expect("valid"), Span::Always))?;
    let made = (1..count).map(|number| {
        let tool = (!is_for_all).then(|| format!("tool {number}").into());
        Grant {
            id: format!("grt_{number:0>10}").parse().expect("an id"),
            capability: format!("fs:read:/data/{number}/**").parse().expect("a capability"),
            span: if number < FEW { Span::Once } else { Span::Always },
            holder: Holder { tool, ..first.holder.clone() },
            ..first.clone()
        }
    });
    store.add_all(&made.collect::<Vec<_>>())?;
    Ok(())
}

/// A program that is ended when it is dropped.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Measures a request of `rpc` through two pipes, beside the same run in this process.
async fn requests(program: &Path) -> Result<(), Error> {
    let mut command = Command::new(program);
    let child = command.arg("rpc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut server = Ended(child.expect("the program"));
    let mut input = server.0.stdin.take().expect("piped");
    let mut output = BufReader::new(server.0.stdout.take().expect("piped"));
    let mut line = Vec::new();
    let (mut here, mut there, mut nothing, mut kept) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (kept_sandbox, kept_tool) = (Sandbox::new()?, Tool::javascript("return 1+1"));
    let broker =
        Broker::setup(Arc::new(cofferdam::permissions::InMemory::new()?), Arc::new(Discard));
    let broker = broker.open()?;
    for number in 0..WARM + REQUESTS {
        let mut ask = |method: &str, params: Json| {
            let id = number * 2 + usize::from(method == "exec");
            let text = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            let text = format!("{text}\n");
            let began = Instant::now();
            input.write_all(text.as_bytes()).expect("an open pipe");
            line.clear();
            output.read_until(b'\n', &mut line).expect("a line");
            let took = micros(began.elapsed());
            (took, serde_json::from_slice::<Json>(&line).expect("JSON"))
        };
        let (empty, _) = ask("cancel", json!({ "id": "none" }));
        let (took, answer) = ask("exec", json!({ "kind": "js", "code": "return 1+1" }));
        assert_eq!(answer["result"]["result"], 2, "{answer}");
        let began = Instant::now();
        let sandbox = Sandbox::builder().broker(&broker).build()?;
        let outcome = sandbox.run(&Tool::javascript("return 1+1")).await?;
        assert_eq!(outcome.result_json(), Some(json!(2)));
        drop(sandbox);
        let in_process = micros(began.elapsed());
        let began = Instant::now();
        assert_eq!(kept_sandbox.run(&kept_tool).await?.result_json(), Some(json!(2)));
        let in_kept = micros(began.elapsed());
        if number >= WARM {
            here.push(in_process);
            there.push(took);
            nothing.push(empty);
            kept.push(in_kept);
        }
    }
    drop(server);
    ratio("rpc/request_per_call", &there, &here);
    ratio("rpc/request_per_call_in_kept_sandbox", &there, &kept);
    report("rpc/request", "us", &mut there, None);
    report("rpc/request_without_a_run", "us", &mut nothing, None);
    report("rpc/in_process", "us", &mut here, None);
    report("rpc/in_kept_sandbox", "us", &mut kept, None);
    Ok(())
}
