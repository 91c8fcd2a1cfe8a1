// Payloads that will not end, or will not stop growing: each in a process of its own, which this one
// watches and, if need be, ends. The same program is started again with the payload's name.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a payload may do before the watcher ends its process: be silent, and take memory. */
const KILL = { silentMs: 5000, memoryMiB: 3072, limitMiB: 1024, runs: 20, budgetMs: 4000 };
const MEMORY = { silentMs: 15000, memoryMiB: 1024, limitMiB: 64, timeMs: 10000 };
/** The deadline is not the same moment of the payload each time. */
const deadline = (run) => 60 + (run % 17);
const BEAT_MS = 250;

/** In the payload's process: runs it, and prints what came of it. */
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
  // A host has survived when it can still do its work.
  if ((await fresh('return 1+1')) !== 2) throw new Error('1+1 is no longer 2');
  tell({ progress: true, survived: true, peakMiB: process.resourceUsage().maxRSS / 1024 });
  process.exit(0);
}

/** A peer that breaks throws at its host, which may go on if it can. */
async function attempt(confined, source, limits) {
  try {
    return await confined(source, limits);
  } catch (error) {
    return { killed: false, said: `threw at the host: ${error.name}: ${error.message}` };
  }
}

/** In the watcher: `{ samples, survived, note }` of one payload; samples are ms, or the peak in MiB. */
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
    // The deadline passed long ago, or no memory limit held; a process that still beats is not lost.
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
        // A figure beside a time that never ended would be of the luckier runs.
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

/** The most memory a process has had; 0 where the system does not say. */
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
