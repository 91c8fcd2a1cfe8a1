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

/// T-CELL-029.
#[test]
fn a_run_ends_at_its_deadline_where_nobody_reads() {
    let file = tool("flood.js", FLOOD);
    let mut child = cofferdam(&["run", "--ephemeral", "--limit", "timeoutMs=300", &file]);
    let mut child = child.spawn().expect("the program");
    // Held open, and not read before the run has ended.
    let (out, err) = (child.stdout.take(), child.stderr.take());
    assert_eq!(code(child), Some(124));
    assert!(text(out.expect("piped")).starts_with("xxx"));
    drop(err);
    let mut child = cofferdam(&["sh", "--ephemeral", "--limit", "timeoutMs=300", "-c", "yes"]);
    let mut child = child.spawn().expect("the program");
    let (out, err) = (child.stdout.take(), child.stderr.take());
    assert_eq!(code(child), Some(124));
    assert!(text(out.expect("piped")).starts_with("y\ny\n"));
    assert!(text(err.expect("piped")).contains("error: TimeoutError: time limit of 300 ms"));
}

#[test]
fn what_is_read_late_is_not_lost() {
    let file = tool(
        "late.js",
        "console.error('begins'); console.log('x'.repeat(500000)); console.log('last'); return []",
    );
    let mut child = cofferdam(&["run", "--ephemeral", &file]).spawn().expect("the program");
    // Standard error is read to its end first, while the rest waits in the other pipe.
    let out = child.stdout.take().expect("piped");
    let mut err = BufReader::new(child.stderr.take().expect("piped"));
    let mut first = String::new();
    err.read_line(&mut first).expect("a line");
    assert_eq!(first, "begins\n");
    let out = text(out);
    assert_eq!(out.trim_start_matches('x'), "\nlast\n[]\n");
    assert_eq!(out.len(), 500_009);
    assert_eq!((text(err).as_str(), code(child)), ("", Some(0)));
}

/// T-CELL-029.
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

/// T-CELL-029.
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
