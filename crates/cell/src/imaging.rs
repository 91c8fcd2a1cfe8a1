//! Builds images: runs a guest's initialisation once and writes the resulting memory into the
//! module.

use cofferdam_abi::{Range, names};
use sha2::{Digest, Sha256};
use wasmtime::{Config, Engine, Func, Instance, Module, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

use crate::pacing::{self, Growth};
use crate::{Error, ErrorKind, pieces, segments};

/// A guest after its initialisation.
#[derive(Debug)]
pub struct Initialised {
    /// The module, which starts in the state after the initialisation.
    pub module: Vec<u8>,
    /// Ranges that are zero in the module and that the guest asks for before it reads them: address,
    /// length and bytes of each, the numbers as 32 bits, little-endian.
    pub late: Vec<u8>,
}

/// Returns a module that starts in the state of `wasm` after the export `init`. The guest cannot
/// call the host meanwhile, because the answers would be frozen into every cell. `tables` are late
/// in addition to those that the guest names.
// T-CELL-022: randomness frozen in the image, the same in every cell.
pub fn initialise(wasm: &[u8], init: &str, tables: &[Range]) -> Result<Initialised, Error> {
    let failed = |e: wasmtime::Error| Error::new(ErrorKind::Image, format!("{e:#}"));
    let mut wizer = Wizer::new();
    wizer.init_func(init);
    let (context, instrumented) = wizer.instrument(wasm).map_err(failed)?;
    let mut config = Config::new();
    config.async_stack_size(8 << 20);
    config.max_wasm_stack(4 << 20);
    let engine = Engine::new(&config).map_err(failed)?;
    let module = Module::new(&engine, &instrumented).map_err(failed)?;
    let mut store = Store::new(&engine, ());
    let mut imports = Vec::new();
    for import in module.imports() {
        let wasmtime::ExternType::Func(ty) = import.ty() else {
            let what = format!("import {}.{} is not a function", import.module(), import.name());
            return Err(Error::new(ErrorKind::Image, what));
        };
        let refusal = format!("{}.{} called while initialising", import.module(), import.name());
        let refuse = Func::new(&mut store, ty, move |_, _, _| wasmtime::bail!("{refusal}"));
        imports.push(refuse.into());
    }
    let instance = Instance::new(&mut store, &module, &imports).map_err(failed)?;
    let init = instance.get_typed_func::<(), ()>(&mut store, init).map_err(failed)?;
    init.call(&mut store, ()).map_err(failed)?;
    let mut state = Snapshot { store, instance };
    for range in state.ranges(names::SPENT).map_err(failed)? {
        state.cut(range).map_err(failed)?;
    }
    let mut late = Vec::new();
    for range in state.ranges(names::LATE).map_err(failed)?.iter().chain(tables) {
        late.extend(range.iter().flat_map(|number| number.to_le_bytes()));
        late.extend(state.cut(*range).map_err(failed)?);
    }
    let module = block_on(wizer.snapshot(&context, &mut state)).map_err(failed)?;
    Ok(Initialised { module, late })
}

struct Snapshot {
    store: Store<()>,
    instance: Instance,
}

impl Snapshot {
    /// Returns the ranges that an export names; none if there is no such export.
    fn ranges(&mut self, export: &str) -> wasmtime::Result<Vec<Range>> {
        let Some(list) = self.instance.get_func(&mut self.store, export) else {
            return Ok(Vec::new());
        };
        let at = list.typed::<(), u64>(&self.store)?.call(&mut self.store, ())?;
        let (at, count) = ((at >> 32) as usize, at as u32 as usize);
        let words = self.slice(at, count * size_of::<Range>())?.as_chunks::<4>().0;
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        Ok(words.as_chunks::<2>().0.to_vec())
    }

    /// Returns the bytes of a range, which are zero from now on.
    fn cut(&mut self, [at, len]: Range) -> wasmtime::Result<Vec<u8>> {
        let bytes = self.slice(at as usize, len as usize)?;
        let cut = bytes.to_vec();
        bytes.fill(0);
        Ok(cut)
    }

    fn slice(&mut self, at: usize, len: usize) -> wasmtime::Result<&mut [u8]> {
        let memory = self.instance.get_memory(&mut self.store, names::MEMORY);
        let bytes =
            memory.and_then(|memory| memory.data_mut(&mut self.store).get_mut(at..at + len));
        bytes.ok_or_else(|| wasmtime::format_err!("no memory at {at}, {len} bytes"))
    }
}

impl InstanceState for Snapshot {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&mut self.store, name);
        match global.expect("wizer exported it").get(&mut self.store) {
            Val::I32(x) => SnapshotVal::I32(x),
            Val::I64(x) => SnapshotVal::I64(x),
            Val::F32(x) => SnapshotVal::F32(x),
            Val::F64(x) => SnapshotVal::F64(x),
            Val::V128(x) => SnapshotVal::V128(x.as_u128()),
            _ => unreachable!("wizer refuses modules with globals of reference types"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self.instance.get_memory(&mut self.store, name);
        contents(memory.expect("wizer exported it").data(&self.store));
    }
}

/// Polls a future to completion; nothing here ever waits.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Prepares a module for a browser, where the host has only what the module calls: splits long
/// instructions, inserts checks, has memory grown by the host, and joins segments of data.
pub fn for_browser(wasm: &[u8]) -> Result<Vec<u8>, Error> {
    let joined =
        segments::join(wasm).map_err(|e| Error::new(ErrorKind::Image, format!("data: {e}")))?;
    let split =
        pieces::split(&joined).map_err(|e| Error::new(ErrorKind::Image, format!("{e:#}")))?;
    pacing::pace(&split, Growth::Host)
}

/// Level of packing, the highest of zstd's common ones. Unpacking takes the same time at any.
const PACKING: i32 = 19;

/// Packs native code for [`crate::Packed`]: its digest, then a frame of zstd that names its length.
pub fn pack(code: &[u8]) -> Result<Vec<u8>, Error> {
    let failed = |e: std::io::Error| Error::new(ErrorKind::Image, format!("packing: {e}"));
    let mut packed = Sha256::digest(code).to_vec();
    packed.extend(zstd::bulk::compress(code, PACKING).map_err(failed)?);
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use wasmparser::{Operator, Parser, Payload};

    use super::*;

    #[test]
    fn a_module_for_browsers_has_its_memory_grown_by_the_host() {
        let text = r#"(module (memory (export "memory") 1) (global (mut i32) (i32.const 0))
            (func (export "f") (result i32) (i32.add (memory.size) (memory.grow (i32.const 1)))))"#;
        let web = for_browser(&wat::parse_str(text).expect("a module")).expect("a module");
        let (mut imports, mut exports, mut growths) = (Vec::new(), Vec::new(), 0);
        for payload in Parser::new(0).parse_all(&web) {
            match payload.expect("a module") {
                Payload::ImportSection(section) => {
                    let names = section.into_imports().map(|import| import.expect("import").name);
                    imports.extend(names.map(str::to_owned));
                }
                Payload::ExportSection(section) => {
                    let names = section.into_iter().map(|export| export.expect("export").name);
                    exports.extend(names.map(str::to_owned));
                }
                Payload::CodeSectionEntry(body) => {
                    let operators = body.get_operators_reader().expect("a body").into_iter();
                    let is_growth = |operator: &wasmparser::Result<Operator<'_>>| {
                        matches!(
                            operator,
                            Ok(Operator::MemoryGrow { .. } | Operator::MemorySize { .. })
                        )
                    };
                    growths += operators.filter(is_growth).count();
                }
                _ => {}
            }
        }
        assert_eq!(imports, ["pace", "rest", "grow"]);
        assert_eq!(exports, ["memory", "f", "cofferdam_global_0"]);
        assert_eq!(growths, 0);
        Module::validate(&Engine::default(), &web).expect("a valid module");
    }
}
