//! Compiles modules from outside in the background.
//!
//! Compiling takes from milliseconds to minutes and cannot be interrupted. It runs on a few
//! separate threads, and callers may stop waiting at any time. Compiled modules are kept in memory
//! and on disk, identified by the hash of the module and of the engine's settings.

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
use crate::pieces;
use crate::program::Program;
use crate::program_image::{ProgramEngine, ProgramImage};
use crate::unfit::{self, Unfit};

/// Most modules compiled at once; each occupies all processors.
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
    settings: [u8; 32],
    cache: Option<Cache>,
    notice: Option<Notice>,
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
        let mut settings = Hasher(Sha256::new());
        engine.roomy().precompile_compatibility_hash().hash(&mut settings);
        settings.0.update([pieces::VERSION]);
        let inner = Inner {
            engine: engine.clone(),
            settings: settings.0.finalize().into(),
            cache: cache.map(Cache::new),
            notice,
            kept: Mutex::new(Kept { images: HashMap::new(), uses: 0 }),
            turns: Mutex::default(),
            turn: Condvar::new(),
        };
        Compiler { inner: Arc::new(inner) }
    }

    /// Compiles a module on a thread of its own, unless the result is already available. The name
    /// is only passed to the notice.
    pub fn compile(&self, name: &str, wasm: Vec<u8>) -> Compiling<P> {
        if let Err(unfit) = unfit::look_at(&wasm) {
            return Compiling::done(Err(unfit));
        }
        if wasm.len() <= SMALL
            && let Some(image) = self.inner.kept(&self.inner.key(&wasm))
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
        let compiling = Compiling { slot: Arc::default() };
        let (slot, inner, name) = (compiling.slot.clone(), self.inner.clone(), name.to_owned());
        let thread = std::thread::Builder::new().name("cofferdam-compile".into());
        let spawned = thread.spawn(move || {
            let compiled = catch_unwind(AssertUnwindSafe(|| inner.make(&name, &wasm)));
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

impl<P: Program> Inner<P> {
    fn key(&self, wasm: &[u8]) -> [u8; 32] {
        Sha256::new().chain_update(self.settings).chain_update(wasm).finalize().into()
    }

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
    fn make(&self, name: &str, wasm: &[u8]) -> Compiled<P> {
        let _turn = self.take_turn();
        let key = self.key(wasm);
        if let Some(image) = self.kept(&key) {
            return Ok(image);
        }
        let roomy = self.engine.roomy();
        let cached = self.cache.as_ref().and_then(|cache| cache.load(roomy, &key));
        let module = match cached {
            Some(module) => module,
            None => {
                unfit::scan(wasm)?;
                let _told = self.notice.as_ref().map(|notice| notice(name, wasm.len()));
                let module = compile(roomy, wasm).map_err(|e| Unfit::invalid(&e))?;
                if let (Some(cache), Ok(native)) = (&self.cache, module.serialize()) {
                    cache.save(&key, &native);
                }
                module
            }
        };
        let image = ProgramImage::link_program(&self.engine, roomy, &module).map_err(Unfit::new)?;
        self.keep(key, &image);
        Ok(image)
    }

    fn take_turn(&self) -> Turn<'_, P> {
        let mut turns = lock(&self.turns);
        while turns.compiling >= MAX_COMPILING {
            turns = self.turn.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        turns.waiting -= 1;
        turns.compiling += 1;
        Turn(self)
    }
}

struct Turn<'a, P: Program>(&'a Inner<P>);

impl<P: Program> Drop for Turn<'_, P> {
    fn drop(&mut self) {
        lock(&self.0.turns).compiling -= 1;
        self.0.turn.notify_one();
    }
}

/// Validates the original module first, so that errors refer to it and not to the split one.
fn compile(engine: &wasmtime::Engine, wasm: &[u8]) -> wasmtime::Result<Module> {
    Module::validate(engine, wasm)?;
    Module::new(engine, pieces::split(wasm)?)
}

/// Future of [`Compiler::compile`]. The result is kept even if this is dropped.
pub struct Compiling<P: Program> {
    slot: Arc<Mutex<Slot<P>>>,
}

struct Slot<P: Program> {
    compiled: Option<Compiled<P>>,
    waker: Option<Waker>,
}

impl<P: Program> Default for Slot<P> {
    fn default() -> Self {
        Slot { compiled: None, waker: None }
    }
}

impl<P: Program> Compiling<P> {
    fn done(compiled: Compiled<P>) -> Self {
        Compiling { slot: Arc::new(Mutex::new(Slot { compiled: Some(compiled), waker: None })) }
    }
}

fn finish<P: Program>(slot: &Mutex<Slot<P>>, compiled: Compiled<P>) {
    let mut slot = lock(slot);
    slot.compiled = Some(compiled);
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
