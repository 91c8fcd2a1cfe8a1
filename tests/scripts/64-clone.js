const original = {
  date: new Date(0), pattern: /a+/gi, map: new Map([['k', { v: 1 }]]), set: new Set([1, 2]), big: 10n,
  bytes: new Uint8Array([1, 2, 3]), nested: [{ a: [1, , 3] }], error: Object.assign(new RangeError('bad'), { code: 1 }), nothing: undefined,
};
original.self = original;
const copy = structuredClone(original);
console.log(copy.self === copy, copy.date instanceof Date, copy.map.get('k') !== original.map.get('k'), copy.error.name, copy.error.code);
delete copy.error; console.log(copy);
class Point { constructor(x) { this.x = x; } get double() { return this.x * 2; } }
console.log(structuredClone(new Point(2)), structuredClone([new Boolean(false), new String('s'), Object(1n)]));
const buffer = new ArrayBuffer(8);
const moved = structuredClone(buffer, { transfer: [buffer] });
console.log(buffer.byteLength, moved.byteLength);
for (const value of [() => 1, Symbol('s'), { f() {} }, new WeakMap(), Promise.resolve(), new Proxy({}, {})]) {
  try {
    structuredClone(value);
    console.log('cloned');
  } catch (error) {
    console.log(error.name, error.code);
  }
}
try { structuredClone(); } catch (error) { console.log(error.name); }
const deep = (value) => JSON.parse(JSON.stringify(value));
console.log(deep({ d: new Date(0), u: undefined, n: NaN, m: new Map([[1, 2]]) }));
