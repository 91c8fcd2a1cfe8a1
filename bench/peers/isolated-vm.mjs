// Measures isolated-vm: a separate V8 isolate in Node's process.
import { calledAsync, measure, require, versionOf } from './measure.mjs';

const ivm = require('isolated-vm');

function open() {
  const isolate = new ivm.Isolate({ memoryLimit: 64 });
  const context = isolate.createContextSync();
  return {
    context,
    run: (body) => context.evalClosureSync(`const btcp = {}, args = {};${body}\n`),
    close: () => isolate.dispose(),
  };
}

let kept;
function hostCalls(count) {
  if (!kept) {
    kept = open();
    kept.context.global.setSync('add', new ivm.Callback((n) => n + 1));
  }
  const start = performance.now();
  const last = kept.run(`let n = 0; while (n < ${count}) n = add(n); return n`);
  const took = performance.now() - start;
  if (last !== count) throw new Error(`${last} calls came back, not ${count}`);
  return took;
}

async function confined(body, { timeMs, memoryMiB }) {
  const isolate = new ivm.Isolate({ memoryLimit: memoryMiB });
  const context = await isolate.createContext();
  const began = performance.now();
  try {
    await context.eval(calledAsync(body), { timeout: timeMs, promise: true });
    return { began, killed: false, said: 'no error' };
  } catch (error) {
    return { began, killed: error.message === 'Script execution timed out.', said: `${error.name}: ${error.message}` };
  } finally {
    if (!isolate.isDisposed) isolate.dispose();
  }
}

await measure({
  peer: 'isolated-vm',
  version: versionOf('isolated-vm'),
  fresh(body) {
    const world = open();
    const value = world.run(body);
    world.close();
    return value;
  },
  hostCalls,
  open,
  confined,
});
