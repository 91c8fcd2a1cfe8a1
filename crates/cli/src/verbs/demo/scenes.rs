//! The scenes. Each makes a sandbox, runs something in it and shows the outcome.

use std::time::{Duration, Instant};

use cofferdam::permissions::{Span, Terms};
use cofferdam::{Capability, Command, Ending, Error, Limits, Sandbox, Tool};

use super::stage::Stage;
use crate::paint::Tone;

const TOOL: &str = "const words = args.text.split(' ');
console.log('counting', words.length, 'words');
return Object.fromEntries(words.map((word) => [word, word.length]));";

pub(super) async fn tool(stage: &mut Stage) -> Result<(), Error> {
    stage.scene(
        "A tool runs in a fresh cell",
        "JavaScript that a model wrote, with arguments; the result is JSON.",
    );
    stage.code(TOOL);
    let args = serde_json::json!({ "text": "a cofferdam keeps the water out" });
    let tool = Tool::javascript(TOOL).args(args);
    stage.outcome(&Sandbox::new()?.run(&tool).await?);
    Ok(())
}

const READER: &str =
    "const text = await require('fs').promises.readFile('/data/prices.csv', 'utf8');
return text.trim().split('\\n').length;";

pub(super) async fn grant(stage: &mut Stage) -> Result<(), Error> {
    stage.scene(
        "Nothing is allowed by default, and a denial names the capability to grant",
        "The tool may only compute. It is then granted one file for one call, which uses the grant up.",
    );
    stage.code(READER);
    let sandbox = Sandbox::builder().file("/data/prices.csv", "tea,3\nmilk,2\n").build()?;
    let tool = Tool::javascript(READER);
    let denied = sandbox.run(&tool).await?;
    stage.outcome(&denied);
    let Ending::Denied(error) = &denied.ending else { return Ok(()) };
    if let Ok(capability) = error.required_permission().parse::<Capability>() {
        let granted = sandbox.grant(Terms::new(capability, Span::Once))?;
        stage.fact("granted", Tone::Good, &cofferdam::visible(&granted.capability.to_string()));
    }
    stage.outcome(&sandbox.run(&tool).await?);
    stage.outcome(&sandbox.run(&tool).await?);
    Ok(())
}

const LOOP: &str = "let n = 0;
for (;;) try { while (true) n++; } finally { continue; }";

const REGEXP: &str = "return /^(a+)+$/.test('a'.repeat(40) + '!');";

pub(super) async fn kill(stage: &mut Stage) -> Result<(), Error> {
    stage.scene(
        "A loop ends at its time limit of 200 ms",
        "It catches what it can; there is nothing to catch. Nor is there a place inside a regular \
         expression where it could hide.",
    );
    let limits = Limits::default().with_time(Duration::from_millis(200));
    let sandbox = Sandbox::builder().limits(limits).build()?;
    for source in [LOOP, REGEXP] {
        stage.code(source);
        stage.outcome(&sandbox.run(&Tool::javascript(source)).await?);
    }
    Ok(())
}

const BOMB: &str = "let text = ['x'];
for (;;) text = text.concat(text);";

const AFTER: &str = "return typeof text";

pub(super) async fn memory(stage: &mut Stage) -> Result<(), Error> {
    stage.scene(
        "A memory bomb ends at its limit of 64 MiB",
        "The host program goes on, and the next call gets a fresh, empty cell.",
    );
    let sandbox = Sandbox::new()?;
    for source in [BOMB, AFTER] {
        stage.code(source);
        stage.outcome(&sandbox.run(&Tool::javascript(source)).await?);
    }
    Ok(())
}

const PIPELINE: &str =
    "awk '{ print $2 }' /var/log/access.log | sort | uniq -c | sort -rn | head -3 | tee top";

/// Lines of the generated log.
const REQUESTS: usize = 2000;

