"""The same sandbox for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from ._connection import OnOutput
from ._outcome import Outcome
from ._questions import Span
from ._sandbox import Content, Sandbox, Snapshot, native_params, shell_params, tool_params


class AsyncSandbox:
    """A sandbox whose runs are awaited: `async with AsyncSandbox() as sandbox`.

    Takes the settings of `Sandbox`. Functions and approvers may be coroutines; they run in the
    loop that made the sandbox. Cancelling the task that waits for a run cancels the run.
    """

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self._made: Sandbox | None = None

    async def open(self) -> AsyncSandbox:
        """Makes the sandbox, if it is not made yet."""
        if self._made is None:
            loop = asyncio.get_running_loop()
            self._made = await asyncio.to_thread(Sandbox, _loop=loop, **self._settings)
        return self

    async def __aenter__(self) -> AsyncSandbox:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def sync(self) -> Sandbox:
        """The sandbox without asyncio, for the methods that are not here."""
        if self._made is None:
            raise RuntimeError("the sandbox is not open; use `async with` or await open()")
        return self._made

    async def close(self) -> None:
        """Cancels every run and drops the sandbox."""
        await asyncio.to_thread(self.sync.close)

    async def run(
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
        params = tool_params(code, args, language, name, timeout, limits, None)
        return (await self._exec(params, on_output)).check().result

    async def execute(
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
        return await self._exec(params, on_output)

    async def shell(
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
        return await self._exec(params, on_output)

    async def native(
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
        return await self._exec(params, on_output)

    async def write(self, path: str, content: Content) -> None:
        """Writes a file and the folders above it."""
        await asyncio.to_thread(self.sync.write, path, content)

    async def read(self, path: str) -> bytes:
        """Reads a file."""
        return await asyncio.to_thread(self.sync.read, path)

    async def fork(self) -> AsyncSandbox:
        """Returns a copy. Later changes to one are not seen by the other."""
        copy = AsyncSandbox()
        copy._made = await asyncio.to_thread(self.sync.fork)
        return copy

    async def snapshot(self) -> Snapshot:
        """Takes a snapshot of files, storage and variables."""
        return await asyncio.to_thread(self.sync.snapshot)

    async def restore(self, snapshot: Snapshot) -> None:
        """Restores a snapshot. Fails while a run is under way."""
        await asyncio.to_thread(self.sync.restore, snapshot)

    async def grant(self, capability: str, *, span: Span | None = None) -> dict[str, Any]:
        """Grants a capability to this sandbox."""
        return await asyncio.to_thread(self.sync.grant, capability, span=span)

    async def cancel(self) -> bool:
        """Cancels every run under way; returns true if there was one."""
        return await asyncio.to_thread(self.sync.cancel)

    async def _exec(self, params: dict[str, Any], on_output: OnOutput | None) -> Outcome:
        await self.open()
        call = self.sync._start(params, on_output)
        try:
            return Outcome.of(await asyncio.shield(asyncio.wrap_future(call.future)))
        except asyncio.CancelledError:
            self.sync.connection.cancel(call)
            raise
