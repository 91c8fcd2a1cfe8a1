// What the language has for lists, texts, patterns, labels, generators and numbers.
console.log(
  [3, 1, 2].toSorted(),
  [1, 2].toReversed(),
  [1, 2, 3].with(1, 9),
  [1, 2, 3].toSpliced(0, 1),
  [1, 2, 3].findLast((x) => x < 3),
  [1, [2, [3]]].flat(Infinity),
  [1, 2].at(-1),
  'abc'.at(-1),
  'aXbX'.replaceAll('X', '-'),
  Object.fromEntries([['a', 1]]),
  structuredClone(new Map([[{ a: 1 }, new Set([1])]])),
);
console.log(
  'x'.isWellFormed(),
  'a-b_c'.split(/[\-_]/v),
  /[\p{L}--[a-z]]/v.test('A'),
  /(?<y>\d{4})-(?<m>\d\d)/.exec('2024-05').groups,
  '2024-05'.replace(/(?<y>\d{4})-(?<m>\d\d)/, '$<m>/$<y>'),
  [...'a1b2'.matchAll(/(?<l>[a-z])(\d)/g)].map((m) => m.groups.l + m[2]),
  /a(?=b)/d.exec('ab').indices,
  /(?<!\$)\b\d+/.exec('$5 10')[0],
  'aBc'.replace(/[A-Z]/g, (c) => '_' + c.toLowerCase()),
  /\u{1F600}/u.test('😀'),
  /^.$/su.test('\n'),
  'a\nb'.match(/^b$/m)[0],
  /(a)|(b)/.exec('b'),
  'abc'.search(/c/),
  /x*/y.exec('axx'),
  '😀'.split(''),
  [...'😀e\u0301'],
  'ß'.toUpperCase(),
  'İ'.toLowerCase().length,
  'a'.codePointAt(),
  String.raw`a\n${1}`,
);
outer: for (let i = 0; i < 3; i++) {
  for (let j = 0; j < 3; j++) {
    if (j === 1) continue outer;
    if (i === 2) break outer;
    console.log(i, j);
  }
}
blk: {
  console.log('in');
  break blk;
}
switch (3) {
  case 1:
    console.log(1);
  default:
    console.log('d');
  case 2:
    console.log(2);
    break;
  case 4:
    console.log(4);
}
function* fib() {
  let [a, b] = [0, 1];
  for (;;) {
    const r = yield a;
    if (r) [a, b] = [0, 1];
    else [a, b] = [b, a + b];
  }
}
const g = fib();
console.log(g.next(), g.next(), g.next(), g.next(true), g.return(5), g.next(), [
  ...(function* () {
    const x = yield* [1, 2];
    return x;
  })(),
]);
const it = {
  from: 1,
  to: 3,
  *[Symbol.iterator]() {
    for (let i = this.from; i <= this.to; i++) yield i;
  },
};
const [q, ...rest] = it;
console.log(
  q,
  rest,
  Math.max(...it),
  Array.from(it, (x) => x * 2),
  new Set(it),
);
async function* ag() {
  try {
    yield 1;
    yield 2;
  } finally {
    console.log('cleanup');
  }
}
for await (const v of ag()) {
  console.log(v);
  break;
}
const o = {
  a: { b: null },
  f() {
    return this?.a;
  },
};
console.log(
  o?.a?.b?.c,
  o.x?.(),
  o.f?.(),
  o.a.b ?? 'def',
  (o.n ??= 5),
  (o.n ||= 6),
  (o.n &&= 7),
  2 ** -1,
  7 % -3,
  -7 % 3,
  0.1 + 0.2,
  (5 / 2) | 0,
  ~~-5.7,
  (1e3).toString(16),
  (255).toString(2),
  parseInt('12px'),
  Number(''),
  Number('0b11'),
  +[],
  +{},
  [] + {},
  [10, 9, 1].sort(),
  typeof null,
  void 0,
  1_000,
  0o17,
  Number.MAX_SAFE_INTEGER,
  (25).toString(36),
  (0.000001234).toString(),
  (1e21).toLocaleString(),
  (123.456).toFixed(1),
  (0.1).toPrecision(21),
  (1234.5678).toExponential(2),
);
const {
  a: { b: z = 'null stays' },
  ...others
} = o;
console.log(z, others);
const tag = (s, ...v) => s.raw.join('|') + v.join(',');
console.log(
  tag`a${1}b\n${2}c`,
  ((a, b = a + 1, ...c) => [a, b, c])(1, undefined, 3, 4),
  [1, 2, 3].includes(NaN),
  [NaN].includes(NaN),
  [NaN].indexOf(NaN),
  new Array(3).fill().map((_, i) => i),
  Array.isArray([]),
  [...'ab'].entries().next(),
  Object.entries({ x: 1 }).flat(),
  [1, 2, 3, 4].copyWithin(0, 2),
  Array.of(7),
  [5, 1].concat(2, [3]),
  ['a', 'b'].join(),
  [[1, 2], [3]].map(([x, y = 0]) => x + y),
  delete o.n,
  'n' in o,
  Number.EPSILON > 0,
  Math.hypot(3, 4),
  Math.sign(-3),
  Math.trunc(-4.7),
  Math.cbrt(27),
  Math.fround(5.5),
  Math.clz32(1),
  BigInt.asUintN(8, 257n),
  2n ** 64n,
  -7n / 2n,
  0x1fn,
  BigInt('0xff'),
  typeof 1n,
  5n > 4,
  2n == 2,
);
console.log(
  Reflect.ownKeys({ b: 1, a: 2, 1: 1, [Symbol('s')]: 1 }),
  Object.getOwnPropertyDescriptors({
    get x() {
      return 1;
    },
    y: 2,
  }),
  Symbol.for('k').description,
  new Proxy({}, { get: (t, k) => `prop:${String(k)}` }).foo,
  Object.is(-0, 0),
  globalThis.structuredClone.name,
  new Intl.NumberFormat().format(5),
);
