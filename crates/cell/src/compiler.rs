//! Compiles modules from outside in the background.
//!
//! Compiling takes from milliseconds to minutes and cannot be interrupted. It runs in a separate
//! process (see [`worker`]), which is killed when nobody waits for the result any more. If this
//! program has no worker, it runs on a few threads instead, and callers just stop waiting. Compiled
//! modules are kept in memory and on disk, identified by the hash of the module and of the engine's
//! settings.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use sha2::{Digest, Sha256};
use wasmtime::Module;

use crate::cache::Cache;
use crate::compile_worker::CompileWorker;
use crate::contract::Program;
use crate::pieces;
use crate::program_image::{ProgramEngine, ProgramImage, Roomy};
use crate::unfit::{self, Exceptions, Unfit};
use crate::worker::{self, Killer};

/// Most modules compiled at once; each occupies all processors.
// T-PROC-002: a compile bomb: a module whose compiling takes minutes.
const MAX_COMPILING: usize = 2;

/// Most modules that may wait for their turn.
const MAX_WAITING: usize = 64;

/// Most programs that are kept in memory, ready to run.
const MAX_KEPT: usize = 32;

/// Longest module that is hashed by the caller, which is faster than starting a thread.
const SMALL: usize = 256 << 10;

/// Called before a module is compiled, with its name and length. The returned value is dropped when
/// compiling ends.
pub type Notice = Arc<dyn Fn(&str, usize) -> Box<dyn Send> + Send + Sync>;

/// Compiles programs and keeps them. Cheap to clone.
pub struct Compiler<P: Program> {
    inner: Arc<Inner<P>>,
}

impl<P: Program> Clone for Compiler<P> {
    fn clone(&self) -> Self {
        Compiler { inner: self.inner.clone() }
    }
}

struct Inner<P: Program> {
    engine: ProgramEngine,
    cache: Option<Cache>,
    notice: Option<Notice>,
    /// Program that compiles; threads of this process do if there is none.
    worker: Option<CompileWorker>,
    kept: Mutex<Kept<P>>,
    turns: Mutex<Turns>,
    turn: Condvar,
}

struct Kept<P: Program> {
    images: HashMap<[u8; 32], (u64, ProgramImage<P>)>,
    uses: u64,
}

#[derive(Default)]
struct Turns {
    compiling: usize,
    waiting: usize,
}

type Compiled<P> = Result<ProgramImage<P>, Unfit>;

impl<P: Program> Compiler<P> {
    /// Creates a compiler for this engine. With a cache directory, results survive the process.
    pub fn new(engine: &ProgramEngine, cache: Option<PathBuf>, notice: Option<Notice>) -> Self {
        Compiler::with_worker(engine, cache, notice, worker::own())
    }

    /// Creates a compiler that has modules compiled by this worker; without one, on threads of this
    /// process.
    pub fn with_worker(
        engine: &ProgramEngine,
        cache: Option<PathBuf>,
        notice: Option<Notice>,
        worker: Option<CompileWorker>,
    ) -> Self {
        let inner = Inner {
            engine: engine.clone(),
            cache: cache.map(Cache::new),
            notice,
            worker,
            kept: Mutex::new(Kept { images: HashMap::new(), uses: 0 }),
            turns: Mutex::default(),
            turn: Condvar::new(),
        };
        Compiler { inner: Arc::new(inner) }
    }

