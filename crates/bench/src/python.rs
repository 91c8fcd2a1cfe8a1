//! Measures tools in Python: a fresh cell, the same with kept code, and cells that wait.

use std::time::{Duration, Instant};

use cofferdam::{Error, Limits, Pool, Run, Runtime, Sandbox, Tool};
use serde_json::json;

use crate::{micros, own, report};

/// Tools and the names of their measurements. The first is what other interpreters are measured
/// with.
const TOOLS: [(&str, &str); 3] = [
    ("python", "def tool(btcp, args):\n    return 1 + 1"),
    ("python_async", "async def tool(btcp, args):\n    return 1 + 1"),
    ("python_script", "import json\nn = json.loads('[1, 2]')\ndef tool():\n    return len(n)"),
];

/// Number of cells alive at once.
const CELLS: u32 = 1000;

pub(crate) async fn measure() -> Result<(), Error> {
    let sandbox = Sandbox::new()?;
    for (name, source) in TOOLS {
        let tool = Tool::python(source);
        for is_new in [false, true] {
            let mut samples = Vec::new();
            for round in 0..2500 {
                let began = Instant::now();
                let outcome = match is_new {
                    true => sandbox.run(&Tool::python(source)).await?,
                    false => sandbox.run(&tool).await?,
                };
                let took = began.elapsed();
                assert_eq!(outcome.result_json(), Some(json!(2)));
                if round >= 500 {
                    samples.push(micros(took));
                }
            }
            let name = if is_new { format!("{name}_new_tool") } else { name.to_owned() };
            report(&name, "us", &mut samples, None);
        }
    }
    idle().await
}

/// Measures the memory of cells that wait for a timer: at once, and when they have waited so long that
/// their memory is parked.
async fn idle() -> Result<(), Error> {
    let runtime = Runtime::new(Pool { cells: CELLS, warm: 0 })?;
    let limits = Limits::default().with_time(Duration::from_secs(3600));
    let sandbox = Sandbox::builder().runtime(&runtime).limits(limits).build()?;
    let source = "import asyncio\nasync def tool(btcp, args):\n    await asyncio.sleep(3000)";
    let tool = Tool::python(source);
    let mut runs: Vec<Run> = Vec::new();
    let mut before = 0;
    for number in 0..CELLS {
        // The first cell loads the image, which all of them share.
        if number == 1 {
            before = own::own_bytes();
        }
        runs.push(sandbox.start(tool.clone())?);
        own::poll_each(&mut runs[number as usize..]).await;
    }
    let each = |now: u64| (now - before) as f64 / f64::from(CELLS - 1) / 1024.0;
    report("python_idle_cell_at_once", "KiB", &mut [each(own::own_bytes())], None);
    own::rest(&mut runs).await;
    report("python_idle_cell", "KiB", &mut [each(own::own_bytes())], None);
    drop(runs);
    Ok(())
}
