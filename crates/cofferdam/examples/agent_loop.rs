//! An agent that runs tools written by a model. A script stands in for the model.
//!
//! Every tool runs in a fresh cell. It may only compute, and call the one function that the program
//! lends it. Its result, or the reason why it failed, goes back to the model as text, and the model
//! writes a better tool.
//!
//! `cargo run --release --workspace --example agent_loop`

use std::time::Duration;

use cofferdam::{Ending, Function, Limits, Outcome, Sandbox, Tool};
use serde_json::{Value as Json, json};

/// A turn of the model.
enum Turn {
    /// Source of a tool to run.
    Run(&'static str),
    /// Final text for the person who asked.
    Say(&'static str),
}

/// Stands in for a model: it makes the mistakes that models make, and corrects them.
struct Model {
    turns: std::vec::IntoIter<Turn>,
}

impl Model {
    fn new() -> Self {
        let turns = vec![
            Turn::Run("return await fetch('https://stock.example.com/tea').then((r) => r.json())"),
            Turn::Run("let n = 0;\nwhile (n >= 0) n = Math.abs(n);\nreturn n"),
            Turn::Run(
                "const { count } = await btcp.functions.stock({ item: 'tee' });\nreturn count",
            ),
            Turn::Run(
                "const { count } = await btcp.functions.stock({ item: 'tea' });\nreturn count",
            ),
            Turn::Say("There are 12 packets of tea."),
        ];
        Model { turns: turns.into_iter() }
    }

    /// Returns the next turn. A real model would read the conversation.
    fn answer(&mut self, _conversation: &[String]) -> Turn {
        self.turns.next().unwrap_or(Turn::Say("I do not know."))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stock = Function::new("stock", |args: Json| async move {
        match args["item"].as_str() {
            Some("tea") => Ok(json!({ "count": 12 })),
            Some(other) => Err(format!("{other}: no such item; there are tea and milk")),
            None => Err("item: missing".to_owned()),
        }
    });
    let limits = Limits::default().with_time(Duration::from_secs(1));
    let sandbox = Sandbox::builder()
        .limits(limits)
        .function(stock)
        .grant("function:call:stock".parse()?)
        .build()?;

    let mut model = Model::new();
    let mut conversation = vec!["How much tea is left?".to_owned()];
    loop {
        match model.answer(&conversation) {
            Turn::Say(text) => {
                println!("model: {text}");
                return Ok(());
            }
            Turn::Run(source) => {
                println!("model runs: {}", source.lines().next().unwrap_or_default());
                let outcome = sandbox.run(&Tool::javascript(source)).await?;
                let told = told(&outcome);
                println!("     told: {told}");
                conversation.push(told);
            }
        }
    }
}

/// Returns the text for the model. A failure tells the model how to go on; it never affects the
/// host.
fn told(outcome: &Outcome) -> String {
    match &outcome.ending {
        Ending::Returned(_) => outcome.result_json().unwrap_or_default().to_string(),
        Ending::Denied(error) => format!("you may not {}", error.attempted_action()),
        _ => {
            let error = outcome.error().unwrap_or_default();
            format!("{}: {}", error.name, error.message)
        }
    }
}
