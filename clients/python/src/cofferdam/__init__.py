"""Runs untrusted code: a fresh WebAssembly cell for every call, nothing allowed by default.

    >>> from cofferdam import Sandbox
    >>> Sandbox().run("return 1 + 1")
    2
"""

from ._async import AsyncSandbox
from ._connection import Connection
from ._errors import (
    Cancelled,
    CofferdamError,
    ConnectionLost,
    ExecutionError,
    LimitExceeded,
    PermissionDenied,
    ProgramNotFound,
    RpcError,
    RunError,
    TimeLimit,
    extract_permission_error,
)
from ._functions import Function, function
from ._outcome import Outcome
from ._questions import ALLOW, DENY, Allow, Choice, Deny, Question, Wish
from ._sandbox import Mount, Sandbox, Session, Snapshot

__all__ = [
    "ALLOW",
    "Allow",
    "AsyncSandbox",
    "Cancelled",
    "Choice",
    "CofferdamError",
    "Connection",
    "ConnectionLost",
    "DENY",
    "Deny",
    "ExecutionError",
    "Function",
    "LimitExceeded",
    "Mount",
    "Outcome",
    "PermissionDenied",
    "ProgramNotFound",
    "Question",
    "RpcError",
    "RunError",
    "Sandbox",
    "Session",
    "Snapshot",
    "TimeLimit",
    "Wish",
    "extract_permission_error",
    "function",
]
