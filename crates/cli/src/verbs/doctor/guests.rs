//! Checks that the guests run on this processor.

use std::time::{Duration, Instant};

use cofferdam::{Boundary, Command, Error, Outcome, Pool, Runtime, Sandbox, Tool};

use super::Check;

pub(super) fn checks() -> Vec<Check> {
    let mut checks = vec![processor()];
    let started = Instant::now();
    // A small pool is enough to see that a guest works, and needs little address space.
    let runtime = match Runtime::new(Pool { cells: 2, warm: 0 }) {
        Ok(runtime) => runtime,
        Err(error) => {
            // Either address space is short, which is checked below, or a guest does not fit the
            // processor.
            checks.push(refused("engine", &error));
            return checks;
        }
    };
    let ready = format!("ready after {}", shown(started.elapsed()));
    checks.push(Check::ok("engine", ready, "creates cells"));
    checks.push(super::kernel::userfaultfd());
    checks.push(tool(&runtime, "JavaScript", Boundary::Worker, Tool::javascript("return 42")));
    let typescript = Tool::typescript("const n: number = 42; return n");
    checks.push(tool(&runtime, "TypeScript", Boundary::Worker, typescript));
    let python = Tool::python("def tool(btcp, args):\n    return 42");
    checks.push(tool(&runtime, "Python", Boundary::Worker, python));
    let document = Tool::javascript("return document.createElement('p') ? 42 : 0");
    checks.push(tool(&runtime, "document", Boundary::Iframe, document));
    checks.push(shell(&runtime));
    checks
}

fn processor() -> Check {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let features = cofferdam::processor_features();
    let found = match features.is_empty() {
        true => format!("{count} available"),
        false => format!("{count} available; guests use {}", features.join(" ")),
    };
    Check::ok(
        "processors",
        found,
        "guests do not load on a processor that lacks a feature they use",
    )
}

/// Explains why a guest does not load. Its error names the missing instructions.
fn refused(name: &'static str, error: &Error) -> Check {
    let matters = "nothing of this kind can run";
    let check = Check::failed(name, error.to_string(), matters);
    let says = |part: &str| error.to_string().contains(part);
    match (says("memfd"), says("guest image")) {
        (true, _) => check.hint(super::kernel::ALLOW),
        (false, true) => check.hint("make build   (on this machine)"),
        (false, false) => {
            check.hint("ulimit -v unlimited   (each cell reserves 4 GiB of address space)")
        }
    }
}

fn tool(runtime: &Runtime, name: &'static str, boundary: Boundary, tool: Tool) -> Check {
    let run = async {
        let sandbox = Sandbox::builder().runtime(runtime).boundary(boundary).build()?;
        // The first run includes the time to load the guest.
        sandbox.run(&tool).await?;
        sandbox.run(&tool).await
    };
    judge(name, run, |outcome| outcome.result_json() == Some(42.into()))
}

fn shell(runtime: &Runtime) -> Check {
    let run = async {
        let sandbox = Sandbox::builder().runtime(runtime).build()?;
        sandbox.run_program(Command::shell("echo 42 | cat").stdin("")).await?;
        sandbox.run_program(Command::shell("echo 42 | cat").stdin("")).await
    };
    judge("shell", run, |outcome| outcome.stdout.text() == "42\n")
}

fn judge(
    name: &'static str,
    run: impl Future<Output = Result<Outcome, Error>>,
    is_right: impl Fn(&Outcome) -> bool,
) -> Check {
    let executor = match tokio::runtime::Builder::new_current_thread().build() {
        Ok(executor) => executor,
        Err(error) => return Check::failed(name, error.to_string(), "nothing can run"),
    };
    match executor.block_on(run) {
        Ok(outcome) if is_right(&outcome) => {
            let found = format!("works; a fresh run takes {}", shown(outcome.duration));
            Check::ok(name, found, "needed to run code of this kind")
        }
        Ok(outcome) => {
            let error = outcome.error().unwrap_or_default();
            let found = format!("returns a wrong result: {}", cofferdam::visible(&error.message));
            Check::failed(name, found, "its results cannot be relied on")
        }
        Err(error) => refused(name, &error),
    }
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
