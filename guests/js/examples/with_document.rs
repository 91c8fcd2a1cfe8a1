//! Runs JavaScript files with a document, natively: `--features document --example with_document`.
//!
//! Each file but the last is a script; the last is the body of an async function. Files named
//! `NAME=PATH` become the global string NAME. What the last prints goes to standard output, the
//! time it took to standard error. `tests/libraries/compare.mjs` uses it.

use std::process::ExitCode;
use std::time::Instant;

use cofferdam_guest_js::interpreter::Interpreter;
use cofferdam_guest_js::{gate, pending};
use rquickjs::{CatchResultExt, Promise};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let (main, scripts) = files.split_last().ok_or("usage: with_document [NAME=]FILE… FILE")?;
    gate::reset();
    Interpreter::new(|| false)?.with(|ctx| -> Result<(), Box<dyn std::error::Error>> {
        for file in scripts {
            match file.split_once('=') {
                Some((name, path)) => ctx.globals().set(name, std::fs::read_to_string(path)?)?,
                None => ctx
                    .eval::<(), _>(std::fs::read_to_string(file)?)
                    .catch(&ctx)
                    .map_err(|error| format!("{file}: {error}"))?,
            }
        }
        let body = format!("(async () => {{\n{}\n}})()", std::fs::read_to_string(main)?);
        let start = Instant::now();
        let promise: Promise = ctx.eval(body).catch(&ctx).map_err(|error| error.to_string())?;
        loop {
            pending::run_jobs(&ctx).catch(&ctx).map_err(|error| error.to_string())?;
            if !gate::fire_next(&ctx).catch(&ctx).map_err(|error| error.to_string())? {
                break;
            }
        }
        let took = start.elapsed();
        let (out, err) = gate::take_output();
        print!("{}", String::from_utf8_lossy(&out));
        eprint!("{}", String::from_utf8_lossy(&err));
        match promise.result::<rquickjs::Value>() {
            Some(result) => result.catch(&ctx).map(|_| ()).map_err(|error| error.to_string())?,
            None => return Err("it never settles".into()),
        }
        eprintln!("took {:.1} ms", took.as_secs_f64() * 1e3);
        Ok(())
    })
}
