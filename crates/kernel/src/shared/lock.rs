//! A lock that a panic elsewhere does not close.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic: what our locks guard is whole after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
