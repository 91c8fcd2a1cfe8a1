//! `cofferdam demo`: a few real runs, with their times.

use std::time::Duration;

use cofferdam::{Ending, Limits, Sandbox, Tool};

use crate::report::Failure;

/// Show what it does: a tool and its result, a loop being killed, and how long each took.
#[derive(clap::Args)]
pub(crate) struct Demo {}

const TOOL: &str = "const words = args.text.split(' ');
console.log('counting', words.length, 'words');
return Object.fromEntries(words.map((word) => [word, word.length]));";

const LOOP: &str = "let n = 0;
while (true) n++;";

const BOMB: &str = "let text = ['x'];
for (;;) text = text.concat(text);";

impl Demo {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let executor = tokio::runtime::Builder::new_current_thread().build();
        let executor = executor.map_err(|e| Failure::usage(format!("executor: {e}")))?;
        executor.block_on(async {
            let sandbox = Sandbox::new()?;
            let args = serde_json::json!({ "text": "a cofferdam keeps the water out" });
            show(&sandbox, "A tool runs in a fresh cell", &Tool::javascript(TOOL).args(args))
                .await?;
            let limits = Limits { time: Duration::from_millis(200), ..Limits::default() };
            let strict = Sandbox::builder().limits(limits).build()?;
            show(
                &strict,
                "An endless loop ends at its time limit of 200 ms",
                &Tool::javascript(LOOP),
            )
            .await?;
            show(&sandbox, "A memory bomb ends at its limit of 64 MiB", &Tool::javascript(BOMB))
                .await?;
            show(
                &sandbox,
                "The next call finds a fresh, empty world",
                &Tool::javascript("return typeof n"),
            )
            .await?;
            fresh(&sandbox).await
        })?;
        Ok(0)
    }
}

async fn show(sandbox: &Sandbox, title: &str, tool: &Tool) -> Result<(), Failure> {
    let outcome = sandbox.run(tool).await?;
    println!("## {title}\n");
    tool.source().lines().for_each(|line| println!("    {line}"));
    println!();
    let printed = outcome.stdout.text();
    printed.lines().for_each(|line| println!("    printed   {line}"));
    match &outcome.ending {
        Ending::Returned(_) => {
            println!("    returned  {}", outcome.result_json().unwrap_or_default())
        }
        Ending::Exited(code) => println!("    exited    {code}"),
        Ending::Threw(_) | Ending::Denied(_) | Ending::Stopped(_) => {
            let (class, error) = (outcome.error_class(), outcome.error().unwrap_or_default());
            println!("    {}   {}", class.map_or("", |class| class.name()), error.message);
            error.stack.lines().for_each(|line| println!("    {}", line.trim_start()));
        }
    }
    println!("    took      {:.3} ms\n", outcome.duration.as_secs_f64() * 1e3);
    Ok(())
}

/// Many fresh cells in a row.
async fn fresh(sandbox: &Sandbox) -> Result<(), Failure> {
    const RUNS: usize = 2000;
    let tool = Tool::javascript("return 1+1");
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        times.push(sandbox.run(&tool).await?.duration);
    }
    times.sort();
    let micros = |at: usize| times[at].as_secs_f64() * 1e6;
    println!("## {RUNS} fresh cells, each for `return 1+1`\n");
    println!("    median {:.1} µs, p99 {:.1} µs", micros(RUNS / 2), micros(RUNS * 99 / 100));
    Ok(())
}
