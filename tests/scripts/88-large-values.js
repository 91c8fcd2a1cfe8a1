const assert = require('assert');

const rows = Array.from({ length: 10000 }, (_, id) => ({ id, name: `row ${id}`, tags: [id % 3] }));
assert.deepStrictEqual(JSON.parse(JSON.stringify(rows)), rows);
const changed = structuredClone(rows);
changed.at(-1).tags.push('more');
try {
  assert.deepStrictEqual(changed, rows);
} catch (error) {
  console.log(error.code);
}
const shared = new Int32Array(new SharedArrayBuffer(4));
const began = Date.now();
Atomics.wait(shared, 0, 0, 30);
console.log(Date.now() - began >= 29, Atomics.add(shared, 0, 2), shared);

let captured = '';
const { write } = process.stdout;
process.stdout.write = (text) => {
  captured += text;
  return true;
};
console.log('captured', { a: 1 });
process.stdout.write = write;
console.log(JSON.stringify(captured), process instanceof require('events'));
