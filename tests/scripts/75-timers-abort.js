// Timers, signals that end them, and the order in which work is done.
const { setTimeout: sleep, setInterval: every, setImmediate: imm, scheduler } = require('timers/promises');
(async () => {
  const ac = new AbortController();
  console.log(ac.signal);
  const p = sleep(1000, 'v', { signal: ac.signal });
  ac.abort(new Error('why'));
  try {
    await p;
  } catch (e) {
    console.log(e.name, e.code, e.message, e.cause?.message);
  }
  console.log(ac.signal.aborted, ac.signal.reason.message, ac.signal);
  const t = AbortSignal.timeout(5);
  try {
    await new Promise((_, r) => t.addEventListener('abort', () => r(t.reason)));
  } catch (e) {
    console.log(e.name, e.message, e.code, e instanceof DOMException);
  }
  const any = AbortSignal.any([AbortSignal.abort('x'), new AbortController().signal]);
  console.log(any.aborted, any.reason);
  try {
    AbortSignal.abort().throwIfAborted();
  } catch (e) {
    console.log(e.name, e.message, e.code);
  }
  console.log(await sleep(1, 'val'), await imm('im'));
  let n = 0;
  for await (const v of every(2, 'tick')) {
    console.log(v);
    if (++n === 3) break;
  }
  process.nextTick(() => console.log('tick'));
  setImmediate(() => console.log('immediate'));
  setTimeout(() => console.log('t0'), 0);
  Promise.resolve().then(() => console.log('micro'));
  queueMicrotask(() => console.log('qm'));
  await null;
  console.log('after');
  await sleep(5);
  const i = setInterval(() => {
    console.log('int');
    clearInterval(i);
  }, 1);
  const to = setTimeout(() => {}, 1e6);
  console.log(
    to.hasRef(),
    to.unref() === to,
    to.hasRef(),
    typeof to[Symbol.toPrimitive](),
    to.refresh() === to,
    to.constructor.name,
  );
  clearTimeout(to);
  await sleep(5);
  try {
    setTimeout('x');
  } catch (e) {
    console.log(e.code, e.message);
  }
  const deb = (f, ms) => {
    let h;
    return (...a) => {
      clearTimeout(h);
      h = setTimeout(() => f(...a), ms);
    };
  };
  const d = deb((x) => console.log('deb', x), 3);
  d(1);
  d(2);
  await scheduler.wait(10);
  console.log(await Promise.race([sleep(50, 'slow'), sleep(1, 'fast')]));
  const { promisify, callbackify } = require('util');
  console.log(await promisify(setTimeout)(1, 'pv'));
  callbackify(async (x) => x * 2)(4, (e, v) => console.log(e, v));
  callbackify(async () => {
    throw null;
  })((e) => console.log(e.code, e.message));
  await sleep(2);
  const start = process.hrtime.bigint();
  console.log(typeof start, process.hrtime().length, performance.now() > 0, process.uptime() >= 0);
  async function pool(tasks, k) {
    const out = [];
    let ix = 0;
    await Promise.all(
      Array.from({ length: k }, async () => {
        while (ix < tasks.length) {
          const me = ix++;
          out[me] = await tasks[me]();
        }
      }),
    );
    return out;
  }
  console.log(
    await pool(
      [3, 1, 2].map((x) => () => sleep(x, x * x)),
      2,
    ),
  );
})();
