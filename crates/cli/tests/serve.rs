//! The server as a process: started, signed in to, told to end, and killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

/// Longest time that a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// A data directory, which is removed at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("cofferdam-serve-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Home(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
        command.args(arguments).env("XDG_DATA_HOME", &self.0).env("USER", "tester");
        command.env("COFFERDAM_LOG", "warn").env("COFFERDAM_SERVE_CELLS", "16");
        command
    }

    /// Runs a command and returns its standard output.
    #[track_caller]
    fn out(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the program");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn serve(&self) -> Serve {
        self.serve_with(&[])
    }

    fn serve_with(&self, variables: &[(&str, &str)]) -> Serve {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.envs(variables.iter().copied());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let line = lines.next().expect("a line").expect("text");
        let url = line.split("listening on http://").nth(1).expect("an address");
        let address = url.split(';').next().expect("an address").to_owned();
        // The rest of the log is read, so that the server never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Serve { child, address }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Serve {
    child: Child,
    address: String,
}

impl Serve {
    /// Sends a request and returns status and body.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &Json) -> (u16, Json) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        if !body.is_empty() {
            request += "content-type: application/json\r\n";
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += "\r\n";
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream.write_all((request + &body).as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).expect("a status").parse().expect("a number");
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        (status, serde_json::from_str(body).unwrap_or(Json::Null))
    }

    fn agent(&self, token: &str, method: &str, path: &str, body: &Json) -> (u16, Json) {
        self.send(method, path, &[("authorization", &format!("Bearer {token}"))], body)
    }

    fn exec(&self, token: &str, key: &str, params: &Json) -> (u16, Json) {
        let token = format!("Bearer {token}");
        let headers = [("authorization", token.as_str()), ("idempotency-key", key)];
        self.send("POST", "/v1/exec", &headers, params)
    }

    /// Kills the server as the kernel does when memory is short.
    fn kill_9(mut self) {
        self.child.kill().expect("a kill");
        self.child.wait().expect("an end");
    }

    /// Tells the server to end, and waits.
    fn terminate(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        self.child.wait().expect("an end").code()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// T-SERVE-006.
#[test]
fn a_login_code_is_printed_to_a_terminal_only() {
    let home = Home::new("login");
    let server = home.serve();
    let output = home.command(&["login"]).stdin(Stdio::null()).output().expect("the program");
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("must be a terminal"));

    let pty = nix::pty::openpty(None, None).expect("a terminal");
    let slave = || Stdio::from(pty.slave.try_clone().expect("a descriptor"));
    let mut command = home.command(&["login"]);
    let mut child =
        command.stdin(slave()).stdout(slave()).stderr(slave()).spawn().expect("a child");
    assert!(child.wait().expect("an end").success());
    let mut said = vec![0; 4096];
    let len = std::fs::File::from(pty.master).read(&mut said).expect("some text");
    let said = String::from_utf8_lossy(&said[..len]).into_owned();
    let code = said.split("code  ").nth(1).expect("a code").split_whitespace().next().unwrap();
    assert!(said.contains(&format!("http://{}/login?code={code}", server.address)), "{said}");
    let origin = format!("http://{}", server.address);
    let login = |code: &str| {
        server.send("POST", "/v1/login", &[("origin", &origin)], &json!({ "code": code })).0
    };
    assert_eq!(login(code), 204);
    assert_eq!(login(code), 401);
}

