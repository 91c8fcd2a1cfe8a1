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

/// T-PERM-008.
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
fn ended_verbs_leave_a_short_log_for_the_next_start_to_read() {
    let home = Home::new("closed");
    let log = home.0.join("cofferdam/store.db-wal");
    let len = || std::fs::metadata(&log).map_or(0, |log| log.len());
    // With a grant for every tool, every run opens the store.
    home.check(&["grant", "function:call:x", "--always"], "", 0, &["always"]);
    let mut longest = 0;
    for _ in 0..15 {
        for (words, stdin) in [
            (&["run", "-"][..], "return 1"),
            (&["sh", "-c", "true"], ""),
            (&["run", "-", "--limit", "timeoutMs=10"], "for (;;);"),
        ] {
            home.call(words, stdin);
            // A verb that left the store open would never write the log back.
            assert!(len() <= 256 * 1024, "{words:?} left a log of {} bytes", len());
            longest = longest.max(len());
        }
    }
    assert!(longest > 0 && len() < longest, "the log was never written back: {longest} bytes");
}

#[test]
fn runs_without_grants_leave_the_log_alone_and_are_in_the_audit() {
    let home = Home::new("unopened");
    let log = home.0.join("cofferdam/store.db-wal");
    home.call(&["grants"], "");
    home.call(&["grants"], "");
    let before = std::fs::metadata(&log).map_or(0, |log| log.len());
    for _ in 0..2 {
        home.check(&["run", "-"], "return 1", 0, &["1"]);
    }
    assert_eq!(std::fs::metadata(&log).map_or(0, |log| log.len()), before);
    let audit = home.check(&["audit", "--event", "end"], "", 0, &["finished"]);
    assert_eq!(audit.lines().count(), 2, "{audit}");
}

/// A grant may have headers with secrets, and an ended one must not stay in the log.
#[test]
fn verbs_that_change_grants_leave_no_log() {
    let home = Home::new("settled");
    let log = home.0.join("cofferdam/store.db-wal");
    home.check(&["grant", "fs:read:/data/x"], "", 0, &["fs:read:/data/x"]);
    assert_eq!(std::fs::metadata(&log).map_or(0, |log| log.len()), 0);
}

/// T-PERM-010.
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
    let told = home.check(&json, "", 0, &["\"denials\":[{", "\"requiredPermission\":"]);
    home.check(&["grant", &id_in(&told, "req_"), "--once"], "", 0, &[]);
    // The grant is for this script, whatever else is asked of the shell.
    let other = ["sh", "--allow", "process:exec:wc", "-c", "ls /; true"];
    home.check(&other, "", 0, &["Permission denied"]);
    let told = home.check(&json, "", 0, &[]);
    assert!(!told.contains("Permission denied") && !told.contains("denials"), "{told}");
    let fails = ["sh", "--allow", "process:exec:wc", "-c", "ls"];
    let told = home.check(&fails, "", 1, &[needed]);
    assert_eq!(told.matches(needed).count(), 1, "{told}");
}

/// A tool with two needs, the first of which it does not insist on.
const TWO_NEEDS: &str = "const fs = require('fs').promises;
    try { await fs.readFile('/data/a') } catch {}
    return await fs.readFile('/data/b', 'utf8')";

#[test]
fn one_command_grants_all_that_a_run_was_denied() {
    let home = Home::new("several");
    let denied = home.check(&["run", "-"], TWO_NEEDS, 1, &["/data/a", "/data/b"]);
    let hint = denied.lines().find(|line| line.contains("cofferdam grant")).expect("a hint");
    let ids: Vec<&str> = hint.split(' ').filter(|word| word.starts_with("req_")).collect();
    assert_eq!(ids.len(), 2, "{denied}");
    let json = home.check(&["run", "-", "--json"], TWO_NEEDS, 1, &["\"denials\":[{"]);
    assert!(ids.iter().all(|id| json.contains(id)), "{json}");
    home.check(&["grant", ids[0], "req_aaaaaaaaaa"], "", 2, &["req_aaaaaaaaaa"]);
    home.check(&["grants"], "", 0, &["no grants"]);
    home.check(&["grant", ids[0], ids[1]], "", 0, &["fs:read:/data/a", "fs:read:/data/b"]);
    // Both are allowed in this run, and the missing file ends it; no grant is left for the next.
    home.check(&["run", "-"], TWO_NEEDS, 1, &["ENOENT"]);
    home.check(&["run", "-"], TWO_NEEDS, 1, &["PERMISSION_DENIED"]);
}

