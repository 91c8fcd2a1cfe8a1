// Runs payloads that do not end or do not stop growing. Each runs in a process of its own, which this
// process watches and kills if necessary. The child is the same program with the payload's name.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Limits beyond which the watcher kills the process of a payload: silence and memory. */
const KILL = { silentMs: 5000, memoryMiB: 3072, limitMiB: 1024, runs: 20, budgetMs: 4000 };
const MEMORY = { silentMs: 15000, memoryMiB: 1024, limitMiB: 64, timeMs: 10000 };
/** Varies the deadline so that the payload is stopped at a different point each time. */
const deadline = (run) => 60 + (run % 17);
const BEAT_MS = 250;

/** Runs in the payload's process: runs the payload and prints the result. */
export async function runPayload(what, source, confined, fresh) {
  const tell = (message) => process.stdout.write(JSON.stringify(message) + '\n');
  setInterval(() => tell({ alive: true }), BEAT_MS).unref();
  tell({ alive: true, progress: true });
  if (what === 'kill') {
    const end = performance.now() + KILL.budgetMs;
    for (let run = 0; run < KILL.runs && (run < 3 || performance.now() < end); run++) {
      const timeMs = deadline(run);
      const { began, killed, said } = await attempt(confined, source, { timeMs, memoryMiB: KILL.limitMiB });
      const over = Math.max(0, performance.now() - began - timeMs);
      tell(killed ? { progress: true, over } : { progress: true, said: `ended by itself: ${said}` });
      if (!killed) break;
    }
  } else {
    const { killed, said } = await attempt(confined, source, { timeMs: MEMORY.timeMs, memoryMiB: MEMORY.limitMiB });
    tell({ progress: true, said: killed ? `stopped by its time limit of ${MEMORY.timeMs / 1000} s` : said });
  }
  // A host has survived if it can still run a tool.
  if ((await fresh('return 1+1')) !== 2) throw new Error('1+1 is no longer 2');
  tell({ progress: true, survived: true, peakMiB: process.resourceUsage().maxRSS / 1024 });
  process.exit(0);
}

/** Runs a payload; an exception of the peer is recorded, and the host continues. */
async function attempt(confined, source, limits) {
  try {
    return await confined(source, limits);
  } catch (error) {
    return { killed: false, said: `threw at the host: ${error.name}: ${error.message}` };
  }
}

/** Runs in the watcher: returns `{ samples, survived, note }` of a payload; samples are ms, or the peak in MiB. */
export function battery(what, name) {
  const limits = what === 'kill' ? KILL : MEMORY;
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    env: { ...process.env, BENCH_PAYLOAD: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen = { samples: [], survived: false, notes: [], peak: 0, beat: Date.now() };
  const end = (note, survived) => {
    seen.ended ??= { note, survived };
    child.kill('SIGKILL');
  };
  let silence;
  const progress = () => {
    clearTimeout(silence);
    // The payload was not stopped in time. The host is not lost if its heartbeat continues.
    const word = what === 'kill' ? 'not killed' : 'not ended';
    silence = setTimeout(
      () => end(`${word} within ${limits.silentMs / 1000} s`, Date.now() - seen.beat < 4 * BEAT_MS),
      limits.silentMs,
    );
  };
  const watch = setInterval(() => {
    seen.peak = Math.max(seen.peak, peakMiB(child.pid));
    if (seen.peak > limits.memoryMiB) end(`passed ${limits.memoryMiB} MiB and was ended by the watcher`, false);
  }, 20);
  progress();

  let rest = '';
  child.stdout.on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      seen.beat = Date.now();
      if (message.progress) progress();
      if (message.over !== undefined) seen.samples.push(message.over);
      if (message.said) seen.notes.push(message.said);
      if (message.survived) seen.survived = true;
      seen.peak = Math.max(seen.peak, message.peakMiB ?? 0);
    }
  });
  let errors = '';
  child.stderr.on('data', (data) => (errors = (errors + data).slice(-20000)));

  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(silence);
      clearInterval(watch);
      if (seen.ended) {
        // Drops the samples of earlier runs, which would hide that this one was not stopped.
        const before = seen.samples.splice(0).length;
        seen.notes.push(seen.ended.note + (before > 0 ? ` in run ${before + 1}` : ''));
      } else if (!seen.survived) {
        seen.notes.push(`host died of ${signal ?? `exit code ${code}`}${reason(errors)}`);
      }
      const samples = what === 'kill' ? seen.samples : seen.peak > 0 ? [seen.peak] : [];
      const note = seen.notes.join('; ').slice(0, 200);
      resolve({ samples, survived: seen.ended ? seen.ended.survived : seen.survived, ...(note && { note }) });
    });
  });
}

/** Returns the peak memory of a process; 0 if the system does not report it. */
function peakMiB(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function reason(errors) {
  const line = errors.split('\n').find((text) => /fatal|error|oom/i.test(text));
  return line ? ` (${line.replace(/^[#\s]+/, '').slice(0, 100)})` : '';
}
