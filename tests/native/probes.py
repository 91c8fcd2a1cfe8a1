"""Attempts to get out of a sandbox from Python. Prints one line for each: its name, then "held", or
"ESCAPED" and the way.

Arguments: a secret file of the host, the number of a process of the host, a UDP port and a TCP port of
the host's loopback, the path of a socket of the host, and milliseconds for each race.
"""

import ctypes
import mmap
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

SECRET, HOST_PID, UDP, TCP, SOCKET, RACE_MS = sys.argv[1:7]
HOST_PID, UDP, TCP, RACE = int(HOST_PID), int(UDP), int(TCP), int(RACE_MS) / 1000
TOKEN = b"SECRET-OF-THE-HOST"
FOLDER, NAME = os.path.split(SECRET)
LIBC = ctypes.CDLL(None, use_errno=True)
PROBES = {}


def probe(act):
    PROBES[act.__name__] = act
    return act


def reads(path, **more):
    with open(path, "rb", **more) as file:
        return "read" if TOKEN in file.read(4096) else None


def does(act, *words, **named):
    act(*words, **named)
    return getattr(act, "__name__", "done")


def start(*words):
    return "started" if subprocess.run(words, capture_output=True, timeout=10).returncode == 0 else None


def call(number, *words):
    """Makes a system call of x86-64; says so if it succeeds."""
    return f"call {number}" if LIBC.syscall(ctypes.c_long(number), *map(ctypes.c_long, words)) >= 0 else None


def text(value):
    return ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value


