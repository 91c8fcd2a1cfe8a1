use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cofferdam_broker::Error;

use crate::{failure, place};

/// How long a change can go unseen whose maker was killed before it could tell.
const RECHECK: Duration = Duration::from_millis(50);

/// How long the number is taken for what it was. No word of a change gets from the process that
/// made it to another one, and to a check there, in less time.
const FRESH: Duration = Duration::from_micros(5);

/// A number beside the store that is another one after each change of grants.
///
/// Asking SQLite whether anything changed takes two locks of the file, several times what a
/// whole check may take; reading eight bytes of a file takes one system call. Whoever changes a
/// grant writes the change's own number here after it is committed and before anybody is told
/// that it is done. Each number is written once, so a reader who saw one never takes a later
/// change for it, in whatever order two writers come.
#[derive(Debug)]
pub(crate) struct Mark {
    place: Place,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The number when it was last read, and when.
    told: u64,
    read: Option<Instant>,
    /// What the store itself said when it was last asked, and when.
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

    /// The number now. From time to time `ask` has to say what the store's own count is.
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
            // Not while others wait: it may take a moment.
            drop(known);
            let generation = ask()?;
            known = self.known();
            known.generation = known.generation.max(generation);
            known.asked = Some(now);
        }
        let (told, generation) = (known.told, known.generation);
        // Spread over all bits, so that no two pairs that come after each other add up alike.
        Ok(told.wrapping_add(generation.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells everybody of a change that is committed.
    pub(crate) fn tell(&self, generation: u64) -> Result<(), Error> {
        match &self.place {
            Place::Memory(mark) => {
                mark.fetch_max(generation, Ordering::AcqRel);
                Ok(())
            }
            Place::File(file, path) => {
                let mut known = self.known();
                let written = file.write_all_at(&generation.to_le_bytes(), 0);
                // In this process at once, whatever is fresh.
                known.read = None;
                written.map_err(|error| failure::io(path, &error))
            }
        }
    }
}
