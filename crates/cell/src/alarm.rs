//! The alarm thread, which interrupts computing cells and wakes sleeping tasks.
//!
//! To ring is to increment a counter; guests compare the counter with its last known value.
//!
//! The thread sleeps until there is something to do: a cell's deadline, a sleeper's time or, while
//! cells compute, the end of a slice. Entering a cell costs one atomic addition as long as the
//! thread is awake. It stays awake for a while after the last cell has left, so that a series of
//! short runs does not wake it each time.
//!
//! In a browser there is no thread: the host calls [`tick`] when a sleeper is due, and guests look at
//! the clock by themselves.
//!
//! Meets T-CELL-001.

use std::collections::BTreeMap;
use std::future::Future;
#[cfg(not(target_family = "wasm"))]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// Time that a cell computes before it yields its thread to the executor.
pub(crate) const SLICE: Duration = Duration::from_millis(5);

/// Slices without a computing cell after which the thread goes to sleep.
const IDLE_SLICES: u32 = 20;

/// Handle to the alarm thread, which ends when the last handle is dropped.
#[derive(Clone)]
pub struct Alarm {
    shared: Arc<Shared>,
    _owner: Arc<Owner>,
}

struct Shared {
    /// Number of rings so far.
    rings: AtomicU64,
    /// Engines of programs, whose cells check an epoch; each ring increments it.
    #[cfg(not(target_family = "wasm"))]
    engines: std::sync::RwLock<Vec<wasmtime::Engine>>,
    state: Mutex<State>,
    changed: Condvar,
    /// Number of cells with a guest on the stack.
    computing: AtomicUsize,
    /// Number of entries so far; shows the thread whether anything ran since its last look.
    entries: AtomicU64,
    /// True while the thread rings at every slice.
    awake: AtomicBool,
}

#[derive(Default)]
struct State {
    sleepers: BTreeMap<Key, Sleeper>,
    next: u64,
    /// Time at which the thread wakes by itself; `None` if it waits indefinitely.
    looks_at: Option<Instant>,
    closed: bool,
}

type Key = (Instant, u64);

enum Sleeper {
    /// Rings, so that the cell with this deadline checks the clock.
    Ring,
    /// Wakes this task.
    Task(Waker),
}

/// Ends the thread when dropped.
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
            #[cfg(not(target_family = "wasm"))]
            engines: Default::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            computing: AtomicUsize::new(0),
            entries: AtomicU64::new(0),
            awake: AtomicBool::new(false),
        });
        watch(&shared)?;
        Ok(Alarm { _owner: Arc::new(Owner(shared.clone())), shared })
    }

    /// Returns a future that completes at `at`.
    pub fn sleep_until(&self, at: Instant) -> Sleep {
        Sleep { shared: self.shared.clone(), at, key: None }
    }

    /// Rings now, so that every computing cell checks its kill switch.
    pub(crate) fn ring(&self) {
        self.shared.ring();
    }

    /// Returns the number of rings so far.
    pub(crate) fn rings(&self) -> u64 {
        self.shared.rings.load(Ordering::SeqCst)
    }

    /// Increments the epoch of this engine with each ring.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn also(&self, engine: &wasmtime::Engine) {
        let engines = &self.shared.engines;
        engines.write().unwrap_or_else(PoisonError::into_inner).push(engine.clone());
    }

    /// Marks the time during which a guest is on the stack.
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

    /// Marks the time during which a guest waits on its stack without computing.
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
        #[cfg(not(target_family = "wasm"))]
        {
            let engines = self.engines.read().unwrap_or_else(PoisonError::into_inner);
            engines.iter().for_each(wasmtime::Engine::increment_epoch);
        }
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
        // Waking the thread would cost more than most short runs take.
        if is_too_late {
            self.changed.notify_one();
        }
        key
    }

    fn remove(&self, key: Key) {
        self.lock().sleepers.remove(&key);
    }

    /// Runs the thread.
    #[cfg(not(target_family = "wasm"))]
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
                    // A waker is the executor's code. If it panics, this thread must survive,
                    // because all other deadlines of the process depend on it.
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
                        // The lock is held: an entry that finds the thread asleep waits for the
                        // lock and then notifies, so no entry is missed.
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

    #[cfg(not(target_family = "wasm"))]
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

/// Starts the thread.
#[cfg(not(target_family = "wasm"))]
fn watch(shared: &Arc<Shared>) -> std::io::Result<()> {
    let of_thread = shared.clone();
    let thread = std::thread::Builder::new().name("cofferdam-alarm".into());
    thread.stack_size(256 << 10).spawn(move || of_thread.watch())?;
    Ok(())
}

#[cfg(target_family = "wasm")]
thread_local! {
    static ALARMS: std::cell::RefCell<Vec<std::sync::Weak<Shared>>> = Default::default();
}

/// Registers the alarm for [`tick`].
#[cfg(target_family = "wasm")]
fn watch(shared: &Arc<Shared>) -> std::io::Result<()> {
    ALARMS.with_borrow_mut(|alarms| alarms.push(Arc::downgrade(shared)));
    Ok(())
}

/// Wakes all sleepers that are due; returns the time of the next one.
#[cfg(target_family = "wasm")]
pub fn tick() -> Option<Instant> {
    let alarms = ALARMS.with_borrow_mut(|alarms| {
        alarms.retain(|alarm| alarm.strong_count() > 0);
        alarms.clone()
    });
    let mut next: Option<Instant> = None;
    for shared in alarms.iter().filter_map(std::sync::Weak::upgrade) {
        let (due, _) = take_due(&mut shared.lock(), Instant::now());
        due.into_iter().for_each(Waker::wake);
        let first = shared.lock().sleepers.first_key_value().map(|(key, _)| key.0);
        next = next.into_iter().chain(first).min();
    }
    next
}

/// Removes all due entries; returns the tasks to wake, and true if a ring is due.
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

/// Keeps the alarm ringing at every slice while it exists.
pub(crate) struct Computing<'a>(&'a Shared);

impl Drop for Computing<'_> {
    fn drop(&mut self) {
        self.0.computing.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A pause of a guest that waits in the middle of computing.
pub(crate) struct Away<'a>(&'a Alarm);

impl Drop for Away<'_> {
    fn drop(&mut self) {
        // The guest computes again; the end of its stay on the stack balances this increment.
        std::mem::forget(self.0.computing());
    }
}

/// A scheduled ring, cancelled when dropped.
pub struct Ring {
    shared: Arc<Shared>,
    key: Key,
}

impl Drop for Ring {
    fn drop(&mut self) {
        self.shared.remove(self.key);
    }
}

/// Future of [`Alarm::sleep_until`]. Occupies no thread; dropping it cancels the sleep.
pub struct Sleep {
    shared: Arc<Shared>,
    at: Instant,
    key: Option<Key>,
}

impl Sleep {
    /// Returns the time at which the future completes.
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
