"""`subprocess`: commands of the sandbox. Output arrives as it is printed, input is taken while the
command runs, and a command can be stopped."""

import errno
import io
import os
import re
import subprocess
import sys

import _cofferdam

from . import host
from .answers import expect, wait_until

# Kinds of events of a command: the first byte of each.
ENDED, STDOUT, STDERR, STOPPED = range(4)

# Signals by which `kill` and `terminate` end a command.
SIGKILL, SIGTERM = 9, 15

# Longest piece of input that crosses at once.
_PIECE = 64 << 10


def described(what, cwd=None, env=None, input=None, shell=None):
    """Returns a command as the host takes it."""
    if shell is None:
        shell = isinstance(what, str)
    folder = os.fspath(cwd) if cwd is not None else os.getcwd()
    if not folder.startswith("/"):
        folder = os.path.join(os.getcwd(), folder)
    wanted = {"shell": what} if shell else {"argv": [os.fsdecode(os.fspath(word)) for word in what]}
    if folder != "/home/user":
        wanted["cwd"] = folder
    if env is not None:
        wanted["env"] = [[str(name), str(value)] for name, value in env.items()]
    elif os.environ.changed:
        wanted["set"] = [[name, value] for name, value in os.environ.changed.items() if value is not None]
    if input is not None:
        wanted["stdin"] = input.encode() if isinstance(input, str) else bytes(input)
    return wanted


_MISSING = re.compile(r"(ExecError: [^:]*: no such file or directory|.*: command not found)\s*")


def is_missing(code, reason):
    """Returns true if the command does not exist, which is an error of the call itself."""
    return bool(code) and _MISSING.fullmatch(reason.decode("utf-8", "replace")) is not None


def not_found(name):
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(os.fspath(name)))


def pieces_of(content, is_last):
    """Returns the calls that write to standard input: a mark of the last one, and a piece."""
    pieces = [(0, bytes(content[at : at + _PIECE])) for at in range(0, len(content), _PIECE)]
    return pieces + [(1, b"")] * is_last


class Command:
    """A command under way. It advances while an answer about it is pending, so one always is."""

    def __init__(self, number, show):
        """Follows a command that was started. `show(stream, bytes)` receives its output."""
        self.number = number
        self.code = None
        # The reason of a failure that the command did not print itself.
        self.reason = b""
        self.signal = None
        self._show = show
        self._ask()

    @property
    def is_over(self):
        return self.code is not None

    @property
    def is_missing(self):
        return is_missing(self.code, self.reason)

    def _ask(self):
        while not self.is_over:
            ticket, event = _cofferdam.start(host.COMMAND_NEXT, "u", "r", self.number)
            if ticket is not None:
                expect(ticket, self._answered)
                return
            self._take(event)

    def _answered(self, status, payload):
        self._take(_cofferdam.answer(status, payload, "r"))
        self._ask()

    def _take(self, event):
        kind, content = event[0], event[1:]
        if kind in (STDOUT, STDERR):
            self._show(kind, content)
            return
        if kind == STOPPED:
            self.code = -(self.signal or SIGKILL)
        else:
            self.code = int.from_bytes(content[:4], "little", signed=True)
            self.reason = content[4:]
            if self.reason and not self.is_missing:
                self._show(STDERR, self.reason)

    def write(self, content, is_last=False, until=None):
        """Writes to standard input and waits until the command has taken it. Returns the rest if the
        time is over first."""
        for number, piece in enumerate(pieces := pieces_of(content, is_last)):
            if self.is_over:
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
            try:
                ticket, _ = _cofferdam.start(host.COMMAND_FEED, "ubr", "", self.number, *piece)
            except TypeError:
                # It has ended, and its last event was not taken yet.
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from None
            taken = [] if ticket is not None else [True]
            if ticket is not None:
                expect(ticket, lambda *answer: taken.append(answer))
            if not wait_until(lambda: taken or self.is_over, until() if until is not None else None):
                return b"".join(piece for _, piece in pieces[number + 1 :])
        return b""

    def stop(self, number):
        if not self.is_over:
            self.signal = self.signal or number
            _cofferdam.call(host.COMMAND_STOP, "u", "", self.number)


