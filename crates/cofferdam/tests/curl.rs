//! The command `curl` against a server on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cofferdam::permissions::{Answer, Approver, Decision, Question, Span};
use cofferdam::{Command, Ending, ErrorClass, Outcome, Sandbox, SandboxBuilder, Stream};

/// A server that echoes requests and counts connections.
struct Server {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                count.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || answer(stream));
            }
        });
        Server { port, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns a builder of a sandbox that may reach this server.
    fn granted(&self) -> SandboxBuilder {
        let grant = format!("network:fetch:{}", self.url(""));
        Sandbox::builder().grant(grant.parse().expect("a capability"))
    }
}

fn answer(stream: TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|len| len > 2) {}
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("content-length: ").map(|n| n.parse().unwrap_or(0))
    });
    let mut body = vec![0; length.unwrap_or(0)];
    let _ = reader.read_exact(&mut body);
    let stream = reader.get_mut();
    // Clients that go away are part of the tests.
    let _ = match path.as_str() {
        "/redirect" => stream
            .write_all(b"HTTP/1.1 302 Found\r\nlocation: /there\r\ncontent-length: 5\r\n\r\nmoved"),
        "/away" => stream.write_all(
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:8080/\r\ncontent-length: 0\r\n\r\n",
        ),
        "/missing" => {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 7\r\n\r\nnothing")
        }
        "/hang" => {
            let begun = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun");
            // Waits until the client goes away.
            let _ = stream.read(&mut [0]);
            begun
        }
        "/large" => {
            let size = 4 << 20;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n");
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&vec![b'x'; size]))
        }
        _ => {
            let said = format!("{head}{}", String::from_utf8_lossy(&body));
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nx-answer: yes\r\n";
            let answer = format!("{head}content-length: {}\r\n\r\n{said}", said.len());
            stream.write_all(answer.as_bytes())
        }
    };
}

async fn sh(sandbox: &Sandbox, text: &str) -> Outcome {
    sandbox.run_program(Command::shell(text)).await.expect("a run")
}

#[track_caller]
fn check(outcome: &Outcome, code: u8, out: &[&str]) {
    let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text());
    assert_eq!(outcome.exit_code(), code, "{stdout}\n{stderr}\n{:?}", outcome.ending);
    for part in out {
        assert!(stdout.contains(part), "no {part:?} in {stdout}\n{stderr}");
    }
}

