//! Changes that programs make in directories of the host are in the audit log before they are made.

mod unwritable;

use std::path::PathBuf;
use std::sync::Arc;

use cofferdam::permissions::{Broker, Event, InMemory, Line, Ruling};
use cofferdam::{Command, HostDir, Mount, Sandbox};
use unwritable::Unwritable;

/// A folder of the host, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("cofferdam-changes-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("room");
        Folder(path)
    }

    fn sandbox(&self, broker: &Broker, mount: Mount) -> Sandbox {
        let real = HostDir::open_ambient(&self.0).expect("a folder");
        Sandbox::builder().broker(broker).mount("/real", real, mount).build().expect("a sandbox")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a text of the shell. Returns the changes in the audit log, each with the program that made
/// it.
async fn changes(name: &str, mount: Mount, text: &str) -> Vec<(String, String)> {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join("old"), "old").expect("room");
    let memory = Arc::new(InMemory::new().expect("a ledger"));
    let broker = Broker::setup(memory.clone(), memory.clone()).open().expect("a broker");
    let outcome = folder.sandbox(&broker, mount).run_program(Command::shell(text)).await;
    let outcome = outcome.expect("a run");
    assert_eq!(outcome.exit_code(), 0, "{}", outcome.stderr.text());
    let is_change = |line: &Line| line.event == Event::Change;
    memory.lines().into_iter().filter(is_change).map(said).collect()
}

fn said(line: Line) -> (String, String) {
    assert_eq!(line.ruling, Some(Ruling::Permit));
    assert!(line.run.is_some() && line.sandbox.is_some());
    let by = line.note.expect("somebody");
    let (name, _pid) = by.split_once(", process ").expect("a process");
    (line.target.expect("something").to_string(), name.to_owned())
}

async fn check(name: &str, text: &str, expect: &[(&str, &str)]) {
    let found = changes(name, Mount::ReadWrite, text).await;
    let found: Vec<_> = found.iter().map(|(what, by)| (what.as_str(), by.as_str())).collect();
    assert_eq!(found, expect, "{text}");
}

#[tokio::test]
async fn every_kind_of_change_is_a_line() {
    check(
        "open",
        "echo 1 > /real/a; echo 2 >> /real/a",
        &[("create /real/a", "bash"), ("write /real/a", "bash")],
    )
    .await;
    check("remove", "rm /real/old", &[("unlink /real/old", "rm")]).await;
    check(
        "move",
        "mv /real/old /real/new",
        &[("rename from /real/old", "mv"), ("rename to /real/new", "mv")],
    )
    .await;
    check(
        "folders",
        "mkdir /real/d; rmdir /real/d",
        &[("mkdir /real/d", "mkdir"), ("rmdir /real/d", "rmdir")],
    )
    .await;
    check(
        "links",
        "ln /real/old /real/hard; ln -s old /real/soft",
        &[("link /real/hard", "ln"), ("symlink /real/soft", "ln")],
    )
    .await;
    check("mode", "chmod 600 /real/old", &[("chmod /real/old", "chmod")]).await;
    check("times", "touch -d @1 /real/old", &[("utimes /real/old", "touch")]).await;
}

#[tokio::test]
async fn a_line_says_where_it_really_is() {
    let text = "ln -s /real /tmp/way; cd /tmp/way; echo x > ./a; ln -s a link; echo y > link";
    check(
        "real",
        text,
        &[("create /real/a", "bash"), ("symlink /real/link", "ln"), ("write /real/a", "bash")],
    )
    .await;
}

#[tokio::test]
async fn there_is_one_line_for_an_opening_and_none_for_what_stays_inside() {
    let text = "seq 100000 > /real/a; cat /real/old /real/a > /tmp/b; rm /tmp/b; ls -l /real; test -w /real/a";
    check("one", text, &[("create /real/a", "bash")]).await;
    let inside = "echo x > /real/a; rm /real/old; mkdir /real/d";
    assert_eq!(changes("overlay", Mount::Overlay, inside).await, []);
}

#[tokio::test]
async fn the_name_of_a_program_hides_nothing() {
    let text = "cd /tmp; cp /usr/bin/touch \"$(printf 'a\\033[31m')\" 2>/dev/null; (exec -a \"$(printf 'x\\033[31m')\" touch /real/z)";
    let found = changes("name", Mount::ReadWrite, text).await;
    assert!(!found.is_empty());
    assert!(found.iter().all(|(_, by)| !by.contains('\u{1b}')), "{found:?}");
}

#[tokio::test]
async fn nothing_is_changed_without_its_line() {
    let folder = Folder::new("unwritable");
    std::fs::write(folder.0.join("old"), "old").expect("room");
    let ledger = Arc::new(InMemory::new().expect("a ledger"));
    let broker = Broker::setup(ledger, Arc::new(Unwritable)).open().expect("a broker");
    let sandbox = folder.sandbox(&broker, Mount::ReadWrite);
    let text = "echo 1 > /real/a; echo 2 > /real/old; rm -f /real/old; mv /real/old /real/b; mkdir /real/d
        ln -s x /real/s; chmod 600 /real/old; touch /real/old; cat /real/old; echo in > /tmp/in; cat /tmp/in";
    let outcome = sandbox.run_program(Command::shell(text)).await.expect("a run");
    assert_eq!(outcome.stdout.text(), "oldin\n");
    assert!(outcome.stderr.text().contains("/real/a: I/O error"), "{}", outcome.stderr.text());
    let why = "cofferdam: files of the host stay as they are: audit: no room left\n";
    assert_eq!(outcome.stderr.text().matches(why).count(), 1, "{}", outcome.stderr.text());
    let names: Vec<_> = std::fs::read_dir(&folder.0).expect("a folder").flatten().collect();
    assert_eq!(names.len(), 1);
    assert_eq!(std::fs::read_to_string(folder.0.join("old")).expect("a file"), "old");
}
