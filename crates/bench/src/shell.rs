//! Measures the shell: a fresh sandbox for every command, a pipeline, a loop.

use std::path::Path;
use std::time::{Duration, Instant};

use cofferdam::{Command, Error, Sandbox};
use serde_json::{Value as Json, json};

use crate::{micros, read, report};

/// Time spent on measuring each script, after a fifth of it as warm-up.
const TIME: Duration = Duration::from_secs(2);

/// Measures the scripts of `shell.json`; `input` holds the lines that some of them read.
pub(crate) async fn measure(programs: &Path, input: &[u8]) -> Result<(), Error> {
    let scripts: Vec<Json> =
        serde_json::from_str(&read(&programs.join("shell.json"))).expect("an array of scripts");
    for script in &scripts {
        let member = |name: &str| script[name].as_str().expect("a text");
        let (name, unit, text) = (member("name"), member("unit"), member("script"));
        let mut samples = Vec::new();
        let mut check = json!(null);
        let start = Instant::now();
        while start.elapsed() < TIME {
            let began = Instant::now();
            let mut builder = Sandbox::builder();
            if script["input"] == json!(true) {
                builder = builder.file("/data/in.txt", input);
            }
            let sandbox = builder.build()?;
            let outcome = sandbox.run_program(Command::shell(text)).await?;
            drop(sandbox);
            let took = micros(began.elapsed());
            assert_eq!(outcome.exit_code(), 0, "{name}: {:?}", outcome.error());
            check = json!(outcome.stdout.text());
            if start.elapsed() > TIME / 5 {
                samples.push(if unit == "us" { took } else { took / 1e3 });
            }
        }
        report(&format!("shell/{name}"), unit, &mut samples, Some(check));
    }
    Ok(())
}
