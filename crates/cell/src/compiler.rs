//! Makes a stranger's module ready to run, where nobody waits for it.
//!
//! Compiling takes from milliseconds to minutes, and cannot be interrupted: it happens on threads
//! of its own, a few at a time, and whoever asked may stop waiting at any moment. What was compiled
//! is kept, in memory and on disk, by the hash of the module and of the engine's settings.

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
use crate::program::Program;
use crate::program_image::{MAX_MODULE, ProgramEngine, ProgramImage, check_import};

/// Modules that are compiled at once; each keeps all processors busy.
const MAX_COMPILING: usize = 2;

/// Modules that may wait for their turn.
const MAX_WAITING: usize = 64;

/// Programs that are kept in memory, ready to run.
const MAX_KEPT: usize = 32;

/// Modules up to this length are hashed where they are asked for: quicker than another thread.
const SMALL: usize = 256 << 10;

/// Longest reason that is handed on; names in it are the module's own.
const MAX_REASON: usize = 300;

/// Why a module cannot run here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit(String);

impl Unfit {
    fn new(reason: impl Into<String>) -> Self {
        let mut reason: String = reason.into();
        if let Some((end, _)) = reason.char_indices().nth(MAX_REASON) {
            reason.truncate(end);
            reason.push('…');
        }
        Unfit(reason)
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

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
    /// A compiler for this engine. With a directory, what it compiled is there the next time.
    pub fn new(engine: &ProgramEngine, cache: Option<PathBuf>) -> Self {
        let mut settings = Hasher(Sha256::new());
        engine.roomy().precompile_compatibility_hash().hash(&mut settings);
        let inner = Inner {
            engine: engine.clone(),
            settings: settings.0.finalize().into(),
            cache: cache.map(Cache::new),
            kept: Mutex::new(Kept { images: HashMap::new(), uses: 0 }),
            turns: Mutex::default(),
            turn: Condvar::new(),
        };
        Compiler { inner: Arc::new(inner) }
    }

    /// Makes a module ready, on a thread of its own unless it is ready already.
    pub fn compile(&self, wasm: Vec<u8>) -> Compiling<P> {
        if let Err(unfit) = look_at(&wasm) {
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
        let (slot, inner) = (compiling.slot.clone(), self.inner.clone());
        let thread = std::thread::Builder::new().name("cofferdam-compile".into());
        let spawned = thread.spawn(move || {
            let compiled = catch_unwind(AssertUnwindSafe(|| inner.make(&wasm)));
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

    /// What the thread does.
    fn make(&self, wasm: &[u8]) -> Compiled<P> {
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
                scan(wasm)?;
                let module = Module::new(roomy, wasm).map_err(|e| Unfit::new(reason(&e)))?;
                if let (Some(cache), Ok(native)) = (&self.cache, module.serialize()) {
                    cache.save(&key, &native);
                }
                module
            }
        };
        let image = ProgramImage::prepare(&self.engine, roomy, &module).map_err(Unfit::new)?;
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

/// Says what is wrong with bytes that are no module, before anything is spent on them.
fn look_at(wasm: &[u8]) -> Result<(), Unfit> {
    if !wasm.starts_with(b"\0asm") {
        return Err(Unfit::new("is not a WebAssembly module"));
    }
    if wasm.len() > MAX_MODULE {
        let text = format!("is a module of {} bytes; the most is {MAX_MODULE}", wasm.len());
        return Err(Unfit::new(text));
    }
    match wasm.get(4..8) {
        Some([1, 0, 0, 0]) => Ok(()),
        Some([_, 0, 1, 0]) => {
            Err(Unfit::new("is a component; only core modules for WASI preview 1 run here"))
        }
        Some(_) => Err(Unfit::new("is a module of an unknown version")),
        None => Err(Unfit::new("is cut after its first bytes")),
    }
}

/// Looks for imports that a program cannot have, before minutes are spent on compiling it.
fn scan(wasm: &[u8]) -> Result<(), Unfit> {
    for part in wasmparser::Parser::new(0).parse_all(wasm) {
        // What is wrong otherwise, the compiler says better.
        let Ok(part) = part else { return Ok(()) };
        match part {
            wasmparser::Payload::ImportSection(imports) => {
                for import in imports.into_imports().flatten() {
                    let is_function = matches!(import.ty, wasmparser::TypeRef::Func(_));
                    check_import(import.module, import.name, is_function).map_err(Unfit::new)?;
                }
            }
            wasmparser::Payload::CodeSectionStart { .. } => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

/// The engine's reason in one line, its innermost cause last.
fn reason(error: &wasmtime::Error) -> String {
    let text = format!("{error:#}");
    format!("is not a valid module: {}", text.lines().collect::<Vec<_>>().join(" "))
}

/// Future of [`Compiler::compile`]. Dropped, nobody waits; what was compiled is kept all the same.
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

/// Takes in what the engine says about its settings.
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
