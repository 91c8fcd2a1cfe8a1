console.log('1 sync');
setTimeout(() => console.log('5 timeout'), 0);
setTimeout(() => console.log('6 later'), 20);
Promise.resolve().then(() => console.log('3 microtask')).then(() => console.log('4 chained'));
process.nextTick(() => console.log('2 tick'));
let n = 0;
const interval = setInterval(() => {
  if (++n === 3) {
    clearInterval(interval);
    console.log('7 interval done');
  }
}, 15);
setTimeout(() => console.log('never'), 1e6).unref();
