//! Help, completions, manual pages, suggestions, JSON and the demo.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

/// A home directory, which is removed at the end.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("cofferdam-manners-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Home(path)
    }

    fn call(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_cofferdam"))
            .args(arguments)
            .env("XDG_DATA_HOME", self.0.join("data"))
            .env("XDG_CACHE_HOME", self.0.join("cache"))
            .env("USER", "tester")
            .stdin(Stdio::null())
            .output()
            .expect("the program")
    }

    /// Returns the standard output of a call that ends with this code.
    #[track_caller]
    fn out(&self, arguments: &[&str], code: i32) -> String {
        let output = self.call(arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Checks that a wrong call prints all of these parts on standard error.
    #[track_caller]
    fn wrong(&self, arguments: &[&str], says: &[&str]) {
        let output = self.call(arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        says.iter().for_each(|part| assert!(err.contains(part), "{arguments:?}: {err}"));
    }

    fn file(&self, name: &str, content: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("room");
        path.to_str().expect("UTF-8").to_owned()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn verbs(home: &Home) -> Vec<String> {
    let help = home.out(&["--help"], 0);
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    // Lines that are indented further continue the line above.
    let lines = list.expect("a list of verbs").lines().filter_map(|line| line.strip_prefix("  "));
    let verbs = lines.filter(|line| !line.starts_with(' ')).filter_map(|l| l.split(' ').next());
    verbs.filter(|verb| *verb != "help").map(str::to_owned).collect()
}

#[test]
fn every_verb_has_help_with_examples_that_begin_with_our_name() {
    let home = Home::new("help");
    let verbs = verbs(&home);
    assert!(verbs.len() >= 15, "{verbs:?}");
    for verb in verbs {
        let help = home.out(&[&verb, "--help"], 0);
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        assert!(examples.contains(&format!("cofferdam {verb}")), "{verb}: {help}");
    }
}

/// `exec`, `wasm` and `sh` pass words after a file to the program, so they are left out.
#[test]
fn examples_in_the_help_have_only_options_that_there_are() {
    let home = Home::new("examples");
    let mut count = 0;
    for verb in verbs(&home).iter().filter(|verb| !["exec", "sh", "wasm"].contains(&verb.as_str()))
    {
        let help = home.out(&[verb, "--help"], 0);
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        // Our name is also an argument of other programs.
        let is_call = |before: &str| before.is_empty() || before.ends_with(['|', '(', '&']);
        let calls = examples.lines().filter_map(|line| {
            let (before, call) = line.split_once("cofferdam ")?;
            is_call(before.trim()).then_some(call)
        });
        for call in calls {
            let call = call.replace("2>&1", "");
            let call = call.split(['|', '>', '&', '#', ')']).next().unwrap_or_default();
            let script = format!("'{}' {call} --help", env!("CARGO_BIN_EXE_cofferdam"));
            let output = Command::new("sh").arg("-c").arg(&script).output().expect("a shell");
            assert!(
                output.status.success(),
                "{script}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            count += 1;
        }
    }
    assert!(count >= 25, "{count} examples");
}

#[test]
fn completions_know_every_verb_and_bash_reads_them() {
    let home = Home::new("completions");
    for shell in ["bash", "zsh", "fish"] {
        let script = home.out(&["completions", shell], 0);
        for verb in verbs(&home) {
            assert!(script.contains(&verb), "{shell}: no {verb}");
        }
    }
    let script = home.out(&["completions", "bash"], 0);
    let path = home.file("completions", &script);
    let asked = "COMP_WORDS=(cofferdam expl); COMP_CWORD=1; _cofferdam cofferdam expl cofferdam; \
                 echo \"${COMPREPLY[*]}\"";
    let output = Command::new("bash").arg("-c").arg(format!(". {path}; {asked}")).output();
    let output = output.expect("bash");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.trim(), "explain", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_verb_has_a_man_page() {
    let home = Home::new("man");
    assert!(home.out(&["man"], 0).contains(".TH cofferdam 1"));
    let folder = home.0.join("man1");
    home.out(&["man", folder.to_str().expect("UTF-8")], 0);
    for verb in verbs(&home) {
        let page = std::fs::read_to_string(folder.join(format!("cofferdam-{verb}.1")));
        let page = page.unwrap_or_else(|e| panic!("{verb}: {e}"));
        assert!(page.contains("Examples:"), "{verb}");
        assert!(page.contains(&format!("\\fBcofferdam {verb}\\fR")), "{verb}: {page}");
    }
}

#[test]
fn a_mistyped_word_is_answered_with_the_one_that_was_meant() {
    let home = Home::new("mistyped");
    let tool = home.file("tool.js", "return 1");
    home.wrong(&["rnu"], &["error: rnu: unknown verb", "hint: cofferdam run"]);
    home.wrong(&["gants"], &["hint: cofferdam grants"]);
    home.wrong(&[&tool], &[&format!("hint: cofferdam run {tool}")]);
    home.wrong(&["run", &tool[..tool.len() - 1]], &[&format!("hint: cofferdam run {tool}")]);
    home.wrong(&["sh", "--import", "a.box", "-c", "ls"], &["--import: unknown", "hint: --load"]);
    home.wrong(&["sh", "-x", "-c", "ls"], &["an option of bash", "cofferdam sh -c 'set -x; …'"]);
    let nowhere = ["--cwd /none: no such directory in the sandbox", "hint: --mount .:/none"];
    home.wrong(&["sh", "--cwd", "/none", "-c", "ls"], &nowhere);
    home.wrong(&["sh", "--mount", &format!("{tool}:/x"), "-c", "ls"], &["hint: --mount /"]);
    home.wrong(&["run", &tool, "--jsno"], &["--json"]);
    home.wrong(&["run", &tool, "--allow", "netwrok:fetch"], &["hint: --allow 'network:fetch'"]);
    let scoped = "hint: --allow 'fs:read:/data/**'";
    home.wrong(&["run", &tool, "--allow", "fs:reed:/data/**"], &[scoped]);
    let units = ["in milliseconds?", "hint: --limit timeoutMs=5000", "hint: --limit timeoutMs=5 "];
    home.wrong(&["run", &tool, "--limit", "timeout=5"], &units);
    home.wrong(&["grant", "total.js"], &["total.js: is a file", "hint: cofferdam requests"]);
    home.wrong(&["grant", "netwrok:fetch"], &["hint: cofferdam grant 'network:fetch'"]);
    home.wrong(&["grant", "req_1"], &["req_1: not an id", "hint: cofferdam requests"]);
    home.wrong(&["explain", "fs:reed:/a"], &["hint: cofferdam explain 'fs:read:/a'"]);
}

#[test]
fn a_request_is_open_again_when_its_grant_is_used_up() {
    let home = Home::new("again");
    let tool = home.file("tool.js", "return require('fs').readdirSync('/')");
    let denied: Json = parse(&home.out(&["run", &tool, "--json"], 1));
    let id = denied["error"]["requestId"].as_str().expect("an id").to_owned();
    home.out(&["grant", &id, "--once"], 0);
    assert_eq!(home.out(&["requests"], 0), "");
    home.out(&["run", &tool], 0);
    home.out(&["run", &tool], 1);
    assert!(home.out(&["requests"], 0).contains(&id));
}

#[test]
fn what_is_no_tool_is_sent_where_it_belongs() {
    let home = Home::new("kinds");
    let script = home.file("s.sh", "echo hi");
    home.wrong(&["run", &script], &["a shell script", &format!("hint: cofferdam sh {script}")]);
    let module = home.file("p.wasm", "\0asm");
    home.wrong(&["sh", &module], &["a WebAssembly", &format!("hint: cofferdam wasm {module}")]);
    home.wrong(&["run", &module], &["a WebAssembly", &format!("hint: cofferdam wasm {module}")]);
    let tool = home.file("t.js", "return 1");
    let text = format!("hint: cofferdam run {tool}");
    home.wrong(&["wasm", &tool], &["is not a WebAssembly module", &text]);
}

#[test]
fn what_follows_a_program_is_for_the_program() {
    let home = Home::new("follows");
    let module = wat::parse_str(include_str!("../../../docs/hello.wat")).expect("a module");
    let path = home.0.join("hello.wasm");
    std::fs::write(&path, module).expect("room");
    let path = path.to_str().expect("UTF-8");
    assert_eq!(home.out(&["wasm", path, "--help", "--json", "-c"], 0), "hello from a cell\n");
    home.wrong(&["wasm", "--jsno", path], &["--json"]);
    home.wrong(&["wasm"], &["missing: <PROGRAM>"]);
}

#[test]
fn a_mount_that_cannot_be_is_told_where() {
    let home = Home::new("mounts");
    for place in ["/", "/usr", "/proc"] {
        let mount = format!("{}:{place}", home.0.display());
        home.wrong(&["sh", "-c", "ls", "--mount", &mount], &["mount /", "hint: --mount SRC:/work"]);
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_runs() {
    let home = Home::new("targets");
    let folder = home.0.to_str().expect("UTF-8");
    let inside = home.0.join("none/a.box");
    let inside = inside.to_str().expect("UTF-8");
    let sh = |file: &str| home.call(&["sh", "--ephemeral", "--save", file, "-c", "echo ran"]);
    for (file, says) in [(folder, "is a directory"), (inside, "no such directory")] {
        let output = sh(file);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{err}");
        assert!(err.contains(says) && err.contains("hint: "), "{err}");
    }
}

#[test]
fn a_grant_that_makes_no_sense_is_not_answered_with_requests() {
    let home = Home::new("senseless");
    let says = ["a grant must allow at least one use", "hint: cofferdam grant --help"];
    home.wrong(&["grant", "fs:read:/x", "--max", "0"], &says);
    home.wrong(&["grant", "req_0000000000"], &["hint: cofferdam requests"]);
}

#[test]
fn a_machine_without_room_is_told_to_ask_the_doctor() {
    let program = env!("CARGO_BIN_EXE_cofferdam");
    let limited = |call: &str| {
        let script = format!("ulimit -v 3000000; '{program}' {call}");
        let output = Command::new("bash").arg("-c").arg(script).stdin(Stdio::null()).output();
        let output = output.expect("bash");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), out + &String::from_utf8_lossy(&output.stderr))
    };
    let (code, said) = limited("run - --ephemeral");
    assert_eq!(code, Some(70), "{said}");
    assert!(said.contains("hint: cofferdam doctor"), "{said}");
    let (code, said) = limited("doctor");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("hint: ulimit -v unlimited"), "{said}");
}

#[test]
fn what_lists_and_changes_speaks_json() {
    let home = Home::new("json");
    let tool = home.file("tool.js", "return require('fs').readFileSync('/data/a', 'utf8')");
    let outcome: Json = parse(&home.out(&["run", &tool, "--json"], 1));
    let id = outcome["error"]["requestId"].as_str().expect("an id").to_owned();
    assert_eq!(parse(&home.out(&["requests", "--json"], 0))["id"], id.as_str());
    let grant = parse(&home.out(&["grant", &id, "--always", "--json"], 0));
    assert_eq!(grant["capability"], "fs:read:/data/a");
    let granted = grant["id"].as_str().expect("an id");
    assert_eq!(parse(&home.out(&["grants", "--json"], 0))["id"], granted);
    assert_eq!(parse(&home.out(&["revoke", granted, "--json"], 0))["id"], granted);
    home.out(&["run", &tool, "--json"], 1);
    assert_eq!(parse(&home.out(&["deny", &id, "--json"], 0))["status"], "denied");
    let explained = parse(&home.out(&["explain", "fs:read:/a", "--json"], 0));
    assert_eq!(explained["capability"], "fs:read:/a");
    assert!(!explained["risk"].as_str().expect("a level").is_empty());
    let lines = home.out(&["audit", "--json"], 0);
    assert!(lines.lines().all(|line| parse(line)["event"].is_string()), "{lines}");
    let text = home.out(&["audit", "--text", "--event", "grant"], 0);
    assert!(text.contains("fs:read:/data/a") && !text.contains('{'), "{text}");
}

#[test]
fn a_program_speaks_json_too() {
    let home = Home::new("wasm");
    let module = wat::parse_str(include_str!("../../../docs/hello.wat")).expect("a module");
    let path = home.0.join("hello.wasm");
    std::fs::write(&path, module).expect("room");
    let path = path.to_str().expect("UTF-8");
    let outcome = parse(&home.out(&["wasm", "--json", path], 0));
    assert_eq!(outcome["stdout"], "hello from a cell\n");
    assert_eq!(outcome["exitCode"], 0);
}

#[test]
fn a_program_that_ran_is_in_the_log() {
    let home = Home::new("noted");
    let module = wat::parse_str(include_str!("../../../docs/hello.wat")).expect("a module");
    let path = home.0.join("hello.wasm");
    std::fs::write(&path, module).expect("room");
    let path = path.to_str().expect("UTF-8");
    home.out(&["wasm", "--ephemeral", path], 0);
    assert_eq!(home.out(&["audit", "--event", "start"], 0), "");
    home.out(&["wasm", path], 0);
    let lines = home.out(&["audit", "--event", "start"], 0);
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(lines.contains("hello.wasm"), "{lines}");
}

#[test]
fn the_doctor_looks_at_everything_and_finds_nothing_missing_here() {
    let home = Home::new("doctor");
    let found = parse(&home.out(&["doctor", "--json"], 0));
    assert_eq!(found["ok"], true);
    let checks = found["checks"].as_array().expect("checks");
    let names: Vec<_> = checks.iter().filter_map(|check| check["name"].as_str()).collect();
    for name in ["version", "JavaScript", "TypeScript", "shell", "memfd", "addresses", "store"] {
        assert!(names.contains(&name), "no {name} in {names:?}");
    }
    for name in ["userfaultfd", "pagemap scan", "overcommit", "cache", "terminal", "seccomp"] {
        assert!(names.contains(&name), "no {name} in {names:?}");
    }
    assert!(checks.iter().all(|check| check["matters"].is_string()), "{found}");
    let text = home.out(&["doctor"], 0);
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn the_doctor_says_what_is_lost_without_a_place_to_keep_things() {
    let output = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
        .args(["doctor", "--json"])
        .env("XDG_DATA_HOME", "/proc/nowhere")
        .env("XDG_CACHE_HOME", "/proc/nowhere")
        .output()
        .expect("the program");
    assert_eq!(output.status.code(), Some(1));
    let found = parse(&String::from_utf8_lossy(&output.stdout));
    let checks = found["checks"].as_array().expect("checks");
    let store = checks.iter().find(|check| check["name"] == "store").expect("the store");
    assert_eq!(store["state"], "failed");
    assert!(store["matters"].as_str().is_some_and(|text| text.contains("--ephemeral")), "{store}");
}

#[test]
fn the_demo_tells_its_story_in_plain_lines_when_nobody_watches() {
    let home = Home::new("demo");
    let told = home.out(&["demo"], 0);
    for part in [
        "returned  {\"a\":1,\"cofferdam\":9",
        "denied    not allowed to",
        "granted   fs:read:/data/prices.csv",
        "stopped   time limit of 200 ms",
        "stopped   ", // the memory bomb
        "printed       858 /index",
        "no login to be seen",
        "restored  to the snapshot",
        "median",
    ] {
        assert!(told.contains(part), "no {part:?} in {told}");
    }
    assert!(!told.contains('\x1b'), "{told}");
    assert_eq!(told.matches("## ").count(), 8, "{told}");
    // The call leaves nothing behind.
    assert!(!home.0.join("data").exists());
}

#[test]
fn a_reader_who_leaves_and_a_disk_that_is_full_are_no_panic() {
    let home = Home::new("pipes");
    for arguments in ["doctor", "--help", "run --help", "completions bash", "man", "demo cells"] {
        let program = env!("CARGO_BIN_EXE_cofferdam");
        let script = format!("{{ '{program}' {arguments}; echo $? >&2; }} | true");
        let output = Command::new("sh").arg("-c").arg(script).env("HOME", &home.0).output();
        let err = String::from_utf8_lossy(&output.expect("a shell").stderr).into_owned();
        assert!(!err.contains("panicked"), "{arguments}: {err}");
    }
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
    let output = Command::new(env!("CARGO_BIN_EXE_cofferdam"))
        .args(["explain", "fs:read:/a"])
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output)
        .expect("the program");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{err}");
    assert!(err.contains("error: standard output: no space left on device"), "{err}");
}

#[track_caller]
fn parse(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn a_command_where_a_verb_or_a_file_is_meant_goes_to_the_shell() {
    let home = Home::new("commands");
    home.wrong(&["sh", "ls", "-l", "a b"], &[r"hint: cofferdam sh -c 'ls -l '\''a b'\'''"]);
    home.wrong(&["execute", "ls", "-l"], &["hint: cofferdam sh -c 'ls -l'\n"]);
    home.wrong(&["-c", "echo hi"], &["hint: cofferdam sh -c 'echo hi'\n"]);
    let page = home.file("shop.html", "<p>");
    home.wrong(&["run", &page], &["a page, not a tool", "--page"]);
    let mistyped = page.replace("shop", "shp");
    home.wrong(
        &["run", "-", "--ephemeral", "--page", &mistyped],
        &[&format!("hint: --page {page}")],
    );
}

#[test]
fn a_verb_has_a_manual_page_of_its_own() {
    let home = Home::new("page");
    let page = home.out(&["man", "run"], 0);
    assert!(page.contains("\\fBcofferdam run\\fR "), "{page}");
    assert!(page.contains("cofferdam\\-run") && page.contains("\\-\\-page"), "{page}");
    assert!(!std::path::Path::new("run").exists());
    home.wrong(
        &["man", "nope"],
        &["error: nope: neither a verb nor a directory", "hint: cofferdam man ./nope"],
    );
    home.wrong(&["man", "rnu"], &["hint: cofferdam man run"]);
    assert!(!std::path::Path::new("nope").exists());
}
