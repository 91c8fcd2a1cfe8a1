"""Time zones: those of the guest itself, and files of folders that a program names.

Takes the place of the module that looks for the time zones of a machine. A cell has no such files.
"""

import io
import os
from collections.abc import Sequence

import _cofferdam

from . import _common

TZPATH = ()

# Entries of a folder with time zones that are not names of any: other forms of all zones, and a link.
_NO_ZONES = {"posix", "right", "posixrules"}


class InvalidTZPathWarning(RuntimeWarning):
    """Warning for search paths that are ignored; those of a cell come from its program alone."""


def reset_tzpath(to=None):
    """Sets the folders with time zones; by default there are none."""
    global TZPATH
    if to is not None and (isinstance(to, (str, bytes)) or not isinstance(to, Sequence)):
        raise TypeError(f"tzpath must be a list or tuple, not {type(to)}: {to!r}")
    folders = tuple(to or ())
    relative = [folder for folder in folders if not os.path.isabs(folder)]
    if relative:
        raise ValueError(f"tzpaths must be absolute paths, not {', '.join(map(repr, relative))}")
    TZPATH = folders


def find_tzfile(key):
    """Returns the file of a time zone in these folders, or None."""
    _check(key)
    for folder in TZPATH:
        file = os.path.join(folder, key)
        if os.path.isfile(file):
            return file
    return None


def _check(key):
    if os.path.isabs(key):
        raise ValueError(f"ZoneInfo keys may not be absolute paths, got: {key}")
    if len(os.path.normpath(key)) != len(key):
        raise ValueError(f"ZoneInfo keys must be normalized relative paths, got: {key}")
    if os.path.normpath(key).split("/")[0] == "..":
        raise ValueError(f"ZoneInfo keys must refer to subdirectories of TZPATH, got: {key}")


def available_timezones():
    """Returns the names of all time zones."""
    names = set(_cofferdam.time_zones())
    for folder in TZPATH:
        for place, _, files in os.walk(folder):
            for file in files:
                name = os.path.relpath(os.path.join(place, file), folder)
                if name.split("/")[0] not in _NO_ZONES and _is_zone(os.path.join(place, file)):
                    names.add(name)
    return names


def _is_zone(path):
    with open(path, "rb") as file:
        return file.read(4) == b"TZif"


def _load(key):
    """Returns a time zone of the guest as an open file."""
    try:
        data = _cofferdam.time_zone(key)
    except ValueError:  # Not even text.
        data = None
    if data is None:
        raise _common.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(data)


_common.load_tzdata = _load
