//! Builds images: runs a guest's initialisation once and writes the resulting memory into the
//! module.

use cofferdam_abi::names;
use wasmtime::{Config, Engine, Func, Instance, Module, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

use crate::{Error, ErrorKind};

/// Returns a module that starts in the state of `wasm` after its initialisation. The guest cannot
/// call the host meanwhile, because the answers would be frozen into every cell.
pub fn initialise(wasm: &[u8]) -> Result<Vec<u8>, Error> {
    let failed = |e: wasmtime::Error| Error::new(ErrorKind::Image, format!("{e:#}"));
    let mut wizer = Wizer::new();
    wizer.init_func(names::INIT);
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
    let init = instance.get_typed_func::<(), ()>(&mut store, names::INIT).map_err(failed)?;
    init.call(&mut store, ()).map_err(failed)?;
    let mut state = Snapshot { store, instance };
    block_on(wizer.snapshot(&context, &mut state)).map_err(failed)
}

struct Snapshot {
    store: Store<()>,
    instance: Instance,
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
