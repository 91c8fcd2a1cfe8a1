//! Prepares a guest for browsers; `scripts/web-guests` runs this program.
//!
//! ```text
//! web_guest IN.wasm OUT.wasm                                a program
//! web_guest IN.wasm OUT.wasm INIT OUT.late [MAP PART...]    a library, initialised by its export INIT
//! ```
//!
//! `OUT.late` has the data that the guest asks for when it needs them. Symbols of the linker's map
//! MAP that contain a PART are among them.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use cofferdam_abi::Range;
use cofferdam_cell::imaging;

/// Shortest symbol of a map that is fetched late.
const SHORTEST: u32 = 256;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        [from, to] => read(from).and_then(|wasm| prepare(&wasm, to)),
        [from, to, init, late] => library(from, to, init, late, &[]),
        [from, to, init, late, map, ref parts @ ..] => read(map).and_then(|map| {
            let mut tables = Vec::new();
            for part in parts {
                let found = symbols(&String::from_utf8_lossy(&map), part);
                if found.is_empty() {
                    return Err(format!("no symbol with {part} in the map").into());
                }
                tables.extend(found);
            }
            library(from, to, init, late, &tables)
        }),
        _ => Err("usage: web_guest IN OUT [INIT LATE [MAP PART...]]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("web_guest: {error}");
            ExitCode::FAILURE
        }
    }
}

fn library(from: &str, to: &str, init: &str, late: &str, tables: &[Range]) -> Result<()> {
    let made = imaging::initialise(&read(from)?, init, tables)?;
    write(late, &made.late)?;
    prepare(&made.module, to)
}

fn prepare(wasm: &[u8], to: &str) -> Result<()> {
    write(to, &without_custom_sections(&imaging::for_browser(wasm)?)?)
}

/// Drops hints about branches, which are 1 % of a file that pages wait for.
fn without_custom_sections(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut module = wasm_encoder::Module::new();
    for payload in wasmparser::Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        let is_custom = matches!(payload, wasmparser::Payload::CustomSection(_));
        if let Some((id, range)) = payload.as_section().filter(|_| !is_custom) {
            module.section(&wasm_encoder::RawSection { id, data: &wasm[range] });
        }
    }
    Ok(module.finish())
}

/// Returns the data symbols whose names contain `part`. A line of the linker's map has address,
/// offset and size in hexadecimal, and a name.
fn symbols(map: &str, part: &str) -> Vec<Range> {
    let symbol = |line: &str| {
        let mut words = line.split_whitespace();
        let numbers = [words.next()?, words.next()?, words.next()?];
        let [at, _, len] = numbers.map(|number| u32::from_str_radix(number, 16).ok());
        let name = words.next()?;
        let is_data = name.contains(":(.rodata.") && name.contains(part);
        is_data.then_some([at?, len?]).filter(|[_, len]| *len >= SHORTEST)
    };
    map.lines().filter_map(symbol).collect()
}

fn read(file: &str) -> Result<Vec<u8>> {
    std::fs::read(Path::new(file)).map_err(|e| format!("{file}: {e}").into())
}

fn write(file: &str, bytes: &[u8]) -> Result<()> {
    std::fs::write(Path::new(file), bytes).map_err(|e| format!("{file}: {e}").into())
}
