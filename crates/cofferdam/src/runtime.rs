//! The engine and the guests, shared by all sandboxes.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use cofferdam_cell::{Compiler, Engine, Image, ProgramEngine, ProgramImage};
use cofferdam_kernel::{Kernel, Process, Programs};

use crate::error::Error;
use crate::reaper::Reaper;

pub use cofferdam_cell::Pool;

static SHARED: OnceLock<Result<Runtime, Error>> = OnceLock::new();

/// The engine with its guests loaded. Cheap to clone; most programs need one, and
/// [`crate::Sandbox::new`] makes it for them.
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    js: Image<Kernel>,
    /// Loaded when the first TypeScript comes.
    ts: OnceLock<Result<Image<Kernel>, Error>>,
    /// Made when the first program comes.
    programs: OnceLock<Result<Programs, Error>>,
    pool: Pool,
    cache: Option<PathBuf>,
    reaper: Reaper,
}

impl Runtime {
    /// A runtime with a pool of this size.
    pub fn new(pool: Pool) -> Result<Self, Error> {
        Runtime::make(pool, None)
    }

    /// The same, with a directory in which compiled WASI programs are kept. What is loaded from it
    /// runs as native code: it must belong to this user, and is not used where others can write.
    pub fn with_cache(pool: Pool, cache: impl Into<PathBuf>) -> Result<Self, Error> {
        Runtime::make(pool, Some(cache.into()))
    }

    fn make(pool: Pool, cache: Option<PathBuf>) -> Result<Self, Error> {
        let engine = Engine::new(pool)?;
        let js = load(&engine, cofferdam_images::JS)?;
        Ok(Runtime {
            inner: Arc::new(Inner {
                engine,
                js,
                ts: OnceLock::new(),
                programs: OnceLock::new(),
                pool,
                cache,
                reaper: Reaper::default(),
            }),
        })
    }

    /// The runtime that sandboxes use where none is named; made when it is first asked for.
    pub fn shared() -> Result<Self, Error> {
        SHARED.get_or_init(|| Runtime::new(Pool::default())).clone()
    }

    /// Makes this the runtime that sandboxes use where none is named; false if there is one.
    pub fn share(&self) -> bool {
        SHARED.set(Ok(self.clone())).is_ok()
    }

    /// Loads what programs need now, so that the first of them does not pay for it.
    pub fn prepare_programs(&self) -> Result<(), Error> {
        self.programs().map(drop)
    }

    /// What programs are made of: the shell, and a compiler for modules.
    pub(crate) fn programs(&self) -> Result<&Programs, Error> {
        let made = self.inner.programs.get_or_init(|| {
            let engine = ProgramEngine::new(self.inner.engine.alarm(), self.inner.pool)?;
            let sh = cofferdam_images::SH.map(|image| load_program(&engine, image)).transpose()?;
            let compiler = Some(Compiler::new(&engine, self.inner.cache.clone()));
            Ok(Programs { sh, compiler })
        });
        made.as_ref().map_err(Clone::clone)
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Drops something large where nobody waits for it.
    pub(crate) fn reap(&self) -> cofferdam_kernel::Reaper {
        let inner = Arc::downgrade(&self.inner);
        Arc::new(move |large| {
            if let Some(inner) = inner.upgrade() {
                inner.reaper.take_large(large);
            }
        })
    }

    pub(crate) fn reaper(&self) -> &Reaper {
        &self.inner.reaper
    }

    pub(crate) fn js(&self) -> &Image<Kernel> {
        &self.inner.js
    }

    pub(crate) fn ts(&self) -> Result<&Image<Kernel>, Error> {
        let image = self.inner.ts.get_or_init(|| load(&self.inner.engine, cofferdam_images::TS));
        image.as_ref().map_err(Clone::clone)
    }
}

#[allow(unsafe_code)]
fn load_program(
    engine: &ProgramEngine,
    compiled: &'static [u8],
) -> Result<ProgramImage<Process>, Error> {
    // SAFETY: the bytes were compiled by this program's own build and are part of its image.
    Ok(unsafe { ProgramImage::load(engine, compiled) }?)
}

#[allow(unsafe_code)]
fn load(engine: &Engine, compiled: &'static [u8]) -> Result<Image<Kernel>, Error> {
    // SAFETY: the bytes were compiled by this program's own build and are part of its image.
    Ok(unsafe { Image::load(engine, compiled) }?)
}
