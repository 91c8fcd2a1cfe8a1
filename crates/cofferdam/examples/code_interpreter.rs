//! A session that keeps variables between runs, like a notebook.
//!
//! A run that is killed takes the variables with it, and the session goes on.
//!
//! `cargo run --release --workspace --example code_interpreter`

use std::time::Duration;

use cofferdam::{Ending, Limits, Sandbox, Tool};

const INPUTS: &[&str] = &[
    "const prices = [3, 2, 7, 4]",
    "const mean = prices.reduce((a, b) => a + b) / prices.length; mean",
    "prices.map((price) => price - mean)",
    "prices.push('x'.repeat(3)); prices",
    "mean.toFixd(1)",
    "for (;;);",
    "typeof prices",
    "await new Promise((done) => setTimeout(() => done('later'), 10))",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), cofferdam::Error> {
    let limits = Limits::default().with_time(Duration::from_secs(1));
    let sandbox = Sandbox::builder().limits(limits).build()?;
    let session = sandbox.session("notebook")?;
    for (number, input) in INPUTS.iter().enumerate() {
        println!("[{}] {input}", number + 1);
        let outcome = session.run(&Tool::javascript(*input)).await?;
        match &outcome.ending {
            Ending::Returned(_) => println!("    {}", outcome.result_json().unwrap_or_default()),
            _ => {
                let error = outcome.error().unwrap_or_default();
                println!("    {}: {}", error.name, error.message);
            }
        }
    }
    Ok(())
}
