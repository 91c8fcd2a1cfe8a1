//! Prepares a module from outside: validates it, splits long instructions, inserts checks, and has
//! its memory grown by the host.

use wasmparser::{Parser, Payload, Validator, WasmFeatures};

use crate::pacing::{self, Growth};
use crate::pieces;
use crate::unfit::{self, Exceptions, Unfit};

/// Features that modules may use: those whose effect on time and memory the checks know.
const FEATURES: WasmFeatures =
    WasmFeatures::WASM2.union(WasmFeatures::EXTENDED_CONST).union(WasmFeatures::TAIL_CALL);

/// A module that can run in a browser.
pub struct Prepared {
    /// The module with checks.
    pub module: Vec<u8>,
    /// Pages of memory that it begins with.
    pub pages: u64,
}

/// Prepares a module.
// T-PROC-001: a hostile module.
pub fn prepare(wasm: &[u8]) -> Result<Prepared, Unfit> {
    unfit::look_at(wasm)?;
    unfit::scan(wasm, Exceptions::Refused)?;
    // Added functions and globals follow the module's own, so no index may go beyond those.
    let validated = Validator::new_with_features(FEATURES).validate_all(wasm);
    validated.map_err(|e| Unfit::invalid(&e))?;
    let mut pages = None;
    let mut has_start = false;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.map_err(|e| Unfit::invalid(&e))? {
            Payload::MemorySection(memories) => {
                pages = memories.into_iter().flatten().next().map(|memory| memory.initial);
            }
            Payload::ExportSection(exports) => {
                has_start |= exports.into_iter().flatten().any(|export| export.name == "_start");
            }
            _ => {}
        }
    }
    let Some(pages) = pages else { return Err(Unfit::new("has no memory")) };
    if !has_start {
        return Err(Unfit::new("has no _start: it is a library, not a program"));
    }
    let split = pieces::split(wasm).map_err(|e| Unfit::invalid(&e))?;
    let module = pacing::pace(&split, Growth::Host).map_err(|e| Unfit::new(e.to_string()))?;
    Ok(Prepared { module, pages })
}
