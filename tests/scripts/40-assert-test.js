const assert = require('assert');
const { test, results } = (() => {
  const results = [];
  return { results, test: (name, run) => {
    try { run(); results.push(`ok ${name}`); } catch (error) { results.push(`not ok ${name}: ${error.message.split('\n')[0]}`); }
  } };
})();
test('adds', () => assert.strictEqual(1 + 1, 2));
test('deep', () => assert.deepStrictEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }));
test('throws', () => assert.throws(() => JSON.parse('{'), SyntaxError));
test('fails', () => assert.equal(1, 2, 'one is not two'));
console.log(results.join('\n'));