pub(super) async fn shell(stage: &mut Stage) -> Result<(), Error> {
    stage.scene(
        "A pipeline over files of the sandbox",
        "Six processes, each in a cell of its own; no process of this machine is started.",
    );
    stage.code(PIPELINE);
    let pages = ["/index", "/cart", "/index", "/search", "/index", "/cart", "/about"];
    let line = |n: usize| format!("10.0.0.{} {} 200\n", n % 250, pages[n % pages.len()]);
    let log: String = (0..REQUESTS).map(line).collect();
    let sandbox = Sandbox::builder().file("/var/log/access.log", log).build()?;
    stage.outcome(&sandbox.run_program(Command::shell(PIPELINE).stdin("")).await?);
    Ok(())
}

const PAGE: &str = "<!DOCTYPE html><title>Shop</title>
<table id=prices><tr><td>tea<td>3<tr><td>milk<td>2</table>
<form id=login><input name=password value=hunter2></form>";

const SCRAPER: &str = "const cells = await btcp.dom.querySelectorAll('td');
console.log(await btcp.dom.exists('#login') ? 'there is a login' : 'no login to be seen');
return cells.map((cell) => cell.text);";

pub(super) async fn page(stage: &mut Stage) -> Result<(), Error> {
    stage.scene(
        "A tool sees the part of a page that it was granted",
        "It was granted dom:read:#prices, and gets copies of that table and nothing else of the page.",
    );
    stage.code(PAGE);
    stage.code(SCRAPER);
    let mut builder = Sandbox::builder().page(PAGE);
    if let Ok(capability) = "dom:read:#prices".parse() {
        builder = builder.grant(capability);
    }
    stage.outcome(&builder.build()?.run(&Tool::javascript(SCRAPER)).await?);
    Ok(())
}

pub(super) async fn fork(stage: &mut Stage) -> Result<(), Error> {
    stage.scene(
        "A sandbox is forked, and restored to a snapshot",
        "A fork shares what neither has changed; it costs the same for any content.",
    );
    let sandbox = Sandbox::new()?;
    let show = async |stage: &Stage, sandbox: &Sandbox, script: &str| {
        stage.code(script);
        let outcome = sandbox.run_program(Command::shell(script).stdin("")).await?;
        stage.outcome(&outcome);
        Ok::<(), Error>(())
    };
    show(stage, &sandbox, "seq 1 1000 | while read n; do echo $n > f$n; done; ls | wc -l").await?;
    let started = Instant::now();
    let snapshot = sandbox.snapshot()?;
    stage.fact("snapshot", Tone::Good, "of the whole sandbox");
    stage.took(started.elapsed());
    let started = Instant::now();
    let other = sandbox.fork()?;
    stage.fact("fork", Tone::Good, "a second sandbox with the same files");
    stage.took(started.elapsed());
    show(stage, &other, "rm f*; ls | wc -l").await?;
    show(stage, &sandbox, "ls | wc -l; rm -r f*; ls | wc -l").await?;
    let started = Instant::now();
    sandbox.restore(&snapshot)?;
    stage.fact("restored", Tone::Good, "to the snapshot");
    stage.took(started.elapsed());
    show(stage, &sandbox, "ls | wc -l").await
}

/// Number of cells.
const CELLS: usize = 2000;

pub(super) async fn cells(stage: &mut Stage) -> Result<(), Error> {
    stage.scene(
        "2,000 fresh cells in a row",
        "Each starts with fresh memory, runs one tool, and is dropped.",
    );
    let source = "return 1 + 1";
    stage.code(source);
    let (sandbox, tool) = (Sandbox::new()?, Tool::javascript(source));
    let mut times = Vec::with_capacity(CELLS);
    for done in 1..=CELLS {
        times.push(sandbox.run(&tool).await?.duration);
        if done.is_multiple_of(200) {
            stage.progress(done, CELLS);
        }
    }
    times.sort();
    let micros = |at: usize| format!("{:.1} µs", times[at].as_secs_f64() * 1e6);
    stage.fact("median", Tone::Good, &micros(CELLS / 2));
    stage.fact("p99", Tone::Good, &micros(CELLS * 99 / 100));
    stage.took(times.iter().sum());
    Ok(())
}
