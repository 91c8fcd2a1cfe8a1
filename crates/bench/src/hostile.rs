//! Measures tools that must be stopped, at their deadline or at their memory limit.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam::permissions::FromOutside;
use cofferdam::{Command, Error, HostDir, Limits, Mount, Outcome, Sandbox, SandboxBuilder, Tool};
use serde_json::{Value as Json, json};

use crate::{line, micros, read};

/// Measures the time from the deadline until the caller has the outcome.
pub(crate) async fn kill(programs: &Path) -> Result<(), Error> {
    let run = async |sandbox: &Sandbox, source: &str| sandbox.run(&Tool::javascript(source)).await;
    overshoot("kill", &programs.join("kill.json"), run).await?;
    // Host calls, which no peer has.
    overshoot("kill", &programs.join("kill_host.json"), run).await
}

/// Measures the same as [`kill`] for the shell and its commands.
pub(crate) async fn kill_shell(programs: &Path) -> Result<(), Error> {
    overshoot("kill_shell", &programs.join("kill_shell.json"), async |sandbox, source| {
        sandbox.run_program(Command::shell(source)).await
    })
    .await
}

/// Runs each payload of a file a hundred times and reports how late it is stopped.
async fn overshoot(
    battery: &str,
    file: &Path,
    run: impl AsyncFn(&Sandbox, &str) -> Result<Outcome, Error>,
) -> Result<(), Error> {
    for payload in payloads(file) {
        let (name, source) = (text(&payload, "name"), text(&payload, "source"));
        let mut samples = Vec::new();
        let folder = Folder::of(&payload);
        for round in 0..100 {
            // Varies the deadline so that the payload is stopped at a different point each time.
            let time = Duration::from_millis(60 + round % 17);
            let limits = Limits::default().with_time(time).with_memory_bytes(1 << 30);
            let limits = limits.with_fs_bytes(1 << 30);
            folder.fill(&payload);
            let sandbox = prepared(Sandbox::builder().limits(limits), &payload, &folder).build()?;
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
    for payload in payloads(&programs.join("memory.json")) {
        let (name, source) = (text(&payload, "name"), text(&payload, "source"));
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

/// Returns the payloads, in file order.
fn payloads(file: &Path) -> Vec<Json> {
    serde_json::from_str(&read(file)).expect("an array of payloads")
}

fn text(payload: &Json, name: &str) -> String {
    payload[name].as_str().expect("a text").to_owned()
}

/// A folder of the host with the files that a payload asks for; removed on drop.
struct Folder(Option<PathBuf>);

impl Folder {
    fn of(payload: &Json) -> Self {
        if payload.get("mount").is_none() {
            return Folder(None);
        }
        let name = format!("cofferdam-bench-{}", std::process::id());
        Folder(Some(std::env::temp_dir().join(name)))
    }

    /// Makes what the last round removed or renamed. Making everything anew takes minutes.
    fn fill(&self, payload: &Json) {
        let Some(path) = &self.0 else { return };
        let (files, renamed) = (path.join("d"), path.join("e"));
        if renamed.exists() {
            std::fs::rename(&renamed, &files).expect("the folder");
        }
        std::fs::create_dir_all(&files).expect("room");
        for file in 0..payload["files"].as_u64().unwrap_or(0) {
            let file = files.join(file.to_string());
            if !file.exists() {
                std::fs::write(file, "").expect("room");
            }
        }
        let long = std::fs::File::create(path.join("long")).expect("room");
        long.set_len(payload["bytes"].as_u64().unwrap_or(0)).expect("room");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

/// Mounts the folder at `/real` and grants its use, or lets every request be a question.
fn prepared(builder: SandboxBuilder, payload: &Json, folder: &Folder) -> SandboxBuilder {
    if payload["ask"] == true {
        return builder.approver(Arc::new(FromOutside));
    }
    let Some(path) = &folder.0 else { return builder };
    let mount = match payload["mount"].as_str() {
        Some("overlay") => Mount::Overlay,
        Some("read-write") => Mount::ReadWrite,
        other => panic!("{other:?} is no kind of mount"),
    };
    let granted = ["fs:read", "fs:write"].map(|name| name.parse().expect("a capability"));
    let builder = granted.into_iter().fold(builder, SandboxBuilder::grant);
    builder.mount("/real", HostDir::open_ambient(path).expect("a folder"), mount)
}

/// Returns the peak resident memory of this process.
fn most_bytes() -> u64 {
    crate::own::kibibytes("/proc/self/status", "VmHWM:")
}
