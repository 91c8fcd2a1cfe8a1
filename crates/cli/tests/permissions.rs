//! Grants, requests and the audit log from the command line, in sequence.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A data directory, which is removed at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cofferdam-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Home(path)
    }

    fn call(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
            .args(arguments)
            .env("XDG_DATA_HOME", &self.0)
            .env("USER", "tester")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
        child.wait_with_output().expect("an end")
    }

    #[track_caller]
    fn check(&self, arguments: &[&str], stdin: &str, code: i32, says: &[&str]) -> String {
        let output = self.call(arguments, stdin);
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let all = format!("{out}{err}");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {all}");
        says.iter()
            .for_each(|part| assert!(all.contains(part), "{arguments:?}: no {part:?}: {all}"));
        all
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const TOOL: &str = "return await require('fs').promises.readFile('/data/a', 'utf8')";

fn id_in(text: &str, prefix: &str) -> String {
    let at = text.find(prefix).unwrap_or_else(|| panic!("no {prefix} in {text}"));
    text[at..].chars().take(prefix.len() + 10).collect()
}

#[test]
fn a_denial_can_be_granted_by_its_id_and_revoked() {
    let home = Home::new("grant");
    let denied = home.check(&["run", "-"], TOOL, 1, &["fs:read:/data/a", "cofferdam grant req_"]);
    let id = id_in(&denied, "req_");
    home.check(&["requests"], "", 0, &[&id, "fs:read:/data/a"]);
    home.check(&["grant", &id], "", 0, &["once"]);
    // The read is allowed now, but the file does not exist.
    home.check(&["run", "-"], TOOL, 1, &["ENOENT"]);
    home.check(&["run", "-"], TOOL, 1, &["PERMISSION_DENIED"]);
    let granted = home.check(&["grant", &id, "--always", "--expires", "1h"], "", 0, &["always"]);
    home.check(&["run", "-"], TOOL, 1, &["ENOENT"]);
    home.check(&["run", "-"], &format!("{TOOL} // another"), 1, &["PERMISSION_DENIED"]);
    home.check(&["grants"], "", 0, &["fs:read:/data/a", "until"]);
    home.check(&["revoke", &id_in(&granted, "grt_")], "", 0, &["revoked"]);
    home.check(&["run", "-"], TOOL, 1, &["PERMISSION_DENIED"]);
    home.check(&["deny", &id], "", 0, &["denied"]);
    home.check(&["audit", "--verdict", "deny"], "", 0, &["\"verdict\":\"deny\"", &id]);
    home.check(&["audit"], "", 0, &["\"event\":\"grant\"", "by tester", "\"event\":\"revoke\""]);
}

#[test]
fn explain_finds_denials_in_any_text() {
    let home = Home::new("explain");
    let denied = home.check(&["run", "-"], TOOL, 1, &[]);
    home.check(&["explain"], &denied, 0, &["cofferdam grant req_", "fs:read:/data/a"]);
    home.check(&["explain"], "nothing here", 1, &["no denial"]);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_out() {
    let home = Home::new("wrong");
    home.check(&["grant", "nonsense"], "", 2, &["nonsense", "hint:"]);
    home.check(&["grant", "req_aaaaaaaaaa"], "", 2, &["req_aaaaaaaaaa", "cofferdam requests"]);
    home.check(&["grant", "fs:read", "--expires", "soon"], "", 2, &["--expires soon"]);
    home.check(&["revoke", "x"], "", 2, &["cofferdam grants"]);
    home.check(&["run", "-", "--allow", "fs:raed"], "", 2, &["fs:raed", "fs:read"]);
    home.check(&["audit", "--event", "x"], "", 2, &["--event"]);
}

#[test]
fn a_run_without_a_store_keeps_nothing() {
    let home = Home::new("ephemeral");
    home.check(&["run", "-", "--ephemeral"], TOOL, 1, &["PERMISSION_DENIED"]);
    home.check(&["requests"], "", 0, &["no requests"]);
}

#[test]
fn a_damaged_store_is_named_and_nothing_runs() {
    let home = Home::new("damaged");
    std::fs::create_dir_all(home.0.join("cofferdam")).expect("a folder");
    std::fs::write(home.0.join("cofferdam/store.db"), "not a database at all").expect("room");
    home.check(&["run", "-"], "return 1", 70, &["store.db", "--ephemeral"]);
}

/// Answers each request with the same text.
fn serve(text: &'static str) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = std::io::BufReader::new(stream);
            let mut line = String::new();
            while std::io::BufRead::read_line(&mut reader, &mut line).is_ok_and(|len| len > 2) {}
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{text}", text.len());
            let _ = reader.get_mut().write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn what_curl_is_denied_can_be_granted_by_its_id() {
    let home = Home::new("curl");
    let url = format!("http://127.0.0.1:{}/a", serve("served"));
    let needed = format!("network:fetch:GET@{url}");
    let command = format!("curl -s {url}");
    let denied = home.check(&["sh", "-c", &command], "", 1, &["PERMISSION_DENIED", &needed]);
    home.check(&["grant", &id_in(&denied, "req_")], "", 0, &["once"]);
    home.check(&["sh", "-c", &command], "", 0, &["served"]);
    home.check(&["sh", "-c", &command], "", 1, &["PERMISSION_DENIED"]);
    home.check(&["sh", "--allow", &needed, "-c", &command], "", 0, &["served"]);
    home.check(&["audit", "--verdict", "permit"], "", 0, &["network:fetch"]);
}

#[test]
fn a_way_out_is_offered_where_it_is_one() {
    let home = Home::new("damaged");
    let folder = home.0.join("cofferdam");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("store.db"), "not a store").expect("room");
    let run = home.check(&["run", "-"], TOOL, 70, &["damaged"]);
    assert!(run.contains("hint: --ephemeral"), "{run}");
    let listed = home.check(&["grants"], "", 70, &["damaged", "hint: start with an empty store"]);
    assert!(!listed.contains("--ephemeral"), "{listed}");
}

#[test]
fn a_script_that_goes_on_without_a_command_says_once_what_to_grant() {
    let home = Home::new("goes-on");
    let call = ["sh", "--allow", "process:exec:wc", "-c", "ls; echo code $?; ls | wc -l"];
    let needed = "not allowed to run the command ls";
    let says = ["ls: Permission denied", "code 126", needed, "hint: cofferdam grant req_"];
    let told = home.check(&call, "", 0, &says);
    assert_eq!(told.matches(needed).count(), 1, "{told}");
    let json = ["sh", "--json", "--allow", "process:exec:wc", "-c", "ls; true"];
    let told = home.check(&json, "", 0, &["\"denied\":{", "\"requiredPermission\":"]);
    home.check(&["grant", &id_in(&told, "req_"), "--once"], "", 0, &[]);
    let granted = ["sh", "--allow", "process:exec:wc", "-c", "ls / | wc -l"];
    let told = home.check(&granted, "", 0, &[]);
    assert!(!told.contains("Permission denied") && !told.starts_with('0'), "{told}");
    let fails = ["sh", "--allow", "process:exec:wc", "-c", "ls"];
    let told = home.check(&fails, "", 1, &[needed]);
    assert_eq!(told.matches(needed).count(), 1, "{told}");
}
