"""The event loop of a cell, in place of the one that waits for descriptors.

The host answers calls and fires timers; nothing else happens from outside. A loop that a script runs
(`asyncio.run`) waits on the host while the script stays on the stack. The loop of an `async def tool`
leaves the cell instead and is resumed with the answers, so a waiting tool has no stack.
"""

import _cofferdam

from cofferdam.answers import deliver

from . import base_events, events, exceptions, futures, tasks

__all__ = (
    "SelectorEventLoop", "EventLoop", "DefaultEventLoopPolicy", "AbstractChildWatcher", "SafeChildWatcher",
    "FastChildWatcher", "PidfdChildWatcher", "MultiLoopChildWatcher", "ThreadedChildWatcher",
)

_TIMER_START = 5
_TICKET_CANCEL = 6


class _Answers:
    """What `BaseEventLoop` asks for events."""

    def __init__(self, loop):
        self._loop = loop

    def select(self, timeout):
        waiting = self._loop._waiting
        if timeout is not None and timeout <= 0:
            if not waiting:
                return ()
            timeout = 0
        elif timeout is None and not waiting:
            raise RuntimeError("the program waits for something that nothing can settle any more")
        timer = None
        if timeout is not None:
            timer, _ = _cofferdam.start(_TIMER_START, "f", "", timeout * 1000)
        answers = _cofferdam.wait_any()
        others = [answer for answer in answers if answer[0] != timer]
        if timer is not None and len(others) == len(answers):
            _cofferdam.call(_TICKET_CANCEL, "u", "", timer)
        return others

    def close(self):
        pass


class HostEventLoop(base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = _Answers(self)
        self._waiting = {}
        self._timer = None

    def _process_events(self, answers):
        for ticket, status, payload in answers:
            future, result = self._waiting.pop(ticket, (None, None))
            if future is None:
                # A command of `subprocess`, or a timer.
                deliver((ticket, status, payload))
                continue
            if future.done():
                continue
            try:
                future.set_result(_cofferdam.answer(status, payload, result))
            except Exception as error:
                future.set_exception(error)

    def answer_to(self, ticket, result):
        """Returns a future of the answer to a pending call."""
        future = self.create_future()
        self._waiting[ticket] = future, result
        future.add_done_callback(lambda done: self._forget(ticket) if done.cancelled() else None)
        return future

    def _forget(self, ticket):
        if self._waiting.pop(ticket, None) is not None:
            _cofferdam.call(_TICKET_CANCEL, "u", "", ticket)

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        """Runs the function at once: a cell has one thread."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    async def shutdown_default_executor(self, timeout=None):
        pass

    def add_signal_handler(self, *_):
        raise NotImplementedError("a cell has no signals")

    async def create_connection(self, *_, **__):
        raise OSError("a cell has no raw connections; urllib.request, http.client and requests work")

    create_server = create_datagram_endpoint = create_connection

    # The loop of an `async def tool`.

    def advance(self, main):
        """Runs until nothing is ready. Returns "done", "waiting" or "stuck"."""
        events._set_running_loop(self)
        self._thread_id = 1
        try:
            while not main.done():
                if not self._ready and not self._is_due():
                    return self._waits()
                self._run_once()
        finally:
            self._thread_id = None
            events._set_running_loop(None)
        return "done"

    def _is_due(self):
        while self._scheduled and self._scheduled[0]._cancelled:
            self._timer_cancelled_count -= 1
            handle = base_events.heapq.heappop(self._scheduled)
            handle._scheduled = False
        return bool(self._scheduled) and self._scheduled[0]._when <= self.time() + self._clock_resolution

    def _waits(self):
        if self._scheduled:
            when = self._scheduled[0]._when
            if self._timer is None or self._timer[1] != when:
                if self._timer is not None:
                    _cofferdam.call(_TICKET_CANCEL, "u", "", self._timer[0])
                ticket, _ = _cofferdam.start(_TIMER_START, "f", "", max(0, when - self.time()) * 1000)
                self._timer = ticket, when
        elif not self._waiting:
            return "stuck"
        return "waiting"

    def resumed(self, answers):
        """Takes the answers that the tool was resumed with."""
        timer = self._timer[0] if self._timer is not None else None
        if any(answer[0] == timer for answer in answers):
            self._timer = None
        self._process_events(answers)


SelectorEventLoop = EventLoop = HostEventLoop


class DefaultEventLoopPolicy(events.BaseDefaultEventLoopPolicy):
    _loop_factory = HostEventLoop


class AbstractChildWatcher:
    """Present for programs that name it; a cell has no child processes."""


SafeChildWatcher = FastChildWatcher = PidfdChildWatcher = AbstractChildWatcher
MultiLoopChildWatcher = ThreadedChildWatcher = AbstractChildWatcher