    /// Compiles a module in the background, unless the result is already available. The name is
    /// only passed to the notice.
    pub fn compile(&self, name: &str, wasm: Vec<u8>) -> Compiling<P> {
        if let Err(unfit) = unfit::look_at(&wasm) {
            return Compiling::done(Err(unfit));
        }
        let roomy = match self.inner.engine.roomy() {
            Ok(roomy) => roomy,
            Err(reason) => return Compiling::done(Err(Unfit::new(reason))),
        };
        if wasm.len() <= SMALL
            && let Some(image) = self.inner.kept(&key(roomy, &wasm))
        {
            return Compiling::done(Ok(image));
        }
        {
            let mut turns = lock(&self.inner.turns);
            if turns.compiling + turns.waiting >= MAX_WAITING {
                return Compiling::done(Err(Unfit::new("too many modules are being compiled")));
            }
            turns.waiting += 1;
        }
        let compiling = Compiling { slot: Arc::default(), inner: Some(self.inner.clone()) };
        let (slot, inner, name) = (compiling.slot.clone(), self.inner.clone(), name.to_owned());
        let thread = std::thread::Builder::new().name("cofferdam-compile".into());
        let spawned = thread.spawn(move || {
            let compiled = catch_unwind(AssertUnwindSafe(|| inner.make(&name, &wasm, &slot)));
            let failed = |_| Err(Unfit::new("the compiler failed on this module"));
            finish(&slot, compiled.unwrap_or_else(failed));
        });
        if let Err(error) = spawned {
            lock(&self.inner.turns).waiting -= 1;
            return Compiling::done(Err(Unfit::new(format!("no thread to compile on: {error}"))));
        }
        compiling
    }
}

/// Returns the name of a module's native code.
fn key(roomy: &Roomy, wasm: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(roomy.settings).chain_update(wasm).finalize().into()
}

impl<P: Program> Inner<P> {
    fn kept(&self, key: &[u8; 32]) -> Option<ProgramImage<P>> {
        let mut kept = lock(&self.kept);
        kept.uses += 1;
        let now = kept.uses;
        let (used, image) = kept.images.get_mut(key)?;
        *used = now;
        Some(image.clone())
    }

    fn keep(&self, key: [u8; 32], image: &ProgramImage<P>) {
        let mut kept = lock(&self.kept);
        kept.uses += 1;
        if kept.images.len() >= MAX_KEPT {
            let oldest = kept.images.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(key) = oldest.map(|(key, _)| *key) {
                kept.images.remove(&key);
            }
        }
        let now = kept.uses;
        kept.images.insert(key, (now, image.clone()));
    }

    /// Runs on the compiling thread.
    fn make(&self, name: &str, wasm: &[u8], slot: &Mutex<Slot<P>>) -> Compiled<P> {
        let Some(_turn) = self.take_turn(slot) else {
            return Err(Unfit::new("is not wanted any more"));
        };
        let roomy = self.engine.roomy().map_err(Unfit::new)?;
        let key = key(roomy, wasm);
        if let Some(image) = self.kept(&key) {
            return Ok(image);
        }
        let Roomy { engine, settings } = roomy;
        let cached = self.cache.as_ref().and_then(|cache| cache.load(engine, &key));
        let module = match cached {
            Some(module) => module,
            None => {
                unfit::scan(wasm, Exceptions::Supported)?;
                let _told = self.notice.as_ref().map(|notice| notice(name, wasm.len()));
                let native = match &self.worker {
                    Some(by) => {
                        let started = |killer: Killer| lock(slot).start(killer);
                        worker::compile(by, wasm, settings, started)?
                    }
                    None => native_code(engine, wasm)?,
                };
                if let Some(cache) = &self.cache {
                    cache.save(&key, &native);
                }
                load(engine, &native)?
            }
        };
        let image =
            ProgramImage::link_program(&self.engine, engine, &module).map_err(Unfit::new)?;
        self.keep(key, &image);
        Ok(image)
    }

    /// Waits until another module may be compiled; `None` if nobody wants this one any more.
    fn take_turn(&self, slot: &Mutex<Slot<P>>) -> Option<Turn<'_, P>> {
        let mut turns = lock(&self.turns);
        loop {
            if lock(slot).is_unwanted {
                turns.waiting -= 1;
                return None;
            }
            if turns.compiling < MAX_COMPILING {
                turns.waiting -= 1;
                turns.compiling += 1;
                return Some(Turn(self));
            }
            turns = self.turn.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct Turn<'a, P: Program>(&'a Inner<P>);

impl<P: Program> Drop for Turn<'_, P> {
    fn drop(&mut self) {
        lock(&self.0.turns).compiling -= 1;
        // All, because the next one may not be wanted any more.
        self.0.turn.notify_all();
    }
}

