"""Exceptions. A run that fails raises a RunError; anything else is a failure of the connection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._outcome import Outcome


class CofferdamError(Exception):
    """Base of every exception of this package."""


class ProgramNotFound(CofferdamError):
    """The program cofferdam cannot be found."""


class ConnectionLost(CofferdamError):
    """The program ended, or the connection was closed."""


class RpcError(CofferdamError):
    """The program refused a request; the message begins with the parameter that is wrong."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class RunError(CofferdamError):
    """A run failed. The outcome has its output."""

    def __init__(self, outcome: Outcome) -> None:
        error = outcome.error or {}
        name, message = error.get("name", ""), error.get("message", "")
        super().__init__(f"{name}: {message}" if name else message)
        self.outcome = outcome
        self.code: str = error.get("code", "")
        self.name: str = name
        self.message: str = message
        self.stack: str = error.get("stack", "")


class ExecutionError(RunError):
    """The tool threw or could not be parsed, or the program exited with another code than 0."""


class TimeLimit(RunError):
    """The run reached its time limit."""


class Cancelled(RunError):
    """The run was cancelled."""


class LimitExceeded(RunError):
    """The run reached a limit other than time."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.limit: str = (outcome.error or {}).get("limit", "")


class PermissionDenied(RunError):
    """The run was denied a capability and failed because of it."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        error = outcome.error or {}
        self.required_permission: str = error.get("requiredPermission", "")
        self.request_id: str = error.get("requestId", "")
        self.attempted_action: str = error.get("attemptedAction", "")


CLASSES: dict[str, type[RunError]] = {
    "EXECUTION_ERROR": ExecutionError,
    "TIMEOUT": TimeLimit,
    "CANCELLED": Cancelled,
    "LIMIT_EXCEEDED": LimitExceeded,
    "CAPABILITY_DENIED": PermissionDenied,
}


def extract_permission_error(stderr: str) -> dict[str, str] | None:
    """Returns the last denial that a native program wrote to standard error, or None.

    A denial is a line of JSON with requiredPermission, attemptedAction, requestId and message.
    """
    for line in reversed(stderr.splitlines()):
        if not line.startswith('{"code":"PERMISSION_DENIED"'):
            continue
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if found.get("requiredPermission") and found.get("requestId"):
            return dict(found)
    return None
