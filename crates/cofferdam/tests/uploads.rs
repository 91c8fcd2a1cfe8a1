//! Request bodies that are sent while they are produced, against a server on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use cofferdam::{ErrorClass, Limits, Outcome, Sandbox, SandboxBuilder, Tool};
use serde_json::{Value as Json, json};

/// Longest time that the server waits for the other side.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server whose behaviour depends on the path of the request.
struct Server {
    port: u16,
}

impl Server {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || Exchange::new(stream).answer());
            }
        });
        Server { port }
    }

    /// Returns a builder of a sandbox that may reach this server.
    fn granted(&self) -> SandboxBuilder {
        let grant = format!("network:fetch:http://127.0.0.1:{}", self.port);
        Sandbox::builder().grant(grant.parse().expect("a capability"))
    }

    /// Runs a tool that knows the server as `url`.
    async fn run_in(&self, sandbox: &Sandbox, source: &str) -> Outcome {
        let source = format!("const url = 'http://127.0.0.1:{}'\n{source}", self.port);
        sandbox.run(&Tool::javascript(&source)).await.expect("a sandbox that works")
    }

    async fn check(&self, source: &str, result: Json) {
        let sandbox = self.granted().build().expect("a sandbox");
        let outcome = self.run_in(&sandbox, source).await;
        assert_eq!(outcome.result_json(), Some(result), "{:?}", outcome.error());
    }
}

struct Exchange {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Exchange {
    fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while stream.read_line(&mut head).is_ok_and(|len| len > 2) {}
        Exchange { stream, head: head.to_ascii_lowercase() }
    }

    /// Returns the next chunk, or `None` at the end or if the client has gone away.
    fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut size = String::new();
        self.stream.read_line(&mut size).ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).ok()?;
        chunk.truncate(size);
        (size > 0).then_some(chunk)
    }

    fn body(&mut self) -> Vec<u8> {
        if self.head.contains("transfer-encoding: chunked") {
            return std::iter::from_fn(|| self.chunk()).flatten().collect();
        }
        let length = self.head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a length"))];
        let _ = self.stream.read_exact(&mut body);
        body
    }

    fn say(&mut self, text: &str) {
        // Clients that go away are part of the tests.
        let _ = self.stream.get_mut().write_all(text.as_bytes());
    }

    fn answer(mut self) {
        let path = self.head.split(' ').nth(1).unwrap_or_default().to_owned();
        if let Some(status) = path.strip_prefix("/redirect/") {
            self.body();
            let head = format!("HTTP/1.1 {status} Elsewhere\r\nlocation: /\r\n");
            return self.say(&format!("{head}content-length: 0\r\n\r\n"));
        }
        if let Some(length) = path.strip_prefix("/long/") {
            let body = "x".repeat(length.parse().expect("a length"));
            return self.say(&format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"));
        }
        match path.as_str() {
            // Echoes each chunk before it reads the next one.
            "/echo" => {
                self.say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                while let Some(chunk) = self.chunk() {
                    let text = String::from_utf8_lossy(&chunk).into_owned();
                    self.say(&format!("{:x}\r\n{text}\r\n", chunk.len()));
                }
                self.say("0\r\n\r\n");
            }
            // Answers without reading the body.
            "/early" => {
                self.say("HTTP/1.1 413 Too Long\r\ncontent-length: 2\r\n\r\nno");
                let _ = std::io::copy(&mut self.stream, &mut std::io::sink());
            }
            // Reads, and never answers.
            "/hang" => {
                let _ = std::io::copy(&mut self.stream, &mut std::io::sink());
            }
            // Describes the request.
            _ => {
                let body = self.body();
                let sent = match self.head.contains("transfer-encoding: chunked") {
                    true => "chunked",
                    false => "whole",
                };
                let shown = String::from_utf8_lossy(&body[..body.len().min(32)]).into_owned();
                let method = self.head.split(' ').next().unwrap_or_default();
                let said = format!("{method} {sent} {} {shown}", body.len());
                let length = said.len();
                self.say(&format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{said}"));
            }
        }
    }
}

/// Returns a stream that records how often it was pulled and how it ended.
const MADE: &str = "
    const noted = { pulled: 0 }
    const bytes = (text) => new TextEncoder().encode(text)
    const made = (next) => new ReadableStream({
        async pull(c) { noted.pulled++; await next(c) },
        cancel(reason) { noted.cancelled = String(reason) },
    }, { highWaterMark: 0 })
    const post = (path, body, init = {}) => fetch(url + path, { method: 'POST', body, duplex: 'half', ...init })
";

fn with_made(source: &str) -> String {
    format!("{MADE}{source}")
}

#[tokio::test]
async fn a_stream_is_sent_in_chunks() {
    let source = "const pieces = ['one ', '', 'two ', 'three']
        const body = made((c) => pieces.length ? c.enqueue(bytes(pieces.shift())) : c.close())
        const response = await post('/', body)
        return [await response.text(), noted]";
    let expect = json!(["post chunked 13 one two three", { "pulled": 5 }]);
    Server::new().check(&with_made(source), expect).await;
}

#[tokio::test]
async fn a_piece_is_made_when_the_one_before_was_answered() {
    let source = "let give
        const body = new ReadableStream({ start(c) { give = c } })
        give.enqueue(bytes('a'))
        const reader = (await post('/echo', body)).body.getReader()
        const heard = []
        for (const next of ['b', 'c', undefined]) {
            heard.push(new TextDecoder().decode((await reader.read()).value))
            next === undefined ? give.close() : give.enqueue(bytes(next))
        }
        return [heard, (await reader.read()).done]";
    Server::new().check(&with_made(source), json!([["a", "b", "c"], true])).await;
}

#[tokio::test]
async fn what_can_be_a_body_is_streamed() {
    let server = Server::new();
    let source = "const long = 'x'.repeat(200000)
        const texts = []
        for (const body of [new Blob([long]), long, bytes(long), new Blob([long]).stream(),
            (async function* () { yield bytes('a'); yield bytes('b') })()])
            texts.push(await (await post('/', body)).text())
        const request = new Request(url, { method: 'PUT', duplex: 'half', body: made((c) => { c.enqueue(bytes(long)); c.close() }) })
        texts.push(await (await fetch(request)).text())
        return [request.bodyUsed, texts.map((text) => text.replace(/x+/, ''))]";
    let expect = json!([
        true,
        [
            "post whole 200000 ",
            "post whole 200000 ",
            "post whole 200000 ",
            "post chunked 200000 ",
            "post chunked 2 ab",
            "put chunked 200000 "
        ]
    ]);
    server.check(&with_made(source), expect).await;
}

#[tokio::test]
async fn one_response_is_the_body_of_another_request() {
    let source = "const first = await post('/echo', made((c) => {
            c.enqueue(bytes('z'.repeat(50000)))
            if (noted.pulled === 20) c.close()
        }))
        const second = await post('/', first.body)
        return (await second.text()).replace(/z+/, '')";
    Server::new().check(&with_made(source), json!("post chunked 1000000 ")).await;
}