/// Compiles a module to native code. Validates the original module first, so that errors refer to
/// it and not to the split one.
pub(crate) fn native_code(engine: &wasmtime::Engine, wasm: &[u8]) -> Result<Vec<u8>, Unfit> {
    let compile = || {
        Module::validate(engine, wasm)?;
        engine.precompile_module(&pieces::split(wasm)?)
    };
    compile().map_err(|error| Unfit::invalid(&error))
}

#[allow(unsafe_code)]
fn load(engine: &wasmtime::Engine, native: &[u8]) -> Result<Module, Unfit> {
    // SAFETY: the bytes are the output of `native_code`, in this process or in a worker, which is
    // this program or one that the embedder trusts like it. A worker's came through a pipe that
    // nobody else held. wasmtime checks its version and settings.
    unsafe { Module::deserialize(engine, native) }.map_err(|error| Unfit::invalid(&error))
}

/// Returns the hash of everything that native code depends on besides its module.
pub(crate) fn settings(engine: &wasmtime::Engine) -> [u8; 32] {
    let mut settings = Hasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut settings);
    settings.0.update([pieces::VERSION]);
    settings.0.finalize().into()
}

/// Future of [`Compiler::compile`]. Dropping it ends the worker. A module that is compiled on a
/// thread is kept nevertheless.
pub struct Compiling<P: Program> {
    slot: Arc<Mutex<Slot<P>>>,
    inner: Option<Arc<Inner<P>>>,
}

struct Slot<P: Program> {
    compiled: Option<Compiled<P>>,
    waker: Option<Waker>,
    worker: Option<Killer>,
    is_unwanted: bool,
}

impl<P: Program> Default for Slot<P> {
    fn default() -> Self {
        Slot { compiled: None, waker: None, worker: None, is_unwanted: false }
    }
}

impl<P: Program> Slot<P> {
    /// Takes note of the worker, and kills it if nobody waits for it any more.
    fn start(&mut self, worker: Killer) {
        match self.is_unwanted {
            true => worker.kill(),
            false => self.worker = Some(worker),
        }
    }
}

impl<P: Program> Compiling<P> {
    fn done(compiled: Compiled<P>) -> Self {
        let slot = Slot { compiled: Some(compiled), ..Slot::default() };
        Compiling { slot: Arc::new(Mutex::new(slot)), inner: None }
    }
}

impl<P: Program> Drop for Compiling<P> {
    // T-PROC-002: a worker ends with the run that it compiles for.
    fn drop(&mut self) {
        let Some(inner) = &self.inner else { return };
        let mut slot = lock(&self.slot);
        slot.is_unwanted = true;
        if let Some(worker) = slot.worker.take() {
            worker.kill();
        }
        drop(slot);
        // Holds the lock, so that no thread is between looking at its slot and waiting.
        let _turns = lock(&inner.turns);
        inner.turn.notify_all();
    }
}

fn finish<P: Program>(slot: &Mutex<Slot<P>>, compiled: Compiled<P>) {
    let mut slot = lock(slot);
    slot.compiled = Some(compiled);
    slot.worker = None;
    let waker = slot.waker.take();
    drop(slot);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl<P: Program> Future for Compiling<P> {
    type Output = Result<ProgramImage<P>, Unfit>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut slot = lock(&self.slot);
        match &slot.compiled {
            Some(compiled) => Poll::Ready(compiled.clone()),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// Adapts SHA-256 to hash the engine's settings.
struct Hasher(Sha256);

impl std::hash::Hasher for Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
