"""Measures programs of the system, with a process for each run: `processes.py <peer> <program> <measurement> <programs>`.

`shell` runs the scripts of shell.json by `<program> -c`; `process` starts the program for a one-line script.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

RUNS, FEWEST, BUDGET_SECONDS = 300, 5, 4
INPUT = "/data/in.txt"
# Makes sort and grep independent of the machine's locale.
ENVIRONMENT = dict(os.environ, LC_ALL="C")
ONE_LINE = {"deno": ["eval", "console.log(1+1)"]}


def main():
    peer, program, what, programs = sys.argv[1:5]
    # The program of an installed peer is relative to its directory.
    installed = Path(os.environ.get("BENCH_PEER_DIR", ".")) / program
    program = str(installed) if installed.is_file() else program
    line = {"peer": peer, "version": version(program)}
    if what == "process":
        command = [program, *ONE_LINE.get(peer, ["-e", "console.log(1+1)"])]
        print_line(line, "process", "ms", command, expected="2\n")
    elif what == "shell":
        for script in json.loads((Path(programs) / "shell.json").read_text()):
            text = script["script"].replace(INPUT, os.environ["COFFERDAM_BENCH_INPUT"])
            print_line(line, "shell/" + script["name"], script["unit"], [program, "-c", text])
    else:
        sys.exit(f"no such measurement: {what}")


def print_line(line, name, unit, command, expected=None):
    samples = []
    end = time.perf_counter() + BUDGET_SECONDS
    output = run(command)  # warms the file cache before measuring
    while len(samples) < RUNS and (time.perf_counter() < end or len(samples) < FEWEST):
        start = time.perf_counter()
        output = run(command)
        samples.append((time.perf_counter() - start) * (1e6 if unit == "us" else 1e3))
    if expected is not None and output != expected:
        sys.exit(f"error: {command} printed {output!r}, not {expected!r}")
    samples.sort()
    at = {f"p{p}": round(samples[min(len(samples) - 1, len(samples) * p // 100)], 4) for p in (50, 90, 99)}
    check = {} if expected is not None else {"check": output}
    print(json.dumps({**line, "name": name, "unit": unit, **at, "n": len(samples), **check}), flush=True)


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"error: {command[0]}: exit code {done.returncode}: {done.stderr[:200]}")
    return done.stdout


def version(program):
    found = re.search(r"\d+\.\d+(\.\d+)?", run([program, "--version"]))
    return found.group(0) if found else "unknown"


if __name__ == "__main__":
    main()
