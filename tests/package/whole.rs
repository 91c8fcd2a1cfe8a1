//! A program that depends on the packed crates and runs every guest; see `scripts/package`.

use cofferdam::{Boundary, Command, Sandbox, Tool};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), cofferdam::Error> {
    let sandbox = Sandbox::new()?;
    let sum = sandbox.run(&Tool::javascript("return 1 + 1")).await?;
    println!("{}", sum.result_json().unwrap_or_default());
    let typed = sandbox.run(&Tool::typescript("const n: number = 3; return n")).await?;
    println!("{}", typed.result_json().unwrap_or_default());
    let said = sandbox.run_program(Command::shell("echo hi | rev")).await?;
    print!("{}", said.stdout.text());
    let framed = Sandbox::builder().boundary(Boundary::Iframe).build()?;
    let made = framed.run(&Tool::javascript("return document.createElement('p').tagName")).await?;
    println!("{}", made.result_json().unwrap_or_default());
    Ok(())
}
