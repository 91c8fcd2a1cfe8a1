class HttpError extends Error {
  constructor(status, message, options) {
    super(message, options);
    this.name = 'HttpError';
    this.status = status;
  }
}

function risky(n) {
  if (n > 1) throw new HttpError(500, 'too much', { cause: new TypeError('inner') });
  return n;
}
for (const n of [1, 2]) {
  try {
    console.log(risky(n));
  } catch (error) {
    console.log(error.name, error.status, error.cause.message, error.stack.split('\n')[0]);
  } finally {
    console.log('tried', n);
  }
}
console.log(new AggregateError([new Error('a')], 'many').errors.length);
