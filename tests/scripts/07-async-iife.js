const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

(async () => {
  console.log('start');
  const results = await Promise.all([3, 1, 2].map(async (n) => {
    await sleep(n * 5);
    console.log('done', n);
    return n * n;
  }));
  console.log(results);
})();
console.log('sync end');