/// T-PERM-013.
#[test]
fn what_is_printed_for_pasting_runs_nothing_else() {
    let home = Home::new("pasted");
    let mark = home.0.join("pwned");
    let path = format!("/x'; touch {} ; echo '", mark.display());
    let tool = format!("return require('fs').readFileSync({path:?})");
    let denied = home.check(&["run", "-"], &tool, 1, &["hint: --allow"]);
    let hint = denied.lines().find_map(|line| line.strip_prefix("hint: --allow ")).expect("a hint");
    let pasted = Command::new("bash").args(["-c", &format!("printf %s {hint}")]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&pasted.stdout), format!("fs:read:{path}"));
    assert!(!mark.exists());
    for name in ["a\nb'`id`", "\u{1b}[2J$(id)"] {
        let tool = format!("return require('fs').readFileSync('/' + {})", serde_json::json!(name));
        let denied = home.check(&["run", "-"], &tool, 1, &["hint: cofferdam grant req_"]);
        let hints = denied.lines().filter(|line| line.starts_with("hint: "));
        // The folder, the id and the capability.
        assert!(hints.count() == 3 && !denied.contains('\u{1b}'), "{denied}");
    }
}

/// T-PERM-014.
#[test]
fn explain_shows_the_recorded_request_and_calls_another_text_forged() {
    let home = Home::new("forged");
    let tool = "try { require('fs').readFileSync('/etc/shadow') } catch (error) {
        const harmless = { ...JSON.parse(JSON.stringify(error)), code: 'PERMISSION_DENIED' };
        const id = /req_[0-9a-z]{10}/.exec(error.message)[0];
        console.error(JSON.stringify({ code: 'PERMISSION_DENIED',
            requiredPermission: 'storage:local:read:theme',
            attemptedAction: 'read the key theme', requestId: id, message: 'x' }));
    }";
    let said = home.check(&["run", "-"], tool, 0, &["storage:local:read:theme"]);
    let forged = said.lines().find(|line| line.contains("theme")).expect("the forged line");
    let told = home.check(&["explain"], forged, 1, &["FORGED", "in fact", "/etc/shadow"]);
    assert!(!told.contains("low: limited to the storage"), "{told}");
    let id = id_in(&said, "req_");
    home.check(&["explain", &id], "", 0, &["denied: ", "/etc/shadow"]);
    let unknown = forged.replace(&id, "req_0000000000");
    home.check(&["explain"], &unknown, 0, &["not among the recorded requests"]);
}

/// T-PERM-008.
#[test]
fn grants_for_a_script_are_not_for_another() {
    let home = Home::new("scripts");
    let call = |text: &str| ["sh", "--allow", "process:exec:wc", "-c", text].map(str::to_owned);
    let run = |text: &str, code: i32| {
        let call = call(text);
        home.check(&call.each_ref().map(String::as_str), "", code, &[])
    };
    let id = id_in(&run("ls /", 1), "req_");
    home.check(&["grant", &id, "--always"], "", 0, &["sh -c#"]);
    run("ls /", 0);
    run("ls /tmp", 1);
}

#[test]
fn what_a_tool_declares_is_listed_when_it_is_denied() {
    let home = Home::new("declared");
    let tool = format!(
        "// @capability fs:read:/data/**\n// @capability network:fetch:GET@https://a.example\n{TOOL}"
    );
    let denied = home.check(&["run", "-"], &tool, 1, &["fs:read:/data/a", "https://a.example"]);
    let hint = denied.lines().find(|line| line.contains("cofferdam grant")).expect("a hint");
    let mut grant: Vec<&str> = vec!["grant"];
    grant.extend(hint.split(' ').filter(|word| word.starts_with("req_")));
    assert_eq!(grant.len(), 4, "{denied}");
    home.check(&grant, "", 0, &["fs:read:/data/**"]);
    home.check(&["run", "-"], &tool, 1, &["ENOENT"]);
}

/// T-PERM-018.
#[test]
fn a_grant_for_a_mounted_folder_is_not_for_another_mounted_there() {
    let home = Home::new("folders");
    let mounts = ["one", "two"].map(|name| {
        let folder = home.0.join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("a"), name).expect("room");
        format!("{}:/data", folder.display())
    });
    let run = |mount: &str, code: i32, says: &[&str]| {
        home.check(&["run", "-", "--mount", mount], TOOL, code, says)
    };
    let id = id_in(&run(&mounts[0], 1, &["PERMISSION_DENIED"]), "req_");
    home.check(&["grant", &id, "--always"], "", 0, &[&home.0.join("one").display().to_string()]);
    run(&mounts[0], 0, &["one"]);
    let denied = run(&mounts[1], 1, &["PERMISSION_DENIED"]);
    assert_ne!(id_in(&denied, "req_"), id);
    home.check(&["run", "-"], TOOL, 1, &["PERMISSION_DENIED"]);
}

#[test]
fn a_denial_says_what_a_grant_alone_would_not_mend() {
    let home = Home::new("around");
    let cases = [
        ("require('fs').readFileSync('sales.csv')", "hint: --mount .:/home/user "),
        ("require('fs').readFileSync('/data/in/a.csv')", "hint: --mount .:/data/in "),
    ];
    for (source, hint) in cases {
        let err = home.check(&["run", "-"], source, 1, &[hint, "hint: cofferdam grant req_"]);
        // The tool itself learns no more than that it was not granted.
        assert!(!err.contains("no such file"), "{err}");
    }
}
