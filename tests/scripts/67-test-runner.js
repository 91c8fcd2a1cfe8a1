// Durations differ from run to run.
const write = process.stdout.write;
process.stdout.write = function (text, ...rest) {
  return write.call(this, String(text).replace(/(duration_ms:? )[\d.]+/g, '$1N'), ...rest);
};
const { test, describe, it, before, beforeEach, afterEach, mock } = require('node:test');
const assert = require('node:assert/strict');

const add = (a, b) => a + b;
test('adds numbers', () => {
  assert.equal(add(1, 2), 3);
});
test('waits', async (t) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  await t.test('inner', () => assert.deepEqual([1], [1]));
});
describe('calculator', () => {
  let log = [];
  before(() => log.push('before'));
  beforeEach(() => log.push('each'));
  afterEach(() => { log.length = Math.min(log.length, 5); });
  it('keeps order', () => assert.deepEqual(log, ['before', 'each']));
  it('throws', () => assert.throws(() => add.call.missing(), /Cannot read properties|is not a function/));
  it.skip('later');
  it.todo('some day');
});
test('mocks', () => {
  const fn = mock.fn((x) => x * 2);
  assert.equal(fn(4), 8);
  assert.equal(fn.mock.calls.length, 1);
  assert.deepEqual(fn.mock.calls[0].arguments, [4]);
});
process.on('exit', (code) => console.log(`code ${code}`));
