//! Runs the scripts in `tests/scripts` and `tests/python` with the real program; Node and CPython
//! wrote the expectations.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn every_script_does_what_it_does_in_node() {
    check("scripts", 88);
}

#[test]
fn every_script_does_what_it_does_in_cpython() {
    check("python", 60);
}

#[track_caller]
fn check(folder: &str, expected: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let server = serve();
    let mut wrong = Vec::new();
    let mut count = 0;
    for script in scripts(&folder) {
        count += 1;
        if let Some(difference) = script.difference(&folder, &server) {
            wrong.push(format!("{}: {difference}", script.name));
        }
    }
    assert_eq!(count, expected);
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}

struct Script {
    name: String,
    file: PathBuf,
}

/// A script is a file, or a folder with a `main` file.
fn scripts(folder: &Path) -> Vec<Script> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the scripts") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if !name.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        if path.is_dir() {
            let mains = ["main.js", "main.mjs", "main.ts", "main.py"].map(|main| path.join(main));
            let file = mains.into_iter().find(|main| main.is_file()).expect("a main file");
            found.push(Script { name, file });
        } else if let Some((base, "js" | "mjs" | "ts" | "py")) = name.rsplit_once('.') {
            found.push(Script { name: base.to_owned(), file: path });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

impl Script {
    /// Runs the script and compares; returns what differs.
    fn difference(&self, folder: &Path, server: &str) -> Option<String> {
        let beside = |ending: &str| {
            std::fs::read_to_string(folder.join(format!("{}.{ending}", self.name)))
                .unwrap_or_default()
        };
        // Scripts of two languages may have the same name, and run at the same time.
        let kind = folder.file_name().unwrap_or_default().to_string_lossy();
        let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{kind}-{}", self.name));
        let _ = std::fs::remove_dir_all(&work);
        copy(&folder.join("data"), &work);
        let arguments = beside("args").replace("{server}", server);
        let code = self.file.parent().expect("a folder");
        let mut child = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
            .args(["run", "--ephemeral", "--code"])
            .arg(code)
            .arg("--mount")
            .arg(format!("{}:/work:rw", work.display()))
            .args(["--cwd", "/work"])
            .args(["--allow", "fs:read:/work/**", "--allow", "fs:write:/work/**"])
            .args(["--allow", "env:read:*", "--allow", "process:exec:*"])
            .args(["--allow", &format!("network:fetch:{server}/**")])
            .arg(&self.file)
            .arg("--")
            .args(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        // A script that does not read its input may have ended already.
        let _ = child.stdin.take().expect("piped").write_all(beside("in").as_bytes());
        let output = child.wait_with_output().expect("an end");
        let expected: i32 = beside("code").trim().parse().unwrap_or(0);
        let stdout = String::from_utf8_lossy(&output.stdout);
        let _ = std::fs::remove_dir_all(&work);
        if output.status.code() == Some(expected) && stdout == beside("out") {
            return None;
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Some(format!("{}\n{stdout}{stderr}", output.status))
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(std::fs::copy(&path, &target).expect("a copy")),
        }
    }
}

/// Starts the server that the scripts fetch from, and returns its address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            std::thread::spawn(move || answer(connection));
        }
    });
    address
}

fn answer(connection: TcpStream) {
    let _ = connection.set_read_timeout(Some(Duration::from_secs(10)));
    let mut reader = BufReader::new(connection);
    let (mut head, mut length) = (String::new(), 0);
    while reader.read_line(&mut head).is_ok_and(|read| read > 2) {
        let last = head.lines().last().unwrap_or_default().to_ascii_lowercase();
        if let Some(value) = last.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    let path = head.split_whitespace().nth(1).unwrap_or_default();
    let (status, kind, text) = match path {
        "/users/1" => (200, "application/json", r#"{"id":1,"name":"Ada"}"#.to_owned()),
        "/text?q=a%20b" => (200, "text/plain", "you said a b".to_owned()),
        // Nothing comes until the client gives up.
        "/slow" => return drop(reader.read(&mut [0])),
        "/echo" => {
            let body = String::from_utf8_lossy(&body);
            (201, "application/json", format!(r#"{{"method":"POST","body":{body}}}"#))
        }
        _ => (404, "application/json", r#"{"error":"not found"}"#.to_owned()),
    };
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}", text.len());
    let _ = write!(reader.get_mut(), "{head}\r\nconnection: close\r\n\r\n{text}");
}
