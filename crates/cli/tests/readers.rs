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

/// Runs that print 2,000,000 lines and leave with 7.
fn long_runs() -> [Vec<String>; 4] {
    let source = "for (let n = 0; n < 2000000; n += 1000) console.log(Array.from({ length: 1000 }, \
                  (_, k) => n + k + 1).join('\\n')); process.exit(7)";
    let (script, python) = (tool("long.js", source), tool("long.py", LONG_PYTHON));
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    [
        words(&["sh", "--ephemeral", "-c", "seq 2000000; exit 7"]),
        words(&["run", "--ephemeral", &script]),
        words(&["run", "--ephemeral", &python]),
        words(&[
            "exec",
            "--ephemeral",
            "--allow",
            "process:exec:seq",
            "--",
            "sh",
            "-c",
            "seq 2000000; exit 7",
        ]),
    ]
}

const LONG_PYTHON: &str = "import sys
for n in range(1, 2000001):
    print(n)
sys.exit(7)
";

/// T-CELL-015.
#[test]
fn long_output_reaches_its_reader_whole() {
    for words in long_runs() {
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let mut child = cofferdam(&words).spawn().expect("the program");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let counted = lines.zip(1..).fold(0, |_, (line, number)| {
            assert_eq!(line.expect("text"), number.to_string(), "{words:?}");
            number
        });
        let err = text(child.stderr.take().expect("piped"));
        assert_eq!((counted, err.as_str(), code(child)), (2_000_000, "", Some(7)), "{words:?}");
    }
}

/// T-CELL-015: the queue to a reader that is slower than the run.
#[test]
fn a_fast_run_waits_for_its_reader_in_bounded_memory() {
    let script = tool("fast.js", FLOOD);
    let python = tool("fast.py", "while True:\n    print('x' * 1000)\n");
    let runs: [(&[&str], i32); 4] = [
        (&["sh", "--ephemeral", "-c", "yes"], 141),
        (&["run", "--ephemeral", &script], 141),
        (&["run", "--ephemeral", &python], 1),
        (&["exec", "--ephemeral", "--", "yes"], 141),
    ];
    for (words, expected) in runs {
        let mut child = cofferdam(words).spawn().expect("the program");
        let mut out = child.stdout.take().expect("piped");
        let mut read = 0;
        let mut piece = vec![0; 1 << 16];
        while read < 64 << 20 {
            read += out.read(&mut piece).expect("more");
        }
        let peak = peak_kib(child.id());
        assert!(peak < 400 << 10, "{words:?}: {peak} KiB");
        drop(out);
        let err = text(child.stderr.take().expect("piped"));
        assert!(err.is_empty() || err.contains("BrokenPipeError"), "{words:?}: {err}");
        assert_eq!(code(child), Some(expected), "{words:?}");
    }
}

/// Returns the most memory that a process has had.
fn peak_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    peak.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn output_of_a_tool_in_a_pipeline_is_not_cut() {
    let script = "js -e \"for (let n = 0; n < 20000; n++) console.log('x'.repeat(1000))\" | wc -c";
    let child = cofferdam(&["sh", "--ephemeral", "-c", script]).spawn().expect("the program");
    let output = child.wait_with_output().expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "20020000\n");
    assert_eq!((output.stderr.as_slice(), output.status.code()), (b"".as_slice(), Some(0)));
}

#[test]
fn output_of_a_spawned_command_is_not_cut() {
    let script = tool(
        "spawned.js",
        "const { spawn } = require('child_process'); let length = 0;
         const child = spawn('seq', ['400000']);
         child.stdout.on('data', (piece) => { length += piece.length });
         child.on('close', (code) => console.log(length, code));",
    );
    let words = ["run", "--ephemeral", "--allow", "process:exec:seq", &script];
    let output = cofferdam(&words).output().expect("the program");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2688895 0\n");
}
