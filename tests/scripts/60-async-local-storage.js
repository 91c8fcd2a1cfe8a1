const { AsyncLocalStorage } = require('node:async_hooks');
const context = new AsyncLocalStorage();
const log = (message) => console.log(`[${context.getStore()?.requestId ?? '-'}] ${message}`);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function handle(requestId, ms) {
  return context.run({ requestId }, async () => {
    log('start');
    await sleep(ms);
    log('after sleep');
    await Promise.all([inner('a', 2), inner('b', 1)]);
    queueMicrotask(() => log('microtask'));
    process.nextTick(() => log('tick'));
    await new Promise((resolve) => setImmediate(() => { log('immediate'); resolve(); }));
    try {
      await fails();
    } catch (error) {
      log(error.message);
    }
    return requestId;
  });
}
async function inner(name, ms) {
  await sleep(ms);
  log(`inner ${name}`);
}
async function fails() {
  await null;
  throw new Error(`failed in ${context.getStore().requestId}`);
}
(async () => {
  log('outside');
  console.log(await Promise.all([handle('r1', 10), handle('r2', 300)]));
  log('outside again');
  context.run({ requestId: 'sync' }, () => { log('sync'); context.exit(() => log('exited')); log('back'); });
  console.log(context.run(new Map([['k', 1]]), () => context.getStore().get('k')));
  const bound = context.run({ requestId: 'bound' }, () => AsyncLocalStorage.bind(() => log('bound function')));
  bound();
  const snapshot = context.run({ requestId: 'snap' }, () => AsyncLocalStorage.snapshot());
  snapshot(() => log('snapshot'));
  context.enterWith({ requestId: 'entered' });
  log('now');
  await null;
  log('still');
  setTimeout(() => log('timer'), 1);
})();
