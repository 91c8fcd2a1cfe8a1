//! [`ProgramImage`], a compiled and checked program, and the engines that programs run on.
//!
//! Meets T-PROC-001.

use std::sync::{Arc, OnceLock};

use cofferdam_abi::names;
use wasmtime::{
    Collector, Config, Enabled, InstanceAllocationStrategy, InstancePre, Linker, Module,
    ModuleExport, OptLevel, PoolingAllocationConfig,
};

use crate::alarm::Alarm;
use crate::code;
use crate::compiler::settings;
use crate::contract::Program;
use crate::embedded::Embedded;
use crate::faults::Faults;
use crate::guest_files::GuestFiles;
use crate::image::next_id;
use crate::imports;
use crate::pieces;
use crate::pool::Pool;
use crate::program::State;
use crate::unfit::check_import;
use crate::{Error, ErrorKind};

/// Address space of one memory: all that 32 bits can address, so that compiled code needs no bounds
/// checks. It is reserved, not allocated.
const MEMORY_RESERVATION: u64 = 4 << 30;

/// Native stack of a program. Interpreters written in C recurse deeply.
const WASM_STACK: usize = 4 << 20;

/// Additional stack for host calls.
const HOST_STACK: usize = 512 << 10;

/// Memory of a free slot that is reset by copying instead of unmapping.
const KEEP_RESIDENT: usize = 512 << 10;

/// Most elements of the function table of an embedded program.
const TABLE_ELEMENTS: usize = 40_000;

/// The engines that programs run on. Cheap to clone.
///
/// Embedded programs use slots of a pool, which are reset in microseconds. A module from outside
/// may be larger than any slot, so its memory is allocated on demand within its limits.
#[derive(Clone)]
pub struct ProgramEngine {
    inner: Arc<Inner>,
}

struct Inner {
    pool: Pool,
    pooled: OnceLock<Result<Pooled, String>>,
    roomy: OnceLock<Result<Roomy, String>>,
    alarm: Alarm,
}

/// Most slots of the pool. Each reserves addresses, and a pool of 10,000 for tools leaves too few
/// for as many programs.
const MAX_POOLED: u32 = 2_000;

/// The engine of embedded programs.
struct Pooled {
    engine: wasmtime::Engine,
    faults: Faults,
}

/// The engine of modules from outside, and the hash of everything that their native code depends on.
pub(crate) struct Roomy {
    pub(crate) engine: wasmtime::Engine,
    pub(crate) settings: [u8; 32],
}

impl ProgramEngine {
    /// Prepares engines whose epochs `alarm` advances. Each is created on first use.
    pub fn new(alarm: &Alarm, pool: Pool) -> Self {
        let pool = Pool { cells: pool.cells.min(MAX_POOLED), ..pool };
        let (pooled, roomy, alarm) = (OnceLock::new(), OnceLock::new(), alarm.clone());
        ProgramEngine { inner: Arc::new(Inner { pool, pooled, roomy, alarm }) }
    }

    /// Compiles an embedded program to native code for [`ProgramImage::load`].
    pub fn compile(wasm: &[u8]) -> Result<Vec<u8>, Error> {
        let engine = wasmtime::Engine::new(&pooled_config(Pool { cells: 1, warm: 0 }))
            .map_err(|e| Error::new(ErrorKind::Engine, format!("{e:#}")))?;
        let failed = |e: &dyn std::fmt::Display| Error::new(ErrorKind::Image, format!("{e:#}"));
        let wasm = pieces::split(wasm).map_err(|e| failed(&e))?;
        engine.precompile_module(&wasm).map(crate::symbols::removed).map_err(|e| failed(&e))
    }

    fn pooled(&self) -> Result<&Pooled, Error> {
        let made = self.inner.pooled.get_or_init(|| {
            let mut config = pooled_config(self.inner.pool);
            // Embedded programs are compiled already.
            config.enable_compiler(false);
            let engine = wasmtime::Engine::new(&config);
            let engine = engine.map_err(|e| format!("{e:#}"))?;
            self.inner.alarm.also(&engine);
            Ok(Pooled { engine, faults: Faults::new() })
        });
        made.as_ref().map_err(|e| Error::new(ErrorKind::Engine, e))
    }

    pub(crate) fn roomy(&self) -> Result<&Roomy, String> {
        let made = self.inner.roomy.get_or_init(|| {
            let engine = foreign_engine().map_err(|error| error.to_string())?;
            self.inner.alarm.also(&engine);
            let settings = settings(&engine);
            Ok(Roomy { engine, settings })
        });
        made.as_ref().map_err(Clone::clone)
    }
}

/// Creates the engine of modules from outside.
pub(crate) fn foreign_engine() -> Result<wasmtime::Engine, Error> {
    let mut config = config();
    // Only for exceptions: an object with its values is made for each that is thrown, and counted as
    // memory of the program. No other collector is complete.
    config.gc_support(true).collector(Collector::DeferredReferenceCounting);
    config.wasm_exceptions(true).wasm_gc(false).wasm_function_references(false);
    wasmtime::Engine::new(&config).map_err(|e| Error::new(ErrorKind::Engine, format!("{e:#}")))
}

fn config() -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true);
    // Splitting long instructions assumes 32-bit lengths.
    config.wasm_memory64(false);
    config.cranelift_opt_level(OptLevel::Speed);
    config.memory_init_cow(true);
    config.memory_reservation(MEMORY_RESERVATION);
    config.max_wasm_stack(WASM_STACK);
    config.async_stack_size(WASM_STACK + HOST_STACK);
    config.wasm_backtrace_max_frames(None);
    // Maps code to the module for backtraces only, and is a tenth of an image.
    config.generate_address_map(false);
    config.native_unwind_info(cfg!(windows));
    config.gc_support(false);
    config
}

