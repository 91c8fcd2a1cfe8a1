const delays = [20, 5, 10];
const order = [];
await Promise.all(delays.map(async (ms) => {
  await new Promise((r) => setTimeout(r, ms));
  order.push(ms);
}));
console.log(order);
const settled = await Promise.allSettled([Promise.resolve(1), Promise.reject(new Error('no'))]);
console.log(settled.map((s) => s.status));
for await (const n of (async function* () { yield 1; yield 2; })()) console.log('item', n);