#[tokio::test]
async fn nothing_is_made_for_a_request_that_is_denied() {
    let sandbox = Sandbox::new().expect("a sandbox");
    let source = "const body = made((c) => c.enqueue(bytes('secret')))
        const error = await post('/', body).catch((error) => error)
        return [error.name, error.requiredPermission.split(':')[2], noted.pulled, noted.cancelled.split(':')[0]]";
    let outcome = Server::new().run_in(&sandbox, &with_made(source)).await;
    let expect = json!(["PermissionError", "POST@http", 0, "PermissionError"]);
    assert_eq!(outcome.result_json(), Some(expect), "{:?}", outcome.error());
}

#[tokio::test]
async fn an_error_of_the_stream_is_that_of_the_fetch() {
    let source = "const boom = new SyntaxError('boom')
        const body = made((c) => { if (noted.pulled === 3) throw boom; c.enqueue(bytes('x')) })
        const error = await post('/hang', body).catch((error) => error)
        const text = await post('/hang', made((c) => c.enqueue('text'))).catch((error) => error)
        return [error === boom, String(text), noted.cancelled]";
    let wrong = "TypeError: Received non-Uint8Array chunk";
    Server::new().check(&with_made(source), json!([true, wrong, wrong])).await;
}

#[tokio::test]
async fn abort_cancels_the_stream() {
    let source = "const stop = new AbortController()
        const body = made(async (c) => {
            c.enqueue(bytes('x'))
            if (noted.pulled === 3) { stop.abort('enough'); await new Promise(() => {}) }
        })
        const error = await post('/hang', body, { signal: stop.signal }).catch((error) => error)
        return [error, noted]";
    let expect = json!(["enough", { "pulled": 3, "cancelled": "enough" }]);
    Server::new().check(&with_made(source), expect).await;
}

#[tokio::test]
async fn abort_cancels_the_stream_behind_the_head_of_the_response() {
    let source = "const stop = new AbortController()
        const body = made(async (c) => {
            if (noted.pulled > 1) await new Promise(() => {})
            c.enqueue(bytes('x'))
        })
        const response = await post('/echo', body, { signal: stop.signal })
        stop.abort('enough')
        return [await response.text().catch((error) => error), noted.cancelled]";
    Server::new().check(&with_made(source), json!(["enough", "enough"])).await;
}

