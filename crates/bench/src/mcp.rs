//! Measurements of MCP: calls of the tool `run` on standard input and output, and over HTTP.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use cofferdam::Error;
use serde_json::{Value as Json, json};

use crate::http::{Client, Server, program};
use crate::{micros, report};

/// Calls that are measured, after those that warm up.
const CALLS: usize = 5_000;
const WARM: usize = 500;

pub(crate) fn measure() -> Result<(), Error> {
    let Some(program) = program() else { return Ok(()) };
    let server = Server::start(program.clone());
    over_http(&mut server.client());
    let mut command = Command::new(program);
    command.arg("mcp").env("XDG_DATA_HOME", &server.home).env("COFFERDAM_LOG", "error");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("the program");
    let mut input = child.stdin.take().expect("piped");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut ask = |message: &Json| {
        writeln!(input, "{message}").expect("an open pipe");
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        serde_json::from_str::<Json>(&line).expect("JSON")
    };
    ask(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "bench", "version": "1" } } }));
    let samples = timed(|number| ask(&call(number)));
    child.kill().expect("a kill");
    child.wait().expect("an end");
    report("mcp/call", "us", &mut { samples }, None);
    Ok(())
}

fn over_http(client: &mut Client) {
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "run"),
    ];
    let samples = timed(|number| {
        let mut message = call(number);
        message["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        client.send("POST", "/mcp", &headers, &message).1
    });
    report("mcp/http", "us", &mut { samples }, None);
}

fn call(number: usize) -> Json {
    json!({ "jsonrpc": "2.0", "id": number + 1, "method": "tools/call", "params": {
        "name": "run", "arguments": { "language": "js", "code": "return 1+1" } } })
}

/// Times calls, and checks their results.
fn timed(mut ask: impl FnMut(usize) -> Json) -> Vec<f64> {
    let mut samples = Vec::new();
    for number in 0..WARM + CALLS {
        let began = Instant::now();
        let answer = ask(number);
        let took = micros(began.elapsed());
        assert_eq!(answer["result"]["structuredContent"]["result"], 2, "{answer}");
        if number >= WARM {
            samples.push(took);
        }
    }
    samples
}
