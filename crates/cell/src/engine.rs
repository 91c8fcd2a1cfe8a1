//! [`Engine`]: wasmtime's settings, and where cells get their memories and stacks from.
//!
//! Meets T-CELL-023.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use wasmtime::{Config, Enabled, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig};

use crate::alarm::Alarm;
use crate::faults::Faults;
use crate::pool::Pool;
use crate::{Error, ErrorKind};

/// Address space of one cell's memory: all that 32 bits can address, so that compiled code needs no
/// bounds checks. It is reserved, not allocated.
const MEMORY_RESERVATION: u64 = 4 << 30;

/// Native stack of a guest. Guests check their own stack first; this is the backstop.
// T-CELL-004: call stack: deep recursion, deep input to built-ins.
const WASM_STACK: usize = 8 << 20;

/// Additional stack for host calls.
const HOST_STACK: usize = 512 << 10;

/// Memory of a free slot that is reset by copying instead of unmapping, because a page fault costs
/// more than a copy. A fresh JavaScript cell dirties about 300 KiB.
const KEEP_RESIDENT: usize = 1 << 20;

/// Longest image of a memory that is mapped although most of it may be empty. The image of Python is
/// half empty, and cells that do not map it copy it.
const IMAGE_BYTES: u64 = 64 << 20;

/// Most elements of a guest's function table.
pub(crate) const TABLE_ELEMENTS: usize = 20_000;

/// Compiled code, the pool, and the alarm thread. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: wasmtime::Engine,
    pub(crate) alarm: Alarm,
    pub(crate) faults: Faults,
    pub(crate) crowd: Arc<Crowd>,
}

/// Cells alive, the most that may be, and the number of free ones whose pages the pool keeps.
pub(crate) struct Crowd {
    alive: AtomicU32,
    most: u32,
    warm: u32,
}

impl Crowd {
    /// Fails if as many cells are alive as may be.
    // T-CELL-021: without a pool, nothing else counts them.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.alive.load(Ordering::Relaxed) < self.most {
            true => Ok(()),
            false => {
                let message = format!("there are at most {} at once", self.most);
                Err(Error::new(ErrorKind::PoolFull, message))
            }
        }
    }

    pub(crate) fn joined(&self) {
        self.alive.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns true if more cells were alive than the pool keeps the pages of.
    pub(crate) fn left(&self) -> bool {
        self.alive.fetch_sub(1, Ordering::Relaxed) > self.warm
    }
}

impl Engine {
    /// Creates the engine and starts its alarm thread.
    pub fn new(pool: Pool) -> Result<Self, Error> {
        // The pool itself refuses a cell too many.
        let crowd = Crowd { alive: AtomicU32::new(0), most: u32::MAX, warm: pool.warm };
        Engine::make(slots(pool), crowd)
    }

    /// Creates an engine whose cells, at most so many at once, each get a memory and a stack of their
    /// own. A cell takes longer than with a pool, but the engine is ready sooner: for a process that
    /// runs few tools.
    pub fn without_pool(cells: u32) -> Result<Self, Error> {
        let crowd = Crowd { alive: AtomicU32::new(0), most: cells, warm: u32::MAX };
        Engine::make(InstanceAllocationStrategy::OnDemand, crowd)
    }

    fn make(slots: InstanceAllocationStrategy, crowd: Crowd) -> Result<Self, Error> {
        let mut config = config(slots);
        // Images are compiled already, and a compiler takes time to set up.
        config.enable_compiler(false);
        let inner = wasmtime::Engine::new(&config)
            .map_err(|e| Error::new(ErrorKind::Engine, format!("{e:#}")))?;
        let alarm = Alarm::start()
            .map_err(|e| Error::new(ErrorKind::Engine, format!("alarm thread: {e}")))?;
        Ok(Engine { inner, alarm, faults: Faults::new(), crowd: Arc::new(crowd) })
    }

    /// Splits long instructions of a module, inserts checks, and compiles it to native code for
    /// [`crate::Image::load`].
    #[cfg(feature = "imaging")]
    pub fn compile(wasm: &[u8]) -> Result<Vec<u8>, Error> {
        let failed = |e: &dyn std::fmt::Display| Error::new(ErrorKind::Image, format!("{e:#}"));
        // A check comes before an instruction, and so before a fill of any length.
        let wasm = crate::pieces::split(wasm).map_err(|e| failed(&e))?;
        let wasm = crate::pacing::pace(&wasm, crate::pacing::Growth::Engine)?;
        let engine = wasmtime::Engine::new(&config(InstanceAllocationStrategy::OnDemand))
            .map_err(|e| Error::new(ErrorKind::Engine, format!("{e:#}")))?;
        engine.precompile_module(&wasm).map(crate::symbols::removed).map_err(|e| failed(&e))
    }

    /// Returns the number of cells that are alive.
    pub fn cells(&self) -> u32 {
        self.crowd.alive.load(Ordering::Relaxed)
    }

    /// Returns the alarm of this engine.
    pub fn alarm(&self) -> &Alarm {
        &self.alarm
    }
}

/// Returns the settings, which must be equal for compiling and running, or images do not load.
fn config(slots: InstanceAllocationStrategy) -> Config {
    let mut config = Config::new();
    // Guests have cheaper checks of their own; see `pacing`.
    config.epoch_interruption(false);
    config.wasm_branch_hinting(true);
    config.cranelift_opt_level(OptLevel::Speed);
    config.with_custom_code_memory(Some(crate::code::in_place()));
    config.memory_init_cow(true);
    config.memory_guaranteed_dense_image_size(IMAGE_BYTES);
    config.memory_reservation(MEMORY_RESERVATION);
    config.max_wasm_stack(WASM_STACK);
    config.async_stack_size(WASM_STACK + HOST_STACK);
    // Traps are distinguished by their code; backtraces of our own guests are not needed.
    config.wasm_backtrace_max_frames(None);
    config.generate_address_map(false);
    // No debugger or unwinder of the system walks through guests; the tables are 2.7 MB.
    config.native_unwind_info(cfg!(windows));
    config.gc_support(false);
    config.allocation_strategy(slots);
    config
}

fn slots(pool: Pool) -> InstanceAllocationStrategy {
    let mut slots = PoolingAllocationConfig::default();
    slots.total_memories(pool.cells);
    slots.total_tables(pool.cells);
    slots.total_core_instances(pool.cells);
    // A store keeps the stack of its last call, so a waiting cell occupies one too.
    slots.total_stacks(pool.cells);
    slots.max_unused_warm_slots(pool.warm);
    slots.max_memory_size(MEMORY_RESERVATION as usize);
    slots.table_elements(TABLE_ELEMENTS);
    slots.linear_memory_keep_resident(KEEP_RESIDENT);
    slots.table_keep_resident(KEEP_RESIDENT);
    slots.async_stack_keep_resident(64 << 10);
    slots.pagemap_scan(Enabled::Auto);
    InstanceAllocationStrategy::Pooling(slots)
}
