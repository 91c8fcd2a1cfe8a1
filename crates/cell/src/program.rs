//! Runs a program: a module with `_start` that imports WASI preview 1.
//!
//! Unlike a tool's cell, a program is entered once. A call without an immediate answer suspends the
//! program on its own stack, without blocking a thread.

use std::future::{Future, poll_fn};
use std::pin::pin;

use wasmtime::{Memory, ResourceLimiter, Store, ThrownException, Trap, UpdateDeadline};

use crate::budget::{Account, ProgramLimits};
use crate::contract::{Finish, Leave, Program, TrapKind};
use crate::program_image::ProgramImage;
use crate::stop::Stop;
use crate::{Error, ErrorKind};

/// Most memories of one module; each reserves address space.
const MAX_MEMORIES: usize = 8;

/// Most tables of one module.
const MAX_TABLES: usize = 64;

/// Host memory per table element, in bytes.
const TABLE_ELEMENT: u64 = 8;

/// A [`Leave`] as an error that passes through the engine.
#[derive(Debug)]
pub(crate) struct Departure(pub(crate) Leave);

impl std::fmt::Display for Departure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "program left: {:?}", self.0)
    }
}

impl std::error::Error for Departure {}

/// The data of a program's store.
pub(crate) struct State<P> {
    pub(crate) program: P,
    pub(crate) memory: Option<Memory>,
    /// The last answer of the gate, kept until the guest has taken it.
    pub(crate) answer: Vec<u8>,
    account: Account,
}

impl<P: Send> ResourceLimiter for State<P> {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // Beyond the module's own maximum growth fails anyway, so it is not charged.
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.account.charge(desired.saturating_sub(current) as u64))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let more = desired.saturating_sub(current) as u64;
        Ok(self.account.charge(more.saturating_mul(TABLE_ELEMENT)))
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }
}

/// Runs a program to its end in a cell of its own. Dropping the future ends the program and frees
/// everything it holds.
///
/// The program yields the thread whenever the epoch advances: at every slice, when a kill switch of
/// its alarm is used, and at the times set with [`crate::Alarm::ring_at`]. The caller checks switch
/// and deadline between two polls.
///
/// An error of the outer result is a failure of the host: the cell could not be created.
pub async fn execute<P: Program>(
    image: &ProgramImage<P>,
    program: P,
    limits: ProgramLimits,
) -> Result<Result<Finish, Stop>, Error> {
    let state = State { program, memory: None, answer: Vec::new(), account: Account::new(limits) };
    let mut store = Store::new(image.engine(), state);
    store.limiter(|state| state);
    // Nothing is decided here: the caller ends the program by not polling it again. This lets large
    // programs be dropped on another thread.
    store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Yield(1)));
    store.set_epoch_deadline(1);
    let alarm = image.alarm().clone();
    let ended = {
        let mut running = pin!(start(image, &mut store));
        // The epoch advances only while a program computes, not while it waits.
        poll_fn(|cx| {
            let _computing = alarm.computing();
            running.as_mut().poll(cx)
        })
        .await
    };
    match ended {
        Ok(()) => Ok(Ok(Finish::Exited(0))),
        Err(error) if error.is::<wasmtime::PoolConcurrencyLimitError>() => {
            Err(Error::new(ErrorKind::PoolFull, format!("{error:#}")))
        }
        Err(error) => reason(store.data().account.has_refused(), error),
    }
}

async fn start<P: Program>(
    image: &ProgramImage<P>,
    store: &mut Store<State<P>>,
) -> wasmtime::Result<()> {
    let instance = image.pre().instantiate_async(&mut *store).await?;
    let (memory, start) = image.exports();
    let memory = instance.get_module_export(&mut *store, memory).and_then(|e| e.into_memory());
    let start = instance.get_module_export(&mut *store, start).and_then(|e| e.into_func());
    store.data_mut().memory = memory;
    if let Some(memory) = memory {
        image.notice(memory.data(&*store));
    }
    let Some(start) = start else { wasmtime::bail!("no export named _start") };
    start.typed::<(), ()>(&*store)?.call_async(&mut *store, ()).await
}

fn reason(memory_refused: bool, error: wasmtime::Error) -> Result<Result<Finish, Stop>, Error> {
    if let Some(Departure(leave)) = error.downcast_ref::<Departure>() {
        return Ok(match leave {
            Leave::Exit(code) => Ok(Finish::Exited(*code)),
            Leave::Signal(signal) => Ok(Finish::Signalled(*signal)),
            Leave::Breach(what) => Err(Stop::Breach(what.clone())),
        });
    }
    if let Some(stop) = error.downcast_ref::<Stop>() {
        return Ok(Err(stop.clone()));
    }
    if error.is::<ThrownException>() {
        return Ok(Ok(Finish::Trapped(TrapKind::Abort)));
    }
    let Some(trap) = error.downcast_ref::<Trap>() else {
        return match memory_refused {
            true => Ok(Ok(Finish::Trapped(TrapKind::OutOfMemory))),
            // The engine could not create the cell: too many mappings, or a table that does not
            // fit.
            false => Err(Error::new(ErrorKind::Image, format!("{error:#}"))),
        };
    };
    let kind = match trap {
        Trap::StackOverflow => TrapKind::Stack,
        Trap::Interrupt => return Ok(Err(Stop::Killed)),
        // A program that cannot allocate usually aborts.
        _ if memory_refused => TrapKind::OutOfMemory,
        Trap::IntegerDivisionByZero | Trap::IntegerOverflow | Trap::BadConversionToInteger => {
            TrapKind::Arithmetic
        }
        Trap::UnreachableCodeReached => TrapKind::Abort,
        _ => TrapKind::Memory,
    };
    Ok(Ok(Finish::Trapped(kind)))
}
