const util = require('node:util');
class Money {
  constructor(amount, currency) { this.amount = amount; this.currency = currency; }
  [util.inspect.custom](depth, options) { return options.stylize(`Money<${this.amount} ${this.currency}>`, 'special'); }
}
class Account { #secret = 1; balance = new Money(5, 'EUR'); history = [new Date(0), /x/gi]; owner = Symbol('me'); }
console.log(new Account());
console.log({ nested: { deep: { deeper: { deepest: 1 } } }, list: Array.from({ length: 120 }, (_, i) => i) });
console.log(util.inspect({ a: { b: { c: { d: 1 } } } }, { depth: null, compact: false }));
console.log(util.inspect(new Map([['k', { v: 1 }], [{ o: 1 }, new Set([1, 'two'])]]), { showHidden: false }));
console.log([undefined, null, -0, NaN, 10n, 'it\'s', "q\"", `b\`t`, () => 1, async function go() {}, class X {}, class Y extends Account {}]);
console.log(new Error('plain').message, [new TypeError('in array')].length);
console.log(util.format('%s is %d years and %i, %f, %j %o %O %%', 'Ada', 36.5, 36.5, '1.5', { a: 1 }, [1], { b: { c: {} } }, 'extra'));
console.log('%c styled', 'color: red', { a: 1 });
console.log(util.inspect('a'.repeat(200)).length, util.inspect({ s: 'x'.repeat(100), t: 'y'.repeat(20) }));
console.log(util.isDeepStrictEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), util.types.isPromise(Promise.resolve()));
console.log(Promise.resolve(4), Promise.reject(new Error('x')).catch(() => {}) instanceof Promise, new Proxy({ a: 1 }, {}), new WeakMap());
console.log(Object.create(null), Object.create({ inherited: 1 }), Object.assign(() => {}, { prop: 1 }), [1, , 3], Object.assign([1], { extra: true }));
console.log(new (class Foo extends Map {})([[1, 2]]), new (class extends Array {})(3), Buffer.from('hi'), new Uint8Array(3), new ArrayBuffer(2));
console.log({ get a() { return 1; }, set a(v) {}, get b() { return 2; }, [Symbol('s')]: 1, 'needs-quote': 1, 2: 3 });
console.log(process.version.startsWith('v'), typeof globalThis, [[[[[1]]]]], { a: [{ b: [{ c: 1 }] }] });
const circular = { name: 'loop' }; circular.self = circular; circular.list = [circular];
console.log(circular);
console.log([['a', 1], ['b', 2]], [[1, 2, [3, 4, [5, [6]]]]], 'text', ['text']);
console.log(new Array(5), Array(3).fill({ x: 1 }), [1.5, -2, 1e21, 1e-7], 'multi\nline', ['multi\nline']);
console.log(util.inspect(new Account(), { colors: true, breakLength: 40 }));
console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
