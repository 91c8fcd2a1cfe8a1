//! A pipeline of shell commands over a directory of the host, mounted read-only.
//!
//! The commands are what a model or a person might type. They run in cells, never as processes of
//! this machine, and their results stay in the sandbox.
//!
//! `cargo run --release --workspace --example log_analysis`

use std::path::{Path, PathBuf};

use cofferdam::{Command, HostDir, Mount, Sandbox};

const SCRIPT: &[&str] = &[
    "cat /logs/*.log | wc -l",
    "awk '$3 >= 500 { print $2 }' /logs/*.log | sort | uniq -c | sort -rn > worst; cat worst",
    "grep -h ' 404' /logs/*.log | cut -d' ' -f2 | sort -u",
    "awk '{ sum += $4 } END { printf \"%.1f ms\\n\", sum / NR }' /logs/*.log",
    "rm /logs/web-1.log",
    "head -1 worst",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Folder::with_logs()?;
    let sandbox = Sandbox::builder()
        .mount("/logs", HostDir::open_ambient(&folder.0)?, Mount::ReadOnly)
        .build()?;
    for line in SCRIPT {
        println!("$ {line}");
        let outcome = sandbox.run_program(Command::shell(*line).stdin("")).await?;
        print!("{}{}", outcome.stdout.text(), outcome.stderr.text());
    }
    Ok(())
}

/// A folder with two days of a server's log, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn with_logs() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("cofferdam-logs-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        let folder = Folder(path);
        for day in 1..=2 {
            std::fs::write(folder.0.join(format!("web-{day}.log")), log(day))?;
        }
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let path: &Path = &self.0;
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Returns a log with one line for each request: `method path status milliseconds`.
fn log(day: usize) -> String {
    let pages = [("/index", 200), ("/cart", 200), ("/pay", 500), ("/old", 404), ("/search", 200)];
    let line = |n: usize| {
        let (page, status) = pages[(n * day) % pages.len()];
        let status = if page == "/search" && n % 20 == 4 { 503 } else { status };
        format!("GET {page} {status} {}\n", 5 + (n * 7) % 30)
    };
    (0..500).map(line).collect()
}
