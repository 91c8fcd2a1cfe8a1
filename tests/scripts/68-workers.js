// Falls back to one thread if workers cannot be started, as portable scripts do.
function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
const { isMainThread, parentPort, workerData } = require('node:worker_threads');
console.log(isMainThread, parentPort, workerData);
const run = (n) => Promise.resolve(fib(n));
Promise.all([5, 10, 15].map(run)).then((values) => console.log(values));
