"""`subprocess`: commands of the sandbox. The host runs a command to its end, so its output arrives in
one piece, and it starts when its input is complete."""

import errno
import io
import os
import re
import subprocess
import sys

from . import host


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


def _is_missing(done):
    """Returns true if the command does not exist, which is an error of the call itself."""
    return done["exitCode"] != 0 and _MISSING.fullmatch(done["stderr"].decode("utf-8", "replace")) is not None


class _Input(io.BytesIO):
    """Standard input of a command, which is sent when the command starts."""

    def close(self):
        if not self.closed:
            self.content = self.getvalue()
        super().close()


class Popen:
    """A command of the sandbox. It runs when its result is needed."""

    def __init__(self, args, bufsize=-1, executable=None, stdin=None, stdout=None, stderr=None,
                 preexec_fn=None, close_fds=True, shell=False, cwd=None, env=None,
                 universal_newlines=None, startupinfo=None, creationflags=0, restore_signals=True,
                 start_new_session=False, pass_fds=(), *, user=None, group=None, extra_groups=None,
                 encoding=None, errors=None, text=None, umask=-1, pipesize=-1, process_group=None):
        if preexec_fn is not None or pass_fds:
            raise ValueError("a command of the sandbox takes no preexec_fn and no pass_fds")
        self.args = args
        self.pid = 2
        self.returncode = None
        self._text = bool(text or universal_newlines or encoding or errors)
        self.encoding, self.errors, self.text_mode = encoding, errors, self._text
        self._targets = (stdout, stderr)
        self._started = False
        self._outputs = (b"", b"")
        self._cwd, self._env = cwd, env
        if shell:
            self._what = args if isinstance(args, (str, bytes)) else args[0]
            self._what = os.fsdecode(self._what)
        else:
            self._what = [args] if isinstance(args, (str, bytes, os.PathLike)) else list(args)
            if not self._what:
                raise IndexError("list index out of range")
        self._input = None
        self.stdin = self.stdout = self.stderr = None
        if stdin == subprocess.PIPE:
            self._input = _Input()
            self.stdin = self._wrapped(self._input)
        elif stdin is None:
            pass
        elif stdin != subprocess.DEVNULL:
            self._input = stdin
        # Without a pipe for its input the command can run at once, and errors are raised here.
        if self.stdin is None:
            self._run(None)

    def _wrapped(self, stream):
        if not self._text:
            return stream
        return io.TextIOWrapper(stream, encoding=self.encoding or "utf-8", errors=self.errors, write_through=True)

    def _taken(self, given):
        if given is not None:
            return given.encode(self.encoding or "utf-8", self.errors or "strict") if isinstance(given, str) else given
        if self.stdin is not None:
            if not self.stdin.closed:
                self.stdin.close()
            return self._input.content
        if self._input is None:
            return None
        source = self._input
        if isinstance(source, int):
            return os.read(source, 1 << 30)
        content = source.read()
        return content.encode() if isinstance(content, str) else content

    def _run(self, given):
        self._started = True
        shell = isinstance(self._what, str)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        wanted = described(self._what, self._cwd, self._env, self._taken(given), shell)
        import _cofferdam

        _cofferdam.flush()
        done = host.now(host.COMMAND_RUN, "v", "v", wanted)
        if not shell and _is_missing(done):
            name = self._what[0]
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(os.fspath(name)))
        self.returncode = done["exitCode"]
        out, err = done["stdout"], done["stderr"]
        to_out, to_err = self._targets
        if to_err == subprocess.STDOUT:
            out, err = out + err, b""
        self._outputs = (self._delivered(out, to_out, sys.stdout), self._delivered(err, to_err, sys.stderr))
        if to_out == subprocess.PIPE:
            self.stdout = self._wrapped(io.BytesIO(out))
        if to_err == subprocess.PIPE:
            self.stderr = self._wrapped(io.BytesIO(err))

    def _delivered(self, data, target, own):
        if target is None:
            own.flush()
            own.buffer.write(data)
            own.buffer.flush()
            return None
        if target == subprocess.PIPE:
            return data
        if target in (subprocess.DEVNULL, subprocess.STDOUT):
            return None
        if isinstance(target, int):
            os.write(target, data)
            return None
        target.flush()
        getattr(target, "buffer", target).write(data)
        target.flush()
        return None

    def _shown(self, data):
        if data is None or not self._text:
            return data
        return data.decode(self.encoding or "utf-8", self.errors or "strict").replace("\r\n", "\n")

    def communicate(self, input=None, timeout=None):
        if not self._started:
            self._run(input)
        return self._shown(self._outputs[0]), self._shown(self._outputs[1])

    def wait(self, timeout=None):
        if not self._started:
            self._run(None)
        return self.returncode

    def poll(self):
        if self.stdin is not None and not self.stdin.closed and not self._started:
            return None
        return self.wait()

    def __getattribute__(self, name):
        # Reading the output of a command that has its input starts it.
        if name in ("stdout", "stderr"):
            own = object.__getattribute__(self, "__dict__")
            if own.get("_started") is False and "stdin" in own and own["_targets"][name == "stderr"] == subprocess.PIPE:
                object.__getattribute__(self, "_run")(None)
        return object.__getattribute__(self, name)

    def send_signal(self, sig):
        pass

    def terminate(self):
        pass

    def kill(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wait()

    def __repr__(self):
        return f"<Popen: returncode: {self.returncode} args: {self.args!r}>"

    @classmethod
    def __class_getitem__(cls, item):
        return cls


def system(command):
    """`os.system`: the exit status as the system call reports it."""
    return subprocess.call(command, shell=True) << 8


def install():
    subprocess.Popen = Popen
    os.system = system
