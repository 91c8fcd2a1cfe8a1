//! Output that is read slowly, partly or not at all.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

fn cofferdam(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cofferdam"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn code(mut child: Child) -> Option<i32> {
    child.wait().expect("an end").code()
}

fn text(mut from: impl Read) -> String {
    let mut text = String::new();
    from.read_to_string(&mut text).expect("text");
    text
}

/// Endless output, more than a pipe holds.
const FLOOD: &str = "for (;;) console.log('x'.repeat(1000))";

fn tool(name: &str, source: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, source).expect("room");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_run_ends_at_its_deadline_where_nobody_reads() {
    let file = tool("flood.js", FLOOD);
    let mut child = cofferdam(&["run", "--ephemeral", "--limit", "timeoutMs=300", &file]);
    let mut child = child.spawn().expect("the program");
    // Held open, and not read before the run has ended.
    let err = child.stderr.take();
    assert_eq!(code(child), Some(124));
    assert!(text(err.expect("piped")).starts_with("xxx"));
    let mut child = cofferdam(&["sh", "--ephemeral", "--limit", "timeoutMs=300", "-c", "yes"]);
    let mut child = child.spawn().expect("the program");
    let (out, err) = (child.stdout.take(), child.stderr.take());
    assert_eq!(code(child), Some(124));
    assert!(text(out.expect("piped")).starts_with("y\ny\n"));
    assert!(text(err.expect("piped")).contains("error: TimeoutError: time limit of 300 ms"));
}

#[test]
fn what_is_read_late_is_not_lost() {
    let file = tool("late.js", "console.log('x'.repeat(500000)); console.log('last')");
    let mut child = cofferdam(&["run", "--ephemeral", &file]).spawn().expect("the program");
    // The result comes after all output, so it appears only once the rest is read.
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let err = text(child.stderr.take().expect("piped"));
    assert_eq!(err.trim_start_matches('x'), "\nlast\n");
    assert_eq!(err.len(), 500_006);
    let mut result = String::new();
    out.read_line(&mut result).expect("a line");
    assert_eq!((result.as_str(), code(child)), ("null\n", Some(0)));
}

#[test]
fn who_prints_to_nobody_ends_as_at_a_closed_pipe() {
    let mut child = cofferdam(&["sh", "--ephemeral", "-c", "yes"]).spawn().expect("the program");
    let mut first = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    out.read_line(&mut first).expect("a line");
    drop(out);
    assert_eq!(text(child.stderr.take().expect("piped")), "");
    assert_eq!((first.as_str(), code(child)), ("y\n", Some(141)));
}

#[test]
fn a_full_disk_is_an_error() {
    let full = || File::options().write(true).open("/dev/full").expect("a device");
    for script in ["echo hi", "seq 100000"] {
        let mut child = cofferdam(&["sh", "--ephemeral", "-c", script])
            .stdout(full())
            .spawn()
            .expect("a program");
        let err = text(child.stderr.take().expect("piped"));
        assert!(err.contains("error: standard output: no space left on device"), "{err}");
        assert_eq!(code(child), Some(70));
    }
}
