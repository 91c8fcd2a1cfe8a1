// Errors of classes, with causes, and as they are shown.
class AppError extends Error {
  constructor(m, { code, ...o } = {}) {
    super(m, o);
    this.name = this.constructor.name;
    this.code = code;
  }
}
class NotFound extends AppError {}
const clean = (s) => s.replace(/\n\s+at .*/g, '').replace(/\n\s+\.\.\. \d+ lines.*/g, '');
try {
  try {
    JSON.parse('{bad');
  } catch (e) {
    throw new NotFound('config', { cause: e, code: 'E_CONF' });
  }
} catch (e) {
  console.log(
    e.name,
    e.message,
    e.code,
    e.cause.name,
    e.cause.message,
    e instanceof AppError,
    clean(require('util').inspect(e)),
    `${e}`,
    Object.keys(e),
    JSON.stringify(e),
  );
}
console.log(clean(require('util').inspect(new AggregateError([new Error('a'), new TypeError('b')], 'many'))));
console.log(clean(require('util').inspect({ e: new RangeError('in obj') })));
console.log(clean(require('util').inspect(Object.assign(new Error('props'), { a: 1, b: { c: [1] } }))));
console.log(clean(require('util').inspect(new Error(''))));
console.log(clean(require('util').inspect(new Error('multi\nline'))));
const ne = new Error('x');
ne.name = 'Custom';
console.log(clean(require('util').inspect(ne)));
const ns = new Error('nostack');
ns.stack = undefined;
console.log(require('util').inspect(ns));
const sm = new Error('sm');
sm.message = 'changed';
console.log(clean(sm.stack), clean(require('util').inspect(sm)));
console.log(clean(require('util').inspect(new Error('c', { cause: 'text' }))));
console.log(clean(require('util').inspect(new Error('c', { cause: { a: 1 } }))));
console.log(clean(require('util').inspect([new Error('arr')])));
class E2 extends Error {
  get name() {
    return 'Getter';
  }
}
console.log(clean(require('util').inspect(new E2('g'))));
class ValidationError extends Error {
  constructor(f, m) {
    super(m);
    this.name = 'ValidationError';
    this.field = f;
  }
}
console.log(clean(require('util').inspect(new ValidationError('email', 'bad'))));
const o = Object.create(new Error('proto'));
console.log(clean(require('util').inspect(Object.assign(Object.create(Error.prototype), { message: 'fake' }))));
const f = () => {
  try {
    return 'try';
  } finally {
    console.log('finally');
  }
};
console.log(f());
(async () => {
  try {
    await Promise.reject(new Error('async'));
  } catch (e) {
    console.log(e.message);
  }
  console.log(
    await Promise.allSettled([1, Promise.reject(new Error('r'))]).then((r) =>
      r.map((x) => x.status + (x.reason?.message ?? x.value)),
    ),
  );
  try {
    await Promise.any([Promise.reject(1), Promise.reject(2)]);
  } catch (e) {
    console.log(e.name, e.message, e.errors);
  }
  await Promise.race([
    new Promise((_, r) => setTimeout(r, 5, new Error('timeout'))),
    new Promise((r) => setTimeout(r, 50)),
  ]).catch((e) => console.log(e.message));
  const { promise, resolve } =
    Promise.withResolvers?.() ??
    (() => {
      let resolve;
      const promise = new Promise((r) => (resolve = r));
      return { promise, resolve };
    })();
  resolve(7);
  console.log(await promise);
  process.on('exit', (c) => console.log('exit', c));
  process.exitCode = 3;
})();
console.log(
  Error.captureStackTrace.length,
  typeof Error.stackTraceLimit,
  (() => {
    const e = {};
    Error.captureStackTrace(e);
    return typeof e.stack;
  })(),
  'cause' in new Error('a', {}),
);
