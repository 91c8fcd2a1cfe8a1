"""Values that cross to the host: what is not a number, text, bytes, list, dictionary or set."""

import collections.abc
import datetime
import decimal
import enum
import fractions
import os
import uuid


def plain(value):
    """Returns a value that can cross in place of one that cannot."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (decimal.Decimal, fractions.Fraction, uuid.UUID)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, memoryview):
        return bytes(value)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, collections.abc.Mapping):
        return dict(value)
    if isinstance(value, (collections.abc.Iterator, collections.abc.KeysView, collections.abc.ValuesView,
                          collections.abc.ItemsView, collections.abc.Sequence, range)):
        return list(value)
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    raise TypeError(f"a value of type {type(value).__qualname__} cannot be handed out of the cell")


def key(value):
    """Returns a key of a dictionary as text, as `json.dumps` does."""
    if isinstance(value, enum.Enum):
        value = value.value
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (os.PathLike, uuid.UUID)):
        return str(value)
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"keys must be text or numbers, not {type(value).__qualname__}")


def date(ms):
    """Returns a date of the host."""
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc)


def as_set(items):
    """Returns a set, or a list if an item cannot be in a set."""
    try:
        return set(items)
    except TypeError:
        return items


def error(name, message):
    """Returns a copy of an error."""
    return {"name": name, "message": message}
