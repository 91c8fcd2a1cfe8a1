//! [`Image`], a guest compiled ahead of time and ready to be instantiated.

use std::sync::atomic::{AtomicU64, Ordering};

use cofferdam_abi::names;
use wasmtime::{InstancePre, Linker, Module, ModuleExport};

use crate::cell::State;
use crate::contract::{Host, IMPORT_REST};
use crate::embedded::Embedded;
use crate::engine::Engine;
use crate::gate;
use crate::guest_files::GuestFiles;
use crate::{Error, ErrorKind};

/// Returns a number that is unique among the images of the process.
pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A guest whose cells call a host of type `H`. Cheap to clone.
pub struct Image<H: Host> {
    pub(crate) engine: Engine,
    pub(crate) pre: InstancePre<State<H>>,
    pub(crate) exports: Exports,
    memory_bytes: u64,
    /// Unique among the images of the process.
    pub(crate) id: u64,
}

impl<H: Host> Clone for Image<H> {
    fn clone(&self) -> Self {
        Image {
            engine: self.engine.clone(),
            pre: self.pre.clone(),
            exports: self.exports.clone(),
            memory_bytes: self.memory_bytes,
            id: self.id,
        }
    }
}

/// Indices of exports, so that a new cell looks up nothing by name.
#[derive(Clone)]
pub(crate) struct Exports {
    pub(crate) memory: ModuleExport,
    pub(crate) enter: ModuleExport,
    pub(crate) reserve: ModuleExport,
    pub(crate) inbox: ModuleExport,
    pub(crate) interrupt: ModuleExport,
}

impl<H: Host> Image<H> {
    /// Loads the output of [`Engine::compile`].
    ///
    /// # Safety
    ///
    /// The code runs natively: it must be the unmodified output of [`Engine::compile`], such as an
    /// image embedded in this program. Whoever can write to the files of this user can replace
    /// copies of it.
    #[allow(unsafe_code)]
    pub unsafe fn load(engine: &Engine, code: Embedded, files: &GuestFiles) -> Result<Self, Error> {
        // SAFETY: the caller makes the same promise.
        let module = unsafe { code.load(&engine.inner, files) }?;
        Self::link_guest(engine, &module)
    }

    /// Finds the exports of a guest and links its imports.
    fn link_guest(engine: &Engine, module: &Module) -> Result<Self, Error> {
        let export = |name| {
            module
                .get_export_index(name)
                .ok_or_else(|| Error::new(ErrorKind::Image, format!("no export named {name}")))
        };
        let exports = Exports {
            memory: export(names::MEMORY)?,
            enter: export(names::ENTER)?,
            reserve: export(names::RESERVE)?,
            inbox: export(names::INBOX)?,
            interrupt: export(names::INTERRUPT)?,
        };
        if !module.imports().any(|import| import.name() == IMPORT_REST) {
            return Err(Error::new(ErrorKind::Image, "module without checks cannot be stopped"));
        }
        let memory = module.get_export(names::MEMORY).and_then(|e| e.memory().cloned());
        let memory_bytes = memory.map_or(0, |m| m.minimum().saturating_mul(m.page_size()));
        let id = next_id();
        let mut linker = Linker::new(&engine.inner);
        gate::link(&mut linker)
            .and_then(|()| linker.instantiate_pre(module))
            .map(|pre| Image { engine: engine.clone(), pre, exports, memory_bytes, id })
            .map_err(|e| Error::new(ErrorKind::Image, format!("{e:#}")))
    }

    /// Writes the memory of the image to the place from which cells map it. Otherwise the first cell
    /// waits for that: a millisecond for JavaScript, several for Python.
    pub fn prepare(&self) -> Result<(), Error> {
        let prepared = self.pre.module().initialize_copy_on_write_image();
        prepared.map_err(|e| Error::new(ErrorKind::Image, format!("{e:#}")))
    }

    /// Returns the initial memory of each cell in bytes, which counts towards its limit.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    /// Returns the engine that the image was loaded into.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}
