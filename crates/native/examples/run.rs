//! Runs a program behind the walls, with capabilities that exist for this run alone.
//!
//! `cargo run -p cofferdam-native --example run -- fs:read:/data/** -- cat /data/prices.csv`

use std::sync::Arc;

use cofferdam_broker::{Bounds, Broker, Discard, InMemory};
use cofferdam_native::{End, Observer, Prepared, Program, Stream};
use cofferdam_net::{Client, Settings};

/// Passes output on as it comes.
struct Passed;

impl Observer for Passed {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        use std::io::Write;
        let _ = match stream {
            Stream::Out => std::io::stdout().write_all(bytes),
            Stream::Err => std::io::stderr().write_all(bytes),
        };
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    cofferdam_native::become_launcher();
    cofferdam_native::launch_ahead();
    let mut words: Vec<_> = std::env::args_os().skip(1).collect();
    let border =
        words.iter().position(|word| word == "--").ok_or("no program is named after --")?;
    let program = words.split_off(border + 1);
    let given = words[..border].iter().filter_map(|word| word.to_str()).map(str::parse);
    let given = given.collect::<Result<_, _>>()?;
    let broker = Broker::setup(Arc::new(InMemory::new()?), Arc::new(Discard)).open()?;
    let permissions = broker.permissions_within("example", &given, None, Bounds::default());
    let prepared = Prepared::new(Program {
        words: program,
        offered: std::env::vars().collect(),
        search: std::env::var_os("PATH").unwrap_or_default(),
        ..Program::default()
    })?;
    let desk = prepared.desk(&permissions, "example");
    let client = Client::new(Settings::default());
    let running = prepared.start(desk, client, Some(Arc::new(Passed)))?;
    let executor = tokio::runtime::Builder::new_current_thread().build()?;
    let ran = executor.block_on(running.wait());
    std::process::exit(match ran.end {
        End::Exited(code) => i32::from(code),
        End::TimedOut | End::Killed | End::Memory(_) | End::Processes(_) => 1,
    })
}
