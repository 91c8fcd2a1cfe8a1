//! Runs a script natively, with this machine's files and no sandbox, to compare it with Node:
//! `cargo run --example run_script -- FILE [ARGUMENTS]…`. Standard input is the script's.

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use cofferdam_abi::entry::{Code, Form, Leave, Script, Start};
use cofferdam_abi::frame::{Answer, Status};
use cofferdam_abi::value::{self, Value};
use cofferdam_abi::wire::Writer;
use cofferdam_guest_js::gate;
use cofferdam_guest_js::interpreter::Interpreter;
use cofferdam_guest_js::tool::{self, Left};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((file, arguments)) = arguments.split_first() else {
        eprintln!("usage: run_script FILE [ARGUMENTS]…");
        return ExitCode::from(2);
    };
    match run(file, arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: &str, arguments: &[String]) -> Result<u8, Box<dyn std::error::Error>> {
    let source = std::fs::read_to_string(file)?;
    let path = Path::new(file).canonicalize()?;
    let path = path.to_str().ok_or("a path that is not UTF-8")?;
    let cwd = std::env::current_dir()?;
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input)?;
    gate::set_input(&input);
    gate::serve_machine();
    let mut args = Writer::new();
    value::encode(&Value::Undefined, &mut args);
    let start = Start {
        form: if file.ends_with(".mjs") { Form::Module } else { Form::Detect },
        file: Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file),
        source: &source,
        code: Code::Unkept,
        args: args.as_bytes(),
        result_bytes: 1 << 30,
        members: Vec::new(),
        script: Script {
            path,
            root: "/",
            cwd: cwd.to_str().unwrap_or("/"),
            arguments: arguments.iter().map(String::as_str).collect(),
        },
    };
    Interpreter::new(|| false)?.with(|ctx| {
        let never = || false;
        let mut left = tool::start(&ctx, &start, &never);
        while matches!(left, Left::Other(Leave::Waiting)) {
            flush()?;
            let Some(ticket) = gate::next_ticket() else { break };
            let answer = Answer { status: Status::Done, payload: &[] };
            left = tool::resume(&ctx, &[(ticket, answer)], &never);
        }
        flush()?;
        Ok(match left {
            Left::Finished(_) => 0,
            Left::Other(Leave::Exited(code)) => code,
            Left::Other(Leave::Threw(thrown)) => {
                eprintln!("{}: {}\n{}", thrown.name, thrown.message, thrown.stack);
                1
            }
            Left::Other(other) => {
                eprintln!("{other:?}");
                1
            }
        })
    })
}

fn flush() -> std::io::Result<()> {
    let (out, err) = gate::take_output();
    std::io::stdout().write_all(&out)?;
    std::io::stderr().write_all(&err)
}
