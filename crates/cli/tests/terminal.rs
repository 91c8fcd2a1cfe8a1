//! Output at a terminal: nothing that a tool prints moves the cursor, and colours can be turned
//! off.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Runs a call at a terminal with this standard input. Returns what the terminal shows, and the
/// exit code.
fn shown(arguments: &[&str], stdin: &str, variables: &[(&str, &str)]) -> (String, Option<i32>) {
    let pty = nix::pty::openpty(None, None).expect("a terminal");
    let slave = || Stdio::from(pty.slave.try_clone().expect("a descriptor"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
        .args(arguments)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env_remove("CI")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(slave())
        .stderr(slave())
        .spawn()
        .expect("the program");
    drop(pty.slave);
    let mut master = File::from(pty.master);
    let reader = std::thread::spawn(move || {
        let (mut all, mut buf) = (Vec::new(), [0; 4096]);
        // Reading a terminal that no process has open is an error, not the end of the file.
        while let Ok(len @ 1..) = master.read(&mut buf) {
            all.extend_from_slice(&buf[..len]);
        }
        String::from_utf8_lossy(&all).into_owned()
    });
    // A program that does not read its input may have ended already.
    let _ = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    let code = child.wait().expect("an end").code();
    (reader.join().expect("no panic"), code)
}

/// T-CELL-016.
#[test]
fn what_a_tool_says_cannot_move_the_cursor() {
    let hostile = r"'\x1b[2J\x1b]0;title\x07 \u202e\u200b\u009b'";
    let tools = [
        format!("console.log({hostile})"),
        format!("console.error({hostile})"),
        format!("return {{ [{hostile}]: {hostile} }}"),
        format!("throw new Error({hostile})"),
        format!("throw Object.assign(new Error(1), {{ name: {hostile} }})"),
        format!("require('fs').readFileSync('/' + {hostile})"),
        format!("const bad = {hostile}; syntax error"),
    ];
    let sources = tools.iter().map(|tool| (vec!["run", "-", "--ephemeral"], tool.as_str()));
    let shells = [r"printf '\033[2J\a'", r"printf '\033[2J' >&2", r"$'\e[2J'", r"cat $'/\e[2J'"];
    let shells = shells.map(|text| (vec!["sh", "--ephemeral", "-c", text], ""));
    let mut calls: Vec<(Vec<&str>, &str)> = sources.collect();
    calls.extend(shells);
    calls.push((vec!["run", "\x1b[2J.js"], ""));
    calls.push((vec!["run", "-", "--allow", "fs:\x1b[2J"], ""));
    calls.push((vec!["\x1b[2J"], ""));
    calls.push((vec!["run", "-", "--\x1b[2J"], ""));
    calls.push((vec!["sh", "--\x1b[2J"], ""));
    for (arguments, stdin) in calls {
        let (text, _) = shown(&arguments, stdin, &[("NO_COLOR", "1")]);
        let harmful = ['\x1b', '\x07', '\u{202e}', '\u{200b}', '\u{9b}'];
        assert!(!text.contains(harmful), "{arguments:?} {stdin}: {text:?}");
        assert!(!text.is_empty(), "{arguments:?} {stdin}");
    }
}

#[test]
fn colour_is_shown_unless_it_is_unwanted() {
    let wrong = ["run", "/no/such/file.js"];
    let (text, code) = shown(&wrong, "", &[]);
    assert!(text.contains("\x1b[") && code == Some(2), "{text:?}");
    for unwanted in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        for arguments in [&wrong[..], &["doctor"], &["explain", "fs:read"], &["--help"]] {
            for variables in [&[unwanted][..], &[("CI", "1"), unwanted]] {
                let (text, _) = shown(arguments, "", variables);
                assert!(!text.contains('\x1b'), "{variables:?} {arguments:?}: {text:?}");
            }
        }
    }
}

/// Returns a module that takes longer than a moment to compile on any machine.
fn slow_module() -> Vec<u8> {
    let rounds = "(local.set 0 (i64.add (i64.mul (local.get 0) (i64.const 31)) (i64.const 7)))";
    let function = format!("(func (param i64) (result i64) {} (local.get 0))", rounds.repeat(100));
    let functions = function.repeat(4000);
    let text =
        format!("(module (memory (export \"memory\") 1) {functions} (func (export \"_start\")))");
    wat::parse_str(text).expect("a module")
}

#[test]
fn compiling_is_said_at_a_terminal_once_and_the_line_goes() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiling");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("slow.wasm");
    std::fs::write(&file, slow_module()).expect("room");
    let (file, cache) = (file.to_str().expect("UTF-8"), folder.to_str().expect("UTF-8"));
    let program = format!("slow={file}");
    let calls =
        [vec!["wasm", file], vec!["sh", "--ephemeral", "--program", &program, "-c", "slow"]];
    for arguments in calls {
        let kept = folder.join("cofferdam");
        let _ = std::fs::remove_dir_all(&kept);
        let (text, code) = shown(&arguments, "", &[("XDG_CACHE_HOME", cache)]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("compiling slow") && text.contains("MiB (once; "), "{text:?}");
        assert!(text.ends_with("\r\x1b[2K"), "{text:?}");
        let (text, _) = shown(&arguments, "", &[("XDG_CACHE_HOME", cache)]);
        assert_eq!(text, "", "what is kept needs no word");
        let _ = std::fs::remove_dir_all(&kept);
        let piped = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
            .args(&arguments)
            .env("XDG_CACHE_HOME", cache)
            .stdin(Stdio::null())
            .output()
            .expect("the program");
        assert_eq!((piped.stdout.as_slice(), piped.stderr.as_slice()), (&b""[..], &b""[..]));
    }
    let _ = std::fs::remove_dir_all(&folder);
}
