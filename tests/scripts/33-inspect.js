const util = require('util');
const data = { list: [1, [2, [3, [4]]]], map: new Map([['k', { v: 1 }]]), set: new Set('ab'), date: new Date(0), re: /x/g, fn() {}, [Symbol('s')]: null, nested: { a: { b: { c: { d: 1 } } } } };
console.log(data);
console.log(util.inspect(data, { depth: 0 }), util.format('%s is %d years and %j', 'Ada', 36, { ok: true }));
console.log([undefined, null, NaN, -0, 10n, 'quote\'s'], [, 1], 'x'.repeat(5), [1.5, 2.25]);
console.error('to stderr %i', 42.9);
