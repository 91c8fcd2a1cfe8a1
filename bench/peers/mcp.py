"""Measures calls of a tool of an MCP server on standard input and output: `mcp.py <peer> <tool> <arguments> <expected> <program>... <measurement> <programs>`.

Calls are made one after the other on one connection. `<expected>` must be in the first result.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

RUNS, FEWEST, WARM, BUDGET_SECONDS = 5000, 5, 50, 10


def main():
    peer, tool, arguments, expected, *command = sys.argv[1:-2]
    home = Path(os.environ.get("BENCH_PEER_DIR", "."))
    # The program of an installed peer is relative to its directory.
    command = [str(home / word) if (home / word).is_file() else word for word in command]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = ask(child, 0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
    version = said["result"]["serverInfo"]["version"]
    send(child, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    params = {"name": tool, "arguments": json.loads(arguments)}
    first = ask(child, 1, "tools/call", params)
    if expected not in json.dumps(first):
        sys.exit(f"error: {peer} answered {json.dumps(first)[:200]}")
    samples, number = [], 1
    end = time.perf_counter() + BUDGET_SECONDS
    while len(samples) < RUNS and (time.perf_counter() < end or len(samples) < FEWEST):
        number += 1
        start = time.perf_counter()
        ask(child, number, "tools/call", params)
        took = (time.perf_counter() - start) * 1e6
        if number > WARM or took > 1e5:
            samples.append(took)
    child.kill()
    samples.sort()
    at = {f"p{p}": round(samples[min(len(samples) - 1, len(samples) * p // 100)], 4) for p in (50, 90, 99)}
    print(json.dumps({"peer": peer, "version": version, "name": "mcp/call", "unit": "us", **at, "n": len(samples)}), flush=True)


def send(child, message):
    child.stdin.write(json.dumps(message) + "\n")
    child.stdin.flush()


def ask(child, number, method, params):
    send(child, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    # A server may send notifications and requests of its own first; some also print words.
    while line := child.stdout.readline():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("id") == number and "method" not in message:
            return message
    sys.exit("error: the server ended")


if __name__ == "__main__":
    main()
