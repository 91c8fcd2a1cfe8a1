function* fibonacci() {
  let [a, b] = [0, 1];
  for (;;) {
    yield a;
    [a, b] = [b, a + b];
  }
}
const take = function* (n, items) {
  for (const item of items) {
    if (n-- <= 0) return;
    yield item;
  }
};
console.log([...take(10, fibonacci())]);
const memo = new WeakMap();
const key = {};
memo.set(key, 'kept');
console.log(memo.get(key), memo.has({}));
console.log(structuredClone({ when: new Date(5), deep: [new Map([[1, 2]])] }));
const proxy = new Proxy({}, { get: (_, name) => `prop:${String(name)}` });
console.log(proxy.anything, Reflect.ownKeys({ a: 1, [Symbol.iterator]: 2 }).length);
