"""Commands of the sandbox for tasks. Output arrives as it is printed, and input is taken while the
command runs."""

__all__ = ("create_subprocess_exec", "create_subprocess_shell")

import subprocess
import sys

from cofferdam import host, processes
from cofferdam.answers import look

from . import events, streams, tasks

PIPE = subprocess.PIPE
STDOUT = subprocess.STDOUT
DEVNULL = subprocess.DEVNULL

_LIMIT = streams._DEFAULT_LIMIT


class _Writer:
    """Standard input of a command. Pieces are sent in the order in which they were written."""

    def __init__(self, number, loop):
        self._number, self._loop = number, loop
        self._last = None
        self._is_closing = False

    async def _send(self, earlier, pieces):
        if earlier is not None:
            await earlier
        try:
            for last, piece in pieces:
                await host.later(host.COMMAND_FEED, "ubr", "", self._number, last, piece)
        except TypeError:
            # The command has ended and takes no more.
            pass

    def _queue(self, content, is_last=False):
        pieces = processes.pieces_of(content, is_last)
        self._last = self._loop.create_task(self._send(self._last, pieces))

    def write(self, content):
        if self._is_closing:
            raise RuntimeError("write() after the end of standard input")
        self._queue(bytes(content))

    def writelines(self, lines):
        self.write(b"".join(lines))

    async def drain(self):
        if self._last is not None:
            await tasks.shield(self._last)

    def can_write_eof(self):
        return True

    def write_eof(self):
        if not self._is_closing:
            self._is_closing = True
            self._queue(b"", is_last=True)

    close = write_eof

    def is_closing(self):
        return self._is_closing

    wait_closed = drain


class Process:
    """A command of the sandbox under way."""

    def __init__(self, number, loop, targets, limit):
        self.pid = number
        self.returncode = None
        self.reason = b""
        self._signal = None
        self._targets = targets
        self.stdin = _Writer(number, loop) if targets[0] == PIPE else None
        self.stdout, self.stderr = (
            streams.StreamReader(limit=limit, loop=loop) if target == PIPE else None for target in targets[1:]
        )
        # A command that does not exist ends as soon as it is looked at.
        ticket, event = look(host.COMMAND_NEXT, "u", "r", number)
        if ticket is None:
            self._take(event)
        self._following = loop.create_task(self._follow(loop, ticket))

    async def _follow(self, loop, ticket):
        if ticket is not None:
            self._take(await loop.answer_to(ticket, "r"))
        while self.returncode is None:
            self._take(await host.later(host.COMMAND_NEXT, "u", "r", self.pid))
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.feed_eof()

    def _take(self, event):
        kind, content = event[0], event[1:]
        if kind in (processes.STDOUT, processes.STDERR):
            self._show(kind, content)
        elif kind == processes.STOPPED:
            self.returncode = -(self._signal or processes.SIGKILL)
        else:
            self.reason = content[4:]
            self.returncode = int.from_bytes(content[:4], "little", signed=True)
            if not processes.is_missing(self.returncode, self.reason):
                self._show(processes.STDERR, self.reason)

    def _show(self, kind, content):
        if kind == processes.STDERR and self._targets[2] == STDOUT:
            kind = processes.STDOUT
        target = self._targets[kind]
        if target == PIPE:
            (self.stdout if kind == processes.STDOUT else self.stderr).feed_data(content)
        elif target is None:
            own = sys.__stdout__ if kind == processes.STDOUT else sys.__stderr__
            own.buffer.write(content)
            own.buffer.flush()
        elif target != DEVNULL:
            target.write(content)

    async def wait(self):
        await tasks.shield(self._following)
        return self.returncode

    async def communicate(self, input=None):
        if self.stdin is not None:
            if input is not None:
                self.stdin.write(input)
            self.stdin.close()
        await tasks.shield(self._following)
        return tuple([await stream.read() if stream is not None else None for stream in (self.stdout, self.stderr)])

    def send_signal(self, signal):
        if self.returncode is not None:
            raise ProcessLookupError()
        if signal != 0:
            self._signal = self._signal or signal
            host.now(host.COMMAND_STOP, "u", "", self.pid)

    def terminate(self):
        self.send_signal(processes.SIGTERM)

    def kill(self):
        self.send_signal(processes.SIGKILL)

    def __repr__(self):
        return f"<Process {self.pid}>"


async def _start(what, is_shell, stdin, stdout, stderr, limit, cwd=None, env=None):
    processes.flush()
    wanted = processes.described(what, cwd, env, processes.content_of(stdin), is_shell)
    wanted["piped"] = stdin == PIPE
    number = await host.later(host.COMMAND_START, "v", "v", wanted)
    return Process(int(number), events.get_running_loop(), (stdin, stdout, stderr), limit)


async def create_subprocess_shell(cmd, stdin=None, stdout=None, stderr=None, limit=_LIMIT, **options):
    return await _start(cmd, True, stdin, stdout, stderr, limit, **options)


async def create_subprocess_exec(program, *args, stdin=None, stdout=None, stderr=None, limit=_LIMIT, **options):
    process = await _start([program, *args], False, stdin, stdout, stderr, limit, **options)
    if processes.is_missing(process.returncode, process.reason):
        raise processes.not_found(program)
    return process
