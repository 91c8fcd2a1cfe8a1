"""The connection to `cofferdam rpc`: one process, one thread that reads, any number of callers."""

from __future__ import annotations

import asyncio
import atexit
import inspect
import itertools
import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from ._errors import ConnectionLost, RpcError
from ._functions import Function
from ._methods import METHODS
from ._program import find_program
from ._questions import Approver, Question, answer_params

OnOutput = Callable[[str, str], None]


class Call:
    """A request under way."""

    def __init__(self, id: int, on_output: OnOutput | None) -> None:
        self.id = id
        self.future: Future[Any] = Future()
        self.on_output = on_output
        self.failure: BaseException | None = None


class Connection:
    """A running `cofferdam rpc`. Most programs use the one that sandboxes share."""

    _shared: Connection | None = None
    _sharing = threading.Lock()

    def __init__(self, program: str | Sequence[str] | None = None, *, store: bool = False) -> None:
        """Starts the program. With `store`, grants and the audit log outlive it."""
        start = [program] if isinstance(program, str) else list(program or [find_program()])
        self._process = subprocess.Popen(
            [*start, "rpc", *(["--store"] if store else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._calls: dict[int, Call] = {}
        self._functions: dict[int, tuple[Function, asyncio.AbstractEventLoop | None]] = {}
        self._approvers: dict[int, tuple[Approver, asyncio.AbstractEventLoop | None]] = {}
        self._lost: str | None = None
        # Functions and approvers may take long and may use the sandbox themselves.
        self._workers = ThreadPoolExecutor(max_workers=64, thread_name_prefix="cofferdam")
        self._reader = threading.Thread(target=self._read, name="cofferdam-reader", daemon=True)
        self._reader.start()

    @classmethod
    def shared(cls) -> Connection:
        """Returns the connection that sandboxes share, starting it if it does not run."""
        with cls._sharing:
            if cls._shared is None or cls._shared._lost is not None:
                cls._shared = cls()
                atexit.register(cls._shared.close)
            return cls._shared

    def start(
        self, method: str, params: Mapping[str, Any], on_output: OnOutput | None = None
    ) -> Call:
        """Sends a request. Parameters that are None are left out."""
        given = {name: value for name, value in params.items() if value is not None}
        required, optional = METHODS[method]
        unknown = given.keys() - required - optional
        missing = required - given.keys() - {"content"}
        if unknown or missing:
            wrong = ", ".join(sorted(unknown or missing))
            raise TypeError(f"{method}: {'unknown' if unknown else 'missing'} {wrong}")
        call = Call(next(self._ids), on_output)
        with self._lock:
            if self._lost is not None:
                raise ConnectionLost(self._lost)
            self._calls[call.id] = call
        self._write({"jsonrpc": "2.0", "id": call.id, "method": method, "params": given})
        return call

    def call(self, method: str, **params: Any) -> Any:
        """Calls a method and returns its result."""
        return self.start(method, params).future.result()

    def cancel(self, call: Call) -> None:
        """Cancels a request. Does nothing if it has been answered."""
        if not call.future.done():
            self.start("cancel", {"id": call.id})

    def lend(self, function: Function, loop: asyncio.AbstractEventLoop | None) -> dict[str, Any]:
        """Returns the declaration of a function. Calls come back by its handle."""
        handle = next(self._ids)
        with self._lock:
            self._functions[handle] = (function, loop)
        return {
            "name": function.name,
            "description": function.description,
            "parameters": function.parameters,
            "handle": handle,
        }

    def ask(self, approver: Approver, loop: asyncio.AbstractEventLoop | None) -> int:
        """Returns the handle by which questions find the approver."""
        handle = next(self._ids)
        with self._lock:
            self._approvers[handle] = (approver, loop)
        return handle

    def forget(self, handles: Sequence[int]) -> None:
        """Drops functions and approvers of a sandbox that is gone."""
        with self._lock:
            for handle in handles:
                self._functions.pop(handle, None)
                self._approvers.pop(handle, None)

    def close(self) -> None:
        """Ends the program. Runs under way finish first; questions are denied."""
        with self._writing:
            if self._process.stdin is not None and not self._process.stdin.closed:
                self._process.stdin.close()
        self._reader.join()
        self._process.wait()
        self._workers.shutdown(wait=False)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, message: Mapping[str, Any]) -> None:
        line = json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        try:
            with self._writing:
                assert self._process.stdin is not None
                self._process.stdin.write(line)
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ConnectionLost("the connection to cofferdam is closed") from error

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._take(json.loads(line))
        with self._lock:
            self._lost = "the program cofferdam has ended"
            waiting, self._calls = self._calls, {}
        for call in waiting.values():
            call.future.set_exception(ConnectionLost(self._lost))

    def _take(self, message: dict[str, Any]) -> None:
        match message.get("method"):
            case None:
                self._answered(message)
            case "output":
                self._printed(message["params"])
            case "question":
                self._workers.submit(self._decide, message["params"])
            case "function.call":
                self._workers.submit(self._serve, message)
            case _:
                pass

    def _answered(self, message: dict[str, Any]) -> None:
        with self._lock:
            call = self._calls.pop(message["id"], None)
        if call is None or not call.future.set_running_or_notify_cancel():
            return
        if call.failure is not None:
            call.future.set_exception(call.failure)
        elif "error" in message:
            error = message["error"]
            call.future.set_exception(RpcError(error["code"], error["message"]))
        else:
            call.future.set_result(message["result"])

    def _printed(self, params: dict[str, Any]) -> None:
        with self._lock:
            call = self._calls.get(params["id"])
        if call is None or call.on_output is None or call.failure is not None:
            return
        try:
            call.on_output(params["stream"], params["text"])
        except Exception as error:  # Raised where the run is waited for.
            call.failure = error

    def _decide(self, params: dict[str, Any]) -> None:
        question = Question.of(params)
        with self._lock:
            approver, loop = self._approvers.get(params["handle"], (lambda _: False, None))
        try:
            decision = awaited(approver(question), loop)
        except Exception:
            decision = False
        try:
            self.call("question.answer", **answer_params(question, decision))
        except (RpcError, ConnectionLost):
            pass  # The question may have been closed meanwhile.

    def _serve(self, message: dict[str, Any]) -> None:
        params = message["params"]
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        with self._lock:
            function, loop = self._functions.get(params["handle"], (None, None))
        try:
            if function is None:
                raise LookupError(f"{params['name']}: no longer lent")
            result = awaited(function.body(**(params["args"] or {})), loop)
            self._write({**answer, "result": result})
        except ConnectionLost:
            pass
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            self._write({**answer, "error": {"code": -32000, "message": text}})


def awaited(value: Any, loop: asyncio.AbstractEventLoop | None) -> Any:
    """Returns a value, or the result of a coroutine, run in the caller's loop if there is one."""
    if not inspect.isawaitable(value):
        return value

    async def result() -> Any:
        return await value

    if loop is None or loop.is_closed():
        return asyncio.run(result())
    return asyncio.run_coroutine_threadsafe(result(), loop).result()
