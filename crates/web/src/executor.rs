//! Runs under way: futures that are polled when they are woken.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use crate::port;

struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    call: Arc<Call>,
}

/// Wakes one task.
struct Call {
    id: u64,
    is_queued: AtomicBool,
}

#[derive(Default)]
struct Executor {
    next: u64,
    tasks: HashMap<u64, Task>,
    ready: VecDeque<u64>,
}

thread_local! {
    static EXECUTOR: RefCell<Executor> = RefCell::default();
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::Relaxed) {
            EXECUTOR.with_borrow_mut(|executor| executor.ready.push_back(self.id));
            port::schedule();
        }
    }
}

/// Starts a task.
pub(crate) fn spawn(future: impl Future<Output = ()> + 'static) {
    let call = EXECUTOR.with_borrow_mut(|executor| {
        executor.next += 1;
        let call = Arc::new(Call { id: executor.next, is_queued: AtomicBool::new(false) });
        let task = Task { future: Box::pin(future), call: call.clone() };
        executor.tasks.insert(executor.next, task);
        call
    });
    call.wake();
}

/// Polls the tasks that were woken before this call; those woken meanwhile have their turn later,
/// so that the worker can receive messages.
pub(crate) fn poll() {
    let ready = EXECUTOR.with_borrow_mut(|executor| std::mem::take(&mut executor.ready));
    for id in ready {
        // Taken out, because a task may start and wake others.
        let task = EXECUTOR.with_borrow_mut(|executor| executor.tasks.remove(&id));
        let Some(mut task) = task else { continue };
        task.call.is_queued.store(false, Ordering::Relaxed);
        let waker = Waker::from(task.call.clone());
        if task.future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            EXECUTOR.with_borrow_mut(|executor| executor.tasks.insert(id, task));
        }
    }
}
