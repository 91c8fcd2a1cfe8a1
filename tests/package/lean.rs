//! A program that depends on the packed crates without their features, and shows that each one
//! that is off is named; see `scripts/package`.

use cofferdam::{Boundary, Command, Sandbox, Tool};

/// A tool that returns the message of the exception that `call` throws.
fn message_of(call: &str) -> Tool {
    Tool::javascript(format!("try {{ await {call} }} catch (error) {{ return error.message }}"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grants = ["network:fetch:GET@http://127.0.0.1/", "dom:read"];
    let mut builder = Sandbox::builder();
    for grant in grants {
        builder = builder.grant(grant.parse()?);
    }
    let sandbox = builder.build()?;
    let sum = sandbox.run(&Tool::javascript("return 1 + 1")).await?;
    println!("{}", sum.result_json().unwrap_or_default());
    for call in ["fetch('http://127.0.0.1/')", "btcp.dom.exists('p')"] {
        let thrown = sandbox.run(&message_of(call)).await?;
        println!("{}", thrown.result_json().unwrap_or_default());
    }
    let typed = sandbox.run(&Tool::typescript("return 3")).await;
    println!("{}", typed.err().map(|error| error.to_string()).unwrap_or_default());
    let framed = Sandbox::builder().boundary(Boundary::Iframe).build()?;
    let made = framed.run(&Tool::javascript("return 4")).await;
    println!("{}", made.err().map(|error| error.to_string()).unwrap_or_default());
    let said = sandbox.run_program(Command::shell("echo hi")).await?;
    println!("{}", said.error().map(|error| error.message).unwrap_or_default());
    Ok(())
}
