"""Refusals of the host as exceptions."""

import errno
import os

# Members of a denial, and the attributes that they become.
_ATTRIBUTES = {
    "code": "code",
    "requiredPermission": "required_permission",
    "attemptedAction": "attempted_action",
    "requestId": "request_id",
}


class HostError(RuntimeError):
    """The host refused a call for a reason that Python has no class for."""


def describe(error, members):
    """Gives an exception the attributes of a denial."""
    for name, value in members.items():
        attribute = _ATTRIBUTES.get(name)
        if attribute is not None:
            setattr(error, attribute, value)
    return error


def refusal(name, message, members):
    """Returns the exception for a refusal."""
    if name == "PermissionError":
        return describe(PermissionError(errno.EACCES, message), members)
    number = getattr(errno, members.get("code", ""), None)
    if number is not None:
        path = members.get("path")
        return OSError(number, os.strerror(number), path)
    kind = {"TypeError": TypeError, "RangeError": ValueError, "NotSupportedError": NotImplementedError}
    return kind.get(name, HostError)(message)
