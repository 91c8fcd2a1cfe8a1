//! The one thread that rings for cells that compute, and wakes sleepers.
//!
//! To ring is to count up: guests compare the count with what it was when they last looked.
//!
//! It sleeps until there is something to do: a deadline of a cell, a sleeper's time, or, while
//! cells compute, the end of a slice. Entering a cell costs an atomic add as long as the thread
//! is awake; it stays awake a little after the last cell has left, so that many short runs in a
//! row do not wake it each time.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// How long a cell computes before it hands its thread back to the executor.
pub(crate) const SLICE: Duration = Duration::from_millis(5);

/// Slices without any cell computing before the thread goes to sleep.
const IDLE_SLICES: u32 = 20;

/// Handle to the alarm thread, which ends when the last handle is gone.
#[derive(Clone)]
pub struct Alarm {
    shared: Arc<Shared>,
    _owner: Arc<Owner>,
}

struct Shared {
    /// How often it has rung.
    rings: AtomicU64,
    /// Engines of programs, whose cells look at an epoch: it moves with each ring.
    engines: RwLock<Vec<wasmtime::Engine>>,
    state: Mutex<State>,
    changed: Condvar,
    /// Cells that have a guest on the stack.
    computing: AtomicUsize,
    /// Entries so far; tells the thread whether anything ran since it last looked.
    entries: AtomicU64,
    /// Whether the thread rings at every slice.
    awake: AtomicBool,
}

#[derive(Default)]
struct State {
    sleepers: BTreeMap<Key, Sleeper>,
    next: u64,
    /// When the thread looks next without being woken; `None` where it does not.
    looks_at: Option<Instant>,
    closed: bool,
}

type Key = (Instant, u64);

enum Sleeper {
    /// Ring, so that the cell with this deadline looks at the clock.
    Ring,
    /// Wake this task.
    Task(Waker),
}

/// Ends the thread.
struct Owner(Arc<Shared>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_one();
    }
}

impl Alarm {
    pub(crate) fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            rings: AtomicU64::new(0),
            engines: RwLock::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            computing: AtomicUsize::new(0),
            entries: AtomicU64::new(0),
            awake: AtomicBool::new(false),
        });
        let of_thread = shared.clone();
        std::thread::Builder::new()
            .name("cofferdam-alarm".into())
            .stack_size(256 << 10)
            .spawn(move || of_thread.watch())?;
        Ok(Alarm { _owner: Arc::new(Owner(shared.clone())), shared })
    }

    /// A future that is ready at `at`.
    pub fn sleep_until(&self, at: Instant) -> Sleep {
        Sleep { shared: self.shared.clone(), at, key: None }
    }

    /// Rings now: every computing cell looks at its kill switch.
    pub(crate) fn ring(&self) {
        self.shared.ring();
    }

    /// How often it has rung.
    pub(crate) fn rings(&self) -> u64 {
        self.shared.rings.load(Ordering::SeqCst)
    }

    /// Moves the epoch of this engine with each ring.
    pub(crate) fn also(&self, engine: &wasmtime::Engine) {
        let engines = &self.shared.engines;
        engines.write().unwrap_or_else(PoisonError::into_inner).push(engine.clone());
    }

    /// Called around every stay of a guest on the stack.
    pub(crate) fn computing(&self) -> Computing<'_> {
        let shared = &*self.shared;
        shared.computing.fetch_add(1, Ordering::SeqCst);
        shared.entries.fetch_add(1, Ordering::SeqCst);
        if !shared.awake.load(Ordering::SeqCst) {
            let guard = shared.lock();
            shared.awake.store(true, Ordering::SeqCst);
            drop(guard);
            shared.changed.notify_one();
        }
        Computing(shared)
    }

    /// Called around a wait of a guest that is on the stack: it does not compute meanwhile.
    pub(crate) fn away(&self) -> Away<'_> {
        self.shared.computing.fetch_sub(1, Ordering::SeqCst);
        Away(self)
    }

    /// Rings at `at`.
    pub fn ring_at(&self, at: Instant) -> Ring {
        let key = self.shared.add(at, Sleeper::Ring);
        Ring { shared: self.shared.clone(), key }
    }
}