#[tokio::test]
async fn what_is_not_granted_is_a_line_of_json_and_reaches_nobody() {
    let server = Server::new();
    let sandbox = Sandbox::new().expect("a sandbox");
    let outcome = sh(&sandbox, &format!("curl -s {}", server.url("/x"))).await;
    let Ending::Denied(denied) = &outcome.ending else { panic!("{:?}", outcome.ending) };
    let needed = format!("network:fetch:GET@{}", server.url("/x"));
    assert_eq!(denied.required_permission(), needed);
    assert_eq!(outcome.stderr.text().trim_end(), denied.to_json());
    // A script that goes on sees curl's own exit code.
    let text = format!("curl -s {} 2>/dev/null; echo $?; true", server.url("/x"));
    check(&sh(&sandbox, &text).await, 0, &["7\n"]);
    assert_eq!(server.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn requests_say_what_the_options_say() {
    let server = Server::new();
    let sandbox = server.granted().build().expect("a sandbox");
    let run = async |text: &str| sh(&sandbox, &text.replace("URL", &server.url("/p"))).await;
    check(&run("curl -s URL").await, 0, &["GET /p HTTP/1.1", "user-agent: curl/", "accept: */*"]);
    let posted = ["POST /p", "application/x-www-form-urlencoded", "a=1&b=%20x"];
    check(&run("curl -s -d a=1 --data-urlencode 'b= x' URL").await, 0, &posted);
    let json =
        ["POST /p", "content-type: application/json", "accept: application/json", "{\"a\":1}"];
    check(&run("curl -s --json '{\"a\":1}' URL").await, 0, &json);
    check(&run("printf 'a\\nb' > f; curl -s -d @f URL").await, 0, &["\r\nab"]);
    check(&run("curl -s --data-binary @f URL").await, 0, &["\r\na\nb"]);
    check(&run("cat f | curl -s --data-binary @- URL").await, 0, &["\r\na\nb"]);
    check(&run("curl -s -G -d q=1 URL").await, 0, &["GET /p?q=1 "]);
    check(
        &run("curl -s -X DELETE -H 'X-One: 1' -A me URL").await,
        0,
        &["DELETE", "x-one: 1", "user-agent: me"],
    );
    check(&run("curl -s -u me:secret URL").await, 0, &["authorization: Basic bWU6c2VjcmV0"]);
    check(
        &run("curl -s -F a=b -F file=@f URL").await,
        0,
        &["multipart/form-data", "name=\"a\"", "filename=\"f\""],
    );
    check(&run("curl -s -T f URL").await, 0, &["PUT /p", "a\nb"]);
}

#[tokio::test]
async fn answers_go_where_the_options_say() {
    let server = Server::new();
    let sandbox = server.granted().build().expect("a sandbox");
    let run = async |text: &str| sh(&sandbox, &text.replace("URL", &server.url(""))).await;
    check(&run("curl -s -o f URL/p && head -1 f").await, 0, &["GET /p"]);
    check(
        &run("cd /tmp && curl -sO URL/name.txt && head -1 name.txt").await,
        0,
        &["GET /name.txt"],
    );
    check(
        &run("curl -s -w '%{http_code} %{size_download}\\n' -o /dev/null URL/missing").await,
        0,
        &["404 7\n"],
    );
    check(&run("curl -sf URL/missing; echo $?").await, 0, &["22\n"]);
    check(
        &run("curl -s -i URL/p").await,
        0,
        &["HTTP/1.1 200 OK\r\n", "x-answer: yes\r\n", "\r\n\r\nGET /p"],
    );
    check(&run("curl -s -I URL/p").await, 0, &["HTTP/1.1 200", "x-answer"]);
    check(&run("curl -s URL/redirect").await, 0, &["moved"]);
    check(&run("curl -sL URL/redirect").await, 0, &["GET /there"]);
    check(&run("curl -s URL/large | wc -c").await, 0, &["4194304\n"]);
    check(&run("curl -s URL/large | head -c 3").await, 0, &["xxx"]);
    check(&run("curl -s URL/a URL/b | grep -c GET").await, 0, &["2\n"]);
}

#[tokio::test]
async fn a_redirect_is_a_request_of_its_own() {
    let server = Server::new();
    let sandbox = server.granted().build().expect("a sandbox");
    let outcome = sh(&sandbox, &format!("curl -sL {}", server.url("/away"))).await;
    assert_eq!(outcome.error_class(), Some(ErrorClass::CapabilityDenied));
    assert!(outcome.stderr.text().contains("http://127.0.0.1:8080/"), "{}", outcome.stderr.text());
}

#[tokio::test]
async fn a_request_that_hangs_ends_with_its_time_with_a_signal_and_with_the_run() {
    let server = Server::new();
    let sandbox = server.granted().build().expect("a sandbox");
    let url = server.url("/hang");
    check(&sh(&sandbox, &format!("curl -s -m 0.2 {url}; echo \" $?\"")).await, 0, &["begun 28\n"]);
    let text = format!("curl -s {url} > f & until [ -s f ]; do :; done; kill $!; wait $!; echo $?");
    check(&sh(&sandbox, &text).await, 0, &["143\n"]);
    // Cancelled once the first bytes have arrived.
    let (sender, receiver) = std::sync::mpsc::channel();
    let watcher = Arc::new(move |_: Stream, _: &[u8]| {
        let _ = sender.send(());
    });
    let sandbox = server.granted().watcher(watcher).build().expect("a sandbox");
    let run = sandbox.start_program(Command::shell(format!("curl -s {url}"))).expect("a run");
    let canceller = run.canceller();
    std::thread::spawn(move || {
        let _ = receiver.recv();
        canceller.cancel();
    });
    let outcome = run.await.expect("a run");
    assert_eq!(outcome.error_class(), Some(ErrorClass::Cancelled));
    assert_eq!(outcome.stdout.text(), "begun");
}

/// Allows everything once, after a delay.
struct Slow(Duration);

impl Approver for Slow {
    fn ask(&self, question: Question) -> std::pin::Pin<Box<dyn Future<Output = Answer> + Send>> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let (time, denied) = (self.0, question.deny());
        std::thread::spawn(move || {
            std::thread::sleep(time);
            let allowed = question
                .wishes()
                .iter()
                .map(|wish| Decision::Grant(wish.choices()[0].capability().clone(), Span::Once));
            let _ = sender.send(question.answer(allowed.collect()));
        });
        Box::pin(async move { receiver.await.unwrap_or(denied) })
    }
}

#[tokio::test]
async fn who_is_asked_may_take_longer_than_the_run() {
    let server = Server::new();
    let time = Duration::from_millis(700);
    let limits = cofferdam::Limits::default().with_time(time);
    let approver = Arc::new(Slow(Duration::from_millis(1500)));
    let sandbox = Sandbox::builder().limits(limits).approver(approver).build().expect("a sandbox");
    let text = format!("curl -s {} | head -1; echo done", server.url("/asked"));
    check(&sh(&sandbox, &text).await, 0, &["GET /asked", "done"]);
    // A process that computes meanwhile has no more time than without the question.
    let text = format!("curl -s {} & while :; do :; done", server.url("/asked"));
    let began = Instant::now();
    let outcome = sh(&sandbox, &text).await;
    assert_eq!(outcome.error_class(), Some(ErrorClass::Timeout));
    assert!(began.elapsed() < Duration::from_millis(1400), "{:?}", began.elapsed());
}

/// Answers one request after it has received `first`, and passes every piece of its body on.
fn piece_by_piece(listener: TcpListener, heard: std::sync::mpsc::Sender<String>) {
    let (stream, _) = listener.accept().expect("a request");
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|len| len > 2) {}
    assert!(head.to_ascii_lowercase().contains("transfer-encoding: chunked"), "{head}");
    loop {
        let mut length = String::new();
        reader.read_line(&mut length).expect("a length");
        let mut piece = vec![0; usize::from_str_radix(length.trim(), 16).expect("a number") + 2];
        reader.read_exact(&mut piece).expect("a piece");
        piece.truncate(piece.len() - 2);
        if piece.is_empty() {
            break;
        }
        heard.send(String::from_utf8_lossy(&piece).into_owned()).expect("a listener");
    }
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n";
    reader.get_mut().write_all(answer).expect("a client");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_is_sent_while_it_is_read() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || piece_by_piece(listener, sender));
    let grant = format!("network:fetch:{url}").parse().expect("a capability");
    let sandbox = Sandbox::builder().grant(grant).build().expect("a sandbox");
    let text = format!("cat | curl -s -w '%{{size_upload}}' -T - {url}/");
    let (stdin, command) = Command::shell(text).stream_stdin();
    let run = tokio::spawn(async move { sandbox.run_program(command).await });
    // Each piece is written when the server has received the one before it.
    for piece in ["one", "two", "three"] {
        assert!(stdin.write_all(piece.as_bytes()).await);
        let heard = tokio::task::block_in_place(|| heard.recv_timeout(Duration::from_secs(60)));
        assert_eq!(heard.as_deref(), Ok(piece));
    }
    drop(stdin);
    let outcome = run.await.expect("a task").expect("a run");
    check(&outcome, 0, &["ok\n11"]);
}

#[tokio::test]
async fn a_long_file_is_sent_with_its_length() {
    let server = Server::new();
    let sandbox = server.granted().build().expect("a sandbox");
    let run = async |text: &str| sh(&sandbox, &text.replace("URL", &server.url("/p"))).await;
    // Longer than what curl gathers, from a file, from its rest, and as data.
    let made = "yes | head -c 200000 > f; ";
    let sent = |length: &str| format!("content-length: {length}\r\n");
    let outcome = run(&format!("{made}curl -s -w '%{{size_upload}}' -T f URL")).await;
    check(&outcome, 0, &["PUT /p", &sent("200000"), "y\ny\n", "200000"]);
    let outcome = run("{ head -c 4 > /dev/null; curl -s -T - URL; } < f").await;
    check(&outcome, 0, &["PUT /p", "y\ny\n"]);
    check(&run("curl -s --data-binary @f URL").await, 0, &["POST /p", &sent("200000")]);
    check(&run("curl -s -T /nope URL; echo $?").await, 0, &["26\n"]);
    check(&run("curl -s -T / URL > /dev/null || echo refused").await, 0, &["refused\n"]);
    check(&run("curl -s -T /dev/null URL").await, 0, &["PUT /p"]);
}