fn pooled_config(pool: Pool) -> Config {
    let mut config = config();
    config.with_custom_code_memory(Some(code::in_place()));
    let mut slots = PoolingAllocationConfig::default();
    slots.total_memories(pool.cells);
    slots.total_tables(pool.cells);
    slots.total_core_instances(pool.cells);
    slots.total_stacks(pool.cells);
    slots.max_unused_warm_slots(pool.warm);
    slots.max_memory_size(MEMORY_RESERVATION as usize);
    slots.table_elements(TABLE_ELEMENTS);
    slots.linear_memory_keep_resident(KEEP_RESIDENT);
    slots.table_keep_resident(KEEP_RESIDENT);
    slots.async_stack_keep_resident(64 << 10);
    slots.pagemap_scan(Enabled::Auto);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(slots));
    config
}

/// A program whose cells call a host of type `P`. Cheap to clone.
pub struct ProgramImage<P: Program> {
    inner: Arc<ImageInner<P>>,
}

struct ImageInner<P: Program> {
    engine: wasmtime::Engine,
    alarm: Alarm,
    pre: InstancePre<State<P>>,
    memory: ModuleExport,
    start: ModuleExport,
    memory_bytes: u64,
    /// For embedded programs: restricts mapping of a cell's memory to touched pages.
    faults: Option<Faults>,
    /// Unique among the images of the process.
    id: u64,
}

impl<P: Program> Clone for ProgramImage<P> {
    fn clone(&self) -> Self {
        ProgramImage { inner: self.inner.clone() }
    }
}

impl<P: Program> ProgramImage<P> {
    /// Loads the output of [`ProgramEngine::compile`].
    ///
    /// # Safety
    ///
    /// The code runs natively: it must be the unmodified output of [`ProgramEngine::compile`], such
    /// as a program embedded in this one. Whoever can write to the files of this user can replace
    /// copies of it.
    #[allow(unsafe_code)]
    pub unsafe fn load(
        engine: &ProgramEngine,
        code: Embedded,
        files: &GuestFiles,
    ) -> Result<Self, Error> {
        let Pooled { engine: pooled, faults } = engine.pooled()?;
        // SAFETY: the caller makes the same promise.
        let module = unsafe { code.load(pooled, files) }?;
        Self::make(engine, pooled, &module, Some(faults.clone()))
            .map_err(|e| Error::new(ErrorKind::Image, e))
    }

    /// Links a module from outside. The error gives the reason why it cannot run here.
    pub(crate) fn link_program(
        engine: &ProgramEngine,
        inner: &wasmtime::Engine,
        module: &Module,
    ) -> Result<Self, String> {
        Self::make(engine, inner, module, None)
    }

    fn make(
        engine: &ProgramEngine,
        inner: &wasmtime::Engine,
        module: &Module,
        faults: Option<Faults>,
    ) -> Result<Self, String> {
        let mut linker = Linker::new(inner);
        imports::link(&mut linker).map_err(|e| format!("{e:#}"))?;
        check_imports(module)?;
        let memory_type = module.get_export(names::MEMORY).and_then(|e| e.memory().cloned());
        let memory = module.get_export_index(names::MEMORY);
        let (Some(memory_type), Some(memory)) = (memory_type, memory) else {
            return Err("exports no memory".into());
        };
        if memory_type.is_64() || memory_type.is_shared() {
            return Err("has a 64-bit or shared memory, which this host does not support".into());
        }
        let start_type = module.get_export("_start").and_then(|e| e.func().cloned());
        let start = module.get_export_index("_start");
        let (Some(start_type), Some(start)) = (start_type, start) else {
            return Err("exports no _start: it is a library, not a program".into());
        };
        if start_type.params().len() + start_type.results().len() > 0 {
            return Err("exports a _start with parameters or results".into());
        }
        let memory_bytes = memory_type.minimum().saturating_mul(memory_type.page_size());
        let pre = linker.instantiate_pre(module).map_err(|e| format!("{e:#}"))?;
        let (engine, alarm) = (inner.clone(), engine.inner.alarm.clone());
        let id = next_id();
        let image = ImageInner { engine, alarm, pre, memory, start, memory_bytes, faults, id };
        Ok(ProgramImage { inner: Arc::new(image) })
    }

    /// Returns the initial memory of each cell in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.inner.memory_bytes
    }

    /// Registers the memory of a new cell, so that only touched pages are mapped.
    pub(crate) fn notice(&self, memory: &[u8]) {
        if let Some(faults) = &self.inner.faults {
            faults.only_touched(memory, self.inner.id);
        }
    }

    pub(crate) fn engine(&self) -> &wasmtime::Engine {
        &self.inner.engine
    }

    pub(crate) fn alarm(&self) -> &Alarm {
        &self.inner.alarm
    }

    pub(crate) fn pre(&self) -> &InstancePre<State<P>> {
        &self.inner.pre
    }

    pub(crate) fn exports(&self) -> (&ModuleExport, &ModuleExport) {
        (&self.inner.memory, &self.inner.start)
    }
}

/// Returns an error that names the first unsupported import.
fn check_imports(module: &Module) -> Result<(), String> {
    for import in module.imports() {
        check_import(import.module(), import.name(), import.ty().func().is_some())?;
    }
    Ok(())
}