#[test]
fn kill_9_loses_no_key_and_no_saved_sandbox() {
    let home = Home::new("kill");
    let token = home.out(&["token", "create", "--name", "a"]);
    let server = home.serve();
    let random = json!({ "kind": "js", "code": "return Math.random()" });
    let (status, first) = server.exec(&token, "done", &random);
    assert_eq!(status, 200);
    let made = server.agent(&token, "POST", "/v1/sandboxes", &json!({ "name": "work" }));
    assert_eq!(made.0, 201);
    let write = json!({ "kind": "shell", "command": "echo 1 > /a", "sandbox": "work" });
    assert_eq!(server.agent(&token, "POST", "/v1/exec", &write).0, 200);
    assert_eq!(server.agent(&token, "POST", "/v1/sandboxes/work/save", &Json::Null).0, 204);
    // A run that goes on while the server is killed.
    let endless = json!({ "kind": "js", "code": "for (;;);" });
    let bearer = format!("Bearer {token}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("idempotency-key", "open"),
        ("prefer", "respond-async"),
    ];
    assert_eq!(server.send("POST", "/v1/exec", &headers, &endless).0, 202);
    server.kill_9();

    let server = home.serve();
    assert_eq!(server.exec(&token, "done", &random), (200, first));
    let (status, problem) = server.exec(&token, "open", &endless);
    assert_eq!((status, &problem["code"]), (409, &json!("interrupted")));
    let read = json!({ "kind": "shell", "command": "cat /a", "sandbox": "work" });
    let (_, answer) = server.agent(&token, "POST", "/v1/exec", &read);
    assert_eq!(answer["outcome"]["stdout"], "1\n");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn kill_9_loses_no_grant_that_was_acknowledged() {
    let home = Home::new("grants");
    let mut made = Vec::new();
    for round in 0..5 {
        let server = home.serve();
        let cookie = sign_in(&home, &server);
        let origin = format!("http://{}", server.address);
        let headers = [("cookie", cookie.as_str()), ("origin", &origin)];
        let grant = json!({ "capability": format!("fs:read:/{round}"), "span": "always" });
        let (status, answer) = server.send("POST", "/v1/grants", &headers, &grant);
        assert_eq!(status, 201, "{answer}");
        server.kill_9();
        made.push(answer["grant"]["id"].as_str().expect("an id").to_owned());
        let list = home.out(&["grants", "--json"]);
        assert!(made.iter().all(|id| list.contains(id)), "{made:?} {list}");
        let log = home.out(&["audit", "--event", "grant"]);
        assert!(made.iter().all(|id| log.contains(id)), "{made:?} {log}");
    }
}

/// Signs in with a code from a terminal, and returns the cookie.
fn sign_in(home: &Home, server: &Serve) -> String {
    let pty = nix::pty::openpty(None, None).expect("a terminal");
    let slave = || Stdio::from(pty.slave.try_clone().expect("a descriptor"));
    let mut command = home.command(&["login"]);
    let mut child =
        command.stdin(slave()).stdout(slave()).stderr(slave()).spawn().expect("a child");
    assert!(child.wait().expect("an end").success());
    let mut said = vec![0; 4096];
    let len = std::fs::File::from(pty.master).read(&mut said).expect("some text");
    let said = String::from_utf8_lossy(&said[..len]).into_owned();
    let code = said.split("code  ").nth(1).expect("a code").split_whitespace().next().unwrap();
    let body = json!({ "code": code }).to_string();
    let request = format!(
        "POST /v1/login HTTP/1.1\r\nhost: {0}\r\norigin: http://{0}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {1}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    cookie.unwrap_or_else(|| panic!("{answer}")).split(';').next().unwrap().to_owned()
}

#[test]
fn a_grant_from_the_command_line_wakes_a_waiting_run_within_a_moment() {
    let home = Home::new("wake");
    let token = home.out(&["token", "create", "--name", "a"]);
    let server = home.serve();
    let params = json!({ "kind": "js", "files": { "/a": "x" },
        "code": "return await require('fs').promises.readFile('/a', 'utf8')" });
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("prefer", "respond-async")];
    let (status, run) = server.send("POST", "/v1/exec", &headers, &params);
    assert_eq!(status, 202);
    let path = format!("/v1/runs/{}", run["run"].as_str().expect("an id"));
    let until = |status: &str| {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let run = server.agent(&token, "GET", &path, &Json::Null).1;
            if run["status"] == status {
                return run;
            }
        }
        panic!("never {status}");
    };
    until("waiting");
    let own = format!("network:fetch:http://{}", server.address);
    let refused = home.command(&["grant", &own, "--always"]).output().expect("the program");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no run may reach"));
    home.out(&["grant", "fs:read:/a", "--always"]);
    assert_eq!(until("ended")["outcome"]["result"], "x");
}

