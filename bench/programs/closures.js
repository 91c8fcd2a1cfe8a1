// Higher-order functions: map, filter, reduce, closures, generators, destructuring.
const pipe = (...steps) => (value) => steps.reduce((v, step) => step(v), value);
const add = (n) => (x) => x + n;
const scale = (n) => (x) => x * n;
const change = pipe(add(3), scale(2), add(-1), (x) => x % 1009);
function* range(from, to) {
  for (let i = from; i < to; i++) yield i;
}
const counter = () => {
  let n = 0;
  return { up: () => ++n, value: () => n };
};
let sum = 0;
for (let round = 0; round < 20; round++) {
  const items = Array.from({ length: 1000 }, (_, i) => ({ id: i, tag: 't' + (i % 10), value: change(i + round) }));
  const groups = items
    .filter(({ value }) => value % 2 === 0)
    .map(({ tag, value }) => [tag, value * 2])
    .reduce((all, [tag, value]) => {
      (all[tag] ??= []).push(value);
      return all;
    }, {});
  sum += Object.entries(groups)
    .flatMap(([tag, values]) => values.map((v) => v + tag.length))
    .reduce((a, b) => a + b, 0);
  const c = counter();
  items.forEach((item) => item.value > 500 && c.up());
  sum += c.value() + items.findIndex((item) => item.value === 7);
  if (items.some((item) => item.value < 0) || !items.every((item) => item.id < 1000)) sum = -1;
}
for (const i of range(0, 50000)) sum += i & 3;
return sum;
