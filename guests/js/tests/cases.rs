//! Runs the case files beside this one: headings are claims, blocks say what goes in and out.

use std::fs;
use std::path::{Path, PathBuf};

use cofferdam_guest_js::interpreter::Interpreter;
use cofferdam_guest_js::{gate, pending, rejections};
use libtest_mimic::{Arguments, Failed, Trial};
use rquickjs::{CatchResultExt, Coerced, Promise};

fn main() {
    let arguments = Arguments::from_args();
    // The surface with a document is another one; the worker's is tested without it.
    let folder = if cfg!(feature = "document") { "tests/document" } else { "tests/cases" };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    find_files(&folder, &mut files);
    files.sort();
    let mut trials = Vec::new();
    for file in files {
        let area = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("md") => {
                for case in parse_cases(&text) {
                    let name = format!("{area}: {}", case.claim);
                    trials.push(Trial::test(name, move || check_case(&case)));
                }
            }
            Some("inspect") => {
                for (source, expect) in parse_inspect(&text) {
                    let name = format!("{area}: {source}");
                    trials.push(Trial::test(name, move || check_inspect(&source, &expect)));
                }
            }
            _ => {}
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Adds the files of `folder` and of the folders below it.
fn find_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.unwrap().path();
        if path.is_dir() { find_files(&path, files) } else { files.push(path) }
    }
}

/// Output and errors of a source that ran as the body of an async function.
struct Ran {
    out: String,
    err: String,
    errors: Vec<String>,
}

fn run(source: &str) -> Result<Ran, Failed> {
    gate::reset();
    Interpreter::new(|| false)?.with(|ctx| {
        let body = format!("(async () => {{\n{source}\n}})()");
        let mut options = rquickjs::context::EvalOptions::default();
        options.filename = Some("tool.js".into());
        options.strict = false;
        let promise: Promise =
            ctx.eval_with_options(body, options).catch(&ctx).map_err(|error| format!("{error}"))?;
        loop {
            pending::run_jobs(&ctx).catch(&ctx).map_err(|error| format!("{error}"))?;
            if !gate::fire_next(&ctx).catch(&ctx).map_err(|error| format!("{error}"))? {
                break;
            }
        }
        match promise.result::<rquickjs::Value>() {
            Some(result) => result.catch(&ctx).map_err(|error| format!("{error}"))?,
            None => return Err("the case never settles".into()),
        };
        // An unhandled rejection ends a run: the surface must leave none of its own behind.
        if let Some(rejection) = rejections::take(&ctx) {
            let reason = rejection?.1.get::<Coerced<String>>()?.0;
            return Err(format!("a rejection left unhandled: {reason}").into());
        }
        let reported = pending::take_reported(&ctx)?;
        let errors = reported.iter().map(|e| e.get::<Coerced<String>>().map(|text| text.0));
        let errors = errors.collect::<rquickjs::Result<_>>()?;
        let (out, err) = gate::take_output();
        Ok(Ran {
            out: String::from_utf8_lossy(&out).into_owned(),
            err: String::from_utf8_lossy(&err).into_owned(),
            errors,
        })
    })
}

#[derive(Default)]
struct Case {
    claim: String,
    source: String,
    out: String,
    err: String,
    reported: String,
}

fn parse_cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        if let Some(claim) = line.strip_prefix("## ")
            && block.is_none()
        {
            cases.push(Case { claim: claim.into(), ..Case::default() });
        } else if let Some(fence) = line.strip_prefix("```") {
            block = block.is_none().then(|| fence.to_owned());
        } else if let (Some(kind), Some(case)) = (&block, cases.last_mut()) {
            let into = match kind.as_str() {
                "js" => &mut case.source,
                "stdout" => &mut case.out,
                "stderr" => &mut case.err,
                "reported" => &mut case.reported,
                other => panic!("{}: unknown block {other}", case.claim),
            };
            into.push_str(line);
            into.push('\n');
        }
    }
    cases
}

fn check_case(case: &Case) -> Result<(), Failed> {
    let ran = run(&case.source)?;
    let reported: String = ran.errors.iter().map(|error| format!("{error}\n")).collect();
    same("standard output", &ran.out, &case.out)?;
    same("standard error", &ran.err, &case.err)?;
    same("reported errors", &reported, &case.reported)
}

/// Pairs of an expression after `> ` and the lines that Node prints for it.
fn parse_inspect(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(source) = line.strip_prefix("> ") {
            pairs.push((source.into(), String::new()));
        } else if let Some(expect) = line.strip_prefix("| ") {
            let pair = pairs.last_mut().expect("an expression comes first");
            pair.1.push_str(expect);
            pair.1.push('\n');
        }
    }
    pairs
}

fn check_inspect(source: &str, expect: &str) -> Result<(), Failed> {
    let ran = run(&format!("console.log({source}\n)"))?;
    same("standard output", &without_frames(&ran.out), expect)
}

/// Replaces a row of frames with one: they name files and positions of the engine.
fn without_frames(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        let start = line.trim_start();
        let is_frame = start.starts_with("at ")
            || (start.starts_with("... ") && start.ends_with("matching cause stack trace ..."));
        if is_frame {
            let tail = if line.ends_with(" {") { "    at … {" } else { "    at …" };
            if lines.last().is_some_and(|last| last.starts_with("    at …")) {
                lines.pop();
            }
            lines.push(tail);
        } else {
            lines.push(line);
        }
    }
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

fn same(what: &str, got: &str, expect: &str) -> Result<(), Failed> {
    if got == expect {
        return Ok(());
    }
    Err(format!("{what}\n--- expected\n{expect}--- got\n{got}---").into())
}
