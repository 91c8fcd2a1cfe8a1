//! Measurements of `cofferdam serve` as another process: single runs on a connection that is kept,
//! many streams, many waiting runs, and the time from an approval to the end of the run.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use cofferdam::permissions::{Span, Terms};
use cofferdam::{Broker, Error, Sandbox, Tool};
use cofferdam_store::Store;
use serde_json::{Value as Json, json};

use crate::{micros, report};

/// Streams that are open at once.
const STREAMS: usize = 1_000;

/// Runs that wait for an answer at once.
const WAITING: usize = 10_000;

/// Runs whose approval is timed.
const APPROVED: usize = 200;

pub(crate) async fn measure() -> Result<(), Error> {
    let Some(program) = program() else { return Ok(()) };
    let server = Server::start(program);
    in_process().await?;
    single(&server);
    approvals(&server);
    streams(&server);
    waiting(&server);
    Ok(())
}

/// Returns the program beside this one, if it was built.
pub(crate) fn program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.parent()?.join("cofferdam");
    program.exists().then_some(program)
}

/// Measures the run that `single` measures, without a server between.
async fn in_process() -> Result<(), Error> {
    let mut samples = Vec::new();
    for round in 0..3_000 {
        let began = Instant::now();
        let sandbox = Sandbox::new()?;
        let outcome = sandbox.run(&Tool::javascript("return 1+1")).await?;
        assert_eq!(outcome.result_json(), Some(json!(2)));
        if round >= 500 {
            samples.push(micros(began.elapsed()));
        }
    }
    report("http/in_process", "us", &mut samples, None);
    Ok(())
}

/// Measures runs one after the other on one connection.
fn single(server: &Server) {
    let mut client = server.client();
    let params = json!({ "kind": "js", "code": "return 1+1" });
    let mut samples = Vec::new();
    for round in 0..6_000 {
        let began = Instant::now();
        let (status, answer) = client.send("POST", "/v1/exec", &[], &params);
        assert_eq!((status, &answer["outcome"]["result"]), (200, &json!(2)));
        if round >= 1_000 {
            samples.push(micros(began.elapsed()));
        }
    }
    report("http/exec", "us", &mut samples, None);
}

/// A tool that waits until `/data/NUMBER` is granted.
fn reader(number: usize) -> Json {
    let path = format!("/data/{number}");
    let code = format!("return await require('fs').promises.readFile('{path}', 'utf8')");
    json!({ "kind": "js", "code": code, "files": { path: "x" } })
}

/// Measures the time from a grant by this process to the end of a run of the other.
fn approvals(server: &Server) {
    let store = Store::open(&server.home.join("cofferdam/store.db")).expect("the store");
    let broker = Broker::setup(Arc::new(store.clone()), Arc::new(store)).open().expect("a broker");
    let mut samples = Vec::new();
    for number in 0..APPROVED {
        let mut stream = server.stream(&reader(number));
        stream.until("asking");
        let capability = format!("fs:read:/data/{number}").parse().expect("a capability");
        let began = Instant::now();
        broker.grant(Terms::new(capability, Span::Always)).expect("a grant");
        stream.until("result");
        samples.push(micros(began.elapsed()) / 1e3);
    }
    report("http/approval_to_result", "ms", &mut samples, None);
}

/// Measures the time until many streams have been told that their run waits.
fn streams(server: &Server) {
    let began = Instant::now();
    let mut streams: Vec<_> = (0..STREAMS).map(|n| server.stream(&reader(n + WAITING))).collect();
    streams.iter_mut().for_each(|stream| stream.until("asking"));
    report("http/streams_1000", "ms", &mut [micros(began.elapsed()) / 1e3], None);
}

