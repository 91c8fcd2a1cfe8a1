// A cache, a graph, counters, and what conversions of values give.
// LRU cache, LinkedList, graph, matrix etc.
class LRU {
  #m = new Map();
  constructor(n) {
    this.n = n;
  }
  get(k) {
    if (!this.#m.has(k)) return undefined;
    const v = this.#m.get(k);
    this.#m.delete(k);
    this.#m.set(k, v);
    return v;
  }
  set(k, v) {
    this.#m.delete(k);
    this.#m.set(k, v);
    if (this.#m.size > this.n) this.#m.delete(this.#m.keys().next().value);
    return this;
  }
  *[Symbol.iterator]() {
    yield* this.#m;
  }
  toJSON() {
    return Object.fromEntries(this.#m);
  }
  [Symbol.for('nodejs.util.inspect.custom')](d, o, inspect) {
    return `LRU(${inspect(this.#m, o)})`;
  }
}
const l = new LRU(2).set('a', 1).set('b', 2);
l.get('a');
l.set('c', 3);
console.log(l, [...l], JSON.stringify(l), `${JSON.stringify({ l }, null, 2)}`);
const g = { A: { B: 1, C: 4 }, B: { C: 2, D: 5 }, C: { D: 1 }, D: {} };
const dij = (s) => {
  const d = Object.fromEntries(Object.keys(g).map((k) => [k, Infinity]));
  d[s] = 0;
  const q = new Set(Object.keys(g));
  while (q.size) {
    const u = [...q].reduce((a, b) => (d[a] <= d[b] ? a : b));
    q.delete(u);
    for (const [v, w] of Object.entries(g[u])) d[v] = Math.min(d[v], d[u] + w);
  }
  return d;
};
console.table(Object.entries(dij('A')).map(([node, dist]) => ({ node, dist })));
const memo =
  (f, c = {}) =>
  (n) =>
    c[n] ?? (c[n] = f(n));
const fib = memo((n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)));
console.log(fib(80));
const words = 'the quick brown the lazy dog the end'.split(' ');
console.log(
  Object.entries(words.reduce((a, w) => ({ ...a, [w]: (a[w] ?? 0) + 1 }), {}))
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .slice(0, 3),
  new Map(Object.entries({ a: 1 })),
  words.map((w) => w.padEnd(6, '.')).join('|'),
  [...new Set(words)].length,
);
const compose =
  (...f) =>
  (x) =>
    f.reduceRight((v, g) => g(v), x);
console.log(
  compose(
    (x) => x + 1,
    (x) => x * 2,
  )(5),
  (
    (a) => (b) =>
      a + b
  )(1)(2),
);
const ev = {
  h: {},
  on(e, f) {
    (this.h[e] ??= []).push(f);
    return this;
  },
  emit(e, ...a) {
    this.h[e]?.forEach((f) => f(...a));
  },
};
ev.on('x', console.log).emit('x', 1, { b: 2 });
console.log(
  [5, 3, 8, 1].sort((a, b) => a - b),
  ['b', undefined, 'a'].sort(),
  [3, 20, 100].sort(),
  [...'hello'].reverse().join(''),
  Array.from('abc', (c, i) => c + i),
  Number('0x1f').toString(2).padStart(8, '0'),
  parseFloat('3.14abc'),
  (1234.5678).toFixed(2),
  Math.round(-0.5),
  Math.max(),
  [1, 2, 3].indexOf(4),
  'abc'.localeCompare('abd'),
  'a,b,,c'.split(','),
  'x'.concat(1, null),
  'trim '.trim() + '|',
  'abcabc'.lastIndexOf('b'),
  'Hello'.replace(/l/g, (m, i) => i),
  isNaN('a'),
  [] == false,
  null == undefined,
  NaN !== NaN,
  typeof typeof 1,
  !!'0',
  1 < 2 < 3,
  3 > 2 > 1,
  '5' * '2',
  '5' + 2,
  [1, 2] + [3],
  {} + '',
  [,].length,
  0.1 * 3,
  9007199254740993,
  1 / 0,
  -1 % 1,
  5 ** (2 ** 1),
  ~5,
  1 << 31,
  1 >>> 0,
  -1 >>> 0,
);
console.log(
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(1234.5),
  `Total: ${'$' + (10).toFixed(2).padStart(8)}`,
  'é'.normalize('NFD').length,
  '\u{1F600}'.length,
  encodeURIComponent('ü'),
  btoa('hi'),
  [1, [2, [3, [4]]]].flat(2),
  Object.entries([7, 8]),
  'abc'.split('').map((c) => c.charCodeAt(0).toString(16)),
  JSON.stringify({
    u: undefined,
    f() {},
    d: new Date(0),
    n: NaN,
    i: Infinity,
    s: Symbol('x'),
    nested: [undefined, () => {}],
  }),
  JSON.stringify('\u2028\ud800'),
  JSON.stringify([new Map([[1, 2]]), new Set([1])]),
  JSON.stringify({ a: [], b: {} }, null, 2),
  JSON.stringify({ a: 1, b: 2, c: { a: 3 } }, ['a', 'c']),
  JSON.parse('{"a":[1,2,{"b":null}]}', (k, v) => (typeof v === 'number' ? v * 2 : v)),
  JSON.stringify({ date: new Date(1e12), nested: { toJSON: (k) => 'k:' + k } }, (k, v) => v, '\t'),
);
