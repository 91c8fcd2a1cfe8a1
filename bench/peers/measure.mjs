// The driver shared by all peers: takes samples and prints the result lines.
//
// A peer calls `measure` with its name, its version and a function for each measurement it supports. The
// last two command-line arguments are the measurement and the directory of the programs.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { battery, runPayload } from './battery.mjs';

const FRESH = { warm: 200, runs: 2000, budgetMs: 6000, fewest: 20 };
const HOST_CALL = { warm: 20, runs: 200, budgetMs: 3000, fewest: 20 };
const SHELL = { warm: 50, runs: 2000, budgetMs: 4000, fewest: 5 };
/** A new interpreter takes seconds in some peers. */
const PYTHON = { warm: 0, runs: 20, budgetMs: 8000, fewest: 2 };
const PAGE = { warm: 5, runs: 30, budgetMs: 8000, fewest: 5 };
/** Warm-up runs that are not measured: V8 recompiles hot WebAssembly and JavaScript while it runs. */
const COMPUTE = { warm: 3, runs: 5 };
const CALLS = 1000;

/** Loads packages from the cache of the runner, never from the directory of this file. */
export const require = createRequire(join(process.env.BENCH_PEER_DIR ?? process.cwd(), 'package.json'));

/** Returns the version of an installed package, for the result lines. */
export function versionOf(name) {
  const entry = require.resolve.paths(name).map((dir) => join(dir, name, 'package.json'));
  for (const path of entry) {
    try {
      return JSON.parse(readFileSync(path, 'utf8')).version;
    } catch {
      // not in this directory
    }
  }
  return 'unknown';
}

/** Returns a tool's body as an expression: a call of a function of `(btcp, args)`. */
export const called = (body) => `(function (btcp, args) {${body}\n})({}, {})`;
/** Like `called`, for an async body; the expression evaluates to a promise. */
export const calledAsync = (body) => `(async function (btcp, args) {${body}\n})({}, {})`;

/**
 * Runs the measurement named on the command line and prints its lines.
 *
 * - `fresh(body)` creates a runtime, runs the body in it, and destroys it.
 * - `hostCalls(n)` makes n host calls in a runtime that stays open and returns the milliseconds they took.
 * - `open()` creates a runtime and returns `{ run(body), close() }`.
 * - `confined(body, { timeMs, memoryMiB })` runs the body under limits and returns `{ began, killed, said }`:
 *   the start of the deadline, true if the deadline ended the body, and the message to the caller.
 * - `shell(script, input)` runs a script in a new shell and returns its output; `input`, if given, is the
 *   contents of `/data/in.txt`.
 * - `page(html)` returns the article of a page.
 * - `python(source)` runs a source in a new interpreter and returns the value of its last expression.
 *
 * Each may be async. A peer passes those it supports.
 */
export async function measure({ peer, version, fresh, hostCalls, open, confined, shell, page, python }) {
  const [what, programs] = process.argv.slice(-2);
  const line = (name, unit, samples, more) =>
    console.log(JSON.stringify({ peer, version, name, unit, ...percentiles(samples), ...more }));

  if (what === 'fresh') {
    line('fresh', 'us', await repeat(FRESH, async () => {
      const start = performance.now();
      const result = await fresh('return 1+1');
      const took = performance.now() - start;
      if (result !== 2) throw new Error(`1+1 is ${result}`);
      return took * 1000;
    }));
  } else if (what === 'host_call') {
    line('host_call', 'us', await repeat(HOST_CALL, async () => ((await hostCalls(CALLS)) * 1000) / CALLS));
  } else if (what === 'compute') {
    for (const file of readdirSync(programs).filter((name) => name.endsWith('.js')).sort()) {
      const body = readFileSync(join(programs, file), 'utf8');
      let check;
      const once = async () => {
        const world = await open();
        const start = performance.now();
        check = await world.run(body);
        const took = performance.now() - start;
        await world.close();
        return took;
      };
      for (let i = 0; i < COMPUTE.warm; i++) await once();
      const samples = [];
      for (let i = 0; i < COMPUTE.runs; i++) samples.push(await once());
      line(`compute/${basename(file, '.js')}`, 'ms', samples, { check });
    }
  } else if (what === 'shell') {
    const text = readFileSync(process.env.COFFERDAM_BENCH_INPUT, 'utf8');
    for (const { name, unit, script, input } of payloads(programs, what)) {
      const perMs = unit === 'us' ? 1000 : 1;
      const [samples, check] = await timed(SHELL, () => shell(script, input ? text : undefined));
      line(`shell/${name}`, unit, samples.map((ms) => ms * perMs), { check });
    }
  } else if (what === 'page') {
    const html = readFileSync(process.env.COFFERDAM_BENCH_PAGE, 'utf8');
    const [samples, { title, length }] = await timed(PAGE, () => page(html));
    line('page', 'ms', samples, { check: `${title}: ${length}` });
  } else if (what === 'python') {
    const [samples, result] = await timed(PYTHON, () => python('def tool():\n    return 1 + 1\ntool()'));
    if (result !== 2) throw new Error(`${result} instead of 2`);
    line('python_new_tool', 'us', samples.map((ms) => ms * 1000));
  } else if (what === 'kill' || what === 'memory') {
    const base = { peer, version };
    if (process.env.BENCH_PAYLOAD) {
      const payload = payloads(programs, what).find(({ name }) => name === process.env.BENCH_PAYLOAD);
      await runPayload(what, payload.source, confined, fresh);
    } else {
      for (const { name } of payloads(programs, what)) {
        const { samples, ...more } = await battery(what, name);
        const figures = samples.length > 0 ? percentiles(samples) : {};
        const unit = what === 'kill' ? 'ms' : 'MiB';
        console.log(JSON.stringify({ ...base, name: `${what}/${name}`, unit, ...figures, ...more }));
      }
    }
  } else {
    throw new Error(`no such measurement: ${what}`);
  }
}

const payloads = (programs, what) => JSON.parse(readFileSync(join(programs, `${what}.json`), 'utf8'));

/** Returns the milliseconds of each call, and the result of the last. */
async function timed(how, work) {
  let given;
  const samples = await repeat(how, async () => {
    const start = performance.now();
    given = await work();
    return performance.now() - start;
  });
  return [samples, given];
}

async function repeat({ warm, runs, budgetMs, fewest }, sample) {
  const end = performance.now() + budgetMs;
  for (let i = 0; i < warm && performance.now() < end - budgetMs * 0.7; i++) await sample();
  const samples = [];
  while (samples.length < runs && (performance.now() < end || samples.length < fewest)) samples.push(await sample());
  return samples;
}

function percentiles(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (p) => Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))].toPrecision(5));
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), n: sorted.length };
}