/// Starts a run that waits for leave to read `/a`, and returns its path.
fn waiting(server: &Serve, token: &str, more: &Json) -> String {
    let mut params = json!({ "kind": "js", "files": { "/a": "x" }, "why": "to see",
        "code": "return await require('fs').promises.readFile('/a', 'utf8')" });
    params
        .as_object_mut()
        .expect("an object")
        .extend(more.as_object().cloned().unwrap_or_default());
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("prefer", "respond-async")];
    let (status, run) = server.send("POST", "/v1/exec", &headers, &params);
    assert_eq!(status, 202, "{run}");
    let path = format!("/v1/runs/{}", run["run"].as_str().expect("an id"));
    until(server, token, &path, "waiting");
    path
}

fn until(server: &Serve, token: &str, path: &str, status: &str) -> Json {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let run = server.agent(token, "GET", path, &Json::Null).1;
        if run["status"] == status {
            return run;
        }
    }
    panic!("never {status}");
}

/// Returns the requests that the command line lists as waiting, once there are `count`.
fn listed(home: &Home, count: usize) -> Vec<Json> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let list = home.out(&["requests", "--json"]);
        let list: Vec<Json> = list.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        let list: Vec<_> = list.into_iter().filter(|one| one["status"] == "waiting").collect();
        if list.len() == count {
            return list;
        }
    }
    panic!("never {count} requests");
}

fn word<'a>(json: &'a Json, name: &str) -> &'a str {
    json[name].as_str().unwrap_or_else(|| panic!("no {name} in {json}"))
}

#[test]
fn a_request_that_waits_elsewhere_is_listed_granted_and_denied_by_its_id() {
    let home = Home::new("by-id");
    let token = home.out(&["token", "create", "--name", "bot"]);
    let server = home.serve();

    let path = waiting(&server, &token, &Json::Null);
    let list = listed(&home, 1);
    assert_eq!((word(&list[0], "capability"), word(&list[0], "agent")), ("fs:read:/a", "bot"));
    let shown = home.out(&["requests"]);
    let says =
        ["of bot wants to read the file /a", "in the agent's words: to see", word(&list[0], "id")];
    assert!(says.iter().all(|part| shown.contains(part)), "{shown}");
    let said = home.out(&["grant", word(&list[0], "id")]);
    assert!(said.contains("granted") && said.contains("goes on"), "{said}");
    assert_eq!(until(&server, &token, &path, "ended")["outcome"]["result"], "x");
    assert!(home.out(&["requests", "--json"]).is_empty());

    // The yes was for one run, so the next one waits again, and gets a no with its reason.
    let path = waiting(&server, &token, &Json::Null);
    let list = listed(&home, 1);
    home.out(&["deny", word(&list[0], "id"), "--reason", "use the copy"]);
    let error = until(&server, &token, &path, "ended")["outcome"]["error"].to_string();
    assert!(error.contains("use the copy"), "{error}");

    // Several wishes of one run have the id of their question, and a wider capability is taken for a
    // single wish only.
    let wants = json!({ "wants": ["fs:read:/a", "env:read:LANG"] });
    let path = waiting(&server, &token, &wants);
    let list = listed(&home, 1);
    let id = word(&list[0], "id");
    assert!(id.starts_with("qst_"), "{id}");
    let check = |arguments: &[&str], says: &str| {
        let output = home.command(arguments).output().expect("the program");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(says), "{arguments:?}: {error}");
    };
    check(&["grant", id, "--capability", "fs:read:/**"], "asks for 2 things");
    check(&["grant", id, "--expires", "1h"], "--expires");
    home.out(&["grant", id, "--session"]);
    assert_eq!(until(&server, &token, &path, "ended")["outcome"]["result"], "x");
    check(&["grant", id], "no run waits for this any more");
    check(&["deny", id], "no run waits for this any more");
}

/// Returns the memory of a process in KiB that it shares with nobody: neither its program, nor the
/// images of cells.
fn memory(server: &Serve) -> u64 {
    let path = format!("/proc/{}/smaps_rollup", server.child.id());
    let text = std::fs::read_to_string(path).expect("the memory of a process");
    let line = text.lines().find_map(|line| line.strip_prefix("Anonymous:")).expect("a line");
    line.split_whitespace().next().and_then(|kib| kib.parse().ok()).expect("a number")
}

