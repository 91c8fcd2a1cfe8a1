//! Locking a mutex whatever happened to the thread that held it before.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. The data behind the mutexes of the fronts is whole between any two statements, so
/// a panic while one was held does not matter.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