impl Shared {
    fn ring(&self) {
        self.rings.fetch_add(1, Ordering::SeqCst);
        let engines = self.engines.read().unwrap_or_else(PoisonError::into_inner);
        engines.iter().for_each(wasmtime::Engine::increment_epoch);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, at: Instant, sleeper: Sleeper) -> Key {
        let mut state = self.lock();
        let key = (at, state.next);
        state.next += 1;
        let is_too_late = state.looks_at.is_none_or(|looks_at| at < looks_at);
        state.sleepers.insert(key, sleeper);
        drop(state);
        // Waking a thread costs more than most short runs have to spend.
        if is_too_late {
            self.changed.notify_one();
        }
        key
    }

    fn remove(&self, key: Key) {
        self.lock().sleepers.remove(&key);
    }

    /// The thread.
    fn watch(&self) {
        let mut idle = 0;
        let mut seen = 0;
        let mut next_slice = Instant::now();
        let mut state = self.lock();
        while !state.closed {
            let now = Instant::now();
            let (due, is_ring_due) = take_due(&mut state, now);
            if !due.is_empty() || is_ring_due {
                drop(state);
                if is_ring_due {
                    self.ring();
                }
                for waker in due {
                    // A waker is the executor's code. If it panics, every other deadline of the
                    // process still depends on this thread.
                    let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
                }
                state = self.lock();
                continue;
            }
            let first = state.sleepers.first_key_value().map(|(key, _)| key.0);
            if self.awake.load(Ordering::SeqCst) {
                if now >= next_slice {
                    next_slice = now + SLICE;
                    let entries = self.entries.load(Ordering::SeqCst);
                    let is_computing = self.computing.load(Ordering::SeqCst) > 0;
                    if is_computing {
                        self.ring();
                    }
                    idle = if is_computing || entries != seen { 0 } else { idle + 1 };
                    seen = entries;
                    if idle > IDLE_SLICES {
                        // The lock is held: an entry that finds us asleep waits for it and
                        // then notifies, so none is missed.
                        self.awake.store(false, Ordering::SeqCst);
                        if self.entries.load(Ordering::SeqCst) != seen {
                            self.awake.store(true, Ordering::SeqCst);
                        }
                        idle = 0;
                    }
                    continue;
                }
                let until = first.map_or(next_slice, |first| first.min(next_slice));
                state = self.wait_until(state, until);
            } else if let Some(first) = first {
                state = self.wait_until(state, first);
            } else {
                state.looks_at = None;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn wait_until<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        at: Instant,
    ) -> MutexGuard<'a, State> {
        state.looks_at = Some(at);
        let time = at.saturating_duration_since(Instant::now());
        let waited = self.changed.wait_timeout(state, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Takes out whatever is due: tasks to wake, and whether to ring.
fn take_due(state: &mut State, now: Instant) -> (Vec<Waker>, bool) {
    let mut tasks = Vec::new();
    let mut is_ring_due = false;
    while let Some(entry) = state.sleepers.first_entry() {
        if entry.key().0 > now {
            break;
        }
        match entry.remove() {
            Sleeper::Ring => is_ring_due = true,
            Sleeper::Task(waker) => tasks.push(waker),
        }
    }
    (tasks, is_ring_due)
}

/// While it lives, the alarm rings at every slice.
pub(crate) struct Computing<'a>(&'a Shared);

impl Drop for Computing<'_> {
    fn drop(&mut self) {
        self.0.computing.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A guest that waits in the middle of its computing.
pub(crate) struct Away<'a>(&'a Alarm);

impl Drop for Away<'_> {
    fn drop(&mut self) {
        // It computes again until its stay on the stack ends, which takes that back.
        std::mem::forget(self.0.computing());
    }
}

/// A ring to come; dropped, it is taken back.
pub struct Ring {
    shared: Arc<Shared>,
    key: Key,
}

impl Drop for Ring {
    fn drop(&mut self) {
        self.shared.remove(self.key);
    }
}

/// Future of [`Alarm::sleep_until`]. Holds no thread; dropped, it is forgotten.
pub struct Sleep {
    shared: Arc<Shared>,
    at: Instant,
    key: Option<Key>,
}

impl Sleep {
    /// When it will be ready.
    pub fn deadline(&self) -> Instant {
        self.at
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.at {
            return Poll::Ready(());
        }
        if let Some(key) = self.key {
            let mut state = self.shared.lock();
            if let Some(Sleeper::Task(waker)) = state.sleepers.get_mut(&key) {
                waker.clone_from(cx.waker());
                return Poll::Pending;
            }
        }
        let key = self.shared.add(self.at, Sleeper::Task(cx.waker().clone()));
        self.key = Some(key);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.shared.remove(key);
        }
    }
}
