//! Runs every command of the shell with generated arguments and inputs, in cells, where there are
//! no threads and numbers have 32 bits. None may panic (T-PROC-014).
//!
//! The arguments are the same in every run of the test. `COFFERDAM_COMMAND_RUNS` raises the runs of
//! each command, to hunt for more.

use std::fmt::Write as _;
use std::time::Duration;

use cofferdam::{Command, Limits, Sandbox};
use cofferdam_abi::commands::COMMANDS;

/// Runs of each command.
const RUNS: usize = 8;

/// Commands that wait, reach out or start others; the shell has batteries of its own.
const SKIPPED: [&str; 8] = ["bash", "curl", "js", "sh", "sleep", "timeout", "xargs", "yes"];

/// Options and operands: numbers at the edges, malformed patterns, names of files, scripts.
const WORDS: &[&str] = &[
    "-a",
    "-b",
    "-c",
    "-d",
    "-e",
    "-f",
    "-i",
    "-k",
    "-l",
    "-m",
    "-n",
    "-o",
    "-r",
    "-s",
    "-t",
    "-u",
    "-w",
    "-z",
    "-C",
    "-R",
    "-V",
    "-1",
    "--",
    "--check",
    "--check-silent",
    "--reverse",
    "--zero-terminated",
    "--bytes=1",
    "--lines=-1",
    "--width=0",
    "--resolution",
    "--set=@0",
    "--format=%",
    "--sort=none",
    "--parallel=0",
    "--batch-size=1",
    "--number=l/0",
    "--suffix-length=0",
    "--output-delimiter=",
    "0",
    "1",
    "-1",
    "+1",
    "10M",
    "9999999999",
    "18446744073709551616",
    "-9223372036854775808",
    "1e400",
    "nan",
    "",
    "é",
    "💥",
    "a",
    "a,b",
    "1,2",
    "1-",
    "1-0",
    "0-",
    ".",
    "f",
    "g",
    "d",
    "nope",
    "%",
    "%d",
    "%*d",
    "%99999999999d",
    "{}",
    "\\",
    "\\(",
    "[",
    "[a",
    "a*",
    "(",
    "^$",
    "s/a*/x/",
    "s/a*/x/e",
    "y/a/bc/",
    "$!N",
    "1~0p",
    "/a/,+1d",
    "a\\",
    "e",
    "x=1",
    "=",
    "k2",
    "2,1",
    "/a/{*}",
    "1K",
    "-5K",
    "0x10",
    "2021-01-01",
    "@0",
    "@99999999999999999",
    "+%10000Y",
    "iec",
    "auto",
    "sha1",
    "u+x",
    "7777777",
    "user:",
    "1/0",
    "BEGIN{",
    "{$999999999=1}",
    ".[",
    ".[0:1e9]",
    "limit(-1;.)",
    "2^9999",
    "select 1;",
    "bs=10M",
    "bs=0",
    "seek=",
    "seek=1",
    "skip=9",
    "count=1",
    "of=g",
    "if=f",
    "conv=block",
    "cbs=3",
    "conv=swab,ucase",
];

const INPUTS: &[&str] = &[
    "",
    "a\\n",
    "a b c\\nb c d\\n",
    "\\n\\n\\n",
    "\\xff\\xfe\\x00a\\n",
    "1\\n2\\n10\\n",
    "é💥\\t\\ta\\n",
    "no newline",
    "{\\\"a\\\":[1,null]}",
    "\\x1f\\x8b\\x08\\x00bad",
    "9999999999999999999999\\n-1\\n",
];

/// A generator of numbers that is the same everywhere (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut n = self.0;
        n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((n ^ (n >> 31)) % limit as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Returns a script that runs `name` many times, each time in a folder with the same files, and
/// prints each call that ended as a panic does.
fn script(name: &str, runs: usize, numbers: &mut Numbers) -> String {
    let mut script = String::from("mkdir -p /tmp/w; cd /tmp/w\n");
    for _ in 0..runs {
        let count = numbers.below(5);
        let args: Vec<String> = (0..count).map(|_| quoted(numbers.pick(WORDS))).collect();
        let input = numbers.pick(INPUTS);
        let call = format!("{name} {}", args.join(" "));
        // Exit code 70 is a panic that was caught, 134 one that was not.
        let _ = writeln!(
            script,
            "cd /tmp/w; rm -rf /tmp/w/*; mkdir d; echo abc > f; printf 'x y\\nz\\n' > g
printf '{input}' | timeout 1 {call} > /tmp/out 2>&1; code=${{PIPESTATUS[1]}}
if ((code == 134)) || grep -q 'internal error\\|panicked at\\|/registry/\\|/rustc/' /tmp/out
then echo \"$code: \"{}; head -c 300 /tmp/out; fi",
            quoted(&call)
        );
    }
    script
}

#[tokio::test]
async fn no_arguments_make_a_command_panic() {
    let runs = std::env::var("COFFERDAM_COMMAND_RUNS").ok().and_then(|runs| runs.parse().ok());
    let limits = Limits::default().with_time(Duration::from_secs(120)).with_source_bytes(1 << 20);
    let sandbox = Sandbox::builder().limits(limits.with_processes(200)).build().unwrap();
    let mut numbers = Numbers(1);
    for name in COMMANDS.iter().filter(|name| !SKIPPED.contains(name)) {
        let text = script(name, runs.unwrap_or(RUNS), &mut numbers);
        let outcome = sandbox.run_program(Command::shell(text)).await.unwrap();
        assert_eq!(outcome.stdout.text(), "", "{name}");
        assert_eq!(outcome.error(), None, "{name}");
    }
}
