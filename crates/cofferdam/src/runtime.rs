//! The engine and the guests, shared by all sandboxes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use cofferdam_broker::{Broker, Discard, InMemory};
use cofferdam_cell::{
    CompileWorker, Compiler, Embedded, Engine, GuestFiles, Image, ProgramEngine, ProgramImage,
};
use cofferdam_kernel::permitted::Network;
use cofferdam_kernel::{Kernel, Later, Process, Programs};

use crate::error::Error;
use crate::guests;
use crate::page::Boundary;
use crate::reaper::Reaper;
#[cfg(not(target_family = "wasm"))]
use crate::tool::Tool;

pub use cofferdam_cell::{Notice, Pool};

static SHARED: OnceLock<Result<Runtime, Error>> = OnceLock::new();

/// Smallest pool of programs, however small the pool of cells is.
const LEAST_PROGRAMS: u32 = 64;

/// The engine with its guests loaded. Cheap to clone. Most programs need one, and
/// [`crate::Sandbox::new`] creates it for them.
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    /// JavaScript guest; loaded on first use.
    js: OnceLock<Result<Image<Kernel>, Error>>,
    /// JavaScript guest with Node's modules; loaded on first use.
    js_node: OnceLock<Result<Image<Kernel>, Error>>,
    /// JavaScript guest with a document; loaded on first use.
    js_document: OnceLock<Result<Image<Kernel>, Error>>,
    /// TypeScript guest; loaded on first use.
    ts: OnceLock<Result<Image<Kernel>, Error>>,
    /// Python guest; loaded on first use.
    py: OnceLock<Result<Image<Kernel>, Error>>,
    /// Shell, commands and compiler; created on first use.
    programs: OnceLock<Result<Programs, Error>>,
    pool: Pool,
    cache: Option<PathBuf>,
    /// Mark of the build, if the process ends after one run; see [`Runtime::for_one_run`].
    one_run: Option<Vec<u8>>,
    on_compile: OnceLock<Notice>,
    /// Program that compiles modules; see [`Runtime::compile_with`].
    worker: OnceLock<CompileWorker>,
    reaper: Reaper,
    /// Broker of sandboxes that bring none; keeps everything in memory.
    broker: OnceLock<Result<Broker, Error>>,
    /// Network of sandboxes that bring no client; created on first use. Its thread starts with the
    /// first request.
    network: OnceLock<Network>,
    sandboxes: AtomicU64,
    runs: AtomicU64,
    /// Mark that tells runs of this process from those of another process in one audit log.
    process: String,
}

impl Runtime {
    /// Creates a runtime with a pool of this size.
    pub fn new(pool: Pool) -> Result<Self, Error> {
        Ok(Runtime::make(Engine::new(pool)?, pool, None, None))
    }

    /// Creates a runtime that keeps native code in a directory: compiled WASI programs, and in
    /// `guests` unpacked guests. The directory must belong to this user; it is ignored if other
    /// users can write to it.
    ///
    /// Without a cache, each process unpacks the guests that it uses into its memory.
    pub fn with_cache(pool: Pool, cache: impl Into<PathBuf>) -> Result<Self, Error> {
        Ok(Runtime::make(Engine::new(pool)?, pool, Some(cache.into()), None))
    }

    /// Creates a runtime for a process that ends after one run, with at most so many cells at once.
    /// It is ready sooner, while each further cell takes longer: there is no pool of cells for tools,
    /// and with a cache, guests are loaded from copies in its folder `guests`. A copy is used as long
    /// as the program's file does not change, so the library must be part of that file.
    #[cfg(not(target_family = "wasm"))]
    pub fn for_one_run(cells: u32, cache: Option<PathBuf>) -> Result<Self, Error> {
        let one_run = cache.as_ref().and_then(|_| build_mark());
        let engine = Engine::without_pool(cells)?;
        Ok(Runtime::make(engine, Pool { cells, warm: 0 }, cache, one_run))
    }

    fn make(engine: Engine, pool: Pool, cache: Option<PathBuf>, one_run: Option<Vec<u8>>) -> Self {
        Runtime {
            inner: Arc::new(Inner {
                engine,
                js: OnceLock::new(),
                js_node: OnceLock::new(),
                js_document: OnceLock::new(),
                ts: OnceLock::new(),
                py: OnceLock::new(),
                broker: OnceLock::new(),
                network: OnceLock::new(),
                sandboxes: AtomicU64::new(0),
                runs: AtomicU64::new(0),
                process: process_mark(),
                programs: OnceLock::new(),
                pool,
                cache,
                one_run,
                on_compile: OnceLock::new(),
                worker: OnceLock::new(),
                reaper: Reaper::default(),
            }),
        }
    }

