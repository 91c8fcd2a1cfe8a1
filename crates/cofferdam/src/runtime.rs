//! The engine and the guests, shared by all sandboxes.

use std::sync::{Arc, OnceLock};

use cofferdam_cell::{Engine, Image};
use cofferdam_kernel::Kernel;

use crate::error::Error;
use crate::reaper::Reaper;

pub use cofferdam_cell::Pool;

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
    reaper: Reaper,
}

impl Runtime {
    /// A runtime with a pool of this size.
    pub fn new(pool: Pool) -> Result<Self, Error> {
        let engine = Engine::new(pool)?;
        let js = load(&engine, cofferdam_images::JS)?;
        Ok(Runtime {
            inner: Arc::new(Inner { engine, js, ts: OnceLock::new(), reaper: Reaper::default() }),
        })
    }

    /// The runtime that sandboxes use where none is named; made when it is first asked for.
    pub fn shared() -> Result<Self, Error> {
        static SHARED: OnceLock<Result<Runtime, Error>> = OnceLock::new();
        SHARED.get_or_init(|| Runtime::new(Pool::default())).clone()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.inner.engine
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
fn load(engine: &Engine, compiled: &'static [u8]) -> Result<Image<Kernel>, Error> {
    // SAFETY: the bytes were compiled by this program's own build and are part of its image.
    Ok(unsafe { Image::load(engine, compiled) }?)
}
