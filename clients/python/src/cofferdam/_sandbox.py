"""Sandboxes that are kept, and everything that can be done with one."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._connection import Call, Connection, OnOutput
from ._functions import Function
from ._outcome import Outcome
from ._questions import Approver, Span

Content = str | bytes
Mode = Literal["ro", "overlay", "rw"]


@dataclass(frozen=True)
class Mount:
    """A directory of this machine, shown at a path of the sandbox."""

    host: str
    at: str
    mode: Mode = "ro"


@dataclass(frozen=True)
class Snapshot:
    """The content of a sandbox at one moment."""

    id: str


class Sandbox:
    """An isolated sandbox: files, storage, variables, grants and limits.

    Nothing is allowed by default. `capabilities` are given at once; an `approver` is asked about
    the rest; `functions` are lent to tools.
    """

    def __init__(
        self,
        *,
        capabilities: Iterable[str] = (),
        files: Mapping[str, Content] | None = None,
        mounts: Iterable[Mount] = (),
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        stdin: str | None = None,
        limits: Mapping[str, int] | None = None,
        functions: Iterable[Function] = (),
        approver: Approver | None = None,
        page: str | None = None,
        connection: Connection | None = None,
        archive: bytes | None = None,
        _loop: asyncio.AbstractEventLoop | None = None,
        _id: str | None = None,
    ) -> None:
        self.connection = connection or Connection.shared()
        self.id: str
        self._handles: list[int] = []
        if _id is not None:
            self.id = _id
            return
        lent = list(functions)
        declared = [self.connection.lend(function, _loop) for function in lent]
        granted = [function.capability for function in lent if function.grant]
        ask = self.connection.ask(approver, _loop) if approver is not None else None
        self._handles = [item["handle"] for item in declared] + ([ask] if ask is not None else [])
        params: dict[str, Any] = {
            "capabilities": [*capabilities, *granted],
            "mounts": [{"host": m.host, "at": m.at, "mode": m.mode} for m in mounts],
            "env": dict(env or {}),
            "stdin": stdin,
            "limits": dict(limits or {}),
            "functions": declared,
            "ask": ask,
            "page": page,
        }
        if archive is not None:
            params["base64"] = base64.b64encode(archive).decode()
            made = self.connection.call("sandbox.import", **params)
        else:
            params["files"] = {path: encoded(content) for path, content in (files or {}).items()}
            params["cwd"] = cwd
            made = self.connection.call("sandbox.create", **params)
        self.id = made["sandbox"]

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancels every run and drops the sandbox."""
        self._call("sandbox.destroy")
        self.connection.forget(self._handles)

    # Runs

    def run(
        self,
        code: str,
        args: Any = None,
        *,
        language: Literal["js", "ts"] = "js",
        name: str | None = None,
        timeout: float | None = None,
        limits: Mapping[str, int] | None = None,
        on_output: OnOutput | None = None,
    ) -> Any:
        """Runs a tool in a fresh cell and returns its result. Raises a RunError if it fails."""
        outcome = self.execute(
            code, args, language=language, name=name, timeout=timeout, limits=limits,
            on_output=on_output,
        )
        return outcome.check().result

    def execute(
        self,
        code: str,
        args: Any = None,
        *,
        language: Literal["js", "ts"] = "js",
        name: str | None = None,
        timeout: float | None = None,
        limits: Mapping[str, int] | None = None,
        on_output: OnOutput | None = None,
        session: str | None = None,
    ) -> Outcome:
        """Runs a tool and returns the outcome, also of a run that failed."""
        params = tool_params(code, args, language, name, timeout, limits, session)
        return Outcome.of(self._start(params, on_output).future.result())

    def shell(
        self,
        command: str,
        *,
        stdin: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        timeout: float | None = None,
        limits: Mapping[str, int] | None = None,
        on_output: OnOutput | None = None,
    ) -> Outcome:
        """Runs a shell command, like `bash -c`."""
        params = shell_params(command, stdin, env, cwd, timeout, limits)
        return Outcome.of(self._start(params, on_output).future.result())

    def native(
        self,
        *argv: str,
        timeout: float | None = None,
        limits: Mapping[str, int] | None = None,
        on_output: OnOutput | None = None,
    ) -> Outcome:
        """Runs a real program of the machine behind walls of the operating system (Linux only).

        Input, variables and mounted folders are those of the sandbox.
        """
        params = native_params(argv, timeout, limits)
        return Outcome.of(self._start(params, on_output).future.result())

    def session(self, name: str = "default") -> Session:
        """Returns a session, in which variables stay between runs."""
        return Session(self, name)

    def cancel(self) -> bool:
        """Cancels every run under way; returns true if there was one."""
        return bool(self._call("sandbox.cancel")["cancelled"])

    @property
    def is_running(self) -> bool:
        """True if a run is under way."""
        return bool(self._call("sandbox.isRunning")["running"])

    # Content

    def write(self, path: str, content: Content, *, executable: bool = False) -> None:
        """Writes a file and the folders above it."""
        self._call("sandbox.write", path=path, content=encoded(content), executable=executable)

    def read(self, path: str, max_bytes: int | None = None) -> bytes:
        """Reads a file."""
        answer = self._call("sandbox.read", path=path, maxBytes=max_bytes, encoding="base64")
        return base64.b64decode(answer["base64"])

    def read_text(self, path: str) -> str:
        """Reads a file as UTF-8."""
        return self.read(path).decode()

    def list(self, path: str) -> list[str]:
        """Returns the names in a folder; those of folders end with a slash."""
        entries = self._call("sandbox.list", path=path)["entries"]
        return [entry["name"] + ("/" if entry["isFolder"] else "") for entry in entries]

    @property
    def env(self) -> dict[str, str]:
        """The variables that later runs start with."""
        return dict(self._call("sandbox.getEnv")["env"])

    def set_env(self, env: Mapping[str, str | None]) -> None:
        """Sets variables for later runs; None removes one."""
        self._call("sandbox.setEnv", env=dict(env))

    def fork(self) -> Sandbox:
        """Returns a copy. Later changes to one are not seen by the other."""
        return Sandbox(connection=self.connection, _id=self._call("sandbox.fork")["sandbox"])

    def snapshot(self) -> Snapshot:
        """Takes a snapshot of files, storage and variables."""
        return Snapshot(self._call("sandbox.snapshot")["snapshot"])

    def restore(self, snapshot: Snapshot) -> None:
        """Restores a snapshot. Fails while a run is under way."""
        self._call("sandbox.restore", snapshot=snapshot.id)

    def drop_snapshot(self, snapshot: Snapshot) -> None:
        """Drops a snapshot."""
        self.connection.call("snapshot.drop", snapshot=snapshot.id)

    def export(self) -> bytes:
        """Returns the content as one file; `Sandbox(archive=…)` makes a sandbox of it."""
        return base64.b64decode(self._call("sandbox.export")["base64"])

    # Registered tools

    def add_tool(
        self,
        name: str,
        source: str,
        *,
        description: str,
        language: Literal["js", "ts"] = "js",
        parameters: Mapping[str, Any] | None = None,
        returns: Mapping[str, Any] | None = None,
        wants: list[str] | None = None,
    ) -> Any:
        """Registers a tool, or a new version of one, in the store of the program."""
        schemas = {"parameters": parameters, "returns": returns, "wants": wants}
        given = {key: value for key, value in schemas.items() if value is not None}
        return self.connection.call(
            "tool.add", name=name, description=description, kind=language, source=source, **given
        )["tool"]

    def tools(self) -> Any:
        """Returns the registered tools."""
        return self.connection.call("tool.list")["tools"]

    def tool(self, name: str) -> Any:
        """Returns a registered tool with its source and earlier versions."""
        return self.connection.call("tool.show", name=name)["tool"]

    def remove_tool(self, name: str) -> None:
        """Removes a registered tool with all its versions."""
        self.connection.call("tool.remove", name=name)

    def call_tool(self, name: str, args: Any = None) -> Any:
        """Runs a registered tool and returns its result. Raises a RunError if it fails."""
        return Outcome.of(self._call("tool.call", name=name, args=args)["outcome"]).check().result

    # Permissions

    def grant(
        self,
        capability: str | None = None,
        *,
        request: str | None = None,
        span: Span | None = None,
        tool: str | None = None,
        expires_in: float | None = None,
        max_uses: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Grants a capability, or a request by its id, to this sandbox."""
        grant: dict[str, Any] = self._call(
            "grants.grant",
            capability=capability,
            request=request,
            span=span,
            tool=tool,
            expiresInMs=None if expires_in is None else int(expires_in * 1000),
            maxUses=max_uses,
            headers=dict(headers) if headers is not None else None,
        )["grant"]
        return grant

    def grants(self) -> Any:
        """Returns the grants that are in force."""
        return self._call("grants.list")["grants"]

    def revoke(self, grant: str) -> None:
        """Revokes a grant by its id."""
        self._call("grants.revoke", grant=grant)

    def requests(self, *, all: bool = False) -> Any:
        """Returns denied requests, latest first."""
        return self.connection.call("requests.list", all=all)["requests"]

    def deny(self, request: str) -> None:
        """Denies a recorded request by its id."""
        self.connection.call("requests.deny", request=request)

    def questions(self) -> Any:
        """Returns the questions that wait for an answer."""
        return self.connection.call("question.list")["questions"]

    def audit(self, *, last: int | None = None, event: str | None = None, verdict: str | None = None) -> Any:
        """Returns lines of the audit log of this sandbox, oldest first."""
        return self._call("audit.read", last=last, event=event, verdict=verdict)["lines"]

    # Functions, state and page

    def functions(self) -> Any:
        """Returns the functions lent to tools, with their schemas."""
        return self._call("functions.list")["functions"]

    def publish(self, name: str, content: Any, metadata: Any = None) -> None:
        """Publishes a value that tools with a grant may read."""
        self._call("state.publish", name=name, content=content, metadata=metadata)

    def published(self, name: str) -> Any:
        """Returns a published value, as tools may have changed it; None if there is none."""
        return self._call("state.read", name=name)["content"]

    @property
    def page(self) -> str | None:
        """The page as HTML."""
        html: str | None = self._call("page.html")["html"]
        return html

    @page.setter
    def page(self, html: str) -> None:
        self._call("page.set", html=html)

    def page_events(self) -> Any:
        """Takes the events that tools caused on the page."""
        return self._call("page.events")["events"]

    def _call(self, method: str, **params: Any) -> Any:
        return self.connection.call(method, sandbox=self.id, **params)

    def _start(self, params: dict[str, Any], on_output: OnOutput | None) -> Call:
        params = {**params, "sandbox": self.id, "stream": on_output is not None}
        return self.connection.start("exec", params, on_output)


class Session:
    """A kept cell: each run is a script, and variables stay for the next."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        self.sandbox = sandbox
        self.name = name

    def run(self, code: str, *, timeout: float | None = None, on_output: OnOutput | None = None) -> Any:
        """Runs a script and returns the value of its last expression."""
        outcome = self.sandbox.execute(code, timeout=timeout, on_output=on_output, session=self.name)
        return outcome.check().result

    def close(self) -> bool:
        """Drops the cell and its variables; returns false if there is none."""
        return bool(self.sandbox._call("session.close", session=self.name)["closed"])

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def encoded(content: Content) -> str | dict[str, str]:
    """Returns the content of a file in the form that `rpc` takes."""
    if isinstance(content, str):
        return content
    return {"base64": base64.b64encode(content).decode()}


def limits_of(timeout: float | None, limits: Mapping[str, int] | None) -> dict[str, int]:
    """Combines a time in seconds with other limits."""
    given = dict(limits or {})
    if timeout is not None:
        given["timeoutMs"] = max(1, round(timeout * 1000))
    return given


def tool_params(
    code: str,
    args: Any,
    language: str,
    name: str | None,
    timeout: float | None,
    limits: Mapping[str, int] | None,
    session: str | None,
) -> dict[str, Any]:
    return {
        "kind": language,
        "code": code,
        "args": args,
        "name": name,
        "limits": limits_of(timeout, limits),
        "session": session,
    }


def shell_params(
    command: str,
    stdin: str | None,
    env: Mapping[str, str] | None,
    cwd: str | None,
    timeout: float | None,
    limits: Mapping[str, int] | None,
) -> dict[str, Any]:
    return {
        "kind": "shell",
        "command": command,
        "stdin": stdin,
        "env": dict(env) if env is not None else None,
        "cwd": cwd,
        "limits": limits_of(timeout, limits),
    }


def native_params(
    argv: Sequence[str], timeout: float | None, limits: Mapping[str, int] | None
) -> dict[str, Any]:
    return {"kind": "native", "argv": list(argv), "limits": limits_of(timeout, limits)}
