"""Measures Monty, an interpreter for a part of Python: `monty.py <measurement> <programs>`.

One sample is a new session in a worker that is ready, `1 + 1` in it, and its end. A worker is used for many sessions.
"""

import importlib.metadata
import json
import time

from pydantic_monty import Monty

RUNS, FEWEST, WARM, BUDGET_SECONDS = 2000, 20, 100, 6
SOURCE = "def tool():\n    return 1 + 1\ntool()"


def main():
    with Monty() as pool:
        samples = []
        end = time.perf_counter() + BUDGET_SECONDS
        while len(samples) < WARM + RUNS and (time.perf_counter() < end or len(samples) < FEWEST):
            start = time.perf_counter()
            with pool.checkout() as session:
                result = session.feed_run(SOURCE)
            samples.append((time.perf_counter() - start) * 1e6)
            if result != 2:
                raise SystemExit(f"error: {result!r} instead of 2")
    samples = sorted(samples[WARM:] or samples)
    at = {f"p{p}": round(samples[min(len(samples) - 1, len(samples) * p // 100)], 4) for p in (50, 90, 99)}
    version = importlib.metadata.version("pydantic-monty")
    print(json.dumps({"peer": "monty", "version": version, "name": "python_new_tool", "unit": "us", **at, "n": len(samples)}))


if __name__ == "__main__":
    main()
