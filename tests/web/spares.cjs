// Checks of web/src/spares.ts, which no page can see: instances are prepared between runs, and only then.
'use strict';

const { load } = require('./sources.cjs');

/** Lets timers that are due fire. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Returns the problems of preparing instances. */
async function checkSpares() {
  const { Spares } = await load('spares.ts');
  const problems = [];
  let [made, isIdle] = [0, true];
  const make = () => (made++, { instance: { exports: {} }, memory: new WebAssembly.Memory({ initial: 1 }), slot: { cell: undefined }, pages: 1 });
  const expect = (what, count) => { if (made !== count) problems.push(`${what}: ${made} instances were made, not ${count}`); };
  const spares = new Spares(make, () => isIdle);
  spares.want('js');
  await turn();
  expect('before the first run', 1);
  spares.take('js', 1);
  isIdle = false;
  spares.refill();
  await turn();
  expect('during a run', 1);
  isIdle = true;
  spares.resume();
  await turn();
  expect('after the run', 2);
  spares.resume();
  await turn();
  expect('after a run that interrupted nothing', 2);
  return problems;
}

module.exports = { checkSpares };
