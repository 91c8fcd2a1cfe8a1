// node:crypto, the part that is made of the web's.
(function (native, internal) {
  'use strict';

  const { crypto } = globalThis;
  const { Buffer } = internal.part('buffer');
  return {
    webcrypto: crypto,
    randomUUID: () => crypto.randomUUID(),
    randomBytes: (size) => Buffer.from(crypto.getRandomValues(new Uint8Array(size))),
  };
});