def flush():
    """Shows what the script has written so far to the command, and prints it before its output."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    _cofferdam.flush()


class _Input(io.RawIOBase):
    """Standard input of a command."""

    def __init__(self, command):
        self._command = command
        self.is_ended = False

    def writable(self):
        return True

    def write(self, content):
        content = bytes(content)
        self._command.write(content)
        return len(content)

    def close(self):
        if not self.is_ended and not self._command.is_over:
            self.is_ended = True
            self._command.write(b"", is_last=True)
        super().close()


class _Output(io.RawIOBase):
    """Standard output or error of a command: pieces that it has printed."""

    def __init__(self, content, is_over):
        self._content, self._is_over = content, is_over

    def readable(self):
        return True

    def readinto(self, room):
        wait_until(lambda: self._content or self._is_over())
        size = min(len(room), len(self._content))
        room[:size] = self._content[:size]
        del self._content[:size]
        return size


class Popen:
    """A command of the sandbox."""

    def __init__(self, args, bufsize=-1, executable=None, stdin=None, stdout=None, stderr=None,
                 preexec_fn=None, close_fds=True, shell=False, cwd=None, env=None,
                 universal_newlines=None, startupinfo=None, creationflags=0, restore_signals=True,
                 start_new_session=False, pass_fds=(), *, user=None, group=None, extra_groups=None,
                 encoding=None, errors=None, text=None, umask=-1, pipesize=-1, process_group=None):
        if preexec_fn is not None or pass_fds:
            raise ValueError("a command of the sandbox takes no preexec_fn and no pass_fds")
        self.args = args
        self.returncode = None
        self._text = bool(text or universal_newlines or encoding or errors)
        self.encoding, self.errors, self.text_mode = encoding, errors, self._text
        self._targets = {STDOUT: stdout, STDERR: stderr}
        self._content = {STDOUT: bytearray(), STDERR: bytearray()}
        # What `communicate` has not written yet, if it ran out of time.
        self._unsent = None
        if shell:
            what = os.fsdecode(args if isinstance(args, (str, bytes)) else args[0])
        else:
            what = [args] if isinstance(args, (str, bytes, os.PathLike)) else list(args)
            if not what:
                raise IndexError("list index out of range")
        flush()
        wanted = described(what, cwd, env, content_of(stdin), shell)
        wanted["piped"] = stdin == subprocess.PIPE
        self._command = Command(int(host.now(host.COMMAND_START, "v", "v", wanted)), self._shown)
        self.pid = self._command.number
        self._name = None if shell else what[0]
        is_over = lambda: self._command.is_over
        self._input = _Input(self._command)
        self.stdin = self._writer(self._input) if stdin == subprocess.PIPE else None
        self.stdout, self.stderr = (
            self._reader(_Output(self._content[kind], is_over)) if self._targets[kind] == subprocess.PIPE else None
            for kind in (STDOUT, STDERR)
        )
        if not shell:
            # A command that does not exist ends as soon as it is looked at.
            wait_until(is_over, 0)
            self._check_found()

    def _reader(self, raw):
        stream = io.BufferedReader(raw)
        if not self._text:
            return stream
        return io.TextIOWrapper(stream, encoding=self.encoding or "utf-8", errors=self.errors)

    def _writer(self, raw):
        stream = io.BufferedWriter(raw)
        if not self._text:
            return stream
        return io.TextIOWrapper(stream, encoding=self.encoding or "utf-8", errors=self.errors, write_through=True)

    def _check_found(self):
        if self._name is not None and self._command.is_missing:
            raise not_found(self._name)

    def _shown(self, kind, content):
        """Takes a piece of output to where the caller wants it."""
        target = self._targets[kind]
        if kind == STDERR and target == subprocess.STDOUT:
            kind, target = STDOUT, self._targets[STDOUT]
        if target == subprocess.PIPE:
            self._content[kind] += content
        elif target is None:
            own = sys.__stdout__ if kind == STDOUT else sys.__stderr__
            own.buffer.write(content)
            own.buffer.flush()
        elif target == subprocess.DEVNULL:
            pass
        elif isinstance(target, int):
            os.write(target, content)
        else:
            target.flush()
            getattr(target, "buffer", target).write(content)
            target.flush()

    def _ended(self, timeout):
        """Waits for the end of the command."""
        if not wait_until(lambda: self._command.is_over, timeout):
            return False
        self._check_found()
        self.returncode = self._command.code
        return True

    def communicate(self, input=None, timeout=None):
        until = _until(timeout)
        if self._unsent is None:
            self._unsent = self._encoded(input)
        if self.stdin is not None and not self.stdin.closed:
            try:
                self.stdin.flush()
                self._unsent = self._command.write(self._unsent, until=until)
            except BrokenPipeError:
                self._unsent = b""
            if not self._unsent:
                self.stdin.close()
        left = until() if until is not None else None
        if not self._ended(left):
            out = bytes(self._content[STDOUT]) or None
            raise subprocess.TimeoutExpired(self.args, timeout, output=out)
        out, err = (stream.read() if stream is not None else None for stream in (self.stdout, self.stderr))
        return out, err

    def _encoded(self, given):
        if given is None:
            return b""
        if isinstance(given, str):
            return given.encode(self.encoding or "utf-8", self.errors or "strict")
        return bytes(given)

    def wait(self, timeout=None):
        if not self._ended(timeout):
            raise subprocess.TimeoutExpired(self.args, timeout)
        return self.returncode

    def poll(self):
        self._ended(0)
        return self.returncode

    def send_signal(self, sig):
        # Every signal that a command can be sent ends it; 0 only asks if it runs.
        if sig != 0:
            self._command.stop(sig)

    def terminate(self):
        self.send_signal(SIGTERM)

    def kill(self):
        self.send_signal(SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        if self.stdin is not None:
            self.stdin.close()
        self.wait()

    def __repr__(self):
        return f"<Popen: returncode: {self.returncode} args: {self.args!r}>"

    @classmethod
    def __class_getitem__(cls, item):
        return cls


def _until(timeout):
    """Returns a function that tells how many seconds are left."""
    if timeout is None:
        return None
    import time

    end = time.monotonic() + timeout
    return lambda: max(0, end - time.monotonic())


def content_of(stdin):
    """Returns the content of a file that is the standard input of a command."""
    if stdin is None or stdin in (subprocess.PIPE, subprocess.DEVNULL):
        return None
    if isinstance(stdin, int):
        return os.read(stdin, 1 << 30)
    content = stdin.read()
    return content.encode() if isinstance(content, str) else content


def system(command):
    """`os.system`: the exit status as the system call reports it."""
    return subprocess.call(command, shell=True) << 8


def install():
    subprocess.Popen = Popen
    os.system = system
