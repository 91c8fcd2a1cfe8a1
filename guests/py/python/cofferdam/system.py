"""Functions of `os` and `atexit` that WASI lacks, as far as a cell can have them."""

import atexit
import os

from . import host


def _path(path):
    path = os.fsdecode(os.fspath(path))
    return path if path.startswith("/") else os.path.join(os.getcwd(), path)


def chmod(path, mode, *, dir_fd=None, follow_symlinks=True):
    host.now(host.FILE_MODE, "su", "", _path(path), mode & 0o777)


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    try:
        bits = os.stat(path).st_mode
    except OSError:
        return False
    wanted = (mode & os.R_OK and 0o444) | (mode & os.W_OK and 0o222) | (mode & os.X_OK and 0o111)
    return all(bits & part for part in (wanted & 0o444, wanted & 0o222, wanted & 0o111) if part)


def umask(mask):
    return 0o022


def install():
    os.chmod = chmod
    os.access = access
    os.umask = umask
    os.cpu_count = lambda: 1
    os.process_cpu_count = os.cpu_count
    os.getpid = lambda: 2
    os.getppid = lambda: 1
    for name in ("getuid", "geteuid", "getgid", "getegid"):
        setattr(os, name, lambda: 1000)
    os.getlogin = lambda: "user"
    os.get_terminal_size = _no_terminal


def _no_terminal(fd=1):
    raise OSError(25, os.strerror(25))


def run_at_exit():
    atexit._run_exitfuncs()