/// Measures the memory of a server with many runs that wait.
fn waiting(server: &Server) {
    let mut client = server.client();
    let (before, waited) = (server.bytes(), client.waiting());
    for _ in 0..WAITING {
        let headers = [("prefer", "respond-async")];
        let (status, answer) = client.send("POST", "/v1/exec", &headers, &reader(0xffff_ffff));
        assert_eq!(status, 202, "{answer}");
    }
    while client.waiting() < waited + WAITING {}
    let mib = |bytes: u64| bytes as f64 / 1_048_576.0;
    report("http/waiting_10000", "MiB", &mut [mib(server.bytes())], None);
    report("http/waiting_grown", "MiB", &mut [mib(server.bytes() - before)], None);
}

/// A server in another process, with a store of its own.
pub(crate) struct Server {
    child: Child,
    address: String,
    token: String,
    pub(crate) home: PathBuf,
}

impl Server {
    pub(crate) fn start(program: PathBuf) -> Self {
        let home =
            std::env::temp_dir().join(format!("cofferdam-bench-http-{}", std::process::id()));
        std::fs::create_dir_all(&home).expect("a folder");
        let command = |arguments: &[&str]| {
            let mut command = Command::new(&program);
            command.args(arguments).env("XDG_DATA_HOME", &home).env("COFFERDAM_LOG", "error");
            command
        };
        let made = command(&["token", "create", "--name", "bench"]).output().expect("a token");
        let token = String::from_utf8_lossy(&made.stdout).trim().to_owned();
        let cells = (WAITING + STREAMS + 500).to_string();
        let mut serve = command(&["serve", "--listen", "127.0.0.1:0", "--cells", &cells]);
        serve.env("COFFERDAM_SERVE_RATE", "1000000").env("COFFERDAM_SERVE_BURST", "1000000");
        serve.env("COFFERDAM_SERVE_RUNS_PER_AGENT", "100000");
        let mut child = serve.stderr(Stdio::piped()).spawn().expect("the server");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let line = lines.next().expect("a line").expect("text");
        let address = line.split("listening on http://").nth(1).expect("an address");
        let address = address.split(';').next().unwrap_or_default().to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, address, token, home }
    }

    pub(crate) fn client(&self) -> Client {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        let (address, token) = (self.address.clone(), self.token.clone());
        Client { stream: BufReader::new(stream), address, token }
    }

    /// Starts a run and returns the stream of its events.
    fn stream(&self, params: &Json) -> Client {
        let mut client = self.client();
        client.request("POST", "/v1/exec", &[("accept", "text/event-stream")], params);
        client
    }

    /// Returns the memory of the server; pages that cells share count once.
    fn bytes(&self) -> u64 {
        let path = format!("/proc/{}/smaps_rollup", self.child.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Pss:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// A connection that is kept.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    address: String,
    token: String,
}

impl Client {
    fn request(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &Json) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n",
            self.address,
            self.token,
            body.len()
        );
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request = request + "\r\n" + &body;
        self.stream.get_mut().write_all(request.as_bytes()).expect("a request");
    }

    /// Sends a request and returns status and body: as JSON if it is, and as text otherwise.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Json,
    ) -> (u16, Json) {
        self.request(method, path, headers, body);
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("a line");
            match line.trim_end().split_once(": ") {
                Some(("content-length", value)) => length = value.parse().expect("a length"),
                Some(_) => {}
                None if line == "\r\n" => break,
                None => {
                    status = line.split(' ').nth(1).unwrap_or_default().parse().expect("a status")
                }
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a body");
        let text = String::from_utf8_lossy(&body).into_owned();
        (status, serde_json::from_str(&text).unwrap_or(Json::String(text)))
    }

    /// Reads a stream until an event.
    fn until(&mut self, event: &str) {
        let (end, mut line) = (format!("event: {event}\n"), String::new());
        while line != end {
            line.clear();
            assert!(self.stream.read_line(&mut line).expect("a line") > 0, "ended before {event}");
        }
    }

    /// Returns the number of runs that wait.
    fn waiting(&mut self) -> usize {
        let (_, text) = self.send("GET", "/metrics", &[], &Json::Null);
        let text = text.as_str().unwrap_or_default();
        let open = text.lines().find_map(|line| line.strip_prefix("cofferdam_questions_open "));
        open.and_then(|open| open.parse().ok()).unwrap_or(0)
    }
}