#[test]
fn runs_that_wait_give_their_memory_back() {
    const RUNS: u64 = 300;
    let home = Home::new("memory");
    let token = home.out(&["token", "create", "--name", "a"]);
    let server = home.serve_with(&[("COFFERDAM_SERVE_CELLS", "350")]);
    let mut paths = vec![waiting(&server, &token, &Json::Null)];
    let before = memory(&server);
    paths.extend((0..RUNS).map(|_| waiting(&server, &token, &Json::Null)));
    let settles = |what: &str, most: u64| {
        let began = Instant::now();
        loop {
            let each = memory(&server).saturating_sub(before) / RUNS;
            if each < most {
                break;
            }
            assert!(began.elapsed() < PATIENCE, "{each} KiB for each run that {what}");
        }
    };
    settles("waits", 200);
    home.out(&["grant", "fs:read:/a", "--always"]);
    for path in &paths {
        assert_eq!(until(&server, &token, path, "ended")["outcome"]["result"], "x");
    }
    // Nor does the pool keep the pages of all that have ended.
    settles("has ended", 280);
}

/// Both pools of a large server find their addresses.
#[test]
fn a_server_with_many_cells_runs_tools_and_commands() {
    let home = Home::new("many");
    let token = home.out(&["token", "create", "--name", "a"]);
    let server = home.serve_with(&[("COFFERDAM_SERVE_CELLS", "11000")]);
    let tool = json!({ "kind": "js", "code": "return 1+1" });
    let (_, answer) = server.agent(&token, "POST", "/v1/exec", &tool);
    assert_eq!(answer["outcome"]["result"], 2, "{answer}");
    let command = json!({ "kind": "shell", "command": "seq 3 | paste -sd+" });
    let (_, answer) = server.agent(&token, "POST", "/v1/exec", &command);
    assert_eq!(answer["outcome"]["stdout"], "1+2+3\n", "{answer}");
}

/// The words of the audit log are on disk before a request is sent.
#[test]
fn kill_9_loses_no_audit_line_of_something_done() {
    let home = Home::new("audit");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let origin = format!("http://{}", listener.local_addr().expect("an address"));
    let capability = format!("network:fetch:{origin}");
    let token = home.out(&["token", "create", "--name", "a", "--capabilities", &capability]);
    let mut reached = Vec::new();
    for round in 0..6 {
        let server = home.serve();
        let code = format!("for (let n = 0; ; n++) await fetch('{origin}/{round}-' + n)");
        let bearer = format!("Bearer {token}");
        let key = format!("round-{round}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("prefer", "respond-async"),
            ("idempotency-key", &key),
        ];
        let params = json!({ "kind": "js", "code": code, "capabilities": [capability] });
        assert_eq!(server.send("POST", "/v1/exec", &headers, &params).0, 202);
        // Killed at the moment in which a request arrives, a different one in each round. Its
        // connection stays open: the run would end by itself if it were closed.
        let mut open = Vec::new();
        for number in 0..=round * 3 {
            let (mut stream, _) = listener.accept().expect("a request");
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).expect("a line");
            reached.push(line.split(' ').nth(1).expect("a path").to_owned());
            if number < round * 3 {
                let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
                stream.write_all(answer).expect("a client");
            }
            open.push(stream);
        }
        server.kill_9();
        drop(open);
        let server = home.serve();
        let (status, problem) = server.exec(&token, &key, &params);
        assert_eq!((status, &problem["code"]), (409, &json!("interrupted")), "runs twice");
        assert_eq!(server.terminate(), Some(0));
    }
    let log = home.out(&["audit", "--last", "10000"]);
    for path in &reached {
        assert!(log.contains(&format!("{origin}{path}\"")), "no line for {path}: {log}");
    }
    listener.set_nonblocking(true).expect("a setting");
    assert!(listener.accept().is_err(), "a retry has run again");
}

#[test]
fn examples_of_clients_can_be_pasted() {
    let home = Home::new("paste");
    for verb in ["serve", "mcp"] {
        let help = home.out(&[verb, "--help"]);
        for client in ["claude mcp add", "codex mcp add", "code --add-mcp"] {
            assert!(help.contains(client), "{verb}: no {client}");
        }
        let examples = help.split("Examples:\n").nth(1).expect("examples");
        assert!(examples.lines().all(|line| line.len() <= 80), "a terminal would break a line");
    }
    let help = home.out(&["serve", "--help"]);
    // The word that a shell makes of the last example is JSON.
    let example = help.split("code --add-mcp ").nth(1).expect("an example");
    let printed = Command::new("sh").args(["-c", &format!("printf %s {example}")]).output();
    let printed = printed.expect("a shell").stdout;
    let config: Json = serde_json::from_slice(&printed).expect("JSON");
    assert_eq!(config["headers"]["Authorization"], "Bearer TOKEN");
}