    /// Returns the runtime that sandboxes use by default, creating it on first use.
    pub fn shared() -> Result<Self, Error> {
        SHARED.get_or_init(|| Runtime::new(Pool::default())).clone()
    }

    pub(crate) fn broker(&self) -> Result<Broker, Error> {
        let make = || {
            let broker = Broker::setup(Arc::new(InMemory::new()?), Arc::new(Discard)).open()?;
            Ok(broker)
        };
        self.inner.broker.get_or_init(make).clone()
    }

    pub(crate) fn network(&self) -> Network {
        self.inner.network.get_or_init(Network::default).clone()
    }

    /// Returns a new id of a run, for the audit log.
    pub(crate) fn next_run(&self) -> String {
        let number = self.inner.runs.fetch_add(1, Ordering::Relaxed) + 1;
        format!("run_{}_{number}", self.inner.process)
    }

    /// Returns a name for a sandbox that was given none.
    pub(crate) fn next_sandbox(&self) -> String {
        format!("sandbox_{}", self.inner.sandboxes.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Makes this the default runtime of sandboxes. Returns false if there is one already.
    pub fn share(&self) -> bool {
        SHARED.set(Ok(self.clone())).is_ok()
    }

    /// Sets a callback that is called when a WASI program is compiled, which may take seconds.
    /// Returns false, and does nothing, if a callback is set already or a program has run.
    pub fn on_compile(&self, notice: Notice) -> bool {
        self.inner.programs.get().is_none() && self.inner.on_compile.set(notice).is_ok()
    }

    /// Has WASI programs compiled by another executable, such as `cofferdam` of the same build.
    /// Returns false, and does nothing, if one is set already or a program has run.
    ///
    /// A program that calls `become_compiler` itself needs no other worker. Without any, programs
    /// are compiled on threads: a run still ends at its deadline, but a module made to be slow to
    /// compile keeps a thread until it is done, with memory that no limit bounds.
    pub fn compile_with(&self, worker: CompileWorker) -> bool {
        self.inner.programs.get().is_none() && self.inner.worker.set(worker).is_ok()
    }

    /// Loads the shell and its commands now, so that the first program does not wait for them.
    pub fn load_programs(&self) -> Result<(), Error> {
        if let Some(load) = &self.programs()?.commands {
            load()?;
        }
        Ok(())
    }

    /// Returns a function that loads the guest of a tool. A program that ends after one run calls it
    /// on another thread while it prepares the rest of the run, which reports what fails here.
    #[cfg(not(target_family = "wasm"))]
    pub fn tool_loader(
        &self,
        tool: &Tool,
        boundary: Boundary,
    ) -> impl FnOnce() + Send + use<> + 'static {
        let (runtime, engine, with_library) = (self.clone(), tool.engine(), tool.uses_library());
        move || {
            widen_heap();
            let image = match engine {
                crate::tool::Engine::JavaScript => runtime.js(boundary, with_library),
                crate::tool::Engine::Python => runtime.py(),
            };
            if let Ok(image) = image {
                let _ = image.prepare();
            }
        }
    }

    /// Returns the shell, its commands and the compiler for modules, creating them on first use.
    pub(crate) fn programs(&self) -> Result<&Programs, Error> {
        let made = self.inner.programs.get_or_init(|| {
            // A runtime with few cells for tools can still start a pipeline.
            let cells = self.inner.pool.cells.max(LEAST_PROGRAMS);
            let pool = Pool { cells, ..self.inner.pool };
            let engine = ProgramEngine::new(self.inner.engine.alarm(), pool);
            let files = self.inner.guest_files();
            let sh = guests::sh().map(|code| load_program(&engine, code, &files)).transpose()?;
            let notice = self.inner.on_compile.get().cloned();
            let cache = self.inner.cache.clone();
            let compiler = Some(match self.inner.worker.get() {
                Some(by) => Compiler::with_worker(&engine, cache, notice, Some(by.clone())),
                None => Compiler::new(&engine, cache, notice),
            });
            let later = |code| load_later(engine.clone(), code, files.clone());
            let basics = guests::basics().map(later);
            let git = guests::git().map(later);
            let commands = guests::commands().map(later);
            Ok(Programs { sh, commands, git, basics, compiler })
        });
        made.as_ref().map_err(Clone::clone)
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Returns a function that drops large values on the reaper's thread.
    pub(crate) fn reap(&self) -> cofferdam_kernel::Reaper {
        let inner = Arc::downgrade(&self.inner);
        Arc::new(move |large| {
            if let Some(inner) = inner.upgrade() {
                inner.reaper.take_large(large);
            }
        })
    }

    /// Makes sure that cells which are being freed do not keep a new one from its place in a small
    /// pool. A full pool stays full.
    // T-CELL-021: a run that finds no cell.
    pub(crate) fn make_room(&self) {
        let waiting = self.inner.reaper.waiting();
        if waiting > 0 && self.inner.engine.cells() + waiting >= self.inner.pool.cells {
            self.inner.reaper.settle();
        }
    }

    pub(crate) fn reaper(&self) -> &Reaper {
        &self.inner.reaper
    }

    /// Returns the JavaScript guest of a boundary, loading it on first use. Every guest has Node's
    /// modules; `with_library` selects one in which they are loaded already.
    pub(crate) fn js(
        &self,
        boundary: Boundary,
        with_library: bool,
    ) -> Result<&Image<Kernel>, Error> {
        let (image, code) = match (boundary, with_library) {
            (Boundary::Worker, false) => (&self.inner.js, guests::js()),
            (Boundary::Worker, true) => (&self.inner.js_node, guests::js_node()),
            (Boundary::Iframe, _) => {
                let code = guests::js_document().ok_or_else(|| guests::without("dom"))?;
                (&self.inner.js_document, code)
            }
        };
        image.get_or_init(|| self.inner.load(code)).as_ref().map_err(Clone::clone)
    }

    pub(crate) fn ts(&self) -> Result<&Image<Kernel>, Error> {
        let code = guests::ts().ok_or_else(|| guests::without("typescript"))?;
        let image = self.inner.ts.get_or_init(|| self.inner.load(code));
        image.as_ref().map_err(Clone::clone)
    }

    /// Returns the Python guest, loading it on first use.
    pub(crate) fn py(&self) -> Result<&Image<Kernel>, Error> {
        let code = guests::py().ok_or_else(|| guests::without("python"))?;
        let image = self.inner.py.get_or_init(|| self.inner.load(code));
        image.as_ref().map_err(Clone::clone)
    }
}

impl Inner {
    /// Returns the files that guests are loaded from.
    fn guest_files(&self) -> GuestFiles {
        let Some(cache) = &self.cache else { return GuestFiles::None };
        let folder = cache.join("guests");
        match &self.one_run {
            Some(build) => GuestFiles::All { folder, build: build.clone() },
            None => GuestFiles::Packed(folder),
        }
    }

    #[allow(unsafe_code)]
    fn load(&self, code: Embedded) -> Result<Image<Kernel>, Error> {
        // SAFETY: the code was compiled by this program's own build and is part of its file.
        Ok(unsafe { Image::load(&self.engine, code, &self.guest_files()) }?)
    }
}

/// Returns a function that loads a program when it is first called.
fn load_later(engine: ProgramEngine, code: Embedded, files: GuestFiles) -> Later {
    let loaded = OnceLock::new();
    Arc::new(move || loaded.get_or_init(|| load_program(&engine, code, &files)).clone())
}

#[allow(unsafe_code)]
fn load_program(
    engine: &ProgramEngine,
    code: Embedded,
    files: &GuestFiles,
) -> Result<ProgramImage<Process>, cofferdam_cell::Error> {
    // SAFETY: the code was compiled by this program's own build and is part of its file.
    unsafe { ProgramImage::load(engine, code, files) }
}

/// Widens the heap of a new thread in one step. The C library gives it a page at a time, with a system
/// call each, and keeps what was freed. Loading a guest takes some twenty pages.
#[cfg(not(target_family = "wasm"))]
fn widen_heap() {
    /// Less than the C library maps for a block of its own.
    const BLOCK: usize = 120 << 10;
    drop(std::hint::black_box([Vec::<u8>::with_capacity(BLOCK), Vec::with_capacity(BLOCK)]));
}

/// Returns a mark of the program's file that changes whenever the file does; `None` where the system
/// does not show the file.
#[cfg(not(target_family = "wasm"))]
fn build_mark() -> Option<Vec<u8>> {
    use std::os::unix::fs::MetadataExt;
    let file = std::fs::metadata("/proc/self/exe").ok()?;
    let changed = [file.ctime(), file.ctime_nsec()].map(i64::cast_unsigned);
    let mark = [file.dev(), file.ino(), file.size(), changed[0], changed[1]];
    Some(mark.iter().flat_map(|number| number.to_le_bytes()).collect())
}

/// Returns a mark that differs between processes. It need not be hard to guess.
fn process_mark() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = since.unwrap_or_default().as_nanos() as u64;
    // A browser has no processes.
    let process = if cfg!(target_family = "wasm") { 0 } else { std::process::id() };
    format!("{:08x}", (nanos ^ u64::from(process).rotate_left(24)) as u32)
}
