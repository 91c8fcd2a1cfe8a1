"""Measures walls around real programs: `walls.py <peer> native <programs>`, one process for each run.

`native/true` and `native/bun` are the whole time of a program that does nothing, and the note is how much
later it ends than bare; each run is followed by a bare one, so that other load affects both. `native/open` is one
open and close of a file that the program may read, `native/open_file` the same where one file was granted and not
its folder. `native/kill` is the time until a hundred children are gone after the outermost process was told to end.
"""

import json
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS, FEWEST, BUDGET_SECONDS = 100, 10, 8
HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target"))
COFFERDAM = os.environ.get("COFFERDAM_BENCH_PROGRAM") or str(TARGET / "release/cofferdam")
SYSTEM = ["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"]
BWRAP = ["bwrap", *SYSTEM, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--unshare-all", "--die-with-parent", "--clearenv"]
OPENS = """import os, sys, time
path, best = sys.argv[1], 1e9
for _ in range(20):
    start = time.perf_counter()
    for _ in range(500):
        os.close(os.open(path, os.O_RDONLY))
    best = min(best, (time.perf_counter() - start) / 500)
print(best * 1e6)
"""
CHILDREN = """import os, sys, time
for n in range(100):
    if os.fork() == 0:
        if n % 2: os.setsid()
        time.sleep(600)
print('started', flush=True)
time.sleep(600)
"""


def main():
    peer, what = sys.argv[1:3]
    if what != "native":
        sys.exit(f"no such measurement: {what}")
    with tempfile.TemporaryDirectory(prefix="cofferdam-bench-") as directory:
        peers = {"bare": Bare, "cofferdam": Ours, "bwrap": Bwrap, "codex": Codex, "srt": Srt}
        measure(peer, peers[peer](Path(directory).resolve()))


class Bare:
    environment = dict(os.environ)

    def __init__(self, folder):
        self.folder = folder
        (folder / "data").mkdir()
        (folder / "data/file").write_text("x")
        self.file = str(folder / "data/file")

    def version(self):
        return os.uname().release.split("-")[0]

    def wrap(self, words):
        return words

    def wrap_to_read(self, words):
        return self.wrap(words)


class Ours(Bare):
    def version(self):
        return found_version([COFFERDAM, "--version"])

    def wrap(self, words, *options):
        return [COFFERDAM, "exec", "--ephemeral", "--limit", "timeoutMs=60000", "--limit", "processes=200", *options, "--", *words]

    def wrap_to_read(self, words):
        return self.wrap(words, "--allow", f"fs:read:{self.folder}/data/**")

    def wrap_to_read_file(self, words):
        return self.wrap(words, "--allow", f"fs:read:{self.file}")


class Bwrap(Bare):
    def version(self):
        return found_version(["bwrap", "--version"])

    def wrap(self, words, *options):
        at = str(Path(words[0]).resolve()) if "/" in words[0] else None
        shown = ["--ro-bind", at, at] if at and not at.startswith("/usr") else []
        return [*BWRAP, *shown, *options, "--", *words]

    def wrap_to_read(self, words):
        return self.wrap(words, "--ro-bind", f"{self.folder}/data", f"{self.folder}/data")


class Codex(Bare):
    def version(self):
        return found_version([*self.wrap([])[:1], "--version"])

    def wrap(self, words):
        return [installed("node_modules/.bin/codex"), "sandbox", "--", *words]


class Srt(Bare):
    def __init__(self, folder):
        super().__init__(folder)
        # It needs socat and ripgrep; a folder may have them if the system does not.
        debian = Path(installed("debian"))
        libraries = ":".join(str(debian / part) for part in ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"))
        if debian.is_dir():
            self.environment = dict(os.environ, PATH=f"{debian}/usr/bin:{os.environ['PATH']}", LD_LIBRARY_PATH=libraries)

    def version(self):
        return found_version([*self.wrap([])[:1], "--version"])

    def wrap(self, words):
        # It joins its arguments to a command of a shell.
        return [installed("node_modules/.bin/srt"), *([shlex.join(words)] if words else [])]


def installed(path):
    return str(Path(os.environ.get("BENCH_PEER_DIR", ".")).parent / "walls" / path)


def measure(peer, walls):
    line = {"peer": peer, "version": walls.version()}
    bun = os.environ.get("COFFERDAM_BENCH_BUN") or installed("node_modules/@oven/bun-linux-x64-baseline/bin/bun")
    for name, words in (("true", ["/usr/bin/true"]), ("bun", [bun, "-e", "1"])):
        if Path(words[0]).is_file():
            start_up(line, f"native/{name}", walls, words)
    opens(line, "native/open", walls, walls.wrap_to_read)
    if hasattr(walls, "wrap_to_read_file"):
        opens(line, "native/open_file", walls, walls.wrap_to_read_file)
    kill(line, walls)


def start_up(line, name, walls, words):
    samples, later = [], []
    end = time.perf_counter() + BUDGET_SECONDS
    run(walls, walls.wrap(words))
    while len(samples) < RUNS and (time.perf_counter() < end or len(samples) < FEWEST):
        taken, bare = run(walls, walls.wrap(words)), run(walls, words)
        samples.append(taken)
        later.append(taken - bare)
    note = "" if line["peer"] == "bare" else f"{statistics.median(later):.1f} ms later than bare, at best {min(later):.1f}"
    report(line, name, "ms", samples, note)


def opens(line, name, walls, wrap):
    samples = []
    for _ in range(5):
        done = subprocess.run(wrap(["/usr/bin/python3", "-S", "-c", OPENS, walls.file]), capture_output=True, text=True, env=walls.environment)
        if done.returncode != 0:
            sys.exit(f"error: {name}: exit code {done.returncode}: {done.stderr[-300:]}")
        samples.append(float(done.stdout))
    report(line, name, "us", samples)


def kill(line, walls):
    samples, left = [], 0
    for _ in range(5):
        marker = f"cofferdam-bench-{os.getpid()}-{len(samples)}"
        words = ["/usr/bin/python3", "-S", "-c", CHILDREN, marker]
        child = subprocess.Popen(walls.wrap(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=walls.environment)
        child.stdout.readline()
        start = time.perf_counter()
        child.send_signal(signal.SIGTERM)
        child.wait()
        limit = start + 1
        while (alive := processes(marker)) and time.perf_counter() < limit:
            time.sleep(0.001)
        samples.append((time.perf_counter() - start) * 1e3)
        left = max(left, len(alive))
        for pid in alive:
            os.kill(pid, signal.SIGKILL)
    report(line, "native/kill", "ms", samples, f"{left} left after a second" if left else "none left")


def processes(marker):
    """Returns the processes of this machine whose command line has a word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def run(walls, command):
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=walls.environment)
    taken = (time.perf_counter() - start) * 1e3
    if done.returncode != 0:
        sys.exit(f"error: {command[0]}: exit code {done.returncode}: {done.stderr[-300:]!r}")
    return taken


def report(line, name, unit, samples, note=""):
    samples.sort()
    at = {f"p{p}": round(samples[min(len(samples) - 1, len(samples) * p // 100)], 3) for p in (50, 90, 99)}
    print(json.dumps({**line, "name": name, "unit": unit, **at, "n": len(samples), **({"note": note} if note else {})}), flush=True)


def found_version(command):
    text = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(r"\d+\.\d+(\.\d+)?", text)
    return found.group(0) if found else "unknown"


if __name__ == "__main__":
    main()
