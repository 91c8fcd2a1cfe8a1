"""`threading` in a cell, which has one thread: a thread runs to its end when it is started.

Threads that wait for each other do not work. A lock that is waited for while it is held, without a
timeout, ends the run: nothing could ever release it.
"""

import concurrent.futures.thread
import queue
import threading


def _start(thread):
    if not thread._initialized:
        raise RuntimeError("thread.__init__() not called")
    if thread._started.is_set():
        raise RuntimeError("threads can only be started once")
    thread._started.set()
    before = threading._active.get(threading.get_ident())
    threading._active[threading.get_ident()] = thread
    try:
        thread.run()
    except SystemExit:
        pass
    except BaseException:
        threading.excepthook(threading.ExceptHookArgs([*__import__("sys").exc_info(), thread]))
    finally:
        threading._active[threading.get_ident()] = before
        thread._is_over = True


def _join(thread, timeout=None):
    if not thread._started.is_set():
        raise RuntimeError("cannot join thread before it is started")


def _is_alive(thread):
    return thread._started.is_set() and not getattr(thread, "_is_over", False) and not isinstance(thread, threading._MainThread) or isinstance(thread, threading._MainThread)


class Executor(concurrent.futures.Executor):
    """Runs each function when it is submitted."""

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._is_down = False
        self._max_workers = max_workers or 1
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn, /, *args, **kwargs):
        if self._is_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._is_down = True


class Timer(threading.Thread):
    """Runs its function when the script joins it or ends, after the delay."""

    def __init__(self, interval, function, args=None, kwargs=None):
        super().__init__()
        self.interval, self.function = interval, function
        self.args, self.kwargs = args or [], kwargs or {}
        self._is_cancelled = False

    def start(self):
        import time

        self._started.set()
        self._due = time.monotonic() + self.interval
        _timers.append(self)

    def cancel(self):
        self._is_cancelled = True

    def join(self, timeout=None):
        import time

        if self in _timers:
            _timers.remove(self)
            if not self._is_cancelled:
                time.sleep(max(0, self._due - time.monotonic()))
                if not self._is_cancelled:
                    self.function(*self.args, **self.kwargs)
        self._is_over = True


_timers = []


def join_all():
    """Waits for the timers that are left, as the interpreter waits for its threads."""
    while _timers:
        min(_timers, key=lambda timer: timer._due).join()


def install():
    threading.Thread.start = _start
    threading.Thread.join = _join
    threading.Thread.is_alive = _is_alive
    threading.Timer = Timer
    concurrent.futures.thread.ThreadPoolExecutor = Executor
    concurrent.futures.ThreadPoolExecutor = Executor
    _ = queue
