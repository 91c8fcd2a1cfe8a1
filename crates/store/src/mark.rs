//! A number in a small file beside the store that changes with every change of grants.
//!
//! Separate, because it bypasses SQLite: a check reads it with one system call instead of a
//! transaction.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cofferdam_broker::Error;

use crate::{failure, place};

/// Longest time a change stays unnoticed if its writer was killed before updating the mark.
const RECHECK: Duration = Duration::from_millis(50);

/// Time for which a read value is reused. News of a change takes longer than this to travel from
/// the process that made it to a check in another process.
const FRESH: Duration = Duration::from_micros(5);

/// A number beside the store that differs after each change of grants.
///
/// Asking SQLite for changes takes two file locks, several times the cost of a whole check; reading
/// eight bytes from a file takes one system call. A writer stores the number of its change here
/// after the commit and before it reports success. Each number is written once, so a reader that
/// saw one never mistakes a later change for it, regardless of the order of two writers.
#[derive(Debug)]
pub(crate) struct Mark {
    place: Place,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The number in the file when it was last read, and the time of that read.
    told: u64,
    read: Option<Instant>,
    /// The generation in the database when it was last asked for, and the time of that query.
    generation: u64,
    asked: Option<Instant>,
}

#[derive(Debug)]
enum Place {
    Memory(AtomicU64),
    File(File, PathBuf),
}

impl Mark {
    pub(crate) fn in_memory() -> Self {
        Self::new(Place::Memory(AtomicU64::new(0)))
    }

    pub(crate) fn beside(store: &Path) -> Result<Self, Error> {
        let path = place::beside(store, "-mark");
        Ok(Self::new(Place::File(place::open(&path)?, path)))
    }

    fn new(place: Place) -> Self {
        Self { place, known: Mutex::default() }
    }

    /// Returns the current number. Calls `ask` for the generation in the database every
    /// [`RECHECK`].
    pub(crate) fn read(&self, ask: impl FnOnce() -> Result<u64, Error>) -> Result<u64, Error> {
        let (file, path) = match &self.place {
            Place::Memory(mark) => return Ok(mark.load(Ordering::Acquire)),
            Place::File(file, path) => (file, path),
        };
        let now = Instant::now();
        let is_old = |at: Option<Instant>, most| at.is_none_or(|at| now.duration_since(at) > most);
        let mut known = self.known();
        if is_old(known.read, FRESH) {
            let mut bytes = [0; 8];
            let read = file.read_at(&mut bytes, 0).map_err(|error| failure::io(path, &error))?;
            known.told = if read == bytes.len() { u64::from_le_bytes(bytes) } else { 0 };
            known.read = Some(now);
        }
        if is_old(known.asked, RECHECK) {
            // Unlocked, because the query may take a moment and other checks would wait.
            drop(known);
            let generation = ask()?;
            known = self.known();
            known.generation = known.generation.max(generation);
            known.asked = Some(now);
        }
        let (told, generation) = (known.told, known.generation);
        // Multiplied to spread over all bits, so that consecutive pairs never have equal sums.
        Ok(told.wrapping_add(generation.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces a committed change to all processes.
    pub(crate) fn tell(&self, generation: u64) -> Result<(), Error> {
        match &self.place {
            Place::Memory(mark) => {
                mark.fetch_max(generation, Ordering::AcqRel);
                Ok(())
            }
            Place::File(file, path) => {
                let mut known = self.known();
                let written = file.write_all_at(&generation.to_le_bytes(), 0);
                // This process must see its own change at once, even within [`FRESH`].
                known.read = None;
                written.map_err(|error| failure::io(path, &error))
            }
        }
    }
}
