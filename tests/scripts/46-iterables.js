const attempt = (run) => {
  try {
    console.log(run());
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
};
const config = { retries: 3 };
attempt(() => { for (const x of config) console.log(x); });
attempt(() => [...config]);
attempt(() => { const [a, b] = config; return a + b; });
attempt(() => { const [a] = config.missing; return a; });
attempt(() => { const { a } = config.missing; return a; });
attempt(() => { const { a: { b } } = config; return b; });
attempt(() => new Map([1, 2]));
attempt(() => new Map({ a: 1 }));
attempt(() => new Set(5));
attempt(() => Math.max(...config.retries));
attempt(() => Object.fromEntries(config));
attempt(() => Object.entries(undefined));
attempt(() => Array.from(null));
attempt(() => { for (const [key, value] of [1, 2]) console.log(key, value); });
attempt(() => { for (const { id } of [{ id: 1 }, null]) console.log(id); });
const connect = ({ host, port }) => `${host}:${port}`;
attempt(() => connect({ host: 'localhost', port: 80 }));
attempt(() => connect());
attempt(() => connect(null));
const first = ([head]) => head;
attempt(() => first([1]));
attempt(() => first());
function parse() {}
attempt(() => { const [x] = parse(); return x; });
attempt(() => { const { x } = parse(); return x; });
attempt(() => [].reduce((sum, n) => sum + n));
attempt(() => new Array(-1));
attempt(() => 'ab'.repeat(-1));
attempt(() => (1.5).toFixed(200));
attempt(() => (10).toString(99));
attempt(() => new Date('nonsense').toISOString());
attempt(() => null[Symbol.iterator]);
attempt(() => BigInt(1.5));
attempt(() => 1n + 1);
attempt(() => Symbol('id') + '');
attempt(() => 'key' in 'text');
attempt(() => decodeURIComponent('%E0%A4%A'));
attempt(() => new RegExp('[a-'));
attempt(() => new RegExp('(unclosed'));
attempt(() => [3, 1, 2].sort('asc'));
attempt(() => new Proxy({}, null));
attempt(() => Reflect.ownKeys(1));
attempt(() => { const limit = 1; limit = 2; return limit; });
attempt(() => { total; let total = 1; return total; });
async function* pages() { yield 1; yield* null; }
(async () => {
  try {
    for await (const page of pages()) console.log('page', page);
  } catch (error) {
    console.log(error.constructor.name);
  }
  try {
    for await (const x of config) console.log(x);
  } catch (error) {
    console.log(error.message);
  }
})();
