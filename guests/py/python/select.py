"""`select` in a cell, where every descriptor is ready: nothing but the host is ever waited for."""

import time

error = OSError


def select(readable, writable, exceptional, timeout=None):
    readable, writable = list(readable), list(writable)
    if not readable and not writable and timeout:
        time.sleep(timeout)
    return readable, writable, []


POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL = 1, 2, 4, 8, 16, 32


class poll:
    def __init__(self):
        self._events = {}

    def register(self, fd, events=POLLIN | POLLPRI | POLLOUT):
        self._events[fd if isinstance(fd, int) else fd.fileno()] = events

    modify = register

    def unregister(self, fd):
        del self._events[fd if isinstance(fd, int) else fd.fileno()]

    def poll(self, timeout=None):
        return [(fd, events & (POLLIN | POLLOUT)) for fd, events in self._events.items()]
