//! Names of guests in place of compiled images: the glue fetches and compiles a guest when it is
//! first used.

use std::future::Future;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::{glue, registry};
use crate::alarm::Alarm;
use crate::compile_worker::CompileWorker;
use crate::contract::{Host, Program};
use crate::guest_files::GuestFiles;
use crate::pool::Pool;
use crate::{Error, ErrorKind};

/// The browser's engine, and the alarm. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    alarm: Alarm,
}

impl Engine {
    /// Creates the engine.
    pub fn new(_: Pool) -> Result<Self, Error> {
        let alarm = Alarm::start().map_err(|e| Error::new(ErrorKind::Engine, e))?;
        Ok(Engine { alarm })
    }

    /// Returns zero: a page has no pool of cells that could be full.
    pub fn cells(&self) -> u32 {
        0
    }

    /// Returns the alarm of this engine.
    pub fn alarm(&self) -> &Alarm {
        &self.alarm
    }
}

/// Name of a guest, in place of its native code.
pub type Embedded = &'static [u8];

/// A guest whose cells call a host of type `H`. Cheap to clone.
pub struct Image<H: Host> {
    engine: Engine,
    pub(super) name: Embedded,
    host: PhantomData<fn(H)>,
}

impl<H: Host> Clone for Image<H> {
    fn clone(&self) -> Self {
        Image { engine: self.engine.clone(), name: self.name, host: PhantomData }
    }
}

impl<H: Host> Image<H> {
    /// Makes an image of the guest with this name.
    ///
    /// # Safety
    ///
    /// Safe in a browser; under wasmtime, native code is loaded.
    #[allow(unsafe_code)]
    pub unsafe fn load(engine: &Engine, name: Embedded, _: &GuestFiles) -> Result<Self, Error> {
        Ok(Image { engine: engine.clone(), name, host: PhantomData })
    }

    /// Returns the initial memory of each cell that is known before the guest is loaded: none. A
    /// cell checks the real one when it is first entered.
    pub fn memory_bytes(&self) -> u64 {
        0
    }

    /// Returns the engine that the image was loaded into.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}

/// The engine of programs. Cheap to clone.
#[derive(Clone)]
pub struct ProgramEngine;

impl ProgramEngine {
    /// Creates the engine.
    pub fn new(_: &Alarm, _: Pool) -> Self {
        ProgramEngine
    }
}

/// A program whose cells call a host of type `P`. Cheap to clone.
pub struct ProgramImage<P: Program> {
    pub(super) name: Arc<[u8]>,
    program: PhantomData<fn(P)>,
}

impl<P: Program> Clone for ProgramImage<P> {
    fn clone(&self) -> Self {
        ProgramImage::named(self.name.clone())
    }
}

impl<P: Program> ProgramImage<P> {
    /// Makes an image of the program with this name.
    ///
    /// # Safety
    ///
    /// Safe in a browser; under wasmtime, native code is loaded.
    #[allow(unsafe_code)]
    pub unsafe fn load(_: &ProgramEngine, name: Embedded, _: &GuestFiles) -> Result<Self, Error> {
        Ok(ProgramImage::named(name.into()))
    }

    fn named(name: Arc<[u8]>) -> Self {
        ProgramImage { name, program: PhantomData }
    }

    /// Returns the initial memory that is known before the program is loaded: none.
    pub fn memory_bytes(&self) -> u64 {
        0
    }
}

/// Called before a module is compiled; see the engine under wasmtime.
pub type Notice = Arc<dyn Fn(&str, usize) -> Box<dyn Send> + Send + Sync>;

/// Has modules from outside prepared and compiled by the glue, which keeps them by their hashes.
pub struct Compiler<P: Program>(PhantomData<fn(P)>);

impl<P: Program> Clone for Compiler<P> {
    fn clone(&self) -> Self {
        Compiler(PhantomData)
    }
}

impl<P: Program> Compiler<P> {
    /// Creates a compiler.
    pub fn new(_: &ProgramEngine, _: Option<PathBuf>, _: Option<Notice>) -> Self {
        Compiler(PhantomData)
    }

    /// Creates a compiler; the worker is not used.
    pub fn with_worker(
        engine: &ProgramEngine,
        cache: Option<PathBuf>,
        notice: Option<Notice>,
        _: Option<CompileWorker>,
    ) -> Self {
        Compiler::new(engine, cache, notice)
    }

    /// Begins to compile a module.
    pub fn compile(&self, _: &str, wasm: Vec<u8>) -> Compiling<P> {
        let ticket = registry::next_cell();
        glue::compile_module(ticket, &wasm);
        Compiling { ticket, program: PhantomData }
    }
}

/// Future of [`Compiler::compile`].
pub struct Compiling<P: Program> {
    ticket: u32,
    program: PhantomData<fn(P)>,
}

impl<P: Program> Future for Compiling<P> {
    type Output = Result<ProgramImage<P>, Unfit>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        registry::poll_compiled(self.ticket, cx).map(|compiled| match compiled {
            Ok(name) => Ok(ProgramImage::named(name.into())),
            Err(reason) => Err(Unfit(reason)),
        })
    }
}

impl<P: Program> Drop for Compiling<P> {
    fn drop(&mut self) {
        registry::forget_compiled(self.ticket);
    }
}

/// The reason why a module cannot run here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit(String);

impl Unfit {
    /// Returns `None`: nothing is compiled.
    pub fn limit(&self) -> Option<u64> {
        None
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}