#[test]
fn wrong_options_are_explained() {
    let home = Home::new("options");
    let check = |arguments: &[&str], says: &str| {
        let output = home.command(arguments).output().expect("the program");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(says), "{arguments:?}: {error}");
    };
    check(&["serve", "--listen", "0.0.0.0:0"], "is not loopback, so it needs tls-cert and tls-key");
    check(&["serve", "--tls-cert", "a"], "--tls-key");
    check(&["serve", "--listen", "nowhere"], "nowhere");
    check(&["serve", "--set", "rate"], "--set rate: not NAME=VALUE");
    check(&["serve", "--set", "rat=1"], "unknown field `rat`");
    check(&["serve", "--set", "rate=0"], "rate: must be more than 0");
    check(&["token", "revoke", "nobody"], "nobody: no such agent");
    check(&["token", "create", "--name", "a", "--capabilities", "fs:raed"], "fs:raed");
    home.out(&["token", "create", "--name", "a"]);
    check(&["token", "create", "--name", "a"], "--name a: is taken");
}

#[test]
fn agents_run_native_programs_only_where_the_operator_allows_it() {
    let home = Home::new("native");
    let token = home.out(&["token", "create", "--name", "agent"]);
    let params = json!({ "kind": "native", "argv": ["echo", "hello"] });
    let server = home.serve();
    let (status, refused) = server.agent(&token, "POST", "/v1/exec", &params);
    assert_eq!(status, 422, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("native = true"), "{refused}");
    drop(server);
    let server = home.serve_with(&[("COFFERDAM_SERVE_NATIVE", "true")]);
    let (status, ran) = server.agent(&token, "POST", "/v1/exec", &params);
    // The same pieces of the system as for `cofferdam exec`.
    if home.command(&["exec", "--", "true"]).output().unwrap().status.code() == Some(70) {
        eprintln!("did not run: this machine has no walls for native programs");
        return;
    }
    assert_eq!((status, &ran["outcome"]["stdout"]), (200, &json!("hello\n")), "{ran}");
    // A program asks, and its run goes on with the answer.
    // Not below /tmp, which a program has for itself.
    let name = format!("native-secret-{}.txt", std::process::id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, "the secret").expect("a file");
    let params = json!({ "kind": "native", "argv": ["cat", file.to_str().unwrap()], "why": "w" });
    let authorization = format!("Bearer {token}");
    let headers = [("authorization", authorization.as_str()), ("prefer", "respond-async")];
    let (status, begun) = server.send("POST", "/v1/exec", &headers, &params);
    assert_eq!(status, 202, "{begun}");
    let cookie = sign_in(&home, &server);
    let origin = format!("http://{}", server.address);
    let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
    let until = Instant::now() + PATIENCE;
    let path = format!("/v1/runs/{}", begun["run"].as_str().unwrap());
    let mut decided = Vec::new();
    let ended = loop {
        let (_, run) = server.send("GET", &path, &headers, &Json::Null);
        if run["status"] == "ended" {
            break run;
        }
        let (_, list) = server.send("GET", "/v1/questions", &headers, &Json::Null);
        for question in list["questions"].as_array().unwrap() {
            assert_eq!(question["run"], begun["run"], "{question}");
            assert_eq!((&question["agentName"], &question["why"]), (&json!("agent"), &json!("w")));
            let path = format!("/v1/questions/{}/decision", question["question"].as_str().unwrap());
            let body = json!({ "seal": question["seal"], "allow": true, "span": "once" });
            server.send("POST", &path, &headers, &body);
            decided.push(question["wishes"][0]["choices"][0]["capability"].clone());
        }
        assert!(Instant::now() < until, "{run} {decided:?}");
        std::thread::yield_now();
    };
    assert_eq!(ended["outcome"]["stdout"], "the secret", "{ended} {decided:?}");
    assert!(!decided.is_empty());
    let _ = std::fs::remove_file(file);
}
