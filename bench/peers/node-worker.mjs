// Measures a Node worker thread. A worker confines nothing; it shows the cost of starting and messaging a thread.
import { Worker } from 'node:worker_threads';
import { calledAsync, measure } from './measure.mjs';

const inside = `
const { parentPort } = require('node:worker_threads');
const waiting = [];
const call = (n) => new Promise((resolve) => { waiting.push(resolve); parentPort.postMessage({ call: n }); });
parentPort.on('message', async ({ body, answer, calls }) => {
  if (body !== undefined) parentPort.postMessage({ result: new Function('btcp', 'args', body)({}, {}) });
  else if (calls !== undefined) {
    let n = 0;
    while (n < calls) n = await call(n);
    parentPort.postMessage({ result: n });
  } else waiting.shift()(answer);
});
parentPort.postMessage({ ready: true });`;

async function open() {
  const worker = new Worker(inside, { eval: true });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  const ask = (message) =>
    new Promise((resolve, reject) => {
      const onMessage = (reply) => {
        if ('call' in reply) return worker.postMessage({ answer: reply.call + 1 });
        worker.off('message', onMessage);
        worker.off('error', reject);
        resolve(reply.result);
      };
      worker.on('message', onMessage).on('error', reject);
      worker.postMessage(message);
    });
  return { ask, run: (body) => ask({ body }), close: () => worker.terminate() };
}

let kept;
async function hostCalls(calls) {
  kept ??= await open();
  const start = performance.now();
  const last = await kept.ask({ calls });
  const took = performance.now() - start;
  if (last !== calls) throw new Error(`${last} calls came back, not ${calls}`);
  return took;
}

async function confined(body, { timeMs, memoryMiB }) {
  const code = `const { parentPort } = require('node:worker_threads');
    parentPort.once('message', () => ${calledAsync(body)}.then(() => parentPort.close(), (error) => { throw error; }));
    parentPort.postMessage('ready');`;
  const worker = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: memoryMiB } });
  let killed = false;
  let said = 'no error';
  worker.on('error', (error) => (said = `${error.name}: ${error.message}`));
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  await new Promise((resolve) => worker.once('message', resolve));
  const began = performance.now();
  worker.postMessage('go');
  const timer = setTimeout(() => {
    killed = true;
    worker.terminate();
  }, timeMs);
  await exited;
  clearTimeout(timer);
  return { began, killed, said };
}

await measure({
  peer: 'node-worker',
  version: process.version,
  async fresh(body) {
    const world = await open();
    const value = await world.run(body);
    await world.close();
    return value;
  },
  hostCalls,
  open,
  confined,
});
process.exit(0);
