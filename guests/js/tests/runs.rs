//! Runs the case files in `runs` as whole tools, from start to end, with files in memory.

use std::fs;
use std::path::Path;

use cofferdam_abi::entry::{Code, Form, Leave, Script, Start};
use cofferdam_abi::frame::{Answer, Status};
use cofferdam_abi::value::{self, Value};
use cofferdam_abi::wire::Writer;
use cofferdam_guest_js::gate;
use cofferdam_guest_js::interpreter::Interpreter;
use cofferdam_guest_js::tool::{self, Left};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut trials = Vec::new();
    // The surface with a document is another one; runs are the same there.
    for file in files.iter().filter(|_| !cfg!(feature = "document")) {
        let area = file.file_stem().unwrap().to_string_lossy().into_owned();
        for case in parse(&fs::read_to_string(file).unwrap()) {
            let name = format!("{area}: {}", case.claim);
            trials.push(Trial::test(name, move || check(&case)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// One case: a tool, its surroundings, and its end. Every expectation that is not there is empty.
#[derive(Default)]
struct Case {
    claim: String,
    /// Blocks by kind: `js`, `input`, `arguments`, `stdout`, `stderr`, `result`, `error`, `exit`.
    blocks: Vec<(String, String)>,
}

impl Case {
    fn block(&self, kind: &str) -> &str {
        self.blocks.iter().find(|block| block.0 == kind).map_or("", |block| &block.1)
    }
}

fn parse(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(claim) = line.strip_prefix("## ").filter(|_| !is_inside) {
            cases.push(Case { claim: claim.into(), ..Case::default() });
        } else if let Some(kind) = line.strip_prefix("```") {
            is_inside = !is_inside;
            if let (true, Some(case)) = (is_inside, cases.last_mut()) {
                case.blocks.push((kind.into(), String::new()));
            }
        } else if let Some((_, block)) =
            cases.last_mut().filter(|_| is_inside).and_then(|case| case.blocks.last_mut())
        {
            block.push_str(line);
            block.push('\n');
        }
    }
    cases
}

/// The script of every case; its folder is the root of its modules.
const PATH: &str = "/code/main.js";

fn check(case: &Case) -> Result<(), Failed> {
    gate::reset();
    for (kind, content) in &case.blocks {
        if let Some(path) = kind.strip_prefix("file ") {
            gate::add_file(path, content.as_bytes());
        }
    }
    gate::set_input(case.block("input").as_bytes());
    let mut args = Writer::new();
    value::encode(&arguments(case.block("args"))?, &mut args);
    let start = Start {
        form: Form::Detect,
        file: "main.js",
        source: case.block("js"),
        code: Code::Unkept,
        args: args.as_bytes(),
        result_bytes: 1 << 20,
        members: Vec::new(),
        script: Script {
            path: PATH,
            root: "/code",
            cwd: "/code",
            arguments: case.block("arguments").lines().collect(),
        },
    };
    let left = Interpreter::new(|| false)?.with(|ctx| -> Result<Left, Failed> {
        let never = || false;
        let mut left = tool::start(&ctx, &start, &never);
        while matches!(left, Left::Other(Leave::Waiting)) {
            let ticket = gate::next_ticket().ok_or("the run waits for nothing")?;
            let answer = Answer { status: Status::Done, payload: &[] };
            left = tool::resume(&ctx, &[(ticket, answer)], &never);
        }
        Ok(left)
    })?;
    let (out, err) = gate::take_output();
    let (mut result, mut error, mut code) = (String::new(), String::new(), String::new());
    match left {
        Left::Finished(packed) => {
            match value::decode(&packed).map_err(|error| format!("{error}"))? {
                Value::Undefined => {}
                value => result = format!("{value:?}\n"),
            }
        }
        Left::Other(Leave::Exited(number)) => code = format!("{number}\n"),
        Left::Other(Leave::Threw(thrown)) => {
            error = format!("{}: {}\n", thrown.name, thrown.message);
            // Frames, and below them the properties of the error, in braces.
            let is_above =
                |line: &&str| !line.trim_start().starts_with("at ") && !line.ends_with(" {");
            let mut is_inside = false;
            for line in thrown.stack.lines().skip_while(is_above) {
                let shown = if is_inside { line } else { line.trim_start() };
                error.push_str(&format!("{shown}\n"));
                is_inside |= line.ends_with(" {");
            }
        }
        Left::Other(other) => error = format!("{other:?}\n"),
    }
    same("standard output", &String::from_utf8_lossy(&out), case.block("stdout"))?;
    same("standard error", &String::from_utf8_lossy(&err), case.block("stderr"))?;
    same("result", &result, case.block("result"))?;
    same("error", &error, case.block("error"))?;
    same("exit code", &code, case.block("exit"))
}

/// A text as the arguments of a tool: `NAME=TEXT` lines, as members of an object.
fn arguments(text: &str) -> Result<Value, Failed> {
    if text.is_empty() {
        return Ok(Value::Undefined);
    }
    let member = |line: &str| {
        let (name, value) = line.split_once('=').ok_or("not NAME=TEXT")?;
        Ok((name.to_owned(), Value::String(value.to_owned())))
    };
    Ok(Value::Object(text.lines().map(member).collect::<Result<_, Failed>>()?))
}

fn same(what: &str, got: &str, expect: &str) -> Result<(), Failed> {
    if got == expect {
        return Ok(());
    }
    Err(format!("{what}\n--- expected\n{expect}--- got\n{got}---").into())
}
