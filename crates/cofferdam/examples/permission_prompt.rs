//! A program that is asked about every action of a tool, while the tool waits.
//!
//! Rules stand in for the person: reading is allowed, writing is not.
//!
//! `cargo run --release --workspace --example permission_prompt`

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam::permissions::{Answer, Question, Span};
use cofferdam::{Approver, Sandbox, Tool};

/// Answers questions, and prints what a person would see.
struct Person;

impl Approver for Person {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        let mut is_harmless = true;
        for wish in question.wishes() {
            // The first choice is exactly what the tool needs; the others are wider.
            let choice = &wish.choices()[0];
            println!("{} wants to {}", question.tool(), choice.words());
            println!("    grant it as {} (risk: {})", choice.text(), choice.risk().level);
            is_harmless &= choice.text().starts_with("fs:read:");
        }
        println!("    {}", if is_harmless { "yes, once" } else { "no" });
        let answer = if is_harmless { question.allow(Span::Once) } else { question.deny() };
        Box::pin(async move { answer.by("the example") })
    }
}

const TOOL: &str = "
const { readFile, writeFile } = require('fs').promises;
const notes = await readFile('/notes/today.txt', 'utf8');
try {
    await writeFile('/notes/today.txt', '');
} catch (error) {
    return { notes, refused: error.requiredPermission };
}
return 'the notes are gone';
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::builder()
        .file("/notes/today.txt", "water the plants")
        .approver(Arc::new(Person))
        .build()?;
    let outcome = sandbox.run(&Tool::javascript(TOOL).named("notes.js")).await?;
    println!("result: {}", outcome.result_json().unwrap_or_default());
    let notes = sandbox.read_file("/notes/today.txt", 1000)?;
    println!("still there: {}", String::from_utf8_lossy(&notes));
    Ok(())
}
