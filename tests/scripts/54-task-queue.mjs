import { setTimeout as sleep } from 'node:timers/promises';

export class TaskQueue {
  #running = 0;
  #waiting = [];
  constructor(concurrency) {
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new RangeError(`concurrency must be a positive integer, got ${concurrency}`);
    }
    this.concurrency = concurrency;
  }
  add(task) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#next();
    });
  }
  #next() {
    while (this.#running < this.concurrency && this.#waiting.length > 0) {
      const { task, resolve, reject } = this.#waiting.shift();
      this.#running++;
      Promise.resolve()
        .then(task)
        .then(resolve, reject)
        .finally(() => { this.#running--; this.#next(); });
    }
  }
}

try { new TaskQueue(0); } catch (error) { console.log(`${error}`); }
const queue = new TaskQueue(2);
const log = [];
const job = (name, ms, fail) => async () => {
  log.push(`start ${name}`);
  await sleep(ms);
  log.push(`end ${name}`);
  if (fail) fail();
  return name;
};
const settled = await Promise.allSettled([
  queue.add(job('a', 300)),
  queue.add(job('b', 5)),
  queue.add(job('c', 5, () => { throw new Error('c failed'); })),
  queue.add(job('d', 1, () => { const data = null; return data.rows; })),
  queue.add('not a function'),
  queue.add(undefined),
]);
console.log(log.join(', '));
settled.forEach((result) => console.log(result.status, result.reason?.message ?? result.value));
const controller = new AbortController();
setTimeout(() => controller.abort(new Error('stop now')), 2);
try {
  await sleep(1000, null, { signal: controller.signal });
} catch (error) {
  console.log(error.name, error.code, error.message, error.cause?.message);
}
try {
  controller.signal.throwIfAborted();
} catch (error) {
  console.log(error.message);
}
