// node:util.
(function (native, internal) {
  'use strict';

  const { TextDecoder, TextEncoder } = globalThis;
  const custom = Symbol.for('nodejs.util.promisify.custom');
  const promisify = (callee) =>
    callee[custom] ??
    ((...args) =>
      new Promise((resolve, reject) =>
        callee(...args, (error, ...values) => (error ? reject(error) : resolve(values[0]))),
      ));
  promisify.custom = custom;

  return {
    format: (...args) => internal.format(args),
    inspect: internal.inspect,
    promisify,
    TextDecoder,
    TextEncoder,
  };
});