for name, act in {
    "file_read": lambda: reads(SECRET),
    "file_open": lambda: does(os.open, SECRET, os.O_RDONLY),
    "file_path": lambda: does(os.open, SECRET, os.O_PATH),
    "file_stat": lambda: does(os.stat, SECRET),
    "file_access": lambda: "access" if os.access(SECRET, os.F_OK) else None,
    "file_list": lambda: "listdir" if NAME in os.listdir(FOLDER) else None,
    "file_scan": lambda: "scandir" if any(e.name == NAME for e in os.scandir(FOLDER)) else None,
    "file_write": lambda: does(os.open, SECRET, os.O_WRONLY),
    "file_truncate": lambda: does(os.truncate, SECRET, 0),
    "file_unlink": lambda: does(os.unlink, SECRET),
    "file_rename": lambda: does(os.rename, SECRET, "/tmp/taken"),
    "file_link": lambda: does(os.link, SECRET, "/tmp/linked"),
    "file_symlink": lambda: (os.symlink(SECRET, "/tmp/py-link"), reads("/tmp/py-link"))[1],
    "file_chmod": lambda: does(os.chmod, SECRET, 0o777),
    "file_owner": lambda: does(os.chown, SECRET, os.getuid(), -1),
    "file_times": lambda: does(os.utime, SECRET),
    "file_xattr": lambda: does(os.listxattr, SECRET),
    "file_statvfs": lambda: does(os.statvfs, SECRET),
    "file_chdir": lambda: (os.chdir(FOLDER), reads(NAME))[1],
    "file_dots": lambda: reads("/tmp/../../../../.." + SECRET),
    "file_proc_root": lambda: reads("/proc/self/root" + SECRET),
    "file_proc_cwd": lambda: reads("/proc/self/cwd/../../../../.." + SECRET),
    "file_init_root": lambda: reads("/proc/1/root" + SECRET),
    "file_shadow": lambda: does(open, "/etc/shadow"),
    "file_system": lambda: does(open, "/usr/lib/py-new", "w"),
    "file_root": lambda: does(os.mkdir, "/py-new"),
    "folder_descriptor": lambda: "climbed" if os.open("../../../../.." + SECRET, 0, dir_fd=os.open("/tmp", os.O_DIRECTORY)) else None,
    "folder_fchdir": lambda: (os.fchdir(os.open("/", os.O_DIRECTORY)), reads(SECRET[1:]))[1],
    "environment": lambda: "env" if TOKEN.decode() in os.environ.values() else None,
    "environment_proc": lambda: reads("/proc/self/environ"),
    "environment_init": lambda: reads("/proc/1/environ"),
    "proc_host": lambda: does(open, f"/proc/{HOST_PID}/status"),
    "proc_memory": lambda: does(open, "/proc/1/mem", "r+b", buffering=0),
    "proc_pattern": lambda: does(open, "/proc/sys/kernel/core_pattern", "w"),
    "proc_sysrq": lambda: does(os.write, os.open("/proc/sysrq-trigger", os.O_WRONLY), b"") if os.path.getsize("/proc/sysrq-trigger") else None,
    "signal_host": lambda: does(os.kill, HOST_PID, 0),
    "signal_group": lambda: does(os.killpg, HOST_PID, signal.SIGCONT),
    "socket_path": lambda: does(socket.socket(socket.AF_UNIX).connect, SOCKET),
    "socket_abstract": lambda: does(socket.socket(socket.AF_UNIX).connect, "\0cofferdam-probe"),
    "socket_datagram": lambda: does(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto, b"x", SOCKET),
    "socket_pair": lambda: does(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto, b"x", SOCKET),
    "socket_netlink": lambda: does(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0),
    "socket_vsock": lambda: does(socket.socket, socket.AF_VSOCK, socket.SOCK_STREAM),
    "socket_packet": lambda: does(socket.socket, socket.AF_PACKET, socket.SOCK_RAW),
    "socket_raw": lambda: does(socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    # The host looks at these two.
    "socket_udp": lambda: (socket.socket(type=socket.SOCK_DGRAM).sendto(b"probe", ("127.0.0.1", UDP)), None)[1],
    "socket_tcp": lambda: (socket.create_connection(("127.0.0.1", TCP), 1).sendall(b"probe"), None)[1],
    "program_child": lambda: start("/usr/bin/id"),
    "program_shell": lambda: start("/bin/sh", "-c", f"test -r {SECRET}"),
    "program_own": lambda: (shutil.copy("/usr/bin/true", "/tmp/own-true"), start("/tmp/own-true"))[1],
    "program_shared_memory": lambda: (shutil.copy("/usr/bin/true", "/dev/shm/true"), start("/dev/shm/true"))[1],
    "program_loader": lambda: start("/lib64/ld-linux-x86-64.so.2", "/usr/bin/true"),
    "program_library": lambda: does(ctypes.CDLL, shutil.copy("/lib/x86_64-linux-gnu/libm.so.6", "/tmp/own.so")),
    "identity_root": lambda: does(os.setuid, 0) if os.getuid() else None,
    "identity_groups": lambda: does(os.setgroups, [0, 1, 4]),
    "call_unshare_user": lambda: call(272, 0x10000000),
    "call_unshare_mount": lambda: call(272, 0x20000),
    "call_setns": lambda: call(308, 0, 0),
    "call_mount": lambda: call(165, text(b"none"), text(b"/tmp"), text(b"tmpfs"), 0, 0),
    "call_chroot": lambda: call(161, text(b"/tmp")),
    "call_ptrace": lambda: call(101, 16, 1, 0, 0),
    "call_io_uring": lambda: call(425, 8, ctypes.addressof(ctypes.create_string_buffer(256))),
    "call_bpf": lambda: call(321, 0, ctypes.addressof(ctypes.create_string_buffer(128)), 128),
    "call_userfaultfd": lambda: call(323, 1),
    "call_keyctl": lambda: call(250, 0, -3, 0),
    "call_add_key": lambda: call(248, text(b"user"), text(b"a"), text(b"b"), 1, -3),
    "call_handle": lambda: call(304, -100, ctypes.addressof(ctypes.create_string_buffer(64)), 0),
    "call_pidfd_host": lambda: call(434, HOST_PID, 0),
    "call_clone3": lambda: call(435, 0, 0),
}.items():
    PROBES[name] = act


@probe
def descriptors():
    """Looks for open files that the caller left open."""
    for number in os.listdir("/proc/self/fd"):
        try:
            at = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
        if at.startswith(FOLDER) or "store.db" in at:
            return at


@probe
def program_memory():
    """Runs a program from memory."""
    file = os.memfd_create("x", 0)
    with open("/usr/bin/true", "rb") as program:
        os.write(file, program.read())
    child = os.fork()
    if child == 0:
        try:
            os.execve(file, ["x"], {})
        finally:
            os._exit(99)
    return "started" if os.waitpid(child, 0)[1] == 0 else None


@probe
def program_mapped():
    """Maps a file of its own as code."""
    with open("/tmp/code", "w+b") as file:
        file.write(b"\xc3" * 4096)
        file.flush()
        mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
    return "mapped"


def race(prepare, swap, act):
    prepare()
    end = time.monotonic() + RACE

    def other():
        while time.monotonic() < end:
            try:
                swap()
            except OSError:
                pass

    thread = threading.Thread(target=other)
    thread.start()
    found = None
    while found is None and time.monotonic() < end:
        try:
            found = act()
        except OSError:
            pass
    thread.join()
    return found


@probe
def race_link():
    def swap():
        for target in (SECRET, "/etc/hostname"):
            os.symlink(target, "/tmp/p1")
            os.rename("/tmp/p1", "/tmp/raced")

    return race(lambda: os.symlink("/etc/hostname", "/tmp/raced"), swap, lambda: reads("/tmp/raced"))


@probe
def race_folder():
    def prepare():
        os.mkdir("/tmp/g1")
        open(f"/tmp/g1/{NAME}", "w").close()
        os.symlink(FOLDER, "/tmp/g2")

    def swap():
        for old, new in (("g1", "g3"), ("g2", "g1"), ("g1", "g2"), ("g3", "g1")):
            os.rename(f"/tmp/{old}", f"/tmp/{new}")

    return race(prepare, swap, lambda: reads(f"/tmp/g1/{NAME}"))


for name, act in PROBES.items():
    try:
        found = act()
    except Exception:
        found = None
    print(name, f"ESCAPED {found}" if found else "held", flush=True)
