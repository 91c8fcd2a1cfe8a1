"""`os.environ`: the variables that the host lets the tool read, asked for when they are used."""

import os
from collections.abc import MutableMapping

import _cofferdam
from . import host

# The same in every cell: the home folder, and no language but the interpreter's own. Libraries look
# for these when they are loaded, and nobody should be asked.
_OWN = {"HOME": "/home/user"} | dict.fromkeys(("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES"))


class Environ(MutableMapping):
    def __init__(self):
        self.changed = {}

    def __getitem__(self, name):
        if not isinstance(name, str):
            raise TypeError(f"str expected, not {type(name).__name__}")
        if name in self.changed:
            value = self.changed[name]
        elif not name or "=" in name or "\0" in name or not _cofferdam.is_live():
            value = None
        elif name in _OWN:
            value = _OWN[name]
        else:
            value = host.now(host.VARIABLE_GET, "s", "v", name)
        if value is None:
            raise KeyError(name)
        return value

    def __setitem__(self, name, value):
        for text in (name, value):
            if not isinstance(text, str):
                raise TypeError(f"str expected, not {type(text).__name__}")
        if not name or "=" in name or "\0" in name or "\0" in value:
            raise ValueError("illegal environment variable name")
        self.changed[name] = value

    def __delitem__(self, name):
        self[name]
        self.changed[name] = None

    def _names(self):
        names = {"HOME": None}
        names.update((name, None) for name in host.now(host.VARIABLE_LIST, "", "v") if name not in _OWN)
        for name, value in self.changed.items():
            if value is None:
                names.pop(name, None)
            else:
                names[name] = None
        return names

    def __iter__(self):
        return iter(self._names())

    def __len__(self):
        return len(self._names())

    def __repr__(self):
        return f"environ({dict(self)!r})"

    def copy(self):
        return dict(self)

    def __or__(self, other):
        return {**self, **other}

    def __ror__(self, other):
        return {**other, **self}

    def __ior__(self, other):
        self.update(other)
        return self


def install():
    environ = Environ()
    os.environ = environ
    os.putenv = environ.__setitem__
    os.unsetenv = lambda name: environ.pop(name, None)
    os.getenv = lambda key, default=None: environ.get(key, default)
    os.environb = None
    del os.environb
    os.supports_bytes_environ = False
    return environ
