const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class RetryError extends Error {
  constructor(attempts, errors) {
    super(`Failed after ${attempts} attempts`);
    this.name = 'RetryError';
    this.attempts = attempts;
    this.errors = errors;
  }
}

async function retry(task, { retries = 3, delay = 5, factor = 2, onRetry } = {}) {
  const errors = [];
  for (let attempt = 1; attempt <= retries; attempt++) {
    try {
      return await task(attempt);
    } catch (error) {
      errors.push(error);
      onRetry?.(error, attempt);
      if (attempt < retries) await sleep(delay * factor ** (attempt - 1));
    }
  }
  throw new RetryError(retries, errors);
}

async function main() {
  const flaky = async (attempt) => {
    if (attempt < 3) throw new Error(`attempt ${attempt} failed`);
    return 'done';
  };
  console.log(await retry(flaky, { onRetry: (error, n) => console.log(`retry ${n}: ${error.message}`) }));

  const broken = async () => {
    const response = undefined;
    return response.json();
  };
  try {
    await retry(broken, { retries: 2 });
  } catch (error) {
    console.log(error.name, error.message);
    for (const cause of error.errors) console.log(' -', String(cause));
  }

  const results = await Promise.allSettled([
    Promise.resolve(1),
    Promise.reject(new RangeError('out of range')),
    retry(() => { throw new TypeError('sync throw'); }, { retries: 1 }),
  ]);
  for (const { status, value, reason } of results) console.log(status, value ?? `${reason}`);

  try {
    await Promise.any([Promise.reject(new Error('first')), Promise.reject(new Error('second'))]);
  } catch (error) {
    console.log(error.constructor.name, error.message, error.errors.map((e) => e.message));
  }
  const timeout = (ms) => new Promise((_, reject) => setTimeout(() => reject(new Error(`Timed out after ${ms}ms`)), ms));
  await Promise.race([sleep(1000), timeout(5)]).catch((error) => console.log(error.message));
  process.exit(0);
}
main();