#[tokio::test]
async fn a_server_that_answers_early_ends_the_stream() {
    let source = "let ended
        const end = new Promise((resolve) => { ended = resolve })
        const body = new ReadableStream({
            pull(c) { c.enqueue(new Uint8Array(1000)) },
            cancel(reason) { ended(reason.name) },
        })
        const response = await post('/early', body)
        return [response.status, await response.text(), await end]";
    Server::new().check(&with_made(source), json!([413, "no", "AbortError"])).await;
}

#[tokio::test]
async fn a_redirect_takes_again_what_has_a_length_and_no_stream() {
    let source = "const got = []
        for (const status of [301, 302, 303, 307, 308]) for (const long of [true, false]) {
            const body = long ? new Blob(['x'.repeat(100000)]) : made((c) => { c.enqueue(bytes('x')); c.close() })
            const text = await post('/redirect/' + status, body).then((r) => r.text(), (error) => error.name)
            got.push(status + ' ' + text.replace(/x+/, ''))
        }
        return got";
    let expect = json!([
        "301 get whole 0 ",
        "301 TypeError",
        "302 get whole 0 ",
        "302 TypeError",
        "303 get whole 0 ",
        "303 get whole 0 ",
        "307 post whole 100000 ",
        "307 TypeError",
        "308 post whole 100000 ",
        "308 TypeError",
    ]);
    Server::new().check(&with_made(source), expect).await;
}

/// T-NET-008.
#[tokio::test]
async fn the_length_is_limited_while_it_is_sent() {
    let source = "const body = made((c) => c.enqueue(new Uint8Array(1 << 20)))
        const error = await post('/hang', body).catch((error) => error)
        const blob = await post('/hang', new Blob([new Uint8Array(11 << 20)])).catch((error) => error)
        return [error.message, blob.message, noted.pulled, noted.cancelled === String(error)]";
    let long = "fetch failed: 127.0.0.1: the request's body is longer than 10485760 bytes \
                (the limit fetchBytes)";
    Server::new().check(&with_made(source), json!([long, long, 11, true])).await;
}

#[tokio::test]
async fn a_call_and_a_fetch_can_be_longer_where_that_is_allowed() {
    let server = Server::new();
    let source = "const length = 33 << 20
        const got = await (await fetch(`${url}/long/${length}`)).arrayBuffer()
        await btcp.fs.writeFile('/tmp/a', got)
        const sent = await fetch(url, { method: 'POST', body: new Uint8Array(length) })
        const read = await btcp.fs.readFile('/tmp/a', 'bytes')
        return [got.byteLength, read.length, (await sent.text()).includes(length)]";
    let limits = Limits::default().with_memory_bytes(512 << 20).with_time(PATIENCE);
    let granted = |limits| {
        let files = ["fs:read:/tmp/**", "fs:write:/tmp/**"].map(|text| text.parse());
        let granted = files.into_iter().flatten().fold(server.granted(), SandboxBuilder::grant);
        granted.limits(limits).build().expect("a sandbox")
    };
    let raised = limits.with_call_bytes(40 << 20).with_fetch_bytes(40 << 20);
    let outcome = server.run_in(&granted(raised), source).await;
    let length = 33 << 20;
    assert_eq!(outcome.result_json(), Some(json!([length, length, true])), "{:?}", outcome.error());
    let said = |outcome: Outcome| outcome.error().expect("an error").message.clone();
    let usual = said(server.run_in(&granted(limits), source).await);
    assert!(usual.ends_with("longer than 10485760 bytes (the limit fetchBytes)"), "{usual}");
    let one = said(server.run_in(&granted(limits.with_fetch_bytes(40 << 20)), source).await);
    assert!(one.contains("the limit callBytes is 16777216"), "{one}");
}

#[tokio::test]
async fn the_run_s_end_is_the_upload_s() {
    let server = Server::new();
    let limits = Limits::default().with_time(Duration::from_millis(300));
    let sandbox = server.granted().limits(limits).build().expect("a sandbox");
    for next in ["await new Promise(() => {})", "c.enqueue(new Uint8Array(1))", "for (;;);"] {
        let source = format!("await post('/hang', made(async (c) => {{ {next} }}))");
        let outcome = server.run_in(&sandbox, &with_made(&source)).await;
        assert_eq!(outcome.error_class(), Some(ErrorClass::Timeout), "{next}");
    }
}
