"""Answers to calls that are pending, for code that waits without an event loop.

Several parts of a program may wait at once: a command of `subprocess` beside the tasks of a loop. Each
answer is handed to whoever expects it.
"""

import sys

import _cofferdam

from . import host

_expected = {}


def expect(ticket, take):
    """Has `take(status, payload)` called with the answer to a pending call."""
    _expected[ticket] = take


def look(number, shape, result, *fields):
    """Makes a call and looks at its answer once. Returns `(None, answer)`, or `(ticket, None)` if it is
    still pending."""
    ticket, value = _cofferdam.start(number, shape, result, *fields)
    if ticket is None:
        return None, value
    taken = []
    expect(ticket, lambda *answer: taken.append(answer))
    if not wait_until(lambda: taken, 0):
        del _expected[ticket]
        return ticket, None
    return None, _cofferdam.answer(*taken[0], result)


def deliver(answer):
    """Hands an answer to the one who expects it. Returns false if nobody here does."""
    ticket, status, payload = answer
    take = _expected.pop(ticket, None)
    if take is None:
        return False
    take(status, payload)
    return True


def wait_until(is_over, seconds=None):
    """Takes answers until the condition holds. Returns false if the time is over first."""
    if is_over():
        return True
    timer = None
    if seconds is not None:
        timer, _ = _cofferdam.start(host.TIMER_START, "f", "", max(0, seconds) * 1000)
    while True:
        is_late = False
        for answer in _cofferdam.wait_any():
            if timer is not None and answer[0] == timer:
                is_late = True
            elif not deliver(answer):
                _to_loop(answer)
        if is_over():
            if timer is not None and not is_late:
                _cofferdam.call(host.TICKET_CANCEL, "u", "", timer)
            return True
        if is_late:
            return False


def _to_loop(answer):
    """Hands an answer to the event loop whose task waits here."""
    events = sys.modules.get("asyncio.events")
    loop = events._get_running_loop() if events is not None else None
    if loop is not None:
        loop.resumed([answer])
